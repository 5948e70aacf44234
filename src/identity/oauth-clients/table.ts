import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { users } from "../users/table";
import { CLIENT_TYPES } from "./client-types";

/** Applications that sign users in through this installation (RFC 6749, section 2). */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: id(),
    owner_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    description: text(),
    logo_url: text(),
    homepage_url: text(),
    privacy_policy_url: text(),
    terms_of_service_url: text(),
    redirect_uris: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Addresses to which a sign-out may lead (OpenID Connect RP-Initiated Logout 1.0, section 3.1). */
    post_logout_redirect_uris: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    allowed_scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Permissions among `allowed_scopes` that an administrator has approved. */
    approved_scopes: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    client_type: text({ enum: CLIENT_TYPES }).notNull(),
    /** SHA-256 of the secret, base64; null for a public client, which can't keep one. */
    secret_hash: text(),
    is_active: flag().notNull().default(true),
    is_first_party: flag().notNull().default(false),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [index("oauth_clients_owner").on(table.owner_id)],
);
