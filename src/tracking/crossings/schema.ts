import type { TSchema } from "@sinclair/typebox";
import { Page } from "../../kernel/http/answers";
import { fromTo, nullable, oneOf, out, queryBoolean, record, t, uuid } from "../../kernel/http/schema";
import { SHOWN_EVENTS } from "../geofences/kinds";

const EVENT =
  "`enter` and `exit`; `passed`: the way between two positions cut through the zone; `dwell`: the device stayed for the zone's `dwell_seconds`";

export const GeofenceEvent = record(
  "GeofenceEvent",
  {
    id: out.uuid("Identifier"),
    geofence_id: out.uuid("The zone, which may be gone"),
    geofence_name: out.string("Its name then", "Harbour of Greifswald"),
    device_id: out.uuid("The device, which may be gone"),
    device_name: out.string("Its name then", "Greif"),
    event: oneOf(SHOWN_EVENTS, EVENT),
    occurred_at: out.time("When it happened, by the receiver's time"),
    recorded_at: out.time("When it was stored"),
    latitude: out.number("Latitude where it happened, in degrees", 54.0967),
    longitude: out.number("Longitude where it happened, in degrees", 13.4553),
    distance_km: out.number("Distance from the zone's centre in kilometres", 0.42),
    gps_point_id: nullable(
      out.uuid("The position that it happened at; of `passed` and `dwell` the one that showed it"),
    ),
    trip_id: nullable(out.uuid("The trip of that position")),
    is_late: out.boolean("True if positions showed it that came late: nobody was told", false),
    superseded_at: nullable(
      out.time("When later positions showed that it didn't happen; null for one that holds"),
    ),
    box_id: nullable(
      out.uuid("The box that saw it aboard, which may be gone; null for one that this server computed"),
    ),
  },
  "A device crossed the border of a zone, or stayed inside",
);
export type GeofenceEvent = (typeof GeofenceEvent)["static"];

export const EventFilter = t.Object({
  device_id: t.Optional(uuid("Only crossings of this device")),
  geofence_id: t.Optional(uuid("Only crossings of this zone")),
  trip_id: t.Optional(uuid("Only crossings by positions of this trip")),
  event: t.Optional(oneOf(SHOWN_EVENTS, "Only crossings of this kind")),
  ...fromTo("crossings that occurred"),
  include_superseded: t.Optional(
    queryBoolean({
      default: false,
      description: "True for those too that later positions have superseded",
      examples: [true],
    }),
  ),
});
export type EventFilter = (typeof EventFilter)["static"];

export const DeviceInside = record(
  "DeviceInside",
  {
    device_id: out.uuid("The device"),
    device_name: out.string("Its name", "Greif"),
    since: out.time("When it entered, or when the zone began to watch, if it was there already"),
    last_position_at: nullable(out.time("Time of its newest position")),
  },
  "A device that is inside a zone",
);
export type DeviceInside = (typeof DeviceInside)["static"];

export const GeofencePresence = record(
  "GeofencePresence",
  {
    device_id: out.uuid("The device"),
    device_name: out.string("Its name", "Greif"),
    geofence_id: out.uuid("The zone"),
    geofence_name: out.string("Its name", "Harbour of Greifswald"),
    since: out.time("When the device entered, or when the zone began to watch, if it was there already"),
  },
  "A device, and a zone that it is inside",
);
export type GeofencePresence = (typeof GeofencePresence)["static"];

export const PresenceFilter = t.Object({
  device_id: t.Optional(uuid("Only zones that this device is in")),
  geofence_id: t.Optional(uuid("Only devices in this zone")),
});
export type PresenceFilter = (typeof PresenceFilter)["static"];

export const Visit = record(
  "GeofenceVisit",
  {
    device_id: out.uuid("The device, which may be gone"),
    device_name: out.string("Its name then", "Greif"),
    entered_at: out.time("When it entered, or when the zone began to watch, if it was there already"),
    exited_at: nullable(
      out.time("When it left, or when the zone ceased to watch or began anew; null while it lasts"),
    ),
    duration_seconds: nullable(out.number("Seconds between the two; null while it lasts", 5_400)),
  },
  "A stay of a device in a zone",
);
export type Visit = (typeof Visit)["static"];

/** A page of what is computed anew after late positions. */
export const RecomputedPage = <T extends TSchema>(title: `${string}Page`, schema: T) => {
  const { properties, ...options } = Page(title, schema);
  return t.Object(
    {
      ...properties,
      recomputing_from: nullable(
        out.time(
          "Crossings from this time on are being computed anew, since positions came late or were marked; null when all is done",
        ),
      ),
    },
    { title: options.title as string, description: options.description as string },
  );
};
