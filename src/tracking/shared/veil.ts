import { now } from "../../kernel/time/clock";
import type { Position } from "../../kernel/values/great-circle";
import type { Link } from "../links/standing";
import { onGrid } from "./grid";
import { isHidden } from "./hidden";

/** Bounds of what a link shows: the track, the newest position and the socket ask here alike. */

const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The latest moments, in epoch milliseconds, at which a position that a link shows was fixed and came in. Both count: the
 * clock of a device may be slow, and its newest position would be shown at once.
 */
export function boundsOf({ delay, to }: Link): { fixedBy: number; arrivedBy: number } {
  const shown = delay === 0 ? NEVER : now() - delay;
  return { fixedBy: Math.min(shown, to ?? NEVER), arrivedBy: shown };
}

/** A position as a link shows its place; null for one in a hidden zone, also where rounding would put it there. */
export function placeShown(
  { hideZoneIds, precisionM }: Pick<Link, "hideZoneIds" | "precisionM">,
  position: Position,
): Position | null {
  if (isHidden(hideZoneIds, position)) return null;
  if (precisionM === null) return position;
  const rounded = onGrid(position, precisionM);
  return isHidden(hideZoneIds, rounded) ? null : rounded;
}
