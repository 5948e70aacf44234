import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

export const bans = sqliteTable(
  "bans",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    reason: text(),
    banned_by: text(),
    banned_at: time().notNull(),
    /** Null for a permanent ban. */
    expires_at: time(),
    /** End of the ban, by a person or because it ran out. */
    unbanned_at: time(),
    /** Null also when it ran out. */
    unbanned_by: text(),
  },
  (table) => [
    index("bans_user").on(table.user_id, table.banned_at),
    // A user has at most one ban that hasn't ended.
    uniqueIndex("bans_one_open").on(table.user_id).where(sql`unbanned_at IS NULL`),
  ],
);
