/**
 * `bun run generate:mqtt`: writes docs/mqtt.schema.json, the JSON Schemas of what is published to an MQTT broker, from the schemas
 * of the program. A test fails while it is behind.
 */
import { join } from "node:path";
import { MqttNotification } from "../../src/alerts/deliveries/schema";
import {
  DEVICE_STATES,
  MqttAlert,
  MqttGone,
  MqttPosition,
  MqttTrip,
  MqttZoneEvent,
} from "../../src/mqtt/schema";

export const TARGET = join(import.meta.dir, "../../docs/mqtt.schema.json");

/** A payload and its topic. One that is no JSON is described by its text. */
const at = (topic: string, schema: object) => ({ $comment: `Topic: ${topic}`, ...schema });

const PAYLOADS = {
  status: at("PREFIX/status", { enum: ["online", "offline"] }),
  position: at("PREFIX/devices/ID/position", MqttPosition),
  state: at("PREFIX/devices/ID/state", { enum: DEVICE_STATES }),
  zone_event: at("PREFIX/zones/ID/events", MqttZoneEvent),
  alert: at("PREFIX/alerts/ID", MqttAlert),
  trip: at("PREFIX/trips/ID", MqttTrip),
  trip_gone: at("PREFIX/trips/ID", MqttGone),
  notification: at("that of a notification target", MqttNotification),
};

/** The program names formats by a key of its own, so that its validator leaves them alone. */
const withFormats = (_key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("x-format" in value)) return value;
  const { "x-format": format, ...schema } = value;
  return { ...schema, format };
};

/** The text of the file. */
export const schemaText = (): string =>
  `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Payloads of the messages that Fairlead publishes by MQTT",
      $defs: PAYLOADS,
    },
    withFormats,
    2,
  )}\n`;

if (import.meta.main) await Bun.write(TARGET, schemaText());
