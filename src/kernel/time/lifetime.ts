import { and, gt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { now } from "./clock";

/**
 * True while unexpired (epoch milliseconds). Setting the clock back lengthens a life by as much, which is
 * tolerated up to twice its length. A `madeAt` further in the future means that the clock was wrong then (an
 * empty battery, a mistyped year): false until it becomes plausible, since the record would count for years.
 */
export function isUnexpired(madeAt: number, endsAt: number): boolean {
  const time = now();
  return time < endsAt && 2 * madeAt - endsAt <= time;
}

/** `isUnexpired` for the rows of a query. */
export const isUnexpiredIn = (table: {
  created_at: SQLiteColumn;
  expires_at: SQLiteColumn;
}): SQL | undefined =>
  and(gt(table.expires_at, now()), lte(sql`2 * ${table.created_at} - ${table.expires_at}`, now()));

/**
 * `isUnexpired` for records that end after a span without use (milliseconds), counted from the last use. A last
 * use further ahead than the span means that the clock was wrong then: false.
 */
export const isInUse = (usedAt: number, span: number): boolean => isUnexpired(usedAt, usedAt + span);

/** `isInUse` for the rows of a query. */
export const isInUseIn = (usedAt: SQLiteColumn, span: number): SQL | undefined =>
  and(gt(usedAt, now() - span), lte(usedAt, now() + span));
