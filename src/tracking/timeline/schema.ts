import type { TSchema } from "@sinclair/typebox";
import { Page } from "../../kernel/http/answers";
import { moment, nullable, oneOf, out, record, t } from "../../kernel/http/schema";
import { SEGMENT_KINDS } from "./kinds";

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

export const fromToOfLastDay = {
  from: t.Optional(
    moment("From this time, or the beginning of this day (UTC), on; by default 24 hours before `to`"),
  ),
  to: t.Optional(moment("Up to this time, or the end of this day (UTC); by default now")),
};

const Recomputing = nullable(
  out.time(
    "The timeline from this time on is being computed anew, since positions came late or were marked; null when all is done",
  ),
);

/** A page of what is computed anew after late positions. */
export const RecomputedTimelinePage = <T extends TSchema>(title: `${string}Page`, schema: T) => {
  const { properties, ...options } = Page(title, schema);
  return t.Object(
    { ...properties, recomputing_from: Recomputing },
    { title: options.title as string, description: options.description as string },
  );
};
