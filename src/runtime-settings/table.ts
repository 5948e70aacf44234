import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../kernel/db/table";

/** One row per key of the catalogue, seeded at start-up: see `catalogue.ts`. */
export const systemConfig = sqliteTable("system_config", {
  key: text().primaryKey(),
  value: text({ mode: "json" }).$type<unknown>().notNull(),
  updated_at: time().notNull(),
});
