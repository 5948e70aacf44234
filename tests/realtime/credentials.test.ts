import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { HOUR } from "../support/time";
import { postPoint } from "../tracking/support";
import { adminSession } from "./support";

const CREDENTIAL_ENDED = 4401;

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const isOpen = async (client: Client) => (await client.ask({ type: "ping" })).type === "pong";

describe("signing out", () => {
  test("closes every socket of the session with 4401, and no other of the same user", async () => {
    const { token } = await adminSession(server);
    const headers = { cookie: `fairlead_session=${token}`, origin: server.url };
    const ending = [
      await Client.open(server, { token }),
      await Client.open(server, { bearer: token }),
      await Client.open(server, { headers }),
    ];
    const staying = [
      await Client.open(server, { token: admin }),
      await Client.open(server, { bearer: await server.key("gps:read") }),
      await Client.open(server, { bearer: server.systemKey }),
    ];
    expect((await server.post("/v1/auth/logout", { token })).status).toBe(200);
    for (const client of ending)
      expect(await client.closed).toEqual({ code: CREDENTIAL_ENDED, reason: expect.stringMatching(/./) });
    for (const client of staying) {
      expect(await isOpen(client)).toBe(true);
      await client.close();
    }
  });

  test("cuts off a client that doesn't answer the close frame", async () => {
    const { token } = await adminSession(server);
    const client = await RawClient.open(server, { token });
    await server.post("/v1/auth/logout", { token });
    expect((await client.closed()).code).toBe(CREDENTIAL_ENDED);
    await client.until(() => client.ended);
  });
});

describe("a key's sockets are closed with 4401, and those of another key are not, once it is", () => {
  const ends: [name: string, end: (id: string) => Promise<{ status: number }>][] = [
    ["deleted", (id) => server.delete(`/v1/api-keys/${id}`, { token: admin })],
    ["regenerated", (id) => server.post(`/v1/api-keys/${id}/regenerate`, { token: admin })],
    [
      "switched off",
      (id) => server.patch(`/v1/api-keys/${id}`, { token: admin, body: { is_active: false } }),
    ],
  ];
  for (const [name, end] of ends)
    test(name, async () => {
      const { id, key } = await server.createKey("gps:read");
      const [ending, staying] = [
        await Client.open(server, { bearer: key }),
        await Client.open(server, { bearer: await server.key("gps:read") }),
      ];
      await ending.subscribe("gps");
      expect((await end(id)).status).toBeLessThan(300);
      expect((await ending.closed).code).toBe(CREDENTIAL_ENDED);
      expect(await isOpen(staying)).toBe(true);
      await staying.close();
      expect((await RawClient.open(server, { bearer: key })).status).toBe(401);
    });
});

