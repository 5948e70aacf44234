import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../kernel/db/table";

/**
 * Changes, numbered in the commit that makes them, without a gap. A row refers to what it tells of. The newest one is never
 * deleted, since the next number follows from it.
 */
export const changes = sqliteTable("changes", {
  number: integer().primaryKey(),
  /** Place in CHANGE_KINDS. */
  kind: integer().notNull(),
  /** Identifier of the record that changed; null where `detail` tells all. */
  record: text(),
  device_id: text(),
  /** The message's data, where no record holds them. */
  detail: text({ mode: "json" }).$type<Record<string, unknown>>(),
  made_at: time().notNull(),
});

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
