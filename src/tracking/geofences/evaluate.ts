import { MINUTE } from "../../kernel/time/clock";
import type { Position } from "../../kernel/values/great-circle";
import { forgetBegin, type Shown } from "./events";
import { type Presence, type Presences, presencesOf, storePresences } from "./presence";
import { insideSince, OUTSIDE, type Place, type SideState, staysAs, step } from "./sides";
import { type Arc, angle, arcBetween, nearestOnArc, toPosition, vectorOf } from "./sphere";
import {
  fixesBefore,
  isUnwatched,
  noteCompared,
  type PlacedFix,
  placed,
  previousOf,
  type ZoneFix,
} from "./tracks";
import {
  contains,
  isAccurate,
  isCutBy,
  leastAccuracyLimit,
  placeAt,
  surroundingsOf,
  type Zone,
  zonesAt,
  zonesBetween,
} from "./watched";

// --- One zone ---------------------------------------------------------------------------------------------

/** The state at a zone after a fix that it watches, and what the fix showed there. */
export function stepAt(
  zone: Zone,
  state: SideState,
  fix: ZoneFix,
  place: Place = placeAt(zone, fix, state.isInside),
): { state: SideState; shown: Shown[] } {
  const after = step(state, fix, place, zone);
  const shown = after.crossings.map(
    ({ event, time, fix: at }): Shown => ({ zone, event, occurredAt: time, fix: at, shownBy: fix }),
  );
  return { state: after.state, shown };
}

/** The state at a zone of a device whose newest fix was this one when the zone began to watch. */
export function beginAt(zone: Zone, fix: ZoneFix): { state: SideState; shown: Shown[] } {
  if (placeAt(zone, fix, false) !== "inside") return { state: OUTSIDE, shown: [] };
  const begin: Shown = { zone, event: "begin", occurredAt: zone.watch_from, fix, shownBy: fix };
  return { state: insideSince(zone.watch_from), shown: [begin] };
}

// --- Between two fixes ------------------------------------------------------------------------------------

/** A track is known between two fixes that are no farther apart. */
const LONGEST_LEG = 10 * MINUTE;
/** Fixes looked at behind one that is too inaccurate for some zone. */
const MOST_SKIPPED = 100;

/** The track and the state of a device, as far as a passing depends on them. */
export interface Passage {
  /** True if the device was outside of a zone before the fix. */
  isOutside: (zone: Zone) => boolean;
  /** True if a zone watched at a fix. */
  sees: (zone: Zone, fix: ZoneFix) => boolean;
  /** The fixes before one, newest first. */
  earlier: (fix: ZoneFix, limit: number) => ZoneFix[];
}

const NOTHING: readonly Shown[] = [];

/** The passings of a device through zones on its way from the fix before to a fix. */
export function passedBy(previous: PlacedFix | null, at: PlacedFix, passage: Passage): readonly Shown[] {
  if (previous === null || at.fix.timestamp - previous.fix.timestamp > LONGEST_LEG) return NOTHING;
  const { accuracy_m } = previous.fix;
  if (accuracy_m !== null && accuracy_m > leastAccuracyLimit()) return passedBehind(previous, at, passage);
  const zones = zonesBetween(previous.around, at.around);
  return zones.length === 0 ? NOTHING : passedOn(zones, previous, at, [], passage);
}

/** To a zone for which the fix before is too inaccurate, the track comes from the one before that. */
function passedBehind(previous: PlacedFix, at: PlacedFix, passage: Passage): Shown[] {
  const shown: Shown[] = [];
  const skipped: ZoneFix[] = [];
  for (const from of [previous.fix, ...passage.earlier(previous.fix, MOST_SKIPPED)]) {
    if (at.fix.timestamp - from.timestamp > LONGEST_LEG) break;
    const behind = placed(from);
    shown.push(...passedOn(zonesBetween(behind.around, at.around), behind, at, skipped, passage));
    if (from.accuracy_m === null || from.accuracy_m <= leastAccuracyLimit()) break;
    skipped.push(from);
  }
  return shown;
}

