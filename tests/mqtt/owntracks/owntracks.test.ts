import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { done } from "../../support/expectations";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { brokerHealth, caughtUp, startWith } from "../support";

/** Locations that the apps of OwnTracks publish to a broker. */

let broker: MqttBroker;
let server: TestServer;
const SETTINGS = { "mqtt.owntracks": "true", "mqtt.home_assistant": "false", "metrics.enabled": "true" };
beforeAll(async () => {
  broker = await MqttBroker.start();
  server = await startWith(broker, SETTINGS);
  await caughtUp(server);
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});

let made = 0;
/** A device that an app's `user/device` stands for. */
async function newDevice(on = server, name = `anna/phone${++made}`) {
  const body = { name, external_id: name };
  return done(await on.post("/v1/devices", { token: await on.admin(), body })).data;
}
const now = () => Math.floor(Date.now() / 1_000);
const location = (fields: object = {}) =>
  JSON.stringify({ _type: "location", lat: 54.0967, lon: 13.4553, tst: now(), ...fields });
const publish = (name: string, payload: string | Buffer, retain = false) =>
  broker.publish(`owntracks/${name}`, payload, { retain });
const storedOf = (on: TestServer, deviceId: string) =>
  rows<{ latitude: number; source: string; timestamp: number }>(
    on,
    "SELECT latitude, source, timestamp FROM gps_points WHERE device_id = ? ORDER BY rowid",
    deviceId,
  );
/** Counts of what came, by what became of it. */
async function received(): Promise<Record<string, number>> {
  const { body } = await server.get("/metrics");
  const found = String(body).matchAll(/^fairlead_mqtt_received_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}
/** Waits until the server has acknowledged all that was published. */
async function taken(device: { external_id: string; id: string }): Promise<void> {
  // A location that is stored last has all others before it.
  const last = now() + 60;
  publish(device.external_id, location({ tst: last }));
  await broker.until(() => storedOf(server, device.id).some(({ timestamp }) => timestamp === last * 1_000));
}

describe("a location", () => {
  test("becomes a position of the device whose external_id is user/device, with all that it tells", async () => {
    const device = await newDevice();
    const fields = { alt: 12, acc: 8, vel: 36, cog: 212, batt: 82, tst: now() - 30 };
    publish(device.external_id, location(fields));
    await broker.until(() => storedOf(server, device.id).length === 1);
    const token = await server.admin();
    expect(done(await server.get(`/v1/gps/current?device_id=${device.id}`, { token })).data).toMatchObject({
      ...{ device_id: device.id, latitude: 54.0967, longitude: 13.4553, altitude: 12, heading: 212 },
      ...{ accuracy_m: 8, battery_percent: 82, speed_kmh: 36, speed_mps: 10, source: "mqtt" },
      timestamp: new Date(fields.tst * 1_000).toISOString(),
    });
    // It is published on, as every position.
    await broker.comes(`fairlead/devices/${device.id}/position`);
  });

  test("that comes twice is stored once", async () => {
    const device = await newDevice();
    const same = location({ tst: now() - 10 });
    for (let at = 0; at < 3; at++) publish(device.external_id, same);
    await taken(device);
    expect(storedOf(server, device.id)).toHaveLength(2);
  });

  test("of an unknown or inactive device is left alone, and counted", async () => {
    const device = await newDevice();
    const inactive = await newDevice();
    const body = { is_active: false };
    done(await server.patch(`/v1/devices/${inactive.id}`, { token: await server.admin(), body }));
    const before = (await received()).unknown_device ?? 0;
    publish("nobody/here", location());
    publish(inactive.external_id, location());
    await taken(device);
    expect((await received()).unknown_device).toBe(before + 2);
    expect(storedOf(server, inactive.id)).toEqual([]);
    expect((await server.get("/metrics")).body).toMatch(
      /^fairlead_ingest_rejected_total\{reason="unknown_device"\} [1-9]/m,
    );
  });
});

test("whatever else comes is acknowledged, counted and left alone", async () => {
  const device = await newDevice();
  const name = device.external_id;
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const payloads: (string | Buffer)[] = [
    "",
    "not JSON",
    "null",
    "[]",
    '"text"',
    "{}",
    Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3]),
    Buffer.alloc(100_000, 0xff),
    deep("[", "]", 200_000),
    `{"_type":"location","a":${deep('{"b":[', "]}", 50_000)}}`,
    `{"_type":"location","lat":1,"lon":2,"tst":3,"x":[${"1,".repeat(300_000)}1]}`,
    JSON.stringify({ _type: "lwt", tst: now() }),
    JSON.stringify({ _type: "encrypted", data: "AAAA" }),
    JSON.stringify({ _type: "encrypted", data: "A".repeat(500_000) }),
    location({ lat: "x" }),
    location({ lat: 91 }),
    location({ lon: null }),
    location({ tst: "never" }),
    location({ tst: now() + 86_400 }),
    location({ tst: 1 }),
    location({ lat: "1e400", vel: -1, acc: {} }),
    `{"__proto__":{"lat":1},"_type":"location"}`,
    location({ image: "A".repeat(3_000_000) }),
  ];
  const before = await received();
  for (const payload of payloads) publish(name, payload);
  for (const topic of ["owntracks", "owntracks/a", "owntracks/a/b/event", "owntracks/a/b/c/d", "other"])
    broker.publish(topic, location());
  await taken(device);
  expect(storedOf(server, device.id)).toHaveLength(1);
  const after = await received();
  const grown = (outcome: string) => (after[outcome] ?? 0) - (before[outcome] ?? 0);
  expect(grown("too_large")).toBe(1);
  expect(grown("rejected") + grown("no_position")).toBe(payloads.length);
  expect(grown("no_position")).toBeGreaterThanOrEqual(4);
  expect((await brokerHealth(server)).status).toBe("up");
});

