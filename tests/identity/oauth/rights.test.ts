import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { done, eventually } from "../../support/expectations";
import { externalUser, newUser, openSession, staff } from "../../support/people";
import { assign, grant, newRole, revoke, unassign } from "../../support/roles";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { Agent } from "./agent";
import { authorizationOf, errorOf, newClient, refresh, type TestClient, tokensFor } from "./support";

/**
 * The rights of an access token: scopes, what is approved for the client and what its user holds, each as it is now (rule
 * C13), at every door, and the end of all that was open with it.
 */
let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const READS = { gps: "/v1/gps?limit=1", devices: "/v1/devices", trips: "/v1/trips" } as const;
const ALL = ["gps:read", "devices:read", "trips:read"];

/** The statuses of three reads by a token. */
const reads = async (token: Token) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(READS).map(async ([name, path]) => [name, (await server.get(path, { token })).status]),
    ),
  );

const change = async (client: TestClient, body: object) =>
  done(await server.patch(`/v1/oauth/clients/${client.id}`, { token: admin, body }));

describe("an access token", () => {
  test("may do what its scopes, the approval and its user's permissions have in common, as they are now", async () => {
    const client = await newClient(server, {}, { approved: ALL });
    const { id: roleId } = await newRole(server, "gps:read", "devices:read");
    const user = await externalUser(server);
    await assign(server, user.id, roleId);
    const { access_token: token } = await tokensFor(server, client, user.token, "openid gps:read trips:read");
    // The scope, not the user's right alone; and the user's right, not the scope alone.
    expect(await reads(token)).toEqual({ gps: 200, devices: 403, trips: 403 });

    done(await grant(server, roleId, "trips:read"));
    expect(await reads(token)).toEqual({ gps: 200, devices: 403, trips: 200 });
    await change(client, { approved_scopes: ["trips:read"] });
    expect(await reads(token)).toEqual({ gps: 403, devices: 403, trips: 200 });
    await change(client, { approved_scopes: ALL });
    await change(client, { allowed_scopes: ["openid", "gps:read"] });
    expect(await reads(token)).toEqual({ gps: 200, devices: 403, trips: 403 });
    done(await revoke(server, roleId, "gps:read"));
    expect(await reads(token)).toEqual({ gps: 403, devices: 403, trips: 403 });
    done(await grant(server, roleId, "gps:read"));
    expect(await reads(token)).toEqual({ gps: 200, devices: 403, trips: 403 });
    await unassign(server, user.id, roleId);
    expect(await reads(token)).toEqual({ gps: 403, devices: 403, trips: 403 });
  });

  test("of a super admin is bounded by its scopes, and of a wildcard's holder too", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const holder = await staff(server, "devices:read", "gps:read");
    for (const session of [admin, holder.token]) {
      const { access_token } = await tokensFor(server, client, session, "gps:read");
      expect(await reads(access_token)).toEqual({ gps: 200, devices: 403, trips: 403 });
      const me = await server.get("/v1/users/me", { token: access_token });
      expect(me.status).toBe(403);
    }
  });

  test("shows the rights that it has, and no address without the scope for it", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const user = await newUser(server);
    const me = async (scope: string) => {
      const { access_token } = await tokensFor(server, client, user.token, scope);
      const { data } = done(await server.get("/v1/users/me", { token: access_token }));
      return [data.permissions, data.email];
    };
    expect(await me("profile gps:read")).toEqual([[], null]);
    expect(await me("profile email")).toEqual([[], user.email]);
  });

  test("sees no device by its user's shares: those are for sessions", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const { id } = await server.device();
    const user = await externalUser(server);
    const path = `/v1/devices/${id}/shares/${user.id}`;
    done(await server.put(path, { token: admin, body: { level: "history" } }));
    expect((await server.get(`/v1/devices/${id}`, { token: user.token })).status).toBe(200);
    const { access_token } = await tokensFor(server, client, user.token, "openid gps:read");
    expect((await server.get(`/v1/devices/${id}`, { token: access_token })).status).toBe(403);
  });

  test("hands out no more than it may do, and changes nothing of its user without a right", async () => {
    const client = await newClient(
      server,
      {},
      { approved: ["api_keys:write", "gps:read", "two_factor:write"] },
    );
    const { access_token: token } = await tokensFor(server, client, admin, "profile api_keys:write gps:read");
    const key = (scopes: string[]) =>
      server.post("/v1/api-keys", { token, body: { name: "of an app", scopes } });
    expect((await key(["gps:write"])).status).toBe(403);
    expect((await key(["*:*"])).status).toBe(403);
    expect((await key(["gps:read"])).status).toBe(201);
    expect((await server.post("/v1/users/me/2fa/setup", { token, body: {} })).status).toBe(403);
    const body = { username: "renamed" };
    const { data } = done(await server.get("/v1/users/me", { token }));
    expect((await server.patch(`/v1/users/${data.id}`, { token, body })).status).toBe(403);
  });

  test("is named in the audit log, as the application that acted for its user", async () => {
    const client = await newClient(server, {}, { approved: ["locations:write", "settings:write"] });
    const { access_token: token } = await tokensFor(server, client, admin, "settings:write");
    done(await server.post("/v1/settings", { token, body: { key: "by.app", value: 1 } }));
    const [event] = rows<{ metadata: string }>(
      server,
      "SELECT metadata FROM audit_events WHERE event_type = 'setting_updated' ORDER BY rowid DESC LIMIT 1",
    );
    expect(JSON.parse(event?.metadata ?? "")).toMatchObject({ oauth_client: client.id });
  });

  test("needs a proof by its user where a session needs a recent sign-in", async () => {
    const strict = await TestServer.start({ settings: { "auth.reauthentication_minutes": "5" } });
    try {
      const client = await newClient(strict);
      const body = { allowed_scopes: ["api_keys:write"], approved_scopes: ["api_keys:write"] };
      const token = await strict.admin();
      done(await strict.patch(`/v1/oauth/clients/${client.id}`, { token, body }));
      const { access_token } = await tokensFor(strict, client, token, "api_keys:write");
      const made = await strict.post("/v1/api-keys", {
        token: access_token,
        body: { name: "x", scopes: [] },
      });
      expect([made.status, made.body.error]).toEqual([403, "ReauthenticationRequired"]);
    } finally {
      await strict.stop();
    }
  });
});

