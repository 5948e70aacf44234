import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { trips } from "../trips/table";
import { EVENTS, type Geometry, KINDS } from "./kinds";

export const geofences = sqliteTable(
  "geofences",
  {
    /** Row number of the zone in the R-Tree `geofence_index`. */
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    name: text().notNull(),
    description: text(),
    /** The circle, or one that holds the polygon or the corridor. */
    latitude: real().notNull(),
    longitude: real().notNull(),
    radius_km: real().notNull(),
    is_active: flag().notNull().default(true),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    kind: text({ enum: KINDS }).notNull().default("circle"),
    /** Metres to either side of a corridor's line. */
    width_m: real(),
    enter_after_s: integer().notNull().default(0),
    exit_after_s: integer().notNull().default(0),
    confirm_fixes: integer().notNull().default(1),
    exit_margin_m: real(),
    max_accuracy_m: real(),
    dwell_seconds: integer(),
    color: text(),
    /** The time at which it began to watch, as it is now: another one each time, so that it names this stretch of watching. */
    watch_from: time().notNull().default(0),
    /** The highest row number of a position at that moment. */
    watch_row: integer().notNull().default(0),
    /** GeoJSON; null for a circle. It may be long, and SQLite walks through it to those behind: what fixes ask for is before. */
    geometry: text({ mode: "json" }).$type<Geometry>(),
    /** Aboard a box: the zone is the shore's, and changed there alone. */
    is_from_shore: flag().notNull().default(false),
  },
  (table) => [index("geofences_accuracy").on(table.max_accuracy_m).where(sql`max_accuracy_m IS NOT NULL`)],
);

/**
 * The state of devices at zones, so that a restart repeats no event: a row where a device is inside, or where fixes on the
 * other side await the next one.
 */
export const geofencePresence = sqliteTable(
  "geofence_presence",
  {
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    geofence_seq: integer()
      .notNull()
      .references(() => geofences.seq, { onDelete: "cascade" }),
    is_inside: flag().notNull().default(true),
    /** The time of the enter, or the zone's beginning; null outside. */
    since: time(),
    has_dwelled: flag().notNull().default(false),
    /** The number of fixes in a row that are on the other side, and the first of them. */
    pending_count: integer().notNull().default(0),
    pending_point: text(),
    pending_trip: text(),
    pending_time: time(),
    pending_latitude: real(),
    pending_longitude: real(),
  },
  (table) => [
    primaryKey({ columns: [table.device_id, table.geofence_seq] }),
    index("geofence_presence_zone").on(table.geofence_seq),
  ],
);

/**
 * Crossings. Zone and device are no foreign keys: a deleted one leaves its crossings. `begin` is a device that was there when a
 * zone began to watch, `end` one that was there when it ceased to: only visits know these.
 */
export const geofenceEvents = sqliteTable(
  "geofence_events",
  {
    id: id(),
    geofence_id: text().notNull(),
    geofence_name: text().notNull(),
    device_id: text().notNull(),
    device_name: text().notNull(),
    event: text({ enum: EVENTS }).notNull(),
    /** Fix time. */
    occurred_at: time().notNull(),
    recorded_at: time().notNull(),
    latitude: real().notNull(),
    longitude: real().notNull(),
    distance_km: real().notNull(),
    gps_point_id: text(),
    trip_id: text().references(() => trips.id, { onDelete: "set null" }),
    is_late: flag().notNull().default(false),
    superseded_at: time(),
    /** The zone's `watch_from`: crossings of an earlier stretch of watching are never computed anew. */
    watch_from: time().notNull(),
    /** The time and the row number of the position that showed it: of a confirmed one, the last. */
    shown_at: time().notNull(),
    shown_row: integer().notNull(),
    /**
     * The box that saw it aboard; null for one that this server computed, from what its devices and those of boxes sent. No
     * foreign key: it outlives the box.
     */
    box_id: text(),
  },
  (table) => [
    index("geofence_events_time").on(table.occurred_at),
    index("geofence_events_device").on(table.device_id, table.occurred_at),
    index("geofence_events_zone").on(table.geofence_id, table.occurred_at),
    index("geofence_events_trip").on(table.trip_id, table.occurred_at).where(sql`trip_id IS NOT NULL`),
    index("geofence_events_visits")
      .on(table.geofence_id, table.occurred_at)
      .where(sql`superseded_at IS NULL AND event IN ('enter', 'begin')`),
    index("geofence_events_shown")
      .on(table.device_id, table.shown_at, table.shown_row)
      .where(sql`superseded_at IS NULL`),
    index("geofence_events_sides")
      .on(table.device_id, table.geofence_id, table.shown_at, table.shown_row)
      .where(sql`superseded_at IS NULL AND event IN ('enter', 'exit', 'begin', 'end')`),
  ],
);

/** The first position of each device, and those of it that are gone by age. */
export const deviceTracks = sqliteTable("device_tracks", {
  device_id: text()
    .primaryKey()
    .references(() => devices.id, { onDelete: "cascade" }),
  /** Row number of the position that came first. */
  first_row: integer().notNull(),
  /** Fix time up to which positions were deleted by age. */
  purged_to: time().notNull().default(0),
});

/** The newest fix times of devices whose clocks are far from the server's, at moments when zones began to watch. */
export const geofenceFronts = sqliteTable(
  "geofence_fronts",
  {
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    /** The highest row number of a position at the moment. */
    moment_row: integer().notNull(),
    front: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.device_id, table.moment_row] })],
);

/** Stretches of devices' tracks whose crossings are to be computed anew. */
export const geofenceSpans = sqliteTable("geofence_spans", {
  device_id: text()
    .primaryKey()
    .references(() => devices.id, { onDelete: "cascade" }),
  /** Fix times. `from_time` moves on with the work, `begun_from` stays. */
  begun_from: time().notNull(),
  from_time: time().notNull(),
  to_time: time().notNull(),
  /** The zones whose crossings have changed so far, and the first and the last time of these. */
  changed_zones: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  changed_from: time(),
  changed_to: time(),
});
