import { findAlert } from "../alerts/alerts/service";
import { type Change, cursorOf } from "../feed/journal";
import { findEvent } from "../tracking/crossings/service";
import { findTrip } from "../tracking/trips/service";
import { alertTopic, tripTopic, zoneTopic } from "./broker/topics";
import { isAlertType, type MqttAlert, type MqttGone, type MqttTrip, type MqttZoneEvent } from "./schema";

/** A message to the broker. */
export interface Message {
  topic: string;
  payload: string;
  /** True for one that the broker keeps for those who subscribe later. */
  isRetained: boolean;
  /** True for one that nothing waits for if the broker refuses it. */
  isOptional?: true;
}

const passing = (topic: string, payload: object): Message[] => [
  { topic, payload: JSON.stringify(payload), isRetained: false },
];

/** The messages of a crossing: of those that late positions showed, nobody is told (docs/zones.md). */
export function zoneMessages(prefix: string, { kind, record, number }: Change): Message[] {
  const event = record === null ? null : findEvent(record);
  if (!event) return [];
  // A crossing that is numbered by itself is one that the socket does not tell of, or one that was overturned since.
  const isTold = kind === "geofenceEvent" || (!event.is_late && event.superseded_at === null);
  const payload: MqttZoneEvent = { cursor: cursorOf(number), ...event };
  return isTold ? passing(zoneTopic(prefix, event.geofence_id), payload) : [];
}

/** The messages of an alert, unless its retention has ended. */
export function alertMessages(prefix: string, { kind, record, number }: Change): Message[] {
  const alert = record === null ? null : findAlert(record);
  if (!alert || !isAlertType(kind)) return [];
  const payload: MqttAlert = { cursor: cursorOf(number), type: kind, ...alert };
  return passing(alertTopic(prefix, alert.id), payload);
}

/** The messages of a trip as it is now. */
export function tripMessages(prefix: string, { record, device_id, number }: Change): Message[] {
  if (record === null) return [];
  const cursor = cursorOf(number);
  const trip = findTrip(record);
  const payload: MqttTrip | MqttGone = trip
    ? { cursor, ...trip }
    : { cursor, id: record, device_id, is_deleted: true };
  return passing(tripTopic(prefix, record), payload);
}
