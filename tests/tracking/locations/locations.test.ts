import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectInvalid, expectRefused, expectStatus, totalOf, UNKNOWN } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  type Bounds,
  between,
  createLocation,
  createTemplate,
  expectNotTaken,
  expectTaken,
  inOrderOfNames,
  MIXED_NAMES,
  NAME,
  named,
  read,
  text,
} from "../records-support";
import { createTrip } from "../support";

/** Locations and their contacts (rules H4, H7 to H9 and T6). */
const PATH = "/v1/locations";

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const post = (body: object) => server.post(PATH, { token, body: { name: "pier", ...body } });
const patch = (id: string, body: object) => server.patch(`${PATH}/${id}`, { token, body });
const get = (id: string) => read(server, `${PATH}/${id}`);
const list = async (query = "") => expectStatus(await server.get(PATH + query, { token }), 200).body;

const addContact = (id: string, body: object) => server.post(`${PATH}/${id}/contacts`, { token, body });
const changeContact = (id: string, cid: string, body: object) =>
  server.patch(`${PATH}/${id}/contacts/${cid}`, { token, body });
const removeContact = (id: string, cid: string) => server.delete(`${PATH}/${id}/contacts/${cid}`, { token });

/** The stored locations and contacts. */
const stored = () => [
  rows(server, "SELECT * FROM locations ORDER BY id"),
  rows(server, "SELECT * FROM location_contacts ORDER BY id"),
  rows(server, "SELECT * FROM counters WHERE name = 'locations'"),
];

const ADDRESS = {
  street: "Am Hafen 1",
  zip: "17489",
  city: "Greifswald",
  country: "DE",
  latitude: 54.0967,
  longitude: 13.4553,
  notes: "Depth 3 m at the quay",
};
const NO_ADDRESS = Object.fromEntries(Object.keys(ADDRESS).map((field) => [field, null]));
const WAYS = { phone: "+49 3834 000000", email: "harbour@example.org", role: "Harbour master" };
const NO_WAYS = { phone: null, email: null, role: null };

/** Optional fields of a location that are kept as they are sent. */
const BOUNDS: Bounds[] = [
  NAME,
  text("street", 200),
  text("zip", 200),
  text("city", 200),
  ["country", ["DE", "FR", null], ["", "D", "DEU", "D1", "D ", "ÄÖ", "de\n", 49, ["DE"]]],
  between("latitude", -90, 90),
  between("longitude", -180, 180),
  text("notes", 10_000),
];

/** Fields of a contact. */
const CONTACT_BOUNDS: Bounds[] = [
  NAME,
  text("phone", 200),
  [
    "email",
    ["a@b", `${"x".repeat(64)}@example.org`, null],
    ["", "harbour", "@example.org", "a b@example.org", `a@${"x.".repeat(130)}org`, 5],
  ],
  text("role", 200),
];

describe("GET /v1/locations", () => {
  test("is an empty page while there is none", async () => {
    expect(await list()).toMatchObject({
      data: [],
      pagination: { page: 1, limit: 10, total: 0, total_pages: 0 },
    });
  });

  test("lists them by name in either case, ties in the order of their making, page by page", async () => {
    const made = [];
    for (const name of MIXED_NAMES)
      made.push(await createLocation(server, { name, contacts: [{ name: "x" }] }));
    made.push(await createLocation(server, { name: "last but one" }));
    const expected = inOrderOfNames(made).map(({ contacts, ...location }) => location);
    const first = await list();
    expect(first.data).toEqual(expected.slice(0, 10));
    expect(first.pagination).toEqual({ page: 1, limit: 10, total: 11, total_pages: 2 });
    expect(first._links).toEqual({
      self: `${PATH}?page=1&limit=10`,
      first: `${PATH}?page=1&limit=10`,
      last: `${PATH}?page=2&limit=10`,
      next: `${PATH}?page=2&limit=10`,
    });
    for (const limit of [1, 3, 4]) {
      const pages = Array.from({ length: Math.ceil(11 / limit) }, (_, at) =>
        list(`?page=${at + 1}&limit=${limit}`),
      );
      expect((await Promise.all(pages)).flatMap(({ data }) => data)).toEqual(expected);
    }
    expect((await list("?page=3")).data).toEqual([]);
    expect((await list("?limit=101")).pagination.limit).toBe(100);
    expectInvalid(await server.get(`${PATH}?page=0&limit=x`, { token }), "/page", "/limit");
  });

  test("follows a change of name", async () => {
    const { id } = await createLocation(server, { name: "zzz" });
    const names = async () => (await list("?limit=100")).data.map((row: { id: string }) => row.id);
    expect((await names()).at(-1)).toBe(id);
    await patch(id, { name: "!" });
    expect((await names()).at(0)).toBe(id);
  });
});

