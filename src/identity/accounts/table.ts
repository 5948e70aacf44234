import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/table";
import { platforms } from "../platforms/table";
import { users } from "../users/table";

/** How a user signs in: one row per platform. On the platform `email`, `platform_user_id` is the address. */
export const platformAccounts = sqliteTable(
  "platform_accounts",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    platform_id: text()
      .notNull()
      .references(() => platforms.id),
    platform_user_id: text().notNull(),
    username: text(),
    email: text(),
    /** Whether the platform vouches for the address. One that it doesn't identifies nobody. */
    email_verified: flag().notNull().default(true),
    avatar_url: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    uniqueIndex("platform_accounts_identity").on(table.platform_id, table.platform_user_id),
    index("platform_accounts_user").on(table.user_id),
    index("platform_accounts_email").on(table.email),
  ],
);
