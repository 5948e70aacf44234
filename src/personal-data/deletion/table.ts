import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "../../identity/users/table";

/** An identifier that was an account's up to a time, in epoch milliseconds; it may be somebody else's now. */
export interface FormerId {
  id: string;
  until: number;
}

/**
 * Names by which the traces of an account are found after the account itself is gone. A row is written when
 * the account is scrubbed, or earlier when one of its identifiers goes.
 */
export const scrubNames = sqliteTable("scrub_names", {
  user_id: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Addresses that the account signed in with. */
  addresses: text({ mode: "json" }).$type<string[]>().notNull(),
  /** Identifiers of the account on the platforms whose bots write events, the unlinked ones with a time. */
  external_ids: text({ mode: "json" }).$type<(string | FormerId)[]>().notNull(),
});
