import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { auditRows } from "../../support/events";
import {
  expectInvalid,
  expectKept,
  expectPermission,
  expectRefused,
  UNKNOWN,
} from "../../support/expectations";
import { externalUser, newUser, staff, type User } from "../../support/people";
import { newRole } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";

/** Roles and permissions of users (rules H3, H8, H12, R2, R5 and W5). */
const OWN = ["two_factor:read", "two_factor:write"];
const SUPER_ADMIN = "role_super_admin";

let server: TestServer;
let admin: Token;
/** Holds `*:*`, but isn't a super admin. */
let manager: User;
/** Gives `gps:read`. */
let watch: string;
let watchName: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  manager = await newUser(server, "role_admin");
  ({ id: watch, name: watchName } = await newRole(server, "gps:read"));
});
afterAll(() => server.stop());

const pathOf = (id: string) => `/v1/users/${id}/roles`;
const assign = (id: string, role_id: unknown, token = admin) =>
  server.post(pathOf(id), { token, body: { role_id } });
const remove = (id: string, role: string, token = admin) => server.delete(`${pathOf(id)}/${role}`, { token });
const rolesOf = async (id: string): Promise<string[]> =>
  (await server.get(pathOf(id), { token: server.systemKey })).body.roles.map(
    (role: { id: string }) => role.id,
  );
const permissionsOf = async (id: string) =>
  (await server.get(`/v1/users/${id}/permissions`, { token: server.systemKey })).body.permissions;
const roleEvents = (id: string) =>
  auditRows(server)
    .filter(({ user_id, resource_type }) => user_id === id && resource_type === "role")
    .map(({ event_type, resource_id, actor_id }) => [event_type, resource_id, actor_id]);
const idOf = async (token: Token): Promise<string> =>
  (await server.get("/v1/users/me", { token })).body.data.id;
const mayReadPositions = async (token: Token) => (await server.get("/v1/gps", { token })).status === 200;

const stored = () => ({
  roles: rows(server, "SELECT * FROM user_roles ORDER BY user_id, role_id"),
  events: auditRows(server),
});

describe("GET /v1/users/{id}/roles", () => {
  test("lists the roles, the newest first, with exactly the fields of the specification", async () => {
    const { id } = await externalUser(server);
    const { status, body } = await server.get(pathOf(id), { token: admin });
    expect(status).toBe(200);
    expect(body).toEqual({
      roles: [{ id: "role_user", name: "User", description: expect.any(String) }],
    });
    await assign(id, "role_moderator");
    await assign(id, watch);
    expect((await server.get(pathOf(id), { token: admin })).body.roles).toMatchObject([
      { id: watch, name: watchName, description: null },
      { id: "role_moderator", name: "Moderator" },
      { id: "role_user", name: "User" },
    ]);
  });
});

describe("GET /v1/users/{id}/permissions", () => {
  test("lists what all roles give, once, wildcards as they are", async () => {
    const { id } = await externalUser(server);
    const { status, body } = await server.get(`/v1/users/${id}/permissions`, { token: admin });
    expect([status, body]).toEqual([200, { permissions: OWN }]);
    await assign(id, "role_moderator");
    await assign(id, watch);
    expect(await permissionsOf(id)).toEqual(["gps:read", ...OWN]);
    await assign(id, "role_admin");
    expect(await permissionsOf(id)).toContain("*:*");
  });

  test("shows *:* to a super admin", async () => {
    expect(await permissionsOf(await idOf(admin))).toContain("*:*");
  });
});

