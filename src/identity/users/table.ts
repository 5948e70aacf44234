import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/table";

export const users = sqliteTable(
  "users",
  {
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
    /** Slug of the platform that the user signed in with last. */
    last_login_provider: text(),
    /** When a deletion that the user asked for is due. */
    scheduled_deletion_at: time(),
    deleted_at: time(),
    /** When the account was scrubbed: from then on nothing of the person is left but the identifier. */
    scrubbed_at: time(),
    /** Whether audit events still hold addresses of a scrubbed user: see deletion/service.ts. */
    scrub_pending: flag().notNull().default(false),
  },
  (table) => [
    index("users_scheduled_deletion")
      .on(table.scheduled_deletion_at)
      .where(sql`scheduled_deletion_at IS NOT NULL`),
    index("users_scrub_pending").on(table.scrub_pending).where(sql`scrub_pending = 1`),
  ],
);
