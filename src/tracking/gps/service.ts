import { type Actor, transactAs } from "../../identity/access/actor";
import type { Caller } from "../../identity/access/caller";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { isUuid } from "../../kernel/http/schema";
import { iso, now, SECOND } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { evaluateZones, type ZoneCrossing } from "../geofences/evaluate";
import { COLUMNS, measured, PLACEHOLDERS, type Row, valuesOf } from "./columns";
import { cachedCurrent, forgetCurrent, renewCurrent } from "./current-cache";
import { isDetached } from "./detach";
import { lengthenTrip } from "./distance";
import { ALL, countAt, devicePoints, readTimed, type TimedList, tripPoints, windowOf } from "./places";
import type { GpsFilter, GpsPoint, NewGpsPoint } from "./schema";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A position was stored. */
    "gps.recorded": GpsPoint;
    /** A device entered or left a zone. */
    "geofence.crossed": ZoneCrossing;
  }
}

const toGpsPoint = (row: Row): GpsPoint => ({
  ...row,
  device_id: row.device_id !== null && isDetached(row.device_id) ? null : row.device_id,
  trip_id: row.trip_id !== null && isDetached(row.trip_id) ? null : row.trip_id,
  timestamp: iso(row.timestamp),
  created_at: iso(row.created_at),
});

/**
 * A statement that returns points. Raw SQL: each position, and each request for some, runs these. Parameters beside ORDER BY
 * and in LIMIT are written `+?`: SQLite plans a statement anew at each execution for a bare `?` there.
 */
const points = <P extends (string | number)[]>(rest: string) =>
  statement(() => sqlite.prepare<Row, P>(`SELECT ${COLUMNS} FROM gps_points ${rest}`));

// --- Recording --------------------------------------------------------------------------------------------

