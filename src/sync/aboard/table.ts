import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import { LANES } from "../batch/lanes";

/** A part of what a box held before an epoch began: the rows of a table by their numbers, `from` exclusive. */
export interface Walk {
  kind: "device" | "alert" | "trip" | "entry" | "crossing" | "position";
  from: number;
  to: number;
}

/** Aboard: one row, the run of numbers by which this box tells the shore. */
export const syncState = sqliteTable("sync_state", {
  id: integer().primaryKey(),
  /** 16 hexadecimal digits; another one whenever the shore can't go on from what it holds. */
  epoch: text().notNull(),
  /** The epoch from which this one went on; null for one that tells everything. */
  parent: text(),
  /** The epoch of the feed at that time: a restored database has another one. */
  feed_epoch: text().notNull(),
  /** Kinds of records that were told when it began. */
  include: text({ mode: "json" }).$type<string[]>().notNull(),
  /** Older rows that it has to tell, in their order. */
  walks: text({ mode: "json" }).$type<Walk[]>().notNull(),
  /** The number of the feed up to which no lane needs anything any more. */
  released: integer().notNull(),
  /** Starts of the program: the sequence of requests goes on from them. */
  starts: integer().notNull(),
  /** Bytes sent and received on a day in UTC (`YYYY-MM-DD`). */
  day: text().notNull(),
  day_bytes: integer().notNull(),
  last_contact_at: time(),
});

/** Aboard: for each lane the last number that the shore has acknowledged. */
export const syncLanes = sqliteTable("sync_lanes", {
  lane: text({ enum: LANES }).primaryKey(),
  acknowledged: integer().notNull(),
  /** Of the row of that number, 12 hexadecimal digits. */
  hash: text().notNull(),
  /** True until the shore has acknowledged anything in this epoch. */
  begins: integer({ mode: "boolean" }).notNull(),
});
