import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { devices } from "../../tracking/devices/table";
import { roles } from "../roles/table";
import { users } from "../users/table";

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: id(),
    /** Null only for a system key that belongs to no user. */
    owner_id: text().references(() => users.id, { onDelete: "cascade" }),
    /** The device whose points this key posts; a device has at most one key. */
    device_id: text()
      .unique()
      .references(() => devices.id, { onDelete: "set null" }),
    /** SHA-256 of the key, base64. */
    key_hash: text().notNull().unique(),
    key_prefix: text().notNull(),
    name: text().notNull(),
    description: text(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    is_active: flag().notNull().default(true),
    is_system: flag().notNull().default(false),
    expires_at: time(),
    last_used_at: time(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [index("api_keys_owner").on(table.owner_id)],
);

export const apiKeyRoles = sqliteTable(
  "api_key_roles",
  {
    api_key_id: text()
      .notNull()
      .references(() => apiKeys.id, { onDelete: "cascade" }),
    role_id: text()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.api_key_id, table.role_id] }),
    index("api_key_roles_role").on(table.role_id),
  ],
);
