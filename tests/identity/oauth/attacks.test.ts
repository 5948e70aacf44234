import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { done } from "../../support/expectations";
import { externalUser, newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Agent } from "./agent";
import {
  asClient,
  authorizationOf,
  basic,
  CALLBACK,
  challengeOf,
  claimsOf,
  codeFor,
  errorOf,
  exchange,
  newClient,
  newVerifier,
  postForm,
  refresh,
  type TestClient,
  tokensFor,
} from "./support";

/**
 * The attacks of RFC 9700, section 4, by its numbers, each tried against the running server. What applies to resource
 * servers and clients alone is left out.
 */
let server: TestServer;
let user: User;
let client: TestClient;
let publicClient: TestClient;
let ownClient: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "log.level": "info" } });
  user = await newUser(server);
  client = await newClient(server);
  publicClient = await newClient(server, { client_type: "public", name: "Page" });
  ownClient = await newClient(server, { is_first_party: true, name: "Own" });
});
afterAll(() => server.stop());

const member = async () => (await externalUser(server)).token;

describe("4.1 redirect URIs that were not registered", () => {
  test.each([
    "https://app.example/callback/",
    "https://app.example/callback/../evil",
    "https://app.example/callback?x=1",
    "https://app.example/callback?",
    "https://app.example/callback#",
    "https://app.example/Callback",
    "https://app.example/call%62ack",
    "https://APP.example/callback",
    "https://app.example:443/callback",
    "https://app.example:8443/callback",
    "https://app.example.evil.example/callback",
    "https://evil.example/callback",
    "https://evil.app.example/callback",
    "https://app.example@evil.example/callback",
    "https://app.example\\@evil.example/callback",
    "http://app.example/callback",
    "//app.example/callback",
    "/callback",
    " https://app.example/callback",
    "https://app.example/callback\u0000",
    "javascript:alert(1)",
    "data:text/html,x",
  ])("are shown to the user alone: %s", async (redirect_uri) => {
    for (const each of [client, ownClient]) {
      const agent = Agent.signedIn(server, user.token);
      const { status, url } = await agent.open(authorizationOf(server, each, { redirect_uri }).url);
      expect([status, url.startsWith(`${server.url}/`)]).toEqual([400, true]);
      expect(agent.text).toContain("redirect_uri is not registered");
    }
  });

  test("nor is one left out, empty, or there twice", async () => {
    for (const redirect_uri of [null, ""])
      expect(
        (await new Agent(server).open(authorizationOf(server, client, { redirect_uri }).url)).status,
      ).toBe(400);
    const { url } = authorizationOf(server, client);
    const twice = await new Agent(server).open(`${url}&redirect_uri=${encodeURIComponent(CALLBACK)}`);
    expect(twice.status).toBe(400);
  });

  test("but for the port of a device's own address, for public clients (RFC 8252, section 7.3)", async () => {
    const registered = ["http://127.0.0.1/cb", "http://[::1]:5000/cb", "http://localhost:7000/cb"];
    const app = await newClient(server, { client_type: "public", redirect_uris: registered });
    const web = await newClient(server, { redirect_uris: registered });
    const statusOf = async (to: TestClient, redirect_uri: string) =>
      (await new Agent(server).open(authorizationOf(server, to, { redirect_uri }).url)).status;
    for (const uri of ["http://127.0.0.1:49152/cb", "http://[::1]:49152/cb"])
      expect([await statusOf(app, uri), await statusOf(web, uri)]).toEqual([200, 400]);
    for (const uri of [
      "http://127.0.0.1:1/other",
      "http://127.0.0.1.evil.example/cb",
      "http://127.0.0.1:80@evil.example/cb",
      "http://localhost:7001/cb",
      "http://127.0.0.2:1/cb",
      "https://127.0.0.1:1/cb",
    ])
      expect([uri, await statusOf(app, uri)]).toEqual([uri, 400]);
  });

  test("nor does a code count with another address of the same client", async () => {
    const both = await newClient(server, { redirect_uris: [CALLBACK, "https://app.example/other"] });
    const { code, verifier } = await codeFor(server, both, await member());
    const elsewhere = { redirect_uri: "https://app.example/other" };
    expect(errorOf(await exchange(server, both, code, verifier, elsewhere))).toEqual([400, "invalid_grant"]);
    expect((await exchange(server, both, code, verifier)).status).toBe(200);
  });
});

