import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

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
    /** Slug of the platform of the user's last sign-in. */
    last_login_provider: text(),
    /** Time at which the deletion that the user scheduled is due. */
    scheduled_deletion_at: time(),
    deleted_at: time(),
    /** Time of the scrub: from then on only the identifier of the person is left. */
    scrubbed_at: time(),
    /** True while audit events still hold addresses of a scrubbed user: see deletion/service.ts. */
    scrub_pending: flag().notNull().default(false),
  },
  (table) => [
    index("users_scheduled_deletion")
      .on(table.scheduled_deletion_at)
      .where(sql`scheduled_deletion_at IS NOT NULL`),
    index("users_scrub_pending").on(table.scrub_pending).where(sql`scrub_pending = 1`),
  ],
);
