import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, RequestOptions, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { expectRefused } from "../../support/expectations";
import { type ExternalUser, externalUser } from "../../support/people";
import { TestServer } from "../../support/server";

/**
 * Self is a session of the user whom the path names (rule C5). An API key, the user's own as well, needs the
 * permission.
 */
type Route = [method: string, rest: string, options: RequestOptions];

const READS: Route[] = [
  "",
  "/profile",
  "/permissions",
  "/roles",
  "/email/pending",
  "/email-link/pending",
  "/accounts",
  "/ban",
].map((rest) => ["GET", rest, {}]);

/** Each with options that pass the guard and then change nothing. */
const WRITES: Route[] = [
  ["PATCH", "", { body: {} }],
  ["PATCH", "/locale", { body: { locale: "xx" } }],
  ["PATCH", "/username", { body: { username: "-" } }],
  ["POST", "/email/request-change", { body: { email: "-" } }],
  ["DELETE", "/email/pending", {}],
  ["POST", "/email-link/request", { body: { email: "-" } }],
  ["DELETE", "/email-link/pending", {}],
  ["PUT", "/accounts/-/primary", {}],
  ["DELETE", "/accounts/-", {}],
];

/** Only others do these to a user: self doesn't help. */
const NOT_SELF: Route[] = [
  ["POST", "/roles", { body: { role_id: "-" } }],
  ["DELETE", "/roles/role_user", {}],
  ["DELETE", "", {}],
  ["POST", "/ban", { body: {} }],
  ["DELETE", "/ban", {}],
  ["GET", "/bans", {}],
];

let server: TestServer;
let user: ExternalUser;
let other: ExternalUser;
let userKey: Token;
beforeAll(async () => {
  server = await TestServer.start();
  [user, other] = [await externalUser(server), await externalUser(server)];
  userKey = (await commandLineKey(server, { owner: user.username, scopes: ["*:*"] })).key;
});
afterAll(() => server.stop());

const ask = (method: string, rest: string, options: RequestOptions, token?: Token, id = user.id) =>
  server.request(method, `/v1/users/${id}${rest}`, { ...options, ...(token && { token }) });
const isLetIn = ({ status }: Answer) => ![401, 403, 405, 500].includes(status);

const PERMISSIONS: [permission: string, routes: Route[]][] = [
  ["users:read", READS],
  ["users:write", WRITES],
];
describe.each(PERMISSIONS)("%s or self", (permission, routes) => {
  test.each(routes)(
    "%s %s lets in a session of the user, and nobody else's",
    async (method, rest, options) => {
      expect(isLetIn(await ask(method, rest, options, user.token))).toBe(true);
      expect(isLetIn(await ask(method, rest, options, user.token, user.id.toUpperCase()))).toBe(true);
      expectRefused(await ask(method, rest, options, other.token), 403, "Forbidden");
      expectRefused(await ask(method, rest, options, user.token, other.id), 403, "Forbidden");
      expectRefused(await ask(method, rest, options), 401, "Unauthorized");
    },
  );

  test.each(routes)(
    "%s %s lets in a key with the permission, and no key without",
    async (method, rest, options) => {
      expectRefused(await ask(method, rest, options, userKey), 403, "Forbidden");
      const opposite = permission === "users:read" ? "users:write" : "users:read";
      const wrong = await server.key(opposite, "users:delete", "users:ban", "roles:write");
      expectRefused(await ask(method, rest, options, wrong), 403, "Forbidden");
      expect(isLetIn(await ask(method, rest, options, await server.key(permission)))).toBe(true);
      expect(isLetIn(await ask(method, rest, options, server.systemKey))).toBe(true);
    },
  );

  test.each(routes)("%s %s refuses a stranger before it looks at what was sent", async (method, rest) => {
    const raw = { raw: "{ no JSON", headers: { "content-type": "application/json" } };
    const sent = method === "GET" ? {} : raw;
    expectRefused(await ask(method, rest, sent, other.token), 403, "Forbidden");
    expectRefused(await ask(method, rest, sent, other.token, "not-a-uuid"), 403, "Forbidden");
    expectRefused(await ask(method, rest, sent), 401, "Unauthorized");
  });
});

