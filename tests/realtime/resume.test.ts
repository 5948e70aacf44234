import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { changesSince, epochOf, nowOf, numberOf, numbersOf } from "../changes/support";
import type { Token } from "../support/api";
import { done, eventually } from "../support/expectations";
import { newUser } from "../support/people";
import { frame, read, subscribeInBinary } from "../support/protobuf";
import { OPCODE, RawClient } from "../support/raw-socket";
import { newRole, revoke } from "../support/roles";
import { write } from "../support/rows";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { told } from "../support/told";
import { createTrip, createZone, fix, northOf, postPoint } from "../tracking/support";
import { asChanges, resume, resumed, take } from "./feed-support";

/** `since` of a subscription: what was missed, in order, and then what comes. */

let server: TestServer;
let admin: Token;
let device: { id: string; key: Token };
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  device = await server.device();
});
afterAll(() => server.stop());

const connect = () => Client.open(server, { token: admin });
const post = () => postPoint(server, device.key);
const SECONDS = () => Math.floor(Date.now() / 1_000);
const GONE = "0123456789abcdef-1";

/** Numbers many silent changes, so that a replay takes many steps. */
const addSilent = (count: number) =>
  write(
    server,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO changes (kind, record, made_at) SELECT 5, 'x', 0 FROM n`,
  );
/** Numbers changes of one trip. */
const addTripChanges = (id: string, count: number) =>
  write(
    server,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO changes (kind, record, made_at) SELECT 3, '${id}', 0 FROM n`,
  );

describe("now", () => {
  test("is confirmed with the present cursor in JSON, and each message carries its own", async () => {
    const client = await connect();
    const now = await nowOf(server);
    expect(await client.ask({ type: "subscribe", channel: "gps", since: "now" })).toEqual({
      type: "message",
      channel: "gps",
      data: "Subscribed to gps",
      cursor: now,
    });
    const point = await post();
    const { cursor } = (await changesSince(server, now))[0] ?? {};
    expect(await client.next()).toEqual({ type: "gpsUpdate", data: told(point), cursor });
    await client.close();
  });

  test("in Protobuf has the cursor in the envelope; the messages are JSON text", async () => {
    const client = await connect();
    const now = await nowOf(server);
    const answer = read(await client.ask(frame("subscribe", { channel: "gps", since: "now" })));
    expect(answer).toEqual({ type: 10, cursor: now, subscribe: { channel: "gps" } });
    const point = await post();
    expect(await client.next()).toMatchObject({ type: "gpsUpdate", data: told(point) });
    await client.close();
  });
});

