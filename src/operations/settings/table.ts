import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, time } from "../../kernel/db/table";

/** Values that the apps of an installation keep for all their users. */
export const systemSettings = sqliteTable("system_settings", {
  key: text().primaryKey(),
  value: text({ mode: "json" }).$type<unknown>().notNull(),
  description: text(),
  is_public: flag().notNull().default(false),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
