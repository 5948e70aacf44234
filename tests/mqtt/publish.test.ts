import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ALERTS, alertsOf, newZoneWatch, send } from "../alerts/support";
import { MqttBroker } from "../stand-ins/mqtt-broker";
import { done } from "../support/expectations";
import type { TestServer } from "../support/server";
import { HOUR, MINUTE } from "../support/time";
import { createTrip, createZone, fix, moveTrip, northOf } from "../tracking/support";
import { caughtUp, checked, positionsOf, startWith, topics } from "./support";

/** Messages that are published while the broker is there. */

let broker: MqttBroker;
let server: TestServer;
beforeAll(async () => {
  broker = await MqttBroker.start();
  server = await startWith(broker, { "mqtt.home_assistant": "false" }, { clock: "movable" });
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});

const admin = () => server.admin();
const away = northOf(fix(), 5);

describe("positions", () => {
  test("are published one by one in order, as the API shows them, and the newest is retained", async () => {
    const device = await server.device();
    const topic = topics.position(device.id);
    const first = await send(server, device, { altitude: 1, battery_percent: 80, accuracy_m: 4 }, 20);
    const second = await send(server, device, { altitude: 2 }, 10);
    await broker.comes(topic, 2);
    const [one, two] = positionsOf(broker, device.id);
    const record = done(await server.get(`/v1/gps/${first.id}`, { token: await admin() })).data;
    expect(one).toEqual({ cursor: expect.stringMatching(/^[0-9a-f]{16}-\d+$/), ...record });
    expect(two.id).toBe(second.id);
    await broker.until(() => JSON.parse(broker.retained.get(topic) ?? "{}").id === second.id);
  });

  test("that come late don't take the place of the newest", async () => {
    const device = await server.device();
    const newest = await send(server, device, {}, 10);
    await send(server, device, { altitude: 7 }, 600);
    await caughtUp(server);
    expect(positionsOf(broker, device.id).map(({ id }) => id)).toEqual([newest.id]);
  });

  test("that are marked or deleted give their place back to the one before", async () => {
    const device = await server.device();
    const topic = topics.position(device.id);
    const kept = () => JSON.parse(broker.retained.get(topic) ?? "{}").id;
    const [first, second] = [await send(server, device, {}, 30), await send(server, device, {}, 20)];
    const third = await send(server, device, {}, 10);
    await broker.until(() => kept() === third.id);
    await server.patch(`/v1/gps/${third.id}`, { token: await admin(), body: { is_outlier: true } });
    await broker.until(() => kept() === second.id, "the one before the outlier");
    done(await server.delete(`/v1/gps/${second.id}`, { token: await admin() }));
    await broker.until(() => kept() === first.id, "the one before the deleted");
    done(await server.delete(`/v1/gps/${first.id}`, { token: await admin() }));
    await broker.until(() => !broker.retained.has(topic), "nothing");
    await broker.until(() => !broker.retained.has(topics.state(device.id)), "no state");
  });

  test("of nobody are not published", async () => {
    await server.post("/v1/gps", { token: server.systemKey, body: fix({ timestamp: 1_700_000_000 }) });
    await caughtUp(server);
    expect(broker.published.some(({ topic }) => topic.includes("/null/"))).toBe(false);
  });
});

describe("the state of a device", () => {
  test("is fresh, and turns old after five minutes and silent after an hour, without a new position", async () => {
    const device = await server.device();
    const topic = topics.state(device.id);
    await send(server, device);
    expect(await broker.comes(topic)).toEqual(["fresh"]);
    await server.advance(5 * MINUTE + 1_000);
    expect(await broker.comes(topic, 2)).toEqual(["fresh", "old"]);
    await server.advance(55 * MINUTE);
    expect(await broker.comes(topic, 3)).toEqual(["fresh", "old", "silent"]);
    await broker.until(() => broker.retained.get(topic) === "silent");
    await send(server, device);
    expect(await broker.comes(topic, 4)).toEqual(["fresh", "old", "silent", "fresh"]);
  });

  test("is that of an old position from the beginning", async () => {
    const device = await server.device();
    await send(server, device, {}, HOUR / 1_000 + 1);
    expect(await broker.comes(topics.state(device.id))).toEqual(["silent"]);
  });
});

