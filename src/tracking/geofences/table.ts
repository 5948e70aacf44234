import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, time } from "../../kernel/db/table";
import { devices } from "../devices/table";

export const geofences = sqliteTable("geofences", {
  /** Row number of the zone in the R-Tree `geofence_index`. */
  seq: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull().unique(),
  name: text().notNull(),
  description: text(),
  latitude: real().notNull(),
  longitude: real().notNull(),
  radius_km: real().notNull(),
  is_active: flag().notNull().default(true),
  metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});

/** The zones that each device is inside of, so that a restart repeats no event. */
export const geofencePresence = sqliteTable(
  "geofence_presence",
  {
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    geofence_seq: integer()
      .notNull()
      .references(() => geofences.seq, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.device_id, table.geofence_seq] }),
    index("geofence_presence_zone").on(table.geofence_seq),
  ],
);
