import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { alertRules } from "../../alerts/rules/table";
import { flag, time } from "../../kernel/db/table";
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
    /** Whoever said what it tells may not see that any more: the box doesn't get it. */
    is_silent: flag().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.box_id, table.rule_id] }),
    index("box_rules_rule").on(table.rule_id),
  ],
);

/** Aboard: one row at most, the set of zones and rules that the shore handed down. */
export const shoreSet = sqliteTable("shore_set", {
  /** Name and version of the set that is applied; null before the first, and where rows of it were changed without a link. */
  tag: text(),
  version: integer(),
  /** Name of a set that could not be applied, the time of the attempt, and the reason. */
  refused_tag: text(),
  refused_at: time(),
  error: text(),
});
