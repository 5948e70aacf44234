import { describe, expect, test } from "bun:test";
import { newZoneWatch, send } from "../alerts/support";
import { MqttBroker } from "../stand-ins/mqtt-broker";
import { done } from "../support/expectations";
import { linesOf } from "../support/log";
import { rows, write } from "../support/rows";
import { command, TestServer } from "../support/server";
import { DAY } from "../support/time";
import { createTrip, fix, northOf } from "../tracking/support";
import { brokerHealth, caughtUp, checked, positionsOf, startWith, topics, troubleOf } from "./support";

/** Either side goes away, and comes back: nothing is lost, and the order of each topic stays. */

const away = northOf(fix(), 5);
const setting = async (server: TestServer, key: string, value: number) =>
  done(await server.patch(`/v1/system-config/${key}`, { token: await server.admin(), body: { value } }));

/** Positions of all devices, retained ones apart, by device and in the order of arrival. */
const idsAt = (broker: MqttBroker, deviceId: string, retain: boolean) =>
  broker.published
    .filter((message) => message.topic === topics.position(deviceId) && message.retain === retain)
    .map(({ payload }) => JSON.parse(payload).id);

describe.each(["newest", "all"])("a broker that was away for a day, with mqtt.backlog = %s", (backlog) => {
  test("gets the newest position of each device first, then what it missed, though the retention is over", async () => {
    const broker = await MqttBroker.start();
    const settings = { "mqtt.backlog": backlog, "mqtt.home_assistant": "false" };
    const first = await startWith(broker, settings, { clock: "movable" });
    await setting(first, "changes.retention_hours", 1);
    const { device, zone } = await newZoneWatch(first, "enter");
    const other = await first.device();
    await caughtUp(first);
    await broker.die({ forgets: true });
    const before = broker.published.length;

    const inside = await send(first, device, zone, 300);
    const outside = await send(first, device, away, 200);
    const ids = [await send(first, other, away, 100), await send(first, other, away, 90)].map(({ id }) => id);
    const trip = await createTrip(first);
    await first.advance(DAY);
    const { ahead } = first;
    await first.stop("SIGKILL");
    // The job of the retention runs at the start.
    const server = await startWith(broker, settings, { clock: "movable", dataDir: first.dataDir, ahead });
    await server.get("/health");
    await broker.listen();
    await caughtUp(server);

    const came = broker.published.slice(before).filter(({ topic }) => topic !== topics.status);
    const newest = came.slice(0, 4).map(({ topic, retain }) => [topic, retain]);
    expect(newest.sort()).toEqual(
      [device, other]
        .flatMap(({ id }) => [topics.position(id), topics.state(id)].map((topic) => [topic, true]))
        .sort(),
    );
    expect(broker.at(topics.zone(zone.id)).map((payload) => checked("zone_event", payload).event)).toEqual([
      "enter",
      "exit",
    ]);
    const alerts = came.filter(({ topic }) => topic.startsWith("fairlead/alerts/"));
    expect(alerts.map(({ payload }) => checked("alert", payload).type)).toEqual([
      "alertRaised",
      "alertCleared",
    ]);
    expect(broker.at(topics.trip(trip.id))).toHaveLength(1);
    expect(broker.at(topics.state(other.id))).toEqual(["silent"]);
    const isAll = backlog === "all";
    expect(idsAt(broker, device.id, false)).toEqual(isAll ? [inside.id] : []);
    expect(idsAt(broker, other.id, false)).toEqual(isAll ? ids.slice(0, 1) : []);
    // Whoever listens without a look at the time hears the newest one last.
    expect(positionsOf(broker, other.id).at(-1).id).toBe(ids[1]);
    expect(JSON.parse(broker.retained.get(topics.position(device.id)) ?? "").id).toBe(outside.id);
    await server.stop();
    await broker.stop();
  });
});

test("a broker that forgets all is told anew what it retains", async () => {
  const broker = await MqttBroker.start();
  const server = await startWith(broker);
  const device = await server.device();
  const { id } = await send(server, device);
  await broker.until(() => broker.retained.has(topics.position(device.id)));
  const discovered = [...broker.retained.keys()].filter((topic) => topic.startsWith("homeassistant/")).length;
  expect(discovered).toBeGreaterThan(5);
  await broker.die({ forgets: true });
  await broker.listen();
  await broker.until(() => JSON.parse(broker.retained.get(topics.position(device.id)) ?? "{}").id === id);
  await broker.until(() => broker.retained.get(topics.state(device.id)) === "fresh");
  await broker.until(
    () =>
      [...broker.retained.keys()].filter((topic) => topic.startsWith("homeassistant/")).length === discovered,
  );
  expect(broker.retained.get(topics.status)).toBe("online");
  expect(await brokerHealth(server)).toMatchObject({ status: "up", reconnects: 1 });
  await server.stop();
  await broker.stop();
});

