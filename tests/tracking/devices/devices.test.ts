import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectInvalid, expectRefused, totalOf, UNKNOWN } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { createTrip, fix, moveTrip, postPoint } from "../support";

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const create = async (body: object = { name: "device" }) =>
  (await server.post("/v1/devices", { token, body })).body.data;
const read = async (id: string) => (await server.get(`/v1/devices/${id}`, { token })).body.data;

describe("POST /v1/devices", () => {
  test("keeps every field and reads it back in the single-record envelope", async () => {
    const { id: keyId } = await server.createKey("gps:write");
    const sent = {
      name: "Pilot boat 2",
      description: "Behind the console",
      device_type: "teltonika-fmb920",
      api_key_id: keyId,
    };
    const { status, body } = await server.post("/v1/devices", { token, body: sent });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ ...sent, is_active: true });
    expect(body.data.updated_at).toBe(body.data.created_at);
    expect(Math.abs(Date.parse(body.data.created_at) - Date.now())).toBeLessThan(60_000);
    expect(body._links).toEqual({ self: `/v1/devices/${body.data.id}` });
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no more than a name, and leaves the rest null", async () => {
    expect(await create({ name: "x" })).toMatchObject({
      name: "x",
      description: null,
      device_type: null,
      api_key_id: null,
      is_active: true,
    });
  });

  test("ignores unknown fields and those that an update alone sets", async () => {
    const device = await create({ name: "x", is_active: false, id: UNKNOWN, colour: "red" });
    expect(device.is_active).toBe(true);
    expect(device.id).not.toBe(UNKNOWN);
    expect(device).not.toHaveProperty("colour");
  });

  test.each([[[null]], [[]], ["on"], [3], [true]])("takes %j for no rules of trips", async (auto_trip) => {
    const sent = { token, body: { name: "x", auto_trip } };
    expectInvalid(await server.post("/v1/devices", sent), "/auto_trip");
    const { id } = await create({ name: "x" });
    expectInvalid(await server.patch(`/v1/devices/${id}`, sent), "/auto_trip");
    expect(await read(id)).toMatchObject({ auto_trip: null });
  });

  test("leaves rules of trips that are left out as they are by default, and keeps no unknown ones", async () => {
    const { auto_trip } = await create({ name: "x", auto_trip: { start_after_minutes: 5, colour: "red" } });
    expect(auto_trip).toEqual({
      ...{ is_enabled: true, start_after_minutes: 5, end_after_minutes: 20, min_distance_km: 0.5 },
      name_template: "{origin} {date} {time}",
    });
  });

  test("takes values at their bounds", async () => {
    const body = { name: "n".repeat(200), description: "d".repeat(10_000), device_type: "t".repeat(200) };
    expect(await create(body)).toMatchObject(body);
  });

  test.each([
    ["/name", {}],
    ["/name", { name: "" }],
    ["/name", { name: "n".repeat(201) }],
    ["/name", { name: null }],
    ["/name", { name: 5 }],
    ["/description", { name: "x", description: "d".repeat(10_001) }],
    ["/description", { name: "x", description: 5 }],
    ["/device_type", { name: "x", device_type: "t".repeat(201) }],
    ["/api_key_id", { name: "x", api_key_id: "not-a-uuid" }],
    ["/api_key_id", { name: "x", api_key_id: UNKNOWN }],
  ])("refuses a wrong %s and creates nothing (%#)", async (path, body) => {
    const before = await totalOf(server, "/v1/devices");
    const answer = await server.post("/v1/devices", { token, body });
    expectInvalid(answer, path);
    expect(await totalOf(server, "/v1/devices")).toBe(before);
  });
});

describe("PATCH /v1/devices/{id}", () => {
  test("changes the fields that are sent and keeps the others", async () => {
    const before = await create({ name: "x", description: "d", device_type: "t" });
    const change = { name: "y", is_active: false };
    const { status, body } = await server.patch(`/v1/devices/${before.id}`, { token, body: change });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, ...change, updated_at: body.data.updated_at });
    expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect(body._links).toEqual({ self: `/v1/devices/${before.id}` });
    expect(await read(before.id)).toEqual(body.data);
  });

  test("changes every field, and null clears the optional ones", async () => {
    const { id } = await create({ name: "x" });
    const { id: keyId } = await server.createKey("gps:write");
    const full = { name: "y", description: "d", device_type: "t", api_key_id: keyId, is_active: false };
    expect((await server.patch(`/v1/devices/${id}`, { token, body: full })).body.data).toMatchObject(full);
    const cleared = { description: null, device_type: null, api_key_id: null };
    const { body } = await server.patch(`/v1/devices/${id}`, { token, body: cleared });
    expect(body.data).toMatchObject({ name: "y", is_active: false, ...cleared });
    expect(await read(id)).toEqual(body.data);
  });

  test.each([
    ["no field", {}, "/"],
    ["only unknown fields", { colour: "red" }, "/"],
    ["a null name", { name: null }, "/name"],
    ["a null is_active", { is_active: null }, "/is_active"],
    ["is_active as text", { is_active: "true" }, "/is_active"],
    ["an empty name", { name: "", description: "other" }, "/name"],
    ["a key that is none", { api_key_id: UNKNOWN, description: "other" }, "/api_key_id"],
  ])("refuses %s and changes nothing", async (_, body, path) => {
    const before = await create({ name: "x", description: "d" });
    const answer = await server.patch(`/v1/devices/${before.id}`, { token, body });
    expectInvalid(answer, path);
    expect(await read(before.id)).toEqual(before);
  });
});

