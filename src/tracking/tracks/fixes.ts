import { keepFewPages, sqlite, statement } from "../../kernel/db/connection";
import { shareReadTransaction } from "../../kernel/db/reads";
import { inTurns } from "../../kernel/limits/turns";
import { SECOND } from "../../kernel/time/clock";
import { COUNTS } from "../gps/table";

/** The positions of a track in order of fix time, page by page. Raw SQL: a track may have millions of them. */

/** A position as it is drawn; the order of the columns below. */
export type Spot = [
  row: number,
  /** Epoch milliseconds. */
  timestamp: number,
  latitude: number,
  longitude: number,
  altitude: number | null,
  speedMps: number | null,
];

/** A position as files have it. */
export type Fix = [
  ...Spot,
  heading: number | null,
  accuracyM: number | null,
  batteryPercent: number | null,
  pdop: number | null,
  hdop: number | null,
  vdop: number | null,
];

const SPOT = `rowid, timestamp, latitude, longitude, altitude,
  coalesce(speed_mps, speed_kmh / 3.6, speed_knots * 1852 / 3600, speed_mph * 1609.344 / 3600)`;
const FIX = `${SPOT}, heading, accuracy_m, battery_percent, pdop, hdop, vdop`;

/** The positions that make up a track: those of a device, or of a trip. */
export type Owner = { device: string } | { trip: string };

/** A span of fix times in epoch milliseconds, until an end that doesn't belong to it. */
export interface Span {
  from: number;
  until: number;
  /** Only positions that came in by then. */
  arrivedBy?: number;
}

const pageOf = <Read extends unknown[]>(columns: string) => {
  const by = (column: "device_id" | "trip_id") =>
    statement(() =>
      sqlite.prepare<Read, (string | number)[]>(
        `SELECT ${columns} FROM gps_points
         WHERE ${column} = +?1 AND ${COUNTS} AND timestamp >= ?2 AND timestamp < ?3
           AND (timestamp > ?2 OR rowid > ?4) AND rowid <= ?5 AND created_at <= ?7
         ORDER BY timestamp, rowid LIMIT +?6`,
      ),
    );
  return { ofDevice: by("device_id"), ofTrip: by("trip_id") };
};
const spots = pageOf<Spot>(SPOT);
const fixes = pageOf<Fix>(FIX);

const newestRow = statement(() =>
  sqlite.prepare<{ row: number }, []>("SELECT coalesce(max(rowid), 0) AS row FROM gps_points"),
);

/** Positions read at once: some milliseconds. The first pages are larger: two of them hold a day with a position each ten seconds. */
const PAGE = 2_000;
const FIRST_PAGES = [4_500, 4_500];
/** Of these pages those of the database stay in memory: a track that is short may be asked for again. */
const SHORT = 10;

const turn = inTurns();

/**
 * Reads the positions of a span, a page in each turn of the event loop; readers take turns by credential. Those that are stored
 * meanwhile don't belong to it.
 */
async function* read<Read extends Spot | Fix>(
  { ofDevice, ofTrip }: ReturnType<typeof pageOf<Read>>,
  owner: Owner,
  { from, until, arrivedBy = Number.MAX_SAFE_INTEGER }: Span,
  credentialId: string,
  isPacedByClient: boolean,
): AsyncGenerator<Read[]> {
  const [page, id] = "device" in owner ? [ofDevice(), owner.device] : [ofTrip(), owner.trip];
  const lastRow = newestRow().get()?.row ?? 0;
  let [time, row] = [from, -1];
  let done: (() => void) | null = null;
  try {
    for (let at = 1; ; at++) {
      await turn(credentialId);
      shareReadTransaction();
      const most = FIRST_PAGES[at - 1] ?? PAGE;
      const found = page.values(id, time, until, row, lastRow, most, arrivedBy) as unknown as Read[];
      if (found.length > 0) yield found;
      const last = found.at(-1);
      if (found.length < most || !last) return;
      [row, time] = last;
      // A client that reads a file slowly must not keep the pages of others few.
      if (at === SHORT && !isPacedByClient) done = keepFewPages();
    }
  } finally {
    done?.();
  }
}

/** Reads the positions of a span as they are drawn, which takes two thirds of the time. */
export const readSpots = (owner: Owner, span: Span, credentialId: string): AsyncGenerator<Spot[]> =>
  read(spots, owner, span, credentialId, false);

/** Reads the positions of a span with all that files tell. */
export const readFixes = (owner: Owner, span: Span, credentialId: string): AsyncGenerator<Fix[]> =>
  read(fixes, owner, span, credentialId, true);

/** Seconds as tracks tell them. */
export const seconds = (milliseconds: number): number => Math.floor(milliseconds / SECOND);
