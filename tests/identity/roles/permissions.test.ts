import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERMISSIONS } from "../../../src/identity/access/permissions";
import type { Token } from "../../support/api";
import { audited, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { newUser } from "../../support/people";
import { grant, newRole } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { expectNoChange, expectRefusal } from "./support";

/** The catalogue of permissions (rules R1 and H3). */
const PATH = "/v1/permissions";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

interface Permission {
  id: string;
  resource: string;
  action: string;
}

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const post = (body: unknown, token = admin) => server.post(PATH, { token, body });
const list = async (): Promise<Permission[]> => done(await server.get(PATH, { token: admin })).data;
const nameOf = ({ resource, action }: Permission) => `${resource}:${action}`;

describe("GET /v1/permissions", () => {
  test("lists the permissions that operations ask for, and the wildcard, by name", async () => {
    const { status, body } = await server.get(PATH, { token: admin });
    expect([status, body._links]).toEqual([200, { self: PATH }]);
    const names = body.data.map(nameOf);
    for (const permission of [...Object.keys(PERMISSIONS), "*:*"]) expect(names).toContain(permission);
    expect(new Set(names).size).toBe(names.length);
    const keys = body.data.map(({ resource, action }: Permission) => [resource, action].join("\0"));
    expect(keys).toEqual([...keys].sort());
    const own = body.data.find((permission: Permission) => nameOf(permission) === "two_factor:manage");
    expect(own).toEqual({
      id: expect.any(String),
      resource: "two_factor",
      action: "manage",
      description: expect.stringMatching(/./),
      created_at: TIME,
      updated_at: TIME,
    });
  });

  test("needs permissions:read", () =>
    expectPermission(server, "permissions:read", 200, (token) =>
      server.get(PATH, { ...(token && { token }) }),
    ));
});

describe("GET /v1/permissions/{id}", () => {
  test("shows one in an envelope", async () => {
    const [first] = await list();
    const { status, body } = await server.get(`${PATH}/${first?.id}`, { token: admin });
    expect(status).toBe(200);
    expect(body).toEqual({ data: first, _links: { self: `${PATH}/${first?.id}` } });
  });

  test("answers 404 to an unknown and 400 to a malformed identifier", async () => {
    expectRefused(await server.get(`${PATH}/${UNKNOWN}`, { token: admin }), 404, "NotFound");
    for (const id of ["gps:read", "1"])
      expectInvalid(await server.get(`${PATH}/${id}`, { token: admin }), "/id");
  });

  test("needs permissions:read", async () => {
    const [first] = await list();
    await expectPermission(server, "permissions:read", 200, (token) =>
      server.get(`${PATH}/${first?.id}`, { ...(token && { token }) }),
    );
  });
});

describe("POST /v1/permissions", () => {
  test("adds one to the catalogue, with its event, for roles and keys", async () => {
    const boss = await newUser(server, "role_admin");
    const body = { resource: "cargo", action: "load", description: "Load cargo" };
    let id = "";
    const events = await audited(server, async () => {
      const answer = await post(body, boss.token);
      id = answer.body.data.id;
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        data: { ...body, id: expect.any(String), created_at: TIME, updated_at: TIME },
        _links: { self: `${PATH}/${id}` },
      });
    });
    expect(events.map((row) => [row.event_type, row.user_id, row.resource_type, row.resource_id])).toEqual([
      ["permission_created", boss.id, "permission", id],
    ]);
    expect(JSON.parse(events[0]?.metadata ?? "")).toEqual({ permission: "cargo:load" });
    expect((await list()).map(nameOf)).toContain("cargo:load");

    const role = await newRole(server, "cargo:load");
    const sailor = await newUser(server, role.id);
    const { permissions } = done(await server.get(`/v1/users/${sailor.id}/permissions`, { token: admin }));
    expect(permissions).toEqual(["cargo:load", "two_factor:read", "two_factor:write"]);
    expect(await server.key("cargo:load")).toStartWith("flk_");
  });

  test("grants nobody anything by itself: who creates one must hold it to give it to a role", async () => {
    const { id } = await newRole(server);
    const clerk = await newUser(server, (await newRole(server, "permissions:write", "roles:write")).id);
    done(await post({ resource: "galley", action: "cook" }, clerk.token));
    await expectRefusal(server, 403, "Forbidden", () => grant(server, id, "galley:cook", clerk.token));
  });

  test("takes a wildcard action, which grants every action of the resource", async () => {
    expect((await post({ resource: "trips", action: "*" })).status).toBe(201);
    const sailor = await newUser(server, (await newRole(server, "trips:*")).id);
    expect((await server.get("/v1/trips", { token: sailor.token })).status).toBe(200);
    expect((await server.get("/v1/gps", { token: sailor.token })).status).toBe(403);
  });

  test.each([
    { resource: "x", action: "y" },
    { resource: "a".repeat(64), action: "b".repeat(64) },
    { resource: "deck_2", action: "guild.sync_3" },
    { resource: "deck", action: "read", description: null },
    { resource: "deck", action: "text", description: "🌊".repeat(10_000) },
  ])("takes %j", async (body) => {
    const { data } = done(await post(body));
    expect(data).toMatchObject({ description: null, ...body });
  });

  test.each([
    ["no resource", { action: "read" }, "/resource"],
    ["no action", { resource: "cabin" }, "/action"],
    ["null", { resource: "cabin", action: null }, "/action"],
    ["an empty resource", { resource: "", action: "read" }, "/resource"],
    ["a second wildcard for everything", { resource: "*", action: "read" }, "/resource"],
    ["upper case", { resource: "Cabin", action: "read" }, "/resource"],
    ["a digit first", { resource: "2cabin", action: "read" }, "/resource"],
    ["a colon", { resource: "cabin", action: "read:all" }, "/action"],
    ["a dot in a resource", { resource: "cabin.deck", action: "read" }, "/resource"],
    ["a blank", { resource: "cabin", action: "read all" }, "/action"],
    ["a line break at the end", { resource: "cabin", action: "read\n" }, "/action"],
    ["a wildcard among letters", { resource: "cabin", action: "re*" }, "/action"],
    ["65 characters", { resource: "a".repeat(65), action: "read" }, "/resource"],
    ["a long text", { resource: "cabin", action: "read", description: "d".repeat(10_001) }, "/description"],
  ])("refuses %s", async (_, body, path) => {
    await expectNoChange(server, async () => expectInvalid(await post(body), path));
  });

  test("refuses one that there is, and of many at once all but one", async () => {
    await expectRefusal(server, 409, "Conflict", () => post({ resource: "gps", action: "read" }));
    const twin = { resource: "mast", action: "climb" };
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(twin)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(rows(server, "SELECT id FROM permissions WHERE resource = 'mast'")).toHaveLength(1);
  });

  test("creates nothing when its event can't be written", async () => {
    await expectNoChange(server, () =>
      withoutAudit(server, "permission_created", async () =>
        expectRefused(await post({ resource: "ghost", action: "see" }), 500, "InternalServerError"),
      ),
    );
  });

  test("needs permissions:write", async () => {
    let made = 0;
    await expectPermission(server, "permissions:write", 201, (token) =>
      server.post(PATH, {
        ...(token && { token }),
        body: { resource: "key", action: `turn_${++made}` },
      }),
    );
  });
});