describe("GraphQL", () => {
  test("takes an access token, with its rights", async () => {
    const client = await newClient(server, {}, { approved: ["roles:read"] });
    const body = { query: "{ roles { name } }" };
    const ask = async (scope: string) => {
      const { access_token } = await tokensFor(server, client, admin, scope);
      return (await server.post("/v1/graphql", { token: access_token, body })).body;
    };
    expect((await ask("roles:read")).data.roles.length).toBeGreaterThan(5);
    expect((await ask("openid")).errors[0].extensions).toMatchObject({ code: "Forbidden", status: 403 });
  });
});

describe("the socket", () => {
  test("takes an access token in the header, with its rights, and has no channel of its user", async () => {
    const client = await newClient(server, {}, { approved: ALL });
    const user = await staff(server, ...ALL);
    const { access_token: bearer } = await tokensFor(server, client, user.token, "openid gps:read");
    const socket = await Client.open(server, { bearer });
    await socket.subscribe("gps", "public");
    for (const channel of ["devices", "trips", `user:${user.id}`, "admin:accounts", "community"])
      expect((await socket.ask({ type: "subscribe", channel })).type).toBe("error");
    await socket.close();
  });

  test("ends a subscription with the approval, and the connection with the token's time", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const user = await staff(server, "gps:read");
    const { access_token: bearer } = await tokensFor(server, client, user.token, "gps:read");
    const socket = await Client.open(server, { bearer });
    await socket.subscribe("gps");
    await change(client, { approved_scopes: [] });
    expect(await socket.next()).toMatchObject({ type: "error", message: "Access to channel ended: gps" });
    await server.advance(15 * 60_000 + 1_000);
    expect((await socket.closed).code).toBe(4401);
    expect((await server.get("/v1/gps", { token: bearer })).status).toBe(401);
  });
});

