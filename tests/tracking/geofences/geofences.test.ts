import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectInvalid, expectPermission, expectRefused, totalOf, UNKNOWN } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createZone } from "../support";

const KIB = 1_024;

/** The fields of a circle that has the rules of old. */
const PLAIN = {
  ...{ box_ids: [], is_from_shore: false },
  kind: "circle",
  geometry: null,
  width_m: null,
  enter_after_s: 0,
  exit_after_s: 0,
  confirm_fixes: 1,
  exit_margin_m: null,
  max_accuracy_m: null,
  dwell_seconds: null,
  color: null,
};

const zone = (fields: object = {}) => ({
  name: "Harbour",
  latitude: 54.0967,
  longitude: 13.4553,
  radius_km: 0.8,
  ...fields,
});

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const post = (body: object) => server.post("/v1/geofences", { token, body });
const patch = (id: string, body: object) => server.patch(`/v1/geofences/${id}`, { token, body });
const read = async (id: string) => (await server.get(`/v1/geofences/${id}`, { token })).body.data;
const total = () => totalOf(server, "/v1/geofences");

/** Metadata whose JSON has `bytes` bytes. */
const metadataOf = (bytes: number, letter = "x") => ({
  note: letter.repeat((bytes - '{"note":""}'.length) / Buffer.byteLength(letter)),
});

/** Objects nested `levels` deep. */
const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) });

const BOUNDS = {
  inside: [
    { name: "n" },
    { name: "n".repeat(200) },
    { description: "" },
    { description: "d".repeat(10_000) },
    { latitude: 90 },
    { latitude: -90 },
    { longitude: 180 },
    { longitude: -180 },
    { radius_km: 0.000001 },
    { radius_km: 20_038 },
    { metadata: metadataOf(16 * KIB) },
    { metadata: nested(60) },
  ],
  outside: [
    { name: "" },
    { name: "n".repeat(201) },
    { description: "d".repeat(10_001) },
    { latitude: 90.000001 },
    { latitude: -90.000001 },
    { longitude: 180.000001 },
    { longitude: -180.000001 },
    { radius_km: 0 },
    { radius_km: -1 },
    { radius_km: 20_038.001 },
    { metadata: metadataOf(16 * KIB + 1) },
    { metadata: metadataOf(16 * KIB + 2, "ü") },
  ],
  wrong: [
    { name: 7 },
    { name: null },
    { description: 7 },
    { latitude: "54" },
    { latitude: null },
    { longitude: "13" },
    { longitude: null },
    { radius_km: "1" },
    { radius_km: null },
    { metadata: [] },
    { metadata: [{ a: 1 }] },
    { metadata: "text" },
    { metadata: 7 },
    { metadata: true },
  ],
};

/** A case for a test's title: the field, and the value where it is short. */
const titled = (fields: object[]) =>
  fields.map((field) => {
    const json = JSON.stringify(field);
    return [json.length < 40 ? json : `${json.slice(0, 20)}… (${json.length})`, field] as const;
  });

