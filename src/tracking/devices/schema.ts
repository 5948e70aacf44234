import {
  change,
  characters,
  name,
  nullable,
  optional,
  out,
  record,
  t,
  text,
  uncopied,
  uuid,
} from "../../kernel/http/schema";
import { boxId } from "../../sync/owner/schema";

const NAME_TEMPLATE = "{origin} {date} {time}";

/** The rules by which a device makes trips by itself. */
export const AutoTrip = t.Object(
  {
    is_enabled: t.Boolean({ description: "Whether it makes trips by itself", examples: [true] }),
    start_after_minutes: t.Integer({
      ...{ minimum: 0, maximum: 1_440, default: 3 },
      description: "Minutes that a move must last before its trip begins",
      examples: [3],
    }),
    end_after_minutes: t.Integer({
      ...{ minimum: 1, maximum: 1_440, default: 20 },
      description: "Minutes that a stop, or a silence, must last before the trip is completed",
      examples: [20],
    }),
    min_distance_km: t.Number({
      ...{ minimum: 0, maximum: 10_000, default: 0.5 },
      description: "A trip that is shorter when it ends is removed again",
      examples: [0.5],
    }),
    name_template: characters({
      ...{ minLength: 1, maxLength: 200, default: NAME_TEMPLATE },
      description:
        "Name of the trip: `{date}` and `{time}` (UTC) are those of its beginning, `{origin}` the location there or its coordinates, `{device}` the name of the device",
      examples: [NAME_TEMPLATE],
    }),
  },
  {
    title: "AutoTrip",
    description: "Trips that the device begins and ends by itself, as it moves; null for none",
    examples: [
      {
        ...{ is_enabled: true, start_after_minutes: 3, end_after_minutes: 20, min_distance_km: 0.5 },
        name_template: NAME_TEMPLATE,
      },
    ],
  },
);
export type AutoTrip = (typeof AutoTrip)["static"];

/** Rules that are left out. */
export const AUTO_TRIP_DEFAULTS: AutoTrip = {
  is_enabled: true,
  start_after_minutes: 3,
  end_after_minutes: 20,
  min_distance_km: 0.5,
  name_template: NAME_TEMPLATE,
};

const NewAutoTrip = t.Partial(AutoTrip, {
  title: "NewAutoTrip",
  description: "Trips that the device begins and ends by itself, as it moves; null for none",
  examples: [{ is_enabled: true, start_after_minutes: 3 }],
});

export const Device = record(
  "Device",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Pilot boat 2"),
    description: nullable(out.string("What the device is", "Tracker behind the bridge console")),
    device_type: nullable(
      out.string("Kind of device, in your own words: nothing depends on it", "gps-tracker"),
    ),
    api_key_id: nullable(out.uuid("The API key that posts this device's positions")),
    external_id: nullable(
      out.string("The name by which other systems know it, such as Traccar's `uniqueId`", "860123045678901"),
    ),
    max_speed_kmh: nullable(
      out.number("Positions that imply a higher speed are marked as outliers; null for no check", 80),
    ),
    stop_radius_m: out.number("Metres within which the device counts as standing still in its timeline", 75),
    stop_minutes: out.integer("Minutes within that radius that make a stop", 5),
    gap_minutes: out.integer("Minutes without a position, after which it is elsewhere, that make a gap", 30),
    auto_trip: nullable(AutoTrip),
    is_active: out.boolean("Whether the device is in use"),
    box_id: boxId("which sends its positions and trips, and where alone it can be changed"),
    last_position_at: nullable(out.time("Time of its newest position; null while it has none")),
    battery_percent: nullable(out.number("Charge of its battery at the newest position, in percent", 82)),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "Something that reports positions",
);
export type Device = (typeof Device)["static"];

const deviceName = name("Name", "Pilot boat 2");
const details = {
  description: optional(text("What the device is", "Tracker behind the bridge console")),
  device_type: optional(
    characters({
      maxLength: 200,
      description: "Kind of device, in your own words: nothing depends on it",
      examples: ["gps-tracker"],
    }),
  ),
  external_id: optional(
    characters({
      minLength: 1,
      maxLength: 128,
      description:
        "The name by which other systems know it, such as Traccar's `uniqueId`; no two devices have the same (409)",
      examples: ["860123045678901"],
    }),
  ),
  max_speed_kmh: optional(
    t.Number({
      exclusiveMinimum: 0,
      maximum: 100_000,
      description: "Positions that imply a higher speed are marked as outliers; null for no check",
      examples: [80],
    }),
  ),
  stop_radius_m: t.Optional(
    t.Number({
      minimum: 10,
      maximum: 5_000,
      description: "Metres within which the device counts as standing still in its timeline; default 75",
      examples: [75],
    }),
  ),
  stop_minutes: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 120,
      description: "Minutes within that radius that make a stop; default 5",
      examples: [5],
    }),
  ),
  gap_minutes: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 1_440,
      description: "Minutes without a position, after which it is elsewhere, that make a gap; default 30",
      examples: [30],
    }),
  ),
  auto_trip: t.Optional(uncopied(nullable(NewAutoTrip))),
  api_key_id: optional(
    uuid(
      "The API key that posts this device's positions; its former device and this one's former key are unlinked",
    ),
  ),
};

export const NewDevice = t.Object({ name: deviceName, ...details }, { title: "NewDevice" });
export type NewDevice = (typeof NewDevice)["static"];

export const DeviceChange = change("DeviceChange", {
  name: t.Optional(deviceName),
  ...details,
  is_active: t.Optional(t.Boolean({ description: "Whether the device is in use", examples: [false] })),
});
export type DeviceChange = (typeof DeviceChange)["static"];
