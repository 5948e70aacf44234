import type { TSchema } from "@sinclair/typebox";
import { Page, Single } from "../../kernel/http/answers";
import { characters, EXAMPLE_UUID, moment, nullable, oneOf, out, record, t } from "../../kernel/http/schema";
import { PERIODS, SEGMENT_KINDS } from "./kinds";

const Spot = (what: string) =>
  t.Object(
    {
      latitude: out.number("Latitude in degrees", 54.3412),
      longitude: out.number("Longitude in degrees", 13.5066),
    },
    { description: what, examples: [{ latitude: 54.3412, longitude: 13.5066 }] },
  );

const ids = (description: string) => t.Array(out.uuid("Identifier"), { description });

export const Segment = record(
  "TimelineSegment",
  {
    kind: oneOf(
      SEGMENT_KINDS,
      "`stop`: within `stop_radius_m` of its first position for `stop_minutes` at least; `gap`: no position for `gap_minutes`, and then one that is farther away than the radius; `move`: everything else",
    ),
    from: out.time("Time of its first position: that at which the segment before ends"),
    to: out.time("Time of its last position so far"),
    duration_seconds: out.number("Seconds between the two", 5_400),
    distance_km: out.number("Length of the way along its positions, in km", 12.4),
    average_speed_kmh: nullable(out.number("Distance by duration, in km/h; null for a stop", 8.3)),
    max_speed_kmh: nullable(
      out.number(
        "The second highest speed at its positions, as reported, else by the way from the one before; of a single one, that",
        13.7,
      ),
    ),
    moving_seconds: out.number("Seconds in motion: the duration of a move, else 0", 5_400),
    start: Spot("The place of its first position"),
    end: Spot("The place of its last position so far"),
    location_id: nullable(
      out.uuid("Of a stop: the stored location that is nearest to its start, within 300 m"),
    ),
    zone_ids: ids("Zones that the device was in or passed meanwhile"),
    points: out.integer("Positions, with the first and the last one", 540),
  },
  "A stretch of a device's track: a move, a stop, or a gap",
);
export type Segment = (typeof Segment)["static"];

const Recomputing = nullable(
  out.time(
    "The timeline from this time on is being computed anew, since positions came late or were marked; null when all is done",
  ),
);

const figures = {
  distance_km: out.number(
    "Length of the way of moves, and straight across gaps, in km; a leg counts for the period in which it ends",
    42.7,
  ),
  moving_seconds: out.number("Seconds in moves", 16_200),
  stopped_seconds: out.number("Seconds in stops", 61_200),
  average_speed_kmh: nullable(out.number("Speed in moves, in km/h; null without any", 9.1)),
  max_speed_kmh: nullable(
    out.number(
      "The second highest speed in moves, as reported, else by the way from the position before; of a single one, that",
      13.7,
    ),
  ),
  stops: out.integer("Stops that began", 3),
  zone_ids: ids("Zones that the device was in or passed"),
  bbox: nullable(
    t.Array(t.Number(), {
      minItems: 4,
      maxItems: 4,
      description:
        "The box around the way: west, south, east and north in degrees; west exceeds east where it is across the 180th meridian",
      examples: [[13.4553, 54.0967, 13.5066, 54.3412]],
    }),
  ),
};
const Figures = record("TimelineFigures", figures, "The figures of a span of time");
export type Figures = (typeof Figures)["static"];

const statistics = {
  total: Figures,
  periods: t.Array(
    record(
      "TimelinePeriod",
      {
        from: out.time("Its beginning"),
        to: out.time("Its end, which is no longer part of it"),
        ...figures,
      },
      "The figures of a day, a week or a month",
    ),
    {
      description:
        "The days, weeks or months in order, the first and the last one as far as they were asked for",
    },
  ),
};
export const Statistics = record(
  "TimelineStatistics",
  statistics,
  "Figures of a track, in all and by the calendar",
);
export type Statistics = (typeof Statistics)["static"];

export const DeviceStatistics = record(
  "DeviceStatistics",
  { device_id: out.uuid("The device"), ...statistics },
  "Figures of a device, in all and by the calendar",
);
export type DeviceStatistics = (typeof DeviceStatistics)["static"];

/** An answer with figures. */
export const Recomputed = <T extends TSchema>(schema: T) =>
  t.Object({ ...Single(schema).properties, recomputing_from: Recomputing });

/** Devices of which the figures are asked for at once. */
const MOST_DEVICES = 50;
const LIST = `[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`;

export const deviceIds = t.String({
  pattern: `^${LIST}(,${LIST}){0,${MOST_DEVICES - 1}}$`,
  maxLength: MOST_DEVICES * 37,
  description: `The devices: up to ${MOST_DEVICES} identifiers with commas in between`,
  examples: [EXAMPLE_UUID],
});

export const calendar = {
  by: t.Optional(oneOf(PERIODS, "The periods; weeks begin on Monday. By default days")),
  timezone: t.Optional(
    characters({
      minLength: 1,
      maxLength: 64,
      description: "Time zone of the periods, as the IANA database names it; by default UTC",
      examples: ["Europe/Berlin"],
    }),
  ),
};

export const fromToOfLastDay = {
  from: t.Optional(
    moment("From this time, or the beginning of this day (UTC), on; by default 24 hours before `to`"),
  ),
  to: t.Optional(moment("Up to this time, or the end of this day (UTC); by default now")),
};

/** A page of what is computed anew after late positions. */
export const RecomputedTimelinePage = <T extends TSchema>(title: `${string}Page`, schema: T) => {
  const { properties, ...options } = Page(title, schema);
  return t.Object(
    { ...properties, recomputing_from: Recomputing },
    { title: options.title as string, description: options.description as string },
  );
};