describe("POST /v1/users/{id}/roles", () => {
  test("gives a role, effective with the next request of sessions and keys", async () => {
    const sailor = await newUser(server);
    const { key } = await commandLineKey(server, { owner: sailor.username, scopes: ["gps:read"] });
    for (const token of [sailor.token, key]) expect(await mayReadPositions(token)).toBe(false);
    const { status, body } = await assign(sailor.id, watch, manager.token);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    for (const token of [sailor.token, key]) expect(await mayReadPositions(token)).toBe(true);
    expect(await rolesOf(sailor.id)).toEqual([watch, "role_user"]);
    expect(roleEvents(sailor.id)).toEqual([["role_assigned", watch, manager.id]]);
  });

  test("twice is no error and no second event", async () => {
    const { id } = await externalUser(server);
    expect((await assign(id, watch)).status).toBe(200);
    await expectKept(stored, async () => expect((await assign(id, watch)).status).toBe(200));
  });

  test.each([
    ["an unknown role", { role_id: "role_captain" }],
    ["a role's name", { role_id: "Admin" }],
    ["no role", {}],
    ["null", { role_id: null }],
    ["a number", { role_id: 7 }],
    ["an empty identifier", { role_id: "" }],
  ])("refuses %s", async (_, body) => {
    const { id } = await externalUser(server);
    await expectKept(stored, async () =>
      expectInvalid(await server.post(pathOf(id), { token: admin, body }), "/role_id"),
    );
  });

  test("answers 404 to an unknown and to a deleted user, 400 to a malformed identifier", async () => {
    const { id } = await externalUser(server);
    expect((await server.delete(`/v1/users/${id}`, { token: admin })).status).toBe(204);
    await expectKept(stored, async () => {
      for (const which of [id, UNKNOWN]) expectRefused(await assign(which, watch), 404, "NotFound");
      expectInvalid(await assign("them", watch), "/id");
    });
  });

  test("needs users:write, on the own account too", async () => {
    const { id, token } = await externalUser(server);
    await expectKept(stored, async () =>
      expectRefused(await assign(id, "role_moderator", token), 403, "Forbidden"),
    );
    const { id: empty } = await newRole(server);
    await expectPermission(server, "users:write", 200, (credential) =>
      server.post(pathOf(id), { ...(credential && { token: credential }), body: { role_id: empty } }),
    );
  });

  test("needs every permission that the role gives", async () => {
    const clerk = await staff(server, "users:write", "gps:read");
    const { id: helm } = await newRole(server, "gps:read", "gps:write");
    const { id } = await externalUser(server);
    await expectKept(stored, async () => {
      for (const role of [helm, "role_admin", "role_system", SUPER_ADMIN]) {
        expectRefused(await assign(id, role, clerk.token), 403, "Forbidden");
        expectRefused(await assign(clerk.id, role, clerk.token), 403, "Forbidden");
      }
    });
    expect((await assign(id, watch, clerk.token)).status).toBe(200);
    expect((await assign(id, "role_moderator", clerk.token)).status).toBe(200);
  });

  test("holds a key to its own scopes, whoever owns it", async () => {
    const narrow = await server.key("users:write", "gps:read");
    const { id } = await externalUser(server);
    await expectKept(stored, async () => {
      for (const role of ["role_admin", "role_moderator", SUPER_ADMIN])
        expectRefused(await assign(id, role, narrow), 403, "Forbidden");
    });
    expect((await assign(id, watch, narrow)).status).toBe(200);
  });

  test("leaves Super Admin to super admins, not to whoever holds *:* nor to a system key", async () => {
    const { id } = await externalUser(server);
    const { key } = await commandLineKey(server, { owner: manager.username, scopes: ["*:*"] });
    const narrow = await server.key("users:*");
    await expectKept(stored, async () => {
      for (const token of [manager.token, key, server.systemKey, narrow])
        for (const target of [id, manager.id])
          expectRefused(await assign(target, SUPER_ADMIN, token), 403, "Forbidden");
    });
    expect((await assign(id, SUPER_ADMIN)).status).toBe(200);
    expect((await remove(id, SUPER_ADMIN)).status).toBe(200);
  });
});

describe("DELETE /v1/users/{id}/roles/{role_id}", () => {
  test("takes a role, effective with the next request of sessions and keys, and on live sockets", async () => {
    const sailor = await newUser(server, watch);
    const { key } = await commandLineKey(server, { owner: sailor.username, scopes: ["gps:read"] });
    const socket = await (await Client.open(server, { token: sailor.token })).subscribe("gps");
    for (const token of [sailor.token, key]) expect(await mayReadPositions(token)).toBe(true);
    const { status, body } = await remove(sailor.id, watch, manager.token);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    for (const token of [sailor.token, key]) expect(await mayReadPositions(token)).toBe(false);
    let message = await socket.next();
    while (message.type !== "error") message = await socket.next();
    expect(message.message).toContain("gps");
    await socket.close();
    expect(await rolesOf(sailor.id)).toEqual(["role_user"]);
    expect(roleEvents(sailor.id)).toEqual([
      ["role_assigned", watch, await idOf(admin)],
      ["role_removed", watch, manager.id],
    ]);
  });

  test("answers 404 to a role that the user doesn't hold, to an unknown role and to an unknown user", async () => {
    const { id } = await externalUser(server);
    await expectKept(stored, async () => {
      expectRefused(await remove(id, watch), 404, "NotFound");
      expectRefused(await remove(id, "role_captain"), 404, "NotFound");
      expectRefused(await remove(UNKNOWN, "role_user"), 404, "NotFound");
      expectInvalid(await remove("them", "role_user"), "/id");
    });
  });

  test("takes the role User as well, and the user may do nothing then", async () => {
    const { id, token } = await externalUser(server);
    expect((await remove(id, "role_user")).status).toBe(200);
    expect(await permissionsOf(id)).toEqual([]);
    expect((await server.get("/v1/users/me", { token })).status).toBe(200);
  });

  test("needs users:write, on the own account too", async () => {
    const { id, token } = await externalUser(server);
    await expectKept(stored, async () =>
      expectRefused(await remove(id, "role_user", token), 403, "Forbidden"),
    );
    const { id: empty } = await newRole(server);
    await assign(id, empty);
    await expectPermission(server, "users:write", 200, (credential) =>
      server.delete(`${pathOf(id)}/${empty}`, { ...(credential && { token: credential }) }),
    );
  });

  test("needs every permission that the role gives", async () => {
    const clerk = await staff(server, "users:write");
    const { id } = await externalUser(server);
    await assign(id, watch);
    await expectKept(stored, async () => {
      expectRefused(await remove(id, watch, clerk.token), 403, "Forbidden");
      expectRefused(await remove(manager.id, "role_admin", clerk.token), 403, "Forbidden");
    });
  });
});

