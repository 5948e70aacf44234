import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { linesOf } from "../../support/log";
import { assign, newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { Browser, newAccount, signInThrough } from "./support";

/** Roles that a provider gives and takes by its groups. */

let provider: OidcStandIn;
let server: TestServer;
let deck: { id: string; name: string };
let engine: { id: string; name: string };

beforeAll(async () => {
  provider = await OidcStandIn.start();
  const registers = { allow_registration: "true" };
  server = await TestServer.start({
    settings: {
      ...provider.settings("harbour", { ...registers, role_map: "deck=Crew 1,engine=Crew 2,nobody=Missing" }),
      ...provider.settings("plain", registers),
      ...provider.settings("nested", {
        ...registers,
        role_map: "deck=Crew 1",
        groups_claim: "realm_access.roles",
      }),
      ...provider.settings("admins", { ...registers, role_map: "captains=Super Admin" }),
    },
  });
  deck = await newRole(server, "gps:read");
  engine = await newRole(server, "devices:read");
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.wrongs = {};
  provider.account = newAccount();
});

/** Signs in with these groups, and returns the names of the roles afterwards. */
async function rolesWith(groups: unknown, name = "harbour") {
  provider.account = { ...provider.account, groups };
  const { session, token } = await signInThrough(server, name);
  const { roles } = done(await server.get(`/v1/users/${session.user_id}/roles`, { token: server.systemKey }));
  return {
    names: roles.map(({ name }: { name: string }) => name).sort() as string[],
    userId: session.user_id as string,
    token,
  };
}

describe("roles of role_map", () => {
  test("are given and taken at each sign-in, and others left alone", async () => {
    const first = await rolesWith(["deck", "engine", "elsewhere"]);
    expect(first.names).toEqual([deck.name, engine.name, "User"].sort());
    const own = await newRole(server, "trips:read");
    await assign(server, first.userId, own.id);
    expect((await rolesWith(["engine"])).names).toEqual([engine.name, own.name, "User"].sort());
    expect((await rolesWith([])).names).toEqual([own.name, "User"].sort());
    const { events } = done(
      await server.get(`/v1/users/${first.userId}/audit?event_type=role_removed`, {
        token: await server.admin(),
      }),
    );
    expect(events.map(({ metadata }: { metadata: unknown }) => metadata)).toEqual([
      { by: "oidc:harbour" },
      { by: "oidc:harbour" },
    ]);
  });

  test("are taken from open sessions and sockets at once", async () => {
    const { token } = await rolesWith(["deck"]);
    const socket = await (await Client.open(server, { token })).subscribe("gps");
    expect((await server.get("/v1/gps", { token })).status).toBe(200);
    await rolesWith([]);
    expect((await server.get("/v1/gps", { token })).status).toBe(403);
    const told = [await socket.next(), await socket.next(), await socket.next()];
    expect(told).toContainEqual(expect.objectContaining({ type: "rolesUpdated", roles: ["User"] }));
    expect(told).toContainEqual({ type: "error", message: "Access to channel ended: gps" });
    await socket.close();
  });

  test("are given by one name, an object and a path as well", async () => {
    expect((await rolesWith("deck")).names).toContain(deck.name);
    expect((await rolesWith({ engine: { "1": "org" } })).names).toEqual([engine.name, "User"].sort());
    provider.account = { ...provider.account, realm_access: { roles: ["deck"] } };
    expect((await rolesWith(undefined, "nested")).names).toContain(deck.name);
  });

  test("are told by the endpoint about the user where the ID token says nothing", async () => {
    provider.wrongs = { onlyInUserInfo: ["groups"] };
    expect((await rolesWith(["deck"])).names).toContain(deck.name);
    expect(provider.asked).toContain("GET /userinfo");
  });

  test("are taken where the provider says nothing at all, and the log tells of it", async () => {
    await rolesWith(["deck"]);
    expect((await rolesWith(undefined)).names).toEqual(["User"]);
    await linesOf(server, "tells nothing of groups");
  });

  test("that don't exist give nothing, and the log names them", async () => {
    expect((await rolesWith(["nobody"])).names).toEqual(["User"]);
    await linesOf(server, "Missing");
  });

  test("leave a provider without them alone", async () => {
    const { userId } = await rolesWith(["deck"]);
    expect((await rolesWith(["engine"], "plain")).names).toEqual([deck.name, "User"].sort());
    expect(userId).toBeString();
  });
});

describe("Super Admin", () => {
  test("is no group's, whatever its name, unless the configuration says so", async () => {
    for (const groups of [["Super Admin"], ["captains"], ["*"], "Super Admin"])
      expect((await rolesWith(groups)).names).toEqual(["User"]);
  });

  test("is given and taken where the configuration names it, and its last holder keeps it", async () => {
    const { names, userId } = await rolesWith(["captains"], "admins");
    expect(names).toContain("Super Admin");
    expect((await rolesWith([], "admins")).names).toEqual(["User"]);
    await rolesWith(["captains"], "admins");
    const token = await server.admin();
    const admin = done(await server.get("/v1/users/me", { token })).data.id;
    // From now on the one of the provider is the last.
    done(
      await server.post(`/v1/users/${admin}/ban`, { token: server.systemKey, body: { reason: "ashore" } }),
    );
    try {
      provider.account = { ...provider.account, groups: [] };
      const { token: own } = await signInThrough(server, "admins");
      const { data } = done(await server.get("/v1/users/me", { token: own }));
      expect([data.id, data.permissions]).toEqual([userId, ["*:*"]]);
      await linesOf(server, "last super admin keeps the role");
    } finally {
      await server.delete(`/v1/users/${admin}/ban`, { token: server.systemKey });
    }
  });
});

describe("roles", () => {
  test("stay as they are where the sign-in is refused", async () => {
    const { userId } = await rolesWith(["deck"]);
    const token = server.systemKey;
    done(await server.post(`/v1/users/${userId}/ban`, { token, body: { reason: "Lost the boat" } }));
    provider.account = { ...provider.account, groups: ["deck", "engine"] };
    expect((await new Browser(server).goThrough("harbour")).reason).toBe("banned");
    const { roles } = done(await server.get(`/v1/users/${userId}/roles`, { token }));
    expect(roles.map(({ name }: { name: string }) => name)).not.toContain(engine.name);
  });
});