test("cuts and kills of either side lose nothing: each topic has all its messages, at first in order", async () => {
  const broker = await MqttBroker.start();
  const settings = { "mqtt.backlog": "all", "mqtt.home_assistant": "false" };
  let server = await startWith(broker, settings);
  const devices = [await server.device(), await server.device()];
  const trip = await createTrip(server);
  await caughtUp(server);
  const ids = new Map(devices.map(({ id }): [string, string[]] => [id, []]));
  for (let round = 0; round < 12; round++) {
    for (let at = 0; at < 5; at++)
      for (const device of devices) {
        const { id } = await send(server, device, { altitude: round }, 1_000 - round * 10 - at);
        ids.get(device.id)?.push(id);
      }
    const token = await server.admin();
    done(await server.patch(`/v1/trips/${trip.id}`, { token, body: { name: `round ${round}` } }));
    if (round % 4 === 0) broker.cut();
    else if (round % 4 === 1) {
      await broker.die({ forgets: round > 6 });
      await broker.listen();
    } else if (round % 4 === 2) {
      broker.acknowledges = false;
      await server.stop("SIGKILL");
      broker.goOn();
      server = await startWith(broker, settings, { dataDir: server.dataDir });
    }
  }
  await caughtUp(server);
  for (const { id } of devices) {
    const told = new Set(positionsOf(broker, id).map((position) => position.id));
    expect((ids.get(id) ?? []).filter((point) => !told.has(point))).toEqual([]);
  }
  // A trip is told as it is when the message is made: each change has its own place in the feed.
  const cursors = broker
    .at(topics.trip(trip.id))
    .map((payload) => Number(JSON.parse(payload).cursor.split("-")[1]));
  const firsts = cursors.filter((cursor, at) => cursors.indexOf(cursor) === at);
  expect(firsts).toHaveLength(13);
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  await server.stop();
  await broker.stop();
});

test("what is not acknowledged is not done: it comes again after a restart", async () => {
  const broker = await MqttBroker.start();
  const first = await startWith(broker, { "mqtt.home_assistant": "false" });
  // Nothing else is published before it is acknowledged.
  await broker.comes(topics.status);
  await caughtUp(first);
  broker.acknowledges = false;
  const trips = [await createTrip(first), await createTrip(first)];
  for (const { id } of trips) await broker.comes(topics.trip(id));
  expect(await brokerHealth(first)).toMatchObject({ waiting: 2 });
  await first.stop();
  broker.goOn();
  const second = await startWith(broker, { "mqtt.home_assistant": "false" }, { dataDir: first.dataDir });
  for (const { id } of trips) await broker.comes(topics.trip(id), 2);
  await caughtUp(second);
  await second.stop();
  const third = await startWith(broker, { "mqtt.home_assistant": "false" }, { dataDir: first.dataDir });
  await caughtUp(third);
  // Acknowledged, it is done.
  for (const { id } of trips) expect(broker.at(topics.trip(id))).toHaveLength(2);
  await third.stop();
  await broker.stop();
});

test("a message that is refused holds back what follows, and comes once the broker takes it", async () => {
  const broker = await MqttBroker.start();
  const server = await startWith(broker, { "mqtt.home_assistant": "false" });
  await caughtUp(server);
  broker.refuses = (topic) => (topic.startsWith("fairlead/trips/") ? 135 : null);
  const trip = await createTrip(server);
  expect(await troubleOf(server)).toBe(
    "it refuses a message, and the rest waits: it does not authorize this client",
  );
  expect((await server.get("/health")).body.status).toBe("degraded");
  expect(await linesOf(server, "the MQTT broker refuses a message")).toHaveLength(1);
  const later = await createTrip(server);
  broker.refuses = () => null;
  await caughtUp(server);
  expect(broker.at(topics.trip(trip.id)).length).toBeGreaterThan(1);
  expect(broker.at(topics.trip(later.id)).length).toBeGreaterThan(0);
  await server.stop();
  await broker.stop();
});

