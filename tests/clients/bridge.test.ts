import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Message } from "../../clients/ts/src/index";
import { done, eventually, expectStatus } from "../support/expectations";
import { newUser, type User } from "../support/people";
import { assign, newRole, unassign } from "../support/roles";
import { TestServer } from "../support/server";
import { share, unshare } from "../tracking/shares/support";
import { createTrip, createZone, fix, northOf, postPoint } from "../tracking/support";
import { BadLine } from "./bad-line";
import { hasAll, idsOf, Listener, WAYS } from "./support";

/** The client as a page uses it that shows everything: devices by shares, alerts, vessels, and messages about the user. */

let server: TestServer;
let admin: string;
let line: BadLine;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  line = await BadLine.start(server.url, 1);
});
afterAll(async () => {
  line.stop();
  await server.stop();
});

const listeners: Listener[] = [];
afterEach(() => {
  line.mode = "pass";
  for (const { client } of listeners.splice(0)) client.close();
});

function listen(...options: ConstructorParameters<typeof Listener>): Listener {
  const listener = new Listener(...options);
  listeners.push(listener);
  return listener;
}

type Device = Awaited<ReturnType<TestServer["device"]>>;
const post = async ({ key }: Device) => (await postPoint(server, key)).id as string;

describe("devices that are shared", () => {
  let user: User;
  let devices: [Device, Device, Device];
  beforeAll(async () => {
    user = await newUser(server);
    devices = [await server.device(), await server.device(), await server.device()];
    for (const { id } of devices) await share(server, id, user.id, "history");
  });

  test.each(WAYS)(
    "are heard each by itself, over one socket, and leave each other alone, by $way",
    async ({ options, state }) => {
      const [a, b, c] = devices;
      const listener = listen({ url: line.url, token: user.token, ...options });
      const [first, second, third] = [a, b, c].map(({ id }) => listener.hear(`gps:${id}`)) as [H, H, H];
      await eventually(() => [first, second, third].every(({ starts }) => starts.length === 1));
      await listener.is(state);
      expect(line.openSockets).toBe(state === "live" ? 1 : 0);
      const posted = { a: [await post(a)], b: [await post(b)], c: [await post(c)] };
      posted.b.push(await post(b));
      posted.a.push(await post(a));
      await hasAll(first, posted.a);
      await hasAll(second, posted.b);
      await hasAll(third, posted.c);
      // Changes from the time of the cut come to each, and in order.
      line.hangUp();
      for (const [device, ids] of [
        [c, posted.c],
        [a, posted.a],
        [c, posted.c],
      ] as const)
        ids.push(await post(device));
      await hasAll(first, posted.a);
      await hasAll(third, posted.c);
      second.end();
      await post(b);
      posted.a.push(await post(a));
      posted.c.push(await post(c));
      await hasAll(first, posted.a);
      await hasAll(third, posted.c);
      // A subscription that is made anew is heard on the same socket, whatever the former one left behind.
      const again = listener.hear(`gps:${b.id}`, second.changes.at(-1)?.cursor);
      await eventually(() => again.changes.length === 1);
      posted.b.push(await post(b));
      await eventually(() => again.changes.length === 2);
      expect(idsOf(again.changes)[1]).toBe(posted.b.at(-1) ?? "");
      await hasAll(second, posted.b.slice(0, 2));
      await listener.is(state);
      expect(line.openSockets).toBe(state === "live" ? 1 : 0);
      for (const { errors, resets } of [first, second, third, again])
        expect([errors, resets]).toEqual([[], []]);
    },
  );

  test.each(WAYS)(
    "end with their share, while the others and their socket stay, by $way",
    async ({ options, state }) => {
      const [a, b] = devices;
      const listener = listen({ url: line.url, token: user.token, ...options });
      const [first, second] = [listener.hear(`gps:${a.id}`), listener.hear(`gps:${b.id}`)];
      await eventually(() => first.starts.length + second.starts.length === 2);
      await listener.is(state);
      const states = listener.states.length;
      const connections = line.connections;
      await unshare(server, a.id, user.id);
      await eventually(() => first.errors.length > 0);
      expect(first.errors.map(({ status, error }) => ({ status, error }))).toEqual([
        { status: 403, error: "Forbidden" },
      ]);
      await hasAll(second, [await post(b)]);
      if (state === "live") expect(line.connections).toBe(connections);
      expect(listener.states.slice(states)).toEqual([]);
      const refused = listener.hear(`gps:${a.id}`);
      await eventually(() => refused.errors.length > 0);
      await share(server, a.id, user.id, "history");
      // With the right back, it is subscribed anew.
      const again = listener.hear(`gps:${a.id}`);
      await eventually(() => again.starts.length > 0);
      await hasAll(again, [await post(a)]);
      await listener.is(state);
      if (state === "live") expect(line.connections).toBe(connections);
      expect([...second.errors, ...again.errors]).toEqual([]);
    },
  );

  test.each(WAYS)("begin with the present by a share of that alone, by $way", async ({ options, state }) => {
    const [device, viewer] = [await server.device(), await newUser(server)];
    const { next } = done(await server.get("/v1/changes?since=now", { token: admin }));
    await post(device);
    await share(server, device.id, viewer.id, "now");
    const listener = listen({ url: line.url, token: viewer.token, ...options });
    const heard = listener.hear(`gps:${device.id}`, next);
    await eventually(() => heard.resets.length > 0);
    await listener.is(state);
    expect(heard.resets[0]?.reason).toBe("expired");
    expect([heard.changes, heard.starts]).toEqual([[], []]);
    let newest = "";
    await eventually(async () => {
      newest = await post(device);
      return heard.changes.length > 0;
    });
    await eventually(() => idsOf(heard.changes).includes(newest) || heard.resets.length > 1);
    expect(heard.errors).toEqual([]);
  });

  test("are read by requests while sockets don't get through, and don't end by one that was refused", async () => {
    const [a, b] = devices;
    line.mode = "no sockets";
    const listener = listen({ url: line.url, token: user.token });
    const [first, second] = [listener.hear(`gps:${a.id}`), listener.hear(`gps:${b.id}`)];
    await listener.is("polling");
    const posted = [await post(a), await post(b)] as const;
    await hasAll(first, [posted[0]]);
    await hasAll(second, [posted[1]]);
    line.mode = "pass";
    await listener.is("live");
    expect([...first.errors, ...second.errors]).toEqual([]);
  });
});
type H = ReturnType<Listener["hear"]>;

