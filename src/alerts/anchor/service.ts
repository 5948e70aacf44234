import { type Actor, transactAs } from "../../identity/access/actor";
import { makerOf } from "../../identity/access/maker";
import { manages } from "../../identity/access/visible-devices";
import { recordAudit } from "../../identity/audit/service";
import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { afterCommit } from "../../kernel/db/transactions";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import { iso, isoOrNull, now, SECOND } from "../../kernel/time/clock";
import { bearingDeg, destination, type Position } from "../../kernel/values/great-circle";
import { clear } from "../alerts/register";
import { openAlertsOfDevice } from "../alerts/stored";
import { enqueue } from "../deliveries/outbox";
import type { Delivery } from "../deliveries/schema";
import { outcomesOf } from "../deliveries/service";
import { requireSight, unique } from "../rules/fields";
import { targetsOfAnchorRules } from "../rules/standing";
import { checkTargetIds, defaultTargetIds } from "../targets/service";
import { LANGUAGES } from "../texts/language";
import { AT_REST } from "./machine";
import type { AnchorDrop, AnchorStateWord, AnchorWatch } from "./schema";
import { allWatches, deleteWatch, storeWatch, watchOf } from "./stored";
import type { WatchRow } from "./table";
import { forgetHeard, metresTo, placeOf } from "./watch";

// Raw SQL: the name alone, of a table of another room.
const nameOf = statement(() =>
  sqlite.prepare<{ name: string }, [string]>("SELECT name FROM devices WHERE id = ?"),
);

/** The name of a device. Throws 404. */
function existingName(deviceId: string): string {
  const device = nameOf().get(deviceId);
  if (!device) throw notFound("Device");
  return device.name;
}

function existingWatch(deviceId: string): WatchRow {
  existingName(deviceId);
  const watch = watchOf(deviceId);
  if (!watch) throw notFound("Anchor watch");
  return watch;
}

/** The watch over a device at anchor. Throws 404 for no such device, and where none is set. */
export const getWatch = (deviceId: string): AnchorWatch => toWatch(existingWatch(deviceId));

/** The watch over a device; null if none is set. */
export function findWatch(deviceId: string): AnchorWatch | null {
  const row = watchOf(deviceId);
  return row && toWatch(row);
}

const tenth = (value: number): number => Math.round(value * 10) / 10;

/** The states whose alert a watch names first. */
const FIRST = ["silent", "dragging", "warning"];

function toWatch(row: WatchRow): AnchorWatch {
  const { state, dropped_at, updated_at, max_distance_m, ...rest } = row;
  const { user_id: _user, api_key_id: _key, set_at: _set, ...shown } = rest;
  const place = placeOf(row.device_id);
  const word: AnchorStateWord = state.isSilent ? "silent" : state.place;
  const open = openAlertsOfDevice(row.device_id).filter(({ rule_id }) => rule_id === null);
  open.sort((a, b) => FIRST.indexOf(a.subject ?? "") - FIRST.indexOf(b.subject ?? ""));
  return {
    ...shown,
    state: word,
    dropped_at: iso(dropped_at),
    distance_m: place ? tenth(metresTo(row, place)) : null,
    bearing_deg: place ? tenth(bearingDeg(place, row)) % 360 : null,
    max_distance_m: tenth(Math.max(max_distance_m, 0)),
    last_position_at: isoOrNull(place?.time ?? null),
    alert_id: open[0]?.id ?? null,
    updated_at: iso(updated_at),
  };
}

// --- Dropping and raising ----------------------------------------------------------------------------------

const DEFAULT_SILENCE = 120;
const DEFAULT_CONFIRMATION = 2;

/**
 * Sets the watch over a device, or changes the one that is set: then the anchor stays where it is unless a place is given.
 * Throws 400, 403 for a caller who may not see what it tells, 404, and 409 without a position to begin from.
 */
