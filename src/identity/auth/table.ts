import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/table";
import { users } from "../users/table";

/** argon2id hashes in PHC string format; a user without a row can't sign in with a password. */
export const passwords = sqliteTable("passwords", {
  user_id: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  hash: text().notNull(),
  changed_at: time().notNull(),
});

/** Password resets that were asked for and not used yet. */
export const passwordResets = sqliteTable(
  "password_resets",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the token in the email, base64. */
    token_hash: text().notNull().unique(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [
    index("password_resets_user").on(table.user_id),
    index("password_resets_expiry").on(table.expires_at),
  ],
);
