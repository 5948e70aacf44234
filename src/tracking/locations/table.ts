import { sql } from "drizzle-orm";
import { index, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

export const locations = sqliteTable(
  "locations",
  {
    id: id(),
    name: text().notNull(),
    street: text(),
    zip: text(),
    city: text(),
    /** ISO 3166-1 alpha-2, upper case. */
    country: text(),
    latitude: real(),
    longitude: real(),
    notes: text(),
    is_active: flag().notNull().default(true),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    index("locations_name").on(sql`name COLLATE NOCASE`, table.id),
    index("locations_place").on(table.latitude, table.longitude).where(sql`latitude IS NOT NULL`),
  ],
);

export const locationContacts = sqliteTable(
  "location_contacts",
  {
    id: id(),
    location_id: text()
      .notNull()
      .references(() => locations.id, { onDelete: "cascade" }),
    name: text().notNull(),
    phone: text(),
    email: text(),
    role: text(),
    created_at: time().notNull(),
  },
  (table) => [index("location_contacts_location").on(table.location_id, table.id)],
);
