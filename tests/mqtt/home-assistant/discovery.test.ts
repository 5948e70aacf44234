import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { send } from "../../alerts/support";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { done, eventually } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { brokerHealth, caughtUp, startWith, topics } from "../support";
import { componentOf } from "./schema";

/** The messages that tell Home Assistant of devices, and their times. */

let broker: MqttBroker;
let server: TestServer;
beforeAll(async () => {
  broker = await MqttBroker.start();
  server = await startWith(broker);
  await caughtUp(server);
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});

const isConfig = (topic: string) => topic.startsWith("homeassistant/");
/** The retained configurations whose topic holds a text, by component and name. */
function configsOf(part: string) {
  return [...broker.retained]
    .filter(([topic]) => isConfig(topic) && topic.includes(part))
    .map(([topic, payload]) => ({ topic, ...componentOf(topic, payload) }));
}
const namesOf = (part: string) =>
  configsOf(part).map(({ component, config }) => `${component}: ${config.name}`);

const OF_DEVICE = [
  "device_tracker: null",
  "sensor: Speed",
  "sensor: Battery",
  "sensor: Last position",
  "sensor: Position state",
];

/** The result of a Jinja template that picks keys of `value_json`, as far as these configurations use them. */
function rendered(template: string, payload: string): unknown {
  const inner = /^\{% if value_json is defined %\}\{\{ (.*) \}\}\{% endif %\}$/.exec(template)?.[1] ?? "";
  const value = JSON.parse(payload);
  const one = (expression: string): unknown => {
    const [, name = "", fallback] = /^value_json\.(\w+)(?: or (\d+))?$/.exec(expression.trim()) ?? [];
    if (name === "") throw new Error(`a template that is not understood: ${expression}`);
    return value[name] ?? (fallback === undefined ? null : Number(fallback));
  };
  const object = /^\{(.*)\} \| tojson$/.exec(inner)?.[1];
  if (object === undefined) return one(inner);
  const pairs = object.split(", ").map((pair) => /^'(\w+)': (.*)$/.exec(pair) ?? []);
  return Object.fromEntries(pairs.map(([, key = "", expression = ""]) => [key, one(expression)]));
}

describe("a device", () => {
  test("is announced as a tracker with sensors, in the form that Home Assistant takes", async () => {
    const device = await server.device("Greif");
    await broker.until(() => configsOf(device.id).length === OF_DEVICE.length);
    expect(namesOf(device.id)).toEqual(OF_DEVICE);
    const configs = configsOf(device.id).map(({ config }) => config);
    expect(new Set(configs.map(({ unique_id }) => unique_id)).size).toBe(OF_DEVICE.length);
    for (const config of configs)
      expect(config).toMatchObject({
        ...{
          availability_topic: topics.status,
          payload_available: "online",
          payload_not_available: "offline",
        },
        device: { identifiers: [`fairlead_${device.id}`], name: "Greif", via_device: expect.any(String) },
      });
  });

  test("has its values in what is published at the topics of its configurations", async () => {
    const device = await server.device();
    await send(server, device, { accuracy_m: 7, battery_percent: 55, speed_kmh: 13.7 });
    const [payload = ""] = await broker.comes(topics.position(device.id));
    const position = JSON.parse(payload);
    await broker.until(() => configsOf(device.id).length === OF_DEVICE.length);
    const configs = configsOf(device.id).map(({ config }) => config);
    const of = (name: string | null) => configs.find((config) => config.name === name) ?? {};
    expect(of(null).json_attributes_topic).toBe(topics.position(device.id));
    expect(rendered(String(of(null).json_attributes_template), payload)).toMatchObject({
      ...{ latitude: position.latitude, longitude: position.longitude, gps_accuracy: 7, speed_kmh: 13.7 },
    });
    const values = ["Speed", "Battery", "Last position"].map((name) => {
      expect(of(name).state_topic).toBe(topics.position(device.id));
      return rendered(String(of(name).value_template), payload);
    });
    expect(values).toEqual([13.7, 55, position.timestamp]);
    expect(of("Position state")).toMatchObject({
      ...{ state_topic: topics.state(device.id), options: ["fresh", "old", "silent"] },
    });
    // Home Assistant wants a number for the accuracy, also where none is known.
    await send(server, device);
    const [, bare = ""] = await broker.comes(topics.position(device.id), 2);
    expect(rendered(String(of(null).json_attributes_template), bare)).toMatchObject({ gps_accuracy: 0 });
  });

  test("that is renamed is announced anew, and one that is deleted is withdrawn", async () => {
    const device = await server.device("Old name");
    await broker.until(() => configsOf(device.id).length === OF_DEVICE.length);
    const token = await server.admin();
    done(await server.patch(`/v1/devices/${device.id}`, { token, body: { name: "New name" } }));
    const isRenamed = ({ config }: { config: Record<string, unknown> }) =>
      (config.device as { name: string }).name === "New name";
    await broker.until(() => configsOf(device.id).every(isRenamed));
    done(await server.delete(`/v1/devices/${device.id}`, { token }));
    await broker.until(() => configsOf(device.id).length === 0);
    const last = broker.published
      .filter(({ topic }) => isConfig(topic) && topic.includes(device.id))
      .slice(-5);
    expect(last.every(({ payload, retain }) => payload === "" && retain)).toBe(true);
  });
});

