import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";

/** The times at which positions of watched devices last arrived, as far as they are written down. */
export const deviceArrivals = sqliteTable("device_arrivals", {
  device_id: text().primaryKey(),
  arrived_at: time().notNull(),
});

/** One row: the time until which this server is known to have run. */
export const serverLife = sqliteTable("server_life", {
  id: integer().primaryKey(),
  alive_at: time().notNull(),
});
