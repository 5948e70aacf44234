import { sqlite } from "./connection";
import { migrations } from "./migrations.gen";
import { rows } from "./rows";

/** Rows that a migration reads or changes, as far as they are there before it. */
export interface Extent {
  /** The migration's tag. */
  migration: string;
  /** The sum over its tables: an upper bound, since ranges of row numbers are taken, which may have holes. */
  rows: number;
}

/** The extents of pending migrations, in their order, found without reading a table of many rows. */
export function extentsOf(pending: string[]): Extent[] {
  const sizes = new Map<string, number>();
  const sizeOf = (table: string): number => {
    const size = sizes.get(table) ?? estimate(table);
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
    .map(({ tag, sql }) => ({
      migration: tag,
      rows: [...tablesIn(sql), ...(AFTERWARDS[tag] ?? [])]
        .filter((table) => there.has(table))
        .reduce((sum, table) => sum + sizeOf(table), 0),
    }));
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