test("a broker gets no more messages at a time, and no larger ones, than it says that it takes", async () => {
  const broker = await MqttBroker.start();
  broker.properties = { receiveMaximum: 3, maximumPacketSize: 4_096, retainAvailable: false };
  const server = await startWith(broker);
  const device = await server.device();
  for (let at = 0; at < 20; at++) await send(server, device, {}, 20 - at);
  await caughtUp(server);
  expect(broker.mostUnderWay).toBeLessThanOrEqual(3);
  expect(broker.published.filter(({ retain }) => retain).map(({ topic }) => topic)).toEqual([]);
  await server.stop();
  await broker.stop();
});

test("subscriptions that a broker is slow to answer take no room from messages", async () => {
  const broker = await MqttBroker.start();
  broker.properties = { receiveMaximum: 1 };
  broker.answersSubscriptions = false;
  const server = await startWith(broker);
  const device = await server.device();
  for (let at = 0; at < 5; at++) await send(server, device, {}, 20 - at);
  await broker.comes(topics.position(device.id));
  await caughtUp(server);
  expect(broker.mostUnderWay).toBe(1);
  broker.goOn();
  await server.stop();
  await broker.stop();
});

test("a restored database begins anew, and what the broker retains of devices that it lacks goes", async () => {
  const broker = await MqttBroker.start();
  const first = await startWith(broker);
  const kept = await first.device();
  const old = await send(first, kept, {}, 50);
  await caughtUp(first);
  const copy = `${first.dataDir}/copy.db`;
  expect((await command(["backup", copy, "--data-dir", first.dataDir])).status).toBe(0);
  const lost = await first.device();
  await send(first, lost);
  await send(first, kept);
  await broker.until(() => broker.retained.has(topics.state(lost.id)));
  const foreign = [
    "fairlead/devices/kitchen/position",
    `${topics.position(lost.id)}/note`,
    "fairlead/devices",
  ];
  for (const topic of foreign) broker.retained.set(topic, "another program's");
  await caughtUp(first);
  await first.stop();
  expect((await command(["restore", copy, "--data-dir", first.dataDir])).status).toBe(0);
  const restored = await startWith(broker, {}, { dataDir: first.dataDir });
  await broker.until(() => JSON.parse(broker.retained.get(topics.position(kept.id)) ?? "{}").id === old.id);
  await broker.until(
    () => ![...broker.retained.keys()].some((topic) => topic.includes(lost.id) && !foreign.includes(topic)),
    "no lost device",
  );
  expect(foreign.filter((topic) => !broker.retained.has(topic))).toEqual([]);
  expect([...broker.retained.keys()].some((topic) => topic.includes(kept.id))).toBe(true);
  const trip = await createTrip(restored);
  await broker.comes(topics.trip(trip.id));
  await restored.stop();
  await broker.stop();
});

test("beyond sync.max_backlog_mb changes are forgotten, which is said, and publishing begins anew", async () => {
  const broker = await MqttBroker.start();
  const settings = { "sync.max_backlog_mb": "1", "mqtt.home_assistant": "false", "metrics.enabled": "true" };
  const first = await startWith(broker, settings);
  const device = await first.device();
  const { id } = await send(first, device);
  await caughtUp(first);
  await broker.die();
  await first.stop();
  write(
    first,
    "UPDATE changes SET made_at = 0",
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
     INSERT INTO changes (kind, record, device_id, made_at) SELECT 5, '${id}', '${device.id}', 0 FROM n`,
  );
  const server = await startWith(broker, settings, { dataDir: first.dataDir });
  const count = () => rows<{ n: number }>(server, "SELECT count(*) AS n FROM changes")[0]?.n ?? 0;
  while (count() > 15_000) await Bun.sleep(20);
  expect(count()).toBeGreaterThan(5_000);
  await broker.listen();
  await caughtUp(server);
  expect(await linesOf(server, "changes were forgotten; publishing begins anew")).toHaveLength(1);
  await broker.comes(topics.position(device.id), 2);
  await server.stop();
  await broker.stop();
});

test("without a broker in the configuration nothing is kept for it", async () => {
  const broker = await MqttBroker.start();
  const first = await startWith(broker);
  await caughtUp(first);
  const readers = (server: TestServer) => rows<{ name: string }>(server, "SELECT name FROM feed_readers");
  expect(readers(first)).toEqual([{ name: "mqtt" }]);
  await first.stop();
  const second = await TestServer.start({ dataDir: first.dataDir });
  expect(readers(second)).toEqual([]);
  expect((await second.get("/health")).body.services).not.toHaveProperty("mqtt");
  await second.stop();
  await broker.stop();
});
