import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { DAY, SECOND } from "../../kernel/time/clock";
import type { Position } from "../../kernel/values/great-circle";
import { COUNTS } from "../gps/table";
import { type Surroundings, surroundingsOf, type Zone } from "./watched";

/** The positions of a device in order of fix time, as zones see them. Raw SQL: each position reads here. */

export interface ZoneFix extends Position {
  id: string;
  trip_id: string | null;
  /** Fix time, epoch milliseconds. */
  timestamp: number;
  accuracy_m: number | null;
  /** Row number: of equal times the higher one comes later. */
  row: number;
}

const FIX = "rowid AS row, id, trip_id, timestamp, latitude, longitude, accuracy_m";
const ofDevice = (rest: string) =>
  statement(() =>
    sqlite.prepare<ZoneFix, (string | number)[]>(
      `SELECT ${FIX} FROM gps_points WHERE device_id = +?1 AND ${COUNTS} AND ${rest}`,
    ),
  );
const before = ofDevice(
  "timestamp <= ?2 AND (timestamp < ?2 OR rowid < ?3) ORDER BY timestamp DESC, rowid DESC LIMIT +?4",
);
const from = ofDevice(
  "timestamp >= ?2 AND (timestamp > ?2 OR rowid >= ?3) ORDER BY timestamp, rowid LIMIT +?4",
);

/** A place in a device's track. */
export type Moment = Pick<ZoneFix, "timestamp" | "row">;

export const isBefore = (a: Moment, b: Moment): boolean =>
  a.timestamp < b.timestamp || (a.timestamp === b.timestamp && a.row < b.row);

/** The fixes of a device before one that count, newest first. */
export const fixesBefore = (deviceId: string, { timestamp, row }: Moment, limit: number): ZoneFix[] =>
  before().all(deviceId, timestamp, row, limit);

/** The fixes of a device from one on that count, oldest first. */
export const fixesFrom = (deviceId: string, { timestamp, row }: Moment, limit: number): ZoneFix[] =>
  from().all(deviceId, timestamp, row, limit);

// --- The newest fix ---------------------------------------------------------------------------------------

/** A fix, and what is around it. */
export interface PlacedFix {
  fix: ZoneFix;
  around: Surroundings;
}

/** `previous` is the fix before, if it is known. */
export const placed = (fix: ZoneFix, previous: PlacedFix | null = null): PlacedFix => ({
  fix,
  around: surroundingsOf(fix, previous?.around),
});

const newest = new TransactionCache<string, PlacedFix | null>(50_000);

/** The fix before one that is the newest of its device; null for the first. */
export const previousOf = (deviceId: string, fix: ZoneFix): PlacedFix | null =>
  newest.get(deviceId, () => {
    const [previous] = fixesBefore(deviceId, fix, 1);
    return previous ? placed(previous) : null;
  });

/** Notes the newest fix that counts, after a fix was compared with the zones. */
export const noteCompared = (deviceId: string, fix: PlacedFix): void => newest.set(deviceId, fix);

// --- What a zone doesn't see ------------------------------------------------------------------------------

interface Track {
  firstRow: number;
  /** The newest fix times at moments when zones began to watch, where they were far from the server's clock. */
  fronts: { row: number; front: number }[];
}

const trackOf = statement(() =>
  sqlite.prepare<{ firstRow: number }, [string]>(
    "SELECT first_row AS firstRow FROM device_tracks WHERE device_id = ?",
  ),
);
const frontsOf = statement(() =>
  sqlite.prepare<{ row: number; front: number }, [string]>(
    "SELECT moment_row AS row, front FROM geofence_fronts WHERE device_id = ? ORDER BY moment_row",
  ),
);
const tracks = new TransactionCache<string, Track | null>(50_000, (track) => 1 + (track?.fronts.length ?? 0));
const findTrack = (deviceId: string): Track | null =>
  tracks.get(deviceId, () => {
    const track = trackOf().get(deviceId);
    return track && { ...track, fronts: frontsOf().all(deviceId) };
  });

const beginTrack = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "INSERT OR IGNORE INTO device_tracks (device_id, first_row) VALUES (?, ?)",
  ),
);

/** Notes the first position of a device, in the current transaction. */
export function noteFirst(deviceId: string, row: number): void {
  beginTrack().run(deviceId, row);
  const { firstRow } = trackOf().get(deviceId) ?? { firstRow: row };
  tracks.set(deviceId, { firstRow, fronts: frontsOf().all(deviceId) });
}

const setPurged = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    "UPDATE device_tracks SET purged_to = max(purged_to, ?) WHERE device_id = ?",
  ),
);
const purged = statement(() =>
  sqlite.prepare<{ upTo: number }, [string]>(
    "SELECT purged_to AS upTo FROM device_tracks WHERE device_id = ?",
  ),
);

