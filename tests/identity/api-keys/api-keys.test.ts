import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { UNKNOWN } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";

/** API keys (rules C1, C4, C5, R2 and R4). Expiry and other effects of time: lifetime.test.ts. */
const PATH = "/v1/api-keys";

let server: TestServer;
let superAdmin: Token;
/** Two users with all permissions who aren't super admins. */
let anna: User;
let bert: User;
beforeAll(async () => {
  server = await TestServer.start();
  superAdmin = await server.admin();
  [anna, bert] = await Promise.all([newUser(server, "role_admin"), newUser(server, "role_admin")]);
});
afterAll(() => server.stop());

const post = (token: Token, body: object) => server.post(PATH, { token, body });
const patch = (token: Token, id: string, body: object) => server.patch(`${PATH}/${id}`, { token, body });
const read = async (id: string) => (await server.get(`${PATH}/${id}`, { token: superAdmin })).body.data;
const list = async (token: Token) => (await server.get(PATH, { token })).body.data;
const idsOf = async (token: Token) => (await list(token)).map((key: { id: string }) => key.id);
const rolesOf = async (id: string) =>
  (await server.get(`${PATH}/${id}/roles`, { token: superAdmin })).body.data.map(
    (role: { id: string }) => role.id,
  );
const assign = (token: Token, id: string, role_id: string) =>
  server.post(`${PATH}/${id}/roles`, { token, body: { role_id } });
const paths = (body: { details: { path: string }[] }) => body.details.map(({ path }) => path);

describe("POST /v1/api-keys", () => {
  test("creates a key of the caller's and shows it only once", async () => {
    const sent = {
      name: "Tracker",
      description: "Posts positions",
      scopes: ["gps:write", "gps:read"],
      expires_at: "2099-05-04T11:30:00+02:00",
    };
    const { status, body } = await post(anna.token, sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      key: expect.stringMatching(/^flk_[A-Za-z0-9_-]{43}$/),
      name: "Tracker",
      scopes: sent.scopes,
      expires_at: "2099-05-04T09:30:00.000Z",
    });
    const shown = (await server.get(`${PATH}/${body.id}`, { token: anna.token })).body;
    expect(shown._links).toEqual({ self: `${PATH}/${body.id}` });
    expect(shown.data).toMatchObject({
      id: body.id,
      key_prefix: body.key.slice(0, 12),
      name: "Tracker",
      description: "Posts positions",
      scopes: sent.scopes,
      is_active: true,
      is_system: false,
      expires_at: body.expires_at,
      last_used_at: null,
    });
    expect(shown.data.updated_at).toBe(shown.data.created_at);
    expect(JSON.stringify([shown, await list(anna.token)])).not.toContain(body.key);
  });

  test("needs no more than a name: the key then may do nothing", async () => {
    const { body } = await post(anna.token, { name: "x" });
    expect(await read(body.id)).toMatchObject({ description: null, scopes: [], expires_at: null });
    const { status } = await server.get("/v1/gps", { token: body.key });
    expect(status).toBe(403);
  });

  test("ignores what isn't the caller's to choose", async () => {
    const { body } = await post(anna.token, {
      name: "x",
      is_system: true,
      key: "flk_mine",
      owner_id: bert.id,
    });
    expect(body.key).not.toBe("flk_mine");
    expect(await read(body.id)).toMatchObject({ is_system: false });
    expect((await server.get(`${PATH}/${body.id}`, { token: anna.token })).status).toBe(200);
  });

  test.each([
    ["/name", { name: undefined }],
    ["/name", { name: "" }],
    ["/name", { name: "n".repeat(201) }],
    ["/description", { description: "d".repeat(10_001) }],
    ["/scopes", { scopes: "gps:read" }],
    ["/expires_at", { expires_at: "tomorrow" }],
    ["/expires_at", { expires_at: 4_000_000_000 }],
    ["/expires_at", { expires_at: "2099-02-30T00:00:00Z" }],
    ["/expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
  ])("refuses a wrong %s and creates nothing (%#)", async (path, wrong) => {
    const before = await idsOf(anna.token);
    const { status, body } = await post(anna.token, { name: "x", ...wrong });
    expect([status, body.error, paths(body)]).toEqual([400, "ValidationError", [path]]);
    expect(await idsOf(anna.token)).toEqual(before);
  });

  test.each([
    ...[
      "gps",
      "gps:",
      ":read",
      "*",
      "*:read",
      "gps:read:all",
      "gps:read ",
      "Gps:read",
      "gps:re ad",
      "gps.*",
      "",
    ],
  ])("refuses the malformed scope %p and creates nothing", async (scope) => {
    const before = await idsOf(superAdmin);
    const { status, body } = await post(superAdmin, { name: "x", scopes: ["gps:read", scope] });
    expect([status, body.error]).toEqual([400, "ValidationError"]);
    expect(paths(body)).toEqual([expect.stringMatching(/^\/scopes/)]);
    expect(await idsOf(superAdmin)).toEqual(before);
  });
});

