import { publish } from "../../kernel/db/events";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { clearAlert, type Place, raiseAlert } from "../alerts/register";
import { lastArrival, noteArrival, silentAt, watchArrivals } from "../arrivals/arrivals";
import { endSilence } from "../conditions/fix";
import { stateOf } from "../conditions/stored";
import { mayTell, targetsOfAnchorRules } from "../rules/standing";
import { defaultTargetIds } from "../targets/service";
import { type AnchorStep, fallSilent, hear } from "./machine";
import { allWatches, newestPlaceOf, storeWatch, watchOf } from "./stored";
import type { WatchRow } from "./table";

/** Boats at anchor, as positions and the clock move them. */

declare module "../../kernel/db/events" {
  interface EventMap {
    /** The state of a watch has changed, or the boat has moved. */
    "anchor.moved": { device_id: string };
  }
}

/** Metres from a position to the anchor of a watch. */
export const metresTo = (watch: WatchRow, position: Position): number => distanceKm(watch, position) * 1_000;

/** A fix that is older when it arrives raises nothing. */
const OLDEST = 10 * MINUTE;

/** Each alarm is told, however soon after the end of the one before: people who heard of its end sleep again. */
const COOLDOWN = 0;

/** The last distance heard of each device, in metres. */
const distances = new Map<string, number>();
/** The last place heard of the own receiver, whose fixes are not all stored, until another source sends one. */
const ownPlaces = new Map<string, Place>();
/** The last message of each device: its time (epoch milliseconds) and distance. */
const told = new Map<string, { at: number; metres: number }>();

/** The newest place of a device; null if it has none. */
export const placeOf = (deviceId: string): Place | null => ownPlaces.get(deviceId) ?? newestPlaceOf(deviceId);

/** Forgets what a watch has heard, since it has ended or begins anew. */
export function forgetHeard(deviceId: string): void {
  for (const memory of [distances, ownPlaces, told]) memory.delete(deviceId);
}

/** Lets the watch of a device, if any, hear the newest fix of it, in the current transaction. */
export function watchAnchor(
  deviceId: string,
  { latitude, longitude, timestamp }: Position & { timestamp: number },
): void {
  const watch = watchOf(deviceId);
  if (watch === null) return;
  afterCommit(() => ownPlaces.delete(deviceId));
  if (now() - timestamp > OLDEST) return;
  hearPlace(watch, { latitude, longitude, time: timestamp });
}

function hearPlace(watch: WatchRow, place: Place): void {
  const metres = metresTo(watch, place);
  const max_distance_m = Math.max(watch.max_distance_m, steadyMetres(watch, metres));
  const step = hear(watch.state, metres, rulesOf(watch));
  const isFarther = max_distance_m - watch.max_distance_m >= 0.5;
  if (step.state !== watch.state || isFarther) storeWatch({ ...watch, state: step.state, max_distance_m });
  tell(watch, step, metres, place);
  afterCommit(() => {
    distances.set(watch.device_id, metres);
    tellOfMove(watch.device_id, metres, step.effects.length > 0);
  });
}

const rulesOf = ({ radius_m, warning_radius_m, confirm_fixes }: WatchRow) => ({
  radiusM: radius_m,
  warningRadiusM: warning_radius_m,
  confirmFixes: confirm_fixes,
});

/** A distance of which a single stray position makes nothing. */
const steadyMetres = ({ device_id, confirm_fixes }: WatchRow, metres: number): number =>
  confirm_fixes === 1 ? metres : Math.min(metres, distances.get(device_id) ?? 0);

