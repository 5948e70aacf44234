import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { audited, auditRows, withoutAudit } from "../../support/events";
import { expectInvalid, expectRefused, expectStatus } from "../../support/expectations";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** System settings (rules O1, H1 and H3). */
const PATH = "/v1/settings";

let server: TestServer;
let token: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  adminId = (await server.get("/v1/users/me", { token })).body.data.id;
});
afterAll(() => server.stop());

const create = (body: object) => server.post(PATH, { token, body });
const replace = (key: string, body: object) => server.put(`${PATH}/${key}`, { token, body });
const remove = (key: string) => server.delete(`${PATH}/${key}`, { token });
const get = async (key: string) => expectStatus(await server.get(`${PATH}/${key}`, { token }), 200).body.data;
const list = async () => expectStatus(await server.get(PATH, { token }), 200).body;
const publicList = async () => expectStatus(await server.get(`${PATH}/public`), 200).body;

let made = 0;
/** A key that no setting has. */
const newKey = () => `setting.${++made}`;

/** Creates a setting and returns the record. */
const setting = async (fields: object = {}) =>
  expectStatus(await create({ key: newKey(), value: 1, ...fields }), 201).body.data;

/** The stored settings and the number of audit events: a refusal changes neither. */
const stored = () => [
  rows(server, "SELECT * FROM system_settings ORDER BY key"),
  rows(server, "SELECT count(*) FROM audit_events"),
];

const keyOf = ({ key }: { key: string }) => key;

/** Any JSON value, written down as JSON. */
const VALUES: [what: string, json: string][] = [
  ["null", "null"],
  ["false", "false"],
  ["true", "true"],
  ["0", "0"],
  ["a negative fraction", "-1.5e-7"],
  ["a large number", "9007199254740991"],
  ["an empty text", '""'],
  ["a text that looks like JSON", '"{\\"a\\":null}"'],
  ["a text of any characters", JSON.stringify("Ä🌊\n\t\u0000\u2028'\"\\%_")],
  ["an empty array", "[]"],
  ["an empty object", "{}"],
  ["an array of everything", '[null,false,0,"",[],{},[[null]]]'],
  ["nested objects", '{"a":{"b":[{"c":null,"":{"d e":"f"}}]},"value":{"key":1}}'],
  ["an object with names that JavaScript knows", '{"__proto__":{"x":1},"constructor":null,"toString":"x"}'],
  ["sixty levels", `${"[".repeat(60)}${"]".repeat(60)}`],
  ["half a megabyte of text", JSON.stringify("x".repeat(500_000))],
  ["ten thousand numbers", JSON.stringify(Array.from({ length: 10_000 }, (_, n) => n))],
];

describe("a value", () => {
  /** The text of a value in an answer's body. */
  const sendText = async (method: string, path: string, raw: string | null) => {
    const answer = await server.request(method, path, {
      token,
      ...(raw !== null && { raw, headers: { "content-type": "application/json" } }),
    });
    return JSON.stringify(expectStatus(answer, method === "POST" ? 201 : 200).body.data.value);
  };

  test.each(VALUES)("may be %s, and comes back as it was sent", async (_, json) => {
    const [key, other] = [newKey(), newKey()];
    expect(await sendText("POST", PATH, `{"key":"${key}","value":${json},"is_public":true}`)).toBe(json);
    expect(await sendText("GET", `${PATH}/${key}`, null)).toBe(json);
    await create({ key: other, value: "other" });
    expect(await sendText("PUT", `${PATH}/${other}`, `{"value":${json}}`)).toBe(json);
    expect(await sendText("GET", `${PATH}/${other}`, null)).toBe(json);
    const listed = (await list()).data.filter((row: { key: string }) => [key, other].includes(row.key));
    expect(listed.map((row: { value: unknown }) => JSON.stringify(row.value))).toEqual([json, json]);
    const seen = (await publicList()).data.find((row: { key: string }) => row.key === key);
    expect(JSON.stringify(seen.value)).toBe(json);
    for (const each of [key, other]) await remove(each);
  });

  test("is refused when it holds a number too large to be kept, at any depth", async () => {
    const { key } = await setting();
    const before = stored();
    const headers = { "content-type": "application/json" };
    for (const value of ["1e400", "-1e400", "[1,[2,1e400]]", '{"a":{"b":1e400}}']) {
      const raw = `{"key":"${newKey()}","value":${value}}`;
      expectInvalid(await server.post(PATH, { token, raw, headers }), "/value");
      expectInvalid(await server.put(`${PATH}/${key}`, { token, raw, headers }), "/value");
    }
    expect(stored()).toEqual(before);
  });

  test("is required", async () => {
    const { key } = await setting();
    const before = stored();
    expectInvalid(await create({ key: newKey() }), "/value");
    expectInvalid(await replace(key, {}), "/value");
    expectInvalid(await replace(key, { description: "new", is_public: true }), "/value");
    expect(stored()).toEqual(before);
  });
});

