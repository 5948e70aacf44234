import { characters, nullable, oneOf, out, record, t, uuid } from "../../kernel/http/schema";
import { boxId } from "../../sync/owner/schema";
import { Delivery } from "../deliveries/schema";
import { CONDITION_TYPES, SEVERITIES, ZONE_EVENTS } from "../kinds";
import { ALERT_STATUSES } from "./words";

export const Alert = record(
  "Alert",
  {
    id: out.uuid("Identifier"),
    rule_id: nullable(out.uuid("The rule; null for the anchor watch, which alerts by itself")),
    rule_name: nullable(out.string("Its name when the alert was raised", "Leaves at night")),
    condition: oneOf(CONDITION_TYPES, "The type of the condition that holds"),
    event: nullable(oneOf(ZONE_EVENTS, "The crossing, where the condition is one of zones")),
    severity: oneOf(SEVERITIES, "Alarms are sent at any time, also in the quiet times of targets", "alarm"),
    status: oneOf(ALERT_STATUSES, "`cleared` once the condition doesn't hold any more"),
    device_id: nullable(out.uuid("The device; null where the condition is one of no device")),
    device_name: nullable(out.string("Its name when the alert was raised", "Van 3")),
    geofence_id: nullable(out.uuid("The zone, where the condition is one of zones")),
    geofence_name: nullable(out.string("Its name when the alert was raised", "Depot")),
    subject: nullable(
      out.string(
        "Of a water level the station's identifier, of the installation the measure, of an anchor watch `warning`, `dragging` or `silent`",
        "dragging",
      ),
    ),
    subject_name: nullable(
      out.string(
        "Name of the zone or the station when the alert was raised; null where there is none",
        "Depot",
      ),
    ),
    message: out.string("The alert in words: the rule's text, or a sentence in English", "Van 3 left Depot"),
    has_own_message: out.boolean("Whether `message` is the rule's text", false),
    value: nullable(
      out.number(
        "What was measured last: knots, percent, centimetres, seconds of silence, metres from the anchor, or the unit of the measure",
        7.4,
      ),
    ),
    latitude: nullable(out.number("Latitude of the place, in degrees", 54.0967)),
    longitude: nullable(out.number("Longitude of the place, in degrees", 13.4553)),
    position_at: nullable(out.time("Time of the position there")),
    count: out.integer("Times that the condition began to hold, within the rule's cooldown", 1),
    is_corrected: out.boolean("Whether late positions have overturned the crossing that raised it", false),
    raised_at: out.time("When it was raised"),
    last_seen_at: out.time("When the condition was last seen to hold, to the minute"),
    cleared_at: nullable(out.time("When the condition ceased to hold")),
    acknowledged_at: nullable(out.time("When somebody acknowledged it")),
    acknowledged_by: nullable(out.uuid("The user who did; null for a key of the installation")),
    acknowledge_note: nullable(out.string("The note of whoever did", "On my way")),
    escalated_at: nullable(out.time("When further targets were told, since nobody had acknowledged it")),
    box_id: boxId("which raised it, and where alone it can be acknowledged"),
  },
  "A condition that holds, or held, and that people were told of",
);
export type Alert = (typeof Alert)["static"];

export const Acknowledgement = t.Object(
  {
    note: t.Optional(
      nullable(
        characters({ maxLength: 1_000, description: "A note for the others", examples: ["On my way"] }),
      ),
    ),
  },
  { title: "Acknowledgement" },
);

export const AlertFilter = t.Object({
  status: t.Optional(oneOf(ALERT_STATUSES, "Only alerts of this status")),
  device_id: t.Optional(uuid("Only alerts of this device")),
  severity: t.Optional(oneOf(SEVERITIES, "Only alerts of this severity", "alarm")),
});
export type AlertFilter = (typeof AlertFilter)["static"];

export const AlertWithDeliveries = record(
  "AlertWithDeliveries",
  {
    ...Alert.properties,
    deliveries: t.Array(Delivery, {
      description: "What was sent of it, oldest first, and what became of it",
    }),
  },
  "An alert with its deliveries",
);
export type AlertWithDeliveries = (typeof AlertWithDeliveries)["static"];
