import type { Statement } from "bun:sqlite";
import { sqlite } from "../../kernel/db/connection";

type Row = Record<string, string | number | boolean | null>;

const insertion = (table: string, columns: string[]): string =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `$${column}`).join(", ")})`;

// Raw SQL: rows come by the hundred thousand, some of them for full-text indexes, which Drizzle can't describe.

/** A prepared INSERT that takes a row by the names of its columns: for rows by the thousand. */
export const insertInto = (table: string, columns: string[]): Statement<unknown, [Row]> =>
  sqlite.prepare<unknown, [Row]>(insertion(table, columns));

/**
 * The same for rows that may exist already by a unique `key`: these keep their `id`, and unchanged ones
 * aren't written.
 */
export function upsertInto(table: string, key: string[], columns: string[]): Statement<unknown, [Row]> {
  const [own, theirs] = [columns.join(", "), columns.map((column) => `excluded.${column}`).join(", ")];
  return sqlite.prepare<unknown, [Row]>(
    `${insertion(table, ["id", ...key, ...columns])} ON CONFLICT (${key.join(", ")})
     DO UPDATE SET (${own}) = (${theirs}) WHERE (${own}) IS NOT (${theirs})`,
  );
}
