import { sqlite, statement } from "../../kernel/db/connection";
import { MINUTE } from "../../kernel/time/clock";
import { COUNTS } from "../gps/table";
import type { Measures, TrackFix } from "./machine";

/** The tracks of devices, as their timelines see them. Raw SQL: they are read by the hundred thousand. */

interface Row {
  latitude: number;
  longitude: number;
  time: number;
  speed_kmh: number | null;
  speed_mps: number | null;
  speed_knots: number | null;
  speed_mph: number | null;
}

const FIX = "timestamp AS time, latitude, longitude, speed_kmh, speed_mps, speed_knots, speed_mph";
const OF_DEVICE = `SELECT ${FIX} FROM gps_points WHERE device_id = +?1 AND ${COUNTS}`;

const after = statement(() =>
  sqlite.prepare<Row, [string, number, number]>(
    `${OF_DEVICE} AND timestamp > ?2 ORDER BY timestamp, rowid LIMIT +?3`,
  ),
);
const at = statement(() =>
  sqlite.prepare<Row, [string, number]>(`${OF_DEVICE} AND timestamp = ?2 ORDER BY rowid LIMIT 1`),
);
const newest = statement(() =>
  sqlite.prepare<{ id: string }, [string, number]>(
    `SELECT id FROM gps_points WHERE device_id = +?1 AND ${COUNTS} AND timestamp <= ?2 ORDER BY timestamp DESC, rowid DESC LIMIT 2`,
  ),
);

/** The speed of a fix in km/h by the first unit that it has; null for none. */
export function speedOf(
  fix: Pick<Row, "speed_kmh" | "speed_mps" | "speed_knots" | "speed_mph">,
): number | null {
  if (fix.speed_kmh !== null) return fix.speed_kmh;
  if (fix.speed_mps !== null) return fix.speed_mps * 3.6;
  if (fix.speed_knots !== null) return fix.speed_knots * 1.852;
  return fix.speed_mph === null ? null : fix.speed_mph * 1.609344;
}

const toFix = (row: Row): TrackFix => ({
  time: row.time,
  latitude: row.latitude,
  longitude: row.longitude,
  speedKmh: speedOf(row),
});

/** A page of a device's fixes after a time, oldest first. Of several fixes of one second it may end behind some of them. */
function pageAfter(deviceId: string, time: number, limit: number): TrackFix[] {
  return after().all(deviceId, time, limit).map(toFix);
}

/** Fixes that are read at once. */
const PAGE = 500;

/**
 * The fixes of a device after a time that count, oldest first: of each second the first. A second that has more fixes than a
 * page is no obstacle: the next page begins behind it.
 */
export function* fixesAfter(deviceId: string, time: number): Generator<TrackFix> {
  let last = time;
  for (let page = pageAfter(deviceId, last, PAGE); page.length > 0; ) {
    for (const fix of page) {
      if (fix.time === last) continue;
      last = fix.time;
      yield fix;
    }
    page = page.length < PAGE ? [] : pageAfter(deviceId, last, PAGE);
  }
}

/** The fix of a device that counts for a second; null if there is none. */
export function fixAt(deviceId: string, time: number): TrackFix | null {
  const row = at().get(deviceId, time);
  return row && toFix(row);
}

/** The identifiers of the two newest fixes of a device that count, up to a time, the newest first. */
export const newestIds = (deviceId: string, upTo = Number.MAX_SAFE_INTEGER): string[] =>
  newest()
    .all(deviceId, upTo)
    .map(({ id }) => id);

// --- The device -------------------------------------------------------------------------------------------

const measures = statement(() =>
  sqlite.prepare<Measures, [number, string]>(
    "SELECT stop_radius_m AS stopRadiusM, stop_minutes * ?1 AS stopMs, gap_minutes * ?1 AS gapMs FROM devices WHERE id = ?2",
  ),
);

/** The measures of a device; null for one that is gone. */
export const measuresOf = (deviceId: string): Measures | null => measures().get(MINUTE, deviceId);

const autoTrip = statement(() =>
  sqlite.prepare<{ isEnabled: 0 | 1 }, [string]>(
    "SELECT auto_trip ->> '$.is_enabled' = 1 AS isEnabled FROM devices WHERE id = ? AND auto_trip IS NOT NULL",
  ),
);

/** True for a device that makes trips by itself. */
export const makesTrips = (deviceId: string): boolean => autoTrip().get(deviceId)?.isEnabled === 1;
