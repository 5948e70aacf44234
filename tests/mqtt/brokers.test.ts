import { afterAll, describe, expect, test } from "bun:test";
import { newZoneWatch, send } from "../alerts/support";
import { done, eventually } from "../support/expectations";
import { rows } from "../support/rows";
import type { TestServer } from "../support/server";
import { createTrip, fix, northOf } from "../tracking/support";
import { aedes, Listener, MOSQUITTO, mosquitto, NATS, nats, type RealBroker, retainedAt } from "./brokers";
import { brokerHealth, caughtUp, checked, startWith, topics, trusting } from "./support";

/** Brokers that others wrote; those that are not installed are skipped. */

const BROKERS: [name: string, make: () => RealBroker, protocol: string, isThere: boolean][] = [
  ["mosquitto", mosquitto, "5.0", MOSQUITTO !== null],
  ["nats-server", nats, "3.1.1", NATS !== null],
  ["aedes", aedes, "3.1.1", true],
];

const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});
async function started(make: () => RealBroker): Promise<RealBroker> {
  const broker = make();
  await broker.start();
  stops.push(() => broker.stop());
  return broker;
}

const away = northOf(fix(), 5);
const QUIET = { "mqtt.home_assistant": "false", "mqtt.backlog": "all" };
const idsOf = (listener: Listener, deviceId: string) =>
  new Set(listener.at(topics.position(deviceId)).map((payload) => checked("position", payload).id));

for (const [name, make, protocol, isThere] of BROKERS)
  describe.skipIf(!isThere)(name, () => {
    test("gets positions, states, zones, alerts and trips, and keeps what is to be kept", async () => {
      const broker = await started(make);
      const listener = await Listener.at(broker.url, "fairlead/#");
      const server = await startWith(broker);
      await caughtUp(server);
      expect(await brokerHealth(server)).toMatchObject({ status: "up", protocol });
      const { device, zone } = await newZoneWatch(server, "enter");
      const points = [await send(server, device, away, 30), await send(server, device, {}, 20)];
      points.push(await send(server, device, away, 10));
      const trip = await createTrip(server);
      await listener.comes(topics.trip(trip.id));
      await listener.comes(topics.position(device.id), 3);
      const told = listener.at(topics.position(device.id)).map((payload) => checked("position", payload).id);
      expect(told).toEqual(points.map(({ id }) => id));
      const events = listener.at(topics.zone(zone.id)).map((payload) => checked("zone_event", payload).event);
      expect(events).toEqual(["enter", "exit"]);
      const alerts = listener.heard.filter(({ topic }) => topic.startsWith("fairlead/alerts/"));
      expect(alerts.map(({ payload }) => checked("alert", payload).type)).toEqual([
        "alertRaised",
        "alertCleared",
      ]);
      const kept = await retainedAt(broker.url, "fairlead/#");
      expect([...kept.keys()].sort()).toEqual(
        [topics.position(device.id), topics.state(device.id), topics.status].sort(),
      );
      expect(JSON.parse(kept.get(topics.position(device.id)) ?? "").id).toBe(points[2]?.id);
      done(await server.delete(`/v1/devices/${device.id}`, { token: await server.admin() }));
      await eventually(async () => (await retainedAt(broker.url, "fairlead/devices/#")).size === 0);
      await server.stop("SIGKILL");
      await eventually(() => listener.at(topics.status).at(-1) === "offline");
      await listener.stop();
    });

    test("that is killed, or has forgotten all, is told of the present when it is back", async () => {
      const broker = await started(make);
      const server = await startWith(broker, QUIET);
      const device = await server.device();
      await caughtUp(server);
      let age = 100;
      for (const how of [{ kill: true }, { kill: true, forgets: true }]) {
        await broker.stop(how);
        const points: { id: string }[] = [];
        for (let at = 0; at < 5; at++) points.push(await send(server, device, {}, age--));
        expect((await brokerHealth(server)).waiting).toBeGreaterThanOrEqual(5);
        await broker.start();
        await caughtUp(server);
        const kept = await retainedAt(broker.url, "fairlead/#");
        expect(kept.get(topics.status)).toBe("online");
        expect(JSON.parse(kept.get(topics.position(device.id)) ?? "").id).toBe(points.at(-1)?.id);
        expect(kept.get(topics.state(device.id))).toBe("fresh");
      }
      await server.stop();
    });

    test("hands on what OwnTracks published while the server was killed, once", async () => {
      const broker = await started(make);
      const settings = { ...QUIET, "mqtt.owntracks": "true" };
      const first = await startWith(broker, settings);
      const body = { name: "phone", external_id: "anna/phone" };
      const device = done(await first.post("/v1/devices", { token: await first.admin(), body })).data;
      const app = await Listener.at(broker.url, "none");
      const now = Math.floor(Date.now() / 1_000);
      const publish = (tst: number) =>
        app.publish("owntracks/anna/phone", JSON.stringify({ _type: "location", lat: 54.1, lon: 13.4, tst }));
      const timesAt = (server: TestServer) =>
        rows<{ timestamp: number }>(
          server,
          "SELECT timestamp FROM gps_points WHERE device_id = ? ORDER BY timestamp",
          device.id,
        ).map(({ timestamp }) => timestamp / 1_000);
      await caughtUp(first);
      await publish(now - 100);
      await eventually(() => timesAt(first).length === 1);
      await first.stop("SIGKILL");
      for (let at = 0; at < 10; at++) await publish(now - 90 + at);
      const second = await startWith(broker, settings, { dataDir: first.dataDir });
      await eventually(() => timesAt(second).length === 11);
      expect(timesAt(second)).toEqual([now - 100, ...Array.from({ length: 10 }, (_, at) => now - 90 + at)]);
      await app.stop();
      await second.stop();
    });

    test("that is stopped, and the server that is killed, again and again, lose nothing", async () => {
      const broker = await started(make);
      let server = await startWith(broker, QUIET);
      const device = await server.device();
      const listener = await Listener.at(broker.url, "fairlead/#", { isKept: true });
      const points: { id: string }[] = [];
      for (let round = 0; round < 3; round++) {
        for (let at = 0; at < 5; at++) points.push(await send(server, device, {}, 500 - round * 20 - at));
        if (round % 2 === 0) {
          // nats-server 2.9 acknowledges what comes while it shuts down, and has lost it when it is back.
          if (name === "nats-server") await caughtUp(server);
          await broker.stop();
          points.push(await send(server, device, {}, 490 - round * 20));
          await broker.start();
        } else {
          await server.stop("SIGKILL");
          server = await startWith(broker, QUIET, { dataDir: server.dataDir });
        }
      }
      const end = await createTrip(server);
      await listener.comes(topics.trip(end.id));
      const heard = idsOf(listener, device.id);
      expect(points.filter(({ id }) => !heard.has(id))).toEqual([]);
      await listener.stop();
      await server.stop();
    });
  });

describe.skipIf(MOSQUITTO === null)("mosquitto", () => {
  test("is reached by TLS and WebSockets too", async () => {
    const broker = await started(mosquitto);
    for (const scheme of ["mqtts", "ws", "wss"]) {
      const listener = await Listener.at(broker.url, "fairlead/#");
      const server = await startWith({ url: broker.urls[scheme] ?? "" }, QUIET, trusting);
      const trip = await createTrip(server);
      await listener.comes(topics.trip(trip.id));
      expect(await brokerHealth(server)).toMatchObject({ status: "up", protocol: "5.0" });
      await listener.stop();
      await server.stop();
    }
  });
});
