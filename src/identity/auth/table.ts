import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

/** argon2id hashes in PHC string format; a user without a row can't sign in with a password. */
export const passwords = sqliteTable("passwords", {
  user_id: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  hash: text().notNull(),
  changed_at: time().notNull(),
});

/** Password resets that were requested and not used yet. */
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

/** Addresses from which a user signed in: tries from one of them have an allowance of their own. */
export const signInAddresses = sqliteTable(
  "sign_in_addresses",
  {
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Keyed hash under the master key of the address (an IPv6 one's network), base64. */
    address_hash: text().notNull(),
    last_at: time().notNull(),
    /** Wrong second factors from this address since the last right one, and the time of the newest. */
    code_failures: integer().notNull().default(0),
    code_failed_at: time(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.address_hash] }),
    index("sign_in_addresses_age").on(table.last_at),
  ],
);
