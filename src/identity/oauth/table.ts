import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";

/** The public half of a key as clients read it (RFC 7517, RFC 7518, section 6.2.1). */
export type PublicKey = Record<"kty" | "crv" | "x" | "y" | "kid" | "alg" | "use", string>;

/** Keys that sign ID tokens (RFC 7517). The next one is published before it signs, the last one for a while after. */
export const oauthSigningKeys = sqliteTable(
  "oauth_signing_keys",
  {
    /** The `kid`. */
    id: id(),
    /** The private key as a JWK, encrypted under the master key and bound to this row. */
    private_key: text().notNull(),
    public_key: text({ mode: "json" }).$type<PublicKey>().notNull(),
    created_at: time().notNull(),
    /** Time from which on it signs, in place of the one before. */
    signs_from: time().notNull(),
    /** Time at which it is no longer published; null while no other follows it. */
    published_until: time(),
  },
  (table) => [index("oauth_signing_keys_from").on(table.signs_from)],
);
