import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newHolder, requestOptions, withPasskey } from "../identity/passkeys/support";
import { challenge, guarded } from "../identity/two-factor/support";
import type { Answer, RequestOptions } from "../support/api";
import { expectRefused, expectStatus } from "../support/expectations";
import { newUser, type User } from "../support/people";
import { ADMIN, TestServer } from "../support/server";
import { Client } from "../support/socket";
import { MINUTE } from "../support/time";

/** The session of a page: a cookie beside a header. */

let server: TestServer;
let proxied: TestServer;
beforeAll(async () => {
  const settings = {
    "server.trusted_proxies": "127.0.0.0/8",
    "server.cors_origins": "https://app.example.org",
    "rate_limit.login": "10/60",
    "rate_limit.enabled": "true",
  };
  [server, proxied] = await Promise.all([
    TestServer.start({ clock: "movable", settings: { "rate_limit.enabled": "false" } }),
    TestServer.start({ settings }),
  ]);
});
afterAll(() => Promise.all([server.stop(), proxied.stop()]));

const PAGE = { "x-fairlead-page": "1" };
const signIn = (
  to: TestServer,
  fields: object = {},
  headers: Record<string, string> = PAGE,
): Promise<Answer> =>
  to.post("/bridge/session", {
    headers,
    body: { identifier: ADMIN.username, password: ADMIN.password, ...fields },
  });
/** The cookie of an answer as a browser sends it back. */
const cookieOf = ({ headers }: Answer): string => headers.get("set-cookie")?.split(";")[0] ?? "";
const signedIn = async (to: TestServer): Promise<string> => cookieOf(expectStatus(await signIn(to), 200));
const me = (to: TestServer, headers: Record<string, string>, options: RequestOptions = {}) =>
  to.get("/v1/users/me", { headers, ...options });