/** Notes, in the current transaction, that positions of a device up to a fix time were deleted by age. */
export const notePurged = (deviceId: string, upTo: number): void => {
  setPurged().run(upTo, deviceId);
};

/** The fix time up to which positions of a device were deleted by age; null if none were. */
export const purgedTo = (deviceId: string): number | null => {
  const upTo = purged().get(deviceId)?.upTo ?? 0;
  return upTo === 0 ? null : upTo;
};

/**
 * Fixes that arrive after a zone began to watch, with an older time, are of before if they are no older than this. Fix times
 * that are farther from the server's clock tell nothing about it.
 */
export const LONGEST_BUFFER = 30 * DAY;

const secondOf = (time: number): number => Math.floor(time / SECOND) * SECOND;

/** The newest fix time of a device at the moment when a zone began to watch, if its clock was far off. */
const frontAt = ({ fronts }: Track, zone: Zone): number | null =>
  fronts.findLast(({ row }) => row <= zone.watch_row)?.front ?? null;

/**
 * True for a fix from before a zone began to watch, whenever it came. A device that had no position then has no such fixes.
 */
export function isUnwatched(deviceId: string, zone: Zone, fix: Moment): boolean {
  const track = findTrack(deviceId);
  if (track === null || track.firstRow > zone.watch_row) return false;
  if (fix.row <= zone.watch_row) return true;
  const { timestamp } = fix;
  if (timestamp < secondOf(zone.watch_from) && timestamp > zone.watch_from - LONGEST_BUFFER) return true;
  const front = frontAt(track, zone);
  return front !== null && timestamp < front;
}

const newestBetween = ofDevice(
  "timestamp > ?2 AND timestamp < ?3 ORDER BY timestamp DESC, rowid DESC LIMIT 1",
);
const newestStored = ofDevice("timestamp = ?2 AND rowid <= ?3 ORDER BY rowid DESC LIMIT 1");

/** The newest fix from before a zone began to watch; null if there is none. */
export function baselineOf(deviceId: string, zone: Zone): ZoneFix | null {
  const track = findTrack(deviceId);
  if (track === null || track.firstRow > zone.watch_row) return null;
  const second = secondOf(zone.watch_from);
  const front = frontAt(track, zone);
  const found = [
    newestBetween().get(deviceId, zone.watch_from - LONGEST_BUFFER, second),
    newestStored().get(deviceId, second, zone.watch_row),
    ...(front === null
      ? []
      : [
          newestBetween().get(deviceId, Number.MIN_SAFE_INTEGER, front),
          newestStored().get(deviceId, front, zone.watch_row),
        ]),
  ];
  return found.reduce<ZoneFix | null>((a, b) => (b && (a === null || isBefore(a, b)) ? b : a), null);
}

const noteFrontsOf = statement(() =>
  sqlite.prepare<unknown, [number, number, number]>(
    `INSERT OR IGNORE INTO geofence_fronts (device_id, moment_row, front)
     SELECT id, ?1, front FROM (
       SELECT id, (SELECT timestamp FROM gps_points WHERE device_id = devices.id ORDER BY timestamp DESC LIMIT 1) AS front FROM devices
     ) WHERE (front <= ?2 OR front > ?3)
       AND front IS NOT (SELECT f.front FROM geofence_fronts f WHERE f.device_id = id ORDER BY f.moment_row DESC LIMIT 1)`,
  ),
);
const highestRow = statement(() =>
  sqlite.prepare<{ row: number }, []>("SELECT coalesce(max(rowid), 0) AS row FROM gps_points"),
);

/**
 * The moment at which a zone begins to watch, in the current transaction. `from` is its time, and another one than of the
 * stretch before.
 */
export function beginMoment(from: number): { watch_from: number; watch_row: number } {
  const { row } = highestRow().get() ?? { row: 0 };
  noteFrontsOf().run(row, from - LONGEST_BUFFER, secondOf(from));
  return { watch_from: from, watch_row: row };
}

/**
 * The highest row number by which a moment or the begin of a track is known, when the database was opened: the positions of that
 * time may be gone. Later ones need higher numbers, or zones take them for older ones.
 */
export const highestKnownRow = statement(
  () =>
    sqlite
      .query<{ row: number | null }, []>(
        `SELECT max(coalesce((SELECT max(watch_row) FROM geofences), 0),
           coalesce((SELECT max(moment_row) FROM geofence_fronts), 0),
           coalesce((SELECT max(first_row) FROM device_tracks), 0)) AS row`,
      )
      .get()?.row ?? 0,
);
