import { sql } from "drizzle-orm";
import { index, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";

/**
 * Recorded positions: the table that grows without end. Its device and trip are no foreign keys, since
 * deleting a device with ten million points would then rewrite them all in one transaction: see `detach.ts`.
 */
export const gpsPoints = sqliteTable(
  "gps_points",
  {
    id: id(),
    device_id: text(),
    trip_id: text(),
    latitude: real().notNull(),
    longitude: real().notNull(),
    altitude: real(),
    heading: real(),
    /** Time of the receiver's fix, epoch milliseconds (whole seconds). */
    timestamp: time().notNull(),
    speed_kmh: real().notNull(),
    speed_mps: real().notNull(),
    speed_mph: real().notNull(),
    speed_knots: real().notNull(),
    pdop: real(),
    hdop: real(),
    vdop: real(),
    created_at: time().notNull(),
  },
  (table) => [
    index("gps_points_time").on(table.timestamp),
    index("gps_points_device").on(table.device_id, table.timestamp).where(sql`device_id IS NOT NULL`),
    // Points without a trip, which may be deleted by age.
    index("gps_points_loose").on(table.timestamp).where(sql`trip_id IS NULL`),
    index("gps_points_trip").on(table.trip_id, table.timestamp).where(sql`trip_id IS NOT NULL`),
  ],
);

/**
 * Deleted devices and trips whose points still carry their identifier, and lists that are gone though counters
 * are left of them, until a background job is done.
 */
export const gpsDetachments = sqliteTable(
  "gps_detachments",
  {
    kind: text({ enum: ["device", "trip", "list"] }).notNull(),
    reference: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.reference] })],
);