/** Raises and clears the alerts of a step, in the current transaction. */
function tell(watch: WatchRow, { effects }: AnchorStep, value: number, place: Place | null): void {
  const { device_id: deviceId, severity, target_ids } = watch;
  for (const effect of effects) {
    if ("clear" in effect) clearAlert({ ruleId: null, deviceId, subject: effect.clear });
    else if (mayTell({ ...watch, id: deviceId, device_ids: [deviceId], condition: { type: "anchor" } }))
      raiseAlert(
        {
          ...{ rule: null, condition: "anchor", deviceId, subject: effect.raise, place },
          severity: effect.raise === "warning" ? "warning" : severity,
          value: Math.round(value * 10) / 10,
          targetIds: [...new Set([...(target_ids ?? defaultTargetIds()), ...targetsOfAnchorRules(deviceId)])],
        },
        COOLDOWN,
      );
  }
}

/** Shortest time between two messages that tell of a distance alone, and the least change that they tell. */
const TOLD_EVERY = 5 * SECOND;
const LEAST_CHANGE_M = 0.1;

function tellOfMove(deviceId: string, metres: number, isOther: boolean): void {
  const last = told.get(deviceId);
  const isDue =
    !last || (Math.abs(now() - last.at) >= TOLD_EVERY && Math.abs(metres - last.metres) >= LEAST_CHANGE_M);
  if (!isOther && !isDue) return;
  told.set(deviceId, { at: now(), metres });
  publish("anchor.moved", { device_id: deviceId });
}

// --- The box's own receiver --------------------------------------------------------------------------------

/**
 * Hears a fix of the box's own receiver, before it is thinned out. It is not held against the clock, and costs a transaction
 * only where it changes something.
 */
export function hearOwnFix(deviceId: string, { latitude, longitude }: Position): void {
  noteArrival(deviceId);
  const isSilent = stateOf(deviceId).conditions.length > 0;
  const watch = watchOf(deviceId);
  if (!isSilent && watch === null) return;
  const place: Place = { latitude, longitude, time: now() };
  if (watch) ownPlaces.set(deviceId, place);
  if (isSilent || (watch && isChangedBy(watch, place)))
    transact(() => {
      endSilence(deviceId);
      const current = watchOf(deviceId);
      if (current) hearPlace(current, place);
    }).catch((error) => logFailure("a fix could not be held against the anchor watch", error));
  else if (watch) noteHeard(watch, place);
}

function isChangedBy(watch: WatchRow, place: Place): boolean {
  const metres = metresTo(watch, place);
  const isFarther = steadyMetres(watch, metres) - watch.max_distance_m >= 0.5;
  return isFarther || hear(watch.state, metres, rulesOf(watch)).state !== watch.state;
}

function noteHeard({ device_id, ...watch }: WatchRow, place: Place): void {
  const metres = metresTo({ device_id, ...watch }, place);
  distances.set(device_id, metres);
  tellOfMove(device_id, metres, false);
}

// --- Silence ------------------------------------------------------------------------------------------------

/** Notices the boats of which no position has arrived for too long. Called each second. */
export async function watchAnchors(): Promise<void> {
  const watches = allWatches();
  watchArrivals(
    "anchor",
    watches.map(({ device_id }) => device_id),
    true,
  );
  for (const watch of watches)
    if (isOverdue(watch) || isAhead(watch))
      await transact(() => {
        const current = watchOf(watch.device_id);
        if (current && isAhead(current)) storeWatch({ ...current, set_at: now() });
        else if (current && isOverdue(current)) letFallSilent(current);
      });
}

/** True for a watch that was set by a clock which was set back since: it counts from now on. */
const isAhead = ({ set_at }: WatchRow): boolean => set_at > now();

function isOverdue({ device_id, silence_seconds, set_at, state }: WatchRow): boolean {
  const milliseconds = silence_seconds * SECOND;
  const fromSetting = set_at + milliseconds;
  return !state.isSilent && Math.max(silentAt(device_id, milliseconds) ?? 0, fromSetting) <= now();
}

function letFallSilent(watch: WatchRow): void {
  const step = fallSilent(watch.state);
  storeWatch({ ...watch, state: step.state });
  const since = Math.max(lastArrival(watch.device_id) ?? 0, watch.set_at);
  tell(watch, step, (now() - since) / SECOND, placeOf(watch.device_id));
  publish("anchor.moved", { device_id: watch.device_id });
}
