import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { SEGMENT_KINDS } from "./kinds";

/**
 * The sums of legs: in `timeline_parts` of those that end in one quarter of an hour (UTC), in `timeline_segments` of a whole
 * segment. A leg is the way from one fix of a device to the next; it belongs to the time at which it ends.
 */
const sums = {
  kind: text({ enum: SEGMENT_KINDS }).notNull(),
  legs: integer().notNull(),
  /** Each leg is rounded by itself, so that the sum is the same in whatever order the fixes came. */
  distance_mm: integer().notNull(),
  /** The two highest speeds at the ends of legs, km/h. */
  highest_kmh: real(),
  second_kmh: real(),
};

/**
 * The legs of a device that are decided: each part holds those of one segment in one quarter of an hour. Its device is no
 * foreign key, since deleting one with years of parts would take long: see ingest/detach.ts.
 */
export const timelineParts = sqliteTable(
  "timeline_parts",
  {
    device_id: text().notNull(),
    /** The times of the fixes at which its first leg begins and its last one ends. */
    from_time: time().notNull(),
    until_time: time().notNull(),
    /** True for the last part of its segment. */
    is_last: flag().notNull(),
    /** The fix at which its segment begins, as far as what follows depends on it: that of a stop, else 0. */
    begun_time: time().notNull(),
    /** The newest fix when it was decided: a change of the track after that doesn't concern it. */
    decided_time: time().notNull(),
    ...sums,
    /** The box around its legs, and the same with longitudes from 0 to 360, for a track across the 180th meridian. */
    south: real().notNull(),
    north: real().notNull(),
    west: real().notNull(),
    east: real().notNull(),
    west_360: real().notNull(),
    east_360: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.device_id, table.until_time] })],
);

/** Segments whose parts are stored; of the one that goes on, as far as they are. */
export const timelineSegments = sqliteTable(
  "timeline_segments",
  {
    device_id: text().notNull(),
    from_time: time().notNull(),
    until_time: time().notNull(),
    ...sums,
    start_latitude: real().notNull(),
    start_longitude: real().notNull(),
    end_latitude: real().notNull(),
    end_longitude: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.device_id, table.from_time] })],
);

/** Stretches of devices' tracks whose timelines are to be computed anew. */
export const timelineSpans = sqliteTable(
  "timeline_spans",
  {
    device_id: text()
      .primaryKey()
      .references(() => devices.id, { onDelete: "cascade" }),
    /** Fix times. `from_time` moves on with the work, `begun_from` stays. */
    begun_from: time().notNull(),
    from_time: time().notNull(),
    to_time: time().notNull(),
  },
  (table) => [index("timeline_spans_begun").on(table.begun_from)],
);
