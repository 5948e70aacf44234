import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectInvalid, expectRefused, totalOf, UNKNOWN } from "../../support/expectations";
import { onDatabase } from "../../support/rows";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip } from "../support";

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const read = async (id: string) => (await server.get(`/v1/trips/${id}`, { token })).body.data;
const patch = (id: string, body: object) => server.patch(`/v1/trips/${id}`, { token, body });

/** Inserts a record straight into the database. */
function insert(table: "locations" | "trip_categories"): string {
  const id = Bun.randomUUIDv7();
  onDatabase(server, (database) =>
    database.run(
      `INSERT INTO ${table} (id, name, is_active, created_at, updated_at) VALUES (?, 'x', 1, 0, 0)`,
      [id],
    ),
  );
  return id;
}

const DEFAULTS = {
  box_id: null,
  description: null,
  status: "draft",
  gps_logging_enabled: false,
  device_id: null,
  category_id: null,
  origin_id: null,
  destination_id: null,
  weight_kg: null,
  notes: null,
  tags: [],
  start_latitude: null,
  start_longitude: null,
  end_latitude: null,
  end_longitude: null,
  distance_km: 0,
  started_at: null,
  ended_at: null,
  log_interval_minutes: 60,
};

/** A value for every field of the create request. */
const everyField = async () => ({
  name: "Lauterbach to Greifswald",
  description: "Transfer across the Bodden",
  gps_logging_enabled: true,
  device_id: (await server.device()).id,
  category_id: insert("trip_categories"),
  origin_id: insert("locations"),
  destination_id: insert("locations"),
  weight_kg: 1250.5,
  notes: "Call the harbour master",
  tags: ["summer", "ferry"],
  log_interval_minutes: 15,
});
const ENDS = { start_latitude: 54.3412, start_longitude: -13.5066, end_latitude: -90, end_longitude: 180 };

describe("POST /v1/trips", () => {
  test("keeps every field and reads it back in the single-record envelope", async () => {
    const sent = await everyField();
    const { status, body } = await server.post("/v1/trips", { token, body: sent });
    expect(status).toBe(201);
    const { id, created_at, updated_at, ...rest } = body.data;
    expect(rest).toEqual({ ...DEFAULTS, ...sent });
    expect(updated_at).toBe(created_at);
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
    expect(body._links).toEqual({ self: `/v1/trips/${id}` });
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no more than a name", async () => {
    expect(await createTrip(server, { name: "x" })).toMatchObject({ name: "x", ...DEFAULTS });
  });

  test("takes null for what may be left out", async () => {
    const { name, ...optional } = await everyField();
    const nulls = Object.fromEntries(Object.keys(optional).map((key) => [key, null]));
    expect(await createTrip(server, { name, ...nulls })).toMatchObject({ name, ...DEFAULTS });
  });

  test("starts as a draft whatever is asked, and ignores fields that an update alone sets", async () => {
    const asked = {
      status: "active",
      started_at: "2026-05-04T09:30:00Z",
      ...ENDS,
      id: UNKNOWN,
      colour: "red",
    };
    const trip = await createTrip(server, asked);
    expect(trip).toMatchObject(DEFAULTS);
    expect(trip.id).not.toBe(UNKNOWN);
    expect(trip).not.toHaveProperty("colour");
    expect((await server.get(`/v1/trips/${trip.id}/history`, { token })).body).toEqual([]);
  });

  test("takes values at their bounds", async () => {
    const body = {
      name: "n".repeat(200),
      description: "d".repeat(10_000),
      notes: "n".repeat(10_000),
      weight_kg: 0,
      tags: Array.from({ length: 50 }, (_, at) => String(at).padStart(64, "t")),
    };
    expect(await createTrip(server, body)).toMatchObject(body);
  });

  test.each([
    ["/name", { name: undefined }],
    ["/name", { name: "" }],
    ["/name", { name: "n".repeat(201) }],
    ["/name", { name: null }],
    ["/description", { description: "d".repeat(10_001) }],
    ["/notes", { notes: "n".repeat(10_001) }],
    ["/gps_logging_enabled", { gps_logging_enabled: "true" }],
    ["/weight_kg", { weight_kg: -0.1 }],
    ["/weight_kg", { weight_kg: "5" }],
    ["/tags", { tags: Array(51).fill("t") }],
    ["/tags", { tags: "ferry" }],
    ["/device_id", { device_id: "x" }],
    ["/device_id", { device_id: UNKNOWN }],
    ["/category_id", { category_id: UNKNOWN }],
    ["/origin_id", { origin_id: UNKNOWN }],
    ["/destination_id", { destination_id: UNKNOWN }],
  ])("refuses a wrong %s and creates nothing (%#)", async (path, wrong) => {
    const before = await totalOf(server, "/v1/trips");
    expectInvalid(await server.post("/v1/trips", { token, body: { name: "x", ...wrong } }), path);
    expect(await totalOf(server, "/v1/trips")).toBe(before);
  });

  test.each([
    ["too long", "t".repeat(65)],
    ["no text", 5],
  ])("refuses a tag that is %s", async (_, tag) => {
    const { status, body } = await server.post("/v1/trips", { token, body: { name: "x", tags: ["a", tag] } });
    expect(status).toBe(400);
    expect(body.details[0].path).toStartWith("/tags");
  });

  test("names every wrong field at once", async () => {
    const answer = await server.post("/v1/trips", { token, body: { weight_kg: -1, tags: 1 } });
    expectInvalid(answer, "/name", "/tags", "/weight_kg");
  });

  test("refuses a record of another kind as a reference", async () => {
    const { id } = await createTrip(server);
    expectInvalid(
      await server.post("/v1/trips", { token, body: { name: "x", device_id: id } }),
      "/device_id",
    );
  });
});

