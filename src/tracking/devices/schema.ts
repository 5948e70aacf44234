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
  uuid,
} from "../../kernel/http/schema";

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
    is_active: out.boolean("Whether the device is in use"),
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