describe("a socket", () => {
  test("is shared by all families, and all devices and zones go apart from single ones", async () => {
    const device = await server.device();
    const [here, there] = [fix(), northOf(fix(), 5)];
    const zones = [
      await createZone(server, { latitude: here.latitude, longitude: here.longitude, radius_km: 0.5 }),
      await createZone(server, { ...there, radius_km: 0.5 }),
    ];
    const listener = listen({ url: line.url, token: admin });
    const [first, second] = zones.map(({ id }) => listener.hear(`geofence:${id}`)) as [H, H];
    const others = (["trips", "devices", "alerts", "gps", "vessels"] as const).map((channel) =>
      listener.hear(channel),
    );
    await listener.is("live");
    expect(line.openSockets).toBe(1);
    const all = listener.hear("geofence");
    await listener.is("live");
    expect(line.openSockets).toBe(2);
    const at = (place: object, seconds: number) =>
      postPoint(server, device.key, { ...place, timestamp: Math.floor(Date.now() / 1_000) - 100 + seconds });
    await at(here, 0);
    await at(there, 10);
    await at(here, 20);
    const eventsOf = ({ changes }: H) =>
      changes.map(({ type, data }) => [type, (data as { event?: string }).event]);
    await eventually(() => all.changes.length === 5);
    expect(eventsOf(first)).toEqual([
      ["geofenceEvent", "enter"],
      ["geofenceEvent", "exit"],
      ["geofenceEvent", "enter"],
    ]);
    expect(eventsOf(second).map(([, event]) => event)).toEqual(["enter", "exit"]);
    // A correction is about several zones: those who hear all are told.
    await at(there, 5);
    await eventually(() => all.changes.some(({ type }) => type === "geofenceCorrection"));
    expect(first.changes.length + second.changes.length).toBe(5);
    expect([first, second, all, ...others].flatMap(({ errors }) => errors)).toEqual([]);
  });

  test("that has no room for a subscription leaves that to requests", async () => {
    const small = await TestServer.start({ settings: { "websocket.max_subscriptions": "2" } });
    try {
      const device = await small.device();
      const listener = listen({
        url: small.url,
        token: await small.key("gps:read", "trips:read", "devices:read"),
      });
      const heard = (["trips", "devices", "gps"] as const).map((channel) => listener.hear(channel));
      await listener.is("polling");
      const { id } = await postPoint(small, device.key);
      const [trips, , positions] = heard as [H, H, H];
      await hasAll(positions, [id]);
      const trip = await createTrip(small);
      await hasAll(trips, [trip.id]);
      expect(heard.flatMap(({ errors }) => errors)).toEqual([]);
      expect(listener.states).toEqual(["connecting", "polling"]);
    } finally {
      await small.stop();
    }
  });
});

