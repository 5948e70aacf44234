import {
  change,
  ignorable,
  latitude,
  longitude,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
} from "../../kernel/http/schema";
import { boxId } from "../../sync/owner/schema";
import { REJECTIONS } from "./fix";
import { SOURCES } from "./kinds";

const speedOf = (unit: string, example: number) =>
  nullable(out.number(`Speed over ground in ${unit}; null when the source told none`, example));

/** The fields of a position that `gpsUpdate` carries. */
const told = {
  id: out.uuid("Identifier"),
  device_id: nullable(out.uuid("The device that reported it; null when no device did")),
  trip_id: nullable(out.uuid("The trip that it belongs to, if any")),
  latitude: out.number("Degrees, WGS 84", 54.0967),
  longitude: out.number("Degrees, WGS 84", 13.4553),
  altitude: nullable(out.number("Metres", 3.2)),
  heading: nullable(out.number("Course over ground, degrees true", 212.4)),
  timestamp: out.time("When the receiver fixed the position"),
  speed_kmh: speedOf("km/h", 13.7),
  speed_mps: speedOf("m/s", 3.81),
  speed_mph: speedOf("mph", 8.51),
  speed_knots: speedOf("knots", 7.4),
  pdop: nullable(out.number("Position dilution of precision", 1.6)),
  hdop: nullable(out.number("Horizontal dilution of precision", 0.9)),
  vdop: nullable(out.number("Vertical dilution of precision", 1.3)),
  created_at: out.time("When the server stored it"),
};

/** A position as `gpsUpdate` tells of it: the fields of the first version, which stay as they are. */
export const ToldPoint = record("ToldPosition", told, "A position that was just stored");
export type ToldPoint = (typeof ToldPoint)["static"];

export const GpsPoint = record(
  "GpsPoint",
  {
    ...told,
    accuracy_m: nullable(out.number("Radius in metres in which it lies with a probability of 68 %", 4)),
    battery_percent: nullable(out.number("Charge of the device's battery", 82)),
    source: oneOf(SOURCES, "The way by which it came in", "owntracks"),
    is_outlier: out.boolean(
      "True for a fix that counts for no track, distance, zone or current position",
      false,
    ),
    outlier_reason: nullable(
      oneOf(
        ["speed", "hand"],
        "`speed`: too fast from both neighbours; `hand`: marked by somebody; null for a fix that counts",
      ),
    ),
    box_id: boxId("which may be gone, and where alone it can be changed"),
  },
  "A recorded position",
);
export type GpsPoint = (typeof GpsPoint)["static"];

const speed = (unit: string, example: number) =>
  t.Number({ minimum: 0, description: `Speed over ground in ${unit}`, examples: [example] });
const dilution = (kind: string, example: number) =>
  optional(t.Number({ minimum: 0, description: `${kind} dilution of precision`, examples: [example] }));

/** Optional measurements of a fix, by POST /v1/gps and in a batch. */
const measurements = {
  altitude: optional(t.Number({ description: "Metres", examples: [3.2] })),
  heading: optional(
    t.Number({
      minimum: 0,
      maximum: 360,
      description: "Course over ground, degrees true",
      examples: [212.4],
    }),
  ),
  pdop: dilution("Position", 1.6),
  hdop: dilution("Horizontal", 0.9),
  vdop: dilution("Vertical", 1.3),
  accuracy_m: optional(
    t.Number({
      minimum: 0,
      description: "Radius in metres in which the fix lies with a probability of 68 %",
      examples: [4],
    }),
  ),
  battery_percent: optional(
    t.Number({ minimum: 0, maximum: 100, description: "Charge of the device's battery", examples: [82] }),
  ),
};

export const NewGpsPoint = t.Object(
  {
    latitude: latitude("Degrees, WGS 84"),
    longitude: longitude("Degrees, WGS 84"),
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
    ...measurements,
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

// --- Batches ----------------------------------------------------------------------------------------------

/** Most positions of a batch. */
const MOST = 1_000;

/** The upper bound keeps the speed in the other units finite. */
const anySpeed = (unit: string, example: number) =>
  optional(
    t.Number({
      minimum: 0,
      maximum: 100_000,
      description: `Speed over ground in ${unit}`,
      examples: [example],
    }),
  );

const speeds = {
  speed_kmh: anySpeed("km/h", 13.7),
  speed_mps: anySpeed("m/s", 3.81),
  speed_mph: anySpeed("mph", 8.51),
  speed_knots: anySpeed("knots", 7.4),
};

export const BatchPosition = t.Object(
  {
    latitude: latitude("Degrees, WGS 84"),
    longitude: longitude("Degrees, WGS 84"),
    timestamp: t.Number({
      minimum: 0,
      description: "When the receiver fixed the position: Unix time in seconds; fractions are cut off",
      examples: [1_777_887_000],
    }),
    ...speeds,
    ...measurements,
  },
  {
    title: "BatchPosition",
    description: "A position of a batch. One known speed gives the others; without any, all are null",
  },
);

export const NewBatch = t.Object(
  {
    positions: t.Array(ignorable({ "x-shown": BatchPosition }), {
      minItems: 1,
      maxItems: MOST,
      description: "The positions, in any order. A malformed one is rejected alone",
    }),
    device_id: t.Optional(
      ignorable({
        type: ["string", "null"],
        format: "uuid",
        description:
          "The device that was there, for a caller who holds `devices:write`. Required where the credential isn't the key of a device",
      }),
    ),
  },
  { title: "NewBatch" },
);
export type NewBatch = (typeof NewBatch)["static"];

const total = (description: string, example: number) => out.integer(description, example);

export const BatchAnswer = record(
  "BatchAnswer",
  {
    stored: total("Positions that were stored", 98),
    duplicates: total("Positions of a second that the device had a position for already", 1),
    rejected: total("Positions that can't be stored", 1),
    results: t.Array(
      record(
        "BatchResult",
        {
          index: out.integer("The position's place in the request, from 0", 0),
          status: oneOf(["stored", "duplicate", "rejected"], "Its fate"),
          id: nullable(
            out.uuid("The stored position, or the earlier one that it duplicates; null if rejected"),
          ),
          reason: nullable(oneOf(REJECTIONS, "Why it was rejected; null if it wasn't")),
        },
        "The fate of one position",
      ),
      { description: "The fate of each position, in the order of the request" },
    ),
  },
  "The fate of a batch",
);
export type BatchAnswer = (typeof BatchAnswer)["static"];

export const PointChange = change("GpsPointChange", {
  is_outlier: t.Optional(
    t.Boolean({
      description:
        "True marks it as an outlier, false takes the mark away; either stays, whatever comes later",
      examples: [true],
    }),
  ),
});
export type PointChange = (typeof PointChange)["static"];