describe("4.2 and 4.3 leaks by Referer, history and logs", () => {
  test("no page tells its address to another server, and no answer does", async () => {
    const agent = Agent.signedIn(server, await member());
    const { url } = authorizationOf(server, client);
    const onward = await agent.ask("GET", url, { isCross: true });
    expect(onward.headers.get("referrer-policy")).toBe("same-origin");
    await agent.open(url);
    expect(agent.shown.headers.get("referrer-policy")).toBe("same-origin");
    const { action, fields } = agent.form;
    const answer = await agent.ask("POST", action, { form: { ...fields, decision: "allow" } });
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    const again = await agent.ask("GET", url);
    expect(again.status).toBe(303);
    expect(again.headers.get("referrer-policy")).toBe("no-referrer");
    for (const { headers } of [onward, agent.shown, answer, again])
      expect(headers.get("cache-control")).toBe("no-store");
  });

  test("an access token counts in no address", async () => {
    const tokens = await tokensFor(server, client, await member(), "openid profile");
    for (const path of ["/v1/users/me", "/oauth/userinfo"]) {
      expect((await server.get(path, { token: tokens.access_token })).status).toBe(200);
      expect((await server.get(`${path}?access_token=${tokens.access_token}`)).status).toBe(401);
    }
    const form = await postForm(server, "/oauth/userinfo", { access_token: tokens.access_token });
    expect(form.status).toBe(401);
    const socket = await server.get(`/v1/ws?token=${tokens.access_token}`);
    expect([socket.status, socket.body.message]).toEqual([
      401,
      expect.stringContaining("goes into the header"),
    ]);
  });

  test("no token, code, verifier or secret reaches the log or the database", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), {
      scope: "openid offline_access",
    });
    const tokens = done(await exchange(server, client, code, verifier));
    const next = done(await refresh(server, client, tokens.refresh_token));
    await postForm(server, "/oauth/revoke", { ...asClient(client), token: next.refresh_token });
    await server.get("/oauth/userinfo", { token: next.access_token });
    const secrets = [
      code,
      verifier,
      tokens.access_token,
      tokens.refresh_token,
      next.access_token,
      client.secret,
    ];
    const stored = await Bun.$`cat ${server.dataDir}/fairlead.db ${server.dataDir}/fairlead.db-wal`
      .quiet()
      .text();
    for (const secret of secrets) {
      expect(server.output).not.toContain(secret ?? "");
      expect(stored).not.toContain(secret ?? "");
    }
    expect(server.output).toContain('"/oauth/token"');
  });
});

describe("4.4 mix-up", () => {
  test("every answer names the issuer, refusals too, so that a client tells another's answer", async () => {
    const { answer } = await codeFor(server, client, await member());
    expect(answer.iss).toBe(server.url);
    const agent = new Agent(server);
    await agent.open(authorizationOf(server, client, { prompt: "none" }).url);
    expect(agent.answer).toMatchObject({ error: "login_required", iss: server.url });

    const metadata = await oauth
      .discoveryRequest(new URL(server.url), { [oauth.allowInsecureRequests]: true })
      .then((response) => oauth.processDiscoveryResponse(new URL(server.url), response));
    expect(metadata.authorization_response_iss_parameter_supported).toBe(true);
    const state = answer.state ?? "";
    const parameters = new URLSearchParams(answer);
    oauth.validateAuthResponse(metadata, { client_id: client.id }, parameters, state);
    for (const iss of ["https://evil.example", null]) {
      const forged = new URLSearchParams(answer);
      if (iss === null) forged.delete("iss");
      else forged.set("iss", iss);
      expect(() => oauth.validateAuthResponse(metadata, { client_id: client.id }, forged, state)).toThrow();
    }
  });
});

