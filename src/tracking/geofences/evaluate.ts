import { MINUTE } from "../../kernel/time/clock";
import { forgetBegin, type Shown } from "./events";
import type { Position } from "./geometry";
import { type Presence, type Presences, presencesOf, storePresences } from "./presence";
import { insideSince, OUTSIDE, type SideState, step } from "./sides";
import { type Arc, angle, nearestOnArc, toPosition, vectorOf } from "./sphere";
import { fixesBefore, isUnwatched, noteCompared, previousOf, type ZoneFix } from "./tracks";
import {
  contains,
  isAccurate,
  isCutBy,
  leastAccuracyLimit,
  legBetween,
  placeAt,
  type Zone,
  zonesAround,
} from "./watched";

// --- One zone ---------------------------------------------------------------------------------------------

/** The state at a zone after a fix that it watches, and what the fix showed there. */
export function stepAt(zone: Zone, state: SideState, fix: ZoneFix): { state: SideState; shown: Shown[] } {
  const after = step(state, fix, placeAt(zone, fix, state.isInside), zone);
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

/**
 * The zones that a device passed through between two fixes. `isOutside` tells if it was outside of a zone before and after,
 * `sees` if a zone watched at a fix, `earlier` reads the fixes before one, newest first.
 */
export function passedBy(
  previous: ZoneFix | null,
  fix: ZoneFix,
  isOutside: (zone: Zone) => boolean,
  sees: (zone: Zone, fix: ZoneFix) => boolean,
  earlier: (fix: ZoneFix, limit: number) => ZoneFix[],
): Shown[] {
  if (previous === null || fix.timestamp - previous.timestamp > LONGEST_LEG) return [];
  const shown: Shown[] = [];
  const skipped: ZoneFix[] = [];
  const look = (from: ZoneFix): void => {
    const leg = legBetween(from, fix);
    for (const zone of leg.zones) {
      if (zone.confirmFixes !== 1 || zone.enterAfterS !== 0 || !isOutside(zone)) continue;
      if (!isAccurate(zone, fix.accuracy_m) || !isAccurate(zone, from.accuracy_m)) continue;
      if (skipped.some((each) => isAccurate(zone, each.accuracy_m))) continue;
      if (!sees(zone, from) || !sees(zone, fix) || contains(zone, from) || contains(zone, fix)) continue;
      if (isCutBy(zone, leg.arc)) shown.push(passing(zone, leg.arc, from, fix));
    }
  };
  look(previous);
  // To a zone for which the fix before is too inaccurate, the track comes from the one before that.
  if (previous.accuracy_m === null || previous.accuracy_m <= leastAccuracyLimit()) return shown;
  skipped.push(previous);
  for (const from of earlier(previous, MOST_SKIPPED)) {
    if (fix.timestamp - from.timestamp > LONGEST_LEG) break;
    look(from);
    if (from.accuracy_m === null || from.accuracy_m <= leastAccuracyLimit()) break;
    skipped.push(from);
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
export function evaluateZones(deviceId: string, fix: ZoneFix): Shown[] {
  const presences = presencesOf(deviceId);
  const previous = previousOf(deviceId, fix);
  const shown: Shown[] = [];
  const changed: Presence[] = [];
  const sees = (zone: Zone, at: ZoneFix) => !isUnwatched(deviceId, zone, at);
  const compare = (zone: Zone, state: SideState): void => {
    const isWatched = sees(zone, fix);
    if (!isWatched) forgetBegin(deviceId, zone);
    const after = isWatched ? stepAt(zone, state, fix) : beginAt(zone, fix);
    if (after.state !== state) changed.push({ zone, state: after.state });
    shown.push(...after.shown);
  };
  for (const { zone, state } of presences.values()) compare(zone, state);
  for (const zone of zonesAround(fix))
    if (!presences.has(zone.seq) && contains(zone, fix)) compare(zone, OUTSIDE);
  const isOutside = (zone: Zone) => !presences.has(zone.seq);
  shown.push(
    ...passedBy(previous, fix, isOutside, sees, (from, limit) => fixesBefore(deviceId, from, limit)),
  );
  if (changed.length > 0) storePresences(deviceId, changed);
  noteCompared(deviceId, fix);
  return inOrder(shown);
}

/**
 * The active zones that a device would be inside of at a position, as a text to compare with that of another position. It
 * changes nothing.
 */
export function zonesAt(deviceId: string, position: Position): string {
  const presences: Presences = presencesOf(deviceId);
  const at = { ...position, accuracy_m: null };
  const zones: number[] = [];
  for (const { zone, state } of presences.values())
    if (placeAt(zone, at, state.isInside) !== "outside") zones.push(zone.seq);
  for (const zone of zonesAround(position))
    if (!presences.has(zone.seq) && contains(zone, position)) zones.push(zone.seq);
  return zones.sort((a, b) => a - b).join();
}