describe("GET /v1/settings", () => {
  test("lists all, newest first, whatever was replaced since, and the public ones to anybody", async () => {
    const records: Awaited<ReturnType<typeof setting>>[] = [];
    for (const is_public of [true, false, true, false, true])
      records.push(await setting({ is_public, description: "x" }));
    await replace(records[0].key, { value: "replaced" });
    const expected = records.toReversed().map(keyOf);
    const all = await list();
    expect(all._links).toEqual({ self: PATH });
    expect(all.data.slice(0, 5).map(keyOf)).toEqual(expected);
    expect(all.data[0]).toEqual(records[4]);
    const visible = await publicList();
    expect(visible._links).toEqual({ self: `${PATH}/public` });
    expect(visible.data.slice(0, 3).map(keyOf)).toEqual([4, 2, 0].map((at) => records[at].key));
    expect(visible.data.map(keyOf)).not.toContain(records[1].key);
  });

  test("lists those of one millisecond in the order of their making, the newest first", async () => {
    const keys = Array.from({ length: 5 }, newKey);
    // Created later than all others.
    onDatabase(server, (database) => {
      for (const key of keys)
        database.run(
          "INSERT INTO system_settings (key, value, is_public, created_at, updated_at) VALUES (?, '1', 1, 4e12, 4e12)",
          [key],
        );
    });
    const expected = keys.toReversed();
    expect((await list()).data.slice(0, 5).map(keyOf)).toEqual(expected);
    expect((await publicList()).data.slice(0, 5).map(keyOf)).toEqual(expected);
    for (const key of keys) await remove(key);
  });

  test("shows of the public ones no more than key, value and description", async () => {
    const { key } = await setting({ is_public: true, value: [1], description: null });
    const find = (row: { key: string }) => row.key === key;
    expect((await publicList()).data.find(find)).toEqual({ key, value: [1], description: null });
    const answer = await server.get(`${PATH}/public`, { token });
    expect(answer.body.data.find(find)).toEqual({ key, value: [1], description: null });
  });

  test("shows a setting to anybody while it is public, and no longer", async () => {
    const { key } = await setting();
    const isShown = async () => (await publicList()).data.map(keyOf).includes(key);
    expect(await isShown()).toBe(false);
    await replace(key, { value: 2, is_public: true });
    expect(await isShown()).toBe(true);
    await replace(key, { value: 3 });
    expect(await isShown()).toBe(true);
    await replace(key, { value: 3, is_public: false });
    expect(await isShown()).toBe(false);
    await replace(key, { value: 3, is_public: true });
    await remove(key);
    expect(await isShown()).toBe(false);
  });
});