describe("4.5 codes that are injected", () => {
  test("count for no other client, whose authentication is its own", async () => {
    const { code, verifier } = await codeFor(server, client, await member());
    const thief = await newClient(server, { name: "Thief" });
    expect(errorOf(await exchange(server, thief, code, verifier))).toEqual([400, "invalid_grant"]);
    // It was no use of the code.
    expect((await exchange(server, client, code, verifier)).status).toBe(200);
  });

  test("count with no other verifier: that of the victim's browser stays there", async () => {
    const { code, verifier } = await codeFor(server, publicClient, await member());
    expect(errorOf(await exchange(server, publicClient, code, newVerifier()))).toEqual([
      400,
      "invalid_grant",
    ]);
    expect((await exchange(server, publicClient, code, verifier)).status).toBe(200);
  });

  test("bring an ID token with the nonce of their own request", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), { nonce: "of this request" });
    const { id_token } = done(await exchange(server, client, code, verifier));
    expect(claimsOf(id_token).nonce).toBe("of this request");
  });
});

describe("4.6 access tokens that are injected", () => {
  test("show beside another ID token: its at_hash is that of its own", async () => {
    const tokens = await tokensFor(server, client, await member());
    const half = (token: string) => Buffer.from(Bun.SHA256.hash(token) as Uint8Array).subarray(0, 16);
    const { at_hash } = claimsOf(tokens.id_token);
    expect(at_hash).toBe(half(tokens.access_token).toString("base64url"));
  });
});

