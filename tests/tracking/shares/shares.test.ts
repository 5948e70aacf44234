import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { alertsOf, send } from "../../alerts/support";
import { done, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { newUser, staff, type User } from "../../support/people";
import { unassign } from "../../support/roles";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { HOUR, SECOND } from "../../support/time";
import { type Level, pathOf, share, unshare } from "./support";

/** Devices that single users see. */

const LEVELS: Level[] = ["now", "history", "manage"];
const SHARER = ["devices:read", "devices:write", "gps:read", "gps:write", "trips:read", "geofences:read"];

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());

const seen = async (user: { token: string }) => {
  const answer = await server.get("/v1/devices", { token: user.token });
  return answer.status === 200 ? answer.body.data.map(({ id }: { id: string }) => id).sort() : answer.status;
};
const iso = (milliseconds: number) => new Date(server.time + milliseconds).toISOString();

describe("a share", () => {
  test("is created, changed, listed and ended", async () => {
    const [device, user] = [await server.device(), await newUser(server)];
    const made = await server.put(pathOf(device.id, user.id), { token, body: { level: "now" } });
    expectStatus(made, 201);
    expect(made.headers.get("location")).toBe(pathOf(device.id, user.id));
    const { data } = made.body;
    expect(data).toMatchObject({
      ...{ device_id: device.id, user_id: user.id, username: user.username },
      ...{ level: "now", expires_at: null, is_silent: false },
    });
    const end = iso(HOUR);
    const changed = await server.put(pathOf(device.id, user.id), {
      token,
      body: { level: "manage", expires_at: end },
    });
    expectStatus(changed, 200);
    expect(changed.body.data).toMatchObject({
      level: "manage",
      expires_at: end,
      created_at: data.created_at,
    });
    const list = done(await server.get(pathOf(device.id), { token }));
    expect(list.data).toEqual([changed.body.data]);
    const own = () => server.get("/v1/users/me/shares", { token: user.token });
    expect(done(await own()).data).toEqual([changed.body.data]);
    expect(done(await server.get("/v1/users/me/shares", { token })).data).toEqual([]);
    expect(done(await server.get(pathOf(device.id, user.id), { token })).data).toEqual(changed.body.data);
    await unshare(server, device.id, user.id);
    expectRefused(await server.get(pathOf(device.id, user.id), { token }), 404, "NotFound");
    expectRefused(await server.delete(pathOf(device.id, user.id), { token }), 404, "NotFound");
    const events = rows<{ event_type: string }>(
      server,
      "SELECT event_type FROM audit_events WHERE resource_id = ? AND event_type LIKE 'device_%shared' ORDER BY id",
      device.id,
    );
    expect(events.map(({ event_type }) => event_type)).toEqual([
      ...["device_shared", "device_shared", "device_unshared"],
    ]);
  });

  test.each([
    ["of no level", {}, "/level"],
    ["of an unknown level", { level: "all" }, "/level"],
    ["that ends in the past", { level: "now", expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
    ["that ends at no time", { level: "now", expires_at: "soon" }, "/expires_at"],
  ])("%s is refused", async (_, body, path) => {
    const [device, user] = [await server.device(), await newUser(server)];
    expectInvalid(await server.put(pathOf(device.id, user.id), { token, body }), path);
    expect(await seen(user)).toBe(403);
  });

  test("is refused of no device, with nobody, and with oneself", async () => {
    const [device, user] = [await server.device(), await newUser(server)];
    const body = { level: "now" };
    expectRefused(await server.put(pathOf(UNKNOWN, user.id), { token, body }), 404, "NotFound");
    expectRefused(await server.put(pathOf(device.id, UNKNOWN), { token, body }), 404, "NotFound");
    const maker = await staff(server, ...SHARER);
    expectInvalid(await server.put(pathOf(device.id, maker.id), { token: maker.token, body }), "/user_id");
  });

  test("goes with the device and with the account", async () => {
    const [device, other, user] = [await server.device(), await server.device(), await newUser(server)];
    for (const { id } of [device, other]) await share(server, id, user.id, "now");
    expectStatus(await server.delete(`/v1/devices/${device.id}`, { token }), 204);
    expect(await seen(user)).toEqual([other.id]);
    const gone = { token, body: { reason: "gone", confirm: true } };
    const deleted = await server.post(`/v1/admin/users/${user.id}/force-delete`, gone);
    expect(deleted.status).toBeLessThan(300);
    expect(done(await server.get(pathOf(other.id), { token })).data).toEqual([]);
  });
});

describe("whoever has no permission", () => {
  test("sees the shared devices alone, counted so, and no key of theirs does", async () => {
    const [shown, also, hidden] = [await server.device(), await server.device(), await server.device()];
    const user = await staff(server, "api_keys:write");
    expect(await seen(user)).toBe(403);
    await share(server, shown.id, user.id, "now");
    await share(server, also.id, user.id, "manage");
    expect(await seen(user)).toEqual([shown.id, also.id].sort());
    const list = done(await server.get("/v1/devices?limit=1", { token: user.token }));
    expect(list.pagination).toMatchObject({ total: 2 });
    const ask = (path: string) => server.get(path, { token: user.token });
    expectStatus(await ask(`/v1/devices/${shown.id}`), 200);
    expectRefused(await ask(`/v1/devices/${hidden.id}`), 404, "NotFound");
    expectRefused(await ask(`/v1/devices/${UNKNOWN}`), 404, "NotFound");
    for (const each of [shown, hidden]) await send(server, each);
    expect(done(await ask("/v1/gps/current")).data.device_id).toBe(shown.id);
    expect(done(await ask(`/v1/gps/current?device_id=${shown.id}`)).data.device_id).toBe(shown.id);
    expectRefused(await ask(`/v1/gps/current?device_id=${hidden.id}`), 404, "NotFound");
    expect(
      (await ask("/v1/gps/current/devices")).body.map((each: { device_id: string }) => each.device_id),
    ).toEqual([shown.id]);
    expectRefused(await ask("/v1/gps"), 403, "Forbidden");
    const body = { name: "k", scopes: ["two_factor:read"] };
    const made = expectStatus(await server.post("/v1/api-keys", { token: user.token, body }), 201);
    expectRefused(await server.get("/v1/devices", { token: made.body.key }), 403, "Forbidden");
  });

  test("sees the history of the device by a share of that level", async () => {
    const [mine, other, user] = [await server.device(), await server.device(), await newUser(server)];
    const trips = [];
    for (const { id } of [mine, other]) {
      const body = { name: "way", device_id: id, gps_logging_enabled: true };
      trips.push(expectStatus(await server.post("/v1/trips", { token, body }), 201).body.data.id);
    }
    await share(server, mine.id, user.id, "now");
    const ask = (path: string) => server.get(path, { token: user.token });
    expectRefused(await ask("/v1/trips"), 403, "Forbidden");
    await share(server, mine.id, user.id, "history");
    const list = done(await ask("/v1/trips"));
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([trips[0]]);
    expect(list.pagination.total).toBe(1);
    expect(done(await ask(`/v1/trips?device_id=${other.id}`)).data).toEqual([]);
    for (const rest of ["", "/gps", "/history"]) {
      expectStatus(await ask(`/v1/trips/${trips[0]}${rest}`), 200);
      expectRefused(await ask(`/v1/trips/${trips[1]}${rest}`), 404, "NotFound");
    }
    expect(done(await ask("/v1/geofence-events")).data).toEqual([]);
    expectRefused(
      await server.patch(`/v1/trips/${trips[0]}`, { token: user.token, body: { name: "x" } }),
      403,
      "Forbidden",
    );
  });

  test("doesn't see a trip for which another device has logged too", async () => {
    const [mine, other, user] = [await server.device(), await server.device(), await newUser(server)];
    const body = { name: "way", device_id: other.id, gps_logging_enabled: true };
    const { id } = expectStatus(await server.post("/v1/trips", { token, body }), 201).body.data;
    done(await server.patch(`/v1/trips/${id}`, { token, body: { status: "active" } }));
    await send(server, other);
    done(await server.patch(`/v1/trips/${id}`, { token, body: { device_id: mine.id } }));
    await share(server, mine.id, user.id, "history");
    expectRefused(await server.get(`/v1/trips/${id}`, { token: user.token }), 404, "NotFound");
    expect(done(await server.get("/v1/trips", { token: user.token })).data).toEqual([]);
    await share(server, other.id, user.id, "history");
    expectStatus(await server.get(`/v1/trips/${id}`, { token: user.token }), 200);
    // Its positions stay in the trip as the other device goes.
    await share(server, other.id, user.id, "now");
    expectStatus(await server.delete(`/v1/devices/${other.id}`, { token }), 204);
    for (const rest of ["", "/gps", "/track", "/statistics"])
      expectRefused(await server.get(`/v1/trips/${id}${rest}`, { token: user.token }), 404, "NotFound");
    expect(done(await server.get("/v1/trips", { token: user.token })).data).toEqual([]);
    expectStatus(await server.get(`/v1/trips/${id}`, { token }), 200);
  });

  test("changes a device, its trackers and its anchor watch where the share lets manage it, and no external_id", async () => {
    const [device, other, user] = [await server.device(), await server.device(), await newUser(server)];
    const patch = (id: string, body: object) =>
      server.patch(`/v1/devices/${id}`, { token: user.token, body });
    await share(server, device.id, user.id, "history");
    expectRefused(await patch(device.id, { name: "mine" }), 403, "Forbidden");
    await share(server, other.id, user.id, "manage");
    expectRefused(await patch(device.id, { name: "mine" }), 403, "Forbidden");
    await share(server, device.id, user.id, "manage");
    expect(done(await patch(device.id, { name: "mine" })).data.name).toBe("mine");
    for (const body of [{ external_id: "x" }, { api_key_id: null }])
      expectRefused(await patch(device.id, body), 403, "Forbidden");
    expectRefused(await server.delete(`/v1/devices/${device.id}`, { token: user.token }), 403, "Forbidden");

    const path = `/v1/devices/${device.id}`;
    const tracker = { name: "phone", format: "generic", base_url: "https://boat.example.org" };
    const made = expectStatus(
      await server.post(`${path}/trackers`, { token: user.token, body: tracker }),
      201,
    );
    const report = () =>
      server.post("/v1/ingest/generic", { token: made.body.data.token, body: { lat: 54, lon: 13 } });
    const before = await report();
    const watch = { latitude: 54, longitude: 13, radius_m: 50 };
    expectStatus(await server.put(`${path}/anchor`, { token: user.token, body: watch }), 200);
    expectStatus(await server.get(`${path}/anchor`, { token: user.token }), 200);

    await unshare(server, device.id, user.id);
    expectRefused(await server.get(`${path}/anchor`, { token: user.token }), 404, "NotFound");
    expect([before.status, (await report()).status]).toEqual([expect.any(Number), 401]);
    expect(before.status).not.toBe(401);
  });
});

test("the files of tracks break off as the share ends", async () => {
  const [device, user] = [await server.device(), await newUser(server)];
  const body = { name: "way", device_id: device.id };
  const trip = expectStatus(await server.post("/v1/trips", { token, body }), 201).body.data;
  const start = server.time - HOUR;
  // More than the buffers on the way take.
  write(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600000)
     INSERT INTO gps_points (id, device_id, trip_id, latitude, longitude, timestamp, created_at, source)
     SELECT 'far-' || i, '${device.id}', '${trip.id}', 54 + i / 1e6, 13, ${start} + i, ${start} + i, 'api' FROM n`,
  );
  await share(server, device.id, user.id, "history");
  // Clients that read nothing for a while: fetch would read on by itself.
  const files = [];
  for (const path of [`/v1/devices/${device.id}`, `/v1/trips/${trip.id}`]) {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const request = [`GET ${path}/track?format=gpx HTTP/1.1`, `Host: ${hostname}`, "Connection: close"];
    socket.write([...request, `Authorization: Bearer ${user.token}`, "", ""].join("\r\n"));
    const [first] = await once(socket, "data");
    expect(first.toString()).toStartWith("HTTP/1.1 200");
    files.push(socket.pause());
  }
  await unshare(server, device.id, user.id);
  for (const socket of files) {
    let end = "";
    socket.on("data", (data) => {
      end = (end + data.toString("latin1")).slice(-100);
    });
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.resume();
    await closed;
    expect(end).not.toContain("</gpx>");
  }
});

describe("whoever manages devices", () => {
  const SPEED = { type: "speed", above_knots: 5 };
  const rule = (deviceIds: string[], fields: object = {}) => ({
    ...{ name: "fast", severity: "info", condition: SPEED, device_ids: deviceIds },
    ...fields,
  });

  test("makes, sees, changes and deletes rules on these alone, which fall silent as the share ends", async () => {
    const [mine, other, user] = [await server.device(), await server.device(), await newUser(server)];
    await share(server, mine.id, user.id, "manage");
    const ask = (method: string, path: string, body?: object) =>
      server.request(method, path, { token: user.token, ...(body && { body }) });
    const RULES = "/v1/alert-rules";
    for (const body of [rule([]), rule([other.id]), rule([mine.id, other.id])])
      expectStatus(await ask("POST", RULES, body), 400);
    const made = expectStatus(await ask("POST", RULES, rule([mine.id])), 201).body.data;
    expect(made.is_silent).toBe(false);
    const theirs = expectStatus(await server.post(RULES, { token, body: rule([other.id]) }), 201).body.data;
    const list = done(await ask("GET", RULES));
    expect([list.data, list.pagination.total]).toEqual([[made], 1]);
    for (const method of ["GET", "PATCH", "DELETE"])
      expectRefused(
        await ask(method, `${RULES}/${theirs.id}`, method === "PATCH" ? { name: "x" } : undefined),
        404,
        "NotFound",
      );
    expectStatus(await ask("PATCH", `${RULES}/${made.id}`, { device_ids: [] }), 400);
    expect(done(await ask("PATCH", `${RULES}/${made.id}`, { name: "faster" })).data.name).toBe("faster");
    await send(server, mine);
    expect(await alertsOf(server, `&device_id=${mine.id}`)).toHaveLength(1);

    await share(server, mine.id, user.id, "history");
    const read = async () => done(await server.get(`${RULES}/${made.id}`, { token })).data;
    expect(await read()).toMatchObject({ is_silent: true });
    expectRefused(await ask("GET", RULES), 403, "Forbidden");
    await share(server, mine.id, user.id, "manage");
    expectStatus(await ask("DELETE", `${RULES}/${made.id}`), 204);
  });
});

describe("nobody shares", () => {
  test.each(LEVELS)("more than they see: %s", async (level) => {
    const device = await server.device();
    const user = await newUser(server);
    const most = [...SHARER, "alerts:read", "alerts:write"];
    const needed: Record<Level, string[]> = {
      now: ["devices:read", "gps:read"],
      history: ["devices:read", "gps:read", "trips:read", "geofences:read"],
      manage: most,
    };
    const put = (maker: User) =>
      server.put(pathOf(device.id, user.id), { token: maker.token, body: { level } });
    for (const without of needed[level].filter((each) => each !== "devices:write")) {
      const maker = await staff(server, ...most.filter((each) => each !== without));
      expectRefused(await put(maker), 403, "Forbidden");
    }
    expectStatus(await put(await staff(server, "devices:write", ...needed[level])), 201);
  });

  test("more or longer than a share gives them, nor the share that theirs rests on", async () => {
    const device = await server.device();
    const [first, second, third] = [await newUser(server), await newUser(server), await newUser(server)];
    await share(server, device.id, first.id, "manage", { expires_at: iso(HOUR) });
    const put = (maker: User, user: User, body: object) =>
      server.put(pathOf(device.id, user.id), { token: maker.token, body });
    expectRefused(await put(first, second, { level: "manage" }), 403, "Forbidden");
    expectRefused(await put(first, second, { level: "now", expires_at: iso(2 * HOUR) }), 403, "Forbidden");
    expectStatus(await put(first, second, { level: "manage", expires_at: iso(HOUR / 2) }), 201);
    expectStatus(await put(second, third, { level: "now", expires_at: iso(HOUR / 4) }), 201);
    expectRefused(await put(second, first, { level: "now", expires_at: iso(HOUR / 4) }), 403, "Forbidden");
    expectRefused(
      await server.delete(pathOf(device.id, first.id), { token: second.token }),
      403,
      "Forbidden",
    );
    expect(await seen(third)).toEqual([device.id]);
    // All that rests on it ends with it.
    await unshare(server, device.id, first.id);
    for (const each of [first, second, third]) expect(await seen(each)).toBe(403);
    expect(done(await server.get(pathOf(device.id, third.id), { token })).data.is_silent).toBe(true);
  });

  test("once they may not see it any more", async () => {
    const device = await server.device();
    const [maker, user] = [await staff(server, ...SHARER), await newUser(server)];
    await share(server, device.id, user.id, "history", {}, maker.token);
    expect(await seen(user)).toEqual([device.id]);
    done(await server.post(`/v1/users/${maker.id}/ban`, { token, body: { reason: "gone" } }));
    expect(await seen(user)).toBe(403);
    expectStatus(await server.delete(`/v1/users/${maker.id}/ban`, { token }), 200);
    expect(await seen(user)).toEqual([device.id]);
  });
});

describe("a subscription", () => {
  const listen = async (user: { token: string }, deviceId: string) => {
    const client = await Client.open(server, { bearer: user.token });
    return client.subscribe(`gps:${deviceId}`);
  };
  const ended = (deviceId: string) => ({
    type: "error",
    message: `Access to channel ended: gps:${deviceId}`,
  });

  test("hears the shared device, and neither another nor all", async () => {
    const [device, other, user] = [await server.device(), await server.device(), await newUser(server)];
    await share(server, device.id, user.id, "now");
    const client = await listen(user, device.id);
    for (const channel of ["gps", `gps:${other.id}`, "devices", "trips", "geofence"])
      expect((await client.ask({ type: "subscribe", channel })).type).toBe("error");
    await send(server, device);
    expect(await client.next()).toMatchObject({ type: "gpsUpdate", data: { device_id: device.id } });
    await client.close();
  });

  test("hears nothing once its time has come, however soon after", async () => {
    const [device, user] = [await server.device(), await newUser(server)];
    await share(server, device.id, user.id, "history", { expires_at: iso(HOUR) });
    const following = await Client.open(server, { bearer: user.token });
    const wish = { type: "subscribe", channel: `gps:${device.id}`, since: "now" };
    expect((await following.ask(wish)).type).toBe("message");
    const clients = [await listen(user, device.id), following];
    await server.advance(HOUR + SECOND);
    await send(server, device);
    for (const client of clients) {
      expect(await client.next()).toEqual(ended(device.id));
      expect(await client.heard()).toEqual([]);
      await client.close();
    }
  });

  test("shows the past by a share of the history alone: any other begins with the present", async () => {
    const [device, user] = [await server.device(), await newUser(server)];
    const { next } = done(await server.get("/v1/changes?since=now", { token }));
    await send(server, device);
    await share(server, device.id, user.id, "now");
    const client = await Client.open(server, { bearer: user.token });
    const wish = { type: "subscribe", channel: `gps:${device.id}`, since: next };
    expect(await client.ask(wish)).toMatchObject({ type: "message" });
    expect(await client.next()).toMatchObject({ type: "reset", reason: "expired" });
    await share(server, device.id, user.id, "history");
    expect(await client.ask(wish)).toMatchObject({ type: "message" });
    expect(await client.next()).toMatchObject({ type: "gpsUpdate" });
    await client.close();
  });

  test.each([
    [
      "the share ends",
      async (deviceId: string, user: User) => {
        await unshare(server, deviceId, user.id);
      },
    ],
    [
      "its time has come",
      async () => {
        await server.advance(HOUR + SECOND);
      },
    ],
    [
      "whoever made it loses the right",
      async (_: string, __: User, maker: User & { roleId?: string }) => {
        await unassign(server, maker.id, maker.roleId ?? "");
      },
    ],
  ] as [string, (deviceId: string, user: User, maker: User & { roleId?: string }) => Promise<void>][])(
    "ends as %s",
    async (_, end) => {
      const device = await server.device();
      const [maker, user] = [await staff(server, ...SHARER), await newUser(server)];
      const [role] = rows<{ role_id: string }>(
        server,
        "SELECT role_id FROM user_roles WHERE user_id = ? AND role_id LIKE '%-%'",
        maker.id,
      );
      await share(server, device.id, user.id, "now", { expires_at: iso(HOUR) }, maker.token);
      const client = await listen(user, device.id);
      await end(device.id, user, { ...maker, roleId: role?.role_id ?? "" });
      expect(await client.next()).toEqual(ended(device.id));
      await client.close();
    },
  );
});
