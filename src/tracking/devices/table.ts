import { real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

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
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