describe("POST /v1/geofences", () => {
  test("creates an active zone and answers it in the single-record envelope", async () => {
    const sent = zone({ description: "Guest berths", metadata: { berth: "N4", pilotage: true } });
    const before = Date.now();
    const { status, body } = await post(sent);
    const { id, created_at, updated_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(rest).toEqual({ ...PLAIN, ...sent, is_active: true });
    expect(updated_at).toBe(created_at);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
    expect(body._links).toEqual({ self: `/v1/geofences/${id}` });
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no description and no metadata, and takes null for them", async () => {
    for (const sent of [zone(), zone({ description: null, metadata: null })])
      expect((await post(sent)).body.data).toMatchObject({ description: null, metadata: null });
  });

  test.each(titled(BOUNDS.inside))("keeps what is within the bounds: %s", async (_, fields) => {
    const { status, body } = await post(zone(fields));
    expect(status).toBe(201);
    expect(await read(body.data.id)).toMatchObject(fields);
  });

  test.each(titled([...BOUNDS.outside, ...BOUNDS.wrong]))(
    "refuses what is not, and creates nothing: %s",
    async (_, field) => {
      const before = await total();
      expectInvalid(await post(zone(field)), `/${Object.keys(field)[0]}`);
      expect(await total()).toBe(before);
    },
  );

  test.each(["name", "latitude", "longitude", "radius_km"])("refuses a zone without %s", async (field) => {
    const { [field]: _, ...without } = zone() as Record<string, unknown>;
    const before = await total();
    expectInvalid(await post(without), `/${field}`);
    expect(await total()).toBe(before);
  });

  test("keeps any JSON object as metadata, whatever its keys and values", async () => {
    const json =
      '{"":0,"a.b":[1,null,{"c":[[]]}],"__proto__":{"x":1},"constructor":"é😀","n":-1.5e-7,"t":true}';
    const raw = JSON.stringify(zone({ metadata: {} })).replace('"metadata":{}', `"metadata":${json}`);
    const headers = { "content-type": "application/json" };
    const { status, body } = await server.post("/v1/geofences", { token, raw, headers });
    expect(status).toBe(201);
    expect(JSON.stringify(await read(body.data.id))).toContain(`"metadata":${json}`);
  });

  test("refuses metadata nested so deep that nobody could walk it", async () => {
    const before = await total();
    expectRefused(await post(zone({ metadata: nested(64) })), 400, "BadRequest");
    const raw = `{"metadata":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
    const headers = { "content-type": "application/json" };
    expectRefused(await server.post("/v1/geofences", { token, raw, headers }), 400, "BadRequest");
    expect(await total()).toBe(before);
  });

  test("ignores fields that it doesn't know, that the server sets or that only a PATCH takes", async () => {
    const sent = { id: UNKNOWN, seq: 1, is_active: false, created_at: 0, updated_at: "x", colour: "red" };
    const { status, body } = await post(zone(sent));
    expect(status).toBe(201);
    expect(body.data.is_active).toBe(true);
    expect(body.data.id).not.toBe(UNKNOWN);
    expect(body.data.created_at).not.toStartWith("1970");
    expect(body.data).not.toHaveProperty("colour");
    expect(body.data).not.toHaveProperty("seq");
  });

  test("refuses what is no JSON object", async () => {
    const send = (raw: string, type = "application/json") =>
      server.post("/v1/geofences", { token, raw, headers: { "content-type": type } });
    expectRefused(await send("{"), 400, "BadRequest");
    expectRefused(await send(JSON.stringify(zone()), "text/plain"), 415, "UnsupportedMediaType");
    for (const raw of ["", "null", "[]", '"zone"']) expectRefused(await send(raw), 400, "ValidationError");
  });
});

describe("GET /v1/geofences", () => {
  test("is empty at first, then lists the newest first, ten a page, with links to every page", async () => {
    const own = await TestServer.start();
    const admin = await own.admin();
    const page = async (query = "") => (await own.get(`/v1/geofences${query}`, { token: admin })).body;
    const only = "/v1/geofences?page=1&limit=10";
    expect(await page()).toEqual({
      data: [],
      pagination: { page: 1, limit: 10, total: 0, total_pages: 0 },
      _links: { self: only, first: only, last: only },
    });

    const zones = [];
    for (let number = 0; number < 21; number++) zones.unshift(await createZone(own, { name: `${number}` }));
    expect(await page()).toEqual({
      data: zones.slice(0, 10),
      pagination: { page: 1, limit: 10, total: 21, total_pages: 3 },
      _links: {
        self: "/v1/geofences?page=1&limit=10",
        first: "/v1/geofences?page=1&limit=10",
        last: "/v1/geofences?page=3&limit=10",
        next: "/v1/geofences?page=2&limit=10",
      },
    });
    expect(await page("?page=2&limit=8")).toMatchObject({
      data: zones.slice(8, 16),
      _links: { prev: "/v1/geofences?page=1&limit=8", next: "/v1/geofences?page=3&limit=8" },
    });
    const lastPage = await page("?page=3&limit=8");
    expect(lastPage.data).toEqual(zones.slice(16));
    expect(lastPage._links).not.toHaveProperty("next");
    expect(await page("?page=4&limit=8")).toMatchObject({
      data: [],
      pagination: { total: 21, total_pages: 3 },
    });
    expect((await page("?limit=1000")).pagination).toMatchObject({ limit: 100, total_pages: 1 });

    // A zone that is switched off stays in the list; a deleted one doesn't.
    await own.patch(`/v1/geofences/${zones[0].id}`, { token: admin, body: { is_active: false } });
    await own.delete(`/v1/geofences/${zones[1].id}`, { token: admin });
    const { data, pagination } = await page("?limit=2");
    expect(data.map((row: { id: string }) => row.id)).toEqual([zones[0].id, zones[2].id]);
    expect(pagination.total).toBe(20);
    await own.stop();
  });

  test.each(["page=0", "page=-1", "page=1.5", "page=", "limit=0", "limit=1e3", "limit=0x10", "limit=x"])(
    "refuses %s",
    async (query) => {
      const answer = await server.get(`/v1/geofences?${query}`, { token });
      expectInvalid(answer, `/${query.split("=")[0]}`);
    },
  );
});

describe("PATCH /v1/geofences/{id}", () => {
  test("changes the fields that are sent and keeps the others", async () => {
    const before = await createZone(server, { description: "d", metadata: { a: 1 } });
    const change = { name: "Yard", radius_km: 2.5, is_active: false };
    const { status, body } = await patch(before.id, change);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, ...change, updated_at: body.data.updated_at });
    expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect(body._links).toEqual({ self: `/v1/geofences/${before.id}` });
    expect(await read(before.id)).toEqual(body.data);
  });

  test("changes every field, replaces metadata whole, and null clears the optional ones", async () => {
    const { id } = await createZone(server, { metadata: { a: 1, b: 2 } });
    const full = {
      name: "Yard",
      description: "d",
      latitude: -1.5,
      longitude: -179,
      radius_km: 3,
      is_active: false,
      metadata: { b: 3 },
    };
    expect((await patch(id, full)).body.data).toMatchObject(full);
    expect((await read(id)).metadata).toEqual({ b: 3 });
    const { body } = await patch(id, { description: null, metadata: null });
    expect(body.data).toMatchObject({ ...full, description: null, metadata: null });
    expect(await read(id)).toEqual(body.data);
  });

  test.each(titled(BOUNDS.inside))("keeps what is within the bounds: %s", async (_, fields) => {
    const { id } = await createZone(server);
    expect((await patch(id, fields)).status).toBe(200);
    expect(await read(id)).toMatchObject(fields);
  });

  test.each(
    titled([
      ...BOUNDS.outside,
      ...BOUNDS.wrong,
      { is_active: null },
      { is_active: "true" },
      { is_active: 1 },
    ]),
  )("refuses what is not, and changes nothing: %s", async (_, field) => {
    const before = await createZone(server, { description: "d", metadata: { a: 1 } });
    expectInvalid(await patch(before.id, { name: "other", ...field }), `/${Object.keys(field)[0]}`);
    expect(await read(before.id)).toEqual(before);
  });

  test.each([{}, { colour: "red" }, { id: UNKNOWN, created_at: "2001-01-01T00:00:00Z", seq: 1 }])(
    "refuses a change without a known field: %j",
    async (change) => {
      const before = await createZone(server);
      expectInvalid(await patch(before.id, change), "/");
      expect(await read(before.id)).toEqual(before);
    },
  );

  test("ignores unknown fields beside a known one", async () => {
    const before = await createZone(server);
    const { body } = await patch(before.id, { name: "Yard", id: UNKNOWN, created_at: 0, colour: "red" });
    expect(body.data).toEqual({ ...before, name: "Yard", updated_at: body.data.updated_at });
  });
});

describe("DELETE /v1/geofences/{id}", () => {
  test("removes the zone, once", async () => {
    const { id } = await createZone(server);
    const before = await total();
    const { status, body } = await server.delete(`/v1/geofences/${id}`, { token });
    expect([status, body]).toEqual([204, null]);
    expectRefused(await server.get(`/v1/geofences/${id}`, { token }), 404, "NotFound");
    expectRefused(await server.delete(`/v1/geofences/${id}`, { token }), 404, "NotFound");
    expect(await total()).toBe(before - 1);
  });
});

describe("a zone's identifier", () => {
  const ask = (method: string, id: string) =>
    server.request(method, `/v1/geofences/${id}`, {
      token,
      ...(method === "PATCH" && { body: { name: "x" } }),
    });

  test.each(["GET", "PATCH", "DELETE"])(
    "gives 404 when unknown and 400 when malformed to %s",
    async (method) => {
      expectRefused(await ask(method, UNKNOWN), 404, "NotFound");
      for (const malformed of ["1", "zone", `${UNKNOWN}0`, UNKNOWN.replaceAll("-", "")])
        expectInvalid(await ask(method, malformed), "/id");
    },
  );
});

describe("the permission", () => {
  const withToken = (token?: string) => (token === undefined ? {} : { token });

  test("geofences:read is needed to read", async () => {
    const { id } = await createZone(server);
    for (const path of ["/v1/geofences", `/v1/geofences/${id}`])
      await expectPermission(server, "geofences:read", 200, (token) => server.get(path, withToken(token)));
  });

  test("geofences:write is needed to create, and nothing is created without", async () => {
    const before = await total();
    await expectPermission(server, "geofences:write", 201, (token) =>
      server.post("/v1/geofences", { ...withToken(token), body: zone() }),
    );
    expect(await total()).toBe(before + 1);
  });

  test("geofences:write is needed to change, and nothing is changed without", async () => {
    const before = await createZone(server);
    await expectPermission(server, "geofences:write", 200, async (token) => {
      expect(await read(before.id)).toEqual(before);
      return server.patch(`/v1/geofences/${before.id}`, { ...withToken(token), body: { name: "y" } });
    });
    expect((await read(before.id)).name).toBe("y");
  });

  test("geofences:delete is needed to delete, and the zone stays without", async () => {
    const before = await createZone(server);
    await expectPermission(server, "geofences:delete", 204, async (token) => {
      expect(await read(before.id)).toEqual(before);
      return server.delete(`/v1/geofences/${before.id}`, withToken(token));
    });
  });

  test("is looked at before the body and the identifier", async () => {
    const reader = await server.key("geofences:read");
    expectRefused(await server.post("/v1/geofences", { token: reader, body: {} }), 403, "Forbidden");
    expectRefused(await server.patch("/v1/geofences/x", { token: reader, body: {} }), 403, "Forbidden");
    expectRefused(await server.delete("/v1/geofences/x", { token: reader }), 403, "Forbidden");
    expectRefused(await server.get("/v1/geofences/x"), 401, "Unauthorized");
  });
});
