import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { alertRules } from "../../alerts/rules/table";
import { time } from "../../kernel/db/table";
import { geofences } from "../../tracking/geofences/table";
import { boxes } from "../boxes/table";

/** Ashore: the zones that are handed to boxes. */
export const boxZones = sqliteTable(
  "box_zones",
  {
    box_id: text()
      .notNull()
      .references(() => boxes.id, { onDelete: "cascade" }),
    geofence_id: text()
      .notNull()
      .references(() => geofences.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.box_id, table.geofence_id] }),
    index("box_zones_zone").on(table.geofence_id),
  ],
);

/** Ashore: the alert rules that are handed to boxes. */
export const boxRules = sqliteTable(
  "box_rules",
  {
    box_id: text()
      .notNull()
      .references(() => boxes.id, { onDelete: "cascade" }),
    rule_id: text()
      .notNull()
      .references(() => alertRules.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.box_id, table.rule_id] }),
    index("box_rules_rule").on(table.rule_id),
  ],
);

/** Aboard: one row, the set of zones and rules that the shore assigned. */
export const shoreSet = sqliteTable("shore_set", {
  /** Of the set that is applied; null before the first. */
  version: integer(),
  applied_at: time(),
  /** Of a newer set that could not be applied, and the reason. */
  refused_version: integer(),
  error: text(),
});