describe("a cursor", () => {
  test("brings all of a channel that came after it, then what comes, as the list tells it", async () => {
    const zone = await createZone(server, { latitude: 54.1, longitude: 13.4 });
    const start = await nowOf(server);
    await postPoint(server, device.key, { latitude: 54.1, longitude: 13.4, timestamp: SECONDS() });
    const late = { ...fix(), timestamp: SECONDS() - 10_000 };
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: [late] } }));
    const trip = await createTrip(server);
    await server.device();
    const point = await post();
    done(await server.delete(`/v1/gps/${point.id}`, { token: admin }));
    const all = await changesSince(server, start);
    const of = (...types: string[]) => all.filter(({ type }) => types.includes(type));
    const channels: [string, typeof all][] = [
      ["gps", of("gpsUpdate", "gpsLate")],
      [`gps:${device.id}`, of("gpsUpdate", "gpsLate")],
      ["geofence", of("geofenceEvent")],
      [`geofence:${zone.id}`, of("geofenceEvent")],
      ["trips", of("tripUpdate")],
      ["devices", of("deviceUpdate")],
    ];
    expect(of("gpsUpdate", "gpsLate")).toHaveLength(4);
    for (const [channel, expected] of channels) {
      const client = await resumed(server, { token: admin }, channel, start);
      expect(asChanges(await take(client, expected.length))).toEqual(expected);
      expect(await client.heard()).toEqual([]);
      await client.close();
    }
    for (const [channel] of [
      ["gps:0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01"],
      ["geofence:0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01"],
    ]) {
      const client = await resumed(server, { token: admin }, channel as string, start);
      expect(await client.heard()).toEqual([]);
      await client.close();
    }
    done(await server.delete(`/v1/geofences/${zone.id}`, { token: admin }));
    done(await server.delete(`/v1/trips/${trip.id}`, { token: admin }));
  });

  test("in Protobuf brings the same as JSON text", async () => {
    const start = await nowOf(server);
    await post();
    const client = await connect();
    const answer = read(await client.ask(frame("subscribe", { channel: "gps", since: start })));
    expect(answer).toEqual({ type: 10, cursor: start, subscribe: { channel: "gps" } });
    expect(asChanges(await take(client, 1))).toEqual(await changesSince(server, start));
    await client.close();
  });

  test("of the present end brings nothing but what comes", async () => {
    const client = await resumed(server, { token: admin }, "gps", await nowOf(server));
    expect(await client.heard()).toEqual([]);
    const { id } = await post();
    expect((await client.next()).data.id).toBe(id);
    await client.close();
  });

  test("goes back where the connection read on already, and each channel has its own", async () => {
    const start = await nowOf(server);
    const client = await connect();
    await resume(client, "gps", start);
    const first = await post();
    const [one] = await take(client, 1);
    await resume(client, "trips", start);
    const trip = await createTrip(server);
    expect((await client.next()).data.id).toBe(trip.id);
    // Again from the start: nothing of the former subscription comes twice.
    expect(await resume(client, "gps", start)).toBe(start);
    expect(await take(client, 1)).toEqual([one]);
    const second = await post();
    expect((await client.next()).data.id).toBe(second.id);
    // Ahead, in the middle of a replay.
    addSilent(20_000);
    client.send({ type: "subscribe", channel: "gps", since: start });
    const now = await nowOf(server);
    client.send({ type: "subscribe", channel: "gps", since: now });
    await post();
    const heard = [await client.next()];
    while (heard.at(-1).cursor === undefined || numberOf(heard.at(-1).cursor) <= numberOf(now))
      heard.push(await client.next());
    const confirmed = heard.findIndex(({ type, cursor }) => type === "message" && cursor === now);
    expect(heard.slice(confirmed + 1)).toHaveLength(1);
    expect(first.id).not.toBe(second.id);
    await client.close();
  });

  test("is forgotten by a subscription without since, which hears as before", async () => {
    const start = await nowOf(server);
    await post();
    const client = await connect();
    await resume(client, "gps", start);
    await take(client, 1);
    expect(await client.ask({ type: "subscribe", channel: "gps" })).toEqual({
      type: "message",
      channel: "gps",
      data: "Subscribed to gps",
    });
    const point = await post();
    expect(await client.heard()).toEqual([{ type: "gpsUpdate", data: told(point) }]);
    await client.close();
  });

  test("brings gpsLate without `extended`, and once with it", async () => {
    for (const extended of [undefined, true, false]) {
      const client = await connect();
      const since = await nowOf(server);
      await client.ask({ type: "subscribe", channel: "gps", since, extended });
      const late = { ...fix(), timestamp: SECONDS() - Math.floor(20_000 + Math.random() * 1e6) };
      done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: [late] } }));
      const [message] = await take(client, 1);
      expect(message).toMatchObject({ type: "gpsLate", cursor: expect.any(String) });
      expect(await client.heard()).toEqual([]);
      await client.close();
    }
  });
});

