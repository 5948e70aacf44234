import { note } from "../../feed/journal";
import { sqlite, statement } from "../../kernel/db/connection";
import { COLUMNS, counts, type Row } from "../ingest/columns";
import { lengthenTrip, redraw, refreshLast } from "../ingest/distance";
import type { JoinedTrip } from "../ingest/journeys";
import { countAt, tripPoints } from "../ingest/places";

/** The positions that join a trip after the fact, and those that leave it again. Raw SQL: they come by the hundred. */

/** Positions changed in one transaction: some milliseconds. */
const STEP = 300;

type Numbered = Row & { row: number };

const loose = statement(() =>
  sqlite.prepare<Numbered, [string, number, number]>(
    `SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE device_id = +?1 AND timestamp >= ?2 AND trip_id IS NULL
     ORDER BY timestamp, rowid LIMIT +?3`,
  ),
);
const joined = statement(() =>
  sqlite.prepare<Numbered, [string, number, number]>(
    `SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE trip_id = +?1 AND timestamp > ?2
     ORDER BY timestamp DESC, rowid DESC LIMIT +?3`,
  ),
);
const setTrip = statement(() =>
  sqlite.prepare<unknown, [string | null, number]>("UPDATE gps_points SET trip_id = ? WHERE rowid = ?"),
);

/** Lets positions of a device from a time on join a trip, in the current transaction: some of them. True if there may be more. */
export function joinTrip(trip: JoinedTrip, deviceId: string, from: number): boolean {
  const fixes = loose().all(deviceId, from, STEP);
  for (const fix of fixes) {
    if (counts(fix.judgement)) lengthenTrip(trip, fix);
    setTrip().run(trip.id, fix.row);
    countAt(tripPoints(trip.id), fix.timestamp, 1);
    note("position", fix.id, deviceId);
  }
  return fixes.length === STEP;
}

/** Lets positions after a time leave a trip, in the current transaction: some of them. True if there may be more. */
export function leaveTrip(trip: JoinedTrip, deviceId: string, after: number): boolean {
  const fixes = joined().all(trip.id, after, STEP);
  for (const fix of fixes) {
    setTrip().run(null, fix.row);
    if (counts(fix.judgement)) redraw(trip, fix, -1);
    countAt(tripPoints(trip.id), fix.timestamp, -1);
    note("position", fix.id, deviceId);
  }
  if (fixes.length > 0) refreshLast(trip.id);
  return fixes.length === STEP;
}
