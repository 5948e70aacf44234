import { MINUTE, now } from "../../kernel/time/clock";
import type { Place } from "../alerts/register";
import { noteArrival } from "../arrivals/arrivals";
import type { ZoneEvent } from "../kinds";
import { activeRule, hasRules, hasZoneRules, type RuleOf, rulesFor, zoneRulesFor } from "../rules/active";
import { observe } from "./observe";
import { noteLife } from "./silence";
import { type DeviceState, dropUntold, lastCrossing, stateOf, storeUntold } from "./stored";
import type { StoredSide } from "./table";

/**
 * Rules that look at positions. All of it happens in the transaction of the position, and costs what the rules of its device
 * cost.
 */

/** A fix that moves its device. */
export interface MovingFix {
  id: string;
  /** Epoch milliseconds. */
  timestamp: number;
  latitude: number;
  longitude: number;
  speed_knots: number | null;
  battery_percent: number | null;
}

/** A crossing that a fix showed. */
export interface ShownCrossing {
  id: string;
  geofence_id: string;
  event: ZoneEvent | "begin" | "end";
  /** Epoch milliseconds. */
  occurred_at: number;
  latitude: number;
  longitude: number;
}

/** A fix that is older when it arrives raises nothing by itself. */
const OLDEST = 10 * MINUTE;

/**
 * Lets the zones see the newest fix of a device by `cross`, which returns the crossings that it showed, and looks at all
 * conditions that it may change, in the current transaction. `sides` reads the zones in which the device is at the moment. The
 * box's own receiver isn't held against the clock.
 */
export function watchFix(
  deviceId: string,
  fix: MovingFix,
  cross: () => readonly ShownCrossing[],
  sides: () => readonly StoredSide[],
  isOwn: boolean,
): void {
  if (!hasRules()) {
    cross();
    return;
  }
  if (!isOwn && now() - fix.timestamp > OLDEST) {
    const before = sides();
    if (cross().length > 0) leaveUntold(deviceId, () => before);
    return;
  }
  const crossings = cross();
  const state = stateOf(deviceId);
  const place: Place = { latitude: fix.latitude, longitude: fix.longitude, time: fix.timestamp };
  if (state.untold !== null) tellAll(deviceId, state.untold, sides(), crossings);
  else for (const crossing of crossings) watchCrossing(deviceId, crossing);
  watchMeasures(deviceId, state, fix, place);
}

// --- Silence ------------------------------------------------------------------------------------------------

/** Ends what silence has begun, since a position of a device has arrived, in the current transaction. */
export function endSilence(deviceId: string): void {
  noteArrival(deviceId);
  if (!hasRules()) return;
  noteLife(deviceId);
  for (const { ruleId, subject } of stateOf(deviceId).conditions) {
    const rule = activeRule(ruleId);
    if (rule?.condition.type === "silence")
      observe({ rule, deviceId, subject, isMet: false, value: null, place: null });
  }
}

// --- Measures of the fix -----------------------------------------------------------------------------------

function watchMeasures(
  deviceId: string,
  { conditions }: DeviceState,
  { speed_knots, battery_percent }: MovingFix,
  place: Place,
): void {
  for (const { ruleId, subject } of conditions) {
    const rule = activeRule(ruleId);
    if (!rule) continue;
    const { condition } = rule;
    const isOver =
      (condition.type === "speed" && speed_knots !== null && speed_knots <= condition.above_knots) ||
      (condition.type === "battery" &&
        battery_percent !== null &&
        battery_percent >= condition.below_percent);
    if (isOver) observe({ rule, deviceId, subject, isMet: false, value: null, place });
  }
  if (speed_knots !== null)
    // The lowest limit is the first.
    for (const rules of rulesFor("speed", deviceId))
      for (const rule of rules) {
        if (rule.condition.above_knots >= speed_knots) break;
        observe({ rule, deviceId, subject: null, isMet: true, value: speed_knots, place });
      }
  if (battery_percent !== null)
    // The highest limit is the first.
    for (const rules of rulesFor("battery", deviceId))
      for (const rule of rules) {
        if (rule.condition.below_percent <= battery_percent) break;
        observe({ rule, deviceId, subject: null, isMet: true, value: battery_percent, place });
      }
}

