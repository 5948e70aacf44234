import { sqlite, statement } from "../../kernel/db/connection";
import { COLUMNS, type Row } from "../../tracking/ingest/columns";
import type { Walk } from "./table";

/**
 * The lane `history`: the rows that a box held before an epoch began, table by table, by their row numbers. Their numbers in the
 * lane count through all walks. Raw SQL: SQLite's own row numbers are read.
 */

const TABLES: Record<Walk["kind"], string> = {
  device: "devices",
  alert: "alerts",
  trip: "trips",
  entry: "log_entries",
  crossing: "geofence_events",
  position: "gps_points",
};

/** Their order: a record comes after those that it refers to. */
export const WALKED = Object.keys(TABLES) as Walk["kind"][];

const ofEach = <T>(make: (table: string, kind: Walk["kind"]) => T): Record<Walk["kind"], T> =>
  Object.fromEntries(WALKED.map((kind) => [kind, make(TABLES[kind], kind)])) as Record<Walk["kind"], T>;

const highest = ofEach((table) =>
  statement(() => sqlite.prepare<{ row: number | null }, []>(`SELECT max(rowid) AS row FROM ${table}`)),
);

/** The walk through all rows of a kind that there are now. */
export const walkThrough = (kind: Walk["kind"]): Walk => ({
  kind,
  from: 0,
  to: highest[kind]().get()?.row ?? 0,
});

const lengthOf = ({ from, to }: Walk): number => to - from;

/** The highest number of the lane. */
export const lengthOfWalks = (walks: readonly Walk[]): number =>
  walks.reduce((sum, walk) => sum + lengthOf(walk), 0);

/** A place in the walks: the walk, the row number up to which it was walked, and the number in the lane of its beginning. */
export interface WalkPlace {
  walk: Walk;
  row: number;
  base: number;
}

/** The place behind a number of the lane; null at the end. */
export function placeAfter(walks: readonly Walk[], number: number): WalkPlace | null {
  let base = 0;
  for (const walk of walks) {
    if (number < base + lengthOf(walk)) return { walk, row: walk.from + number - base, base };
    base += lengthOf(walk);
  }
  return null;
}

/** The rest of walks behind a number of their lane. */
export function walksLeft(walks: readonly Walk[], number: number): Walk[] {
  let base = 0;
  return walks.flatMap((walk) => {
    const done = Math.min(Math.max(number - base, 0), lengthOf(walk));
    base += lengthOf(walk);
    return done < lengthOf(walk) ? [{ ...walk, from: walk.from + done }] : [];
  });
}

/** The columns that tell when a row was stored. */
const STORED: Record<Walk["kind"], string> = {
  device: "created_at",
  alert: "raised_at",
  trip: "created_at",
  entry: "recorded_at",
  crossing: "recorded_at",
  position: "created_at",
};

const storedAt = ofEach((table, kind) =>
  statement(() =>
    sqlite.prepare<{ at: number }, [number, number]>(
      `SELECT ${STORED[kind]} AS at FROM ${table} WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT 1`,
    ),
  ),
);

/** When the oldest row behind a number of the lane was stored, in epoch milliseconds, by the first row of each walk; null for none. */
export function oldestLeft(walks: readonly Walk[], number: number): number | null {
  const times = walksLeft(walks, number).flatMap(
    ({ kind, from, to }) => storedAt[kind]().get(from, to)?.at ?? [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** True if a row was passed by the lane at a number, or is none of its own. */
export function isWalked(walks: readonly Walk[], number: number, kind: Walk["kind"], row: number): boolean {
  const left = walksLeft(walks, number).find((walk) => walk.kind === kind);
  return left === undefined || row <= left.from || row > left.to;
}

interface WalkedRow {
  row: number;
  id: string;
}

const identifiers = ofEach((table) =>
  statement(() =>
    sqlite.prepare<WalkedRow, [number, number, number]>(
      `SELECT rowid AS row, id FROM ${table} WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT +?`,
    ),
  ),
);

/** Identifiers of a walk's next rows, at most `limit`. */
export const nextRows = ({ walk, row }: WalkPlace, limit: number): WalkedRow[] =>
  identifiers[walk.kind]().all(row, walk.to, limit);

const points = statement(() =>
  sqlite.prepare<Row & { row: number }, [number, number, number]>(
    `SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT +?`,
  ),
);

/** Positions of a walk's next rows, at most `limit`. */
export const nextPositions = ({ walk, row }: WalkPlace, limit: number): (Row & { row: number })[] =>
  points().all(row, walk.to, limit);

const rowNumbers = {
  device: statement(() =>
    sqlite.prepare<{ row: number }, [string]>("SELECT rowid AS row FROM devices WHERE id = ?"),
  ),
  trip: statement(() =>
    sqlite.prepare<{ row: number }, [string]>("SELECT rowid AS row FROM trips WHERE id = ?"),
  ),
};

/** The row number of a device or a trip; null for none. */
export const rowNumberOf = (kind: "device" | "trip", id: string): number | null =>
  rowNumbers[kind]().get(id)?.row ?? null;
