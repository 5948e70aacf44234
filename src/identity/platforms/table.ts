import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

export const platforms = sqliteTable("platforms", {
  id: id(),
  name: text().notNull(),
  slug: text().notNull().unique(),
  is_oauth: flag().notNull(),
  enabled: flag().notNull(),
  two_factor_supported: flag().notNull(),
  two_factor_required: flag().notNull(),
  registration_enabled: flag().notNull(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});
