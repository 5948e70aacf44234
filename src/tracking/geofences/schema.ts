import {
  change,
  jsonObjectOrNull,
  latitude,
  longitude,
  name,
  nullable,
  optional,
  out,
  record,
  t,
  text,
} from "../../kernel/http/schema";

const Metadata = jsonObjectOrNull({
  description: "Any JSON object, at most 16 KiB; sent along with the zone's events",
  examples: [{ berth: "N4", pilotage: true }],
});

const radius = t.Number({
  exclusiveMinimum: 0,
  maximum: 20_038,
  description: "Radius in kilometres",
  examples: [0.8],
});

export const Geofence = record(
  "Geofence",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Harbour of Greifswald"),
    description: nullable(out.string("What the zone is for", "Guest berths and the yard")),
    latitude: out.number("Latitude of the centre, in degrees", 54.0967),
    longitude: out.number("Longitude of the centre, in degrees", 13.4553),
    radius_km: out.number("Radius in kilometres", 0.8),
    is_active: out.boolean("Whether the zone is watched"),
    metadata: Metadata,
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A circular zone whose border is watched",
);
export type Geofence = (typeof Geofence)["static"];

const fields = {
  name: name("Name", "Harbour of Greifswald"),
  latitude: latitude("Latitude of the centre, in degrees"),
  longitude: longitude("Longitude of the centre, in degrees"),
  radius_km: radius,
};
const description = text("What the zone is for", "Guest berths and the yard");

export const NewGeofence = t.Object(
  { ...fields, description: optional(description), metadata: t.Optional(Metadata) },
  { title: "NewGeofence" },
);
export type NewGeofence = (typeof NewGeofence)["static"];

export const GeofenceChange = change("GeofenceChange", {
  ...t.Partial(t.Object(fields)).properties,
  description: optional(description),
  metadata: t.Optional(Metadata),
  is_active: t.Optional(t.Boolean({ description: "false switches the zone off", examples: [false] })),
});
export type GeofenceChange = (typeof GeofenceChange)["static"];
