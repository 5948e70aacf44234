import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { time } from "../../kernel/db/table";
import { devices } from "../../tracking/devices/table";
import { alertRules } from "../rules/table";

/** Conditions that hold, but not for long enough yet. */
export const heldConditions = sqliteTable(
  "alert_conditions",
  {
    rule_id: text()
      .notNull()
      .references(() => alertRules.id, { onDelete: "cascade" }),
    /** Empty for a condition of no device. */
    device_id: text().notNull(),
    /** Empty where the device says it all. */
    subject: text().notNull(),
    since: time().notNull(),
    /** Time at which it has held for long enough. */
    due_at: time().notNull(),
    /** The sight that is told of then. */
    sighting: text({ mode: "json" }).$type<StoredSighting>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.rule_id, table.device_id, table.subject] }),
    index("alert_conditions_device").on(table.device_id),
    index("alert_conditions_due").on(table.due_at),
  ],
);

/** A look at a condition. */
export interface StoredSighting {
  value: number | null;
  place: { latitude: number; longitude: number; time: number } | null;
  crossingId: string | null;
}

/**
 * The zones that devices were in when alerts last compared them, for devices whose crossings have gone untold since: they
 * are late, or of old positions.
 */
export const untoldSides = sqliteTable("alert_untold_sides", {
  device_id: text()
    .primaryKey()
    .references(() => devices.id, { onDelete: "cascade" }),
  sides: text({ mode: "json" }).$type<StoredSide[]>().notNull(),
});

export interface StoredSide {
  zoneId: string;
  hasDwelled: boolean;
}