describe("scopes", () => {
  const tooMuch = ["gps:write", "gps:*", "trips:*", "*:*", "devices:read", "billing:read"];

  /** A key of Anna's with few permissions, although Anna has all. */
  const narrow = () => createKey(server, anna.token, ["api_keys:*", "gps:read", "geofences:*"]);

  test("may be any part of what the calling key holds, by its wildcards too", async () => {
    const { key } = await narrow();
    const scopes = ["gps:read", "geofences:write", "geofences:*", "api_keys:read"];
    const { status, body } = await post(key, { name: "x", scopes });
    expect([status, body.scopes]).toEqual([201, scopes]);
  });

  test.each(tooMuch)("can't be %s for a key that lacks it, at creation", async (scope) => {
    const { key } = await narrow();
    const before = await idsOf(anna.token);
    const { status, body } = await post(key, { name: "x", scopes: ["gps:read", scope] });
    expect([status, body.error]).toEqual([403, "Forbidden"]);
    expect(await idsOf(anna.token)).toEqual(before);
  });

  test.each(tooMuch)("can't become %s by a key that lacks it", async (scope) => {
    const { id, key } = await narrow();
    const before = await read(id);
    const { status } = await patch(key, id, { name: "other", scopes: [scope] });
    expect(status).toBe(403);
    const { name, scopes, updated_at } = before;
    expect(await read(id)).toMatchObject({ name, scopes, updated_at });
    expect((await server.get("/v1/trips", { token: key })).status).toBe(403);
  });

  test("of a super admin's narrow key are as narrow for what it makes", async () => {
    const key = await server.key("api_keys:write", "gps:read");
    expect((await post(key, { name: "x", scopes: ["gps:write"] })).status).toBe(403);
    expect((await post(key, { name: "x", scopes: ["gps:read"] })).status).toBe(201);
  });

  test("may be anything for a super admin, permissions of one's own included", async () => {
    const scopes = ["*:*", "billing:read", "community:guild.sync", "gps:*"];
    expect((await post(superAdmin, { name: "x", scopes })).body.scopes).toEqual(scopes);
  });

  test("may be anything that the role holds for a user with *:*", async () => {
    expect((await post(anna.token, { name: "x", scopes: ["*:*"] })).status).toBe(201);
  });

  test("with a wildcard grant what they cover, and no more", async () => {
    const { key } = await createKey(server, anna.token, ["gps:*"]);
    expect((await server.get("/v1/gps", { token: key })).status).toBe(200);
    expect((await server.delete(`/v1/gps/${UNKNOWN}`, { token: key })).status).toBe(404);
    expect((await server.get("/v1/trips", { token: key })).status).toBe(403);
    const { key: all } = await createKey(server, anna.token, ["*:*"]);
    expect((await server.get("/v1/trips", { token: all })).status).toBe(200);
  });

  test("take effect with the next request when they are changed", async () => {
    const { id, key } = await createKey(server, anna.token, ["gps:read"]);
    const status = async (path: string) => (await server.get(path, { token: key })).status;
    expect([await status("/v1/gps"), await status("/v1/trips")]).toEqual([200, 403]);
    await patch(anna.token, id, { scopes: ["trips:read"] });
    expect([await status("/v1/gps"), await status("/v1/trips")]).toEqual([403, 200]);
  });

  test("reach only as far as the owner's own permissions", async () => {
    const plain = await newUser(server);
    for (const scope of ["gps:read", "gps:*", "*:*"]) {
      const { key } = await commandLineKey(server, { owner: plain.username, scopes: [scope] });
      expect(await isAccepted(server, key)).toBe(true);
      expect((await server.get("/v1/gps", { token: key })).status).toBe(403);
    }
  });
});

