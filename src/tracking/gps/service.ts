import { note } from "../../feed/journal";
import { type Actor, transactAs } from "../../identity/access/actor";
import { isVisible, type VisibleDevices } from "../../identity/access/visible-devices";
import { sqlite, statement } from "../../kernel/db/connection";
import { afterCommit } from "../../kernel/db/transactions";
import { conflict, notFound } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { now, SECOND } from "../../kernel/time/clock";
import { requireOwnDevice, requireOwnLoose, requireOwnTrip } from "../../sync/owner/owner";
import { COLUMNS, type Row, toGpsPoint } from "../ingest/columns";
import { cachedCurrent, forgetCurrent } from "../ingest/current-cache";
import { isDetached } from "../ingest/detach";
import { journeyOf } from "../ingest/journeys";
import { judgeAround, numberedPoint, setJudged } from "../ingest/judge";
import {
  ALL,
  countAt,
  devicePoints,
  readTimed,
  type TimedList,
  tripPoints,
  windowOf,
} from "../ingest/places";
import type { GpsPoint } from "../ingest/schema";
import { noteSpan } from "../ingest/spans";
import type { GpsFilter } from "./schema";
import { COUNTS } from "./table";

/**
 * A statement that returns points. Raw SQL: each position, and each request for some, runs these. Parameters beside ORDER BY
 * and in LIMIT are written `+?`: SQLite plans a statement anew at each execution for a bare `?` there.
 */
const points = <P extends (string | number)[]>(rest: string) =>
  statement(() => sqlite.prepare<Row, P>(`SELECT ${COLUMNS} FROM gps_points ${rest}`));

// --- Reading ----------------------------------------------------------------------------------------------

const newestOfAll = points<[]>(`WHERE ${COUNTS} ORDER BY timestamp DESC, rowid DESC LIMIT 1`);
const newestOfDevice = points<[string]>(
  `WHERE device_id = +? AND ${COUNTS} ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
);
const newestOfTrip = points<[string]>(
  `WHERE trip_id = +? AND ${COUNTS} ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
);
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
/** The positions of a device, and of a trip. */
export const deviceList = listWhere<[string]>("device_id = +? AND", devicePoints);
export const tripList = listWhere<[string]>("trip_id = +? AND", tripPoints);

/** A page of positions, newest first by the receiver's time: all of them, or a device's, or between two times. */
export function listPoints(request: PageRequest, { device_id, ...span }: GpsFilter = {}): PageOf<GpsPoint> {
  const list = device_id === undefined ? allPoints() : deviceList(device_id);
  return readTimed(request, list, "newest first", windowOf(span));
}

/** A page of a trip's positions, oldest first. The trip must exist. */
export const listTripPoints = (tripId: string, request: PageRequest): PageOf<GpsPoint> =>
  readTimed(request, tripList(tripId), "oldest first");

/** A position; null if there is none. */
export function findPoint(id: string): GpsPoint | null {
  const row = byId().get(id);
  return row && toGpsPoint(row);
}

export function getPoint(id: string): GpsPoint {
  const point = findPoint(id);
  if (!point) throw notFound("GPS point");
  return point;
}

// --- Current positions ------------------------------------------------------------------------------------

/** The newest position of a device, or of all that a caller sees. Throws 404 when there is none. */
export function currentPosition(deviceId: string | null, visible: VisibleDevices = "all"): GpsPoint {
  if (deviceId !== null && !isVisible(visible, deviceId)) throw notFound("Position of this device");
  const isOfSome = deviceId === null && visible !== "all";
  const point = isOfSome
    ? (currentPositions(visible)[0] ?? null)
    : cachedCurrent(deviceId, () => readNewest(deviceId));
  if (!point) throw notFound(deviceId === null ? "Position" : "Position of this device");
  return point;
}

/** The newest position of all; null when there is none. */
export const newestPosition = (): GpsPoint | null => cachedCurrent(null, () => readNewest(null));

/** The newest position of a device; null when there is none. */
export const newestPositionOf = (deviceId: string): GpsPoint | null =>
  cachedCurrent(deviceId, () => readNewest(deviceId));

