import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { flag, id, time } from "../../kernel/db/table";
import type { StoredCondition } from "../kinds";
import { SEVERITIES } from "../kinds";
import type { StoredSchedule } from "../schedules/days";

/** Rules by which alerts are raised. */
export const alertRules = sqliteTable(
  "alert_rules",
  {
    id: id(),
    name: text().notNull(),
    is_active: flag().notNull().default(true),
    /** Its last device or zone was deleted, and nobody has said since which ones it is to watch. */
    is_orphaned: flag().notNull().default(false),
    severity: text({ enum: SEVERITIES }).notNull(),
    /** Empty for all devices. */
    device_ids: text({ mode: "json" }).$type<string[]>().notNull(),
    condition: text({ mode: "json" }).$type<StoredCondition>().notNull(),
    hold_seconds: integer().notNull().default(0),
    cooldown_seconds: integer().notNull(),
    schedule: text({ mode: "json" }).$type<StoredSchedule>(),
    /** Null for all targets that are used by default. */
    target_ids: text({ mode: "json" }).$type<string[]>(),
    escalate_after_seconds: integer(),
    escalate_target_ids: text({ mode: "json" }).$type<string[]>(),
    message: text(),
    /** The user, or the system key, that said what it tells: it tells no more than this one may see. */
    user_id: text().references(() => users.id, { onDelete: "set null" }),
    api_key_id: text().references(() => apiKeys.id, { onDelete: "set null" }),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    /** Aboard a box: the rule is the shore's, and changed there alone. */
    is_from_shore: flag().notNull().default(false),
  },
  (table) => [index("alert_rules_user").on(table.user_id), index("alert_rules_key").on(table.api_key_id)],
);

export type StoredRule = typeof alertRules.$inferSelect;
