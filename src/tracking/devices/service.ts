import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  ne,
  placeholder,
  type SQL,
} from "drizzle-orm";
import { endWatch } from "../../alerts/anchor/service";
import { forgetDevice as forgetAlertsOf } from "../../alerts/rules/service";
import { note, noteTripsOf } from "../../feed/journal";
import type { Actor } from "../../identity/access/actor";
import { transactAs } from "../../identity/access/actor";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { linkApiKey } from "../../identity/api-keys/device-link";
import { apiKeys } from "../../identity/api-keys/table";
import { recordAudit } from "../../identity/audit/service";
import { newId } from "../../kernel/crypto/id";
import { db, statement } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow } from "../../kernel/db/counters";
import { afterCommit } from "../../kernel/db/transactions";
import { conflict, forbidden, isUniqueViolation, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged } from "../../kernel/http/validation";
import { iso, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { requireOwn, requireOwnDevice } from "../../sync/owner/owner";
import { endStaysOf } from "../geofences/events";
import { newestPositionOf } from "../gps/service";
import { forgetCurrent } from "../ingest/current-cache";
import { detach } from "../ingest/detach";
import { endSpansOf } from "../ingest/journeys";
import { releaseHeld } from "../ingest/judge";
import { endLinksOfDevice } from "../links/service";
import { endSharesOf } from "../shares/service";
import { forgetLive, remeasure } from "../timeline/live";
import { trackers } from "../trackers/table";
import { devicesChanged } from "./epoch";
import { AUTO_TRIP_DEFAULTS, type AutoTrip, type Device, type DeviceChange, type NewDevice } from "./schema";
import { devices } from "./table";

type Row = typeof devices.$inferSelect & { api_key_id: string | null };

const toDevice = (row: Row): Device => ({
  ...row,
  ...newestOf(row.id),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Of the newest position, which is in memory as a rule. */
function newestOf(id: string): Pick<Device, "last_position_at" | "battery_percent"> {
  const point = newestPositionOf(id);
  return { last_position_at: point?.timestamp ?? null, battery_percent: point?.battery_percent ?? null };
}

const selectDevices = () =>
  db
    .select({ ...getTableColumns(devices), api_key_id: apiKeys.id })
    .from(devices)
    .leftJoin(apiKeys, eq(apiKeys.device_id, devices.id));

/** A page of the devices that a caller sees, newest first. */
export function listDevices(request: PageRequest, visible: VisibleDevices = "all"): PageOf<Device> {
  const [total, which] =
    visible === "all" ? [counter("devices"), undefined] : [visible.size, inArray(devices.id, [...visible])];
  return readPage(request, total, (fromEnd, offset, limit) =>
    selectDevices()
      .where(which)
      .orderBy(fromEnd ? asc(devices.id) : desc(devices.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toDevice),
  );
}

/** The devices after an identifier (the first ones after ""), at most `limit`: for whoever reads all of them bit by bit. */
export const devicesAfter = (id: string, limit: number): Device[] =>
  selectDevices().where(gt(devices.id, id)).orderBy(asc(devices.id)).limit(limit).all().map(toDevice);

const deviceBy = statement(() =>
  selectDevices()
    .where(eq(devices.id, placeholder("id")))
    .prepare(),
);

/** A device; null if there is none. */
export function findDevice(id: string): Device | null {
  const row = deviceBy().get({ id });
  return row ? toDevice(row) : null;
}

export function getDevice(id: string): Device {
  const device = findDevice(id);
  if (!device) throw notFound("Device");
  return device;
}

/**
 * Most devices of an installation, and of each box that sends to it: the newest position of each is one list, which has no pages
 * unless they are asked for.
 */
const MAX_DEVICES = 2_000;

const sentBy = (which: SQL) =>
  statement(() => db.select({ n: count() }).from(devices).where(which).prepare());
const sentByAll = sentBy(isNotNull(devices.box_id));
const sentByOne = sentBy(eq(devices.box_id, placeholder("box")));

/**
 * Creates a device, and links the key that posts for it if one is named. Throws 409 if there are too many
 * devices.
 */
export function createDevice(actor: Actor, { api_key_id, ...input }: NewDevice): Promise<Device> {
  return transactAs(actor, () => {
    const id = insertDevice(input);
    if (api_key_id) linkApiKey(actor, api_key_id, id);
    note("deviceUpdate", id, id);
    return getDevice(id);
  });
}

/**
 * Makes a device in the current transaction and returns its identifier. Throws 409 if there are too many, or
 * another one has its `external_id`.
 */
export function insertDevice(input: Omit<NewDevice, "api_key_id">): string {
  if (counterNow("devices") - (sentByAll().get()?.n ?? 0) >= MAX_DEVICES)
    throw conflict(`There can be at most ${MAX_DEVICES.toLocaleString("en")} devices; delete one first`);
  const id = newId();
  refusingTaken(() =>
    db
      .insert(devices)
      .values({ id, ...withWholeRules(input), ...madeNow() })
      .run(),
  );
  devicesChanged();
  adjustCounter("devices", 1);
  return id;
}

/** Writes a device. Throws 409 if another one has its `external_id`. */
function refusingTaken(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("Another device has this external_id", error);
    throw error;
  }
}

/** A change of them gives the device another timeline. */
const MEASURES = ["stop_radius_m", "stop_minutes", "gap_minutes"] as const;

/** A device with all of its rules of trips. */
const withWholeRules = <T extends Pick<NewDevice, "auto_trip">>({ auto_trip, ...input }: T) => ({
  ...input,
  ...(auto_trip !== undefined && { auto_trip: auto_trip && wholeRules(auto_trip) }),
});

/** Rules that are left out are as they are by default. Unknown ones, which the schema hands on, are dropped. */
const wholeRules = (given: Partial<AutoTrip>): AutoTrip => ({
  is_enabled: given.is_enabled ?? AUTO_TRIP_DEFAULTS.is_enabled,
  start_after_minutes: given.start_after_minutes ?? AUTO_TRIP_DEFAULTS.start_after_minutes,
  end_after_minutes: given.end_after_minutes ?? AUTO_TRIP_DEFAULTS.end_after_minutes,
  min_distance_km: given.min_distance_km ?? AUTO_TRIP_DEFAULTS.min_distance_km,
  name_template: given.name_template ?? AUTO_TRIP_DEFAULTS.name_template,
});

/** Changes the given fields; `api_key_id` null unlinks the device's key. Throws 400, 404, 409, and 403 for what a share doesn't permit. */
export function updateDevice(
  actor: Actor,
  id: string,
  { api_key_id, ...input }: DeviceChange,
): Promise<Device> {
  checkChanged({ api_key_id, ...input });
  if (actor.admittedBy && (api_key_id !== undefined || input.external_id !== undefined))
    throw forbidden("Whoever manages a device by a share may change neither external_id nor api_key_id");
  return transactAs(actor, () => {
    const before = getDevice(id);
    requireOwn(before);
    const change = changedOnly(before, { ...withWholeRules(input), api_key_id });
    const { api_key_id: _, ...fields } = change;
    if (!isEmpty(change)) {
      refusingTaken(() =>
        db
          .update(devices)
          .set({ ...fields, updated_at: now() })
          .where(eq(devices.id, id))
          .run(),
      );
      devicesChanged();
      if (change.max_speed_kmh === null) letHeldCount(id);
      if (change.auto_trip !== undefined) forgetLive(id);
      if (MEASURES.some((measure) => change[measure] !== undefined)) remeasure(id);
      note("deviceUpdate", id, id);
    }
    if (api_key_id !== undefined) linkApiKey(actor, api_key_id, id);
    return getDevice(id);
  });
}

/** Nothing is checked any more: the newest fix need not wait for the next one. */
function letHeldCount(deviceId: string): void {
  releaseHeld(deviceId);
  afterCommit(() => forgetCurrent(deviceId));
}

/** Writes the events of the trackers that go with a device. */
function auditTrackersOf(deviceId: string): void {
  const gone = db
    .select({ id: trackers.id, maker: trackers.user_id, format: trackers.format })
    .from(trackers)
    .where(eq(trackers.device_id, deviceId))
    .all();
  for (const { id, maker, format } of gone)
    recordAudit({
      event_type: "tracker_deleted",
      user_id: maker,
      resource_type: "tracker",
      resource_id: id,
      metadata: { device_id: deviceId, format, reason: "device deleted" },
    });
}

/**
 * Deletes a device. Its points, trips and templates stay, without it; its trackers end, and its key posts
 * for no device any more (rule T6). Throws 404, and 409 for a box's own.
 */
export function deleteDevice(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    requireOwnDevice(id);
    linkApiKey(actor, null, id);
    removeDevice(id);
  });
}

/** Deletes a device that no key posts for, in the current transaction. Throws 404. */
export function removeDevice(id: string): void {
  auditTrackersOf(id);
  endSharesOf(id);
  endLinksOfDevice(id);
  endSpansOf(id);
  noteTripsOf("device", id);
  endStaysOf(id);
  endWatch(id);
  forgetAlertsOf(id);
  const row = db.delete(devices).where(eq(devices.id, id)).returning().get();
  if (!row) throw notFound("Device");
  note("deviceUpdate", id, id);
  detach("device", id);
  devicesChanged();
  adjustCounter("devices", -1);
}

/** Fields of a device as a box sends them. */
export type MirroredDevice = Omit<typeof devices.$inferInsert, "id" | "box_id">;

/** True if a box has sent as many devices as it can have: all those of a server. */
export const hasAllDevices = (boxId: string): boolean =>
  (sentByOne().get({ box: boxId })?.n ?? 0) >= MAX_DEVICES;

/**
 * Stores a device of a box as the box has it, in the current transaction. Another device of the box that has its `external_id` has
 * lost that aboard, and is told of later. False if nothing has changed.
 */
export function mirrorDevice(boxId: string, id: string, fields: MirroredDevice): boolean {
  const before = db.select().from(devices).where(eq(devices.id, id)).get();
  if (fields.external_id)
    db.update(devices)
      .set({ external_id: null })
      .where(and(eq(devices.box_id, boxId), eq(devices.external_id, fields.external_id), ne(devices.id, id)))
      .run();
  const row = {
    description: null,
    device_type: null,
    external_id: null,
    max_speed_kmh: null,
    auto_trip: null,
  };
  const change = { ...row, ...fields };
  if (before && isEmpty(changedOnly(before, change))) return false;
  if (before) db.update(devices).set(change).where(eq(devices.id, id)).run();
  else {
    db.insert(devices)
      .values({ id, ...change, box_id: boxId })
      .run();
    adjustCounter("devices", 1);
  }
  devicesChanged();
  if (before && MEASURES.some((measure) => before[measure] !== fields[measure])) remeasure(id);
  note("deviceUpdate", id, id);
  return true;
}
