import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { platforms } from "../platforms/table";
import { users } from "../users/table";

/** Accounts to sign in with: one row per platform. On `email`, `platform_user_id` is the address. */
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
    /**
     * True if the platform vouches for the address: an address without that identifies nobody. On the
     * platform `email`: true once its user has proved it. An address set by an administrator is not proved.
     */
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