export function dropAnchor(actor: Actor, deviceId: string, input: AnchorDrop): Promise<AnchorWatch> {
  checkFields(input);
  if (!manages(actor.caller, deviceId)) requireSight(actor.caller, { type: "anchor" });
  return transactAs(actor, () => {
    existingName(deviceId);
    const target_ids = input.target_ids ? unique(input.target_ids) : null;
    checkTargetIds("/target_ids", target_ids ?? []);
    const before = watchOf(deviceId);
    const anchor = anchorOf(deviceId, input, before);
    const isMoved = !before || anchor.latitude !== before.latitude || anchor.longitude !== before.longitude;
    const time = now();
    const silence_seconds = input.silence_seconds ?? DEFAULT_SILENCE;
    const row: WatchRow = {
      device_id: deviceId,
      ...anchor,
      radius_m: input.radius_m,
      warning_radius_m: input.warning_radius_m ?? null,
      silence_seconds,
      confirm_fixes: input.confirm_fixes ?? DEFAULT_CONFIRMATION,
      severity: input.severity ?? "alarm",
      target_ids,
      dropped_at: before?.dropped_at ?? time,
      // A silence that has begun counts on, unless its time is another one from now on.
      set_at: before?.silence_seconds === silence_seconds ? before.set_at : time,
      // The positions that follow find out anew where it is; alerts that are open stay so until then.
      state: before ? { ...AT_REST, place: before.state.place, isSilent: before.state.isSilent } : AT_REST,
      max_distance_m: before?.max_distance_m ?? 0,
      ...makerOf(actor.caller),
      updated_at: time,
    };
    storeWatch(row);
    audit("anchor_watch_set", deviceId, row.user_id);
    if (isMoved) afterCommit(() => forgetHeard(deviceId));
    publish("anchor.moved", { device_id: deviceId });
    return toWatch(row);
  });
}

function checkFields({ latitude, longitude, bearing_deg, distance_m, ...input }: AnchorDrop): void {
  requireBoth("latitude", latitude, "longitude", longitude);
  requireBoth("bearing_deg", bearing_deg, "distance_m", distance_m);
  if (latitude !== undefined && bearing_deg !== undefined)
    throw invalid("/bearing_deg", "must be left out beside latitude and longitude");
  if (input.warning_radius_m && input.warning_radius_m >= input.radius_m)
    throw invalid("/warning_radius_m", "must be smaller than radius_m");
}

function requireBoth(one: string, first: unknown, other: string, second: unknown): void {
  if (first !== undefined && second === undefined) throw invalid(`/${other}`, `is required with ${one}`);
  if (first === undefined && second !== undefined) throw invalid(`/${one}`, `is required with ${other}`);
}

function anchorOf(deviceId: string, input: AnchorDrop, before: WatchRow | null): Position {
  const { latitude, longitude, bearing_deg, distance_m } = input;
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude };
  if (before && bearing_deg === undefined) return { latitude: before.latitude, longitude: before.longitude };
  const place = placeOf(deviceId);
  if (!place)
    throw conflict("The device has sent no position yet: give latitude and longitude of the anchor");
  return bearing_deg === undefined
    ? { latitude: place.latitude, longitude: place.longitude }
    : destination(place, bearing_deg, (distance_m ?? 0) / 1_000);
}

/** Ends the watch over a device; its alerts are cleared. Throws 404. */
export function raiseAnchor(actor: Actor, deviceId: string): Promise<void> {
  return transactAs(actor, () => {
    const { user_id } = existingWatch(deviceId);
    endWatch(deviceId);
    audit("anchor_watch_ended", deviceId, user_id);
    publish("anchor.moved", { device_id: deviceId });
  });
}

/** Ends the watch over a device, if any, in the current transaction. */
export function endWatch(deviceId: string): void {
  deleteWatch(deviceId);
  for (const alert of openAlertsOfDevice(deviceId)) if (alert.rule_id === null) clear(alert);
  afterCommit(() => forgetHeard(deviceId));
}

/** Takes a target that is about to be deleted out of all watches, in the current transaction. */
export function forgetTarget(targetId: string): void {
  for (const watch of allWatches())
    if (watch.target_ids?.includes(targetId))
      storeWatch({ ...watch, target_ids: watch.target_ids.filter((id) => id !== targetId) });
}

function audit(event_type: "anchor_watch_set" | "anchor_watch_ended", deviceId: string, user: string | null) {
  recordAudit({ event_type, user_id: user, resource_type: "device", resource_id: deviceId });
}

// --- Testing ------------------------------------------------------------------------------------------------

/** Longest wait for the deliveries of a test. */
const TEST_TIMEOUT = 10 * SECOND;

/** Sends a test to those who would be told of the watch, the way that an alarm goes. Throws 404. */
export async function testWatch(actor: Actor, deviceId: string): Promise<Delivery[]> {
  const ids = await transactAs(actor, () => {
    const { target_ids } = existingWatch(deviceId);
    const name = existingName(deviceId);
    const place = placeOf(deviceId);
    return enqueue({
      ...{ alertId: null, type: "alert.test", severity: "alarm" },
      targetIds: [...(target_ids ?? defaultTargetIds()), ...targetsOfAnchorRules(deviceId)],
      payload: {
        ...{ alert: null, rule: null, zone: null, device: { id: deviceId, name } },
        position: place
          ? { latitude: place.latitude, longitude: place.longitude, timestamp: iso(place.time) }
          : null,
      },
      text: (locale) => LANGUAGES[locale].anchorTest(name),
    });
  });
  return outcomesOf(ids, TEST_TIMEOUT);
}
