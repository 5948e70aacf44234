import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "../../identity/users/table";
import { id, time } from "../../kernel/db/table";

/** The exports that users made of their data. The archives themselves are not stored. */
export const exportLogs = sqliteTable(
  "export_logs",
  {
    id: id(),
    user_id: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    exported_at: time().notNull(),
    ip_address: text(),
    user_agent: text(),
    export_format: text().notNull(),
    file_size_bytes: integer().notNull(),
    locale: text().notNull(),
    created_at: time().notNull(),
  },
  (table) => [
    index("export_logs_user").on(table.user_id, table.id),
    index("export_logs_time").on(table.created_at),
  ],
);