describe("a key that changes", () => {
  test("keeps its sockets when it is renamed or linked to a device", async () => {
    const { id, key } = await server.createKey("gps:read");
    const client = await (await Client.open(server, { bearer: key })).subscribe("gps");
    await server.patch(`/v1/api-keys/${id}`, { token: admin, body: { name: "other" } });
    await server.post("/v1/devices", { token: admin, body: { name: "d", api_key_id: id } });
    await postPoint(server, admin);
    expect((await client.heard()).map(({ type }) => type)).toEqual(["gpsUpdate"]);
    await client.close();
  });

  test("loses the subscriptions that its scopes no longer cover, each with an error, and keeps the rest", async () => {
    const { id, key } = await server.createKey("gps:read", "geofences:read");
    const device = await server.device();
    const lost = ["gps", `gps:${device.id}`, "vessels"];
    const kept = ["geofence", "public:news"];
    const client = await (await Client.open(server, { bearer: key })).subscribe(...lost, ...kept);
    const other = await (await Client.open(server, { bearer: await server.key("gps:read") })).subscribe(
      "gps",
    );
    const { subscriptions } = (await server.get("/health")).body.services.websocket;

    await server.patch(`/v1/api-keys/${id}`, { token: admin, body: { scopes: ["geofences:read"] } });
    const errors = await client.heard();
    expect(errors).toHaveLength(lost.length);
    for (const [at, channel] of lost.entries())
      expect(errors[at]).toEqual({
        type: "error",
        message: expect.stringMatching(new RegExp(`\\b${channel}$`)),
      });
    expect((await server.get("/health")).body.services.websocket.subscriptions).toBe(
      subscriptions - lost.length,
    );

    await postPoint(server, admin);
    expect(await client.heard()).toEqual([]);
    expect(await other.heard()).toHaveLength(1);
    expect((await client.ask({ type: "subscribe", channel: "gps" })).type).toBe("error");

    const zone = { name: "z", latitude: 20, longitude: 20, radius_km: 1 };
    await server.post("/v1/geofences", { token: admin, body: zone });
    const inside = {
      latitude: 20,
      longitude: 20,
      timestamp: 2,
      speed_kmh: 0,
      speed_mps: 0,
      speed_mph: 0,
      speed_knots: 0,
    };
    await server.post("/v1/gps", { token: device.key, body: inside });
    expect((await client.heard()).map(({ type }) => type)).toEqual(["geofenceEvent"]);
    await Promise.all([client.close(), other.close()]);
  });

  test("may hear more at once on a socket that is open when its scopes are widened", async () => {
    const { id, key } = await server.createKey();
    const client = await Client.open(server, { bearer: key });
    expect((await client.ask({ type: "subscribe", channel: "gps" })).type).toBe("error");
    await server.patch(`/v1/api-keys/${id}`, { token: admin, body: { scopes: ["gps:read"] } });
    await client.subscribe("gps");
    await client.close();
  });

  test("loses what a role gave it when the role is taken from it", async () => {
    const { id, key } = await server.createKey();
    await server.post(`/v1/api-keys/${id}/roles`, { token: admin, body: { role_id: "role_admin" } });
    const client = await (await Client.open(server, { bearer: key })).subscribe(
      "gps",
      "admin:accounts",
      "public",
    );
    await server.delete(`/v1/api-keys/${id}/roles/role_admin`, { token: admin });
    const errors = await client.heard();
    expect(errors.map(({ message }) => message.split(" ").at(-1))).toEqual(["gps", "admin:accounts"]);
    await postPoint(server, admin);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("at its end in time", () => {
  let aging: TestServer;
  beforeAll(async () => {
    aging = await TestServer.start({ clock: "movable" });
  });
  afterAll(() => aging.stop());

  test("a key's sockets are closed with 4401, also when the end was moved on a live socket", async () => {
    const token = await aging.admin();
    const until = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
    const create = async (hours: number) => {
      const body = { name: "k", scopes: ["gps:read"], expires_at: until(hours) };
      return (await aging.post("/v1/api-keys", { token, body })).body;
    };
    const [short, shortened, long] = [await create(1), await create(10), await create(10)];
    const clients = [];
    for (const { key } of [short, shortened, long]) clients.push(await Client.open(aging, { bearer: key }));
    await aging.patch(`/v1/api-keys/${shortened.id}`, { token, body: { expires_at: until(1) } });

    await aging.advance(2 * HOUR);
    expect((await clients[0]?.closed)?.code).toBe(CREDENTIAL_ENDED);
    expect((await clients[1]?.closed)?.code).toBe(CREDENTIAL_ENDED);
    expect(await clients[2]?.ask({ type: "ping" })).toEqual({ type: "pong" });
    await clients[2]?.close();
  });

  test("a session's sockets are closed with 4401 after 30 days, and a key's without an end are not", async () => {
    const { token } = await adminSession(aging);
    const [session, key] = [
      await Client.open(aging, { token }),
      await Client.open(aging, { bearer: aging.systemKey }),
    ];
    await aging.advance(30 * 24 * HOUR);
    expect((await session.closed).code).toBe(CREDENTIAL_ENDED);
    expect(await isOpen(key)).toBe(true);
    await key.close();
  });
});
