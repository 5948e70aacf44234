import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { flag, id, time } from "../../kernel/db/table";
import { LOCALES } from "../../kernel/values/bilingual";
import type { StoredSchedule } from "../schedules/days";
import { TARGET_KINDS } from "./kinds";

/** The open part of where a target leads: the fields of its kind that are no secrets. */
export interface TargetSettings {
  url?: string;
  to?: string;
  server_url?: string;
  topic?: string;
  chat_id?: string;
}

/** A secret that was rotated out. */
export interface FormerSecret {
  /** Encrypted as the secret is. */
  secret: string;
  /** Epoch milliseconds until which it counts. */
  until: number;
}

/** Places that alerts are sent to. */
export const notificationTargets = sqliteTable(
  "notification_targets",
  {
    id: id(),
    name: text().notNull(),
    kind: text({ enum: TARGET_KINDS }).notNull(),
    settings: text({ mode: "json" }).$type<TargetSettings>().notNull(),
    /** The secret of a webhook, or the token of another kind, encrypted under the master key and bound to `id`. */
    secret: text(),
    /** The secret before the last rotation, which counts beside the new one until `former_secret_until`. */
    former_secret: text(),
    former_secret_until: time(),
    /** Those before earlier rotations, the newest first, each with its own end; null for none. */
    older_secrets: text({ mode: "json" }).$type<FormerSecret[]>(),
    is_active: flag().notNull().default(true),
    /** Used where no targets are named. */
    is_default: flag().notNull().default(false),
    quiet: text({ mode: "json" }).$type<StoredSchedule>(),
    locale: text({ enum: LOCALES }).notNull(),
    /** The user, or the system key, that said where it leads, and whose rights bound what it tells. */
    user_id: text().references(() => users.id, { onDelete: "set null" }),
    api_key_id: text().references(() => apiKeys.id, { onDelete: "set null" }),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    index("notification_targets_user").on(table.user_id),
    index("notification_targets_key").on(table.api_key_id),
  ],
);
