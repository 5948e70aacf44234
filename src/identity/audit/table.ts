import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { users } from "../users/table";
import { RECORDER_KINDS, REPORT_REASONS, REPORT_STATUSES } from "./words";

/** The audit log, for good: no reference to other tables, so that an event outlives its subjects. */
export const auditEvents = sqliteTable(
  "audit_events",
  {
    id: id(),
    user_id: text(),
    event_type: text().notNull(),
    resource_type: text(),
    resource_id: text(),
    /** The user who acted, if another one than `user_id`. */
    actor_id: text(),
    ip_address: text(),
    user_agent: text(),
    description: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    status: text({ enum: ["success", "failure"] }).notNull(),
    error_message: text(),
    country_code: text(),
    country_name: text(),
    city: text(),
    region: text(),
    source_service: text().notNull(),
    /** The writer of an event from outside; both columns are null for an event that Fairlead wrote itself. */
    recorded_by_kind: text({ enum: RECORDER_KINDS }),
    recorded_by_id: text(),
    is_reported: flag().notNull().default(false),
    created_at: time().notNull(),
    /** The event's place in the chain, from 1 on, and its hash (chain.ts). Null while events of an earlier version are chained. */
    number: integer(),
    hash: blob({ mode: "buffer" }),
    /** SHA-256 of salt, personal fields and free texts; the salt goes with these when an account is scrubbed. */
    personal_hash: blob({ mode: "buffer" }),
    salt: blob({ mode: "buffer" }),
  },
  (table) => [
    // Holds every column that a list of one user's events can be filtered by: counting them reads no row.
    index("audit_events_user").on(
      table.user_id,
      table.created_at,
      table.event_type,
      table.resource_type,
      table.status,
      table.source_service,
      table.is_reported,
    ),
    // The same, for counting the part of a day.
    index("audit_events_time").on(
      table.created_at,
      table.event_type,
      table.resource_type,
      table.status,
      table.source_service,
      table.is_reported,
    ),
    // Leads to one user's events of a kind, however many others there are in the same minute.
    index("audit_events_user_kind").on(
      table.user_id,
      table.event_type,
      table.status,
      table.source_service,
      table.is_reported,
      table.created_at,
      table.resource_type,
    ),
    index("audit_events_type").on(table.event_type, table.created_at),
    index("audit_events_resource").on(table.resource_type, table.created_at),
    index("audit_events_source").on(table.source_service, table.created_at),
    index("audit_events_failures").on(table.created_at).where(sql`status = 'failure'`),
    index("audit_events_reported").on(table.created_at).where(sql`is_reported = 1`),
    index("audit_events_actor").on(table.actor_id).where(sql`actor_id IS NOT NULL`),
  ],
);

/**
 * Number of events per kind and day (UTC, counted from 1970-01-01), kept by triggers (migration 0006), so
 * that a list of everybody's events is counted, and a page of it found, without walking over the events.
 * `audit_user_days` holds the same for each user, `audit_quarters` and `audit_user_minutes` by spans within a day;
 * migrations make these by hand.
 */
export const auditDays = sqliteTable(
  "audit_days",
  {
    day: integer().notNull(),
    event_type: text().notNull(),
    /** Empty for an event about nothing. */
    resource_type: text().notNull(),
    status: text().notNull(),
    source_service: text().notNull(),
    is_reported: flag().notNull(),
    n: integer().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.day,
        table.event_type,
        table.resource_type,
        table.status,
        table.source_service,
        table.is_reported,
      ],
    }),
  ],
);

/** The head of the audit log's chain, in one row. */
export const auditChain = sqliteTable("audit_chain", {
  id: integer().primaryKey(),
  /** The newest event's place and hash; 0 and zeros before the first. */
  number: integer().notNull(),
  hash: blob({ mode: "buffer" }).notNull(),
  /** While events of an earlier version are chained, the newest one that is; empty before the first. Null once all are. */
  chained_to: text(),
  /** The last day (UTC, counted from 1970-01-01) whose head was sent to a notification target; null before the first. */
  told_day: integer(),
});

/** Place and hash of the last event that has aged out, in one row at most: the oldest that is left goes on from there. */
export const auditAnchors = sqliteTable("audit_anchors", {
  number: integer().primaryKey(),
  hash: blob({ mode: "buffer" }).notNull(),
});

/** Users' reports of events that look wrong: one for each event. */
export const auditReports = sqliteTable(
  "audit_reports",
  {
    id: id(),
    audit_event_id: text()
      .notNull()
      .unique()
      .references(() => auditEvents.id, { onDelete: "cascade" }),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    reason: text({ enum: REPORT_REASONS }).notNull(),
    description: text(),
    status: text({ enum: REPORT_STATUSES }).notNull(),
    reviewed_by: text(),
    reviewed_at: time(),
    resolution_notes: text(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    index("audit_reports_user").on(table.user_id, table.id),
    index("audit_reports_status").on(table.status, table.id),
  ],
);
