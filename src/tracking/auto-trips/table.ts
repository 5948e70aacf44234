import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { trips } from "../trips/table";

/** Trips that a device has begun by itself and not ended yet: those that were begun by hand are left alone. */
export const autoTrips = sqliteTable(
  "auto_trips",
  {
    trip_id: text()
      .primaryKey()
      .references(() => trips.id, { onDelete: "cascade" }),
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
    /** The fix at which its move began. */
    moved_from: time().notNull(),
  },
  (table) => [index("auto_trips_device").on(table.device_id)],
);
