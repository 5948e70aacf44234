import { moment, nullable, oneOf, out, queryInteger, queryNumber, record, t } from "../../kernel/http/schema";
import { FILE_FORMATS } from "./forms";

export const TRACK_FORMATS = ["json", ...FILE_FORMATS] as const;
export type TrackFormat = (typeof TRACK_FORMATS)[number];

export const MEDIA_TYPES: Record<TrackFormat, string> = {
  json: "application/json",
  geojson: "application/geo+json",
  gpx: "application/gpx+xml",
  kml: "application/vnd.google-earth.kml+xml",
  csv: "text/csv",
};

export const DEFAULT_POINTS = 5_000;
export const DEFAULT_GAP_SECONDS = 600;

export const TrackQuery = t.Object({
  from: t.Optional(moment("Only positions at or after this time, or from this day (UTC) on")),
  to: t.Optional(moment("Only positions at or before this time, or up to the end of this day (UTC)")),
  tolerance_m: t.Optional(
    queryNumber({
      minimum: 0,
      maximum: 1_000_000,
      description:
        "Metres. Points are left out (Douglas and Peucker) that lie within it of the line that stays",
      examples: [10],
    }),
  ),
  max_points: t.Optional(
    queryInteger({
      minimum: 2,
      maximum: 20_000,
      default: DEFAULT_POINTS,
      description:
        "Without `tolerance_m`: the smallest tolerance is taken at which no more points stay. The ends of each piece stay also beyond it",
      examples: [DEFAULT_POINTS],
    }),
  ),
  gap_seconds: t.Optional(
    queryInteger({
      minimum: 1,
      maximum: 31_536_000,
      default: DEFAULT_GAP_SECONDS,
      description: "A longer pause between two positions begins a new piece",
      examples: [DEFAULT_GAP_SECONDS],
    }),
  ),
  format: t.Optional(
    oneOf(
      TRACK_FORMATS,
      "The form of the answer; without it, `Accept` says it. Files hold all positions unless `tolerance_m` is given",
    ),
  ),
});
export type TrackQuery = (typeof TrackQuery)["static"];

const Point = t.Array(t.Union([t.Number(), t.Null()]), {
  minItems: 5,
  maxItems: 5,
  description:
    "Longitude and latitude in degrees, Unix time in seconds, speed in metres a second and altitude in metres, the last two null where they are unknown",
  examples: [[13.41, 54.09, 1_777_887_000, 3.6, null]],
});

export const Track = record(
  "Track",
  {
    device_id: nullable(out.uuid("The device; null for a trip without one")),
    from: out.time("Begin of the span"),
    to: out.time("End of the span"),
    points_total: out.integer("Positions in the span", 8_640),
    points: out.integer("Points that are shown", 881),
    tolerance_m: out.number(
      "Metres, within which all positions lie that are not shown; 0 where none is left out",
      4.2,
    ),
    distance_km: out.number("Kilometres along all positions, added up inside of the pieces", 41.7),
    bbox: nullable(
      t.Array(t.Number(), {
        minItems: 4,
        maxItems: 4,
        description:
          "West, south, east and north in degrees; west exceeds east across the 180th meridian. Null without a position",
        examples: [[13.1, 53.9, 13.6, 54.3]],
      }),
    ),
    pieces: t.Array(t.Array(Point), {
      description: "The track in pieces, between which no position came for `gap_seconds`",
      examples: [[[[13.41, 54.09, 1_777_887_000, 3.6, null]]]],
    }),
  },
  "The way of a device",
);
export type Track = (typeof Track)["static"];
