import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done } from "../../support/expectations";
import { externalUser, newUser, staff } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  asClient,
  basic,
  codeFor,
  errorOf,
  exchange,
  newClient,
  postForm,
  refresh,
  type TestClient,
  tokensFor,
} from "./support";

/** The endpoints that clients call: authentication, forms, errors, lifetimes, CORS, limits. */
let server: TestServer;
let client: TestClient;
let publicClient: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  client = await newClient(server, {}, { approved: ["gps:read", "devices:read"] });
  publicClient = await newClient(server, { client_type: "public" });
});
afterAll(() => server.stop());

const member = async () => (await externalUser(server)).token;
const credentials = { grant_type: "client_credentials" };
const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  postForm(server, "/oauth/token", form, headers);

describe("a client authenticates", () => {
  test("by Basic, whose parts are encoded as in a form, or by the form", async () => {
    const { id, secret } = client as { id: string; secret: string };
    expect((await ask(credentials, basic(id, secret))).status).toBe(200);
    expect((await ask({ ...credentials, client_id: id }, basic(id, secret))).status).toBe(200);
    expect((await ask({ ...credentials, ...asClient(client) })).status).toBe(200);
    const upper = { ...credentials, client_id: id.toUpperCase(), client_secret: secret };
    expect((await ask(upper)).status).toBe(200);
  });

  test("in one way alone", async () => {
    const { id, secret } = client as { id: string; secret: string };
    const both = await ask({ ...credentials, client_id: id, client_secret: secret }, basic(id, secret));
    expect(errorOf(both)).toEqual([400, "invalid_request"]);
    const other = await ask({ ...credentials, client_id: publicClient.id }, basic(id, secret));
    expect(errorOf(other)).toEqual([400, "invalid_request"]);
  });

  test("else gets 401 invalid_client, the same for whatever is wrong", async () => {
    const { id, secret } = client as { id: string; secret: string };
    const off = await newClient(server);
    const path = `/v1/oauth/clients/${off.id}`;
    done(await server.patch(path, { token: await server.admin(), body: { is_active: false } }));
    const answers = await Promise.all([
      ask(credentials),
      ask({ ...credentials, client_id: id }),
      ask({ ...credentials, client_id: id, client_secret: "fls_wrong" }),
      ask({ ...credentials, client_id: id, client_secret: "" }),
      ask({ ...credentials, client_id: "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01", client_secret: secret }),
      ask({ ...credentials, client_id: "no uuid", client_secret: secret }),
      ask({ ...credentials, ...asClient(off) }),
      ask(credentials, basic(id, `${secret}x`)),
      ask(credentials, { authorization: "Basic !!!" }),
      ask(credentials, { authorization: `Basic ${btoa("nocolon")}` }),
      ask(credentials, { authorization: `Basic ${btoa("%zz:%zz")}` }),
      ask(credentials, { authorization: `Bearer ${secret}` }),
      // One that keeps no secret sends none.
      ask({ ...credentials, client_id: publicClient.id, client_secret: "fls_x" }),
    ]);
    const [first] = answers;
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([401, first?.body]);
      expect(headers.get("www-authenticate")).toStartWith("Basic realm=");
    }
    expect(first?.body.error).toBe("invalid_client");
  });

  test("with its newest secret alone; one that became public without any", async () => {
    const own = await newClient(server, {}, { approved: ["gps:read"] });
    const path = `/v1/oauth/clients/${own.id}`;
    const token = await server.admin();
    const { client_secret } = done(await server.post(`${path}/regenerate-secret`, { token, body: {} }));
    expect(errorOf(await ask({ ...credentials, ...asClient(own) }))).toEqual([401, "invalid_client"]);
    expect((await ask({ ...credentials, ...asClient({ ...own, secret: client_secret }) })).status).toBe(200);
    done(await server.patch(path, { token, body: { client_type: "public" } }));
    const bare = await ask({ ...credentials, client_id: own.id });
    expect(errorOf(bare)).toEqual([400, "unauthorized_client"]);
    done(await server.patch(path, { token, body: { client_type: "confidential" } }));
    expect(errorOf(await ask({ ...credentials, client_id: own.id }))).toEqual([401, "invalid_client"]);
    expect(errorOf(await ask({ ...credentials, client_id: own.id, client_secret: "" }))).toEqual([
      401,
      "invalid_client",
    ]);
  });
});

