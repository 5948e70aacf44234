import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectInvalid, expectRefused, expectStatus, totalOf, UNKNOWN } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  type Bounds,
  createCategory,
  createLocation,
  createTemplate,
  expectNotTaken,
  expectTaken,
  inOrderOfNames,
  MIXED_NAMES,
  NAME,
  named,
  REFERENCE_FORMS,
  read,
  text,
} from "../records-support";
import { createTrip, moveTrip } from "../support";

/** Trip templates and the trips that are made from them (rules H7 to H9 and T6). */
const PATH = "/v1/trip-templates";

let server: TestServer;
let token: Token;
/** The records to which a template may refer. */
let references: Record<"category_id" | "origin_id" | "destination_id" | "device_id", string>;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  references = await newReferences();
});
afterAll(() => server.stop());

const newReferences = async () => ({
  category_id: (await createCategory(server)).id,
  origin_id: (await createLocation(server)).id,
  destination_id: (await createLocation(server)).id,
  device_id: (await server.device()).id,
});

const post = (body: object) => server.post(PATH, { token, body: { name: "supply run", ...body } });
const patch = (id: string, body: object) => server.patch(`${PATH}/${id}`, { token, body });
const get = (id: string) => read(server, `${PATH}/${id}`);
const list = async () => expectStatus(await server.get(PATH, { token }), 200).body;
const remove = (id: string) => server.delete(`${PATH}/${id}`, { token });
const createTripFrom = (id: string, body: object) =>
  server.post(`${PATH}/${id}/create-trip`, { token, body });
const stored = async () => rows(server, "SELECT * FROM trip_templates ORDER BY id");

const DETAILS = {
  description: "Provisions to the island",
  gps_logging_enabled: true,
  default_weight_kg: 1250.5,
  notes: "Call the harbour master before arrival",
  tags: ["supply", "weekly"],
};
const NO_DETAILS = {
  description: null,
  gps_logging_enabled: false,
  default_weight_kg: null,
  notes: null,
  tags: [],
};
const NO_REFERENCES = { category_id: null, origin_id: null, destination_id: null, device_id: null };

const BOUNDS: Bounds[] = [
  NAME,
  text("description", 10_000),
  text("notes", 10_000),
  ["gps_logging_enabled", [true, false], ["true", 1, {}]],
  ["default_weight_kg", [0, 0.001, 1e9, null], [-0.001, "1", true, [1]]],
  ["tags", [[], Array(50).fill("x".repeat(64)), ["🌊".repeat(64)]], [Array(51).fill("x"), "x", 5]],
];
const REFERENCE_BOUNDS: Bounds[] = Object.keys(NO_REFERENCES).map((field) => [
  field,
  [null],
  [...REFERENCE_FORMS, UNKNOWN],
]);

describe("GET /v1/trip-templates", () => {
  test("is a bare array by name in either case, ties in the order of their making, not paginated", async () => {
    expect(await list()).toEqual([]);
    const made = [];
    for (const name of MIXED_NAMES) made.push(await createTemplate(server, { name }));
    for (let n = 0; n < 100; n++) made.push(await createTemplate(server, { name: `many ${n}` }));
    const expected = inOrderOfNames(made);
    expect(await list()).toEqual(expected);
    expect(expectStatus(await server.get(`${PATH}?page=2&limit=1`, { token }), 200).body).toEqual(expected);
  });
});