describe("a sign-in", () => {
  test("puts the token into a cookie that no script reads, and nowhere else", async () => {
    const answer = expectStatus(await signIn(server), 200);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^fairlead_session=ses_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toMatchObject({ username: ADMIN.username, requires_2fa: false });
    expect(JSON.stringify(answer.body)).not.toContain("ses_");
  });

  test("outlives the browser on wish, as long as the session", async () => {
    const answer = expectStatus(await signIn(server, { stay_signed_in: true }), 200);
    const [, seconds] = /; Max-Age=(\d+)$/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
    const left = (Date.parse(answer.body.expires_at) - server.time) / 1_000;
    expect(Math.abs(Number(seconds) - left)).toBeLessThan(60);
  });

  test("is told of without an error, before it and after its end", async () => {
    const isOpen = async (headers: Record<string, string>) =>
      expectStatus(await server.get("/bridge/session", { headers }), 200).body.is_open;
    const cookie = await signedIn(server);
    expect(await isOpen(PAGE)).toBe(false);
    expect(await isOpen({ ...PAGE, cookie: `fairlead_session=ses_${"x".repeat(43)}` })).toBe(false);
    expect(await isOpen({ ...PAGE, cookie })).toBe(true);
    expectRefused(await server.get("/bridge/session", { headers: { cookie } }), 401, "Unauthorized");
    expectStatus(await server.delete("/bridge/session", { headers: { ...PAGE, cookie } }), 204);
    expect(await isOpen({ ...PAGE, cookie })).toBe(false);
  });

  test("over https takes a name that no other host can set", async () => {
    const https = { ...PAGE, "x-forwarded-proto": "https" };
    const answer = expectStatus(await signIn(proxied, {}, https), 200);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-fairlead_session=ses_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
    );
    const cookie = cookieOf(answer);
    expectStatus(await me(proxied, { ...https, cookie }), 200);
    // Set by somebody else, the other name counts for nothing beside it.
    expectStatus(
      await me(proxied, { ...https, cookie: `fairlead_session=ses_${"x".repeat(43)}; ${cookie}` }),
      200,
    );
  });

  test("at its end has browsers clear what they keep of it", async () => {
    const https = { ...PAGE, "x-forwarded-proto": "https" };
    const cookie = cookieOf(expectStatus(await signIn(proxied, {}, https), 200));
    const answer = expectStatus(
      await proxied.delete("/bridge/session", { headers: { ...https, cookie } }),
      204,
    );
    expect(answer.headers.get("clear-site-data")).toBe('"cache", "storage"');
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-fairlead_session=; .*Max-Age=0/);
  });

  test.each([
    ["without the header", {}],
    ["with another header", { "x-fairlead-page": "true" }],
    ["from a foreign page", { ...PAGE, origin: "https://evil.example" }],
  ])("%s is refused", async (_, headers) => {
    const answer = await signIn(server, {}, headers as Record<string, string>);
    expectRefused(answer, 401, "Unauthorized");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("with a wrong password sets no cookie", async () => {
    const answer = await signIn(server, { password: "wrong" });
    expectRefused(answer, 401, "Unauthorized");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("counts against the limit of sign-ins", async () => {
    const answers = [];
    for (let attempt = 0; attempt < 12; attempt++)
      answers.push(
        (await signIn(proxied, { password: "wrong" }, { ...PAGE, "x-forwarded-for": "203.0.113.9" })).status,
      );
    expect(answers).toContain(429);
  });
});

describe("the cookie counts", () => {
  test("for REST and GraphQL beside the header alone", async () => {
    const cookie = await signedIn(server);
    const query = { body: { query: "{ roles { name } }" } };
    const without: Record<string, string>[] = [
      { cookie },
      { cookie, origin: server.url },
      { cookie, "x-fairlead-page": "0" },
    ];
    for (const headers of without) {
      expectRefused(await me(server, headers), 401, "Unauthorized");
      const { body } = await server.post("/v1/graphql", {
        ...query,
        headers: headers as Record<string, string>,
      });
      expect(body.data?.roles ?? null).toBeNull();
    }
    for (const headers of [
      { ...PAGE, cookie },
      { ...PAGE, cookie, origin: server.url },
    ]) {
      expect(expectStatus(await me(server, headers), 200).body.data.username).toBe(ADMIN.username);
      const { body } = await server.post("/v1/graphql", { ...query, headers });
      expect(body.data.roles.length).toBeGreaterThan(0);
    }
  });

  test("for no foreign origin, an allowed one of CORS among them", async () => {
    const cookie = await signedIn(proxied);
    for (const origin of ["https://evil.example", "https://app.example.org", "null", `${proxied.url}0`])
      expectRefused(await me(proxied, { ...PAGE, cookie, origin }), 401, "Unauthorized");
  });

  test("for nothing where Authorization is sent", async () => {
    const cookie = await signedIn(server);
    expectRefused(await me(server, { ...PAGE, cookie }, { token: "nonsense" }), 401, "Unauthorized");
    const user = await newUser(server);
    expect((await me(server, { ...PAGE, cookie }, { token: user.token })).body.data.username).toBe(
      user.username,
    );
  });

  test("as a session, never as a key", async () => {
    const cookie = `fairlead_session=${await server.key("gps:read")}`;
    expectRefused(await me(server, { ...PAGE, cookie }), 401, "Unauthorized");
  });

  test("for the socket under both names, from pages of the server", async () => {
    const token = (await signedIn(server)).split("=")[1] as string;
    for (const name of ["fairlead_session", "__Host-fairlead_session"]) {
      const client = await Client.open(server, {
        headers: { cookie: `${name}=${token}`, origin: server.url },
      });
      expect((await client.ask({ type: "subscribe", channel: "gps" })).type).toBe("message");
      await client.close();
    }
  });

  test("and CORS tells no page of it", async () => {
    const { headers } = await fetch(`${proxied.url}/v1/users/me`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example.org", "access-control-request-method": "GET" },
    });
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example.org");
    expect(headers.get("access-control-allow-headers")?.toLowerCase()).not.toContain("fairlead");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a sign-in that is older than ten minutes", () => {
  test("makes no key on a page until it is proved again, whatever is configured for others", async () => {
    const cookie = await signedIn(server);
    const token = cookie.split("=")[1] as string;
    const key = (options: RequestOptions, name: string) =>
      server.post("/v1/api-keys", { ...options, body: { name, scopes: ["gps:read"] } });
    const onPage = { headers: { ...PAGE, cookie } };
    expectStatus(await key(onPage, "at once"), 201);
    await server.advance(11 * MINUTE);
    const keys = async () => expectStatus(await server.get("/v1/api-keys", { token }), 200).body.data.length;
    const before = await keys();
    expect(before).toBeGreaterThan(0);
    expectRefused(await key(onPage, "too late"), 403, "ReauthenticationRequired");
    expect(await keys()).toBe(before);
    const proof = { password: ADMIN.password };
    const renewed = await server.post("/v1/auth/reauthenticate", { ...onPage, body: proof });
    expect(Date.parse(expectStatus(renewed, 200).body.expires_at) - server.time).toBeGreaterThan(9 * MINUTE);
    expectStatus(await key(onPage, "proved"), 201);
    // auth.reauthentication_minutes is 0 here: apps with a token of their own are asked for nothing.
    await server.advance(11 * MINUTE);
    expectStatus(await key({ token }, "by an app"), 201);
  });
});

describe("signing out", () => {
  test("ends the session and clears the cookie", async () => {
    const cookie = await signedIn(server);
    expectRefused(await server.delete("/bridge/session", { headers: { cookie } }), 401, "Unauthorized");
    const answer = expectStatus(
      await server.delete("/bridge/session", { headers: { ...PAGE, cookie } }),
      204,
    );
    expect(answer.headers.get("set-cookie")).toBe(
      "fairlead_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
    );
    expectRefused(await me(server, { ...PAGE, cookie }), 401, "Unauthorized");
  });
});

describe("a download", () => {
  const make = async (cookie: string, path: string, headers: Record<string, string> = PAGE) =>
    server.post("/bridge/downloads", { headers: { ...headers, cookie }, body: { path } });
  const open = (url: string) => fetch(`${server.url}/${url}`);

  test("is opened once, without any header, and gives what its path does", async () => {
    const { id } = await server.device();
    const cookie = await signedIn(server);
    const path = `/v1/devices/${id}/track?format=gpx&from=2026-01-01`;
    const { url, expires_at } = expectStatus(await make(cookie, path), 201).body.data;
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(server.time + MINUTE);
    const answer = await open(url);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/gpx+xml"]);
    expect(answer.headers.get("content-disposition")).toStartWith("attachment");
    expect(await answer.text()).toContain("<gpx ");
    expect((await open(url)).status).toBe(404);
  });

  test("ends after a minute, and with its session", async () => {
    const cookie = await signedIn(server);
    const late = (await make(cookie, "/v1/devices")).body.data.url;
    await server.advance(MINUTE);
    expect((await open(late)).status).toBe(404);
    const orphan = (await make(cookie, "/v1/devices")).body.data.url;
    expectStatus(await server.delete("/bridge/session", { headers: { ...PAGE, cookie } }), 204);
    expect((await open(orphan)).status).toBe(404);
  });

  test("shows no more than its maker may see", async () => {
    const user: User = await newUser(server);
    const cookie = cookieOf(await signIn(server, { identifier: user.username, password: user.password }));
    const { url } = expectStatus(await make(cookie, "/v1/users"), 201).body.data;
    expect((await open(url)).status).toBe(403);
  });

  test.each([
    ["//evil.example/v1/x"],
    ["/v1/../metrics"],
    ["/bridge/downloads/x"],
    ["https://evil.example"],
    ["/v1/%2e%2e/x"],
  ])("of %s is refused", async (path) => {
    const cookie = await signedIn(server);
    const { status } = await make(cookie, path);
    expect([400, 422]).toContain(status);
  });

  test("is made by a page alone, and unknown ones are 404", async () => {
    const cookie = await signedIn(server);
    expectRefused(await make(cookie, "/v1/devices", {}), 401, "Unauthorized");
    const token = await server.admin();
    const bare = await server.post("/bridge/downloads", { token, body: { path: "/v1/devices" } });
    expectRefused(bare, 401, "Unauthorized");
    expect((await open(`bridge/downloads/${"x".repeat(43)}`)).status).toBe(404);
  });
});

describe("a sign-in by a passkey", () => {
  test("puts the token into a cookie and nowhere else, and is for pages alone", async () => {
    const { authenticator } = await newHolder(server);
    const answered = async () => ({ credential: await authenticator.get(await requestOptions(server)) });
    const path = "/bridge/session/passkey";
    expectRefused(await server.post(path, { body: await answered() }), 401, "Unauthorized");
    const answer = expectStatus(await server.post(path, { headers: PAGE, body: await answered() }), 200);
    expect(answer.headers.get("set-cookie")).toMatch(/^fairlead_session=ses_[\w-]{43}; HttpOnly;/);
    expect(answer.body).toMatchObject({ provider: "passkey", requires_2fa: false });
    expect(JSON.stringify(answer.body)).not.toContain("ses_");
    const stays = { ...(await answered()), stay_signed_in: true };
    const kept = expectStatus(await server.post(path, { headers: PAGE, body: stays }), 200);
    expect(kept.headers.get("set-cookie")).toContain("Max-Age=");
  });

  test("beside a password does the same", async () => {
    const user = await withPasskey(server, await guarded(server));
    const temp_token = await challenge(server, user);
    const { public_key } = expectStatus(
      await server.post("/v1/auth/2fa/passkey/options", { body: { temp_token } }),
      200,
    ).body;
    const body = { temp_token, credential: await user.authenticator.get(public_key) };
    const path = "/bridge/session/2fa/passkey";
    expectRefused(await server.post(path, { body }), 401, "Unauthorized");
    const answer = expectStatus(await server.post(path, { headers: PAGE, body }), 200);
    expect(answer.headers.get("set-cookie")).toMatch(/^fairlead_session=ses_[\w-]{43}; HttpOnly;/);
    expect(JSON.stringify(answer.body)).not.toContain("ses_");
  });
});
