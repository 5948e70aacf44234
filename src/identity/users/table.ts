import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/table";

export const users = sqliteTable("users", {
  id: id(),
  /** Lower case; 3 to 30 letters, digits and underscores. */
  username: text().notNull().unique(),
  /** A platform account of this user. Not a reference: the two tables would refer to each other. */
  primary_platform_account_id: text(),
  privacy_mode: flag().notNull().default(false),
  preferred_locale: text(),
  avatars_enabled: flag().notNull().default(true),
  created_at: time().notNull(),
  updated_at: time().notNull(),
  last_login_at: time(),
  deleted_at: time(),
});