describe("4.7 requests forged across sites", () => {
  test("the state comes back as it was sent, and only the state of the request", async () => {
    const state = "a b&c=d/é".replace("é", "%C3%A9");
    const { answer } = await codeFor(server, client, await member(), { state });
    expect(answer.state).toBe(state);
    const { answer: without } = await codeFor(server, client, await member(), { state: null });
    expect(without).not.toHaveProperty("state");
  });

  test("a sign-in that another page sends is refused, and sets no cookie", async () => {
    const agent = new Agent(server);
    await agent.open(authorizationOf(server, client).url);
    const { action, fields } = agent.form;
    const form = { ...fields, identifier: user.username, password: user.password };
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${server.url}0` },
    ]) {
      const shown = await agent.ask("POST", action, { form, headers });
      expect([shown.status, shown.headers.get("set-cookie")]).toEqual([403, null]);
    }
    // A request without the header is no browser's.
    const bare = await fetch(action, { method: "POST", body: new URLSearchParams(form) });
    expect([bare.status, bare.headers.get("set-cookie")]).toEqual([403, null]);
    expect((await agent.ask("POST", action, { form })).status).toBe(200);
  });

  describe("a consent", () => {
    const consents = (id: string) =>
      rows<{ n: number }>(server, "SELECT count(*) AS n FROM oauth_consents WHERE user_id = ?", id)[0]?.n;

    test("is nobody's but the session's that was asked, for the request that was shown", async () => {
      const victim = await externalUser(server);
      const thief = await externalUser(server);
      const agent = Agent.signedIn(server, victim.token);
      await agent.open(authorizationOf(server, client).url);
      const { action, fields } = agent.form;
      const allow = { ...fields, decision: "allow" };
      const attempts: [what: string, send: () => Promise<{ status: number }>][] = [
        [
          "another page, whose request has no cookie",
          () => agent.ask("POST", action, { form: allow, isCross: true }),
        ],
        [
          "another page of the same site, which has it",
          () => agent.ask("POST", action, { form: allow, headers: { origin: "http://127.0.0.1:1" } }),
        ],
        ["no ticket", () => agent.ask("POST", action, { form: { ...allow, ticket: "" } })],
        [
          "a ticket of the thief's own session for the same request",
          async () => {
            const other = Agent.signedIn(server, thief.token);
            await other.visit(`${server.url}/oauth/continue?${fields.request}`);
            const { ticket = "" } = other.form.fields;
            return agent.ask("POST", action, { form: { ...allow, ticket } });
          },
        ],
        [
          "the ticket of this request for another one, with more scopes",
          () => {
            const request = new URLSearchParams(fields.request);
            request.set("scope", "openid email");
            return agent.ask("POST", action, { form: { ...allow, request: request.toString() } });
          },
        ],
        [
          "the ticket for another client",
          () => {
            const request = new URLSearchParams(fields.request);
            request.set("client_id", publicClient.id);
            return agent.ask("POST", action, { form: { ...allow, request: request.toString() } });
          },
        ],
        [
          "a ticket made up",
          () => agent.ask("POST", action, { form: { ...allow, ticket: `${Date.now()}.${"A".repeat(43)}` } }),
        ],
      ];
      for (const [what, send] of attempts) {
        const { status } = await send();
        expect([what, status, consents(victim.id)]).toEqual([what, status === 403 ? 403 : 200, 0]);
      }
      await agent.submit({ decision: "allow" });
      expect([agent.answer.code, consents(victim.id)]).toEqual([expect.stringMatching(/^flc_/), 1]);
    });

    test("is not given by opening any address", async () => {
      const victim = await externalUser(server);
      const agent = Agent.signedIn(server, victim.token);
      const { parameters } = authorizationOf(server, client);
      for (const path of ["consent", "continue", "authorize"])
        await agent.visit(
          `${server.url}/oauth/${path}?${new URLSearchParams({ ...parameters, decision: "allow" })}`,
        );
      expect(consents(victim.id)).toBe(0);
    });
  });

  test("a sign-out that another page sends ends nothing without the user", async () => {
    const { token } = await externalUser(server);
    const agent = Agent.signedIn(server, token);
    await agent.open(`${server.url}/oauth/logout`);
    expect(agent.title).toBe("Sign out?");
    const { action, fields } = agent.form;
    const form = { ...fields, decision: "leave" };
    await agent.ask("POST", action, { form, isCross: true });
    await agent.ask("POST", action, { form, headers: { origin: "http://127.0.0.1:1" } });
    await agent.ask("POST", action, { form: { ...form, ticket: "" } });
    expect((await server.get("/v1/users/me", { token })).status).toBe(200);
    await agent.submit({ decision: "leave" });
    expect((await server.get("/v1/users/me", { token })).status).toBe(401);
  });
});

describe("4.8 PKCE that is left out or weakened", () => {
  test.each([
    ["no challenge", { code_challenge: null, code_challenge_method: null }],
    ["an empty challenge", { code_challenge: "" }],
    ["the method plain", { code_challenge_method: "plain" }],
    ["no method, which means plain", { code_challenge_method: null }],
    ["another method", { code_challenge_method: "s256" }],
    ["a short challenge", { code_challenge: "abc" }],
    ["a challenge of other characters", { code_challenge: `${"a".repeat(42)}=` }],
  ])("is refused of every client: %s", async (_, changes) => {
    for (const each of [client, publicClient, ownClient]) {
      const agent = Agent.signedIn(server, user.token);
      await agent.open(authorizationOf(server, each, { prompt: "none", ...changes }).url);
      expect(agent.answer.error).toBe("invalid_request");
      expect(agent.answer.error_description).toStartWith("code_challenge");
      expect(agent.answer).not.toHaveProperty("code");
    }
  });

  test("is refused where the code is exchanged: no verifier, an empty one, the challenge itself", async () => {
    const { code, verifier } = await codeFor(server, publicClient, await member());
    for (const wrong of ["", "short", challengeOf(verifier)])
      expect((await exchange(server, publicClient, code, wrong)).body.error).toMatch(
        /^invalid_(request|grant)$/,
      );
    const form = {
      ...asClient(publicClient),
      grant_type: "authorization_code",
      code,
      redirect_uri: CALLBACK,
    };
    expect(errorOf(await postForm(server, "/oauth/token", form))).toEqual([400, "invalid_request"]);
    expect((await exchange(server, publicClient, code, verifier)).status).toBe(200);
  });
});

describe("4.11 open redirection", () => {
  test("a faulty request leads no browser on by itself, but shows where it would go", async () => {
    const faults: Record<string, string | null>[] = [
      { response_type: "token" },
      { response_type: null },
      { scope: "gps:read" },
      { scope: "*:*" },
      { code_challenge: null },
      { max_age: "x" },
      { request: "x.y.z" },
      { request_uri: "https://evil.example/r" },
    ];
    for (const changes of faults) {
      const agent = new Agent(server);
      await agent.open(authorizationOf(server, client, changes).url);
      expect([agent.shown.status, agent.title]).toEqual([400, "Crew app made a mistake"]);
      expect(agent.text).toContain("Your answer goes to app.example.");
      expect(agent.shown.html).not.toContain("http-equiv");
    }
  });

  test("one of the installation's own clients, and a silent one, are told", async () => {
    const agent = new Agent(server);
    await agent.open(authorizationOf(server, ownClient, { response_type: "token" }).url);
    expect(agent.answer.error).toBe("unsupported_response_type");
    await agent.open(authorizationOf(server, client, { prompt: "none" }).url);
    expect(agent.answer.error).toBe("login_required");
  });

  test("a request in a form of these pages is held to the same", async () => {
    const agent = new Agent(server);
    await agent.open(authorizationOf(server, client).url);
    const { action, fields } = agent.form;
    const request = new URLSearchParams(fields.request);
    request.set("redirect_uri", "https://evil.example/");
    const form = {
      ...fields,
      identifier: user.username,
      password: user.password,
      request: request.toString(),
    };
    const shown = await agent.ask("POST", action, { form });
    expect([shown.status, shown.headers.get("set-cookie")]).toEqual([400, null]);
    expect(shown.html).not.toContain("evil.example");
  });

  test("a sign-out leads to registered addresses alone, and without an ID token only by the user", async () => {
    const bye = "https://app.example/bye";
    const leaving = await newClient(server, { post_logout_redirect_uris: [bye] });
    const leave = (parameters: Record<string, string>) =>
      new Agent(server).open(`${server.url}/oauth/logout?${new URLSearchParams(parameters)}`);
    const evil = "https://evil.example/";
    const { id_token } = await tokensFor(server, leaving, await member());
    const refused: Record<string, string>[] = [
      { post_logout_redirect_uri: evil },
      { post_logout_redirect_uri: bye },
      { post_logout_redirect_uri: evil, client_id: leaving.id },
      { post_logout_redirect_uri: CALLBACK, client_id: leaving.id },
      { post_logout_redirect_uri: evil, id_token_hint: id_token },
      { post_logout_redirect_uri: bye, id_token_hint: id_token, client_id: client.id },
      { post_logout_redirect_uri: bye, id_token_hint: `${id_token}x` },
    ];
    for (const parameters of refused) expect((await leave(parameters)).status).toBe(400);
    const asked = await leave({ post_logout_redirect_uri: bye, client_id: leaving.id });
    expect(asked.url).toStartWith(server.url);
    expect(asked.html).toContain(`href="${bye}"`);
    // The ID token may be that of whoever registered the client, who sends strangers here.
    const lured = await leave({ post_logout_redirect_uri: bye, id_token_hint: id_token });
    expect([lured.url.startsWith(server.url), lured.html.includes(`href="${bye}"`)]).toEqual([true, true]);
    const own = await newClient(server, { post_logout_redirect_uris: [bye], is_first_party: true });
    const hint = (await tokensFor(server, own, await member())).id_token;
    expect((await leave({ post_logout_redirect_uri: bye, id_token_hint: hint })).url).toBe(bye);
  });
});

describe("4.12 redirects that take a form along", () => {
  test("there is none: 303 after GET, and pages after POST", async () => {
    const agent = new Agent(server);
    const { url } = authorizationOf(server, ownClient);
    await agent.open(url);
    const { action, fields } = agent.form;
    const form = { ...fields, identifier: user.username, password: user.password };
    expect((await agent.ask("POST", action, { form })).status).toBe(200);
    const { status } = await agent.ask("GET", url);
    expect(status).toBe(303);
    expect((await agent.ask("POST", `${server.url}/oauth/authorize`, { form })).status).toBe(400);
  });
});

describe("4.13 headers that a proxy would set", () => {
  test("count from no stranger: the issuer is the address that was asked", async () => {
    const forged = {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    };
    const { body } = await server.get("/.well-known/openid-configuration", { headers: forged });
    expect(body.issuer).toBe(server.url);
  });
});

describe("4.14 refresh tokens that were stolen", () => {
  test.each(["confidential", "public"] as const)(
    "end the whole sign-in when they come again: %s",
    async (type) => {
      const own = type === "public" ? publicClient : client;
      const token = await member();
      const first = await tokensFor(server, own, token, "openid profile offline_access");
      const other = await tokensFor(server, own, token, "openid profile offline_access");
      const second = done(await refresh(server, own, first.refresh_token));
      const third = done(await refresh(server, own, second.refresh_token));
      const live = async (access: string) => (await server.get("/v1/users/me", { token: access })).status;
      expect([await live(first.access_token), await live(third.access_token)]).toEqual([200, 200]);
      // Whoever stole the first one, or the client itself: nobody knows.
      expect(errorOf(await refresh(server, own, first.refresh_token))).toEqual([400, "invalid_grant"]);
      expect(errorOf(await refresh(server, own, third.refresh_token))).toEqual([400, "invalid_grant"]);
      for (const each of [first, second, third]) expect(await live(each.access_token)).toBe(401);
      // Another sign-in of the same user to the same client is another family.
      expect(await live(other.access_token)).toBe(200);
      const [event] = rows<{ status: string; error_message: string }>(
        server,
        "SELECT status, error_message FROM audit_events WHERE event_type = 'oauth_grant_ended' ORDER BY rowid DESC LIMIT 1",
      );
      expect(event).toEqual({ status: "failure", error_message: "the refresh token was used twice" });
    },
  );

  test("count for no other client", async () => {
    const tokens = await tokensFor(server, client, await member(), "openid offline_access");
    const thief = await newClient(server, { name: "Thief" });
    expect(errorOf(await refresh(server, thief, tokens.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(errorOf(await refresh(server, publicClient, tokens.refresh_token))).toEqual([
      400,
      "invalid_grant",
    ]);
    const bare = { ...client, secret: null };
    expect(errorOf(await refresh(server, bare, tokens.refresh_token))).toEqual([401, "invalid_client"]);
    expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  });

  test("are no access tokens, and neither are codes", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), {
      scope: "profile offline_access",
    });
    const tokens = done(await exchange(server, client, code, verifier));
    for (const token of [tokens.refresh_token, code, client.secret ?? ""])
      expect((await server.get("/v1/users/me", { token })).status).toBe(401);
  });
});

describe("a code that comes twice (RFC 6749, section 4.1.2)", () => {
  test("ends all that came of it", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), {
      scope: "profile offline_access",
    });
    const tokens = done(await exchange(server, client, code, verifier));
    const next = done(await refresh(server, client, tokens.refresh_token));
    expect((await server.get("/v1/users/me", { token: next.access_token })).status).toBe(200);
    expect(errorOf(await exchange(server, client, code, verifier))).toEqual([400, "invalid_grant"]);
    for (const token of [tokens.access_token, next.access_token])
      expect((await server.get("/v1/users/me", { token })).status).toBe(401);
    expect(errorOf(await refresh(server, client, next.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("ends nothing in the hands of whoever is not its client", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), { scope: "profile" });
    const tokens = done(await exchange(server, client, code, verifier));
    await exchange(server, publicClient, code, verifier);
    await exchange(server, { ...client, secret: "fls_wrong" }, code, verifier);
    expect((await server.get("/v1/users/me", { token: tokens.access_token })).status).toBe(200);
  });
});

describe("4.15 a client that poses as a user", () => {
  test("its own token is no user's: it shows no claims, and no scope of a sign-in is for it", async () => {
    const acting = await newClient(server, {}, { approved: ["gps:read"] });
    const ask = (scope: string | null) =>
      postForm(
        server,
        "/oauth/token",
        { grant_type: "client_credentials", ...(scope !== null && { scope }) },
        basic(acting.id, acting.secret ?? ""),
      );
    const tokens = done(await ask(null));
    expect(tokens).not.toHaveProperty("id_token");
    expect((await server.get("/oauth/userinfo", { token: tokens.access_token })).status).toBe(403);
    expect((await server.get("/v1/users/me", { token: tokens.access_token })).status).toBe(403);
    for (const scope of ["openid", "profile gps:read", "offline_access"])
      expect(errorOf(await ask(scope))).toEqual([400, "invalid_scope"]);
  });
});

describe("4.16 clickjacking", () => {
  test("no page can be framed, none has a script of its own", async () => {
    const agent = new Agent(server);
    const pages = [await agent.open(authorizationOf(server, client).url)];
    agent.cookies.set("fairlead_session", await member());
    pages.push(await agent.open(authorizationOf(server, client).url));
    pages.push(await agent.open(authorizationOf(server, client, { redirect_uri: "x" }).url));
    pages.push(await agent.open(authorizationOf(server, client, { response_type: "x" }).url));
    pages.push(await agent.open(`${server.url}/oauth/logout`));
    pages.push(await agent.ask("GET", authorizationOf(server, client).url, { isCross: true }));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 400, 400, 200, 200]);
    for (const { headers, html } of pages) {
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(html.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="../oauth/look.js">']);
      expect(html).not.toMatch(
        /<style|\sstyle=|\son\w+=|<iframe|https?:\/\/(?!www\.w3)[^"\s]*\.(?:js|css|png)/,
      );
    }
  });
});

describe("2.1.2 and 2.4 grants that are not to be used", () => {
  test("there is neither the implicit grant nor the password's", async () => {
    for (const response_type of ["token", "id_token", "code token", "code id_token", "none"]) {
      const agent = Agent.signedIn(server, user.token);
      await agent.open(authorizationOf(server, ownClient, { response_type }).url);
      expect(agent.answer.error).toBe("unsupported_response_type");
    }
    const form = {
      ...asClient(client),
      grant_type: "password",
      username: user.username,
      password: user.password,
    };
    expect(errorOf(await postForm(server, "/oauth/token", form))).toEqual([400, "unsupported_grant_type"]);
  });
});

describe("names that are markup", () => {
  test("stay text", async () => {
    const name = `"><img src=x onerror=alert(1)>'&amp;<script>alert(1)</script>`;
    const marked = await newClient(server, { name, description: name });
    const agent = Agent.signedIn(server, await member());
    const login_hint = `"><script>alert(2)</script>`;
    const { html } = await agent.open(authorizationOf(server, marked, { login_hint }).url);
    expect(agent.title).toBe(`Allow ${name}?`);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img src=x");
    const signIn = await new Agent(server).open(authorizationOf(server, marked, { login_hint }).url);
    expect(signIn.html).not.toContain("<script>alert");
    expect(signIn.html).toContain("&lt;script&gt;alert(2)");
  });
});
