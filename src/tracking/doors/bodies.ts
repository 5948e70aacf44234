/** The bodies that apps send, for readers of the document alone: a body is never refused for its form. */

interface Body {
  types: readonly string[];
  schema: { type: string | string[]; items?: { type: string }; description: string; examples: unknown[] };
}

const json = (description: string, example: unknown): Body => ({
  types: ["application/json"],
  schema: {
    ...(Array.isArray(example)
      ? { type: ["array", "object"], items: { type: "object" } }
      : { type: "object" }),
    description,
    examples: [example],
  },
});

const feature = (properties: object) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [13.4553, 54.0967] },
  properties,
});

export const BODIES = {
  ownTracks: json(
    "A message of OwnTracks; of type `location`, or `encrypted` with one in it, it is a position",
    {
      _type: "location",
      lat: 54.0967,
      lon: 13.4553,
      tst: 1_777_887_000,
      vel: 14,
      cog: 212,
      acc: 8,
      batt: 82,
    },
  ),
  osmAnd: json(
    "A position as Traccar Client 9 sends it; other apps send parameters in the query, or a form",
    {
      location: {
        timestamp: "2026-05-04T09:30:00.000Z",
        coords: {
          latitude: 54.0967,
          longitude: 13.4553,
          accuracy: 8,
          speed: 3.8,
          heading: 212,
          altitude: 3,
        },
        battery: { level: 0.82 },
      },
      device_id: "greif",
    },
  ),
  overland: json("A batch of Overland; events of the app and summaries of trips in it are left alone", {
    locations: [
      feature({
        timestamp: "2026-05-04T09:30:00Z",
        speed: 4,
        course: 212,
        horizontal_accuracy: 8,
        battery_level: 0.82,
      }),
    ],
  }),
  dawarich: json(
    "A batch as GPSLogger sends it to Dawarich: 0.0 for what is unknown, the battery in percent",
    {
      locations: [
        feature({ timestamp: "2026-05-04T11:30:00.000+02:00", speed: 3.8, course: 212.4, battery_level: 82 }),
      ],
    },
  ),
  gpsLogger: json("The parameters as JSON; they may also come in the query, or as a form", {
    lat: 54.0967,
    lon: 13.4553,
    timestamp: 1_777_887_000,
    speed_mps: 3.8,
    heading: 212.4,
    hdop: 0.9,
  }),
  traccar: json("A position that Traccar forwards (`forward.type` json)", {
    position: {
      id: 0,
      fixTime: "2026-05-04T09:30:00.000+00:00",
      valid: true,
      latitude: 54.0967,
      longitude: 13.4553,
      speed: 7.4,
      course: 212.4,
      attributes: { batteryLevel: 82 },
    },
    device: { id: 1, uniqueId: "860123045678901" },
  }),
  generic: json(
    "A position with `latitude`, `longitude` and `timestamp` (Unix seconds or ISO 8601) and, as far as known, `altitude`, `heading`, one of the four speeds, `pdop`, `hdop`, `vdop`, `accuracy_m`, `battery_percent`; an array of such; or a GeoJSON Feature or FeatureCollection of Points with `timestamp` among their properties",
    [{ latitude: 54.0967, longitude: 13.4553, timestamp: 1_777_887_000, speed_knots: 7.4, heading: 212.4 }],
  ),
} as const satisfies Record<string, Body>;
