import { index, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users } from "../../identity/users/table";
import { flag, id, time } from "../../kernel/db/table";
import { BOT_STATUSES } from "./words";

/** Accounts elsewhere that users connected, with the tokens that act for them. */
export const integrations = sqliteTable(
  "integrations",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    platform: text().notNull(),
    platform_user_id: text().notNull(),
    username: text().notNull(),
    display_name: text(),
    profile_image_url: text(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    is_active: flag().notNull(),
    bot_status: text({ enum: BOT_STATUSES }).notNull(),
    /** Encrypted, bound to this integration; null once there is none. */
    access_token: text(),
    refresh_token: text(),
    token_expires_at: time(),
    /** Time at which the platform last confirmed the token. */
    validated_at: time(),
    connected_at: time().notNull(),
    last_refreshed_at: time(),
    /** Time of removal by its user: the rest of the row then tells a reconnection from a new connection. */
    removed_at: time(),
  },
  (table) => [
    uniqueIndex("integrations_identity").on(table.user_id, table.platform, table.platform_user_id),
    index("integrations_validation").on(table.platform, table.validated_at),
  ],
);

/** Authorizations that are under way (RFC 6749, section 4.1.1): each counts once. */
export const integrationStates = sqliteTable(
  "integration_states",
  {
    /** SHA-256 of the `state` parameter, base64. */
    state_hash: text().notNull(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The credential that started it: the call-back may do no more than that may by then. */
    started_by_kind: text({ enum: ["session", "key", "token"] }).notNull(),
    started_by_hash: text().notNull(),
    platform: text().notNull(),
    /** The address where the browser ends up. */
    redirect_uri: text().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Of PKCE (RFC 7636), encrypted; null for a platform without PKCE. */
    code_verifier: text(),
    expires_at: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.state_hash] }),
    index("integration_states_user").on(table.user_id),
    index("integration_states_expiry").on(table.expires_at),
  ],
);