describe("GET /v1/api-keys", () => {
  test("lists the caller's own keys, the newest first", async () => {
    const user = await newUser(server, "role_admin");
    expect((await server.get(PATH, { token: user.token })).body).toEqual({
      data: [],
      _links: { self: PATH },
    });
    const made = [];
    for (const name of ["first", "second", "third"]) made.push((await post(user.token, { name })).body.id);
    expect(await idsOf(user.token)).toEqual(made.reverse());
    expect((await list(user.token))[0]).toEqual(await read(made[0]));
    const { key } = await createKey(server, user.token, ["api_keys:read"]);
    expect(await list(key)).toHaveLength(4);
  });

  test("lists all keys for a super admin", async () => {
    const [ofAnna, ofBert] = [
      await createKey(server, anna.token, []),
      await createKey(server, bert.token, []),
    ];
    expect(await idsOf(superAdmin)).toContain(ofAnna.id);
    expect(await idsOf(superAdmin)).toContain(ofBert.id);
    expect(await idsOf(anna.token)).not.toContain(ofBert.id);
    expect(await idsOf(await server.key("*:*"))).toContain(ofBert.id);
    expect(await idsOf(await server.key("api_keys:*"))).not.toContain(ofBert.id);
  });

  test("is empty for a system key without an owner", async () => {
    expect(await list(server.systemKey)).toEqual([]);
  });
});

describe("PATCH /v1/api-keys/{id}", () => {
  test("changes the fields that are sent and keeps the others", async () => {
    const { id } = await createKey(server, anna.token, ["gps:read"]);
    const before = await read(id);
    const change = { name: "other", description: "d", expires_at: "2099-01-01T00:00:00.000Z" };
    const { status, body } = await patch(anna.token, id, change);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { ...before, ...change, updated_at: body.data.updated_at },
      _links: { self: `${PATH}/${id}` },
    });
    expect(await read(id)).toEqual(body.data);
  });

  test("clears description and expires_at with null", async () => {
    const { body } = await post(anna.token, {
      name: "x",
      description: "d",
      expires_at: "2099-01-01T00:00:00Z",
    });
    const cleared = { description: null, expires_at: null };
    expect((await patch(anna.token, body.id, cleared)).body.data).toMatchObject(cleared);
  });

  test("leaves the key as it is without a known field", async () => {
    const { id } = await createKey(server, anna.token, []);
    const before = await read(id);
    const { status, body } = await patch(anna.token, id, { is_system: true, key_prefix: "flk_00000000" });
    expect([status, body.data]).toEqual([200, before]);
  });

  test.each([
    ["/name", { name: null }],
    ["/name", { name: "" }],
    ["/is_active", { is_active: null }],
    ["/is_active", { is_active: "false" }],
    ["/scopes/0", { scopes: ["gps"] }],
    ["/expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
  ])("refuses a wrong %s and changes nothing (%#)", async (path, wrong) => {
    const { id } = await createKey(server, anna.token, ["gps:read"]);
    const before = await read(id);
    const { status, body } = await patch(anna.token, id, { description: "other", ...wrong });
    expect([status, paths(body)]).toEqual([400, [path]]);
    expect(await read(id)).toEqual(before);
  });

  test("switches a key off and on at once", async () => {
    const { id, key } = await createKey(server, anna.token, ["gps:read"]);
    expect(await isAccepted(server, key)).toBe(true);
    expect((await patch(anna.token, id, { is_active: false })).body.data.is_active).toBe(false);
    expect(await isAccepted(server, key)).toBe(false);
    await patch(anna.token, id, { is_active: true });
    expect(await isAccepted(server, key)).toBe(true);
  });
});

