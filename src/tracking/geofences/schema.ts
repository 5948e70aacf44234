import {
  change,
  characters,
  json,
  jsonObjectOrNull,
  latitude,
  longitude,
  name,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  text,
} from "../../kernel/http/schema";
import { boxIds, handed } from "../../sync/owner/schema";
import { KINDS } from "./kinds";

const Metadata = jsonObjectOrNull({
  description: "Any JSON object, at most 16 KiB; sent along with the zone's events",
  examples: [{ berth: "N4", pilotage: true }],
});

const EXAMPLE_RING = [
  [13.44, 54.09],
  [13.47, 54.09],
  [13.46, 54.1],
  [13.44, 54.09],
];

/** GeoJSON. Checked corner by corner in shape-check.ts, so that an error names the corner. */
const Geometry = json({
  description:
    "GeoJSON (RFC 7946), edges along great circles: of a `polygon` a Polygon or a MultiPolygon with holes, 3 to 2,000 corners in all; of a `corridor` a LineString of 2 to 500 points. It may cross the 180th meridian and surround no pole. Null for a circle",
  examples: [{ type: "Polygon", coordinates: [EXAMPLE_RING] }],
  "x-expected": "must be a GeoJSON geometry",
  "x-shown": {
    type: ["object", "null"],
    items: null,
    required: ["type", "coordinates"],
    properties: {
      type: { type: "string", enum: ["Polygon", "MultiPolygon", "LineString"], description: "Its form" },
      coordinates: {
        type: "array",
        maxItems: 2_000,
        items: { type: "array", maxItems: 2_001, items: {} },
        description: "Places as [longitude, latitude] in degrees, nested as the form has it",
      },
    },
  },
});

const width = "Metres to either side of a corridor's line";
const kind = oneOf(
  KINDS,
  "`circle`; `polygon`: one or several polygons with holes; `corridor`: the stretch along a line",
);

const seconds = (description: string) =>
  t.Integer({ minimum: 0, maximum: 86_400, description, examples: [30] });

/** The rules by which a device changes sides. */
const rules = {
  enter_after_s: seconds("A device enters once it has been inside for so many seconds"),
  exit_after_s: seconds("A device leaves once it has been outside for so many seconds"),
  confirm_fixes: t.Integer({
    minimum: 1,
    maximum: 10,
    description:
      "Positions in a row on the other side that make a device change sides. The crossing has time and place of the first of them, and is told with the last",
    examples: [2],
  }),
};
const limits = {
  exit_margin_m: t.Number({
    minimum: 0,
    maximum: 100_000,
    description:
      "Metres beyond the border at which leaving counts; null: `geofence.exit_margin_m` of the system config",
    examples: [10],
  }),
  max_accuracy_m: t.Number({
    minimum: 0,
    maximum: 1_000_000,
    description:
      "Positions with a larger `accuracy_m` count for nothing here; 0: all count; null: `geofence.max_accuracy_m` of the system config",
    examples: [50],
  }),
  dwell_seconds: t.Integer({
    minimum: 1,
    maximum: 31_536_000,
    description: "A device that stays inside for so many seconds causes a `dwell`; null: none does",
    examples: [3_600],
  }),
  color: characters({
    minLength: 1,
    maxLength: 64,
    description: "The colour in which maps show it, in words that your clients understand",
    examples: ["#3b82f6"],
  }),
};

export const Geofence = record(
  "Geofence",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Harbour of Greifswald"),
    description: nullable(out.string("What the zone is for", "Guest berths and the yard")),
    kind,
    geometry: Geometry,
    width_m: nullable(out.number(`${width}; null for other kinds`, 50)),
    latitude: out.number(
      "Latitude of the centre, in degrees; of another kind that of a circle around it",
      54.0967,
    ),
    longitude: out.number("Longitude of the centre, in degrees", 13.4553),
    radius_km: out.number("Radius in kilometres; of another kind that of a circle around it", 0.8),
    is_active: out.boolean("Whether the zone is watched"),
    enter_after_s: rules.enter_after_s,
    exit_after_s: rules.exit_after_s,
    confirm_fixes: rules.confirm_fixes,
    exit_margin_m: nullable(limits.exit_margin_m),
    max_accuracy_m: nullable(limits.max_accuracy_m),
    dwell_seconds: nullable(limits.dwell_seconds),
    color: nullable(out.string("The colour in which maps show it", "#3b82f6")),
    metadata: Metadata,
    ...handed("zone"),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A zone whose border is watched",
);
export type Geofence = (typeof Geofence)["static"];

const circle = {
  latitude: latitude(
    "Latitude of the centre, in degrees. Required of a circle, left out of account for other kinds",
  ),
  longitude: longitude("Longitude of the centre, in degrees; likewise"),
  radius_km: t.Number({
    exclusiveMinimum: 0,
    maximum: 20_038,
    description: "Radius in kilometres; likewise",
    examples: [0.8],
  }),
};
const shape = {
  kind,
  geometry: Geometry,
  width_m: nullable(
    t.Number({ minimum: 1, maximum: 100_000, description: `${width}, required of one`, examples: [50] }),
  ),
};
const fields = t.Partial(t.Object({ ...circle, ...shape, ...rules })).properties;
const optionals = {
  description: optional(text("What the zone is for", "Guest berths and the yard")),
  exit_margin_m: optional(limits.exit_margin_m),
  max_accuracy_m: optional(limits.max_accuracy_m),
  dwell_seconds: optional(limits.dwell_seconds),
  color: optional(limits.color),
  metadata: t.Optional(Metadata),
  box_ids: t.Optional(boxIds("zone")),
};
const zoneName = name("Name", "Harbour of Greifswald");

export const NewGeofence = t.Object(
  { name: zoneName, ...fields, ...optionals },
  {
    title: "NewGeofence",
    examples: [
      { name: "Harbour of Greifswald", latitude: 54.0967, longitude: 13.4553, radius_km: 0.8 },
      {
        name: "Yard",
        kind: "polygon",
        geometry: { type: "Polygon", coordinates: [EXAMPLE_RING] },
        confirm_fixes: 2,
        dwell_seconds: 3_600,
      },
    ],
  },
);
export type NewGeofence = (typeof NewGeofence)["static"];

export const GeofenceChange = change(
  "GeofenceChange",
  {
    name: t.Optional(zoneName),
    ...fields,
    ...optionals,
    is_active: t.Optional(t.Boolean({ description: "false switches the zone off", examples: [false] })),
  },
  [{ name: "Harbour of Wieck", radius_km: 0.5 }],
);
export type GeofenceChange = (typeof GeofenceChange)["static"];