/** The passings through some zones on the way between two fixes; those in between were skipped by the zones that count. */
function passedOn(
  zones: readonly Zone[],
  { fix: from, around }: PlacedFix,
  { fix, around: { vector } }: PlacedFix,
  skipped: readonly ZoneFix[],
  { isOutside, sees }: Passage,
): Shown[] {
  const shown: Shown[] = [];
  let arc: Arc | null = null;
  for (const zone of zones) {
    if (zone.confirmFixes !== 1 || zone.enterAfterS !== 0 || !isOutside(zone)) continue;
    arc ??= arcBetween(around.vector, vector);
    if (!isCutBy(zone, arc)) continue;
    if (!isAccurate(zone, fix.accuracy_m) || !isAccurate(zone, from.accuracy_m)) continue;
    if (skipped.some((each) => isAccurate(zone, each.accuracy_m))) continue;
    if (contains(zone, from) || contains(zone, fix) || !sees(zone, from) || !sees(zone, fix)) continue;
    shown.push(passing(zone, arc, from, fix));
  }
  return shown;
}

/** The passing at the point of the way that is nearest to the zone's centre, its time by interpolation. */
function passing(zone: Zone, arc: Arc, from: ZoneFix, fix: ZoneFix): Shown {
  const nearest = nearestOnArc(arc, vectorOf(zone));
  const whole = angle(arc.from, arc.to);
  const share = whole === 0 ? 0 : angle(arc.from, nearest) / whole;
  const occurredAt = Math.round(from.timestamp + share * (fix.timestamp - from.timestamp));
  return { zone, event: "passed", occurredAt, fix, place: toPosition(nearest), shownBy: fix };
}

// --- The newest fix ---------------------------------------------------------------------------------------

const ORDER: Record<Shown["event"], number> = { begin: 0, exit: 1, enter: 2, passed: 3, dwell: 4 };

/** Leaves before it enters: the order in which the crossings of one fix are told. */
export const inOrder = (shown: Shown[]): Shown[] =>
  shown.length < 2 ? shown : shown.sort((a, b) => ORDER[a.event] - ORDER[b.event]);

/**
 * Compares the newest fix of a device with the active zones, stores in the current transaction what follows for the device's
 * sides, and returns what it showed, exits first.
 */
export function evaluateZones(deviceId: string, fix: ZoneFix): readonly Shown[] {
  const presences = presencesOf(deviceId);
  const previous = previousOf(deviceId, fix);
  const at = placed(fix, previous);
  noteCompared(deviceId, at);
  const zones = zonesAt(at.around);
  const shown: Shown[] = [];
  const changed: Presence[] = [];
  const compare = (zone: Zone, state: SideState): void => {
    const isUnseen = isUnwatched(deviceId, zone, fix);
    const place = isUnseen ? null : placeAt(zone, fix, state.isInside);
    if (place !== null && staysAs(state, place, zone)) return;
    if (isUnseen) forgetBegin(deviceId, zone);
    const after = place === null ? beginAt(zone, fix) : stepAt(zone, state, fix, place);
    if (after.state !== state) changed.push({ zone, state: after.state });
    if (after.shown.length > 0) shown.push(...after.shown);
  };
  for (const { zone, state } of presences.values()) compare(zone, state);
  for (const zone of zones) if (!presences.has(zone.seq) && contains(zone, fix)) compare(zone, OUTSIDE);
  const passed = passedBy(previous, at, {
    isOutside: (zone) => !presences.has(zone.seq),
    sees: (zone, of) => !isUnwatched(deviceId, zone, of),
    earlier: (from, limit) => fixesBefore(deviceId, from, limit),
  });
  if (changed.length > 0) storePresences(deviceId, changed);
  return shown.length === 0 ? passed : inOrder([...shown, ...passed]);
}

/**
 * The active zones that a device would be inside of at a position, as a text to compare with that of another position. It
 * changes nothing.
 */
export function zonesOf(deviceId: string, position: Position): string {
  const presences: Presences = presencesOf(deviceId);
  const at = { ...position, accuracy_m: null };
  const zones: number[] = [];
  for (const { zone, state } of presences.values())
    if (placeAt(zone, at, state.isInside) !== "outside") zones.push(zone.seq);
  for (const zone of zonesAt(surroundingsOf(position)))
    if (!presences.has(zone.seq) && contains(zone, position)) zones.push(zone.seq);
  return zones.sort((a, b) => a - b).join();
}