test("the installation has its connection, and the events of zones and alerts", async () => {
  await broker.until(() => configsOf("/connection/").length === 1);
  const [connection] = configsOf("/connection/");
  expect(connection?.config).toMatchObject({
    ...{
      device_class: "connectivity",
      state_topic: topics.status,
      payload_on: "online",
      payload_off: "offline",
    },
  });
  const [zones] = configsOf("/zones/");
  expect(zones?.config).toMatchObject({
    ...{ state_topic: "fairlead/zones/+/events", event_types: ["enter", "exit", "passed", "dwell"] },
  });
  const event = { event: "enter", geofence_name: "Harbour", device_name: "Greif" };
  expect(rendered(String(zones?.config.value_template), JSON.stringify(event))).toMatchObject({
    ...{ event_type: "enter", geofence_name: "Harbour", device_name: "Greif" },
  });
  const [alerts] = configsOf("/alerts/");
  expect(alerts?.config).toMatchObject({ state_topic: "fairlead/alerts/+" });
  expect(
    rendered(String(alerts?.config.value_template), '{"type":"alertRaised","message":"x"}'),
  ).toMatchObject({
    ...{ event_type: "alertRaised", message: "x" },
  });
});

describe("Home Assistant", () => {
  const announcements = () =>
    broker.published.filter(({ topic }) => topic.endsWith("/connection/config")).length;

  test("hears everything anew when it says that it is online", async () => {
    const before = announcements();
    broker.publish("homeassistant/status", "online");
    await broker.until(() => announcements() === before + 1);
    broker.publish("homeassistant/status", "offline");
    broker.publish("homeassistant/status", Buffer.alloc(5_000, 0xff));
    await caughtUp(server);
    expect(announcements()).toBe(before + 1);
  });

  test("that refuses, or a broker that does so for it, holds nothing else up", async () => {
    broker.refuses = (topic) => (isConfig(topic) ? 135 : null);
    const device = await server.device();
    await send(server, device);
    await broker.comes(topics.position(device.id));
    await eventually(async () => (await brokerHealth(server)).waiting === 0);
    expect(await brokerHealth(server)).toMatchObject({
      ...{ status: "down", waiting: 0 },
      trouble: "it refuses what is announced to Home Assistant: it does not authorize this client",
    });
    broker.refuses = () => null;
    broker.publish("homeassistant/status", "online");
    await broker.until(() => configsOf(device.id).length === OF_DEVICE.length);
    await caughtUp(server);
  });
});

test("what the configuration announces no more is withdrawn", async () => {
  const own = await MqttBroker.start();
  const first = await startWith(own);
  const device = await first.device();
  await send(first, device);
  const kept = (part: string) => [...own.retained.keys()].filter((topic) => topic.includes(part)).length;
  await own.until(() => kept("homeassistant/") === 3 + OF_DEVICE.length && kept("/devices/") === 2);
  own.publish("homeassistant/sensor/another/x/config", "{}", { retain: true });
  own.publish("another/devices/x/state", "fresh", { retain: true });
  await first.stop();
  const off = await startWith(own, { "mqtt.home_assistant": "false" }, { dataDir: first.dataDir });
  await own.until(() => kept("homeassistant/") === 1 && kept("fairlead/devices/") === 2);
  await off.stop();
  const fewer = await startWith(own, { "mqtt.publish": "alerts" }, { dataDir: first.dataDir });
  await own.until(() => kept("fairlead/devices/") === 0 && kept("homeassistant/") === 1 + 2);
  await fewer.stop();
  expect(kept("another")).toBe(2);
  await own.stop();
});