describe("the super admins", () => {
  let installation: TestServer;
  let first: { id: string; token: Token };
  beforeAll(async () => {
    installation = await TestServer.start();
    const token = await installation.admin();
    first = { id: (await installation.get("/v1/users/me", { token })).body.data.id, token };
  });
  afterAll(() => installation.stop());

  const superAdmins = () =>
    rows<{ user_id: string }>(
      installation,
      "SELECT user_id FROM user_roles WHERE role_id = 'role_super_admin' ORDER BY user_id",
    ).map((row) => row.user_id);
  const take = (id: string, token: Token) => installation.delete(`${pathOf(id)}/${SUPER_ADMIN}`, { token });

  test("lose the role to super admins alone", async () => {
    const boss = await newUser(installation, "role_admin");
    const before = superAdmins();
    for (const token of [boss.token, installation.systemKey])
      expectRefused(await take(first.id, token), 403, "Forbidden");
    expect(superAdmins()).toEqual(before);
  });

  test("keep the last of them", async () => {
    expect(superAdmins()).toEqual([first.id]);
    expectRefused(await take(first.id, first.token), 409, "Conflict");
    expect(superAdmins()).toEqual([first.id]);
    expect((await installation.get("/v1/users", { token: first.token })).status).toBe(200);
  });

  test("keep the last who can sign in: one who is deleted or banned doesn't count", async () => {
    const gone = await newUser(installation, "role_super_admin");
    const banned = await newUser(installation, "role_super_admin");
    const asFirst = { token: first.token };
    expect((await installation.delete(`/v1/users/${gone.id}`, asFirst)).status).toBe(204);
    const ban = await installation.post(`/v1/users/${banned.id}/ban`, { ...asFirst, body: {} });
    expect(ban.status).toBe(200);
    expectRefused(await take(first.id, first.token), 409, "Conflict");
    expectRefused(await installation.delete(`/v1/users/${first.id}`, asFirst), 409, "Conflict");
    expect(superAdmins()).toContain(first.id);
    expect((await take(banned.id, first.token)).status).toBe(200);
  });

  test("keep one of two who remove each other at once", async () => {
    for (let round = 0; round < 3; round++) {
      const second = await newUser(installation, "role_super_admin");
      const before = superAdmins();
      const answers = await Promise.all([take(second.id, first.token), take(first.id, second.token)]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect([403, 409]).toContain(statuses.find((status) => status !== 200) ?? 0);
      expect(superAdmins()).toHaveLength(before.length - 1);
      // For the next round, the remaining holder gives the role back to the first.
      const left = statuses[0] === 200 ? first : second;
      const back = { token: left.token, body: { role_id: SUPER_ADMIN } };
      expect((await installation.post(pathOf(first.id), back)).status).toBe(200);
      if (left === second) expect((await take(second.id, first.token)).status).toBe(200);
    }
  });

  test("keep one of two who resign at once", async () => {
    const second = await newUser(installation, "role_super_admin");
    const answers = await Promise.all([take(second.id, second.token), take(first.id, first.token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const left = answers[0]?.status === 200 ? first : second;
    expect(superAdmins()).toContain(left.id);
    expect((await installation.get("/v1/users", { token: left.token })).status).toBe(200);
  });
});
