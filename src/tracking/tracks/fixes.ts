import { sqlite, statement } from "../../kernel/db/connection";
import { shareReadTransaction } from "../../kernel/db/reads";
import { inTurns } from "../../kernel/limits/turns";
import { SECOND } from "../../kernel/time/clock";
import { COUNTS } from "../gps/table";

/** The positions of a track in order of fix time, page by page. Raw SQL: a track may have millions of them. */

/** A position as tracks have it; the order of the columns below. */
export type Fix = [
  row: number,
  /** Epoch milliseconds. */
  timestamp: number,
  latitude: number,
  longitude: number,
  altitude: number | null,
  heading: number | null,
  speedMps: number | null,
  accuracyM: number | null,
  batteryPercent: number | null,
  pdop: number | null,
  hdop: number | null,
  vdop: number | null,
];

const FIX = `rowid, timestamp, latitude, longitude, altitude, heading,
  coalesce(speed_mps, speed_kmh / 3.6, speed_knots * 1852 / 3600, speed_mph * 1609.344 / 3600),
  accuracy_m, battery_percent, pdop, hdop, vdop`;

/** The positions that make up a track: those of a device, or of a trip. */
export type Owner = { device: string } | { trip: string };

/** A span of fix times in epoch milliseconds, until an end that doesn't belong to it. */
export interface Span {
  from: number;
  until: number;
  /** Only positions that came in by then. */
  arrivedBy?: number;
}

const pageOf = (column: "device_id" | "trip_id") =>
  statement(() =>
    sqlite.prepare<Fix, (string | number)[]>(
      `SELECT ${FIX} FROM gps_points
       WHERE ${column} = +?1 AND ${COUNTS} AND timestamp >= ?2 AND timestamp < ?3
         AND (timestamp > ?2 OR rowid > ?4) AND rowid <= ?5 AND created_at <= ?7
       ORDER BY timestamp, rowid LIMIT +?6`,
    ),
  );
const ofDevice = pageOf("device_id");
const ofTrip = pageOf("trip_id");

const newestRow = statement(() =>
  sqlite.prepare<{ row: number }, []>("SELECT coalesce(max(rowid), 0) AS row FROM gps_points"),
);

/** Positions read at once: some milliseconds. */
const PAGE = 2_000;

const turn = inTurns();

/**
 * Reads the positions of a span, a page in each turn of the event loop; readers take turns by credential. Those that are stored
 * meanwhile don't belong to it.
 */
export async function* readFixes(
  owner: Owner,
  { from, until, arrivedBy = Number.MAX_SAFE_INTEGER }: Span,
  credentialId: string,
): AsyncGenerator<Fix[]> {
  const [read, id] = "device" in owner ? [ofDevice(), owner.device] : [ofTrip(), owner.trip];
  const lastRow = newestRow().get()?.row ?? 0;
  let [time, row] = [from, -1];
  for (;;) {
    await turn(credentialId);
    shareReadTransaction();
    const page = read.values(id, time, until, row, lastRow, PAGE, arrivedBy) as unknown as Fix[];
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < PAGE || !last) return;
    [row, time] = last;
  }
}

/** Seconds as tracks tell them. */
export const seconds = (milliseconds: number): number => Math.floor(milliseconds / SECOND);
