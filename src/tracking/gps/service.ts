import type { Caller } from "../../identity/access/caller";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { publish } from "../../kernel/db/events";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { iso, now, SECOND } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { evaluateZones, type ZoneCrossing } from "../geofences/evaluate";
import { cachedCurrent, forgetCurrent, renewCurrent } from "./current-cache";
import { isDetached } from "./detach";
import { lengthenTrip } from "./distance";
import { ALL, countPoint, findPlace, tripPoints } from "./places";
import type { GpsPoint, NewGpsPoint } from "./schema";
import type { gpsPoints } from "./table";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A position was stored. */
    "gps.recorded": GpsPoint;
    /** A device entered or left a zone. */
    "geofence.crossed": ZoneCrossing;
  }
}

type Row = typeof gpsPoints.$inferSelect;

const COLUMNS =
  "id, device_id, trip_id, latitude, longitude, altitude, heading, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, pdop, hdop, vdop, created_at";

const toGpsPoint = (row: Row): GpsPoint => ({
  id: row.id,
  device_id: row.device_id !== null && isDetached(row.device_id) ? null : row.device_id,
  trip_id: row.trip_id !== null && isDetached(row.trip_id) ? null : row.trip_id,
  latitude: row.latitude,
  longitude: row.longitude,
  altitude: row.altitude,
  heading: row.heading,
  timestamp: iso(row.timestamp),
  speed_kmh: row.speed_kmh,
  speed_mps: row.speed_mps,
  speed_mph: row.speed_mph,
  speed_knots: row.speed_knots,
  pdop: row.pdop,
  hdop: row.hdop,
  vdop: row.vdop,
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
    `INSERT INTO gps_points (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
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
 * the one linked to the caller's key; a position posted with any other credential has none.
 */
export function recordPosition(caller: Caller, fix: NewGpsPoint): Promise<GpsPoint> {
  checkTimestamp(fix.timestamp);
  return transact(() => {
    const device = caller.kind === "key" && caller.deviceId !== null ? findReporter(caller.deviceId) : null;
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

/** Null for a device that was deleted after the caller was authenticated. */
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
    latitude: fix.latitude,
    longitude: fix.longitude,
    altitude: fix.altitude ?? null,
    heading: fix.heading ?? null,
    timestamp: fix.timestamp * SECOND,
    speed_kmh: fix.speed_kmh,
    speed_mps: fix.speed_mps,
    speed_mph: fix.speed_mph,
    speed_knots: fix.speed_knots,
    pdop: fix.pdop ?? null,
    hdop: fix.hdop ?? null,
    vdop: fix.vdop ?? null,
    created_at: now(),
  };
  if (tripId !== null) lengthenTrip(tripId, fix, row.timestamp);
  insertPoint().run(...Object.values(row));
  countPoint(ALL, row.timestamp, 1);
  if (tripId !== null) countPoint(tripPoints(tripId), row.timestamp, 1);
  const point = toGpsPoint(row);
  afterCommit(() => renewCurrent(point));
  return point;
}

// --- Reading ----------------------------------------------------------------------------------------------

const newestFirst = points<[number, number, number]>(
  "WHERE timestamp < +? ORDER BY timestamp DESC, rowid DESC LIMIT +? OFFSET +?",
);
const oldestFirst = points<[number, number, number]>(
  "WHERE timestamp >= +? ORDER BY timestamp, rowid LIMIT +? OFFSET +?",
);
const newestOfAll = points<[]>("ORDER BY timestamp DESC, rowid DESC LIMIT 1");
const byId = points<[string]>("WHERE id = ?");

/** A page of positions, newest first by the receiver's time. */
export function listPoints(request: PageRequest): PageOf<GpsPoint> {
  return readPage(request, counter(ALL), (fromEnd, offset, limit) => {
    const { bound, skip } = findPlace(ALL, fromEnd ? "oldest first" : "newest first", offset);
    return (fromEnd ? oldestFirst() : newestFirst()).all(bound, limit, skip).map(toGpsPoint);
  });
}

export function getPoint(id: string): GpsPoint {
  const row = byId().get(id);
  if (!row) throw notFound("GPS point");
  return toGpsPoint(row);
}

const oldestOfTrip = points<[string, number, number, number]>(
  "WHERE trip_id = +? AND timestamp >= +? ORDER BY timestamp, rowid LIMIT +? OFFSET +?",
);
const newestOfTrip = points<[string, number, number, number]>(
  "WHERE trip_id = +? AND timestamp < +? ORDER BY timestamp DESC, rowid DESC LIMIT +? OFFSET +?",
);

/** A page of a trip's positions, oldest first. The trip must exist. */
export function listTripPoints(tripId: string, request: PageRequest): PageOf<GpsPoint> {
  const list = tripPoints(tripId);
  return readPage(request, counter(list), (fromEnd, offset, limit) => {
    const { bound, skip } = findPlace(list, fromEnd ? "newest first" : "oldest first", offset);
    return (fromEnd ? newestOfTrip() : oldestOfTrip()).all(tripId, bound, limit, skip).map(toGpsPoint);
  });
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
export function deletePoint(id: string): Promise<void> {
  return transact(() => {
    const point = getPoint(id);
    if (point.trip_id !== null) throw conflict("This GPS point is linked to a trip and cannot be deleted");
    removePoint().run(id);
    countPoint(ALL, Date.parse(point.timestamp), -1);
    afterCommit(() => forgetCurrent(point.device_id));
  });
}
