import { Alert } from "../alerts/alerts/schema";
import { CHANGE_TYPES } from "../feed/kinds";
import { nullable, oneOf, out, record, t } from "../kernel/http/schema";
import { GeofenceEvent } from "../tracking/crossings/schema";
import { GpsPoint } from "../tracking/ingest/schema";
import { Trip } from "../tracking/trips/schema";

/** The payloads of what is published to a broker: docs/mqtt.schema.json is written from these. */

const cursor = out.string(
  "Place in the feed of changes, as `GET /v1/changes` has it: a message that comes twice has the same",
  "4f1d2c3b5a697887-1042",
);

export const DEVICE_STATES = ["fresh", "old", "silent"] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

export const ALERT_TYPES = ["alertRaised", "alertUpdated", "alertAcknowledged", "alertCleared"] as const;

export const MqttPosition = record(
  "MqttPosition",
  { cursor, ...GpsPoint.properties },
  "A position of a device",
);

export const MqttZoneEvent = record(
  "MqttZoneEvent",
  { cursor, ...GeofenceEvent.properties },
  "A device crossed the border of a zone, passed through it, or stayed inside",
);

export const MqttAlert = record(
  "MqttAlert",
  { cursor, type: oneOf(ALERT_TYPES, "What happened to it"), ...Alert.properties },
  "An alert, and what happened to it",
);

export const MqttTrip = record("MqttTrip", { cursor, ...Trip.properties }, "A trip as it is now");

export const MqttGone = record(
  "MqttGone",
  {
    cursor,
    id: out.uuid("The record that was deleted"),
    device_id: nullable(out.uuid("The device that it was of")),
    is_deleted: t.Literal(true, { description: "It is gone", examples: [true] }),
  },
  "A trip that was deleted",
);

type Published<T extends { static: unknown }> = T["static"];
export type MqttPosition = Published<typeof MqttPosition>;
export type MqttZoneEvent = Published<typeof MqttZoneEvent>;
export type MqttAlert = Published<typeof MqttAlert>;
export type MqttTrip = Published<typeof MqttTrip>;
export type MqttGone = Published<typeof MqttGone>;

/** Types of changes that are told of an alert. */
export const isAlertType = (kind: string): kind is (typeof ALERT_TYPES)[number] =>
  CHANGE_TYPES.some((type) => type === kind) && ALERT_TYPES.some((type) => type === kind);
