import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../kernel/db/table";
import { FREQUENT_KINDS, numberOfKind } from "./kinds";

/**
 * Changes of the rarer kinds, as a condition in SQL. Comparisons in place of `NOT IN`, for whose list SQLite builds a table at each
 * insert: each fix writes a change.
 */
export const IS_RARE = FREQUENT_KINDS.map((kind) => `kind <> ${numberOfKind(kind)}`).join(" AND ");

/**
 * Changes, numbered in the commit that makes them, without a gap. A row refers to what it tells of. The newest one is never
 * deleted, since the next number follows from it.
 */
export const changes = sqliteTable(
  "changes",
  {
    number: integer().primaryKey(),
    /** Place in CHANGE_KINDS. */
    kind: integer().notNull(),
    /** Identifier of the record that changed; null where `detail` tells all. */
    record: text(),
    device_id: text(),
    /** The message's data, where no record holds them. */
    detail: text({ mode: "json" }).$type<Record<string, unknown>>(),
    made_at: time().notNull(),
  },
  // A week of positions may lie between two alerts.
  (table) => [index("changes_rare").on(table.number).where(sql.raw(IS_RARE))],
);

/** One row: the name of this run of numbers. A restored backup gets another one. */
export const feedState = sqliteTable("feed_state", { epoch: text().primaryKey() });

/**
 * Readers that keep their place over restarts, such as the connection to a broker: what one has not acknowledged outlives the
 * retention.
 */
export const feedReaders = sqliteTable("feed_readers", {
  name: text().primaryKey(),
  /** The run of numbers that `number` is one of. */
  epoch: text().notNull(),
  /** Everything up to it is acknowledged. */
  number: integer().notNull(),
});

/**
 * Stretches of which positions were given up, since too many changes waited for the shore: one position of a device is left in so
 * many seconds. They lie side by side, and whoever else reads there or before is told that it is not kept.
 */
export const feedThinned = sqliteTable("feed_thinned", {
  from_number: integer().primaryKey(),
  to_number: integer().notNull(),
  /** Changes that were given up. */
  rows: integer().notNull(),
  seconds: integer().notNull(),
  made_at: time().notNull(),
});
