import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/table";
import { users } from "../users/table";

/** argon2id hashes in PHC string format; a user without a row can't sign in with a password. */
export const passwords = sqliteTable("passwords", {
  user_id: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  hash: text().notNull(),
  changed_at: time().notNull(),
});
