import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "../../identity/users/table";
import { id, time } from "../../kernel/db/table";

/**
 * Boxes: servers aboard that tell this one what they keep. What a box sent carries its identifier in `box_id` and can't be
 * changed here; a box that is deleted leaves its rows to this server, with `box_id` null.
 */
export const boxes = sqliteTable("boxes", {
  id: id(),
  name: text().notNull(),
  /** SHA-256 of the token. */
  token_hash: text().notNull().unique(),
  token_prefix: text().notNull(),
  /** Null for one made by a system key, or by an account that is gone. */
  created_by: text().references(() => users.id, { onDelete: "set null" }),
  created_at: time().notNull(),
  updated_at: time().notNull(),

  // Told by its pushes.
  /** The box's own run of numbers; null before its first push. */
  epoch: text(),
  /** For each lane the highest number that is held without a gap. */
  acknowledged: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  last_contact_at: time(),
  /** Rows that it has yet to send, by its own estimate. */
  backlog_estimate: integer(),
  /** Bytes of its requests on a day in UTC (`YYYY-MM-DD`). */
  bytes_today: integer().notNull().default(0),
  bytes_date: text(),
  /** Its clock less this one's. */
  clock_offset_ms: integer(),
  /** The version of its Fairlead. */
  version: text(),
  /** Positions that it gave up before it could send them, since too much waited. */
  skipped_rows: integer().notNull().default(0),
  /** Rows of it that were refused, as one whose identifier is another's. */
  refused_rows: integer().notNull().default(0),

  // Zones and rules on their way down.
  /** Rises with each change of what is assigned to it; 0 before the first. */
  assigned_version: integer().notNull().default(0),
  /** Another one with each version, also after a restore; null before the first. */
  assigned_tag: text(),
  /** The version that it told to hold. */
  applied_version: integer(),
  /** The reason for which it doesn't hold the assigned one, in its own words. */
  error: text(),

  /** When it was deleted: the row stays until its trips and alerts are this server's own. */
  ended_at: time(),
});

export type BoxRow = typeof boxes.$inferSelect;
