import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { users } from "../users/table";

/** Passkeys of users: public-key credentials, of which only the public half is here (WebAuthn Level 3). */
export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Identifier that the authenticator gave it, in base64url. */
    credential_id: text().notNull().unique(),
    /** COSE key, in base64url. */
    public_key: text().notNull(),
    /** Identifier of the account in the authenticator, in base64url; the same in all passkeys of a user. */
    user_handle: text().notNull(),
    /** Signatures that the authenticator has counted; 0 where it counts none. */
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Model of the authenticator; zeros where it doesn't tell. */
    aaguid: text().notNull(),
    /** True for one that may be copied to other devices of its user. */
    is_multi_device: flag().notNull(),
    /** True for one of which there is a copy. */
    is_backed_up: flag().notNull(),
    name: text().notNull(),
    created_at: time().notNull(),
    last_used_at: time(),
  },
  (table) => [index("passkeys_user").on(table.user_id, table.id)],
);

/** Challenges that were answered: none counts twice. The server keeps no others, since it knows its own by their seal. */
export const usedPasskeyChallenges = sqliteTable(
  "used_passkey_challenges",
  {
    /** SHA-256, base64. */
    challenge_hash: text().primaryKey(),
    used_at: time().notNull(),
  },
  (table) => [index("used_passkey_challenges_age").on(table.used_at)],
);