test.each(NOT_SELF)("%s %s refuses the user: it is for others alone", async (method, rest, options) => {
  for (const token of [user.token, userKey])
    expectRefused(await ask(method, rest, options, token), 403, "Forbidden");
});

describe("me in place of the identifier", () => {
  test.each(READS)("%s %s answers as for the user of the session", async (method, rest, options) => {
    const own = await ask(method, rest, options, user.token);
    const mine = await ask(method, rest, options, user.token, "me");
    // The user alone answers more to `me`: see tests/identity/users/users.test.ts.
    const expected = rest === "" ? { ...own.body.data, id: user.id } : own.body;
    expect(mine.status).toBe(200);
    expect(rest === "" ? mine.body.data : mine.body).toMatchObject(expected);
  });

  test.each(WRITES)(
    "%s %s stands for the user of the session, and no other",
    async (method, rest, options) => {
      const own = await ask(method, rest, options, user.token);
      const { status, body } = await ask(method, rest, options, user.token, "me");
      expect({ status, error: body?.error }).toEqual({ status: own.status, error: own.body?.error });
    },
  );

  test("changes the user of the session", async () => {
    const { status, body } = await ask("PATCH", "/locale", { body: { locale: "de" } }, user.token, "me");
    expect({ status, id: body.data.id, locale: body.data.preferred_locale }).toEqual({
      status: 200,
      id: user.id,
      locale: "de",
    });
    expect(body._links.self).toBe(`/v1/users/${user.id}`);
    expect((await ask("GET", "", {}, other.token, other.id)).body.data.preferred_locale).toBeNull();
  });

  test("is no way to what only others may do", async () => {
    for (const [method, rest, options] of NOT_SELF)
      expectRefused(await ask(method, rest, options, user.token, "me"), 403, "Forbidden");
  });

  test("works where the caller holds the permission, under /v1/admin too", async () => {
    const admin = await server.admin();
    const status = await server.get("/v1/admin/users/me/deletion-status", { token: admin });
    expect({ status: status.status, body: status.body }).toMatchObject({
      status: 200,
      body: { is_deleted: false },
    });
    expect((await server.get("/v1/users/me/bans", { token: admin })).body.data).toEqual([]);
  });

  test("is no identifier to an API key, nor where {id} names another record", async () => {
    for (const token of [await server.key("users:read"), server.systemKey])
      expect((await ask("GET", "/permissions", {}, token, "me")).status).toBe(400);
    expectRefused(await ask("GET", "/permissions", {}, userKey, "me"), 403, "Forbidden");
    expectRefused(await ask("GET", "/permissions", {}, undefined, "me"), 401, "Unauthorized");
    expect((await server.get("/v1/devices/me", { token: await server.admin() })).status).toBe(400);
  });
});

test("self ends with the session", async () => {
  const leaver = await externalUser(server);
  const path = `/v1/users/${leaver.id}`;
  expect((await server.get(path, { token: leaver.token })).status).toBe(200);
  expect((await server.post("/v1/auth/logout", { token: leaver.token })).status).toBe(200);
  expectRefused(await server.get(path, { token: leaver.token }), 401, "Unauthorized");
});

test("no operation lets a user in as self but those of this test", async () => {
  const { paths } = (await server.contract()).document;
  const known = [...READS, ...WRITES].map(
    ([method, rest]) => `${method} ${rest.replace(/-(?=\/|$)/, "{account_id}")}`,
  );
  const letIn: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith("/v1/users/{id}")) continue;
    const rest = path.slice("/v1/users/{id}".length);
    for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
      // An array is no valid body: a caller who is let in gets a 400.
      const options = ["GET", "DELETE"].includes(method) ? {} : { body: [] };
      const answer = await ask(method, rest.replace(/\{\w+\}/g, user.accountId), options, user.token);
      if (isLetIn(answer)) letIn.push(`${method} ${rest}`);
    }
  }
  expect(letIn.sort()).toEqual(known.sort());
});