describe("a form", () => {
  test.each([
    ["no grant_type", {}, [400, "invalid_request"]],
    ["an unknown grant_type", { grant_type: "magic" }, [400, "unsupported_grant_type"]],
    ["no code", { grant_type: "authorization_code" }, [400, "invalid_request"]],
    ["no refresh token", { grant_type: "refresh_token" }, [400, "invalid_request"]],
    [
      "an unknown refresh token",
      { grant_type: "refresh_token", refresh_token: "flr_x" },
      [400, "invalid_grant"],
    ],
    ["a scope that isn't approved", { ...credentials, scope: "trips:read" }, [400, "invalid_scope"]],
    ["a wildcard", { ...credentials, scope: "gps:*" }, [400, "invalid_scope"]],
    ["no known scope", { ...credentials, scope: "address phone" }, [400, "invalid_scope"]],
  ] as const)("with %s is refused", async (_, form, refusal) => {
    expect(errorOf(await ask({ ...asClient(client), ...form }))).toEqual(refusal as [number, string]);
  });

  test("with a parameter twice, of another type, or too large is refused", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = new URLSearchParams({ ...asClient(client), ...credentials });
    const twice = await server.request("POST", "/oauth/token", {
      raw: `${form}&scope=gps:read&scope=x`,
      headers,
    });
    expect(errorOf(twice)).toEqual([400, "invalid_request"]);
    const json = await server.post("/oauth/token", { body: Object.fromEntries(form) });
    expect(json.status).toBe(415);
    const large = await server.request("POST", "/oauth/token", {
      raw: `${form}&x=${"x".repeat(40_000)}`,
      headers,
    });
    expect(large.status).toBe(413);
    expect((await server.request("POST", "/oauth/token", { raw: "", headers })).status).toBe(401);
    const many = Array.from({ length: 100 }, (_, at) => `p${at}=1`).join("&");
    expect((await server.request("POST", "/oauth/token", { raw: many, headers })).status).toBe(400);
  });

  test("with parameters that nobody knows counts without them", async () => {
    const answer = await ask({ ...asClient(client), ...credentials, resource: "x", audience: "y" });
    expect([answer.status, answer.body.scope]).toEqual([200, "gps:read devices:read"]);
  });
});

describe("a code", () => {
  test("counts for 60 seconds", async () => {
    const late = await codeFor(server, client, await member());
    await server.advance(61_000);
    expect(errorOf(await exchange(server, client, late.code, late.verifier))).toEqual([400, "invalid_grant"]);
    const timely = await codeFor(server, client, await member());
    await server.advance(30_000);
    expect((await exchange(server, client, timely.code, timely.verifier)).status).toBe(200);
  });

  test("gives nothing once its user may not sign in, its session or its client ended", async () => {
    const admin = await server.admin();
    const banned = await externalUser(server);
    const ofBanned = await codeFor(server, client, banned.token);
    done(await server.post(`/v1/users/${banned.id}/ban`, { token: admin, body: {} }));
    const leaving = await externalUser(server);
    const ofLeaving = await codeFor(server, client, leaving.token);
    done(await server.post("/v1/auth/logout", { token: leaving.token }));
    for (const { code, verifier } of [ofBanned, ofLeaving])
      expect(errorOf(await exchange(server, client, code, verifier))).toEqual([400, "invalid_grant"]);
  });

  test("answers tokens that no cache keeps", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), { scope: "openid gps:read" });
    const { status, body, headers } = await exchange(server, client, code, verifier);
    expect(status).toBe(200);
    expect([headers.get("cache-control"), headers.get("pragma")]).toEqual(["no-store", "no-cache"]);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^fla_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 900,
      scope: "openid gps:read",
      id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
  });
});

describe("a client that acts for itself", () => {
  test("may do what is approved for it, as far as its owner may", async () => {
    const owner = await staff(server, "gps:read");
    const acting = await newClient(
      server,
      {},
      { approved: ["gps:read", "devices:read"], token: owner.token },
    );
    const { access_token: token } = done(await ask({ ...asClient(acting), ...credentials }));
    expect((await server.get("/v1/gps", { token })).status).toBe(200);
    expect((await server.get("/v1/devices", { token })).status).toBe(403);
    done(await server.post(`/v1/users/${owner.id}/ban`, { token: await server.admin(), body: {} }));
    expect((await server.get("/v1/gps", { token })).status).toBe(401);
    expect(errorOf(await ask({ ...asClient(acting), ...credentials }))).toEqual([401, "invalid_client"]);
  });

  test("is confidential, and has something approved", async () => {
    expect(errorOf(await ask({ ...credentials, client_id: publicClient.id }))).toEqual([
      400,
      "unauthorized_client",
    ]);
    const bare = await newClient(server);
    expect(errorOf(await ask({ ...asClient(bare), ...credentials }))).toEqual([400, "invalid_scope"]);
  });
});

