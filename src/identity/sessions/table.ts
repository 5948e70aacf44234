import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

export const sessions = sqliteTable(
  "sessions",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the token, base64. The token itself is not stored. */
    token_hash: text().notNull().unique(),
    /** Slug of the platform that the user signed in with; `passkey` for a passkey alone. */
    provider: text().notNull(),
    ip_address: text(),
    user_agent: text(),
    created_at: time().notNull(),
    /** Time at which the holder last proved its identity: at the sign-in, or by password, code or passkey since. */
    authenticated_at: time().notNull().default(0),
    /** Ways in which it did (RFC 8176); null where they are not known here. */
    amr: text({ mode: "json" }).$type<string[]>(),
    last_activity_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [
    index("sessions_user").on(table.user_id, table.id),
    index("sessions_expiry").on(table.expires_at),
    index("sessions_activity").on(table.last_activity_at),
  ],
);
