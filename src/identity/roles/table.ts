import { index, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { users } from "../users/table";

export const roles = sqliteTable("roles", {
  id: id(),
  name: text().notNull().unique(),
  description: text(),
  is_system: flag().notNull().default(false),
  requires_two_factor: flag().notNull().default(false),
  created_at: time().notNull(),
  updated_at: time().notNull(),
});

export const permissions = sqliteTable(
  "permissions",
  {
    id: id(),
    resource: text().notNull(),
    action: text().notNull(),
    description: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [uniqueIndex("permissions_name").on(table.resource, table.action)],
);

export const rolePermissions = sqliteTable(
  "role_permissions",
  {
    role_id: text()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
    permission_id: text()
      .notNull()
      .references(() => permissions.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.role_id, table.permission_id] })],
);

export const userRoles = sqliteTable(
  "user_roles",
  {
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role_id: text()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.role_id] }),
    index("user_roles_role").on(table.role_id),
  ],
);