describe("POST /v1/settings", () => {
  test("creates a setting with every field", async () => {
    const sent = { key: newKey(), value: { from: "08:00" }, description: "Office hours", is_public: true };
    const { status, body } = await create(sent);
    const { created_at, updated_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(body._links).toEqual({ self: `${PATH}/${sent.key}` });
    expect(rest).toEqual(sent);
    expect(updated_at).toBe(created_at);
    expect(Math.abs(Date.now() - Date.parse(created_at))).toBeLessThan(60_000);
    expect((await server.get(body._links.self, { token })).body).toEqual(body);
  });

  test("needs no more than key and value: it is not public then, and ignores what it doesn't know", async () => {
    const key = newKey();
    const unknown = { id: 5, created_at: "x", updated_at: null, owner: "me" };
    const { data } = expectStatus(await create({ key, value: 1, ...unknown }), 201).body;
    expect(data).toMatchObject({ key, value: 1, description: null, is_public: false });
    expect(Object.keys(data).length).toBe(6);
    const nulls = { key: newKey(), value: 1, description: null, is_public: null };
    expect(expectStatus(await create(nulls), 201).body.data.is_public).toBe(false);
  });

  test.each(["a", "0", "_", "-x", "...", "A.b_c-9", "x".repeat(128), "constructor", "PUBLIC", "public.x"])(
    "takes the key %s",
    async (key) => {
      expectStatus(await create({ key, value: key }), 201);
      expect((await get(key)).value).toBe(key);
      expect((await remove(key)).status).toBe(204);
    },
  );

  test("tells keys of different case apart", async () => {
    const key = newKey();
    await create({ key, value: "lower" });
    expectStatus(await create({ key: key.toUpperCase(), value: "upper" }), 201);
    expect((await get(key)).value).toBe("lower");
  });

  test("refuses keys of another form, and stores nothing", async () => {
    const before = stored();
    for (const key of ["", "x".repeat(129), "a b", "a/b", "a:b", "ä", "a\n", "a\u0000", "🌊", null, 5, ["a"]])
      expectInvalid(await create({ key, value: 1 }), "/key");
    expectInvalid(await create({ value: 1 }), "/key");
    expect(stored()).toEqual(before);
  });

  test("refuses the key whose address lists the public settings", async () => {
    const before = stored();
    expectInvalid(await create({ key: "public", value: 1 }), "/key");
    expectRefused(await replace("public", { value: 1 }), 404, "NotFound");
    expectRefused(await remove("public"), 404, "NotFound");
    expect(stored()).toEqual(before);
  });

  test.each<[string, unknown[]]>([
    ["description", ["x".repeat(10_001), 5, {}]],
    ["is_public", ["true", 1, []]],
  ])("refuses a wrong %s, and stores nothing; so does PUT", async (field, values) => {
    const { key } = await setting();
    const before = stored();
    for (const value of values) {
      expectInvalid(await create({ key: newKey(), value: 1, [field]: value }), `/${field}`);
      expectInvalid(await replace(key, { value: 2, [field]: value }), `/${field}`);
    }
    expect(stored()).toEqual(before);
  });

  test("takes a description of 10,000 characters", async () => {
    const description = "🌊".repeat(10_000);
    expect((await setting({ description })).description).toBe(description);
  });

  test("refuses a key that there is, also when many come at once", async () => {
    const key = newKey();
    const answers = await Promise.all([1, 2, 3, 4].map((value) => create({ key, value })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const before = stored();
    expectRefused(await create({ key, value: "other", is_public: true }), 409, "Conflict");
    expect(stored()).toEqual(before);
  });
});

describe("PUT /v1/settings/{key}", () => {
  test("replaces the value, and of the others only what is sent", async () => {
    let before = await setting({ value: { a: 1, b: 2 }, description: "first", is_public: true });
    const steps = [
      [{ value: { c: 3 } }, { value: { c: 3 } }],
      [
        { value: 1, description: "second" },
        { value: 1, description: "second" },
      ],
      [
        { value: 2, is_public: false },
        { value: 2, is_public: false },
      ],
      [
        { value: 3, description: null },
        { value: 3, description: null },
      ],
      [
        { value: 4, is_public: null, key: "other", created_at: "x", owner: 5 },
        { value: 4, is_public: false },
      ],
    ] as const;
    for (const [sent, changed] of steps) {
      const { status, body } = await replace(before.key, sent);
      expect(status).toBe(200);
      expect(body).toEqual({
        data: { ...before, ...changed, updated_at: expect.any(String) },
        _links: { self: `${PATH}/${before.key}` },
      });
      expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
      before = body.data;
      expect(await get(before.key)).toEqual(before);
    }
  });

  test("creates nothing", async () => {
    const before = stored();
    expectRefused(await replace(newKey(), { value: 1 }), 404, "NotFound");
    expect(stored()).toEqual(before);
  });
});

describe("DELETE /v1/settings/{key}", () => {
  test("takes the setting, once; the key is free again", async () => {
    const { key } = await setting({ is_public: true, description: "old" });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await remove(key)).status));
    expect(statuses.sort()).toEqual([204, 404, 404]);
    expectRefused(await server.get(`${PATH}/${key}`, { token }), 404, "NotFound");
    expect(expectStatus(await create({ key, value: 2 }), 201).body.data).toMatchObject({
      ...{ value: 2, description: null, is_public: false },
    });
  });
});

test("a key of another form in the path gives 400, and one that nothing has 404", async () => {
  const before = stored();
  for (const [key, status] of [
    ["a%20b", 400],
    ["%C3%A4", 400],
    ["a%2Fb", 400],
    ["x".repeat(129), 400],
    ["nothing", 404],
    ["__proto__", 404],
  ] as const)
    for (const answer of [
      await server.get(`${PATH}/${key}`, { token }),
      await replace(key, { value: 1 }),
      await remove(key),
    ])
      if (status === 400) expectInvalid(answer, "/key");
      else expectRefused(answer, 404, "NotFound");
  expect(stored()).toEqual(before);
});

describe("the audit log", () => {
  test("holds who changed which setting and how, without the values", async () => {
    const key = newKey();
    const events = await audited(server, async () => {
      await create({ key, value: { token: "classified-1" }, description: "classified-2" });
      await replace(key, { value: "classified-3" });
      await remove(key);
    });
    expect(
      events.map(({ metadata, ...rest }) => ({ ...rest, metadata: JSON.parse(metadata ?? "null") })),
    ).toEqual(
      ["created", "replaced", "deleted"].map((change) =>
        expect.objectContaining({
          event_type: "setting_updated",
          user_id: adminId,
          resource_type: "setting",
          resource_id: key,
          status: "success",
          ip_address: "127.0.0.1",
          metadata: { change },
        }),
      ),
    );
    expect(JSON.stringify(auditRows(server))).not.toContain("classified");
  });

  test("holds an event of nobody for a system key", async () => {
    const key = newKey();
    const [event] = await audited(server, () =>
      server.post(PATH, { token: server.systemKey, body: { key, value: 1 } }),
    );
    expect(event).toMatchObject({ event_type: "setting_updated", user_id: null, resource_id: key });
  });

  test("takes no part in a change that can't be audited: it does not happen", async () => {
    const { key } = await setting({ is_public: true });
    const before = stored();
    await withoutAudit(server, "setting_updated", async () => {
      for (const answer of [
        await create({ key: newKey(), value: 1 }),
        await replace(key, { value: 2 }),
        await remove(key),
      ])
        expectRefused(answer, 500, "InternalServerError");
    });
    expect(stored()).toEqual(before);
  });
});
