import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { flag, id, time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { TRACKER_FORMATS } from "./formats";

/** Credentials of apps: each can post positions of one device, and nothing else. */
export const trackers = sqliteTable(
  "trackers",
  {
    id: id(),
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    name: text().notNull(),
    format: text({ enum: TRACKER_FORMATS }).notNull(),
    /** SHA-256 of the token. */
    token_hash: text().notNull().unique(),
    token_prefix: text().notNull(),
    send_zones: flag().notNull().default(false),
    /** The secret of OwnTracks' payload encryption, encrypted with the master key. */
    encryption_key: text(),
    /** Its maker, whose rights it needs: a user, or a system key that is nobody's. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    api_key_id: text().references(() => apiKeys.id, { onDelete: "cascade" }),
    is_active: flag().notNull().default(true),
    expires_at: time(),
    last_used_at: time(),
    rejected_total: integer().notNull().default(0),
    last_rejection_at: time(),
    last_rejection_reason: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    index("trackers_device").on(table.device_id, table.id),
    index("trackers_user").on(table.user_id),
  ],
);
