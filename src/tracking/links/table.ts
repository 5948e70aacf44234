import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../../identity/api-keys/table";
import { users } from "../../identity/users/table";
import { id, time } from "../../kernel/db/table";
import { devices } from "../devices/table";
import { geofences } from "../geofences/table";
import { trips } from "../trips/table";
import { LINK_LEVELS } from "./kinds";

/** Links that show devices, or a trip, to whoever has them. */
export const shareLinks = sqliteTable(
  "share_links",
  {
    id: id(),
    /** SHA-256 of the token, base64. */
    token_hash: text().notNull().unique(),
    label: text(),
    level: text({ enum: LINK_LEVELS }).notNull(),
    /** The trip that it shows; null for one that shows devices. */
    trip_id: text().references(() => trips.id, { onDelete: "cascade" }),
    /** The span of fix times that it shows; null for no bound. */
    from_time: time(),
    to_time: time(),
    expires_at: time().notNull(),
    delay_seconds: integer().notNull().default(0),
    precision_m: real(),
    /** Whoever shows it: it shows nothing that this one may not see. */
    made_by: text().references(() => users.id, { onDelete: "cascade" }),
    made_by_key: text().references(() => apiKeys.id, { onDelete: "cascade" }),
    opened_count: integer().notNull().default(0),
    last_opened_at: time(),
    created_at: time().notNull(),
  },
  (table) => [
    index("share_links_trip").on(table.trip_id),
    index("share_links_maker").on(table.made_by),
    index("share_links_key").on(table.made_by_key),
    index("share_links_expiry").on(table.expires_at),
  ],
);

/** The devices that a link shows. */
export const shareLinkDevices = sqliteTable(
  "share_link_devices",
  {
    link_id: text()
      .notNull()
      .references(() => shareLinks.id, { onDelete: "cascade" }),
    device_id: text()
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.link_id, table.device_id] }),
    index("share_link_devices_device").on(table.device_id),
  ],
);

/** The zones in which a link shows nothing. A zone that is deleted ends the link before: it would show more otherwise. */
export const shareLinkZones = sqliteTable(
  "share_link_zones",
  {
    link_id: text()
      .notNull()
      .references(() => shareLinks.id, { onDelete: "cascade" }),
    geofence_id: text()
      .notNull()
      .references(() => geofences.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.link_id, table.geofence_id] }),
    index("share_link_zones_zone").on(table.geofence_id),
  ],
);
