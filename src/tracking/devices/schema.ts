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
    is_active: out.boolean("Whether the device is in use"),
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
