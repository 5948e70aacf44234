import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done, eventually, expectRefused, expectStatus } from "../support/expectations";
import { newUser } from "../support/people";
import { newRole, revoke } from "../support/roles";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { DAY, HOUR, MINUTE } from "../support/time";
import { newLink, PATH } from "../tracking/links/support";
import { FARTHER, FARTHEST, HARBOUR, OUTSIDE, post } from "../tracking/shared/support";
import { createZone } from "../tracking/support";

/** Sockets by links: they hear what the link shows, and nothing else. */

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const hearing = async (token: string) => (await Client.open(server, { share: token })).subscribe("gps");

/** The handshake as a plain request. */
const handshake = (api: TestServer, share: string, headers: Record<string, string> = {}) =>
  api.get(`/v1/ws?share=${encodeURIComponent(share)}`, {
    headers: {
      ...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });

/** The latitudes of the next messages. */
async function latitudes(client: Client, many: number): Promise<number[]> {
  const heard = [];
  for (let index = 0; index < many; index++) heard.push((await client.next()).data.latitude);
  return heard;
}

describe("a socket by a link", () => {
  test("hears the positions of its devices with the fields of gpsUpdate, without their identifiers", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const { token } = await newLink(server, { device_ids: [device.id] });
    const client = await hearing(token);
    await post(server, other.key, { ...HARBOUR, ago: 5 });
    const point = await post(server, device.key, { ...OUTSIDE, ago: 3 });
    const { accuracy_m, battery_percent, source, is_outlier, outlier_reason, box_id, ...told } = point;
    expect(await client.next()).toEqual({
      type: "gpsUpdate",
      data: { ...told, device_id: device.id, id: null, trip_id: null },
    });
    // One that is late is no news.
    await post(server, device.key, { ...FARTHER, ago: 60 });
    await post(server, device.key, { ...FARTHEST, ago: 0 });
    expect(await latitudes(client, 1)).toEqual([FARTHEST.latitude]);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("may subscribe to gps and to nothing else, in either format, and send nothing else", async () => {
    const device = await server.device();
    const { token } = await newLink(server, { device_ids: [device.id] });
    const client = await Client.open(server, { share: token });
    const channels = ["gps:*", `gps:${device.id}`, "geofence", "trips", "devices", "alerts", "vessels"];
    for (const channel of [...channels, "public", "admin:accounts", "community", "user:x", "", "GPS"])
      expect([channel, (await client.ask({ type: "subscribe", channel })).type]).toEqual([channel, "error"]);
    expect((await client.ask({ type: "subscribe", channel: "gps", since: "now" })).type).toBe("error");
    expect((await client.ask({ type: "subscribe", channel: "gps", since: "0-0" })).type).toBe("error");
    // Extended subscriptions hear of all devices.
    expect((await client.ask({ type: "subscribe", channel: "gps", extended: true })).type).toBe("message");
    const other = await server.device();
    await post(server, other.key, { ...OUTSIDE, ago: 10 });
    await post(server, other.key, { ...FARTHER, ago: 100 });
    const positions = [{ ...FARTHER, timestamp: Math.floor(server.time / 1_000) - 200 }];
    done(await server.post("/v1/gps/batch", { token: other.key, body: { positions } }));
    expect(await client.heard()).toEqual([]);
    expect((await client.ask({ type: "unsubscribe", channel: "gps" })).type).toBe("message");
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    expect(await client.heard()).toEqual([]);
    await client.subscribe("gps");
    await post(server, device.key, { ...FARTHER, ago: -1 });
    expect(await latitudes(client, 1)).toEqual([FARTHER.latitude]);
    await client.close();
  });

  test("hears nothing in a hidden zone, and rounded places", async () => {
    const [device, zone] = [await server.device(), await createZone(server, { ...HARBOUR, radius_km: 1 })];
    const fields = { device_ids: [device.id], hide_zone_ids: [zone.id], precision_m: 100 };
    const client = await hearing((await newLink(server, fields)).token);
    await post(server, device.key, { ...HARBOUR, ago: 30 });
    await post(server, device.key, { ...OUTSIDE, ago: 20 }, { altitude: 3 });
    const { data } = await client.next();
    expect(Math.abs(data.latitude - OUTSIDE.latitude)).toBeLessThan(0.001);
    expect(data.latitude).not.toBe(OUTSIDE.latitude);
    expect(data.altitude).toBeNull();
    await post(server, device.key, { ...HARBOUR, ago: 10 });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("hears each position once its delay is over, in order, and none before", async () => {
    const device = await server.device();
    const { token } = await newLink(server, { device_ids: [device.id], delay_seconds: 600 });
    await post(server, device.key, { ...HARBOUR, ago: 0 });
    const client = await hearing(token);
    await server.advance(MINUTE);
    await post(server, device.key, { ...OUTSIDE, ago: 1 });
    await post(server, device.key, { ...FARTHER, ago: 0 });
    await server.advance(8 * MINUTE);
    // More than a tick of the server's second.
    await Bun.sleep(1_200);
    expect(await client.heard()).toEqual([]);
    await server.advance(90_000);
    expect(await latitudes(client, 1)).toEqual([HARBOUR.latitude]);
    expect(await client.heard()).toEqual([]);
    await server.advance(MINUTE);
    expect(await latitudes(client, 2)).toEqual([OUTSIDE.latitude, FARTHER.latitude]);
    await client.close();
  });

  test("with a batch hears all that is new, in order", async () => {
    const device = await server.device();
    const client = await hearing((await newLink(server, { device_ids: [device.id] })).token);
    const now = Math.floor(server.time / 1_000);
    const positions = Array.from({ length: 700 }, (_, index) => ({
      latitude: 50 + index / 1_000,
      longitude: 13,
      timestamp: now - 700 + index,
    }));
    done(
      await server.post("/v1/gps/batch", { token: device.key, body: { positions: positions.toReversed() } }),
    );
    expect(await latitudes(client, 700)).toEqual(positions.map(({ latitude }) => latitude));
    await client.close();
  });
});

describe("a socket is closed", () => {
  const closed = async (client: Client) => (await client.closed).code;

  test("as its link is deleted, or its time is over, and others stay", async () => {
    const device = await server.device();
    const expires_at = new Date(server.time + HOUR).toISOString();
    const [deleted, ended, kept] = [
      await newLink(server, { device_ids: [device.id] }),
      await newLink(server, { device_ids: [device.id], expires_at }),
      await newLink(server, {
        device_ids: [device.id],
        expires_at: new Date(server.time + 2 * DAY).toISOString(),
      }),
    ];
    const [first, second, third] = [
      await hearing(deleted.token),
      await hearing(ended.token),
      await hearing(kept.token),
    ];
    expectStatus(await server.delete(`${PATH}/${deleted.id}`, { token: admin }), 204);
    expect(await closed(first)).toBe(4401);
    await server.advance(HOUR + 1_000);
    expect(await closed(second)).toBe(4401);
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    expect(await latitudes(third, 1)).toEqual([OUTSIDE.latitude]);
    await third.close();
  });

  test("as its maker is banned or loses a right, also before it has subscribed", async () => {
    const device = await server.device();
    const role = await newRole(server, "devices:write", "devices:read", "gps:read");
    const [banned, narrowed] = [await newUser(server, role.id), await newUser(server, role.id)];
    const open = async (token: string) =>
      Client.open(server, { share: (await newLink(server, { device_ids: [device.id] }, token)).token });
    const [first, second] = [await open(banned.token), await open(narrowed.token)];
    await second.subscribe("gps");
    done(await server.post(`/v1/users/${banned.id}/ban`, { token: admin, body: {} }));
    expect(await closed(first)).toBe(4401);
    await revoke(server, role.id, "gps:read");
    expect(await closed(second)).toBe(4401);
  });

  test("as the last device goes", async () => {
    const device = await server.device();
    const client = await hearing((await newLink(server, { device_ids: [device.id] })).token);
    expectStatus(await server.delete(`/v1/devices/${device.id}`, { token: admin }), 204);
    expect(await closed(client)).toBe(4401);
  });
});

describe("a handshake", () => {
  test("with a wrong or ended token is the same 404, whatever credential comes with it", async () => {
    const device = await server.device();
    const { id, token } = await newLink(server, { device_ids: [device.id] });
    await server.delete(`${PATH}/${id}`, { token: admin });
    const expected = (await handshake(server, "wrong")).body;
    for (const share of [token, id, "", "x".repeat(3_000), admin]) {
      const answers = [
        await handshake(server, share),
        await handshake(server, share, { authorization: `Bearer ${admin}` }),
      ];
      for (const answer of answers) {
        expectRefused(answer, 404, "NotFound");
        expect(answer.body).toEqual(expected);
      }
    }
  });

  test("beyond 20 connections of a link is 503, and there is room again as one leaves", async () => {
    const device = await server.device();
    const { token } = await newLink(server, { device_ids: [device.id] });
    const clients = await Promise.all(Array.from({ length: 20 }, () => hearing(token)));
    expectRefused(await handshake(server, token), 503, "ServiceUnavailable");
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    for (const client of clients) expect(await latitudes(client, 1)).toEqual([OUTSIDE.latitude]);
    await clients.pop()?.close();
    await eventually(async () => {
      const client = await hearing(token).catch(() => null);
      if (client) clients.push(client);
      return client !== null;
    });
    for (const client of clients) await client.close();
  });

  test("counts against the 60 requests a minute of an address", async () => {
    const limited = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
    const statuses = [];
    for (let index = 0; index < 61; index++) statuses.push((await handshake(limited, "wrong")).status);
    expect(statuses).toEqual([...Array(60).fill(404), 429]);
    await limited.stop();
  });
});