/** All ways in which the tokens of a sign-in end, and whether an offline sign-in ends as well. */
const ENDINGS: [string, { offline: boolean }, (at: Standing) => Promise<unknown>][] = [
  [
    "its consent is taken back",
    { offline: true },
    async ({ session, client }) => {
      const { data } = done(await server.get("/v1/users/me/consents", { token: session }));
      const mine = data.find((consent: { client: { id: string } }) => consent.client.id === client.id);
      return server.delete(`/v1/users/me/consents/${mine.id}`, { token: session });
    },
  ],
  ["its client is switched off", { offline: true }, ({ client }) => change(client, { is_active: false })],
  [
    "its client becomes another type",
    { offline: true },
    ({ client }) => change(client, { client_type: "public" }),
  ],
  [
    "its client is deleted",
    { offline: true },
    ({ client }) => server.delete(`/v1/oauth/clients/${client.id}`, { token: admin }),
  ],
  [
    "its user is banned",
    { offline: true },
    ({ userId }) => server.post(`/v1/users/${userId}/ban`, { token: admin, body: {} }),
  ],
  [
    "its user is deleted",
    { offline: true },
    ({ userId }) => server.delete(`/v1/users/${userId}`, { token: admin }),
  ],
  [
    "its session is revoked",
    { offline: true },
    async ({ userId, sessionId }) => {
      const other = await openSession(server, userId);
      return server.delete(`/v1/users/me/sessions/${sessionId}`, { token: other.token });
    },
  ],
  [
    "all other sessions are revoked",
    { offline: true },
    async ({ userId }) =>
      server.delete("/v1/users/me/sessions", { token: (await openSession(server, userId)).token }),
  ],
  [
    "its session was signed out before the others were revoked",
    { offline: true },
    async ({ userId, session }) => {
      await server.post("/v1/auth/logout", { token: session });
      return server.delete("/v1/users/me/sessions", { token: (await openSession(server, userId)).token });
    },
  ],
  [
    "an administrator ends all sessions of its user",
    { offline: true },
    ({ userId }) => server.delete(`/v1/users/${userId}/sessions`, { token: admin }),
  ],
  [
    "its session is signed out",
    { offline: false },
    ({ session }) => server.post("/v1/auth/logout", { token: session }),
  ],
];

interface Standing {
  session: Token;
  sessionId: string;
  userId: string;
  client: TestClient;
}

describe("the tokens of a sign-in end when", () => {
  test.each(ENDINGS)("%s", async (_, { offline }, end) => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const user = await staff(server, "gps:read");
    const { id: sessionId, token: session } = await openSession(server, user.id);
    const bound = await tokensFor(server, client, session, "openid gps:read");
    const kept = await tokensFor(server, client, session, "openid gps:read offline_access");
    const sockets = await Promise.all(
      [bound, kept].map(({ access_token }) => Client.open(server, { bearer: access_token })),
    );
    const held = fetch(`${server.url}/v1/changes?since=now&wait_seconds=60`, {
      headers: { authorization: `Bearer ${bound.access_token}` },
    });
    done((await end({ session, sessionId, userId: user.id, client })) as Parameters<typeof done>[0]);

    expect((await sockets[0]?.closed)?.code).toBe(4401);
    expect((await held).status).toBe(401);
    expect((await server.get("/v1/gps", { token: bound.access_token })).status).toBe(401);
    if (offline) {
      expect((await sockets[1]?.closed)?.code).toBe(4401);
      expect((await server.get("/v1/gps", { token: kept.access_token })).status).toBe(401);
      expect(errorOf(await refresh(server, client, kept.refresh_token))[0]).toBeOneOf([400, 401]);
    } else {
      expect((await server.get("/v1/gps", { token: kept.access_token })).status).toBe(200);
      expect((await refresh(server, client, kept.refresh_token)).status).toBe(200);
      await sockets[1]?.close();
    }
    expect((await server.get("/oauth/userinfo", { token: bound.access_token })).status).toBe(401);
  });

  test("their time has come: 15 minutes, or the end of the session", async () => {
    const client = await newClient(server, {}, { approved: ["gps:read"] });
    const user = await staff(server, "gps:read");
    const soon = new Date(server.time + 5 * 60_000).toISOString();
    const { token: session } = await openSession(server, user.id, soon);
    const short = await tokensFor(server, client, session, "gps:read");
    expect(short.expires_in).toBeWithin(290, 301);
    const long = await tokensFor(server, client, session, "gps:read offline_access");
    expect(long.expires_in).toBe(900);
    await server.advance(5 * 60_000 + 1_000);
    expect((await server.get("/v1/gps", { token: short.access_token })).status).toBe(401);
    expect((await server.get("/v1/gps", { token: long.access_token })).status).toBe(200);
    await server.advance(10 * 60_000);
    expect((await server.get("/v1/gps", { token: long.access_token })).status).toBe(401);
    expect((await refresh(server, client, long.refresh_token)).status).toBe(200);
  });
});