describe("POST /v1/api-keys/{id}/regenerate", () => {
  test("gives the key a new value, and the old one is invalid at once", async () => {
    const { id, key } = await createKey(server, anna.token, ["gps:read"]);
    expect(await isAccepted(server, key)).toBe(true);
    const { status, body } = await server.post(`${PATH}/${id}/regenerate`, { token: anna.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      key: expect.stringMatching(/^flk_[A-Za-z0-9_-]{43}$/),
      key_prefix: body.key.slice(0, 12),
      name: "test",
      scopes: ["gps:read"],
      is_active: true,
      expires_at: null,
    });
    expect(body.key).not.toBe(key);
    expect([await isAccepted(server, key), await isAccepted(server, body.key)]).toEqual([false, true]);
    expect((await read(id)).key_prefix).toBe(body.key_prefix);
  });

  test("doesn't switch a key on", async () => {
    const { id } = await createKey(server, anna.token, []);
    await patch(anna.token, id, { is_active: false });
    const { body } = await server.post(`${PATH}/${id}/regenerate`, { token: anna.token });
    expect(body.is_active).toBe(false);
    expect(await isAccepted(server, body.key)).toBe(false);
  });

  test("hands no key to a caller who may do less than the key", async () => {
    const { id, key } = await createKey(server, anna.token, ["api_keys:write", "trips:*"]);
    const { key: narrow } = await createKey(server, anna.token, ["api_keys:write"]);
    const { status, body } = await server.post(`${PATH}/${id}/regenerate`, { token: narrow });
    expect([status, body.error]).toEqual([403, "Forbidden"]);
    expect(await isAccepted(server, key)).toBe(true);
    expect((await server.post(`${PATH}/${id}/regenerate`, { token: key })).status).toBe(200);
  });
});

describe("DELETE /v1/api-keys/{id}", () => {
  test("removes the key, and it is refused at once", async () => {
    const { id, key } = await createKey(server, anna.token, ["gps:read"]);
    expect(await isAccepted(server, key)).toBe(true);
    const { status, body } = await server.delete(`${PATH}/${id}`, { token: anna.token });
    expect([status, body]).toEqual([204, null]);
    expect(await isAccepted(server, key)).toBe(false);
    expect((await server.get(`${PATH}/${id}`, { token: anna.token })).status).toBe(404);
    expect((await server.delete(`${PATH}/${id}`, { token: anna.token })).status).toBe(404);
  });
});

