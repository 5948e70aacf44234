import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users } from "../../identity/users/table";
import { flag, id, time } from "../../kernel/db/table";
import { boxes } from "../../sync/boxes/table";
import { CONDITION_TYPES, SEVERITIES, ZONE_EVENTS } from "../kinds";
import { ALERT_STATUSES } from "./words";

/** Alerts, which outlive the rule, the device and the zone that they tell of. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: id(),
    /** The rule, the device and the subject together: one alert of a key that this server raised is open at a time. */
    key: text().notNull(),
    /** Null for the anchor watch, which alerts by itself. */
    rule_id: text(),
    rule_name: text(),
    condition: text({ enum: CONDITION_TYPES }).notNull(),
    /** The crossing that a rule on zones waits for. */
    event: text({ enum: ZONE_EVENTS }),
    severity: text({ enum: SEVERITIES }).notNull(),
    status: text({ enum: ALERT_STATUSES }).notNull(),
    device_id: text(),
    device_name: text(),
    /** A zone, a station, a measure of the installation or a state of the anchor watch; null if the device says it all. */
    subject: text(),
    /** The subject's name, where it has one. */
    subject_name: text(),
    /** The crossing that raised it. */
    crossing_id: text(),
    message: text(),
    value: real(),
    latitude: real(),
    longitude: real(),
    position_at: time(),
    count: integer().notNull().default(1),
    is_corrected: flag().notNull().default(false),
    /** True if the targets were last told that it is open: the end of a return that nobody heard of is not told. */
    is_told: flag().notNull().default(true),
    /** Targets that were told, and are told of what becomes of it. */
    told: text({ mode: "json" }).$type<string[]>().notNull(),
    raised_at: time().notNull(),
    last_seen_at: time().notNull(),
    cleared_at: time(),
    acknowledged_at: time(),
    acknowledged_by: text().references(() => users.id, { onDelete: "set null" }),
    acknowledge_note: text(),
    /** Time at which further targets are told, unless somebody acknowledges it before. */
    escalate_at: time(),
    escalated_at: time(),
    /** The box that raised it; null for one that this server raised. */
    box_id: text().references(() => boxes.id, { onDelete: "set null" }),
  },
  (table) => [
    uniqueIndex("alerts_open").on(table.key).where(sql`cleared_at IS NULL AND box_id IS NULL`),
    index("alerts_key").on(table.key, table.id),
    index("alerts_box").on(table.box_id, table.id).where(sql`box_id IS NOT NULL`),
    index("alerts_device").on(table.device_id, table.id),
    index("alerts_device_open").on(table.device_id).where(sql`cleared_at IS NULL`),
    index("alerts_rule_open").on(table.rule_id).where(sql`cleared_at IS NULL`),
    index("alerts_subject_open").on(table.subject).where(sql`cleared_at IS NULL AND subject IS NOT NULL`),
    index("alerts_status").on(table.status, table.id),
    index("alerts_severity").on(table.severity, table.id),
    index("alerts_crossing").on(table.crossing_id).where(sql`crossing_id IS NOT NULL`),
    index("alerts_escalation").on(table.escalate_at).where(sql`escalate_at IS NOT NULL`),
    index("alerts_age").on(table.raised_at).where(sql`cleared_at IS NOT NULL`),
    index("alerts_acknowledged").on(table.acknowledged_by).where(sql`acknowledged_by IS NOT NULL`),
  ],
);

export type AlertRow = typeof alerts.$inferSelect;