describe("unsubscribing during a replay", () => {
  test("ends it", async () => {
    const start = await nowOf(server);
    const trip = await createTrip(server);
    addTripChanges(trip.id, 30_000);
    const client = await connect();
    client.send({ type: "subscribe", channel: "trips", since: start });
    client.send({ type: "unsubscribe", channel: "trips" });
    const heard = await client.heard();
    expect(heard.length).toBeLessThan(10_000);
    expect(heard.at(-1)).toMatchObject({ type: "message", data: "Unsubscribed from trips" });
    await createTrip(server);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("rights that are taken", () => {
  test("during a replay end it, and no change is told behind the message that says so", async () => {
    const role = await newRole(server, "trips:read");
    const user = await newUser(server, role.id);
    const start = await nowOf(server);
    const trip = await createTrip(server);
    addTripChanges(trip.id, 100_000);
    // Reads slowly, so that the replay is under way.
    const client = await RawClient.open(server, { token: user.token });
    client.sendJson({ type: "subscribe", channel: "trips", since: start });
    await client.until(() => client.frames.length > 10);
    client.stopReading();
    done(await revoke(server, role.id, "trips:read"));
    client.readAgain();
    const texts = () =>
      client.frames.filter(({ opcode }) => opcode === OPCODE.text).map(({ payload }) => String(payload));
    const ended = '{"type":"error","message":"Access to channel ended: trips"}';
    await client.until(() => texts().includes(ended));
    await Bun.sleep(200);
    const told = texts().map((text) => text.startsWith('{"type":"tripUpdate"'));
    expect(told.lastIndexOf(true)).toBeLessThan(texts().indexOf(ended));
    expect(told.filter(Boolean).length).toBeLessThan(90_000);
    client.cut();
  });

  test("end a subscription that follows", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server, role.id);
    const client = await resumed(server, { token: user.token }, "gps", "now");
    done(await revoke(server, role.id, "gps:read"));
    expect(await client.next()).toEqual({ type: "error", message: "Access to channel ended: gps" });
    await post();
    expect((await client.heard()).map(({ type }) => type)).not.toContain("gpsUpdate");
    expect(await client.ask({ type: "subscribe", channel: "gps", since: "now" })).toMatchObject({
      type: "error",
    });
    await client.close();
  });
});

describe("what is gone", () => {
  test("of another epoch is a reset in JSON, with the cursor from which messages follow", async () => {
    const client = await connect();
    const now = await nowOf(server);
    expect(await resume(client, "gps", GONE)).toBe(now);
    expect(await client.next()).toEqual({ type: "reset", channel: "gps", cursor: now, reason: "epoch" });
    const { id } = await post();
    expect((await client.next()).data.id).toBe(id);
    await client.close();
  });

  test("in Protobuf is one too", async () => {
    const client = await connect();
    const now = await nowOf(server);
    const confirmed = read(await client.ask(frame("subscribe", { channel: "trips", since: GONE })));
    expect(confirmed).toEqual({ type: 10, cursor: now, subscribe: { channel: "trips" } });
    const reset = { channel: "trips", cursor: now, reason: "epoch" };
    expect(read(await client.next())).toEqual({ type: 12, reset });
    await client.close();
  });

  test("before a replay, or during it, is a reset with `expired`", async () => {
    const start = await nowOf(server);
    const trip = await createTrip(server);
    addTripChanges(trip.id, 60_000);
    const slow = await RawClient.open(server, { token: admin });
    slow.sendJson({ type: "subscribe", channel: "trips", since: start });
    await slow.until(() => slow.frames.length > 5);
    slow.stopReading();
    await Bun.sleep(300);
    write(server, "DELETE FROM changes WHERE number < (SELECT max(number) FROM changes)");
    const now = await nowOf(server);
    slow.readAgain();
    const texts = () =>
      slow.frames
        .filter(({ opcode }) => opcode === OPCODE.text)
        .map(({ payload }) => JSON.parse(String(payload)));
    await slow.until(() => texts().at(-1).type === "reset");
    expect(texts().at(-1)).toEqual({ type: "reset", channel: "trips", cursor: now, reason: "expired" });
    const next = await createTrip(server);
    await slow.until(() => texts().at(-1).type === "tripUpdate");
    expect(texts().at(-1)).toMatchObject({ data: { id: next.id } });
    slow.cut();

    const client = await connect();
    await resume(client, "trips", start);
    expect(await client.next()).toMatchObject({ type: "reset", reason: "expired" });
    await client.close();
  });
});

describe("is refused:", () => {
  const error = { type: "error", message: expect.stringContaining("since must be a cursor") };

  test("a since that this server never gave, in either format, and the former subscription stays", async () => {
    const client = await connect();
    const now = await nowOf(server);
    await client.subscribe("gps");
    const beyond = `${epochOf(now)}-${(numbersOf(server).high ?? 0) + 1}`;
    for (const since of ["", "x", beyond, 5, true, {}, []])
      expect(await client.ask({ type: "subscribe", channel: "gps", since })).toEqual(error);
    for (const since of ["", "x", beyond])
      expect(read(await client.ask(frame("subscribe", { channel: "gps", since })))).toEqual({
        type: 20,
        error: { message: error.message },
      });
    const point = await post();
    expect(await client.heard()).toEqual([{ type: "gpsUpdate", data: told(point) }]);
    await client.close();
  });

  test.each(["vessels", "public", "public:news", "admin:accounts"])(
    "since on %s, which has no cursors",
    async (channel) => {
      const client = await connect();
      const message = `The channel ${channel} has no cursors`;
      expect(await client.ask({ type: "subscribe", channel, since: "now" })).toEqual({
        type: "error",
        message,
      });
      await client.close();
    },
  );

  test("since on a channel that the caller may not hear", async () => {
    const client = await Client.open(server, { bearer: await server.key("gps:read") });
    for (const channel of ["trips", "devices", "geofence", "gps:x"])
      expect((await client.ask({ type: "subscribe", channel, since: "now" })).message).toStartWith(
        "Access denied",
      );
    await client.close();
  });

  test("null is as if left out", async () => {
    const client = await connect();
    expect(await client.ask({ type: "subscribe", channel: "gps", since: null })).toEqual({
      type: "message",
      channel: "gps",
      data: "Subscribed to gps",
    });
    await client.close();
  });
});

describe("without since", () => {
  test("trips and devices are told without cursors, in either format's subscription", async () => {
    const [text, binary] = [await connect(), await connect()];
    await text.subscribe("trips", "devices");
    await subscribeInBinary(binary, "trips", "devices");
    const trip = await createTrip(server);
    const { id } = await server.device("told");
    for (const client of [text, binary]) {
      expect(await client.next()).toEqual({ type: "tripUpdate", data: trip });
      expect(await client.next()).toMatchObject({ type: "deviceUpdate", data: { id } });
      expect(await text.heard()).toEqual([]);
    }
    done(await server.delete(`/v1/trips/${trip.id}`, { token: admin }));
    expect(await text.next()).toEqual({
      type: "tripUpdate",
      data: { id: trip.id, device_id: null, is_deleted: true },
    });
    await text.ask({ type: "unsubscribe", channel: "trips" });
    await createTrip(server);
    expect(await text.heard()).toEqual([]);
    await Promise.all([text.close(), binary.close()]);
  });

  test("gps and geofence are byte for byte as before, beside others that follow", async () => {
    const zone = await createZone(server, { latitude: 54.2, longitude: 13.4 });
    const follower = await resumed(server, { token: admin }, "gps", "now");
    const client = await RawClient.open(server, { token: admin });
    for (const channel of ["gps", "geofence"]) client.sendJson({ type: "subscribe", channel });
    client.sendJson({ type: "ping" });
    const texts = () => client.heard.map(({ payload }) => String(payload));
    await client.until(() => texts().length === 3);
    const there = { latitude: 54.2, longitude: 13.4 };
    const point = await postPoint(server, device.key, { ...there, timestamp: SECONDS() + 5 });
    // A late one, a mark and a deletion tell such a subscription nothing.
    const late = { ...fix(), timestamp: SECONDS() - 2_000_000 };
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: [late] } }));
    for (const is_outlier of [true, false])
      done(await server.patch(`/v1/gps/${point.id}`, { token: admin, body: { is_outlier } }));
    await eventually(async () => {
      const { body } = await server.get(`/v1/geofence-events?device_id=${device.id}`, { token: admin });
      return body.recomputing_from === null;
    });
    const away = await postPoint(server, device.key, { ...northOf(there, 9), timestamp: SECONDS() + 6 });
    done(await server.delete(`/v1/gps/${away.id}`, { token: admin }));
    client.sendJson({ type: "ping" });
    await client.until(() => texts().filter((text) => text === '{"type":"pong"}').length === 2);
    const crossing = (event: string) =>
      expect.stringMatching(
        new RegExp(
          `^\\{"type":"geofenceEvent","data":\\{"geofence_id":"${zone.id}","geofence_name":"zone","event":"${event}","device_id":"${device.id}","distance_km":[^,]+,"metadata":null\\}\\}$`,
        ),
      );
    expect(texts()).toEqual([
      '{"type":"message","channel":"gps","data":"Subscribed to gps"}',
      '{"type":"message","channel":"geofence","data":"Subscribed to geofence"}',
      '{"type":"pong"}',
      JSON.stringify({ type: "gpsUpdate", data: told(point) }),
      crossing("enter"),
      JSON.stringify({ type: "gpsUpdate", data: told(away) }),
      crossing("exit"),
      '{"type":"pong"}',
    ]);
    expect((await follower.heard()).map(({ type }) => type)).toEqual([
      ...["gpsUpdate", "gpsLate", "gpsUpdate", "gpsUpdate", "gpsUpdate", "gpsUpdate"],
    ]);
    client.cut();
    await follower.close();
  });
});
