import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

/** Identities of users at OpenID providers: the issuer and the subject together never mean anybody else. */
export const oidcIdentities = sqliteTable(
  "oidc_identities",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** Name of the provider in the configuration, at the last sign-in. */
    provider: text().notNull(),
    /** Name of the user at the provider, for people to tell identities apart; nothing goes by it. */
    label: text(),
    created_at: time().notNull(),
    last_used_at: time(),
  },
  (table) => [
    uniqueIndex("oidc_identities_subject").on(table.issuer, table.subject),
    index("oidc_identities_user").on(table.user_id, table.id),
  ],
);

/** Browsers that were sent to a provider and have not come back yet. */
export const oidcStates = sqliteTable(
  "oidc_states",
  {
    /** SHA-256 of `state`, base64. */
    state_hash: text().primaryKey(),
    /** SHA-256 of the cookie of the browser that was sent, base64; null where an app has sent it for its user. */
    browser_hash: text(),
    provider: text().notNull(),
    purpose: text({ enum: ["sign_in", "link", "reauthenticate"] }).notNull(),
    /** Whoever links an identity or proves again who they are; null at a sign-in. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    nonce: text().notNull(),
    /** PKCE verifier (RFC 7636) for the provider, encrypted. */
    code_verifier: text().notNull(),
    /** `redirect_uri` as it was sent to the provider. */
    callback: text().notNull(),
    /** Destination of the browser in the end: an address of a client, or null for a page of this server. */
    redirect_uri: text(),
    /** The request of an application that the sign-in is for: the query of `/oauth/authorize`. */
    application_request: text(),
    /** `state` and PKCE challenge of the client that the browser goes to in the end. */
    client_state: text(),
    code_challenge: text(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [index("oidc_states_user").on(table.user_id), index("oidc_states_expiry").on(table.expires_at)],
);

/** One-time codes of browsers that came back, each good for one purpose of one user. */
export const oidcCodes = sqliteTable(
  "oidc_codes",
  {
    /** SHA-256 of the code, base64. */
    code_hash: text().primaryKey(),
    browser_hash: text(),
    provider: text().notNull(),
    purpose: text({ enum: ["sign_in", "link", "reauthenticate"] }).notNull(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    issuer: text().notNull(),
    subject: text().notNull(),
    label: text(),
    /** Time at which the provider says that the user signed in there; null if it doesn't say. */
    authenticated_at: time(),
    /** PKCE challenge of a client; null for a page of this server, whose cookie has to match. */
    code_challenge: text(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
  },
  (table) => [index("oidc_codes_user").on(table.user_id), index("oidc_codes_expiry").on(table.expires_at)],
);
