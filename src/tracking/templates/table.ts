import { index, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";
import { tripCategories } from "../categories/table";
import { devices } from "../devices/table";
import { locations } from "../locations/table";

export const tripTemplates = sqliteTable(
  "trip_templates",
  {
    id: id(),
    name: text().notNull(),
    description: text(),
    category_id: text().references(() => tripCategories.id, { onDelete: "set null" }),
    origin_id: text().references(() => locations.id, { onDelete: "set null" }),
    destination_id: text().references(() => locations.id, { onDelete: "set null" }),
    device_id: text().references(() => devices.id, { onDelete: "set null" }),
    gps_logging_enabled: flag().notNull().default(false),
    default_weight_kg: real(),
    notes: text(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (table) => [
    index("trip_templates_category").on(table.category_id),
    index("trip_templates_origin").on(table.origin_id),
    index("trip_templates_destination").on(table.destination_id),
    index("trip_templates_device").on(table.device_id),
  ],
);
