import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { boxes } from "../../sync/boxes/table";
import { GAP_MINUTES, STOP_MINUTES, STOP_RADIUS_M } from "../timeline/kinds";
import type { StoredAutoTrip } from "./auto-trip";

export const devices = sqliteTable(
  "devices",
  {
    id: id(),
    name: text().notNull(),
    description: text(),
    device_type: text(),
    is_active: flag().notNull().default(true),
    /** The name by which other systems know it: Traccar's `uniqueId`. */
    external_id: text(),
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
    /** The box whose own it is; null for one of this server. */
    box_id: text().references(() => boxes.id, { onDelete: "set null" }),
  },
  (table) => [
    // A name is one device's among this server's own, and among each box's.
    uniqueIndex("devices_external_id").on(table.external_id).where(sql`box_id IS NULL`),
    uniqueIndex("devices_box_external_id").on(table.box_id, table.external_id).where(sql`box_id IS NOT NULL`),
    index("devices_box").on(table.box_id).where(sql`box_id IS NOT NULL`),
  ],
);