describe("the roles of a key", () => {
  test("add their permissions, at once, and take them with them", async () => {
    const { id, key } = await createKey(server, anna.token, []);
    const status = async () => (await server.get("/v1/gps", { token: key })).status;
    expect([await status(), await rolesOf(id)]).toEqual([403, []]);

    const assigned = await assign(anna.token, id, "role_admin");
    expect([assigned.status, assigned.body]).toEqual([200, { success: true, message: "Role assigned" }]);
    expect([await status(), await rolesOf(id)]).toEqual([200, ["role_admin"]]);
    const { body } = await server.get(`${PATH}/${id}/roles`, { token: anna.token });
    expect(body._links).toEqual({ self: `${PATH}/${id}/roles` });
    expect(body.data[0]).toMatchObject({ name: "Admin", is_system: true, requires_two_factor: false });

    const removed = await server.delete(`${PATH}/${id}/roles/role_admin`, { token: anna.token });
    expect([removed.status, removed.body]).toEqual([200, { success: true, message: "Role removed" }]);
    expect([await status(), await rolesOf(id)]).toEqual([403, []]);
  });

  test("don't reach beyond the owner", async () => {
    const plain = await newUser(server);
    const { id, key } = await commandLineKey(server, { owner: plain.username });
    expect((await assign(superAdmin, id, "role_admin")).status).toBe(200);
    expect((await server.get("/v1/gps", { token: key })).status).toBe(403);
  });

  test("may be assigned twice, and are then held once", async () => {
    const { id } = await createKey(server, anna.token, []);
    for (const _ of [1, 2]) expect((await assign(anna.token, id, "role_user")).status).toBe(200);
    expect(await rolesOf(id)).toEqual(["role_user"]);
  });

  test.each(["role_moderator", "role_system", "role_super_admin"])(
    "can't be %s for a caller who doesn't hold it, whatever else the caller may do",
    async (role) => {
      const { id } = await createKey(server, anna.token, []);
      const { status, body } = await assign(anna.token, id, role);
      expect([status, body.error]).toEqual([403, "Forbidden"]);
      expect(await rolesOf(id)).toEqual([]);
    },
  );

  test("can't grant what the calling key itself lacks", async () => {
    const { id } = await createKey(server, anna.token, []);
    const { key: narrow } = await createKey(server, anna.token, ["api_keys:write"]);
    for (const role of ["role_admin", "role_user"]) expect((await assign(narrow, id, role)).status).toBe(403);
    expect(await rolesOf(id)).toEqual([]);
    const { key: enough } = await createKey(server, anna.token, ["api_keys:write", "two_factor:*"]);
    expect((await assign(enough, id, "role_user")).status).toBe(200);
  });

  test("may be any for a super admin", async () => {
    const { id } = await createKey(server, superAdmin, []);
    for (const role of ["role_moderator", "role_super_admin"])
      expect((await assign(superAdmin, id, role)).status).toBe(200);
    expect((await rolesOf(id)).sort()).toEqual(["role_moderator", "role_super_admin"]);
  });

  test("give 400 for a role that is none and 404 for one that the key lacks", async () => {
    const { id } = await createKey(server, anna.token, []);
    const none = await assign(superAdmin, id, "role_none");
    expect([none.status, paths(none.body)]).toEqual([400, ["/role_id"]]);
    const missing = await server.post(`${PATH}/${id}/roles`, { token: anna.token, body: {} });
    expect([missing.status, paths(missing.body)]).toEqual([400, ["/role_id"]]);
    expect((await server.delete(`${PATH}/${id}/roles/role_user`, { token: anna.token })).status).toBe(404);
  });
});

/** Every operation on one key: a method, the rest of its path, and a body that it accepts. */
const OPERATIONS: [method: string, rest: string, body?: object][] = [
  ["GET", ""],
  ["PATCH", "", { name: "mine now", is_active: false }],
  ["POST", "/regenerate"],
  ["DELETE", ""],
  ["GET", "/roles"],
  ["POST", "/roles", { role_id: "role_user" }],
  ["DELETE", "/roles/role_admin"],
];

