import { characters, nullable, oneOf, out, queryNumber, record, t } from "../../kernel/http/schema";

const stationFields = {
  station_id: out.string("Identifier at the source", "b475386c-30cc-453a-b3b7-1d17ace13595"),
  shortname: out.string("Short name", "CELLE"),
  longname: out.string("Name", "CELLE"),
  water_shortname: out.string("Short name of the water body", "ALLER"),
  water_longname: out.string("Name of the water body", "ALLER"),
  latitude: nullable(out.number("Latitude in degrees", 52.622706)),
  longitude: nullable(out.number("Longitude in degrees", 10.062164)),
  km: nullable(out.number("Position along the water body in km", 1.74)),
  agency: out.string("Who runs it", "VERDEN"),
  level_cm: nullable(out.number("Water level in cm; null where the station measures no length", 113)),
  trend: nullable(out.integer("-1 falling, 0 steady, 1 rising; null when it can't be told", 0)),
  measured_at: nullable(out.time("When the level was measured")),
  state: nullable(
    out.string("How the level compares with the long-term mean low and high: low, normal, high …", "low"),
  ),
};

export const Station = record("WaterLevelStation", stationFields, "Where a water level is measured");
export type Station = (typeof Station)["static"];

export const NearestStation = record(
  "NearestWaterLevelStation",
  { ...stationFields, distance_km: out.number("Distance in km, along the great circle", 4.2) },
  "The station that is nearest to the newest position",
);
export type NearestStation = (typeof NearestStation)["static"];

export const NEARBY_REASONS = ["off", "no_position", "none_near", "unreachable"] as const;

export const NearbyLevel = record(
  "NearbyWaterLevel",
  {
    station: nullable(NearestStation),
    reason: nullable(
      oneOf(
        NEARBY_REASONS,
        "Why there is no station: water levels are switched off (`pegel.enabled`), no device has a position, no station lies within the radius, or the source does not answer; null beside a station",
      ),
    ),
    is_stale: out.boolean("True if the source could not be asked, and this is an older answer", false),
  },
  "The water level near by, if there is one",
);
export type NearbyLevel = (typeof NearbyLevel)["static"];

const water = t.Optional(
  characters({
    minLength: 1,
    maxLength: 100,
    description: "Only stations on the water body with this short name, ignoring case",
    examples: ["ALLER"],
  }),
);

export const StationsQuery = t.Object({ water });

export const NearestQuery = t.Object({
  water,
  radius: t.Optional(
    queryNumber({
      minimum: 0.001,
      maximum: 20_038,
      description: "Greatest distance in km; `pegel.default_radius_km` when left out",
      examples: [30],
    }),
  ),
});