describe("zones", () => {
  test("tell who enters, leaves and passes, with the record of the crossing, and retain nothing", async () => {
    const device = await server.device("Greif");
    const zone = await createZone(server, { name: "Harbour" });
    await send(server, device, away, 50);
    await send(server, device, {}, 40);
    await send(server, device, away, 30);
    // On the other side: the way between cuts through the zone.
    await send(server, device, northOf(fix(), -5), 20);
    const payloads = await broker.comes(topics.zone(zone.id), 3);
    const events = payloads.map((payload) => checked("zone_event", payload));
    expect(events.map(({ event }) => event)).toEqual(["enter", "exit", "passed"]);
    const { data } = done(
      await server.get(`/v1/geofence-events?geofence_id=${zone.id}`, { token: await admin() }),
    );
    expect(events.map(({ cursor, ...event }) => event)).toEqual(data.toReversed());
    expect(broker.retained.has(topics.zone(zone.id))).toBe(false);
  });

  test("don't tell what late positions show", async () => {
    const device = await server.device();
    const zone = await createZone(server);
    await send(server, device, away, 100);
    await send(server, device, away, 10);
    await send(server, device, {}, 50);
    await caughtUp(server);
    expect(broker.at(topics.zone(zone.id))).toEqual([]);
  });
});

describe("alerts and trips", () => {
  test("are told at each turn of an alert", async () => {
    const { device, zone } = await newZoneWatch(server, "enter");
    await send(server, device, away, 40);
    await send(server, device, zone, 30);
    await broker.until(() => broker.published.some(({ topic }) => topic.startsWith("fairlead/alerts/")));
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    done(await server.post(`${ALERTS}/${alert.id}/acknowledge`, { token: await admin(), body: {} }));
    await send(server, device, away, 20);
    const payloads = (await broker.comes(topics.alert(alert.id), 3)).map((payload) =>
      checked("alert", payload),
    );
    expect(payloads.map(({ type }) => type)).toEqual(["alertRaised", "alertAcknowledged", "alertCleared"]);
    expect(payloads.at(-1)).toMatchObject({ id: alert.id, status: "cleared", device_id: device.id });
    expect(broker.retained.has(topics.alert(alert.id))).toBe(false);
  });

  test("are told as a trip begins, changes, ends and is deleted", async () => {
    const trip = await createTrip(server, { name: "To Lauterbach" });
    await moveTrip(server, trip.id, "active", "completed");
    done(await server.delete(`/v1/trips/${trip.id}`, { token: await admin() }));
    const payloads = await broker.comes(topics.trip(trip.id), 4);
    expect(JSON.parse(payloads.at(-1) ?? "")).toMatchObject({ id: trip.id, is_deleted: true });
    expect(checked("trip_gone", payloads.at(-1) ?? "")).toMatchObject({ device_id: null });
    for (const payload of payloads.slice(0, -1)) {
      const told = JSON.parse(payload);
      checked(told.is_deleted ? "trip_gone" : "trip", payload);
    }
  });
});

test("a device that is deleted leaves nothing retained", async () => {
  const device = await server.device();
  await send(server, device);
  await broker.until(() => broker.retained.has(topics.state(device.id)));
  done(await server.delete(`/v1/devices/${device.id}`, { token: await admin() }));
  await broker.until(() => ![...broker.retained.keys()].some((topic) => topic.includes(device.id)));
  expect(broker.at(topics.position(device.id)).at(-1)).toBe("");
});

describe("the status", () => {
  test("is online, offline after a stop, and offline by the will after a kill", async () => {
    const own = await MqttBroker.start();
    const stopped = await startWith(own);
    const becomes = (status: string) => own.until(() => own.retained.get(topics.status) === status, status);
    await becomes("online");
    await stopped.stop();
    await becomes("offline");
    expect(own.at(topics.status)).toEqual(["online", "offline"]);
    const killed = await startWith(own, {}, { dataDir: stopped.dataDir });
    await becomes("online");
    await killed.stop("SIGKILL");
    await becomes("offline");
    await own.stop();
  });
});

test("mqtt.publish and mqtt.prefix select what is published, and where", async () => {
  const own = await MqttBroker.start();
  const settings = { "mqtt.publish": "zones, trips", "mqtt.prefix": "boat/one" };
  const quiet = await startWith(own, settings, { clock: "movable" });
  const { device, zone } = await newZoneWatch(quiet, "enter");
  await send(quiet, device, away, 40);
  await send(quiet, device, zone, 30);
  await createTrip(quiet);
  await caughtUp(quiet);
  const kinds = own.published.map(({ topic }) => topic.split("/").slice(0, 3).join("/"));
  expect([...new Set(kinds)].filter((topic) => !topic.startsWith("homeassistant")).sort()).toEqual([
    "boat/one/status",
    "boat/one/trips",
    "boat/one/zones",
  ]);
  await quiet.stop();
  await own.stop();
});
