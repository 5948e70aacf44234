import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Sums that are kept up to date by the transactions that change them: see `adjustCounter` in counters.ts. */
export const counters = sqliteTable("counters", {
  name: text().primaryKey(),
  value: integer().notNull(),
});

/**
 * The key that the last rotation of the master key made, and the keys of hashes, encrypted under it. No row while there was no
 * rotation: the hashes' key then follows from the master key.
 */
export const masterKey = sqliteTable("master_key", {
  id: integer().primaryKey(),
  fingerprint: text().notNull(),
  hash_keys: text().notNull(),
});

/** Column builders that every table uses. Times are epoch milliseconds; identifiers are UUIDv7. */
export const id = () => text().primaryKey();
export const time = () => integer();
export const flag = () => integer({ mode: "boolean" });

/** SQLite's own number of a row, to which every index leads: for a DELETE or UPDATE of some rows only. */
export const rowid = sql<number>`rowid`;