describe("PATCH /v1/trips/{id}", () => {
  test("changes the fields that are sent and keeps the others", async () => {
    const before = await createTrip(server, await everyField());
    const { status, body } = await patch(before.id, { name: "y", tags: ["winter"], ...ENDS });
    expect(status).toBe(200);
    const { updated_at } = body.data;
    expect(body.data).toEqual({ ...before, name: "y", tags: ["winter"], ...ENDS, updated_at });
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect(body._links).toEqual({ self: `/v1/trips/${before.id}` });
    expect(await read(before.id)).toEqual(body.data);
  });

  test("changes every field of the create request", async () => {
    const { id } = await createTrip(server);
    const every = await everyField();
    expect((await patch(id, every)).body.data).toMatchObject(every);
    expect(await read(id)).toMatchObject(every);
  });

  test("clears every optional field with null", async () => {
    const { name, ...optional } = await everyField();
    const { id } = await createTrip(server, { name, ...optional });
    await patch(id, ENDS);
    const nulls = Object.fromEntries(Object.keys({ ...optional, ...ENDS }).map((key) => [key, null]));
    expect((await patch(id, nulls)).status).toBe(200);
    expect(await read(id)).toMatchObject({ name, ...DEFAULTS });
  });

  test.each([
    ["no field", {}],
    ["only unknown fields", { colour: "red", started_at: null, ended_at: "2026-05-04T09:30:00Z" }],
  ])("leaves the trip as it is with %s", async (_, body) => {
    const before = await createTrip(server);
    const answer = await patch(before.id, body);
    expect([answer.status, answer.body.data]).toEqual([200, before]);
    expect(await read(before.id)).toEqual(before);
  });

  test.each([
    ["/name", { name: null }],
    ["/name", { name: "" }],
    ["/status", { status: null }],
    ["/status", { status: "cancelled" }],
    ["/weight_kg", { weight_kg: -1 }],
    ["/start_latitude", { start_latitude: 90.1 }],
    ["/end_latitude", { end_latitude: -90.1 }],
    ["/start_longitude", { start_longitude: -180.1 }],
    ["/end_longitude", { end_longitude: 180.1 }],
    ["/tags", { tags: Array(51).fill("t") }],
    ["/device_id", { device_id: UNKNOWN }],
    ["/category_id", { category_id: UNKNOWN }],
    ["/origin_id", { origin_id: UNKNOWN }],
    ["/destination_id", { destination_id: UNKNOWN }],
  ])("refuses a wrong %s and changes nothing (%#)", async (path, wrong) => {
    const before = await createTrip(server, { notes: "as it was" });
    expectInvalid(await patch(before.id, { notes: "other", ...wrong }), path);
    expect(await read(before.id)).toEqual(before);
  });

  test.each([[[]], ["x"], [5], [true], [null]])("refuses %p in place of an object", async (body) => {
    const before = await createTrip(server);
    expect((await server.patch(`/v1/trips/${before.id}`, { token, body })).status).toBe(400);
    expect(await read(before.id)).toEqual(before);
  });

  test("refuses a reference to nothing beside a change of status, and changes neither", async () => {
    const before = await createTrip(server);
    expect((await patch(before.id, { status: "active", origin_id: UNKNOWN })).status).toBe(400);
    expect(await read(before.id)).toEqual(before);
    expect((await server.get(`/v1/trips/${before.id}/history`, { token })).body).toEqual([]);
  });
});