const insertPoint = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO gps_points (${COLUMNS}) VALUES (${PLACEHOLDERS})`,
  ),
);

interface Reporter {
  id: string;
  /** The active trip that logs. */
  tripId: string | null;
  /** The time of its newest position, epoch milliseconds. */
  newest: number | null;
}

const reporter = statement(() =>
  sqlite.prepare<Reporter, [string]>(
    `SELECT d.id,
       (SELECT id FROM trips WHERE device_id = d.id AND status = 'active' AND gps_logging_enabled = 1) AS tripId,
       (SELECT timestamp FROM gps_points WHERE device_id = d.id ORDER BY timestamp DESC LIMIT 1) AS newest
     FROM devices d WHERE d.id = ?`,
  ),
);
const reporters = new TransactionCache<string, Reporter | null>(50_000);
const newestOfDevice = points<[string]>("WHERE device_id = +? ORDER BY timestamp DESC, rowid DESC LIMIT 1");

/**
 * Records a position: stores it, joins it to the device's active logging trip, and, unless the device has a
 * newer position already, publishes the zones that the device entered or left (rules T1 to T3). The device is
 * the one that a holder of `devices:write` names, else the one linked to the caller's key. Throws 400 for a
 * time too far ahead, and for a name of no device. Not `transactAs`: that would read the key anew for each
 * fix, and one that comes in the commit that ends its key may stay.
 */
export function recordPosition(caller: Caller, fix: NewGpsPoint): Promise<GpsPoint> {
  checkTimestamp(fix.timestamp);
  const deviceId = namedDevice(caller, fix.device_id) ?? (caller.kind === "key" ? caller.deviceId : null);
  return transact(() => {
    const device = deviceId === null ? null : findReporter(deviceId);
    const point = storePoint(device, fix);
    publish("gps.recorded", point);
    const newest = fix.timestamp * SECOND;
    if (device && (device.newest === null || device.newest <= newest)) {
      reporters.set(device.id, { ...device, newest });
      for (const crossing of evaluateZones(device.id, fix)) publish("geofence.crossed", crossing);
    }
    return point;
  }, "retryable");
}

/** The device that a position names; null where it names none, or the caller may not name one (rule T1). */
function namedDevice(caller: Caller, named: unknown): string | null {
  const isAllowed = caller.isSuperAdmin || caller.permissions.has("devices:write");
  if (named === undefined || named === null || !isAllowed) return null;
  if (typeof named !== "string" || !isUuid(named)) throw invalid("/device_id", "must be a UUID, or null");
  if (!reporter().get(named)) throw invalid("/device_id", "names no device");
  return named;
}

/** Null for a device that was deleted after the request was admitted. */
const findReporter = (deviceId: string): Reporter | null =>
  reporters.get(deviceId, () => reporter().get(deviceId));

function checkTimestamp(seconds: number): void {
  const ahead = systemValue("gps.max_future_seconds");
  if (seconds * SECOND > now() + ahead * SECOND)
    throw invalid("/timestamp", `must be Unix time in seconds, at most ${ahead} s ahead of the server`);
}

function storePoint(device: Reporter | null, fix: NewGpsPoint): GpsPoint {
  const tripId = device?.tripId ?? null;
  const row: Row = {
    id: newId(),
    device_id: device?.id ?? null,
    trip_id: tripId,
    ...measured(fix),
    timestamp: fix.timestamp * SECOND,
    created_at: now(),
  };
  if (tripId !== null) lengthenTrip(tripId, fix, row.timestamp);
  insertPoint().run(...valuesOf(row));
  countAt(ALL, row.timestamp, 1);
  if (device) countAt(devicePoints(device.id), row.timestamp, 1);
  if (tripId !== null) countAt(tripPoints(tripId), row.timestamp, 1);
  const point = toGpsPoint(row);
  afterCommit(() => renewCurrent(point));
  return point;
}

// --- Reading ----------------------------------------------------------------------------------------------

const newestOfAll = points<[]>("ORDER BY timestamp DESC, rowid DESC LIMIT 1");
const byId = points<[string]>("WHERE id = ?");

/** The positions that a condition picks: the statements of their list. */
function listWhere<P extends string[]>(condition: string, nameOf: (...owner: P) => string) {
  const count = statement(() =>
    sqlite.prepare<{ n: number }, (string | number)[]>(
      `SELECT count(*) AS n FROM gps_points WHERE ${condition} timestamp >= +? AND timestamp < +?`,
    ),
  );
  const oldest = points<(string | number)[]>(
    `WHERE ${condition} timestamp >= +? ORDER BY timestamp, rowid LIMIT +? OFFSET +?`,
  );
  const newest = points<(string | number)[]>(
    `WHERE ${condition} timestamp < +? ORDER BY timestamp DESC, rowid DESC LIMIT +? OFFSET +?`,
  );
  return (...owner: P): TimedList<GpsPoint> => ({
    name: nameOf(...owner),
    count: (from, until) => count().get(...owner, from, until)?.n ?? 0,
    read: (order, { bound, skip }, limit) =>
      (order === "oldest first" ? oldest() : newest()).all(...owner, bound, limit, skip).map(toGpsPoint),
  });
}
const allPoints = listWhere<[]>("", () => ALL);
const pointsOfDevice = listWhere<[string]>("device_id = +? AND", devicePoints);
const pointsOfTrip = listWhere<[string]>("trip_id = +? AND", tripPoints);

/** A page of positions, newest first by the receiver's time: all of them, or a device's, or between two times. */
export function listPoints(request: PageRequest, { device_id, ...span }: GpsFilter = {}): PageOf<GpsPoint> {
  const list = device_id === undefined ? allPoints() : pointsOfDevice(device_id);
  return readTimed(request, list, "newest first", windowOf(span));
}

/** A page of a trip's positions, oldest first. The trip must exist. */
export const listTripPoints = (tripId: string, request: PageRequest): PageOf<GpsPoint> =>
  readTimed(request, pointsOfTrip(tripId), "oldest first");

export function getPoint(id: string): GpsPoint {
  const row = byId().get(id);
  if (!row) throw notFound("GPS point");
  return toGpsPoint(row);
}

// --- Current positions ------------------------------------------------------------------------------------

/** The newest position of a device, or of all. Throws 404 when there is none. */
export function currentPosition(deviceId: string | null): GpsPoint {
  const point = cachedCurrent(deviceId, () => readNewest(deviceId));
  if (!point) throw notFound(deviceId === null ? "Position" : "Position of this device");
  return point;
}

/** The newest position of all; null when there is none. */
export const newestPosition = (): GpsPoint | null => cachedCurrent(null, () => readNewest(null));

/** The newest position of a device; null when there is none. */
export const newestPositionOf = (deviceId: string): GpsPoint | null =>
  cachedCurrent(deviceId, () => readNewest(deviceId));

function readNewest(deviceId: string | null): GpsPoint | null {
  if (deviceId !== null && isDetached(deviceId)) return null;
  const row = deviceId === null ? newestOfAll().get() : newestOfDevice().get(deviceId);
  return row ? toGpsPoint(row) : null;
}

const deviceIds = statement(() => sqlite.prepare<{ id: string }, []>("SELECT id FROM devices"));

const byTime = (a: GpsPoint, b: GpsPoint): number => compare(b.timestamp, a.timestamp) || compare(b.id, a.id);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The newest position of each device that has one, newest first. An entry that isn't in memory costs a walk
 * down the index: the cost grows with the devices, not with the points.
 */
export function currentPositions(): GpsPoint[] {
  return deviceIds()
    .all()
    .flatMap(({ id }) => cachedCurrent(id, () => readNewest(id)) ?? [])
    .sort(byTime);
}

/** The newest position of a device, not older than `maxAgeSeconds` by the server's clock; null otherwise. */
export function recentPosition(
  deviceId: string,
  maxAgeSeconds: number,
): { latitude: number; longitude: number } | null {
  const row = newestOfDevice().get(deviceId);
  return row && row.timestamp >= now() - maxAgeSeconds * SECOND ? row : null;
}

// --- Deleting ---------------------------------------------------------------------------------------------

const removePoint = statement(() => sqlite.prepare<unknown, [string]>("DELETE FROM gps_points WHERE id = ?"));

/** Deletes a position that no trip holds; 409 when one does. */
export function deletePoint(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const point = getPoint(id);
    if (point.trip_id !== null) throw conflict("This GPS point is linked to a trip and cannot be deleted");
    removePoint().run(id);
    const time = Date.parse(point.timestamp);
    countAt(ALL, time, -1);
    if (point.device_id !== null && findReporter(point.device_id))
      countAt(devicePoints(point.device_id), time, -1);
    afterCommit(() => forgetCurrent(point.device_id));
  });
}