describe("POST /v1/locations", () => {
  test("stores every field, and its contacts in their order", async () => {
    const contacts = [
      { name: "Inga Hansen", ...WAYS },
      { name: "Anna", ...NO_WAYS },
      { name: "Bo", ...NO_WAYS, role: "Crane" },
    ];
    const before = Date.now();
    const { status, headers, body } = await post({ name: "Museum harbour", ...ADDRESS, contacts });
    const { id, created_at, updated_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(body._links).toEqual({ self: `${PATH}/${id}` });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(rest).toEqual({
      name: "Museum harbour",
      ...ADDRESS,
      is_active: true,
      contacts: contacts.map((contact) => ({
        ...contact,
        id: expect.any(String),
        location_id: id,
        created_at: expect.any(String),
      })),
    });
    expect(updated_at).toBe(created_at);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
    const answer = await server.get(body._links.self, { token });
    expect(answer.body).toEqual(body);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("needs no more than a name, and leaves the rest null", async () => {
    for (const body of [{}, { ...NO_ADDRESS, contacts: [] }])
      expect(expectStatus(await post(body), 201).body.data).toMatchObject({
        ...NO_ADDRESS,
        name: "pier",
        is_active: true,
        contacts: [],
      });
  });

  test("keeps a country code in upper case", async () => {
    for (const country of ["de", "De", "DE"])
      expect(expectStatus(await post({ country }), 201).body.data.country).toBe("DE");
  });

  test("ignores what it doesn't know, in contacts too", async () => {
    const stranger = { id: UNKNOWN, created_at: "x", updated_at: 5, is_active: false, colour: "red" };
    const contact = { id: UNKNOWN, location_id: UNKNOWN, created_at: 5, name: "Anna", fax: [1] };
    const { data } = expectStatus(await post({ ...stranger, contacts: [contact] }), 201).body;
    expect(data).toMatchObject({ is_active: true });
    expect([data.id, data.contacts[0].id]).not.toContain(UNKNOWN);
    expect(data.contacts[0]).toMatchObject({ name: "Anna", location_id: data.id });
    expect(await get(data.id)).toEqual(data);
  });

  test.each(named(BOUNDS))("takes %s up to its bounds", (_, bounds) => expectTaken(bounds, post));

  test.each(named(BOUNDS))("refuses %s beyond its bounds, and stores nothing", (_, bounds) =>
    expectNotTaken(bounds, post, async () => stored()),
  );

  test("refuses a body without a name", async () => {
    const before = stored();
    expectInvalid(await server.post(PATH, { token, body: { street: "x" } }), "/name");
    expect(stored()).toEqual(before);
  });

  test("takes a hundred contacts and keeps their order", async () => {
    const contacts = Array.from({ length: 100 }, (_, n) => ({ name: `contact ${n}` }));
    const { data } = expectStatus(await post({ contacts }), 201).body;
    expect(data.contacts.map(({ name }: { name: string }) => ({ name }))).toEqual(contacts);
  });

  const good = { name: "Anna" };
  test.each<[string, unknown, string[]]>([
    ["a contact without a name", [good, { phone: "1" }], ["/contacts/1/name"]],
    ["an email that is none", [good, good, { ...good, email: "x" }], ["/contacts/2/email"]],
    [
      "several wrong ones",
      [{ name: "" }, good, { name: 5, role: 7 }],
      ["/contacts/0/name", "/contacts/2/name", "/contacts/2/role"],
    ],
    ["a contact that is no object", [good, "Anna"], ["/contacts/1"]],
    ["a contact that is null", [null], ["/contacts/0"]],
    ["a contact that is an array", [[good]], ["/contacts/0"]],
    ["an object in place of the array", { 0: good }, ["/contacts"]],
    ["a text in place of the array", "Anna", ["/contacts"]],
    ["a number in place of the array", 1, ["/contacts"]],
    ["too many", Array(101).fill(good), ["/contacts"]],
  ])("refuses %s, and stores neither the location nor any contact", async (_, contacts, paths) => {
    const before = stored();
    expectInvalid(await post({ contacts }), ...paths);
    expect(stored()).toEqual(before);
  });

  test("takes null for no contacts", async () => {
    expect(expectStatus(await post({ contacts: null }), 201).body.data.contacts).toEqual([]);
  });
});

describe("PATCH /v1/locations/{id}", () => {
  test("changes each field alone, null clears the optional ones, and contacts stay", async () => {
    let before = await createLocation(server, { contacts: [{ name: "Anna" }] });
    const changes = { name: "Yard", ...ADDRESS, is_active: false };
    for (const set of [changes, { ...NO_ADDRESS, is_active: true }])
      for (const [field, value] of Object.entries(set)) {
        const { status, body } = await patch(before.id, { [field]: value });
        expect(status).toBe(200);
        expect(body).toEqual({
          data: { ...before, [field]: value, updated_at: expect.any(String) },
          _links: { self: `${PATH}/${before.id}` },
        });
        expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
        before = body.data;
        expect(await get(before.id)).toEqual(before);
      }
  });

  test("keeps a country code in upper case", async () => {
    const { id } = await createLocation(server);
    expect((await patch(id, { country: "fr" })).body.data.country).toBe("FR");
  });

  test.each(named(BOUNDS))("takes %s up to its bounds", async (_, bounds) => {
    const { id } = await createLocation(server);
    await expectTaken(bounds, (body) => patch(id, body));
  });

  test.each(named([...BOUNDS, ["is_active", [], [null, "true", 1, {}]]]))(
    "refuses %s beyond its bounds, and changes nothing",
    async (_, bounds) => {
      const { id } = await createLocation(server, ADDRESS);
      await expectNotTaken(
        bounds,
        (body) => patch(id, { name: "changed", ...body }),
        () => get(id),
      );
    },
  );

  test.each([
    ["no field", {}],
    ["no known field", { colour: "red", id: UNKNOWN, created_at: 5 }],
    ["contacts alone, which it doesn't update", { contacts: [{ name: "Bo" }] }],
  ])("refuses %s, and changes nothing", async (_, body) => {
    const before = await createLocation(server, { contacts: [{ name: "Anna" }] });
    expectInvalid(await patch(before.id, body), "/");
    expect(await get(before.id)).toEqual(before);
  });

  test("ignores contacts beside a field", async () => {
    const { id, contacts } = await createLocation(server, { contacts: [{ name: "Anna" }] });
    for (const sent of [[], [{ name: "Bo" }], "x", null]) {
      const answer = expectStatus(await patch(id, { notes: "new", contacts: sent }), 200);
      expect(answer.body.data).toMatchObject({ notes: "new", contacts });
    }
  });
});

describe("DELETE /v1/locations/{id}", () => {
  test("takes the location and its contacts, once, and those of no other", async () => {
    const other = await createLocation(server, { contacts: [{ name: "Bo" }] });
    const { id } = await createLocation(server, { contacts: [{ name: "Anna" }, { name: "Bo" }] });
    const before = await totalOf(server, PATH);
    const answers = await Promise.all([1, 2, 3].map(() => server.delete(`${PATH}/${id}`, { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect(await totalOf(server, PATH)).toBe(before - 1);
    expectRefused(await server.get(`${PATH}/${id}`, { token }), 404, "NotFound");
    expect(rows(server, "SELECT id FROM location_contacts WHERE location_id = ?", id)).toEqual([]);
    expect(await get(other.id)).toEqual(other);
  });

  test("leaves trips and templates without it, and otherwise as they were", async () => {
    const [here, there] = [await createLocation(server), await createLocation(server)];
    const ends = [
      { origin_id: here.id, destination_id: there.id },
      { origin_id: there.id, destination_id: here.id },
      { origin_id: here.id, destination_id: here.id },
    ];
    const paths = new Map<string, object>();
    for (const fields of ends) {
      const [trip, template] = [await createTrip(server, fields), await createTemplate(server, fields)];
      paths.set(`/v1/trips/${trip.id}`, trip).set(`/v1/trip-templates/${template.id}`, template);
    }
    expect((await server.delete(`${PATH}/${here.id}`, { token })).status).toBe(204);
    const without = (id: unknown) => (id === here.id ? null : id);
    for (const [path, record] of paths) {
      const { origin_id, destination_id, ...rest } = record as Record<string, unknown>;
      expect(await read(server, path)).toEqual({
        ...rest,
        origin_id: without(origin_id),
        destination_id: without(destination_id),
      });
    }
  });
});

describe("POST /v1/locations/{id}/contacts", () => {
  test("adds a contact after the others", async () => {
    const before = await createLocation(server, { contacts: [{ name: "Zoe" }] });
    const { status, headers, body } = await addContact(before.id, { name: "Anna", ...WAYS });
    const { id, created_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body._links).toEqual({ self: `${PATH}/${before.id}/contacts/${id}` });
    expect(rest).toEqual({ location_id: before.id, name: "Anna", ...WAYS });
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
    expect(await get(before.id)).toEqual({ ...before, contacts: [...before.contacts, body.data] });
  });

  test("needs no more than a name, and ignores what it doesn't know", async () => {
    const { id } = await createLocation(server);
    const sent = { name: "Anna", id: UNKNOWN, location_id: UNKNOWN, created_at: 5, fax: "1" };
    const { data } = expectStatus(await addContact(id, sent), 201).body;
    expect(data).toMatchObject({ ...NO_WAYS, name: "Anna", location_id: id });
    expect(data.id).not.toBe(UNKNOWN);
  });

  test.each(named(CONTACT_BOUNDS))("takes %s up to its bounds", async (_, bounds) => {
    const { id } = await createLocation(server);
    await expectTaken(bounds, (body) => addContact(id, { name: "Anna", ...body }));
  });

  test.each(named(CONTACT_BOUNDS))("refuses %s beyond its bounds, and stores nothing", async (_, bounds) => {
    const { id } = await createLocation(server);
    await expectNotTaken(
      bounds,
      (body) => addContact(id, { name: "Anna", ...body }),
      () => get(id),
    );
  });

  test("refuses a body without a name, and an unknown location", async () => {
    const { id } = await createLocation(server);
    const before = stored();
    expectInvalid(await addContact(id, { phone: "1" }), "/name");
    expectRefused(await addContact(UNKNOWN, { name: "Anna" }), 404, "NotFound");
    expect(stored()).toEqual(before);
  });
});

describe("PATCH /v1/locations/{id}/contacts/{cid}", () => {
  test("changes each field alone, and null clears the optional ones", async () => {
    const { id, contacts } = await createLocation(server, { contacts: [{ name: "Anna" }, { name: "Bo" }] });
    let [before, other] = contacts;
    for (const set of [{ name: "Clara", ...WAYS }, NO_WAYS])
      for (const [field, value] of Object.entries(set)) {
        const { status, body } = await changeContact(id, before.id, { [field]: value });
        expect(status).toBe(200);
        expect(body).toEqual({
          data: { ...before, [field]: value },
          _links: { self: `${PATH}/${id}/contacts/${before.id}` },
        });
        before = body.data;
        expect((await get(id)).contacts).toEqual([before, other]);
      }
  });

  test.each(named(CONTACT_BOUNDS))("refuses %s beyond its bounds, and changes nothing", async (_, bounds) => {
    const { id, contacts } = await createLocation(server, { contacts: [{ name: "Anna", ...WAYS }] });
    await expectNotTaken(
      bounds,
      (body) => changeContact(id, contacts[0].id, { role: "changed", ...body }),
      () => get(id),
    );
  });

  test.each([
    ["no field", {}],
    ["no known field", { location_id: UNKNOWN, id: UNKNOWN, fax: "1" }],
  ])("refuses %s, and changes nothing", async (_, body) => {
    const before = await createLocation(server, { contacts: [{ name: "Anna" }] });
    expectInvalid(await changeContact(before.id, before.contacts[0].id, body), "/");
    expect(await get(before.id)).toEqual(before);
  });
});

describe("a contact", () => {
  test("is deleted once", async () => {
    const { id, contacts } = await createLocation(server, { contacts: [{ name: "Anna" }, { name: "Bo" }] });
    expect((await removeContact(id, contacts[0].id)).status).toBe(204);
    expectRefused(await removeContact(id, contacts[0].id), 404, "NotFound");
    expect((await get(id)).contacts).toEqual([contacts[1]]);
  });

  test("is not found under another location, and stays as it was", async () => {
    const [one, other] = [
      await createLocation(server, { contacts: [{ name: "Anna" }] }),
      await createLocation(server, { contacts: [{ name: "Bo" }] }),
    ];
    const [contact] = one.contacts;
    for (const id of [other.id, UNKNOWN]) {
      expectRefused(await changeContact(id, contact.id, { name: "x" }), 404, "NotFound");
      expectRefused(await removeContact(id, contact.id), 404, "NotFound");
    }
    expectRefused(await changeContact(one.id, UNKNOWN, { name: "x" }), 404, "NotFound");
    expectRefused(await removeContact(one.id, UNKNOWN), 404, "NotFound");
    expect(await Promise.all([get(one.id), get(other.id)])).toEqual([one, other]);
  });
});

test("an unknown identifier gives 404 and a malformed one 400", async () => {
  const contact = `${UNKNOWN}/contacts/${UNKNOWN}`;
  for (const [method, id] of [
    ["GET", UNKNOWN],
    ["PATCH", UNKNOWN],
    ["DELETE", UNKNOWN],
    ["PATCH", contact],
    ["DELETE", contact],
  ] as const) {
    const send = (path: string) =>
      server.request(method, `${PATH}/${path}`, {
        token,
        ...(method === "PATCH" && { body: { name: "x" } }),
      });
    expectRefused(await send(id), 404, "NotFound");
    expectInvalid(await send(id.replace(UNKNOWN, "x")), "/id");
    if (id === contact) expectInvalid(await send(`${UNKNOWN}/contacts/x`), "/cid");
  }
});
