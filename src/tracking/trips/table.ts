import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { boxes } from "../../sync/boxes/table";
import { tripCategories } from "../categories/table";
import { devices } from "../devices/table";
import { locations } from "../locations/table";
import { TRIP_STATUSES } from "./trip-state";

/**
 * The time by which lists of trips are bounded: when one began, and until then, when it was created. With a
 * comma in it (`coalesce`), drizzle-kit would take it for two columns of an index.
 */
export const BEGAN = sql<number>`CASE WHEN started_at IS NULL THEN created_at ELSE started_at END`;

export const trips = sqliteTable(
  "trips",
  {
    id: id(),
    name: text().notNull(),
    description: text(),
    status: text({ enum: TRIP_STATUSES }).notNull(),
    gps_logging_enabled: flag().notNull().default(false),
    device_id: text().references(() => devices.id, { onDelete: "set null" }),
    category_id: text().references(() => tripCategories.id, { onDelete: "set null" }),
    origin_id: text().references(() => locations.id, { onDelete: "set null" }),
    destination_id: text().references(() => locations.id, { onDelete: "set null" }),
    weight_kg: real(),
    notes: text(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    start_latitude: real(),
    start_longitude: real(),
    end_latitude: real(),
    end_longitude: real(),
    started_at: time(),
    ended_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    /** Minutes between two positions in the log; 0 for none. */
    log_interval_minutes: integer().notNull().default(60),
    /** The box whose own it is; null for one of this server. */
    box_id: text().references(() => boxes.id, { onDelete: "set null" }),
  },
  (table) => [
    index("trips_status").on(table.status, table.id),
    // One for each choice of filters: see lists.ts.
    index("trips_began").on(BEGAN),
    index("trips_status_began").on(table.status, BEGAN),
    index("trips_device").on(table.device_id, BEGAN),
    index("trips_device_status").on(table.device_id, table.status, BEGAN),
    index("trips_category").on(table.category_id, BEGAN),
    index("trips_category_status").on(table.category_id, table.status, BEGAN),
    index("trips_category_device").on(table.category_id, table.device_id, BEGAN),
    index("trips_category_device_status").on(table.category_id, table.device_id, table.status, BEGAN),
    index("trips_origin").on(table.origin_id),
    index("trips_destination").on(table.destination_id),
    index("trips_box").on(table.box_id, table.id).where(sql`box_id IS NOT NULL`),
    // One active trip with GPS logging per device, also under parallel requests: 409 (rule T8). A box keeps the rule itself;
    // its trips may come in another order.
    uniqueIndex("trips_one_active_logger")
      .on(table.device_id)
      .where(sql`status = 'active' AND gps_logging_enabled = 1 AND device_id IS NOT NULL AND box_id IS NULL`),
  ],
);

export const tripStatusHistory = sqliteTable(
  "trip_status_history",
  {
    id: id(),
    trip_id: text()
      .notNull()
      .references(() => trips.id, { onDelete: "cascade" }),
    old_status: text({ enum: TRIP_STATUSES }).notNull(),
    new_status: text({ enum: TRIP_STATUSES }).notNull(),
    changed_by: text(),
    latitude: real(),
    longitude: real(),
    changed_at: time().notNull(),
  },
  (table) => [index("trip_status_history_trip").on(table.trip_id, table.changed_at)],
);

/**
 * The times in which a device logged for a trip: the trip was active, its logging on, and the device its own. A fix that
 * comes late joins the trip of its own time by this table. Milliseconds; `until_time` is null while it goes on.
 */
export const tripSpans = sqliteTable(
  "trip_spans",
  {
    trip_id: text()
      .notNull()
      .references(() => trips.id, { onDelete: "cascade" }),
    /** Null for one that is gone: its positions stay in the trip. */
    device_id: text().references(() => devices.id, { onDelete: "set null" }),
    from_time: time().notNull(),
    until_time: time(),
  },
  (table) => [
    index("trip_spans_device").on(table.device_id, table.from_time),
    index("trip_spans_trip").on(table.trip_id, table.from_time),
  ],
);