// --- Crossings ----------------------------------------------------------------------------------------------

/** The rules that a crossing ends, by the crossing that they wait for. */
const ENDED_BY: Record<ZoneEvent, readonly ZoneEvent[]> = {
  enter: ["exit"],
  exit: ["enter", "dwell"],
  passed: [],
  dwell: [],
};

/** Looks at the rules that a crossing of a device begins or ends. */
function watchCrossing(deviceId: string, crossing: ShownCrossing): void {
  const { event, geofence_id, occurred_at, latitude, longitude } = crossing;
  if (event === "begin" || event === "end") return;
  end(deviceId, geofence_id, ENDED_BY[event]);
  const place: Place = { latitude, longitude, time: occurred_at };
  for (const rule of zoneRulesFor(deviceId, event, geofence_id)) begin(rule, deviceId, crossing, place);
}

/** Ends what some crossings of a zone have begun. */
function end(deviceId: string, zoneId: string, events: readonly ZoneEvent[]): void {
  for (const { ruleId, subject } of stateOf(deviceId).conditions) {
    const rule = subject === zoneId ? activeRule(ruleId) : undefined;
    if (rule?.condition.type === "zone" && events.includes(rule.condition.event))
      observe({ rule, deviceId, subject, isMet: false, value: null, place: null });
  }
}

const begin = (
  rule: RuleOf<"zone">,
  deviceId: string,
  { id, event, geofence_id, occurred_at }: ShownCrossing,
  place: Place,
): void =>
  observe({
    ...{ rule, deviceId, subject: geofence_id, isMet: true, value: null, place },
    ...{ crossingId: id, at: occurred_at },
    ...(event === "passed" && { isMoment: true }),
  });

// --- Crossings that raise nothing by themselves ------------------------------------------------------------

/**
 * Notes, in the current transaction, where a device was before crossings that raise nothing by themselves: the next younger
 * fix compares that with where it is then.
 */
export function leaveUntold(deviceId: string, before: () => readonly StoredSide[]): void {
  const state = stateOf(deviceId);
  const isWatched = hasZoneRules(deviceId) || state.conditions.some(({ subject }) => subject !== null);
  if (state.untold === null && isWatched)
    storeUntold(
      deviceId,
      before().map(({ zoneId, hasDwelled }) => ({ zoneId, hasDwelled })),
    );
}

/** Tells what has changed for good since crossings went untold, as if it had happened with this fix. */
function tellAll(
  deviceId: string,
  before: readonly StoredSide[],
  after: readonly StoredSide[],
  crossings: readonly ShownCrossing[],
): void {
  dropUntold(deviceId);
  const then = new Map(before.map((side) => [side.zoneId, side]));
  const now = new Map(after.map((side) => [side.zoneId, side]));
  const tell = (zoneId: string, event: "enter" | "exit" | "dwell"): void => {
    const crossing = lastCrossing(deviceId, zoneId, event);
    if (crossing) watchCrossing(deviceId, crossing);
    // It has never been on the other side, as late positions have told.
    else end(deviceId, zoneId, ENDED_BY[event]);
  };
  for (const zoneId of then.keys()) if (!now.has(zoneId)) tell(zoneId, "exit");
  for (const { zoneId, hasDwelled } of now.values()) {
    const known = then.get(zoneId);
    if (!known) tell(zoneId, "enter");
    if (hasDwelled && !known?.hasDwelled) tell(zoneId, "dwell");
    // It has come back meanwhile.
    if (!hasDwelled && known?.hasDwelled) end(deviceId, zoneId, ["dwell"]);
  }
  for (const crossing of crossings) if (crossing.event === "passed") watchCrossing(deviceId, crossing);
}
