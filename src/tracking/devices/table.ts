import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { GAP_MINUTES, STOP_MINUTES, STOP_RADIUS_M } from "../timeline/kinds";
import type { StoredAutoTrip } from "./auto-trip";

export const devices = sqliteTable("devices", {
  id: id(),
  name: text().notNull(),
  description: text(),
  device_type: text(),
  is_active: flag().notNull().default(true),
  /** The name by which other systems know it: Traccar's `uniqueId`. */
  external_id: text().unique(),
  /** Fixes that imply a higher speed are marked as outliers; null for no check. */
  max_speed_kmh: real(),
  /** The measures of its timeline. */
  stop_radius_m: real().notNull().default(STOP_RADIUS_M),
  stop_minutes: integer().notNull().default(STOP_MINUTES),
  gap_minutes: integer().notNull().default(GAP_MINUTES),
  /** Null for a device that makes no trips by itself. */
  auto_trip: text({ mode: "json" }).$type<StoredAutoTrip>(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
