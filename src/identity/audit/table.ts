import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/table";

/** What happened, for good: no reference to other tables, so that an event outlives what it speaks of. */
export const auditEvents = sqliteTable(
  "audit_events",
  {
    id: id(),
    user_id: text(),
    event_type: text().notNull(),
    resource_type: text(),
    resource_id: text(),
    /** Who did it, when that isn't the user itself. */
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
    is_reported: flag().notNull().default(false),
    created_at: time().notNull(),
  },
  (table) => [
    index("audit_events_user").on(table.user_id, table.created_at),
    index("audit_events_actor").on(table.actor_id).where(sql`actor_id IS NOT NULL`),
  ],
);
