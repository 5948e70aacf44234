import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RequestOptions, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { audited, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { assign, grant, newRole, permissionId, revoke } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { expectNoChange, expectRefusal } from "./support";

/** Roles and their permissions (rules H3, H8, H12, R1, R2 and R4). */
const PATH = "/v1/roles";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

let server: TestServer;
let admin: Token;
/** Holds `*:*`, but isn't a super admin. */
let manager: { id: string; token: Token };
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  manager = await newUser(server, "role_admin");
});
afterAll(() => server.stop());

const post = (body: unknown, token = admin) => server.post(PATH, { token, body });
const patch = (id: string, body: unknown, token = admin) => server.patch(`${PATH}/${id}`, { token, body });
const remove = (id: string, token = admin) => server.delete(`${PATH}/${id}`, { token });
const read = async (id: string) => done(await server.get(`${PATH}/${id}`, { token: admin })).data;
const grantsOf = async (id: string): Promise<string[]> =>
  done(await server.get(`${PATH}/${id}/permissions`, { token: admin })).data.map(
    ({ resource, action }: { resource: string; action: string }) => `${resource}:${action}`,
  );
/** `expectPermission` with a request that takes its token among the options. */
const needs = (permission: string, status: number, request: (options: RequestOptions) => unknown) =>
  expectPermission(
    server,
    permission,
    status,
    (token) => request(token ? { token } : {}) as ReturnType<typeof server.get>,
  );

describe("the roles that come with Fairlead", () => {
  const DEFAULTS: [id: string, name: string, grants: string[]][] = [
    ["role_super_admin", "Super Admin", ["*:*"]],
    ["role_admin", "Admin", ["*:*"]],
    ["role_user", "User", ["two_factor:read", "two_factor:write"]],
    ["role_moderator", "Moderator", ["two_factor:read", "two_factor:write"]],
    ["role_developer", "Developer", ["two_factor:read", "two_factor:write"]],
    ["role_api_read_only", "API Read Only", ["two_factor:read"]],
    ["role_system", "System", ["*:*"]],
  ];

  test.each(DEFAULTS)("hold %s, %s, with its permissions", async (id, name, grants) => {
    expect(await read(id)).toEqual({
      id,
      name,
      description: expect.any(String),
      is_system: true,
      requires_two_factor: false,
      created_at: TIME,
      updated_at: TIME,
    });
    expect(await grantsOf(id)).toEqual(grants);
  });

  test.each(DEFAULTS.map(([id]) => id))("can't be deleted: %s", async (id) => {
    await expectRefusal(server, 403, "Forbidden", () => remove(id));
    expect((await read(id)).id).toBe(id);
  });

  test("may be renamed and told to require two-factor authentication", async () => {
    const body = { name: "Builder", description: null, requires_two_factor: true };
    expect(done(await patch("role_developer", body, manager.token)).data).toMatchObject({
      ...body,
      id: "role_developer",
      is_system: true,
    });
    done(await patch("role_developer", { name: "Developer", requires_two_factor: false }));
  });

  test("may grant more and less, but for those of the Super Admin, who is the super admins' affair", async () => {
    done(await grant(server, "role_moderator", "gps:read", manager.token));
    expect(await grantsOf("role_moderator")).toEqual(["gps:read", "two_factor:read", "two_factor:write"]);
    done(await revoke(server, "role_moderator", "gps:read", manager.token));
    for (const token of [manager.token, server.systemKey]) {
      await expectRefusal(server, 403, "Forbidden", () => patch("role_super_admin", { name: "x" }, token));
      await expectRefusal(server, 403, "Forbidden", () =>
        grant(server, "role_super_admin", "gps:read", token),
      );
      await expectRefusal(server, 403, "Forbidden", () => revoke(server, "role_super_admin", "*:*", token));
    }
    done(await patch("role_super_admin", { description: "Everything" }));
  });

  test("leave a super admin everything even when the role grants nothing", async () => {
    done(await revoke(server, "role_super_admin", "*:*"));
    expect((await server.get("/v1/gps", { token: admin })).status).toBe(200);
    done(await grant(server, "role_super_admin", "*:*"));
  });
});

