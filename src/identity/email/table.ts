import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/table";
import { users } from "../users/table";

/** Emails that were promised. A message is encrypted until it is delivered or given up, then erased. */
export const emailQueue = sqliteTable(
  "email_queue",
  {
    id: id(),
    kind: text().notNull(),
    /** Whose message it is: it goes with the account. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    /** The whole message, encrypted under the master key and bound to `id`. Null once it is over. */
    message: text(),
    attempts: integer().notNull().default(0),
    next_attempt_at: time(),
    delivered_at: time(),
    /** When the last attempt failed for good. */
    failed_at: time(),
    /** For the operator: why the last attempt failed. Never holds the message. */
    last_error: text(),
    created_at: time().notNull(),
  },
  (table) => [
    index("email_queue_due").on(table.next_attempt_at).where(sql`next_attempt_at IS NOT NULL`),
    index("email_queue_user").on(table.user_id),
  ],
);
