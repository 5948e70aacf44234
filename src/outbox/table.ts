import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "../identity/users/table";
import { time } from "../kernel/db/table";
import { STATUSES } from "./words";

/**
 * The outbox: one row for each email, and for each notification target that is told of an occasion. Rows outlive the target,
 * so that an alert still shows what became of it.
 */
export const outbox = sqliteTable(
  "outbox",
  {
    /** Order in which they were made, whatever the clock said. */
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    /** `email`, or the identifier of a target. A lane that fails holds no other back. */
    lane: text().notNull(),
    /** The alert, whose rows go out one after the other in each lane. Null for emails and the test of a target. */
    alert_id: text(),
    /** The kind of an email, or the occasion of a notification. */
    kind: text().notNull(),
    /** Null for emails. */
    severity: text({ enum: ["info", "warning", "alarm"] }),
    /** 0 for alarms, which go before the rest, else 1. */
    urgency: integer().notNull(),
    /** The user an email belongs to: it goes with the account. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    /**
     * The content, in the form of its sender: an email encrypted under the master key and bound to `id`, since it may hold a
     * token (rule C7); a notification as JSON. Null once nothing will be sent any more.
     */
    message: text(),
    status: text({ enum: STATUSES }).notNull(),
    attempts: integer().notNull().default(0),
    /** Place in the sequence of pauses; attempts out of turn don't move it. */
    step: integer().notNull().default(0),
    first_attempt_at: time(),
    last_attempt_at: time(),
    /** Null unless it waits. */
    next_attempt_at: time(),
    finished_at: time(),
    response_status: integer(),
    /** For the operator: why the last attempt failed, or what to know of one that did not. Never holds the message. */
    error: text(),
    duration_ms: integer(),
    created_at: time().notNull(),
  },
  (table) => [
    index("outbox_waiting")
      .on(table.lane, table.urgency, table.number, table.next_attempt_at)
      .where(sql`status = 'waiting'`),
    index("outbox_order").on(table.lane, table.alert_id, table.number).where(sql`status = 'waiting'`),
    index("outbox_lane").on(table.lane, table.number),
    index("outbox_alert").on(table.alert_id, table.number).where(sql`alert_id IS NOT NULL`),
    index("outbox_user").on(table.user_id).where(sql`user_id IS NOT NULL`),
    index("outbox_age").on(table.created_at),
  ],
);

export type OutboxRow = typeof outbox.$inferSelect;
