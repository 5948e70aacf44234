import { sqlite, statement } from "../../kernel/db/connection";
import { SECOND } from "../../kernel/time/clock";
import { COUNTS } from "../gps/table";
import type { Window } from "./window";

/** The stretches of devices' tracks that make up a trip. Raw SQL: the ends of its positions come from a partial index. */

export interface Stretch extends Window {
  deviceId: string;
}

const device = statement(() =>
  sqlite.prepare<{ device_id: string | null }, [string]>("SELECT device_id FROM trips WHERE id = ?"),
);
const end = (order: "ASC" | "DESC") =>
  statement(() =>
    sqlite.prepare<{ time: number }, [string]>(
      `SELECT timestamp AS time FROM gps_points WHERE trip_id = +? AND ${COUNTS} ORDER BY timestamp ${order} LIMIT 1`,
    ),
  );
const first = end("ASC");
const last = end("DESC");
const spans = statement(() =>
  sqlite.prepare<{ device_id: string; from_time: number; until_time: number | null }, [string]>(
    "SELECT device_id, from_time, until_time FROM trip_spans WHERE trip_id = ? AND device_id IS NOT NULL ORDER BY from_time, rowid",
  ),
);

const secondOf = (time: number): number => Math.floor(time / SECOND) * SECOND;

/**
 * The times from a trip's first position to its last one in which a device logged for it, oldest first; null for no trip. Where
 * its positions have other times than the server's clock had, as of a voyage that is replayed, all of the time between them.
 */
export function stretchesOf(tripId: string): Stretch[] | null {
  const trip = device().get(tripId);
  if (!trip) return null;
  const [begin, final] = [first().get(tripId)?.time, last().get(tripId)?.time];
  if (begin === undefined || final === undefined) return [];
  const stretches: Stretch[] = [];
  for (const { device_id, from_time, until_time } of spans().all(tripId)) {
    const from = Math.max(secondOf(from_time), begin, stretches.at(-1)?.until ?? 0);
    const until = Math.min(until_time ?? final, final);
    if (from < until) stretches.push({ deviceId: device_id, from, until });
  }
  if (stretches.length > 0 || trip.device_id === null) return stretches;
  return [{ deviceId: trip.device_id, from: begin, until: final }];
}
