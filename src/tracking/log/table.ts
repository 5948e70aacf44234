import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { ENTRY_KINDS } from "./kinds";

/**
 * The logs of trips. Rows are added and never changed, since each one's hash covers the one before. So nothing here is a
 * foreign key: who wrote an entry stays in it, and the log of a deleted trip goes in steps.
 */
export const logEntries = sqliteTable(
  "log_entries",
  {
    id: id(),
    trip_id: text().notNull(),
    /** From 1 on, without gaps, in the order in which the entries were written. */
    number: integer().notNull(),
    kind: text({ enum: ENTRY_KINDS }).notNull(),
    occurred_at: time().notNull(),
    recorded_at: time().notNull(),
    user_id: text(),
    api_key_id: text(),
    is_automatic: flag().notNull(),
    text: text(),
    /** Canonical JSON. */
    data: text(),
    strikes_id: text(),
    /** SHA-256 in hex. */
    previous_hash: text(),
    hash: text().notNull(),
  },
  (table) => [
    uniqueIndex("log_entries_number").on(table.trip_id, table.number),
    index("log_entries_automatic").on(table.trip_id, table.number).where(sql`is_automatic = 1`),
    // An entry is struck out once.
    uniqueIndex("log_entries_strikes").on(table.strikes_id).where(sql`strikes_id IS NOT NULL`),
    index("log_entries_user").on(table.user_id, table.id).where(sql`user_id IS NOT NULL`),
  ],
);

/** Deleted trips of whose logs some entries are left, until a job is done. */
export const logRemovals = sqliteTable("log_removals", { trip_id: text().primaryKey() });