describe.each(OPERATIONS)("%s /v1/api-keys/{id}%s", (method, rest, body) => {
  const ask = (token: Token, id: string) =>
    server.request(method, `${PATH}/${id}${rest}`, { token, ...(body && { body }) });

  test("finds no key of someone else, and changes nothing", async () => {
    const { id, key } = await createKey(server, anna.token, []);
    await assign(anna.token, id, "role_admin");
    const before = [await read(id), await rolesOf(id)];
    for (const stranger of [bert.token, server.systemKey, await server.key("api_keys:*")]) {
      const answer = await ask(stranger, id);
      expect([answer.status, answer.body.error]).toEqual([404, "NotFound"]);
    }
    expect([await read(id), await rolesOf(id)]).toEqual(before);
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("works for a super admin on anyone's key", async () => {
    const { id } = await createKey(server, anna.token, []);
    await assign(anna.token, id, "role_admin");
    expect((await ask(superAdmin, id)).status).toBe(method === "DELETE" && rest === "" ? 204 : 200);
  });

  test("gives 404 for an unknown and 400 for a malformed identifier", async () => {
    expect((await ask(superAdmin, UNKNOWN)).status).toBe(404);
    const malformed = await ask(superAdmin, "42");
    expect([malformed.status, paths(malformed.body)]).toEqual([400, ["/id"]]);
  });
});

describe("a system key", () => {
  test("holds *:* and says that it is one", async () => {
    const { id, key } = await commandLineKey(server, { system: true });
    expect(await read(id)).toMatchObject({ is_system: true, scopes: ["*:*"] });
    for (const path of ["/v1/gps", "/v1/trips", PATH])
      expect((await server.get(path, { token: key })).status).toBe(200);
  });

  test("can't be deleted, by its owner or a super admin", async () => {
    const { id, key } = await commandLineKey(server, { system: true, owner: anna.username });
    for (const token of [anna.token, superAdmin]) {
      const { status, body } = await server.delete(`${PATH}/${id}`, { token });
      expect([status, body.error]).toEqual([403, "Forbidden"]);
    }
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("is regenerated by a super admin alone", async () => {
    const { id, key } = await commandLineKey(server, { system: true, owner: anna.username });
    for (const token of [anna.token, key])
      expect((await server.post(`${PATH}/${id}/regenerate`, { token })).status).toBe(403);
    expect(await isAccepted(server, key)).toBe(true);
    const { status, body } = await server.post(`${PATH}/${id}/regenerate`, { token: superAdmin });
    expect(status).toBe(200);
    expect([await isAccepted(server, key), await isAccepted(server, body.key)]).toEqual([false, true]);
  });

  test("without an owner can't own another key", async () => {
    const before = await idsOf(superAdmin);
    const { status, body } = await post(server.systemKey, { name: "x" });
    expect([status, body.error]).toEqual([400, "BadRequest"]);
    expect(await idsOf(superAdmin)).toEqual(before);
  });

  test("with an owner makes keys of that owner, which are no system keys", async () => {
    const { key } = await commandLineKey(server, { system: true, owner: anna.username });
    const { status, body } = await post(key, { name: "x", scopes: ["*:*"] });
    expect(status).toBe(201);
    expect((await server.get(`${PATH}/${body.id}`, { token: anna.token })).body.data.is_system).toBe(false);
  });
});

describe("the audit log", () => {
  const HEADERS = { "user-agent": "tests/1 (key)" };

  test("has an event for each change of a key, with who, from where and with what", async () => {
    const options = { token: anna.token, headers: HEADERS };
    const { id, key } = (await server.post(PATH, { ...options, body: { name: "x", scopes: ["gps:read"] } }))
      .body;
    await server.patch(`${PATH}/${id}`, { ...options, body: { name: "y" } });
    await server.post(`${PATH}/${id}/roles`, { ...options, body: { role_id: "role_user" } });
    await server.delete(`${PATH}/${id}/roles/role_user`, options);
    const { body: renewed } = await server.post(`${PATH}/${id}/regenerate`, options);
    await server.delete(`${PATH}/${id}`, { token: superAdmin, headers: HEADERS });

    const rows = auditRows(server, id);
    expect(rows.map((row) => row.event_type)).toEqual([
      "api_key_created",
      "api_key_updated",
      "api_key_updated",
      "api_key_updated",
      "api_key_revoked",
      "api_key_created",
      "api_key_revoked",
    ]);
    const admin = (await server.login("admin", "correct horse battery")).user_id;
    expect(rows.map((row) => row.actor_id)).toEqual([...Array(6).fill(null), admin]);
    for (const row of rows) {
      expect(row).toMatchObject({
        user_id: anna.id,
        resource_type: "api_key",
        ip_address: "127.0.0.1",
        user_agent: "tests/1 (key)",
        status: "success",
      });
      for (const secret of [key, renewed.key]) expect(JSON.stringify(row)).not.toContain(secret.slice(12));
    }
  });

  test("has none for what was refused", async () => {
    const { id } = await createKey(server, anna.token, []);
    const before = auditRows(server).length;
    await patch(bert.token, id, { name: "mine" });
    await patch(anna.token, id, { name: "y", scopes: ["gps"] });
    await assign(anna.token, id, "role_super_admin");
    expect(auditRows(server).length).toBe(before);
  });
});