describe("while the server is away", () => {
  test("the broker keeps what comes, and it is stored afterwards, once", async () => {
    const own = await MqttBroker.start();
    const first = await startWith(own, SETTINGS);
    const device = await newDevice(first);
    await caughtUp(first);
    await first.stop("SIGKILL");
    const times = Array.from({ length: 20 }, (_, at) => now() - 100 + at);
    for (const tst of times) own.publish(`owntracks/${device.external_id}`, location({ tst }));
    const second = await startWith(own, SETTINGS, { dataDir: first.dataDir });
    await own.until(() => storedOf(second, device.id).length === times.length);
    expect(storedOf(second, device.id).map(({ timestamp }) => timestamp / 1_000)).toEqual(times);
    await second.stop("SIGKILL");
    const third = await startWith(own, SETTINGS, { dataDir: first.dataDir });
    await caughtUp(third);
    expect(storedOf(third, device.id)).toHaveLength(times.length);
    await third.stop();
    await own.stop();
  });

  test("one that the broker retains is stored as it is first subscribed to", async () => {
    const own = await MqttBroker.start();
    const tst = now() - 50;
    own.publish("owntracks/anna/tablet", location({ tst }), { retain: true });
    const first = await startWith(own, { ...SETTINGS, "mqtt.owntracks": "false" });
    const device = await newDevice(first, "anna/tablet");
    await caughtUp(first);
    await first.stop();
    const second = await startWith(own, SETTINGS, { dataDir: first.dataDir });
    await own.until(() => storedOf(second, device.id).length === 1);
    await second.stop();
    await own.stop();
  });
});

test("without mqtt.owntracks nothing is taken", async () => {
  const own = await MqttBroker.start();
  const quiet = await startWith(own, { "mqtt.home_assistant": "false" });
  const device = await newDevice(quiet);
  await caughtUp(quiet);
  own.publish(`owntracks/${device.external_id}`, location());
  await caughtUp(quiet);
  expect(storedOf(quiet, device.id)).toEqual([]);
  await quiet.stop();
  await own.stop();
});

test("a subscription that the broker refuses shows in health, and all else goes on", async () => {
  const own = await MqttBroker.start();
  own.refusesFilter = (filter) => (filter.startsWith("owntracks/") ? 135 : null);
  const refused = await startWith(own, SETTINGS);
  await own.comes("fairlead/status");
  const token = await refused.admin();
  const trip = done(await refused.post("/v1/trips", { token, body: { name: "trip" } })).data;
  await own.comes(`fairlead/trips/${trip.id}`);
  expect(await brokerHealth(refused)).toMatchObject({
    ...{
      status: "down",
      protocol: "5.0",
      trouble: "it refuses a subscription: it does not authorize this client",
    },
  });
  await refused.stop();
  await own.stop();
});
