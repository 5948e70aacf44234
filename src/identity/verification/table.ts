import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/table";
import { users } from "../users/table";

export const VERIFICATION_KINDS = ["registration", "email_change", "email_link"] as const;

/** What waits for somebody to prove that an email address is theirs. */
export const verifications = sqliteTable(
  "verifications",
  {
    id: id(),
    kind: text({ enum: VERIFICATION_KINDS }).notNull(),
    /** SHA-256 of the token in the email, base64. */
    token_hash: text().notNull().unique(),
    /** Null for a registration: there is no user yet. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    /** Who asked for it, when that wasn't the user: whether it may still be applied, depends on the rights of both. */
    requested_by: text(),
    /** The key that asked for it: it must still be there, and still be allowed to. */
    requested_by_key: text(),
    email: text().notNull(),
    username: text(),
    /** Of a registration and of a link: the password that the account will have. */
    password_hash: text(),
    created_at: time().notNull(),
    /** When the email was handed over. A registration without one was cut off midway, and blocks nobody. */
    sent_at: time(),
    expires_at: time().notNull(),
  },
  (table) => [
    uniqueIndex("verifications_registration_email").on(table.email).where(sql`kind = 'registration'`),
    uniqueIndex("verifications_registration_username").on(table.username).where(sql`kind = 'registration'`),
    uniqueIndex("verifications_one_per_user").on(table.user_id, table.kind).where(sql`user_id IS NOT NULL`),
    index("verifications_expiry").on(table.expires_at),
  ],
);
