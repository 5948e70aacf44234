import { profile } from "../../configuration/profile";
import { sqlite } from "./connection";
import { migrations } from "./migrations.gen";
import { rows } from "./rows";

/** Rows that a migration reads or changes, as far as they are there before it. */
export interface Extent {
  /** The migration's tag. */
  migration: string;
  /** The sum over its tables: an upper bound, since ranges of row numbers are taken, which may have holes. */
  rows: number;
  /** Bytes by which the database and its log grow, at most. */
  bytes: number;
}

type SizeOf = (table: string) => number;

/** Bytes of a migration that touches no row: its tables and indexes take some pages each, and as much of the log. */
const BYTES_OF_ANY = 131_072;

/** Bytes for a row that a migration touches: an entry in an index or a few columns, and the same in the log. */
const BYTES_OF_ROW = 300;

/**
 * Bytes for the rows of migrations that write less than that for each, as those that only look at the positions, or more. They
 * are those of rows that lie as widely apart in time as they can.
 */
const BYTES_OF_ROWS: Record<string, (sizeOf: SizeOf) => number> = {
  "0019_bounds": (sizeOf) => 120 * sizeOf("audit_events"),
  // Positions are counted by device and quarter of an hour: there are no more of these than of both together.
  "0022_lists_by_time": (sizeOf) =>
    3_000 * sizeOf("trips") + 250 * Math.min(sizeOf("gps_points"), sizeOf("counters") * sizeOf("devices")),
  "0023_audit_quarters": (sizeOf) => 300 * sizeOf("audit_events"),
  "0024_data_in": (sizeOf) => 1_000 * sizeOf("trip_status_history"),
  "0026_zones": (sizeOf) =>
    2_000 * sizeOf("geofence_presence") + 1_000 * (sizeOf("geofences") + sizeOf("devices")),
  "0027_notifications": (sizeOf) => 1_000 * sizeOf("email_queue"),
  "0038_sync": () => 0,
  "0045_audit_chain": (sizeOf) => 150 * sizeOf("audit_events"),
  "0046_rare_changes": () => 0,
};

/** Most bytes of the log that are no additions: it is written to the database after a commit, and then begun anew. */
const logBytes = (): number => 1.25 * 4_096 * profile.pagesInLog;

/** Bytes that migrations need at most beside a database of this size: what they add to it, and the pages that they change in its log. */
export const roomFor = (extents: Extent[], size: number): number =>
  extents.reduce((sum, { bytes }) => sum + bytes, Math.min(size, logBytes()));

/** The extents of pending migrations, in their order, found without reading a table of many rows. */
export function extentsOf(pending: string[]): Extent[] {
  const sizes = new Map<string, number>();
  const sizeOf = (table: string): number => {
    const size = sizes.get(table) ?? (there.has(table) ? estimate(table) : 0);
    sizes.set(table, size);
    return size;
  };
  const there = new Set(
    rows(
      sqlite,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    ).map(([name]) => String(name)),
  );
  return migrations
    .filter(({ tag }) => pending.includes(tag))
    .map(({ tag, sql }) => {
      const rows = [...tablesIn(sql), ...(AFTERWARDS[tag] ?? [])].reduce(
        (sum, table) => sum + sizeOf(table),
        0,
      );
      const ofRows = BYTES_OF_ROWS[tag]?.(sizeOf) ?? BYTES_OF_ROW * rows;
      return { migration: tag, rows, bytes: BYTES_OF_ANY + ofRows };
    });
}

/** Tables whose rows are changed by the program once the migration is there: src/identity/audit/backlog.ts. */
const AFTERWARDS: Record<string, string[]> = { "0045_audit_chain": ["audit_events"] };

/** Searches for one row in an index, which look at no others. */
const LOOKUPS =
  /\bEXISTS \((?:[^()]|\([^()]*\))*\)|\(\s*SELECT\b(?:[^()]|\([^()]*\))*\bLIMIT 1\s*\)|\(SELECT coalesce\(max\(rowid\), 0\) FROM \w+\)|\bLEFT JOIN \w+ \w+ ON \w+\.rowid =/gi;

const TOUCHES =
  /\b(?:FROM|JOIN|UPDATE)\s+[`"]?(\w+)|\bINDEX\b[^(]*?\bON\s+[`"]?(\w+)|\bALTER TABLE\s+[`"]?(\w+)[`"]?\s+DROP COLUMN\b/gi;

/**
 * The tables whose rows a migration reads or changes. A new table, a trigger and a new column touch no row that is there;
 * an index is made of all rows of its table, and a column is taken out of each.
 */
export function tablesIn(sql: string): string[] {
  const statements = sql
    .replaceAll(/^--> (?:step|finally)$/gm, "--> statement-breakpoint")
    .split("--> statement-breakpoint")
    .map((statement) => statement.replaceAll(/--.*$/gm, "").replaceAll(LOOKUPS, "").trim())
    .filter((statement) => !/^CREATE (?:TABLE|TRIGGER|VIRTUAL)\b/i.test(statement));
  const found = statements.flatMap((statement) =>
    [...statement.matchAll(TOUCHES)].map(([, read, indexed, cut]) => read ?? indexed ?? cut ?? ""),
  );
  return [...new Set(found)].sort();
}

/** Upper bound of a table's rows, from both ends of its B-tree; tables that are clustered by a key hold few, and are counted. */
function estimate(table: string): number {
  try {
    const [[first, last] = []] = rows(
      sqlite,
      `SELECT (SELECT min(rowid) FROM "${table}"), (SELECT max(rowid) FROM "${table}")`,
    );
    return last === null || last === undefined ? 0 : Number(last) - Number(first) + 1;
  } catch {
    const [[count] = []] = rows(sqlite, `SELECT count(*) FROM "${table}"`);
    return Number(count);
  }
}