describe("GET /v1/roles", () => {
  test("lists all roles, the newest first", async () => {
    const [first, second] = [await newRole(server), await newRole(server)];
    const { status, body } = await server.get(PATH, { token: admin });
    expect([status, body._links]).toEqual([200, { self: PATH }]);
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids.indexOf(second.id)).toBeLessThan(ids.indexOf(first.id));
    expect(ids.indexOf(first.id)).toBeLessThan(ids.indexOf("role_user"));
    expect(ids.length).toBe(rows(server, "SELECT id FROM roles").length);
    expect(body.data[ids.indexOf(second.id)]).toEqual(await read(second.id));
  });

  test("needs roles:read", () => needs("roles:read", 200, (options) => server.get(PATH, options)));
});

describe("GET /v1/roles/{id}", () => {
  test("shows one in an envelope", async () => {
    const { id } = await newRole(server);
    const { status, body } = await server.get(`${PATH}/${id}`, { token: admin });
    expect([status, body._links]).toEqual([200, { self: `${PATH}/${id}` }]);
    expect(body.data.id).toBe(id);
  });

  test("needs roles:read", () =>
    needs("roles:read", 200, (options) => server.get(`${PATH}/role_user`, options)));
});

/** Every operation on one role. */
const OPERATIONS: [method: string, rest: string, body?: object][] = [
  ["GET", ""],
  ["PATCH", "", { name: "Anything" }],
  ["DELETE", ""],
  ["GET", "/permissions"],
  ["POST", "/permissions", { permission_id: UNKNOWN }],
  ["DELETE", `/permissions/${UNKNOWN}`],
];
describe.each(OPERATIONS)("%s /v1/roles/{id}%s", (method, rest, body) => {
  const ask = (id: string) =>
    server.request(method, `${PATH}/${id}${rest}`, { token: admin, ...(body && { body }) });

  test("answers 404 to a role that there is not", async () => {
    for (const id of [UNKNOWN, "role_captain"]) await expectRefusal(server, 404, "NotFound", () => ask(id));
  });

  test("answers 400 to a malformed identifier", async () => {
    for (const id of ["captain", "Admin", "role_1", `${UNKNOWN}0`, "%00"])
      await expectNoChange(server, async () => expectInvalid(await ask(id), "/id"));
  });
});

