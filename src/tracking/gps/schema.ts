import {
  fromTo,
  ignorable,
  latitude,
  longitude,
  nullable,
  optional,
  out,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";

export const GpsPoint = record(
  "GpsPoint",
  {
    id: out.uuid("Identifier"),
    device_id: nullable(out.uuid("The device that reported it; null when no device did")),
    trip_id: nullable(out.uuid("The trip that it belongs to, if any")),
    latitude: out.number("Degrees, WGS 84", 54.0967),
    longitude: out.number("Degrees, WGS 84", 13.4553),
    altitude: nullable(out.number("Metres", 3.2)),
    heading: nullable(out.number("Course over ground, degrees true", 212.4)),
    timestamp: out.time("When the receiver fixed the position"),
    speed_kmh: out.number("Speed over ground in km/h", 13.7),
    speed_mps: out.number("Speed over ground in m/s", 3.81),
    speed_mph: out.number("Speed over ground in mph", 8.51),
    speed_knots: out.number("Speed over ground in knots", 7.4),
    pdop: nullable(out.number("Position dilution of precision", 1.6)),
    hdop: nullable(out.number("Horizontal dilution of precision", 0.9)),
    vdop: nullable(out.number("Vertical dilution of precision", 1.3)),
    created_at: out.time("When the server stored it"),
  },
  "A recorded position",
);
export type GpsPoint = (typeof GpsPoint)["static"];

const speed = (unit: string, example: number) =>
  t.Number({ minimum: 0, description: `Speed over ground in ${unit}`, examples: [example] });
const dilution = (kind: string, example: number) =>
  optional(t.Number({ minimum: 0, description: `${kind} dilution of precision`, examples: [example] }));

export const NewGpsPoint = t.Object(
  {
    latitude: latitude("Degrees, WGS 84"),
    longitude: longitude("Degrees, WGS 84"),
    altitude: optional(t.Number({ description: "Metres", examples: [3.2] })),
    heading: optional(
      t.Number({
        minimum: 0,
        maximum: 360,
        description: "Course over ground, degrees true",
        examples: [212.4],
      }),
    ),
    timestamp: t.Integer({
      minimum: 0,
      description:
        "When the receiver fixed the position: Unix time in seconds, at most a day ahead of the server",
      examples: [1_777_887_000],
    }),
    speed_kmh: speed("km/h", 13.7),
    speed_mps: speed("m/s", 3.81),
    speed_mph: speed("mph", 8.51),
    speed_knots: speed("knots", 7.4),
    pdop: dilution("Position", 1.6),
    hdop: dilution("Horizontal", 0.9),
    vdop: dilution("Vertical", 1.3),
    device_id: t.Optional(
      ignorable({
        type: ["string", "null"],
        format: "uuid",
        description:
          "The device that was there, for a caller who holds `devices:write`; from any other it is ignored. Left out or null: the device of the caller's key",
      }),
    ),
  },
  { title: "NewGpsPoint" },
);
export type NewGpsPoint = (typeof NewGpsPoint)["static"];

export const CurrentQuery = t.Object({
  device_id: t.Optional(uuid("The device; if left out, the newest position of all devices")),
});

export const GpsFilter = t.Object({
  device_id: t.Optional(uuid("Only the positions of this device")),
  ...fromTo("positions"),
});
export type GpsFilter = (typeof GpsFilter)["static"];