/** The newest position of a trip by the receiver's time; null when there is none. */
export function newestPositionOfTrip(tripId: string): GpsPoint | null {
  const row = newestOfTrip().get(tripId);
  return row && toGpsPoint(row);
}

function readNewest(deviceId: string | null): GpsPoint | null {
  if (deviceId !== null && isDetached(deviceId)) return null;
  const row = deviceId === null ? newestOfAll().get() : newestOfDevice().get(deviceId);
  return row ? toGpsPoint(row) : null;
}

const deviceIds = statement(() => sqlite.prepare<{ id: string }, []>("SELECT id FROM devices"));

const byTime = (a: GpsPoint, b: GpsPoint): number => compare(b.timestamp, a.timestamp) || compare(b.id, a.id);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The newest position of each device that a caller sees and that has one, newest first. An entry that isn't in memory costs a walk
 * down the index: the cost grows with the devices, not with the points.
 */
export function currentPositions(visible: VisibleDevices = "all"): GpsPoint[] {
  const ids = visible === "all" ? deviceIds().all() : [...visible].map((id) => ({ id }));
  return ids.flatMap(({ id }) => cachedCurrent(id, () => readNewest(id)) ?? []).sort(byTime);
}

/** The newest position of a device, not older than `maxAgeSeconds` by the server's clock; null otherwise. */
export function recentPosition(
  deviceId: string,
  maxAgeSeconds: number,
): { latitude: number; longitude: number } | null {
  const row = newestOfDevice().get(deviceId);
  return row && row.timestamp >= now() - maxAgeSeconds * SECOND ? row : null;
}

// --- Marking and deleting ---------------------------------------------------------------------------------

/**
 * Marks a position as an outlier, which then counts for no track, distance, zone or current position, or takes the mark
 * away. Throws 404, and 409 for a box's own. The word of a person stays, whatever comes later, also where it only confirms what the server thought.
 */
export function markPoint(actor: Actor, id: string, isOutlier: boolean): Promise<GpsPoint> {
  return transactAs(actor, () => {
    const row = numberedPoint(id);
    if (!row) throw notFound("GPS point");
    requireOwnPoint(row);
    const judgement = isOutlier ? "hand" : "cleared";
    if (row.judgement === judgement) return toGpsPoint(row);
    setJudged(row, judgement);
    if (row.device_id !== null) noteSpan(row.device_id, row.timestamp, row.timestamp);
    note("gpsUpdate", id, row.device_id);
    afterCommit(() => forgetCurrent(row.device_id));
    return toGpsPoint({ ...row, judgement });
  });
}

function requireOwnPoint(row: Pick<Row, "device_id" | "trip_id" | "box_id">): void {
  requireOwnDevice(row.device_id);
  requireOwnTrip(row.trip_id);
  if (row.device_id === null && row.trip_id === null) requireOwnLoose(row);
}

const removePoint = statement(() => sqlite.prepare<unknown, [string]>("DELETE FROM gps_points WHERE id = ?"));

/** Deletes a position that no trip holds; 409 when one does, or it is a box's own. */
export function deletePoint(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = numberedPoint(id);
    if (!row) throw notFound("GPS point");
    requireOwnPoint(row);
    const { trip_id, device_id } = toGpsPoint(row);
    if (trip_id !== null) throw conflict("This GPS point is linked to a trip and cannot be deleted");
    removePoint().run(id);
    // Of one that ages out nobody is told: this is how the two are told apart.
    note("gpsUpdate", id, device_id, { is_deleted: true });
    countAt(ALL, row.timestamp, -1);
    if (device_id !== null) forgetOfDevice(device_id, row);
    afterCommit(() => forgetCurrent(device_id));
  });
}

/** The neighbours of a position that has gone are neighbours of each other now. */
function forgetOfDevice(deviceId: string, { timestamp, row }: { timestamp: number; row: number }): void {
  const device = journeyOf(deviceId);
  if (!device) return;
  countAt(devicePoints(deviceId), timestamp, -1);
  noteSpan(deviceId, timestamp, timestamp);
  if (device.maxSpeedKmh === null) return;
  for (const fix of judgeAround(deviceId, { timestamp, row }, device.maxSpeedKmh))
    noteSpan(deviceId, fix.timestamp, fix.timestamp);
}
