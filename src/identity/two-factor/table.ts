import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

/** A user's authenticator app: being set up while `enabled_at` is null, required at sign-in from then on. */
export const twoFactor = sqliteTable("two_factor", {
  user_id: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** The TOTP secret, encrypted under the master key and bound to the user. */
  secret: text().notNull(),
  /** Slug of the platform chosen for the set-up. */
  platform: text().notNull(),
  enabled_at: time(),
  /** End of the time in which the set-up may be completed. */
  setup_expires_at: time(),
  /** Time step of the last accepted code: it and earlier ones are no longer valid. */
  last_step: integer(),
  /** Wrong codes since the last right one, from any address. */
  failures: integer().notNull().default(0),
  /**
   * Wrong codes from addresses that never signed in as this user, since a right one from such an address, and
   * the time of the newest.
   */
  stranger_failures: integer().notNull().default(0),
  stranger_failed_at: time(),
  /** Time at which a reset of the password forgave wrong codes; null after a right one. */
  forgiven_at: time(),
  created_at: time().notNull(),
});

/** Backup codes not used yet. */
export const backupCodes = sqliteTable(
  "backup_codes",
  {
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Keyed hash under the master key, base64. */
    code_hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.code_hash] })],
);

/** Sign-ins that wait for their second factor. A challenge is not a session. */
export const challenges = sqliteTable(
  "two_factor_challenges",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the token, base64. */
    token_hash: text().notNull().unique(),
    /** Slug of the platform that the first step went through. */
    provider: text().notNull(),
    wrong_codes: integer().notNull().default(0),
    created_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [index("challenges_user").on(table.user_id), index("challenges_expiry").on(table.expires_at)],
);
