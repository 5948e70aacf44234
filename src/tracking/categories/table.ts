import { type AnySQLiteColumn, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

export const tripCategories = sqliteTable("trip_categories", {
  id: id(),
  parent_id: text().references((): AnySQLiteColumn => tripCategories.id, { onDelete: "set null" }),
  name: text().notNull(),
  description: text(),
  color: text(),
  is_active: flag().notNull().default(true),
  sort_order: integer().notNull().default(0),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
