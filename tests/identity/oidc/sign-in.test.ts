import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { Browser, challengeOf, newAccount, newVerifier, signInThrough } from "./support";

/** Sign-in through an OpenID provider: the way there and back, new accounts, clients, the second factor. */

let provider: OidcStandIn;
let server: TestServer;

const APP = "https://app.example";

beforeAll(async () => {
  provider = await OidcStandIn.start();
  server = await TestServer.start({
    settings: {
      ...provider.settings("open", {
        allow_registration: "true",
        trust_email: "true",
        display_name: "Harbour ID",
      }),
      ...provider.settings("closed"),
      "integrations.allowed_redirects": APP,
    },
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.wrongs = {};
  provider.authTime = null;
  provider.account = newAccount();
});

const me = async (token: string) => done(await server.get("/v1/users/me", { token })).data;

describe("the ways in", () => {
  test("name the providers in the order of the configuration, without secrets", async () => {
    const answer = await server.get("/v1/auth/ways-in");
    expect(answer.body).toEqual({
      password_login: "all",
      registration: true,
      providers: [
        { name: "open", display_name: "Harbour ID", url: "/v1/auth/oidc/open" },
        { name: "closed", display_name: "closed", url: "/v1/auth/oidc/closed" },
      ],
    });
    expect(JSON.stringify(answer.body)).not.toContain(provider.clientSecret);
  });
});

describe("a sign-in", () => {
  test("asks the provider with PKCE, state and nonce, and ends in a session of the page", async () => {
    const browser = new Browser(server);
    const begun = await browser.begin("open");
    expect(begun.status).toBe(303);
    const asked = Object.fromEntries(new URL(begun.to ?? "").searchParams);
    expect(asked).toMatchObject({
      response_type: "code",
      client_id: provider.clientId,
      redirect_uri: `${server.url}/v1/auth/oidc/open/callback`,
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    expect([asked.state?.length, asked.nonce?.length, asked.code_challenge?.length]).toEqual([43, 43, 43]);
    expect(begun.headers.get("set-cookie")).toMatch(
      /^fairlead_oidc=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    );
    const { token, session } = await signInThrough(server, "open");
    expect(session).toMatchObject({ provider: "oidc:open", requires_2fa: false });
    expect(JSON.stringify(session)).not.toContain("ses_");
    const account = provider.account.preferred_username ?? "";
    expect(await me(token)).toMatchObject({
      username: account.toLowerCase().replace(".", "_"),
      email: provider.account.email,
    });
    const { sessions } = done(await server.get("/v1/users/me/sessions", { token }));
    expect(sessions[0]).toMatchObject({ provider: "oidc:open", provider_name: "Harbour ID" });
  });

  test("finds the same account again by issuer and subject, whatever name and address have become", async () => {
    const first = await signInThrough(server, "open");
    provider.account = {
      ...provider.account,
      preferred_username: "Renamed",
      email: "other@provider.example",
    };
    const second = await signInThrough(server, "open");
    expect(second.session.user_id).toBe(first.session.user_id);
    const { data } = done(await server.get("/v1/users/me/identities", { token: second.token }));
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      provider: "open",
      issuer: provider.issuer,
      subject: provider.account.sub,
      label: "Renamed",
    });
    expect(data[0].last_used_at).not.toBeNull();
  });

  test("finds a free name where another user has it", async () => {
    provider.account = newAccount({ preferred_username: "admin" });
    const { token } = await signInThrough(server, "open");
    expect((await me(token)).username).toMatch(/^admin_\d+$/);
  });

  test("makes no account where the provider may not", async () => {
    const { code, reason } = await new Browser(server).goThrough("closed");
    expect([code, reason]).toEqual([null, "not_registered"]);
    const { data } = done(await server.get("/v1/users", { token: await server.admin() }));
    expect(data.map(({ username }: { username: string }) => username)).not.toContain(
      provider.account.preferred_username,
    );
  });

  test("leaves its events, each with the way by which the user came", async () => {
    const { session } = await signInThrough(server, "open");
    const { events } = done(
      await server.get(`/v1/users/${session.user_id}/audit?limit=50`, { token: await server.admin() }),
    );
    const types = events.map(({ event_type }: { event_type: string }) => event_type);
    for (const type of ["user_created", "account_linked", "login", "session_created"])
      expect(types).toContain(type);
    expect(JSON.stringify(events)).not.toContain(provider.account.sub);
  });
});

describe("a client with its own redirect", () => {
  test("gets the session for the code and the verifier of its challenge", async () => {
    const verifier = newVerifier();
    const query = {
      redirect_uri: `${APP}/back?from=fairlead`,
      state: "of the app",
      code_challenge: challengeOf(verifier),
    };
    const browser = new Browser(server);
    const back = await browser.open(await browser.callbackOf("open", query));
    const url = new URL(back.to ?? "");
    expect([url.origin, url.pathname, url.searchParams.get("from"), url.searchParams.get("state")]).toEqual([
      ...[APP, "/back", "fairlead", "of the app"],
    ]);
    const code = url.searchParams.get("code") ?? "";
    const exchange = (code_verifier?: string) =>
      server.post("/v1/auth/oidc/session", { body: { code, code_verifier } });
    expect((await exchange()).status).toBe(400);
    expect((await exchange(newVerifier())).status).toBe(400);
    const session = done(await exchange(verifier));
    expect(session.session_token).toMatch(/^ses_/);
    expect((await me(session.session_token)).email).toBe(provider.account.email);
    expect((await exchange(verifier)).status).toBe(400);
  });

  test("is told the reason of a refusal by its redirect", async () => {
    provider.wrongs = { error: "access_denied" };
    const browser = new Browser(server);
    const query = { redirect_uri: `${APP}/back`, state: "s", code_challenge: challengeOf(newVerifier()) };
    const back = await browser.open(await browser.callbackOf("open", query));
    expect(back.to).toBe(`${APP}/back?error=denied&state=s`);
  });

  for (const [what, query] of [
    ["another origin", { redirect_uri: "https://evil.example/", code_challenge: challengeOf("x") }],
    ["a fragment", { redirect_uri: `${APP}/#x`, code_challenge: challengeOf("x") }],
    ["no challenge", { redirect_uri: `${APP}/` }],
    [
      "a plain challenge",
      { redirect_uri: `${APP}/`, code_challenge: challengeOf("x"), code_challenge_method: "plain" },
    ],
  ] as const)
    test(`is refused ${what}, and nobody is sent anywhere`, async () => {
      const { status, to } = await new Browser(server).begin("open", query);
      expect([status, to]).toEqual([400, null]);
    });
});

describe("the code of a page", () => {
  test("counts in the browser that was sent alone, once, and for 60 seconds", async () => {
    const clocked = await TestServer.start({
      settings: provider.settings("open", { allow_registration: "true" }),
      clock: "movable",
    });
    try {
      const browser = new Browser(clocked);
      const { code } = await browser.goThrough("open");
      expect((await new Browser(clocked).asPage("POST", "/bridge/session/oidc", { code })).status).toBe(400);
      expect((await browser.asPage("POST", "/bridge/session/oidc", { code })).status).toBe(200);
      expect((await browser.asPage("POST", "/bridge/session/oidc", { code })).status).toBe(400);
      const late = await browser.goThrough("open");
      await clocked.advance(61_000);
      expect((await browser.asPage("POST", "/bridge/session/oidc", { code: late.code })).status).toBe(400);
    } finally {
      await clocked.stop();
    }
  });

  test("of parallel requests opens one session", async () => {
    const browser = new Browser(server);
    const { code } = await browser.goThrough("open");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => browser.asPage("POST", "/bridge/session/oidc", { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });
});

describe("a banned or deleted user", () => {
  test("is refused on the way back, and between code and session", async () => {
    const { session } = await signInThrough(server, "open");
    const browser = new Browser(server);
    const { code } = await browser.goThrough("open");
    const token = await server.admin();
    done(await server.post(`/v1/users/${session.user_id}/ban`, { token, body: { reason: "Lost the boat" } }));
    const refused = await browser.asPage("POST", "/bridge/session/oidc", { code });
    expect([refused.status, refused.body.error]).toEqual([403, "AccountBanned"]);
    expect((await new Browser(server).goThrough("open")).reason).toBe("banned");
    await server.delete(`/v1/users/${session.user_id}/ban`, { token });
    await server.delete(`/v1/users/${session.user_id}`, { token });
    expect((await new Browser(server).goThrough("open")).reason).toBe("deleted");
  });
});

describe("an address", () => {
  test("that both sides have proved links the account, which its user is told of", async () => {
    const user = await newUser(server);
    provider.account = newAccount({ email: user.email.toUpperCase() });
    const { session } = await signInThrough(server, "open");
    expect(session.user_id).toBe(user.id);
    const { events } = done(
      await server.get(`/v1/users/${user.id}/audit?event_type=account_linked`, {
        token: await server.admin(),
      }),
    );
    expect(events[0]).toMatchObject({ resource_type: "oidc_identity", metadata: { provider: "open" } });
    // Another subject with the address may be another person.
    provider.account = newAccount({ email: user.email });
    expect((await new Browser(server).goThrough("open")).reason).toBe("address_taken");
  });

  for (const [what, claims] of [
    ["that the provider has not proved", { email_verified: false }],
    ["of which the provider says nothing", { email_verified: undefined }],
    ["that is proved in a text alone", { email_verified: "true" }],
  ] as const)
    test(`${what} links nothing, and makes no second account`, async () => {
      const user = await newUser(server);
      provider.account = newAccount({ email: user.email, ...claims });
      expect((await new Browser(server).goThrough("open")).reason).toBe("address_taken");
      const { data } = done(await server.get("/v1/users/me/identities", { token: user.token }));
      expect(data).toEqual([]);
    });

  test("that an administrator has set, and nobody proved, links nothing", async () => {
    const user = await newUser(server);
    const email = "set_by_admin@example.org";
    done(await server.patch(`/v1/users/${user.id}`, { token: await server.admin(), body: { email } }));
    provider.account = newAccount({ email });
    expect((await new Browser(server).goThrough("open")).reason).toBe("address_taken");
  });

  test("tells nothing where no account would be made", async () => {
    const user = await newUser(server);
    provider.account = newAccount({ email: user.email });
    expect((await new Browser(server).goThrough("closed")).reason).toBe("not_registered");
  });

  test("that is not proved isn't kept for a new account", async () => {
    provider.account = newAccount({ email_verified: false });
    const { token } = await signInThrough(server, "open");
    expect((await me(token)).email).toBeNull();
  });
});
