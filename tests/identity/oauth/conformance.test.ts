import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { done } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { Agent } from "./agent";
import {
  asClient,
  authorizationOf,
  basic,
  CALLBACK,
  claimsOf,
  codeFor,
  exchange,
  newClient,
  postForm,
  refresh,
  type TestClient,
  type TestTokens,
} from "./support";

/**
 * The modules of the OpenID conformance suite's plan `oidcc-basic-certification-test-plan` (and two of its plans for
 * configuration and logout), by their names, as far as they can be stated without the suite: each with what was seen. All
 * requests carry PKCE, which the suite adds by its configuration. Where something is refused or left out on purpose, the
 * table says so.
 */
let server: TestServer;
let user: User;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  user = await newUser(server);
  client = await newClient(server, { post_logout_redirect_uris: ["https://app.example/bye"] });
});
afterAll(() => server.stop());

/** A browser in which the user is signed in by the page, and has agreed to all scopes. */
async function knownAgent(changes: Record<string, string | null> = {}): Promise<Agent> {
  const agent = new Agent(server);
  const { url } = authorizationOf(server, client, {
    scope: "openid profile email offline_access",
    ...changes,
  });
  await agent.open(url);
  await agent.signIn(user.username, user.password);
  if (agent.shown.status === 200) await agent.submit({ decision: "allow" });
  return agent;
}

/** Sends a browser with a request, and tells what comes: a code, an error at the client, or the title of a page. */
async function seen(agent: Agent, changes: Record<string, string | null>): Promise<string> {
  await agent.open(authorizationOf(server, client, changes).url);
  if (agent.shown.url.startsWith(server.url)) return `page ${agent.shown.status}: ${agent.title}`;
  return agent.answer.code ? "code" : `error ${agent.answer.error}`;
}

async function tokens(agent: Agent, changes: Record<string, string | null> = {}): Promise<TestTokens> {
  const { url, verifier } = authorizationOf(server, client, changes);
  await agent.open(url);
  return done(await exchange(server, client, agent.answer.code ?? "", verifier));
}

const claims = async (changes: Record<string, string | null>): Promise<Record<string, unknown>> => {
  const { access_token } = await tokens(await knownAgent(), changes);
  return done(await server.get("/oauth/userinfo", { token: access_token }));
};
const names = (object: object): string => Object.keys(object).sort().join(" ");

