import { real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/table";

export const locations = sqliteTable("locations", {
  id: id(),
  name: text().notNull(),
  street: text(),
  zip: text(),
  city: text(),
  /** ISO 3166-1 alpha-2, upper case. */
  country: text(),
  latitude: real(),
  longitude: real(),
  notes: text(),
  is_active: flag().notNull().default(true),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
