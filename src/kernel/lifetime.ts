import { and, gt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { now } from "./clock";

/**
 * Whether what was made and ends at these times (epoch milliseconds) counts now. A clock that is set back lengthens a
 * life by as much: up to twice as long, that is let be; what seems to have been made later than that was made by a clock
 * that was wrong (a battery ran out, a year was mistyped), and would count for years: it doesn't until it may be true.
 */
export function isAlive(madeAt: number, endsAt: number): boolean {
  const time = now();
  return time < endsAt && 2 * madeAt - endsAt <= time;
}

/** `isAlive` for the rows of a query. */
export const isAliveIn = (table: { created_at: SQLiteColumn; expires_at: SQLiteColumn }): SQL | undefined =>
  and(gt(table.expires_at, now()), lte(sql`2 * ${table.created_at} - ${table.expires_at}`, now()));
