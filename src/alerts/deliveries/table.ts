import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import { SEVERITIES } from "../kinds";
import { DELIVERY_STATUSES, OCCASIONS } from "./words";

/**
 * The outbox of alerts: one row for each target that is told of an occasion. Rows outlive their target, so that an alert
 * still shows what became of it.
 */
export const notificationDeliveries = sqliteTable(
  "notification_deliveries",
  {
    /** Order in which they were made, whatever the clock said. */
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    target_id: text().notNull(),
    /** Null for the test of a target. */
    alert_id: text(),
    type: text({ enum: OCCASIONS }).notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    /** 0 for alarms, which go before the rest, else 1. */
    urgency: integer().notNull(),
    title: text().notNull(),
    body: text().notNull(),
    /** Data of a webhook's body; null once it was delivered. */
    payload: text({ mode: "json" }).$type<Record<string, unknown>>(),
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    attempts: integer().notNull().default(0),
    /** Place in the sequence of pauses; attempts out of turn don't move it. */
    step: integer().notNull().default(0),
    first_attempt_at: time(),
    last_attempt_at: time(),
    /** Null unless it waits. */
    next_attempt_at: time(),
    finished_at: time(),
    response_status: integer(),
    error: text(),
    duration_ms: integer(),
    created_at: time().notNull(),
  },
  (table) => [
    index("notification_deliveries_waiting")
      .on(table.target_id, table.urgency, table.number, table.next_attempt_at)
      .where(sql`status = 'waiting'`),
    index("notification_deliveries_order")
      .on(table.target_id, table.alert_id, table.number)
      .where(sql`status = 'waiting'`),
    index("notification_deliveries_target").on(table.target_id, table.number),
    index("notification_deliveries_alert").on(table.alert_id, table.number),
    index("notification_deliveries_age").on(table.created_at),
  ],
);