describe("revocation (RFC 7009)", () => {
  test("ends an access token alone, and a refresh token with all of its sign-in", async () => {
    const session = await member();
    const tokens = await tokensFor(server, client, session, "openid profile offline_access");
    const next = done(await refresh(server, client, tokens.refresh_token));
    const revoke = (token: string, more = {}) =>
      postForm(server, "/oauth/revoke", { ...asClient(client), token, ...more });
    const live = async (token: string) => (await server.get("/v1/users/me", { token })).status;
    expect((await revoke(tokens.access_token, { token_type_hint: "refresh_token" })).status).toBe(200);
    expect([await live(tokens.access_token), await live(next.access_token)]).toEqual([401, 200]);
    const gone = await revoke(next.refresh_token, { token_type_hint: "access_token" });
    expect([gone.status, gone.body]).toEqual([200, null]);
    expect(await live(next.access_token)).toBe(401);
    // A token that is gone, or never was, is no error (RFC 7009, section 2.2).
    for (const token of [next.refresh_token, tokens.access_token, "fla_never", "x"])
      expect((await revoke(token)).status).toBe(200);
  });

  test("is for the client of the token, authenticated", async () => {
    const tokens = await tokensFor(server, client, await member(), "profile offline_access");
    const form = { token: tokens.refresh_token };
    const path = "/oauth/revoke";
    expect(errorOf(await postForm(server, path, { ...form, client_id: publicClient.id }))).toEqual([
      400,
      "invalid_grant",
    ]);
    expect(errorOf(await postForm(server, path, { ...form, client_id: client.id }))).toEqual([
      401,
      "invalid_client",
    ]);
    expect(errorOf(await postForm(server, path, asClient(client)))).toEqual([400, "invalid_request"]);
    expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  });
});

describe("pages of other origins", () => {
  const origin = "https://spa.example";

  test.each(["/oauth/token", "/oauth/userinfo", "/oauth/revoke", "/oauth/jwks"])(
    "may call %s",
    async (path) => {
      const preflight = await fetch(server.url + path, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization",
        },
      });
      expect(preflight.status).toBe(204);
      const read = await fetch(server.url + path, {
        method: path === "/oauth/jwks" ? "GET" : "POST",
        headers: { origin },
      });
      for (const { headers } of [preflight, read]) {
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.has("access-control-allow-credentials")).toBe(false);
        expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
      }
    },
  );

  test("may read the configuration, and none of the pages, nor the API beside", async () => {
    for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
      const { headers } = await fetch(server.url + path, { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
    for (const path of ["/oauth/authorize", "/oauth/continue", "/oauth/logout", "/v1/users/me"]) {
      const { headers } = await fetch(server.url + path, { headers: { origin } });
      expect(headers.has("access-control-allow-origin")).toBe(false);
    }
  });
});

test("requests of one address are limited, and the answer says until when", async () => {
  const limited = await TestServer.start({
    settings: { "rate_limit.enabled": "true", "rate_limit.oauth": "5/60" },
  });
  try {
    const statuses = [];
    for (let at = 0; at < 7; at++) statuses.push((await postForm(limited, "/oauth/token", {})).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const pages = [];
    for (let at = 0; at < 6; at++) pages.push(await fetch(`${limited.url}/oauth/authorize`));
    expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429]);
    expect(pages[5]?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await pages[5]?.text()).toContain("Too many tries.");
  } finally {
    await limited.stop();
  }
});

test("a consent has at most 50 sign-ins at a time: the oldest ones end", async () => {
  const own = await newClient(server, { is_first_party: true });
  const session = await member();
  const first = await tokensFor(server, own, session, "profile offline_access");
  for (let at = 0; at < 50; at++) await codeFor(server, own, session, { scope: "profile offline_access" });
  const held = rows<{ n: number }>(
    server,
    "SELECT count(*) AS n FROM oauth_grants WHERE client_id = ?",
    own.id,
  );
  expect(held[0]?.n).toBe(50);
  expect((await server.get("/v1/users/me", { token: first.access_token })).status).toBe(401);
});

test("the issuer is server.public_url where it is set, whatever address is asked", async () => {
  const port = String(20_000 + Math.floor(Math.random() * 20_000));
  const own = await TestServer.start({
    settings: { "server.public_url": "https://boat.example.org/fairlead/", "server.port": port },
  });
  try {
    const { body } = await own.get("/.well-known/openid-configuration");
    expect(body).toMatchObject({
      issuer: "https://boat.example.org/fairlead",
      token_endpoint: "https://boat.example.org/fairlead/oauth/token",
    });
    const other = await own.get("/.well-known/oauth-authorization-server");
    expect(other.body).toEqual(body);
    const user = await newUser(own);
    const { answer } = await codeFor(own, await newClient(own), user.token);
    expect(answer.iss).toBe("https://boat.example.org/fairlead");
  } finally {
    await own.stop();
  }
});
