import { inArray, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { db } from "./connection";
import { rowid } from "./table";
import { transact } from "./transactions";

/** Rows changed in one transaction: some milliseconds, in which the server does nothing else. */
const BATCH = 500;

/**
 * Changes any number of rows, batch by batch, with requests in between. `changeSome` runs in a transaction,
 * changes at most `limit` rows and returns how many; fewer end the loop.
 */
export async function inBatches(changeSome: (limit: number) => number): Promise<void> {
  while ((await transact(() => changeSome(BATCH))) === BATCH);
}

/** Deletes all rows that meet a condition, batch by batch. */
export const deleteInBatches = (table: SQLiteTable, which: SQL | undefined): Promise<void> =>
  inBatches((limit) => {
    const some = db.select({ rowid }).from(table).where(which).limit(limit);
    return db.delete(table).where(inArray(rowid, some)).returning({ rowid }).all().length;
  });