const TABLE: [module: string, see: () => Promise<unknown>, seen: unknown][] = [
  [
    "oidcc-server",
    async () => {
      const { id_token, ...rest } = await tokens(await knownAgent(), { nonce: "n-1" });
      const { body } = await server.get("/oauth/jwks");
      const { payload, protectedHeader } = await jwtVerify(id_token, createLocalJWKSet(body), {
        issuer: server.url,
        audience: client.id,
        currentDate: new Date(server.time),
      });
      return [names(rest), names(payload), protectedHeader.alg, payload.sub === user.id, payload.nonce];
    },
    [
      "access_token expires_in scope token_type",
      "acr amr at_hash aud auth_time exp iat iss nonce sid sub",
      "ES256",
      true,
      "n-1",
    ],
  ],
  [
    "oidcc-response-type-missing",
    async () => seen(await knownAgent(), { response_type: null }),
    "page 400: Crew app made a mistake",
  ],
  ["oidcc-userinfo-get", async () => (await claims({})).sub === user.id, true],
  [
    "oidcc-userinfo-post-header",
    async () => {
      const { access_token } = await tokens(await knownAgent());
      return (await server.post("/oauth/userinfo", { token: access_token })).body.sub === user.id;
    },
    true,
  ],
  [
    "oidcc-userinfo-post-body (optional; left out: tokens come in the header alone)",
    async () => {
      const { access_token } = await tokens(await knownAgent());
      return (await postForm(server, "/oauth/userinfo", { access_token })).status;
    },
    401,
  ],
  [
    "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
    async () => "nonce" in claimsOf((await tokens(await knownAgent(), { nonce: null })).id_token),
    false,
  ],
  [
    "oidcc-scope-profile",
    async () => names(await claims({ scope: "openid profile" })),
    "name preferred_username sub updated_at",
  ],
  [
    "oidcc-scope-email",
    async () => names(await claims({ scope: "openid email" })),
    "email email_verified sub",
  ],
  [
    "oidcc-scope-address (no such claims: ignored)",
    async () => names(await claims({ scope: "openid address" })),
    "sub",
  ],
  ["oidcc-scope-phone (likewise)", async () => names(await claims({ scope: "openid phone" })), "sub"],
  [
    "oidcc-scope-all",
    async () => names(await claims({ scope: "openid profile email address phone" })),
    "email email_verified name preferred_username sub updated_at",
  ],
  [
    "oidcc-ensure-other-scope-order-succeeds",
    async () => names(await claims({ scope: "email openid" })),
    "email email_verified sub",
  ],
  ["oidcc-display-page", async () => seen(await knownAgent(), { display: "page" }), "code"],
  ["oidcc-display-popup", async () => seen(await knownAgent(), { display: "popup" }), "code"],
  [
    "oidcc-prompt-login",
    async () => {
      const agent = await knownAgent();
      const first = claimsOf((await tokens(agent)).id_token).auth_time;
      await server.advance(5_000);
      const { url, verifier } = authorizationOf(server, client, { prompt: "login" });
      await agent.open(url);
      const asked = agent.title;
      await agent.signIn(user.username, user.password);
      const { id_token } = done(await exchange(server, client, agent.answer.code ?? "", verifier));
      return [asked, claimsOf(id_token).auth_time > first];
    },
    ["Sign in", true],
  ],
  [
    "oidcc-prompt-none-not-logged-in",
    async () => seen(new Agent(server), { prompt: "none" }),
    "error login_required",
  ],
  [
    "oidcc-prompt-none-logged-in",
    async () => {
      const agent = await knownAgent();
      const first = claimsOf((await tokens(agent)).id_token);
      const second = claimsOf((await tokens(agent, { prompt: "none" })).id_token);
      return [second.sub === first.sub, second.auth_time === first.auth_time];
    },
    [true, true],
  ],
  [
    "oidcc-max-age-1",
    async () => {
      const agent = await knownAgent();
      await server.advance(2_000);
      const { url, verifier } = authorizationOf(server, client, { max_age: "1" });
      await agent.open(url);
      const asked = agent.title;
      const before = Math.floor(server.time / 1_000);
      await agent.signIn(user.username, user.password);
      const { id_token } = done(await exchange(server, client, agent.answer.code ?? "", verifier));
      return [asked, claimsOf(id_token).auth_time >= before];
    },
    ["Sign in", true],
  ],
  ["oidcc-max-age-10000", async () => seen(await knownAgent(), { max_age: "10000" }), "code"],
  [
    "oidcc-ensure-request-with-unknown-parameter-succeeds",
    async () => seen(await knownAgent(), { extra: "foobar" }),
    "code",
  ],
  [
    "oidcc-id-token-hint",
    async () => {
      const agent = await knownAgent();
      const { id_token } = await tokens(agent);
      const other = await newUser(server);
      const stranger = await codeFor(server, client, other.token);
      const ofOther = done(await exchange(server, client, stranger.code, stranger.verifier)).id_token;
      return [
        await seen(agent, { prompt: "none", id_token_hint: id_token }),
        await seen(agent, { prompt: "none", id_token_hint: ofOther }),
        await seen(agent, { prompt: "none", id_token_hint: "not.a.token" }),
      ];
    },
    ["code", "error login_required", "error login_required"],
  ],
  [
    "oidcc-login-hint",
    async () => {
      const agent = new Agent(server);
      await agent.open(authorizationOf(server, client, { login_hint: "buffy@example.org" }).url);
      return agent.form.fields.identifier;
    },
    "buffy@example.org",
  ],
  [
    "oidcc-ui-locales",
    async () => {
      const agent = new Agent(server);
      return [await seen(agent, { ui_locales: "se de-AT" }), await seen(agent, { ui_locales: "se" })];
    },
    ["page 200: Anmelden", "page 200: Sign in"],
  ],
  ["oidcc-claims-locales (ignored)", async () => seen(await knownAgent(), { claims_locales: "se" }), "code"],
  [
    "oidcc-ensure-request-with-acr-values-succeeds",
    async () => {
      const { id_token } = await tokens(await knownAgent(), { acr_values: "1 2 urn:fairlead:acr:1fa" });
      return claimsOf(id_token).acr;
    },
    "urn:fairlead:acr:1fa",
  ],
  [
    "oidcc-codereuse",
    async () => {
      const { code, verifier } = await codeFor(server, client, user.token);
      const first = await exchange(server, client, code, verifier);
      const second = await exchange(server, client, code, verifier);
      return [first.status, second.status, second.body.error];
    },
    [200, 400, "invalid_grant"],
  ],
  [
    "oidcc-codereuse-30seconds (the tokens of the first use end)",
    async () => {
      const { code, verifier } = await codeFor(server, client, user.token);
      const { access_token: token } = done(await exchange(server, client, code, verifier));
      const before = (await server.get("/oauth/userinfo", { token })).status;
      await server.advance(30_000);
      await exchange(server, client, code, verifier);
      return [before, (await server.get("/oauth/userinfo", { token })).status];
    },
    [200, 401],
  ],
  [
    "oidcc-ensure-registered-redirect-uri",
    async () => seen(await knownAgent(), { redirect_uri: `${CALLBACK}/x` }),
    "page 400: This did not work",
  ],
  [
    "oidcc-ensure-post-request-succeeds",
    async () => {
      const agent = await knownAgent();
      const { parameters } = authorizationOf(server, client);
      await agent.post(`${server.url}/oauth/authorize`, parameters);
      return Object.keys(agent.answer).sort();
    },
    ["code", "iss", "state"],
  ],
  [
    "oidcc-server-client-secret-post",
    async () => {
      const { code, verifier } = await codeFor(server, client, user.token);
      const form = {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        redirect_uri: CALLBACK,
      };
      return (await postForm(server, "/oauth/token", { ...form, ...asClient(client) })).status;
    },
    200,
  ],
  [
    "oidcc-server, by client_secret_basic",
    async () => {
      const { code, verifier } = await codeFor(server, client, user.token);
      const form = {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        redirect_uri: CALLBACK,
      };
      return (await postForm(server, "/oauth/token", form, basic(client.id, client.secret ?? ""))).status;
    },
    200,
  ],
  [
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    async () => seen(await knownAgent(), { request: "eyJhbGciOiJub25lIn0.e30.", prompt: "none" }),
    "error request_not_supported",
  ],
  [
    "oidcc-ensure-request-object-with-redirect-uri (request objects are refused)",
    async () => seen(await knownAgent(), { request_uri: "https://app.example/request", prompt: "none" }),
    "error request_uri_not_supported",
  ],
  [
    "oidcc-claims-essential (claims_parameter_supported is false: ignored)",
    async () => seen(await knownAgent(), { claims: '{"userinfo":{"name":{"essential":true}}}' }),
    "code",
  ],
  [
    "oidcc-refresh-token",
    async () => {
      const first = await tokens(await knownAgent(), { scope: "openid offline_access", nonce: "n" });
      const second = done(await refresh(server, client, first.refresh_token));
      const [a, b] = [claimsOf(first.id_token), claimsOf(second.id_token)];
      const same = ["iss", "sub", "aud", "auth_time", "sid"].every((name) => a[name] === b[name]);
      const other = await newClient(server);
      const stolen = await refresh(server, other, second.refresh_token);
      return [same, "nonce" in b, second.refresh_token !== first.refresh_token, stolen.body.error];
    },
    [true, false, true, "invalid_grant"],
  ],
  ["oidcc-ensure-request-with-valid-pkce-succeeds", async () => seen(await knownAgent(), {}), "code"],
  [
    "the same without PKCE (refused on purpose: OAuth 2.1 requires it of all)",
    async () =>
      seen(await knownAgent(), { code_challenge: null, code_challenge_method: null, prompt: "none" }),
    "error invalid_request",
  ],
  [
    "oidcc-discovery-endpoint-verification (RS256, which Discovery 1.0 asks for, is left out on purpose: ES256 alone)",
    async () => {
      const { body } = await server.get("/.well-known/openid-configuration");
      return [
        body.issuer === server.url,
        body.response_types_supported,
        body.subject_types_supported,
        body.id_token_signing_alg_values_supported,
        body.code_challenge_methods_supported,
        ["authorization", "token", "userinfo", "revocation", "end_session"].map(
          (name) => new URL(body[`${name}_endpoint`]).pathname,
        ),
      ];
    },
    [
      true,
      ["code"],
      ["public"],
      ["ES256"],
      ["S256"],
      ["/oauth/authorize", "/oauth/token", "/oauth/userinfo", "/oauth/revoke", "/oauth/logout"],
    ],
  ],
  [
    "oidcc-rp-initiated-logout",
    async () => {
      const agent = await knownAgent();
      const { id_token } = await tokens(agent);
      const query = new URLSearchParams({
        id_token_hint: id_token,
        post_logout_redirect_uri: "https://app.example/bye",
        state: "s-1",
      });
      await agent.open(`${server.url}/oauth/logout?${query}`);
      return [agent.shown.url, await seen(agent, { prompt: "none" })];
    },
    ["https://app.example/bye?state=s-1", "error login_required"],
  ],
  [
    "oidcc-rp-initiated-logout-no-id-token-hint, -no-params (the user is asked)",
    async () => {
      const agent = await knownAgent();
      await agent.open(`${server.url}/oauth/logout`);
      const asked = agent.title;
      await agent.submit({ decision: "leave" });
      return [asked, agent.title, await seen(agent, { prompt: "none" })];
    },
    ["Sign out?", "You are signed out", "error login_required"],
  ],
  [
    "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, -modified-id-token-hint (an error page)",
    async () => {
      const agent = await knownAgent();
      const { id_token } = await tokens(agent);
      const leave = async (parameters: Record<string, string>) =>
        (await agent.open(`${server.url}/oauth/logout?${new URLSearchParams(parameters)}`)).status;
      return [
        await leave({ id_token_hint: id_token, post_logout_redirect_uri: "https://app.example/other" }),
        await leave({
          id_token_hint: `${id_token.slice(0, -4)}AAAA`,
          post_logout_redirect_uri: "https://app.example/bye",
        }),
        await seen(agent, { prompt: "none" }),
      ];
    },
    [400, 400, "code"],
  ],
];

test.each(TABLE)("%s", async (_, see, expected) => {
  expect(await see()).toEqual(expected);
});
