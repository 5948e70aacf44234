import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  type Bounds,
  createCategory,
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
import { createTrip } from "../support";

/** Trip categories (rules H7 to H9 and T6). */
const PATH = "/v1/trip-categories";

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const post = (body: object) => server.post(PATH, { token, body: { name: "transfer", ...body } });
const patch = (id: string, body: object) => server.patch(`${PATH}/${id}`, { token, body });
const get = (id: string) => read(server, `${PATH}/${id}`);
const list = async () => expectStatus(await server.get(PATH, { token }), 200).body;
const remove = (id: string) => server.delete(`${PATH}/${id}`, { token });
const stored = async () => rows(server, "SELECT * FROM trip_categories ORDER BY id");

const BOUNDS: Bounds[] = [
  NAME,
  text("description", 10_000),
  [
    "color",
    ["#fff", "#0b4f8a", "#ABC", "#ABCdef", null],
    ["", "#", "fff", "#ffff", "#ff", "#fffff", "#fffffff", "#ggg", "#fff\n", "red", 255, ["#fff"]],
  ],
  ["sort_order", [0, -5, 1_000_000_000, -1_000_000_000], [0.5, "1", true, 1_000_000_001, -1_000_000_001]],
];

describe("GET /v1/trip-categories", () => {
  test("is a bare array by sort_order, then by name in either case, ties in the order of their making", async () => {
    expect(await list()).toEqual([]);
    const made = [];
    for (const [at, name] of MIXED_NAMES.entries())
      made.push(await createCategory(server, { name, sort_order: [0, 10, -1, 2][at % 4] }));
    for (const name of ["b", "C", "a"]) made.push(await createCategory(server, { name }));
    const expected = inOrderOfNames(made).toSorted((a, b) => a.sort_order - b.sort_order);
    expect(await list()).toEqual(expected);
  });

  test("is not paginated", async () => {
    for (let n = 0; n < 100; n++) await createCategory(server, { name: `many ${n}` });
    const all = await list();
    expect(all.length).toBeGreaterThan(100);
    expect(expectStatus(await server.get(`${PATH}?page=2&limit=1`, { token }), 200).body).toEqual(all);
  });
});

