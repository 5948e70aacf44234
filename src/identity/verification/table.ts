import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

export const VERIFICATION_KINDS = ["registration", "email_change", "email_link"] as const;

/** Email addresses that wait for proof. */
export const verifications = sqliteTable(
  "verifications",
  {
    id: id(),
    kind: text({ enum: VERIFICATION_KINDS }).notNull(),
    /** SHA-256 of the token in the email, base64. */
    token_hash: text().notNull().unique(),
    /** Null for a registration: there is no user yet. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    /** The user who requested it, if another one. Applied only if that user may still change this one. */
    requested_by: text(),
    /** The key that requested it: it must still exist, and still have the right. */
    requested_by_key: text(),
    /** The session that requested it. The request goes if that session is revoked. */
    requested_by_session: text(),
    email: text().notNull(),
    username: text(),
    /** For a registration and a link: the password that the account will have. */
    password_hash: text(),
    /** For a registration: keyed hashes of the client's network and of its address (or /64), base64 with a colon. */
    block_hash: text(),
    created_at: time().notNull(),
    /** Time at which the email was handed over. A registration without it was cut off, and blocks nobody. */
    sent_at: time(),
    expires_at: time().notNull(),
  },
  (table) => [
    // Several registrations may wait for one address or name: the first to be confirmed wins (rule A3).
    index("verifications_registrations_by_email").on(table.email).where(sql`kind = 'registration'`),
    index("verifications_registrations_by_name").on(table.username).where(sql`kind = 'registration'`),
    uniqueIndex("verifications_one_per_user").on(table.user_id, table.kind).where(sql`user_id IS NOT NULL`),
    index("verifications_of_sessions")
      .on(table.requested_by_session)
      .where(sql`requested_by_session IS NOT NULL`),
    index("verifications_expiry").on(table.expires_at),
  ],
);
