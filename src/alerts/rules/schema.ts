import {
  change,
  characters,
  name,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
  uuid,
  variants,
} from "../../kernel/http/schema";
import { boxIds, handed } from "../../sync/owner/schema";
import { SEVERITIES, SYSTEM_MEASURES, ZONE_EVENTS } from "../kinds";
import { Schedule } from "../schedules/schema";

// --- Conditions -------------------------------------------------------------------------------------------

const type = <const T extends string>(word: T) =>
  t.Literal(word, { type: "string", description: "The type of the condition" });

const level = (description: string) =>
  t.Optional(t.Number({ minimum: -100_000, maximum: 100_000, description, examples: [620] }));

const measure = (description: string) =>
  t.Optional(t.Number({ minimum: 0, maximum: 1e12, description, examples: [48] }));

export const CONDITIONS = {
  zone: record(
    "ZoneCondition",
    {
      type: type("zone"),
      event: oneOf(
        ZONE_EVENTS,
        "The crossing. An exit ends what an `enter` or a `dwell` began, and an enter what an `exit` began",
        "exit",
      ),
      geofence_ids: t.Array(uuid("A zone"), {
        maxItems: 200,
        description: "The zones; empty for all",
        examples: [[]],
      }),
    },
    "A device crosses the border of a zone, passes through it between two positions, or stays in it",
  ),
  silence: record(
    "SilenceCondition",
    {
      type: type("silence"),
      seconds: t.Integer({
        minimum: 10,
        maximum: 31_536_000,
        description: "Seconds since the last position arrived",
        examples: [3_600],
      }),
    },
    "A device that has sent a position before sends none for a while",
  ),
  speed: record(
    "SpeedCondition",
    {
      type: type("speed"),
      above_knots: t.Number({ minimum: 0, maximum: 10_000, description: "Knots", examples: [12] }),
    },
    "A device is faster than it should be",
  ),
  anchor: record(
    "AnchorCondition",
    { type: type("anchor") },
    "A device's anchor watch alerts. It does so by itself; a rule adds its targets",
  ),
  battery: record(
    "BatteryCondition",
    {
      type: type("battery"),
      below_percent: t.Number({ minimum: 0, maximum: 100, description: "Percent", examples: [20] }),
    },
    "The battery of a device is low",
  ),
  water_level: record(
    "WaterLevelCondition",
    {
      type: type("water_level"),
      station: uuid("The station"),
      above_cm: level("Centimetres above which it holds; either this or `below_cm`"),
      below_cm: level("Centimetres below which it holds"),
    },
    "The water level at a station is high or low. It is looked at as often as `pegel.cache_seconds` says",
  ),
  system: record(
    "SystemCondition",
    {
      type: type("system"),
      what: oneOf(
        SYSTEM_MEASURES,
        "`backup_age`: hours since the newest backup; `disk_free`: MB that are free for the data; `position_source`: seconds since the box's own receiver told a position; `vessel_source`: seconds since a vessel was heard; `sync_backlog`: rows that wait to be sent to the shore; `email_queue`: emails that wait to be sent",
      ),
      above: measure("Value above which it holds; either this or `below`"),
      below: measure("Value below which it holds"),
    },
    "A measure of the installation itself is out of bounds. It is looked at every ten seconds",
  ),
};

export const Condition = variants("AlertCondition", "type", CONDITIONS, {
  description: "What has to hold",
  examples: [{ type: "zone", event: "exit", geofence_ids: [] }],
});

// --- Rules ------------------------------------------------------------------------------------------------

const DAY_SECONDS = 86_400;

const ids = (what: string, maxItems: number, description: string) =>
  t.Array(uuid(what), { maxItems, description, examples: [[]] });