describe("POST /v1/trip-categories", () => {
  test("stores every field", async () => {
    const { id: parent_id } = await createCategory(server);
    const sent = { name: "Ferry", parent_id, description: "By night", color: "#0b4f8a", sort_order: 7 };
    const { status, body } = await post(sent);
    const { id, created_at, updated_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(body._links).toEqual({ self: `${PATH}/${id}` });
    expect(rest).toEqual({ ...sent, is_active: true });
    expect(updated_at).toBe(created_at);
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no more than a name, and ignores what it doesn't know", async () => {
    const nothing = { parent_id: null, description: null, color: null };
    for (const body of [{}, nothing, { is_active: false, id: UNKNOWN, created_at: 5, colour: "x" }]) {
      const { data } = expectStatus(await post(body), 201).body;
      expect(data).toMatchObject({ name: "transfer", ...nothing, is_active: true, sort_order: 0 });
      expect(data.id).not.toBe(UNKNOWN);
    }
  });

  test.each(named(BOUNDS))("takes %s up to its bounds", (_, bounds) => expectTaken(bounds, post));

  test.each(named([...BOUNDS, ["parent_id", [], REFERENCE_FORMS]]))(
    "refuses %s beyond its bounds, and stores nothing",
    (_, bounds) => expectNotTaken(bounds, post, stored),
  );

  test("refuses a body without a name, and a parent that there is not or no more", async () => {
    const { id } = await createCategory(server);
    await remove(id);
    const before = await stored();
    expectInvalid(await server.post(PATH, { token, body: { sort_order: 1 } }), "/name");
    for (const parent_id of [UNKNOWN, id]) expectInvalid(await post({ parent_id }), "/parent_id");
    expect(await stored()).toEqual(before);
  });
});

describe("PATCH /v1/trip-categories/{id}", () => {
  const FIELDS = {
    name: "Ferry",
    description: "By night",
    color: "#0b4f8a",
    sort_order: 7,
    is_active: false,
  };
  const CLEARED = { description: null, color: null, is_active: true };

  test("changes each field alone, and null clears the optional ones", async () => {
    const { id: parent_id } = await createCategory(server);
    let before = await createCategory(server, { parent_id });
    for (const set of [FIELDS, CLEARED])
      for (const [field, value] of Object.entries(set)) {
        const { status, body } = await patch(before.id, { [field]: value });
        expect(status).toBe(200);
        expect(body).toEqual({
          data: { ...before, [field]: value, updated_at: expect.any(String) },
          _links: { self: `${PATH}/${before.id}` },
        });
        before = body.data;
        expect(await get(before.id)).toEqual(before);
      }
  });

  test("gives sort_order its default back for null, as when it is created", async () => {
    const { id } = await createCategory(server, { sort_order: 7 });
    expect(expectStatus(await patch(id, { sort_order: null }), 200).body.data.sort_order).toBe(0);
    expect((await createCategory(server, { sort_order: null })).sort_order).toBe(0);
  });

  test.each(named(BOUNDS))("takes %s up to its bounds", async (_, bounds) => {
    const { id } = await createCategory(server);
    await expectTaken(bounds, (body) => patch(id, body));
  });

  test.each(named([...BOUNDS, ["is_active", [], [null, "true", 1, {}]]]))(
    "refuses %s beyond its bounds, and changes nothing",
    async (_, bounds) => {
      const { id } = await createCategory(server);
      await expectNotTaken(
        bounds,
        (body) => patch(id, { description: "changed", ...body }),
        () => get(id),
      );
    },
  );

  test("does not move it below another: no field remains, or the others are changed", async () => {
    const [parent, other] = [await createCategory(server), await createCategory(server)];
    const before = await createCategory(server, { parent_id: parent.id });
    for (const body of [{}, { parent_id: other.id }, { parent_id: null }, { id: UNKNOWN, colour: "red" }])
      expectInvalid(await patch(before.id, body), "/");
    expect(await get(before.id)).toEqual(before);
    const { data } = expectStatus(await patch(before.id, { parent_id: other.id, name: "new" }), 200).body;
    expect(data).toEqual({ ...before, name: "new", updated_at: data.updated_at });
  });
});

describe("DELETE /v1/trip-categories/{id}", () => {
  test("takes it, once", async () => {
    const { id } = await createCategory(server);
    const before = (await stored()).length;
    const statuses = await Promise.all([1, 2, 3].map(async () => (await remove(id)).status));
    expect(statuses.sort()).toEqual([204, 404, 404]);
    expectRefused(await server.get(`${PATH}/${id}`, { token }), 404, "NotFound");
    expect((await stored()).length).toBe(before - 1);
  });

  test("moves its children to the top, and leaves theirs with them", async () => {
    const top = await createCategory(server);
    const middle = await createCategory(server, { parent_id: top.id });
    const children = [
      await createCategory(server, { parent_id: middle.id }),
      await createCategory(server, { parent_id: middle.id }),
    ];
    const grandchild = await createCategory(server, { parent_id: children[0].id });
    expect((await remove(middle.id)).status).toBe(204);
    for (const child of children) expect(await get(child.id)).toEqual({ ...child, parent_id: null });
    expect(await get(grandchild.id)).toEqual(grandchild);
    expect(await get(top.id)).toEqual(top);
  });

  test("leaves trips and templates without it, and otherwise as they were", async () => {
    const { id: category_id } = await createCategory(server);
    const other = await createTrip(server, { category_id: (await createCategory(server)).id });
    const trip = await createTrip(server, { category_id });
    const template = await createTemplate(server, { category_id });
    expect((await remove(category_id)).status).toBe(204);
    expect(await read(server, `/v1/trips/${trip.id}`)).toEqual({ ...trip, category_id: null });
    expect(await read(server, `/v1/trip-templates/${template.id}`)).toEqual({
      ...template,
      category_id: null,
    });
    expect(await read(server, `/v1/trips/${other.id}`)).toEqual(other);
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
