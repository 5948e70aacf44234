import type { Severity } from "../kinds";
import { windowAt } from "../schedules/windows";
import type { TargetRow } from "../targets/service";
import type { Occasion } from "./words";

/**
 * The end of the quiet time in which a target is not to be told of an occasion now (epoch milliseconds); null if it may be
 * told. Alarms and tests are told at any time.
 */
export function quietUntil(
  { quiet }: Pick<TargetRow, "quiet">,
  { type, severity }: { type: Occasion; severity: Severity },
  time: number,
): number | null {
  if (quiet === null || severity === "alarm" || type === "alert.test") return null;
  return windowAt(quiet, time)?.until ?? null;
}
