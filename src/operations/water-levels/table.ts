import { blob, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";

/** The source's last answer: what is known of stations after a start without a network. One row at most. */
export const waterLevelAnswers = sqliteTable("water_level_answers", {
  id: integer().primaryKey(),
  /** Hash of what was asked. */
  source: text().notNull(),
  etag: text(),
  confirmed_at: time().notNull(),
  /** The stations as JSON, packed with gzip. */
  stations: blob({ mode: "buffer" }).notNull(),
});

/** A short number for each station of which levels are kept, and the span of them for which the source was asked. */
export const waterLevelStations = sqliteTable("water_level_stations", {
  number: integer().primaryKey(),
  station_id: text().notNull().unique(),
  /** The last quarter of an hour with a level: without one that is kept the row goes too. */
  newest: integer().notNull(),
  complete_from: time(),
  complete_until: time(),
});

/**
 * The last level of each quarter of an hour. By time and then by station: one answer of the source has hundreds of stations, whose
 * rows then lie together. No foreign key, which would need an index by station.
 */
export const waterLevels = sqliteTable(
  "water_levels",
  {
    /** Quarters of an hour since 1970. */
    quarter: integer().notNull(),
    /** `number` of the station. */
    station: integer().notNull(),
    level_cm: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.quarter, table.station] })],
);
