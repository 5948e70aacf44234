import {
  characters,
  moment,
  nullable,
  oneOf,
  out,
  queryInteger,
  queryNumber,
  record,
  t,
} from "../../kernel/http/schema";

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

// --- The past ---------------------------------------------------------------------------------------------

export const DEFAULT_DAYS = 3;
/** As far as the source looks back. */
export const MOST_SPAN_DAYS = 31;
/** One an hour in three days. */
export const DEFAULT_POINTS = 72;
const MOST_POINTS = 1_000;
const MOST_STATIONS = 50;

export const LevelHistory = record(
  "WaterLevelHistory",
  {
    station_id: out.string("Identifier at the source", "b475386c-30cc-453a-b3b7-1d17ace13595"),
    from: out.time("When the first step begins, which may be a step before the `from` that was asked for"),
    to: out.time("When the last step ends"),
    step_seconds: out.integer("Length of a step in seconds, in whole quarters of an hour", 3_600),
    levels_cm: t.Array(nullable(t.Number()), {
      description: "The last level of each step in cm, oldest first; null for a step without one",
      examples: [[113, 114.5, null, 116]],
    }),
    lowest_cm: nullable(out.number("The lowest level in cm, between steps too; null without any", 113)),
    highest_cm: nullable(out.number("The highest level in cm, between steps too; null without any", 116)),
    change_cm: nullable(out.number("The last level less the first one, in cm; null without any", 3)),
    is_complete: out.boolean(
      "False while the source may have levels of this span that aren't kept here: it could not be asked, or has not answered yet",
    ),
  },
  "The levels of a station in a span of time",
);
export type LevelHistory = (typeof LevelHistory)["static"];

/** The source's own identifiers: UUIDs at PEGELONLINE, whatever elsewhere. */
const MOST_CHARACTERS = 200;
const EXAMPLE_ID = "b475386c-30cc-453a-b3b7-1d17ace13595";

export const StationParams = t.Object({
  station_id: characters({
    minLength: 1,
    maxLength: MOST_CHARACTERS,
    description: "Identifier of the station at the source",
    examples: [EXAMPLE_ID],
  }),
});

const history = {
  from: t.Optional(
    moment(
      `From this time, or the beginning of this day (UTC), on; by default ${DEFAULT_DAYS} days before \`to\``,
    ),
  ),
  to: t.Optional(moment("Up to this time, or the end of this day (UTC); by default now")),
  points: t.Optional(
    queryInteger({
      minimum: 1,
      maximum: MOST_POINTS,
      description: `Most steps that the span is divided into; ${DEFAULT_POINTS} when left out`,
      examples: [DEFAULT_POINTS],
    }),
  ),
};

export const HistoryQuery = t.Object(history);

const LISTED = `[^,]{1,${MOST_CHARACTERS}}`;

export const HistoriesQuery = t.Object({
  station_ids: t.String({
    pattern: `^${LISTED}(,${LISTED}){0,${MOST_STATIONS - 1}}$`,
    maxLength: MOST_STATIONS * (MOST_CHARACTERS + 1),
    description: `The stations: up to ${MOST_STATIONS} identifiers with commas in between`,
    examples: [EXAMPLE_ID],
  }),
  ...history,
});
