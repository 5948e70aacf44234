import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

export const devices = sqliteTable("devices", {
  id: id(),
  name: text().notNull(),
  description: text(),
  device_type: text(),
  is_active: flag().notNull().default(true),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