test.each(WAYS)("alerts are told, each with its state, by $way", async ({ options, state }) => {
  const device = await server.device();
  const listener = listen({ url: line.url, token: admin, ...options });
  const heard = listener.hear("alerts");
  await eventually(() => heard.starts.length > 0);
  await listener.is(state);
  const path = `/v1/devices/${device.id}/anchor`;
  const here = { latitude: fix().latitude, longitude: fix().longitude };
  await postPoint(server, device.key, { ...here, timestamp: Math.floor(Date.now() / 1_000) - 20 });
  done(await server.put(path, { token: admin, body: { ...here, radius_m: 50 } }));
  for (const seconds of [10, 5])
    await postPoint(server, device.key, {
      ...northOf(here, 0.2),
      timestamp: Math.floor(Date.now() / 1_000) - seconds,
    });
  await eventually(() => heard.changes.length > 0);
  const [id] = idsOf(heard.changes);
  expectStatus(await server.post(`/v1/alerts/${id}/acknowledge`, { token: admin, body: {} }), 200);
  expectStatus(await server.delete(path, { token: admin }), 204);
  await eventually(() => heard.changes.some(({ type }) => type === "alertCleared"));
  const types = heard.changes.map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(["alertRaised", "alertCleared"]);
  expect(types).toContain("alertAcknowledged");
});

describe("messages without a number", () => {
  test("come once each, however many sockets there are, and end with the session", async () => {
    const [role, other] = [await newRole(server, "gps:read"), await newRole(server, "trips:read")];
    const user = await newUser(server, role.id);
    const told: Message[] = [];
    const listener = listen({ url: line.url, token: user.token, onMessage: (message) => told.push(message) });
    const heard = [listener.hear("gps"), listener.hear("gps"), listener.hear("gps")] as const;
    await listener.is("live");
    expect(line.openSockets).toBe(3);
    const typesFrom = (count: number) => told.slice(count).map(({ type }) => type);
    await assign(server, user.id, other.id);
    await eventually(() => told.length >= 2);
    // The first socket's go on with another's.
    heard[0].end();
    await unassign(server, user.id, other.id);
    await eventually(() => told.length >= 4);
    expect(typesFrom(0)).toEqual([
      "rolesUpdated",
      "permissionsUpdated",
      "rolesUpdated",
      "permissionsUpdated",
    ]);
    const [, granted] = told;
    expect(granted).toMatchObject({ userId: user.id, permissions: expect.arrayContaining(["trips:read"]) });
    expectStatus(await server.delete(`/v1/users/${user.id}/sessions`, { token: admin }), 200);
    await eventually(() => told.length >= 5);
    expect(told[4]).toMatchObject({ type: "forceLogout", userId: user.id });
    await listener.is("closed");
    expect(told).toHaveLength(5);
    expect(heard.map(({ errors }) => errors.map(({ status }) => status))).toEqual([[], [401], [401]]);
  });

  test("a right that is taken while live ends its subscription, and one that is given is no error", async () => {
    const [role, other] = [await newRole(server, "gps:read"), await newRole(server, "trips:read")];
    const user = await newUser(server, role.id, other.id);
    const listener = listen({ url: line.url, token: user.token, onMessage: ({ type }) => told.push(type) });
    const told: string[] = [];
    const [positions, trips] = [listener.hear("gps"), listener.hear("trips")];
    await listener.is("live");
    const connections = line.connections;
    await unassign(server, user.id, other.id);
    await eventually(() => trips.errors.length > 0 && told.includes("permissionsUpdated"));
    expect(trips.errors.map(({ status, message }) => ({ status, message }))).toEqual([
      { status: 403, message: "Access to channel ended: trips" },
    ]);
    await assign(server, user.id, other.id);
    const again = listener.hear("trips");
    await eventually(() => again.starts.length > 0);
    await hasAll(again, [(await createTrip(server)).id]);
    const device = await server.device();
    await hasAll(positions, [await post(device)]);
    expect(line.connections).toBe(connections);
    // Nothing but the new subscription waited for the socket.
    expect(listener.states).toEqual(["connecting", "live", "connecting", "live"]);
  });

  test("of an anchor watch come to the one who hears its device", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const told: Message[] = [];
    const listener = listen({ url: line.url, token: admin, onMessage: (message) => told.push(message) });
    for (const { id } of [device, other, device]) listener.hear(`gps:${id}`);
    await listener.is("live");
    expect(line.openSockets).toBe(2);
    const here = { latitude: fix().latitude, longitude: fix().longitude };
    await postPoint(server, device.key, { ...here });
    const path = `/v1/devices/${device.id}/anchor`;
    done(await server.put(path, { token: admin, body: { ...here, radius_m: 50 } }));
    await eventually(() => told.length > 0);
    expectStatus(await server.delete(path, { token: admin }), 204);
    const isGone = ({ data }: { data: object }) => "is_deleted" in data;
    await eventually(() => told.some((message) => message.type === "anchorUpdate" && isGone(message)));
    expect(told.filter((message) => message.type === "anchorUpdate" && isGone(message))).toHaveLength(1);
    expect(
      told.every((message) => message.type === "anchorUpdate" && message.data.device_id === device.id),
    ).toBe(true);
  });
});
