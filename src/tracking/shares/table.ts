import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SHARE_LEVELS } from "../../identity/access/share-levels";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { time } from "../../kernel/db/table";
import { devices } from "../devices/table";

/** Devices that single users see, without the permissions that show all of them. */
export const deviceShares = sqliteTable(
  "device_shares",
  {
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    level: text({ enum: SHARE_LEVELS }).notNull(),
    expires_at: time(),
    /** Whoever shares it: it shows no more, and no longer, than this one may see. */
    made_by: text().references(() => users.id, { onDelete: "set null" }),
    made_by_key: text().references(() => apiKeys.id, { onDelete: "set null" }),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.device_id] }),
    index("device_shares_device").on(table.device_id, table.user_id),
    index("device_shares_maker").on(table.made_by),
    index("device_shares_key").on(table.made_by_key),
  ],
);