describe("a client whose owner", () => {
  const standing = async (fields: Record<string, unknown> = {}) => {
    const owner = await newUser(server);
    const client = await newClient(server, {}, { token: owner.token });
    if (fields.is_first_party)
      done(await server.patch(`/v1/oauth/clients/${client.id}`, { token: admin, body: fields }));
    const { token } = await newUser(server);
    const tokens = await tokensFor(server, client, token, "openid offline_access");
    const opens = async () => (await server.get("/oauth/userinfo", { token: tokens.access_token })).status;
    expect(await opens()).toBe(200);
    return { owner, client, token, tokens, opens };
  };

  test("is banned falls silent at once, and speaks again with its owner", async () => {
    const { owner, client, token, tokens, opens } = await standing();
    done(await server.post(`/v1/users/${owner.id}/ban`, { token: admin, body: {} }));
    expect(await opens()).toBe(401);
    expect(errorOf(await refresh(server, client, tokens.refresh_token))).toEqual([401, "invalid_client"]);
    const agent = Agent.signedIn(server, token);
    expect((await agent.open(authorizationOf(server, client).url)).status).toBe(400);
    done(await server.delete(`/v1/users/${owner.id}/ban`, { token: admin }));
    done(await refresh(server, client, tokens.refresh_token));
  });

  test("is deleted falls silent, and goes with the owner for good", async () => {
    const { owner, client, tokens, opens } = await standing();
    expect((await server.delete(`/v1/users/${owner.id}`, { token: admin })).status).toBe(204);
    expect(await opens()).toBe(401);
    expect(errorOf(await refresh(server, client, tokens.refresh_token))).toEqual([401, "invalid_client"]);
    const scrubbed = await standing();
    const path = `/v1/admin/users/${scrubbed.owner.id}/force-delete`;
    done(await server.post(path, { token: admin, body: {} }));
    expect(await scrubbed.opens()).toBe(401);
  });

  test("is gone goes on if it is the installation's own", async () => {
    const { owner, client, tokens, opens } = await standing({ is_first_party: true });
    expect((await server.delete(`/v1/users/${owner.id}`, { token: admin })).status).toBe(204);
    expect(await opens()).toBe(200);
    done(await refresh(server, client, tokens.refresh_token));
  });
});

describe("refresh tokens", () => {
  test("narrow what they give on request, never widen it", async () => {
    const client = await newClient(server, {}, { approved: ALL });
    const { token: session } = await staff(server, ...ALL);
    const first = await tokensFor(server, client, session, "openid gps:read offline_access");
    expect(
      errorOf(await refresh(server, client, first.refresh_token, { scope: "gps:read trips:read" })),
    ).toEqual([400, "invalid_scope"]);
    const narrow = done(await refresh(server, client, first.refresh_token, { scope: "gps:read" }));
    expect([narrow.scope, narrow.id_token]).toEqual(["gps:read", undefined]);
    const wide = done(await refresh(server, client, narrow.refresh_token));
    expect([wide.scope, typeof wide.id_token]).toEqual(["openid gps:read offline_access", "string"]);
  });

  test("end after 30 days without use, and 180 days after the sign-in however they are used", async () => {
    const DAY = 86_400_000;
    const client = await newClient(server);
    const { token: session } = await externalUser(server);
    const idle = await tokensFor(server, client, session, "openid offline_access");
    let used = await tokensFor(server, client, session, "openid offline_access");
    for (let day = 0; day < 175; day += 25) {
      await server.advance(25 * DAY);
      used = done(await refresh(server, client, used.refresh_token));
    }
    expect(errorOf(await refresh(server, client, idle.refresh_token))).toEqual([400, "invalid_grant"]);
    await server.advance(6 * DAY);
    expect(errorOf(await refresh(server, client, used.refresh_token))).toEqual([400, "invalid_grant"]);
  });
});

test("what has ended is removed by a job", async () => {
  const first = await TestServer.start({ clock: "movable" });
  const client = await newClient(first);
  const { token } = await externalUser(first);
  await tokensFor(first, client, token);
  await tokensFor(first, client, token, "openid offline_access");
  await first.stop();
  const again = await TestServer.start({ dataDir: first.dataDir, clock: "movable", ahead: 16 * 60_000 });
  try {
    const left = (table: string) => rows<{ n: number }>(again, `SELECT count(*) AS n FROM ${table}`)[0]?.n;
    await eventually(() => left("oauth_grants") === 1);
    const tables = ["oauth_access_tokens", "oauth_codes", "oauth_refresh_tokens", "oauth_consents"];
    // The code stays with its grant: it ends that if it comes again.
    expect(tables.map(left)).toEqual([0, 1, 1, 1]);
  } finally {
    await again.stop();
  }
});