describe("a device's identifier", () => {
  test.each(["GET", "PATCH", "DELETE"])(
    "gives 404 when unknown and 400 when malformed to %s",
    async (method) => {
      const options = { token, ...(method === "PATCH" && { body: { name: "x" } }) };
      const answer = (id: string) => server.request(method, `/v1/devices/${id}`, options);
      expectRefused(await answer(UNKNOWN), 404, "NotFound");
      expectInvalid(await answer("not-a-uuid"), "/id");
    },
  );
});

describe("GET /v1/devices", () => {
  let own: TestServer;
  let admin: Token;
  const page = async (query = "") => (await own.get(`/v1/devices${query}`, { token: admin })).body;
  const names = async (query: string) => (await page(query)).data.map((row: { name: string }) => row.name);
  beforeAll(async () => {
    own = await TestServer.start();
    admin = await own.admin();
  });
  afterAll(() => own.stop());

  test("is an empty page when there is none", async () => {
    const link = "/v1/devices?page=1&limit=10";
    expect(await page()).toEqual({
      data: [],
      pagination: { page: 1, limit: 10, total: 0, total_pages: 0 },
      _links: { self: link, first: link, last: link },
    });
  });

  test("lists the newest first, ten a page, each page where it belongs", async () => {
    for (let number = 1; number <= 23; number++)
      await own.post("/v1/devices", { token: admin, body: { name: String(number) } });
    const down = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_, at) => String(from - at));
    const first = await page();
    expect(first.data.map((row: { name: string }) => row.name)).toEqual(down(23, 14));
    expect(first.pagination).toEqual({ page: 1, limit: 10, total: 23, total_pages: 3 });
    expect(first._links).toEqual({
      self: "/v1/devices?page=1&limit=10",
      first: "/v1/devices?page=1&limit=10",
      last: "/v1/devices?page=3&limit=10",
      next: "/v1/devices?page=2&limit=10",
    });
    expect(await names("?page=2")).toEqual(down(13, 4));
    const last = await page("?page=3");
    expect(last.data.map((row: { name: string }) => row.name)).toEqual(down(3, 1));
    expect(last._links).toMatchObject({ prev: "/v1/devices?page=2&limit=10" });
    expect(last._links).not.toHaveProperty("next");
    expect(await names("?page=2&limit=7")).toEqual(down(16, 10));
  });

  test("answers a page past the end with an empty one", async () => {
    const { data, pagination, _links } = await page("?page=9&limit=5");
    expect(data).toEqual([]);
    expect(pagination).toEqual({ page: 9, limit: 5, total: 23, total_pages: 5 });
    expect(_links).not.toHaveProperty("next");
  });

  test("lowers a limit above 100 to 100", async () => {
    const { data, pagination, _links } = await page("?limit=101");
    expect(data).toHaveLength(23);
    expect(pagination.limit).toBe(100);
    expect(_links.self).toBe("/v1/devices?page=1&limit=100");
  });

  test.each(["page=0", "page=-1", "page=1.5", "page=x", "page=", "limit=0", "limit=-5", "limit=1e1"])(
    "refuses %s",
    async (query) => {
      const answer = await own.get(`/v1/devices?${query}`, { token: admin });
      expectInvalid(answer, `/${query.split("=")[0]}`);
    },
  );

  test("counts what is created and deleted", async () => {
    const { data } = await page("?limit=1");
    expect((await own.delete(`/v1/devices/${data[0].id}`, { token: admin })).status).toBe(204);
    expect((await page()).pagination.total).toBe(22);
    await Promise.all(
      Array.from({ length: 5 }, () => own.post("/v1/devices", { token: admin, body: { name: "p" } })),
    );
    expect((await page()).pagination.total).toBe(27);
    expect((await page("?limit=100")).data).toHaveLength(27);
  });
});

