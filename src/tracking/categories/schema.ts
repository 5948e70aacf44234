import { change, name, nullable, optional, out, record, t, text, uuid } from "../../kernel/http/schema";

export const TripCategory = record(
  "TripCategory",
  {
    id: out.uuid("Identifier"),
    parent_id: nullable(out.uuid("The category above; null at the top")),
    name: out.string("Name", "Transfers"),
    description: nullable(out.string("What belongs here", "Without passengers")),
    color: nullable(out.string("Colour", "#0b4f8a")),
    is_active: out.boolean("Whether it is in use"),
    sort_order: out.integer("Place among the others; lower ones come first", 0),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A kind of trip",
);
export type TripCategory = (typeof TripCategory)["static"];

const categoryName = name("Name", "Transfers");
const fields = {
  description: optional(text("What belongs here", "Without passengers")),
  color: optional(
    t.String({
      pattern: "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
      "x-expected": "must be a colour such as #0b4f8a or #fff",
      description: "Colour: `#rgb` or `#rrggbb`",
      examples: ["#0b4f8a"],
    }),
  ),
  sort_order: optional(
    t.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description: "Place among the others; lower ones come first; default 0",
      examples: [0],
    }),
  ),
};

export const NewTripCategory = t.Object(
  { name: categoryName, parent_id: optional(uuid("The category above")), ...fields },
  { title: "NewTripCategory" },
);
export type NewTripCategory = (typeof NewTripCategory)["static"];

export const TripCategoryChange = change("TripCategoryChange", {
  name: t.Optional(categoryName),
  ...fields,
  is_active: t.Optional(t.Boolean({ description: "Whether it is in use", examples: [true] })),
});
export type TripCategoryChange = (typeof TripCategoryChange)["static"];
