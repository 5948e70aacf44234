import {
  latitude,
  longitude,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";
import { Delivery } from "../deliveries/schema";
import { SEVERITIES } from "../kinds";

export const ANCHOR_STATES = ["holding", "warning", "dragging", "silent"] as const;
export type AnchorStateWord = (typeof ANCHOR_STATES)[number];

const severity = oneOf(
  SEVERITIES,
  "Severity of `dragging` and `silent`; that of `warning` is a warning",
  "alarm",
);

export const AnchorWatch = record(
  "AnchorWatch",
  {
    device_id: out.uuid("The device"),
    state: oneOf(
      ANCHOR_STATES,
      "`holding`: inside; `warning`: beyond the warning radius; `dragging`: beyond the radius; `silent`: no position has arrived for `silence_seconds`",
    ),
    latitude: out.number("Latitude of the anchor, in degrees", 54.0967),
    longitude: out.number("Longitude of the anchor, in degrees", 13.4553),
    radius_m: out.number("Metres from the anchor beyond which it drags", 45),
    warning_radius_m: nullable(out.number("Metres from the anchor beyond which a warning is raised", 35)),
    silence_seconds: out.integer("Seconds without a position that are an alarm", 120),
    confirm_fixes: out.integer("Positions in a row that make the state change", 2),
    severity,
    target_ids: nullable(
      t.Array(out.uuid("A notification target"), {
        description: "Targets to be told; null for those used by default",
      }),
    ),
    dropped_at: out.time("When the watch began"),
    distance_m: nullable(
      out.number("Metres from the newest position to the anchor; null before the first position", 31.4),
    ),
    bearing_deg: nullable(
      out.number("Bearing from the newest position to the anchor, in degrees from true north", 212.4),
    ),
    max_distance_m: out.number(
      "The largest distance since `dropped_at`, in metres from where the anchor was at the time; a single stray position doesn't count",
      38.2,
    ),
    last_position_at: nullable(out.time("Time of the newest position")),
    alert_id: nullable(
      out.uuid("The open alert, if any: that of the silence first, then that of the anchor"),
    ),
    updated_at: out.time("When it was last set"),
  },
  "The watch over a boat at anchor",
);
export type AnchorWatch = (typeof AnchorWatch)["static"];

export const AnchorDrop = t.Object(
  {
    latitude: t.Optional(latitude("Latitude of the anchor, with `longitude`")),
    longitude: t.Optional(longitude("Longitude of the anchor")),
    bearing_deg: t.Optional(
      t.Number({
        minimum: 0,
        maximum: 360,
        description: "Bearing from the newest position to the anchor, from true north; with `distance_m`",
        examples: [212],
      }),
    ),
    distance_m: t.Optional(
      t.Number({
        minimum: 0,
        maximum: 5_000,
        description: "Metres from the newest position to the anchor",
        examples: [30],
      }),
    ),
    radius_m: t.Number({
      minimum: 5,
      maximum: 5_000,
      description:
        "Metres from the anchor beyond which it drags: the chain, the boat, and the error of the receiver",
      examples: [45],
    }),
    warning_radius_m: optional(
      t.Number({
        exclusiveMinimum: 0,
        maximum: 5_000,
        description: "Metres beyond which a warning is raised; smaller than `radius_m`",
        examples: [35],
      }),
    ),
    silence_seconds: t.Optional(
      t.Integer({
        minimum: 10,
        maximum: 86_400,
        default: 120,
        description: "Seconds without a position that are an alarm",
        examples: [120],
      }),
    ),
    confirm_fixes: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 10,
        default: 2,
        description: "Positions in a row that make the state change: one stray one raises nothing",
        examples: [2],
      }),
    ),
    severity: t.Optional(severity),
    target_ids: optional(
      t.Array(uuid("A notification target"), {
        maxItems: 100,
        description: "Targets to be told; empty for none, null or left out for those used by default",
        examples: [[]],
      }),
    ),
  },
  { title: "AnchorDrop", examples: [{ radius_m: 45, warning_radius_m: 35 }] },
);
export type AnchorDrop = (typeof AnchorDrop)["static"];

export const AnchorTest = record(
  "AnchorTest",
  {
    deliveries: t.Array(Delivery, {
      description: "What became of the test within ten seconds, for each target; empty if there is no target",
    }),
  },
  "The outcome of a test of an anchor watch",
);
export type AnchorTest = (typeof AnchorTest)["static"];