describe("a trip's identifier", () => {
  test.each([
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/gps"],
    ["GET", "/history"],
  ])("gives 404 when unknown and 400 when malformed to %s %s", async (method, rest) => {
    const options = { token, ...(method === "PATCH" && { body: { name: "x" } }) };
    const answer = (id: string) => server.request(method, `/v1/trips/${id}${rest}`, options);
    expectRefused(await answer(UNKNOWN), 404, "NotFound");
    expectInvalid(await answer("42"), "/id");
  });
});

describe("GET /v1/trips", () => {
  let own: TestServer;
  let admin: Token;
  const page = async (query = "") => (await own.get(`/v1/trips${query}`, { token: admin })).body;
  const names = async (query: string) => (await page(query)).data.map((row: { name: string }) => row.name);
  const totals = async () => {
    const of = async (query: string) => (await page(query)).pagination.total;
    return {
      all: await of(""),
      draft: await of("?status=draft"),
      active: await of("?status=active"),
      paused: await of("?status=paused"),
      completed: await of("?status=completed"),
    };
  };
  const down = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, at) => String(from - at));
  beforeAll(async () => {
    own = await TestServer.start();
    admin = await own.admin();
  });
  afterAll(() => own.stop());

  test("is an empty page when there is none, with a filter too", async () => {
    const link = "/v1/trips?page=1&limit=20";
    expect(await page()).toEqual({
      data: [],
      pagination: { page: 1, limit: 20, total: 0, total_pages: 0 },
      _links: { self: link, first: link, last: link },
    });
    expect(await page("?status=paused")).toMatchObject({
      data: [],
      _links: { last: `${link}&status=paused` },
    });
  });

  test("lists the newest first, twenty a page", async () => {
    for (let number = 1; number <= 23; number++) await createTrip(own, { name: String(number) });
    const first = await page();
    expect(first.data.map((row: { name: string }) => row.name)).toEqual(down(23, 4));
    expect(first.pagination).toEqual({ page: 1, limit: 20, total: 23, total_pages: 2 });
    expect(first._links).toEqual({
      self: "/v1/trips?page=1&limit=20",
      first: "/v1/trips?page=1&limit=20",
      last: "/v1/trips?page=2&limit=20",
      next: "/v1/trips?page=2&limit=20",
    });
    expect(await names("?page=2")).toEqual(down(3, 1));
  });

  test("with a status lists those alone, and the links keep it", async () => {
    const { data } = await page("?limit=100");
    // 23 and 22 become active, 21 paused, 20 completed.
    const [first, second, third, fourth] = data as [
      { id: string },
      { id: string },
      { id: string },
      { id: string },
    ];
    await moveTrip(own, first.id, "active");
    await moveTrip(own, second.id, "active");
    await moveTrip(own, third.id, "active", "paused");
    await moveTrip(own, fourth.id, "active", "completed");
    expect(await names("?status=active")).toEqual(["23", "22"]);
    expect(await names("?status=paused")).toEqual(["21"]);
    expect(await names("?status=completed")).toEqual(["20"]);
    expect(await totals()).toEqual({ all: 23, draft: 19, active: 2, paused: 1, completed: 1 });

    const middle = await page("?status=draft&limit=5&page=2");
    expect(middle.data.map((row: { name: string }) => row.name)).toEqual(down(14, 10));
    expect(middle.pagination).toEqual({ page: 2, limit: 5, total: 19, total_pages: 4 });
    expect(middle._links).toEqual({
      self: "/v1/trips?page=2&limit=5&status=draft",
      first: "/v1/trips?page=1&limit=5&status=draft",
      last: "/v1/trips?page=4&limit=5&status=draft",
      prev: "/v1/trips?page=1&limit=5&status=draft",
      next: "/v1/trips?page=3&limit=5&status=draft",
    });
    expect((await own.get(middle._links.last, { token: admin })).body.data).toHaveLength(4);
    expect((await own.get(middle._links.next, { token: admin })).body.data[0].name).toBe("9");
  });

  test.each(["status=cancelled", "status=", "status=ACTIVE", "page=0", "limit=0", "page=x", "limit=2.5"])(
    "refuses %s",
    async (query) => {
      expectInvalid(await own.get(`/v1/trips?${query}`, { token: admin }), `/${query.split("=")[0]}`);
    },
  );

  test("lowers a limit above 100 to 100", async () => {
    expect((await page("?limit=5000")).pagination.limit).toBe(100);
  });

  test("counts creations, changes of status and deletions, refused ones not", async () => {
    const before = await totals();
    const { id } = await createTrip(own);
    await own.patch(`/v1/trips/${id}`, { token: admin, body: { status: "completed" } });
    expect(await totals()).toEqual({ ...before, all: 24, draft: 20 });
    await moveTrip(own, id, "active");
    await own.delete(`/v1/trips/${id}`, { token: admin });
    expect(await totals()).toEqual({ ...before, all: 24, active: 3 });
    await moveTrip(own, id, "completed");
    expect(await totals()).toEqual({ ...before, all: 24, completed: 2 });
    expect((await own.delete(`/v1/trips/${id}`, { token: admin })).status).toBe(204);
    expect(await totals()).toEqual(before);
  });
});

describe("DELETE /v1/trips/{id}", () => {
  test.each([[["draft"]], [["active", "completed"]], [["active", "paused", "completed"]]])(
    "removes a trip that went %p, with its history",
    async (statuses) => {
      const { id } = await createTrip(server);
      await moveTrip(server, id, ...statuses.filter((status) => status !== "draft"));
      const { status, body } = await server.delete(`/v1/trips/${id}`, { token });
      expect([status, body]).toEqual([204, null]);
      for (const rest of ["", "/gps", "/history"])
        expect((await server.get(`/v1/trips/${id}${rest}`, { token })).status).toBe(404);
      expect((await server.delete(`/v1/trips/${id}`, { token })).status).toBe(404);
    },
  );

  test.each([[["active"]], [["active", "paused"]]])(
    "refuses a trip that went %p and keeps it",
    async (statuses) => {
      const { id } = await createTrip(server);
      const before = await moveTrip(server, id, ...statuses);
      expectRefused(await server.delete(`/v1/trips/${id}`, { token }), 409, "Conflict");
      expect(await read(id)).toEqual(before);
    },
  );
});
