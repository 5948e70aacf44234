import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, time } from "../../kernel/db/table";
import { users } from "../users/table";

/** Queue of emails. A message is encrypted until it is delivered or given up, then erased (rule C7). */
export const emailQueue = sqliteTable(
  "email_queue",
  {
    id: id(),
    kind: text().notNull(),
    /** The user the message belongs to: it goes with the account. */
    user_id: text().references(() => users.id, { onDelete: "cascade" }),
    /** The whole message, encrypted under the master key and bound to `id`. Null once sent or given up. */
    message: text(),
    attempts: integer().notNull().default(0),
    next_attempt_at: time(),
    delivered_at: time(),
    /** Time at which the message was given up. */
    failed_at: time(),
    /** For the operator: the reason why the last attempt failed. Never holds the message. */
    last_error: text(),
    created_at: time().notNull(),
  },
  (table) => [
    index("email_queue_due").on(table.next_attempt_at).where(sql`next_attempt_at IS NOT NULL`),
    index("email_queue_user").on(table.user_id),
  ],
);