describe("POST /v1/roles", () => {
  test("creates a role that grants nothing, with its event", async () => {
    const body = { name: "Deckhand", description: "Sails", requires_two_factor: true };
    let created: { id: string } = { id: "" };
    const events = await audited(server, async () => {
      const answer = await post(body, manager.token);
      expect(answer.status).toBe(201);
      created = answer.body.data;
      expect(answer.body).toEqual({
        data: { ...body, id: UUID, is_system: false, created_at: TIME, updated_at: TIME },
        _links: { self: `${PATH}/${created.id}` },
      });
    });
    expect(await read(created.id)).toMatchObject(body);
    expect(await grantsOf(created.id)).toEqual([]);
    expect(events).toMatchObject([
      {
        event_type: "role_created",
        user_id: manager.id,
        resource_type: "role",
        resource_id: created.id,
        ip_address: "127.0.0.1",
        status: "success",
      },
    ]);
  });

  test("needs no more than a name", async () => {
    expect(done(await post({ name: "Stowaway" })).data).toMatchObject({
      description: null,
      requires_two_factor: false,
      is_system: false,
    });
  });

  test("ignores what isn't the caller's to choose", async () => {
    const sent = { name: "Pirate", id: "role_pirate", is_system: true, created_at: "2001-01-01T00:00:00Z" };
    const { data } = done(await post(sent));
    expect(data.id).not.toBe(sent.id);
    expect(data.is_system).toBe(false);
    expect(data.created_at).not.toStartWith("2001");
  });

  test("takes a name of 1 to 200 characters, counted by code point, and a text of 10,000", async () => {
    for (const name of ["x", "🌊".repeat(200)]) done(await post({ name, description: "d".repeat(10_000) }));
  });

  test.each([
    ["no name", {}, "/name"],
    ["an empty name", { name: "" }, "/name"],
    ["a name of 201 characters", { name: "x".repeat(201) }, "/name"],
    ["null for a name", { name: null }, "/name"],
    ["a number for a name", { name: 7 }, "/name"],
    ["a long text", { name: "Long", description: "d".repeat(10_001) }, "/description"],
    ["a number for a text", { name: "Long", description: 1 }, "/description"],
    ["a word for a flag", { name: "Flag", requires_two_factor: "true" }, "/requires_two_factor"],
    ["null for a flag", { name: "Flag", requires_two_factor: null }, "/requires_two_factor"],
  ])("refuses %s", async (_, body, path) => {
    await expectNoChange(server, async () => expectInvalid(await post(body), path));
  });

  test("refuses a name that is taken, and of many at once all but one", async () => {
    await expectRefusal(server, 409, "Conflict", () => post({ name: "Admin" }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ name: "Twin" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(rows(server, "SELECT id FROM roles WHERE name = 'Twin'")).toHaveLength(1);
  });

  test("creates nothing when its event can't be written", async () => {
    await expectNoChange(server, () =>
      withoutAudit(server, "role_created", async () =>
        expectRefused(await post({ name: "Ghost" }), 500, "InternalServerError"),
      ),
    );
  });

  test("needs roles:write", async () => {
    let made = 0;
    await needs("roles:write", 201, (options) =>
      server.post(PATH, { ...options, body: { name: `By key ${++made}` } }),
    );
  });
});

describe("PATCH /v1/roles/{id}", () => {
  test("changes the fields that are sent, keeps the others, and writes which", async () => {
    const { id, name } = await newRole(server, "gps:read");
    const events = await audited(server, async () => {
      expect(done(await patch(id, { description: "Watches" })).data).toMatchObject({
        id,
        name,
        description: "Watches",
        requires_two_factor: false,
      });
      expect(
        done(await patch(id, { name: `${name}!`, requires_two_factor: true }, manager.token)).data,
      ).toMatchObject({ name: `${name}!`, description: "Watches", requires_two_factor: true });
      expect(done(await patch(id, { description: null })).data.description).toBeNull();
    });
    expect(await grantsOf(id)).toEqual(["gps:read"]);
    expect(await read(id)).toMatchObject({ name: `${name}!`, description: null, requires_two_factor: true });
    expect(events.map((row) => [row.event_type, row.resource_id, JSON.parse(row.metadata ?? "")])).toEqual([
      ["role_updated", id, { changed: ["description"] }],
      ["role_updated", id, { changed: ["name", "requires_two_factor"] }],
      ["role_updated", id, { changed: ["description"] }],
    ]);
    expect(events[1]?.user_id).toBe(manager.id);
  });

  // Every field is optional, and none is required to remain (rule H7).
  test("leaves the role as it is without a known field", async () => {
    const { id } = await newRole(server);
    const before = await read(id);
    for (const body of [{}, { is_system: true, id: "role_x", unknown: 1 }])
      await expectNoChange(server, async () => expect(done(await patch(id, body)).data).toEqual(before));
  });

  test.each([
    [{ name: "" }, "/name"],
    [{ name: null }, "/name"],
    [{ description: false }, "/description"],
    [{ requires_two_factor: null }, "/requires_two_factor"],
    [{ requires_two_factor: 1 }, "/requires_two_factor"],
  ])("refuses %j", async (body, path) => {
    const { id } = await newRole(server);
    await expectNoChange(server, async () => expectInvalid(await patch(id, body), path));
  });

  test("refuses a name that is taken, but not its own", async () => {
    const [{ id, name }, other] = [await newRole(server), await newRole(server)];
    await expectRefusal(server, 409, "Conflict", () => patch(id, { name: other.name }));
    done(await patch(id, { name }));
  });

  test("refuses another name to whoever doesn't hold all that the role grants", async () => {
    const { id, name } = await newRole(server, "gps:read", "trips:write");
    for (const holds of [[], ["gps:read"], ["gps:*", "trips:read"]]) {
      const token = await server.key("roles:write", ...holds);
      await expectRefusal(server, 403, "Forbidden", () => patch(id, { name: "Admins" }, token));
      const change = { name: "Admins", description: "both", requires_two_factor: true };
      await expectRefusal(server, 403, "Forbidden", () => patch(id, change, token));
      // Not even taken names are revealed.
      await expectRefusal(server, 403, "Forbidden", () => patch(id, { name: "Admin" }, token));
      // A PATCH that leaves the name as it is needs no more permissions than before.
      const same = { name, description: `by ${holds.length}` };
      expect(done(await patch(id, same, token)).data).toMatchObject(same);
    }
    const newUser = await server.key("roles:write", "gps:*", "trips:write");
    expect(done(await patch(id, { name: `${name} II` }, newUser)).data.name).toBe(`${name} II`);
    const { id: empty } = await newRole(server);
    done(await patch(empty, { name: `${name} III` }, await server.key("roles:write")));
  });

  test("ends the demand for a second factor for holders of all that the role grants alone", async () => {
    const { id } = await newRole(server, "gps:read", "trips:write");
    const asks = { requires_two_factor: true };
    const lowered = { requires_two_factor: false };
    for (const holds of [[], ["gps:read"]]) {
      const token = await server.key("roles:write", ...holds);
      // Asking for one, and describing the role, takes nothing from anybody.
      expect(done(await patch(id, { ...asks, description: `by ${holds.length}` }, token)).data).toMatchObject(
        asks,
      );
      await expectRefusal(server, 403, "Forbidden", () => patch(id, lowered, token));
      await expectRefusal(server, 403, "Forbidden", () => patch(id, { ...lowered, description: "x" }, token));
      done(await patch(id, { description: null }, token));
    }
    const newUser = await server.key("roles:write", "gps:*", "trips:write");
    expect(done(await patch(id, lowered, newUser)).data).toMatchObject(lowered);
  });

  test("changes nothing when its event can't be written", async () => {
    const { id } = await newRole(server);
    await expectNoChange(server, () =>
      withoutAudit(server, "role_updated", async () =>
        expectRefused(await patch(id, { name: "Ghost" }), 500, "InternalServerError"),
      ),
    );
  });

  test("needs roles:write", async () => {
    const { id } = await newRole(server);
    await needs("roles:write", 200, (options) =>
      server.patch(`${PATH}/${id}`, { ...options, body: { description: "by key" } }),
    );
  });
});

describe("DELETE /v1/roles/{id}", () => {
  test("takes the role from its users and keys, effective with the next request, with its event", async () => {
    const { id, name } = await newRole(server, "gps:read");
    const sailor = await newUser(server, id);
    const key = await server.createKey();
    const own = await commandLineKey(server, { owner: sailor.username, scopes: ["gps:read"] });
    done(await server.post(`/v1/api-keys/${key.id}/roles`, { token: admin, body: { role_id: id } }));
    const status = async (token: Token) => (await server.get("/v1/gps", { token })).status;
    const tokens = [sailor.token, key.key, own.key];
    for (const token of tokens) expect(await status(token)).toBe(200);
    const events = await audited(server, async () => {
      const answer = await remove(id, manager.token);
      expect([answer.status, answer.body]).toEqual([204, null]);
    });
    for (const token of tokens) expect(await status(token)).toBe(403);
    expectRefused(await server.get(`${PATH}/${id}`, { token: admin }), 404, "NotFound");
    for (const table of ["user_roles", "role_permissions", "api_key_roles"])
      expect(rows(server, `SELECT * FROM ${table} WHERE role_id = ?`, id)).toEqual([]);
    const { roles } = done(await server.get(`/v1/users/${sailor.id}/roles`, { token: admin }));
    expect(roles.map((role: { id: string }) => role.id)).toEqual(["role_user"]);
    expect(events.map((row) => [row.event_type, row.user_id, row.resource_id, row.metadata])).toEqual([
      ["role_deleted", manager.id, id, JSON.stringify({ name })],
    ]);
    expectRefused(await remove(id), 404, "NotFound");
  });

  test("frees the name", async () => {
    const { id, name } = await newRole(server);
    done(await remove(id));
    done(await post({ name }));
  });

  test("deletes nothing when its event can't be written, and its holders keep it", async () => {
    const { id } = await newRole(server, "gps:read");
    const { token } = await newUser(server, id);
    await expectNoChange(server, () =>
      withoutAudit(server, "role_deleted", async () =>
        expectRefused(await remove(id), 500, "InternalServerError"),
      ),
    );
    expect((await server.get("/v1/gps", { token })).status).toBe(200);
  });

  test("needs roles:delete", async () => {
    const { id } = await newRole(server);
    await needs("roles:delete", 204, (options) => server.delete(`${PATH}/${id}`, options));
  });
});

describe("GET /v1/roles/{id}/permissions", () => {
  test("lists what the role grants by name, and needs roles:read", async () => {
    const { id } = await newRole(server, "trips:read", "gps:write", "gps:read");
    const { status, body } = await server.get(`${PATH}/${id}/permissions`, { token: admin });
    expect([status, body._links]).toEqual([200, { self: `${PATH}/${id}/permissions` }]);
    expect(body.data[0]).toEqual({
      id: permissionId(server, "gps:read"),
      resource: "gps",
      action: "read",
      description: expect.any(String),
      created_at: TIME,
      updated_at: TIME,
    });
    expect(await grantsOf(id)).toEqual(["gps:read", "gps:write", "trips:read"]);
    await needs("roles:read", 200, (options) => server.get(`${PATH}/${id}/permissions`, options));
  });
});

describe("POST /v1/roles/{id}/permissions", () => {
  test("adds a permission, effective with the holders' next request, with its event", async () => {
    const { id } = await newRole(server);
    const sailor = await newUser(server, id);
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(403);
    const events = await audited(server, async () => {
      const { status, body } = await grant(server, id, "gps:read", manager.token);
      expect([status, body]).toEqual([200, { success: true, message: "Permission added" }]);
    });
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(200);
    expect(await grantsOf(id)).toEqual(["gps:read"]);
    expect(events.map((row) => [row.event_type, row.user_id, row.resource_id, row.metadata])).toEqual([
      ["role_updated", manager.id, id, JSON.stringify({ permission_added: "gps:read" })],
    ]);
  });

  test("twice is no error and no second event", async () => {
    const { id } = await newRole(server, "gps:read");
    await expectNoChange(server, async () => done(await grant(server, id, "gps:read")));
  });

  test.each([
    ["an unknown permission", { permission_id: UNKNOWN }],
    ["a permission's name", { permission_id: "gps:read" }],
    ["null", { permission_id: null }],
    ["nothing", {}],
  ])("refuses %s", async (_, body) => {
    const { id } = await newRole(server);
    await expectNoChange(server, async () =>
      expectInvalid(await server.post(`${PATH}/${id}/permissions`, { token: admin, body }), "/permission_id"),
    );
  });

  test("refuses a permission that the caller doesn't hold, in its own role too", async () => {
    const clerk = await staff(server, "roles:write", "gps:read");
    const { id } = await newRole(server);
    await assign(server, clerk.id, id);
    for (const permission of ["gps:write", "users:write", "*:*"]) {
      await expectRefusal(server, 403, "Forbidden", () => grant(server, id, permission, clerk.token));
      await expectRefusal(server, 403, "Forbidden", () =>
        grant(server, "role_user", permission, clerk.token),
      );
    }
    done(await grant(server, id, "gps:read", clerk.token));
    expect(await grantsOf(id)).toEqual(["gps:read"]);
  });

  test("holds a key to its own scopes, whoever owns it", async () => {
    const { id } = await newRole(server);
    const narrow = await server.key("roles:write", "gps:read");
    await expectRefusal(server, 403, "Forbidden", () => grant(server, id, "gps:write", narrow));
    done(await grant(server, id, "gps:read", narrow));
    const wide = await server.key("roles:write", "gps:*");
    done(await grant(server, id, "gps:write", wide));
    done(await grant(server, id, "users:ban", server.systemKey));
  });

  test("refuses a wildcard to whoever holds one of its permissions alone", async () => {
    const body = { resource: "gps", action: "*" };
    const answer = await server.post("/v1/permissions", { token: admin, body });
    expect([201, 409]).toContain(answer.status);
    const { id } = await newRole(server);
    const parts = await server.key("roles:write", "gps:read", "gps:write", "gps:delete");
    await expectRefusal(server, 403, "Forbidden", () => grant(server, id, "gps:*", parts));
    done(await grant(server, id, "gps:*", await server.key("roles:write", "gps:*")));
    const sailor = await newUser(server, id);
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(200);
    expect((await server.get("/v1/trips", { token: sailor.token })).status).toBe(403);
  });

  test("adds nothing when its event can't be written", async () => {
    const { id } = await newRole(server);
    await expectNoChange(server, () =>
      withoutAudit(server, "role_updated", async () =>
        expectRefused(await grant(server, id, "gps:read"), 500, "InternalServerError"),
      ),
    );
  });

  test("needs roles:write", async () => {
    const { id } = await newRole(server);
    // The same from the other side: a caller who lacks nothing but roles:write.
    const everythingElse = await staff(server, "roles:read", "roles:delete", "gps:read");
    await expectRefusal(server, 403, "Forbidden", () => grant(server, id, "gps:read", everythingElse.token));
    await needs("roles:write", 200, (options) =>
      server.post(`${PATH}/${id}/permissions`, {
        ...options,
        body: { permission_id: permissionId(server, "roles:write") },
      }),
    );
  });
});

describe("DELETE /v1/roles/{id}/permissions/{permission_id}", () => {
  test("removes a permission, effective with the holders' next request, with its event", async () => {
    const { id } = await newRole(server, "gps:read", "trips:read");
    const sailor = await newUser(server, id);
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(200);
    const events = await audited(server, async () => {
      const { status, body } = await revoke(server, id, "gps:read", manager.token);
      expect([status, body]).toEqual([200, { success: true, message: "Permission removed" }]);
    });
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(403);
    expect((await server.get("/v1/trips", { token: sailor.token })).status).toBe(200);
    expect(await grantsOf(id)).toEqual(["trips:read"]);
    expect(events.map((row) => [row.event_type, row.user_id, row.resource_id, row.metadata])).toEqual([
      ["role_updated", manager.id, id, JSON.stringify({ permission_removed: "gps:read" })],
    ]);
  });

  test("answers 404 to one that the role doesn't grant, and 400 to a malformed identifier", async () => {
    const { id } = await newRole(server, "trips:read");
    await expectRefusal(server, 404, "NotFound", () => revoke(server, id, "gps:read"));
    for (const which of ["gps:read", "x"])
      await expectNoChange(server, async () =>
        expectInvalid(
          await server.delete(`${PATH}/${id}/permissions/${which}`, { token: admin }),
          "/permission_id",
        ),
      );
  });

  test("removes nothing when its event can't be written", async () => {
    const { id } = await newRole(server, "gps:read");
    await expectNoChange(server, () =>
      withoutAudit(server, "role_updated", async () =>
        expectRefused(await revoke(server, id, "gps:read"), 500, "InternalServerError"),
      ),
    );
  });

  test("needs roles:write", async () => {
    const { id } = await newRole(server, "roles:write");
    const path = `${PATH}/${id}/permissions/${permissionId(server, "roles:write")}`;
    await needs("roles:write", 200, (options) => server.delete(path, options));
  });

  test("is for who holds the permission, or a role could be emptied, taken and filled again", async () => {
    const role = await newRole(server, "gps:read", "trips:read");
    const token = await server.key("roles:write", "roles:delete", "users:write", "trips:read");
    const remove = (name: string) =>
      server.delete(`${PATH}/${role.id}/permissions/${permissionId(server, name)}`, { token });
    await expectRefusal(server, 403, "Forbidden", () => remove("gps:read"));
    await expectRefusal(server, 403, "Forbidden", () => server.delete(`${PATH}/${role.id}`, { token }));
    const rename = () => server.patch(`${PATH}/role_admin`, { token, body: { name: "Weaker" } });
    await expectRefusal(server, 403, "Forbidden", rename);
    expect((await remove("trips:read")).status).toBe(200);
    const change = (body: object) => server.patch(`${PATH}/${role.id}`, { token, body });
    await expectRefusal(server, 403, "Forbidden", () => change({ name: "Renamed" }));
    expect((await change({ description: "Described" })).status).toBe(200);
  });
});
