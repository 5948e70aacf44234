import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { AUTHORITY, type MqttBroker } from "../stand-ins/mqtt-broker";
import { eventually } from "../support/expectations";
import { type Settings, type StartOptions, TestServer } from "../support/server";

/** Servers with a broker, and the payloads that they publish. */

/** A server that is connected to a broker. */
export async function startWith(
  broker: { url: string },
  settings: Settings = {},
  options: StartOptions = {},
): Promise<TestServer> {
  const server = await TestServer.start({
    ...options,
    settings: { "mqtt.url": broker.url, ...settings, ...options.settings },
  });
  return server;
}

/** Lets a server trust the certificates of the stand-ins. */
export const trusting: StartOptions = {
  under: (command) => ["env", `NODE_EXTRA_CA_CERTS=${AUTHORITY}`, ...command],
};

/** The state of the broker, as health tells of it. */
export const brokerHealth = async (server: TestServer) => (await server.get("/health")).body.services.mqtt;

/** Waits until the broker has acknowledged everything. */
export const caughtUp = (server: TestServer): Promise<void> =>
  eventually(async () => {
    const { status, waiting } = await brokerHealth(server);
    return status === "up" && waiting === 0;
  });

/** Waits until a server says that its broker is down, and returns why. */
export async function troubleOf(server: TestServer): Promise<string> {
  let trouble: string | null = null;
  await eventually(async () => {
    const health = await brokerHealth(server);
    trouble =
      health.status === "down" && health.trouble !== "it was not connected yet" ? health.trouble : null;
    return trouble !== null;
  });
  return trouble ?? "";
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert on any payload's shape; its schema has checked it
type Payload = any;

const { $defs } = JSON.parse(readFileSync(join(import.meta.dir, "../../docs/mqtt.schema.json"), "utf8"));
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
const validators = new Map<string, ValidateFunction>();

/** A payload that the documented schema of a kind has checked. */
export function checked(kind: string, payload: string): Payload {
  const validate = validators.get(kind) ?? ajv.compile({ ...$defs[kind], additionalProperties: false });
  validators.set(kind, validate);
  const value = JSON.parse(payload);
  if (!validate(value)) throw new Error(`${kind}: ${ajv.errorsText(validate.errors)}: ${payload}`);
  return value;
}

export const topics = {
  status: "fairlead/status",
  position: (deviceId: string) => `fairlead/devices/${deviceId}/position`,
  state: (deviceId: string) => `fairlead/devices/${deviceId}/state`,
  zone: (zoneId: string) => `fairlead/zones/${zoneId}/events`,
  alert: (alertId: string) => `fairlead/alerts/${alertId}`,
  trip: (tripId: string) => `fairlead/trips/${tripId}`,
};

/** The positions that were published of a device, checked, in order. */
export const positionsOf = (broker: MqttBroker, deviceId: string): Payload[] =>
  broker
    .at(topics.position(deviceId))
    .filter((payload) => payload !== "")
    .map((payload) => checked("position", payload));