describe("POST /v1/trip-templates", () => {
  test("stores every field", async () => {
    const sent = { name: "Weekly supply run", ...references, ...DETAILS };
    const { status, body } = await post(sent);
    const { id, created_at, updated_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(body._links).toEqual({ self: `${PATH}/${id}` });
    expect(rest).toEqual(sent);
    expect(updated_at).toBe(created_at);
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no more than a name, and ignores what it doesn't know", async () => {
    const nothing = { ...NO_DETAILS, gps_logging_enabled: null, tags: null, ...NO_REFERENCES };
    for (const body of [{}, nothing, { id: UNKNOWN, created_at: 5, status: "active", weight_kg: 5 }]) {
      const { id, created_at, updated_at, ...rest } = expectStatus(await post(body), 201).body.data;
      expect(rest).toEqual({ name: "supply run", ...NO_DETAILS, ...NO_REFERENCES });
      expect(id).not.toBe(UNKNOWN);
    }
  });

  test.each(named(BOUNDS))("takes %s up to its bounds", (_, bounds) => expectTaken(bounds, post));

  test.each(named([...BOUNDS, ...REFERENCE_BOUNDS]))(
    "refuses %s beyond its bounds, and stores nothing",
    (_, bounds) => expectNotTaken(bounds, post, stored),
  );

  test("refuses a wrong tag by its place, and a body without a name", async () => {
    const before = await stored();
    expectInvalid(await post({ tags: ["x", "", 5, "x".repeat(65)] }), "/tags/1", "/tags/2", "/tags/3");
    expectInvalid(await server.post(PATH, { token, body: DETAILS }), "/name");
    expect(await stored()).toEqual(before);
  });

  test("refuses references of another kind", async () => {
    const before = await stored();
    const { category_id, origin_id, device_id } = references;
    for (const body of [
      { category_id: origin_id },
      { origin_id: category_id },
      { destination_id: device_id },
      { device_id: origin_id },
    ])
      expectInvalid(await post(body), `/${Object.keys(body)[0]}`);
    expect(await stored()).toEqual(before);
  });
});

describe("PATCH /v1/trip-templates/{id}", () => {
  test("changes each field alone, and null clears the optional ones", async () => {
    let before = await createTemplate(server);
    const cleared = { ...DETAILS, ...references };
    const steps = [
      ...Object.entries({ name: "New", ...cleared }).map(([field, value]) => [field, value, value] as const),
      ...Object.keys(cleared).map(
        (field) => [field, null, { ...NO_DETAILS, ...NO_REFERENCES }[field as keyof typeof cleared]] as const,
      ),
    ];
    for (const [field, sent, kept] of steps) {
      const { status, body } = await patch(before.id, { [field]: sent });
      expect(status).toBe(200);
      expect(body).toEqual({
        data: { ...before, [field]: kept, updated_at: expect.any(String) },
        _links: { self: `${PATH}/${before.id}` },
      });
      before = body.data;
      expect(await get(before.id)).toEqual(before);
    }
  });

  test.each(named([...BOUNDS, ...REFERENCE_BOUNDS]))(
    "refuses %s beyond its bounds, and changes nothing",
    async (_, bounds) => {
      const { id } = await createTemplate(server, references);
      await expectNotTaken(
        bounds,
        (body) => patch(id, { description: "changed", ...body }),
        () => get(id),
      );
    },
  );

  test("of no known field answers the unchanged template: none is required", async () => {
    const before = await createTemplate(server, { ...references, ...DETAILS });
    for (const body of [{}, { id: UNKNOWN, weight_kg: 5 }])
      expect(expectStatus(await patch(before.id, body), 200).body.data).toEqual(before);
    expect(await get(before.id)).toEqual(before);
  });
});

describe("DELETE /v1/trip-templates/{id}", () => {
  test("takes it, once, and leaves the trips that were made from it", async () => {
    const { id } = await createTemplate(server, { ...references, ...DETAILS });
    const trip = expectStatus(await createTripFrom(id, { weight_kg: 5 }), 201).body.data;
    const before = (await stored()).length;
    const statuses = await Promise.all([1, 2, 3].map(async () => (await remove(id)).status));
    expect(statuses.sort()).toEqual([204, 404, 404]);
    expectRefused(await server.get(`${PATH}/${id}`, { token }), 404, "NotFound");
    expectRefused(await createTripFrom(id, { weight_kg: 5 }), 404, "NotFound");
    expect((await stored()).length).toBe(before - 1);
    expect(await read(server, `/v1/trips/${trip.id}`)).toEqual(trip);
  });
});

describe("POST /v1/trip-templates/{id}/create-trip", () => {
  test("makes a draft with all that the template holds, its own weight, and the suffix", async () => {
    const template = await createTemplate(server, { name: "Weekly supply run", ...references, ...DETAILS });
    const { status, body } = await createTripFrom(template.id, { weight_kg: 70.25 });
    const { id, created_at, updated_at, ...rest } = body.data;
    const { default_weight_kg, ...copied } = DETAILS;
    expect(status).toBe(201);
    expect(body._links).toEqual({ self: `/v1/trips/${id}` });
    expect(rest).toEqual({
      ...references,
      ...copied,
      name: "Weekly supply run (from template)",
      box_id: null,
      status: "draft",
      weight_kg: 70.25,
      start_latitude: null,
      start_longitude: null,
      end_latitude: null,
      end_longitude: null,
      distance_km: 0,
      started_at: null,
      ended_at: null,
      log_interval_minutes: 60,
    });
    expect(updated_at).toBe(created_at);
    expect((await server.get(`/v1/trips/${id}`, { token })).body).toEqual(body);
    expect((await server.get("/v1/trips?limit=1", { token })).body.data).toEqual([body.data]);
    expect(await get(template.id)).toEqual(template);
  });

  test("makes one of a template that holds no more than a name", async () => {
    const { id } = await createTemplate(server);
    const { default_weight_kg, ...copied } = NO_DETAILS;
    expect(expectStatus(await createTripFrom(id, { weight_kg: 0 }), 201).body.data).toMatchObject({
      ...copied,
      ...NO_REFERENCES,
      name: "supply run (from template)",
      weight_kg: 0,
    });
  });

  test("makes trips that are counted and go their way", async () => {
    const { id } = await createTemplate(server);
    const total = await totalOf(server, "/v1/trips");
    const trips = await Promise.all([1, 2, 3].map((weight_kg) => createTripFrom(id, { weight_kg })));
    expect(new Set(trips.map(({ body }) => body.data.id)).size).toBe(3);
    expect(trips.map(({ body }) => body.data.weight_kg)).toEqual([1, 2, 3]);
    expect(await totalOf(server, "/v1/trips")).toBe(total + 3);
    const moved = await moveTrip(server, trips[0]?.body.data.id, "active", "completed");
    expect(moved.status).toBe("completed");
  });

  test("may exceed the limit of names by the suffix", async () => {
    const name = "🌊".repeat(200);
    const { id } = await createTemplate(server, { name });
    const trip = expectStatus(await createTripFrom(id, { weight_kg: 1 }), 201).body.data;
    expect(trip.name).toBe(`${name} (from template)`);
    expect(expectStatus(await server.get(`/v1/trips/${trip.id}`, { token }), 200).body.data).toEqual(trip);
  });

  test("ignores what else is sent", async () => {
    const { id } = await createTemplate(server, { notes: "its own" });
    const sent = { weight_kg: 1, name: "other", status: "active", notes: "other", tags: 5, id: UNKNOWN };
    const trip = expectStatus(await createTripFrom(id, sent), 201).body.data;
    expect(trip).toMatchObject({
      name: "supply run (from template)",
      status: "draft",
      notes: "its own",
      tags: [],
    });
    expect(trip.id).not.toBe(UNKNOWN);
  });

  test("refuses a wrong weight and none, and makes no trip", async () => {
    const { id } = await createTemplate(server, { default_weight_kg: 7 });
    const total = await totalOf(server, "/v1/trips");
    for (const weight_kg of [-0.001, "5", null, true, [5], {}])
      expectInvalid(await createTripFrom(id, { weight_kg }), "/weight_kg");
    expectInvalid(await createTripFrom(id, {}), "/weight_kg");
    expect((await server.post(`${PATH}/${id}/create-trip`, { token })).status).toBe(400);
    expectRefused(await createTripFrom(UNKNOWN, { weight_kg: 5 }), 404, "NotFound");
    expectInvalid(await createTripFrom("x", { weight_kg: 5 }), "/id");
    expect(await totalOf(server, "/v1/trips")).toBe(total);
  });

  test("takes what was changed and deleted meanwhile into account", async () => {
    const old = await newReferences();
    const template = await createTemplate(server, { ...old, gps_logging_enabled: true });
    const trip = await createTrip(server, { ...old, gps_logging_enabled: true });
    for (const path of [
      `/v1/trip-categories/${old.category_id}`,
      `/v1/locations/${old.origin_id}`,
      `/v1/locations/${old.destination_id}`,
      `/v1/devices/${old.device_id}`,
    ])
      expect((await server.delete(path, { token })).status).toBe(204);
    expect(await get(template.id)).toEqual({ ...template, ...NO_REFERENCES });
    expect(await read(server, `/v1/trips/${trip.id}`)).toEqual({ ...trip, ...NO_REFERENCES });
    expectStatus(await patch(template.id, { notes: "new" }), 200);
    expect(expectStatus(await createTripFrom(template.id, { weight_kg: 5 }), 201).body.data).toMatchObject({
      ...NO_REFERENCES,
      gps_logging_enabled: true,
      notes: "new",
    });
    for (const [field, id] of Object.entries(old)) expectInvalid(await post({ [field]: id }), `/${field}`);
  });
});

test("an unknown identifier gives 404 and a malformed one 400", async () => {
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const send = (id: string) =>
      server.request(method, `${PATH}/${id}`, { token, ...(method === "PATCH" && { body: { name: "x" } }) });
    expectRefused(await send(UNKNOWN), 404, "NotFound");
    expectInvalid(await send("x"), "/id");
  }
});