describe("DELETE /v1/devices/{id}", () => {
  test("removes the device", async () => {
    const { id } = await create();
    const { status, body } = await server.delete(`/v1/devices/${id}`, { token });
    expect([status, body]).toEqual([204, null]);
    expect((await server.get(`/v1/devices/${id}`, { token })).status).toBe(404);
    expect((await server.delete(`/v1/devices/${id}`, { token })).status).toBe(404);
  });

  test("keeps its points, its trips and its key, without it", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    const point = await postPoint(server, device.key);
    expect(point).toMatchObject({ device_id: device.id, trip_id: trip.id });

    expect((await server.delete(`/v1/devices/${device.id}`, { token })).status).toBe(204);

    expect((await server.get(`/v1/gps/${point.id}`, { token })).body.data).toEqual({
      ...point,
      device_id: null,
    });
    const kept = (await server.get(`/v1/trips/${trip.id}`, { token })).body.data;
    expect(kept).toMatchObject({ device_id: null, status: "active", gps_logging_enabled: true });
    expect((await server.get(`/v1/trips/${trip.id}/gps`, { token })).body.data).toEqual([
      { ...point, device_id: null },
    ]);
    expect((await server.get(`/v1/gps/current?device_id=${device.id}`, { token })).status).toBe(404);
    const current = (await server.get("/v1/gps/current/devices", { token })).body;
    expect(current.filter((row: { device_id: string }) => row.device_id === device.id)).toEqual([]);
    // The key is still valid, and its positions belong to no device and no trip.
    expect(await postPoint(server, device.key)).toMatchObject({ device_id: null, trip_id: null });
  });

  test("frees the device's key for another device", async () => {
    const device = await server.device();
    await server.delete(`/v1/devices/${device.id}`, { token });
    const next = await create({ name: "next", api_key_id: device.keyId });
    expect(next.api_key_id).toBe(device.keyId);
    expect((await postPoint(server, device.key)).device_id).toBe(next.id);
  });

  test("leaves no point behind that names the device, whatever was posted meanwhile", async () => {
    const device = await server.device();
    const post = () => server.post("/v1/gps", { token: device.key, body: fix() });
    const before = Array.from({ length: 20 }, post);
    const deleted = server.delete(`/v1/devices/${device.id}`, { token });
    const after = Array.from({ length: 20 }, post);
    expect((await deleted).status).toBe(204);
    const points = (await Promise.all([...before, ...after])).map((answer) => answer.body.data.id);
    const owners = await Promise.all(
      points.map(async (id) => (await server.get(`/v1/gps/${id}`, { token })).body.data.device_id),
    );
    expect(new Set(owners)).toEqual(new Set([null]));
  });
});

describe("DELETE /v1/devices/{id} with more points than one step takes", () => {
  const POINTS = 600;
  let own: TestServer;
  let admin: Token;
  let device: { id: string; key: Token };
  let trip: { id: string };
  afterAll(() => own.stop());

  const devicesOf = async (list: string) => {
    const seen = [];
    for (let path: string | undefined = `${list}?limit=100`; path; ) {
      const { body } = await own.get(path, { token: admin });
      seen.push(...body.data.map((row: { device_id: string | null }) => row.device_id));
      path = body._links.next;
    }
    return seen;
  };

  beforeAll(async () => {
    own = await TestServer.start();
    admin = await own.admin();
    device = await own.device();
    trip = await createTrip(own, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(own, trip.id, "active");
    await Promise.all(
      Array.from({ length: POINTS }, (_, at) =>
        postPoint(own, device.key, { timestamp: 1_372_578_069 + at }),
      ),
    );
    expect((await own.delete(`/v1/devices/${device.id}`, { token: admin })).status).toBe(204);
  });

  test.each(["at once", "after a restart before the rest is done"])(
    "shows device_id null %s",
    async (when) => {
      if (when !== "at once") {
        expect(await own.stop()).toBe(0);
        own = await TestServer.start({ dataDir: own.dataDir });
      }
      const all = await devicesOf("/v1/gps");
      expect(all).toHaveLength(POINTS);
      expect(new Set(all)).toEqual(new Set([null]));
      const ofTrip = await devicesOf(`/v1/trips/${trip.id}/gps`);
      expect(ofTrip).toHaveLength(POINTS);
      expect(new Set(ofTrip)).toEqual(new Set([null]));
      expect((await own.get("/v1/gps/current", { token: admin })).body.data.device_id).toBeNull();
      expect((await own.get("/v1/gps/current/devices", { token: admin })).body).toEqual([]);
      expect((await own.get(`/v1/gps/current?device_id=${device.id}`, { token: admin })).status).toBe(404);
    },
  );
});

describe("permissions", () => {
  test("a user without them reads and changes nothing", async () => {
    const device = await create({ name: "x" });
    const stranger = await newUser(server);
    const refused = await Promise.all([
      server.get("/v1/devices", { token: stranger.token }),
      server.get(`/v1/devices/${device.id}`, { token: stranger.token }),
      server.patch(`/v1/devices/${device.id}`, { token: stranger.token, body: { name: "y" } }),
      server.delete(`/v1/devices/${device.id}`, { token: stranger.token }),
    ]);
    expect(refused.map((answer) => answer.status)).toEqual([403, 403, 403, 403]);
    expect(await read(device.id)).toEqual(device);
  });
});
