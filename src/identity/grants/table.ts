import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { oauthClients } from "../oauth-clients/table";
import { users } from "../users/table";

/** All that a user lets one application do. Deleting it ends every grant and token that rests on it. */
export const oauthConsents = sqliteTable(
  "oauth_consents",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    client_id: text()
      .notNull()
      .references(() => oauthClients.id, { onDelete: "cascade" }),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    last_used_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    uniqueIndex("oauth_consents_of_user").on(table.user_id, table.client_id),
    index("oauth_consents_client").on(table.client_id),
  ],
);

/**
 * Sign-ins of users to applications, each the family of all codes and tokens that came of it; and for each application
 * that acts for itself (RFC 6749, section 4.4) one without a consent.
 */
export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: id(),
    /** Null for a client that acts for itself: its user is the client's owner then. */
    consent_id: text().references(() => oauthConsents.id, { onDelete: "cascade" }),
    client_id: text()
      .notNull()
      .references(() => oauthClients.id, { onDelete: "cascade" }),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The session in which it was made. No reference: an offline grant outlives a session that was signed out. */
    session_id: text(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** True with `offline_access`: it has refresh tokens, and doesn't end as its session is signed out. */
    is_offline: flag().notNull(),
    /** Time at which the user proved its identity (OpenID Connect Core, `auth_time`), and how (RFC 8176). */
    authenticated_at: time(),
    amr: text({ mode: "json" }).$type<string[]>(),
    /** The issuer that the browser was told: all ID tokens of the grant name it. */
    issuer: text().notNull(),
    created_at: time().notNull(),
    /** Time at which all of it ends, however often it is refreshed. */
    expires_at: time().notNull(),
  },
  (table) => [
    index("oauth_grants_consent").on(table.consent_id, table.id),
    index("oauth_grants_user").on(table.user_id),
    index("oauth_grants_session").on(table.session_id).where(sql`session_id IS NOT NULL`),
    uniqueIndex("oauth_grants_own").on(table.client_id).where(sql`consent_id IS NULL`),
    index("oauth_grants_client").on(table.client_id),
    index("oauth_grants_expiry").on(table.expires_at),
  ],
);

const grantId = () =>
  text()
    .notNull()
    .references(() => oauthGrants.id, { onDelete: "cascade" });

/** Authorization codes (RFC 6749, section 1.3.1). A used one stays with its grant: used again, it ends all of that. */
export const oauthCodes = sqliteTable(
  "oauth_codes",
  {
    /** SHA-256 of the code, base64. */
    code_hash: text().notNull(),
    grant_id: grantId(),
    redirect_uri: text().notNull(),
    /** Of PKCE (RFC 7636), by the method S256. */
    code_challenge: text().notNull(),
    nonce: text(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    used_at: time(),
  },
  (table) => [primaryKey({ columns: [table.code_hash] }), index("oauth_codes_grant").on(table.grant_id)],
);

/** Access tokens: opaque, so that what they may do is looked up whenever one comes. */
export const oauthAccessTokens = sqliteTable(
  "oauth_access_tokens",
  {
    /** SHA-256 of the token, base64. */
    token_hash: text().notNull(),
    grant_id: grantId(),
    /** Scopes of this token: those of its grant, or some of them. */
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.token_hash] }),
    index("oauth_access_tokens_grant").on(table.grant_id),
    index("oauth_access_tokens_expiry").on(table.expires_at),
  ],
);

/** Refresh tokens. A used one is kept while it would be valid: used again, it ends its grant (RFC 9700, section 4.14.2). */
export const oauthRefreshTokens = sqliteTable(
  "oauth_refresh_tokens",
  {
    /** SHA-256 of the token, base64. */
    token_hash: text().notNull(),
    grant_id: grantId(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    used_at: time(),
  },
  (table) => [
    primaryKey({ columns: [table.token_hash] }),
    index("oauth_refresh_tokens_grant").on(table.grant_id),
    index("oauth_refresh_tokens_expiry").on(table.expires_at),
  ],
);
