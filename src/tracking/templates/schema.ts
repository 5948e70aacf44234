import { name, nullable, optional, out, record, t, text, uuid } from "../../kernel/http/schema";
import { tripTags } from "../trips/schema";

export const TripTemplate = record(
  "TripTemplate",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Weekly supply run"),
    description: nullable(out.string("Description of its trips", "Provisions to the island")),
    category_id: nullable(out.uuid("Category of its trips")),
    origin_id: nullable(out.uuid("The location where they begin")),
    destination_id: nullable(out.uuid("The location where they end")),
    device_id: nullable(out.uuid("The device that tracks them")),
    gps_logging_enabled: out.boolean("Whether the device's positions join them while they are active"),
    default_weight_kg: nullable(out.number("Usual weight of the cargo in kg", 1250)),
    notes: nullable(out.string("Notes", "Call the harbour master before arrival")),
    tags: t.Array(t.String(), { description: "Tags", examples: [["supply"]] }),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "What trips of a kind have in common",
);
export type TripTemplate = (typeof TripTemplate)["static"];

const templateName = name("Name", "Weekly supply run");
const weight = t.Number({ minimum: 0, description: "Weight of the cargo in kg", examples: [1250] });
const fields = {
  description: optional(text("Description of its trips", "Provisions to the island")),
  category_id: optional(uuid("Category of its trips")),
  origin_id: optional(uuid("The location where they begin")),
  destination_id: optional(uuid("The location where they end")),
  device_id: optional(uuid("The device that tracks them")),
  gps_logging_enabled: optional(
    t.Boolean({
      description: "Whether the device's positions join them while they are active; default false",
      examples: [true],
    }),
  ),
  default_weight_kg: optional({ ...weight, description: "Usual weight of the cargo in kg" }),
  notes: optional(text("Notes", "Call the harbour master before arrival")),
  tags: optional(tripTags),
};

export const NewTripTemplate = t.Object({ name: templateName, ...fields }, { title: "NewTripTemplate" });
export type NewTripTemplate = (typeof NewTripTemplate)["static"];

export const TripTemplateChange = t.Object(
  { name: t.Optional(templateName), ...fields },
  { title: "TripTemplateChange" },
);
export type TripTemplateChange = (typeof TripTemplateChange)["static"];

export const TripOfTemplate = t.Object({ weight_kg: weight }, { title: "TripOfTemplate" });
export type TripOfTemplate = (typeof TripOfTemplate)["static"];