const isActive = t.Boolean({ description: "false switches it off", examples: [true] });
const severity = oneOf(
  SEVERITIES,
  "An `alarm` is sent before all else, at any time, and tried for longer",
  "alarm",
);
const deviceIds = ids("A device", 2_000, "The devices; empty for all");
const holdSeconds = t.Integer({
  minimum: 0,
  maximum: DAY_SECONDS,
  description: "Seconds for which the condition has to hold before the alert is raised",
  examples: [0],
});
const cooldownSeconds = t.Integer({
  minimum: 0,
  maximum: DAY_SECONDS,
  description:
    "A condition that returns within so many seconds of its end opens its alert again, and no target is told",
  examples: [300],
});
const schedule = {
  ...Schedule,
  description:
    "Times at which the rule counts; null for always. A crossing counts by the time at which it happened",
};
const targetIds = ids("A notification target", 100, "Targets to be told; empty for none");
const escalateAfter = t.Integer({
  minimum: 10,
  maximum: 7 * DAY_SECONDS,
  description: "Seconds after which further targets are told of an open alert that nobody has acknowledged",
  examples: [600],
});
const escalateTargets = ids("A notification target", 100, "The further targets");
const message = characters({
  minLength: 1,
  maxLength: 500,
  description:
    "The alert in words, with `{device}`, `{zone}`, `{value}`, `{time}` and `{place}` filled in; other words in braces are refused. The time is that of the position, such as the crossing, which may be earlier than the alert; without a position it is the alert's",
  examples: ["{device} left {zone} at {time}"],
});

export const AlertRule = record(
  "AlertRule",
  {
    id: out.uuid("Identifier"),
    name: out.string("Name", "Leaves at night"),
    is_active: out.boolean("Whether it counts"),
    is_silent: out.boolean(
      "Whether it raises nothing because whoever said what it tells may not see that any more; to let it speak again, somebody who may has to set its devices, condition or targets",
      false,
    ),
    is_orphaned: out.boolean(
      "Whether its last device or zone was deleted, which has switched it off; to switch it on, say its devices or its condition anew",
      false,
    ),
    severity,
    device_ids: deviceIds,
    condition: Condition,
    hold_seconds: holdSeconds,
    cooldown_seconds: cooldownSeconds,
    schedule: nullable(schedule),
    target_ids: nullable({ ...targetIds, description: "Targets to be told; null for those used by default" }),
    escalate_after_seconds: nullable(escalateAfter),
    escalate_target_ids: nullable(escalateTargets),
    message: nullable(message),
    ...handed("rule"),
    created_at: out.time("When it was created"),
    updated_at: out.time("When it was last changed"),
  },
  "A condition of which people are told",
);
export type AlertRule = (typeof AlertRule)["static"];

export const NewAlertRule = t.Object(
  {
    name: name("Name", "Leaves at night"),
    is_active: t.Optional(isActive),
    severity,
    device_ids: t.Optional(deviceIds),
    condition: Condition,
    hold_seconds: t.Optional(holdSeconds),
    cooldown_seconds: t.Optional(cooldownSeconds),
    schedule: optional(schedule),
    target_ids: optional({
      ...targetIds,
      description: "Targets to be told; empty for none, null or left out for those used by default",
    }),
    escalate_after_seconds: optional(escalateAfter),
    escalate_target_ids: optional(escalateTargets),
    message: optional(message),
    box_ids: t.Optional(boxIds("rule")),
  },
  {
    title: "NewAlertRule",
    examples: [
      {
        name: "Leaves at night",
        severity: "alarm",
        condition: { type: "zone", event: "exit", geofence_ids: [] },
        schedule: {
          timezone: "Europe/Berlin",
          windows: [{ days: ["mon", "tue", "wed", "thu", "fri"], from: "22:00", to: "06:00" }],
        },
        message: "{device} left {zone} at {time}",
      },
    ],
  },
);
export type NewAlertRule = (typeof NewAlertRule)["static"];

export const AlertRuleChange = change("AlertRuleChange", {
  name: t.Optional(name("Name", "Leaves at the weekend")),
  is_active: t.Optional(isActive),
  severity: t.Optional(severity),
  device_ids: t.Optional(deviceIds),
  condition: t.Optional(Condition),
  hold_seconds: t.Optional(holdSeconds),
  cooldown_seconds: t.Optional(cooldownSeconds),
  schedule: optional(schedule),
  target_ids: optional(targetIds),
  escalate_after_seconds: optional(escalateAfter),
  escalate_target_ids: optional(escalateTargets),
  message: optional(message),
  box_ids: t.Optional(boxIds("rule")),
});
export type AlertRuleChange = (typeof AlertRuleChange)["static"];
