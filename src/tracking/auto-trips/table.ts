import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { trips } from "../trips/table";

/** Devices that make trips by themselves: how far their timelines were looked at, and the trip that they have begun. */
export const autoTrips = sqliteTable(
  "auto_trips",
  {
    device_id: text()
      .primaryKey()
      .references(() => devices.id, { onDelete: "cascade" }),
    /** Null for none: one that was begun by hand is never here. */
    trip_id: text().references(() => trips.id, { onDelete: "set null" }),
    /** Segments that begin before this fix time are settled. */
    settled_to: time().notNull(),
  },
  (table) => [index("auto_trips_trip").on(table.trip_id)],
);
