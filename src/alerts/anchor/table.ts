import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { time } from "../../kernel/db/table";
import { devices } from "../../tracking/devices/table";
import { SEVERITIES } from "../kinds";
import type { AnchorState } from "./machine";

/** Boats at anchor that are watched. */
export const anchorWatches = sqliteTable(
  "anchor_watches",
  {
    device_id: text()
      .primaryKey()
      .references(() => devices.id, { onDelete: "cascade" }),
    latitude: real().notNull(),
    longitude: real().notNull(),
    radius_m: real().notNull(),
    warning_radius_m: real(),
    silence_seconds: integer().notNull(),
    confirm_fixes: integer().notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    /** Null for all targets that are used by default. */
    target_ids: text({ mode: "json" }).$type<string[]>(),
    dropped_at: time().notNull(),
    /** When `silence_seconds` was set: silence counts from here, or from a later position. */
    set_at: time().notNull(),
    state: text({ mode: "json" }).$type<AnchorState>().notNull(),
    max_distance_m: real().notNull(),
    /** The user, or the system key, that set it: it tells no more than this one may see. */
    user_id: text().references(() => users.id, { onDelete: "set null" }),
    api_key_id: text().references(() => apiKeys.id, { onDelete: "set null" }),
    updated_at: time().notNull(),
  },
  (table) => [
    index("anchor_watches_user").on(table.user_id),
    index("anchor_watches_key").on(table.api_key_id),
  ],
);

export type WatchRow = typeof anchorWatches.$inferSelect;
