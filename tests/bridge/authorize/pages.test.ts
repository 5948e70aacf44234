import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERMISSIONS } from "../../../src/identity/access/permissions";
import { Agent } from "../../identity/oauth/agent";
import {
  authorizationOf,
  CALLBACK,
  claimsOf,
  exchange,
  newClient,
  type TestClient,
} from "../../identity/oauth/support";
import { type Guarded, guarded, nextCode, wrongCode } from "../../identity/two-factor/support";
import { eventsOf } from "../../support/events";
import { done } from "../../support/expectations";
import { externalUser, newUser, staff, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** The pages of a sign-in to an application: what they ask, what they keep, and what they say. */
let server: TestServer;
let user: User;
let second: Guarded;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  user = await newUser(server);
  second = await guarded(server);
  client = await newClient(server, { description: "Shows the crew where everybody is" });
});
afterAll(() => server.stop());

const opened = async (
  changes: Record<string, string | null> = {},
  agent = new Agent(server),
  to = client,
) => {
  const { url, verifier } = authorizationOf(server, to, changes);
  await agent.open(url);
  return { agent, verifier };
};

const claimsAfter = async (agent: Agent, verifier: string) =>
  claimsOf(done(await exchange(server, client, agent.answer.code ?? "", verifier)).id_token);

describe("a sign-in", () => {
  test("says where it leads, and keeps a session of this browser", async () => {
    const { agent } = await opened();
    expect(agent.text).toContain("to go on to Crew app (app.example)");
    await agent.signIn(user.username, user.password);
    expect(agent.cookies.get("fairlead_session")).toStartWith("ses_");
    const { sessions } = done(
      await server.get("/v1/users/me/sessions", { token: agent.cookies.get("fairlead_session") ?? "" }),
    );
    expect(sessions.length).toBeGreaterThan(0);
    // Another application of the same browser asks for no password.
    const other = await newClient(server, { is_first_party: true });
    await opened({}, agent, other);
    expect(agent.answer.code).toStartWith("flc_");
  });

  test("stays signed in as the Bridge does: by a cookie that outlives the browser, or that doesn't", async () => {
    const cookieOf = async (stay: Record<string, string>) => {
      const { agent } = await opened();
      const { action, fields } = agent.form;
      const form = { ...fields, identifier: user.username, password: user.password, ...stay };
      return (await agent.ask("POST", action, { form })).headers.get("set-cookie");
    };
    const plain = /^fairlead_session=ses_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/;
    expect(await cookieOf({})).toMatch(plain);
    expect(await cookieOf({ stay: "1" })).toMatch(/; Max-Age=2592000$|; Max-Age=25919\d\d$/);
  });

  test("ends the session that was there before", async () => {
    const { token } = await externalUser(server);
    const agent = Agent.signedIn(server, token);
    await opened({ prompt: "login" }, agent);
    await agent.signIn(user.username, user.password);
    expect((await server.get("/v1/users/me", { token })).status).toBe(401);
  });

  test("with a wrong password says the same as with an unknown name, and keeps nothing", async () => {
    const { agent } = await opened();
    const texts = [];
    for (const identifier of [user.username, "nobody_at_all", ""]) {
      const shown = await agent.signIn(identifier, "wrong password");
      expect([shown.status, agent.cookies.size]).toEqual([401, 0]);
      expect(agent.form.fields.identifier).toBe(identifier);
      expect(shown.html).not.toContain("wrong password");
      texts.push(agent.text);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("The name or the password is wrong.");
    await agent.signIn(user.username, user.password);
    expect(agent.title).toBe("Allow Crew app?");
    const failures = rows<{ n: number }>(
      server,
      "SELECT count(*) AS n FROM audit_events WHERE event_type = 'login_failed' AND user_id = ?",
      user.id,
    );
    expect(failures[0]?.n).toBe(1);
  });

  test("of a banned user says so, once the password is right", async () => {
    const banned = await newUser(server);
    done(await server.post(`/v1/users/${banned.id}/ban`, { token: await server.admin(), body: {} }));
    const { agent } = await opened();
    await agent.signIn(banned.username, "wrong password");
    expect([agent.shown.status, agent.text]).toEqual([401, expect.stringContaining("is wrong")]);
    await agent.signIn(banned.username, banned.password);
    expect([agent.shown.status, agent.text]).toEqual([
      403,
      expect.stringContaining("This account is banned."),
    ]);
  });

  test("asks for the second factor, and tells the application of it", async () => {
    const { agent, verifier } = await opened();
    await agent.signIn(second.username, second.password);
    expect(agent.text).toContain("Your account has a second factor.");
    expect(agent.shown.url).not.toContain("2fa_");
    expect(agent.cookies.size).toBe(0);
    await agent.submit({ code: wrongCode(server, second.secret) });
    expect([agent.shown.status, agent.cookies.size]).toEqual([401, 0]);
    expect(agent.text).toContain("The code is wrong");
    await agent.submit({ code: ` ${await nextCode(server, second.secret)} ` });
    await agent.submit({ decision: "allow" });
    expect(await claimsAfter(agent, verifier)).toMatchObject({
      amr: ["pwd", "otp", "mfa"],
      acr: "urn:fairlead:acr:2fa",
    });
  });

  test("where the server checks for bots sends its users elsewhere, and takes no password", async () => {
    const settings = {
      "bot_protection.provider": "turnstile",
      "bot_protection.secret": "a secret of the tests",
      "bot_protection.verify_url": "http://127.0.0.1:1/",
    };
    const before = await TestServer.start();
    const known = await newClient(before);
    await before.stop();
    const checking = await TestServer.start({ settings, dataDir: before.dataDir });
    try {
      const agent = new Agent(checking);
      await agent.open(authorizationOf(checking, known).url);
      expect(agent.text).toContain("This server asks for a bot check that this page cannot show.");
      expect(agent.shown.html).not.toContain('type="password"');
      // Whoever sends the form all the same is refused as at /v1/auth/login.
      const form = { request: new URL(agent.shown.url).search.slice(1), identifier: "admin", password: "x" };
      const shown = await agent.ask("POST", `${checking.url}/oauth/sign-in`, { form });
      expect([shown.status, agent.cookies.size]).toEqual([401, 0]);
    } finally {
      await checking.stop();
    }
  });
});

describe("limits of sign-ins", () => {
  test("are those of /v1/auth/login, counted together", async () => {
    const limited = await TestServer.start({
      settings: { "rate_limit.enabled": "true", "rate_limit.login": "3/60" },
    });
    try {
      const token = await limited.admin();
      const body = {
        name: "App",
        redirect_uris: ["https://app.example/callback"],
        allowed_scopes: ["openid"],
      };
      const made = done(await limited.post("/v1/oauth/clients", { token, body }));
      const agent = new Agent(limited);
      await agent.open(authorizationOf(limited, made.client).url);
      await agent.signIn("admin", "wrong password");
      expect(agent.shown.status).toBe(401);
      await agent.signIn("admin", "wrong password");
      const { status, headers } = await agent.signIn("admin", "correct horse battery");
      expect([status, agent.cookies.size]).toEqual([429, 0]);
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
      expect(agent.text).toMatch(/Too many tries\. Wait \d+ seconds/);
      const rest = await limited.post("/v1/auth/login", { body: { identifier: "admin", password: "x" } });
      expect(rest.status).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});

describe("the question of consent", () => {
  test("says in plain words what is asked for, who asks, and where the answer goes", async () => {
    const owner = await newUser(server);
    const asking = await newClient(
      server,
      {
        name: "Fleet map",
        privacy_policy_url: "https://app.example/privacy",
        terms_of_service_url: "https://app.example/terms",
      },
      { approved: ["gps:read", "trips:write"], token: owner.token },
    );
    const { token } = await staff(server, "gps:read");
    const agent = Agent.signedIn(server, token);
    await opened({ scope: "openid profile email offline_access gps:read trips:write" }, agent, asking);
    expect(agent.title).toBe("Allow Fleet map?");
    const { text } = agent;
    for (const words of [
      "Know that it is you, by an identifier that stays the same",
      "See your username, your name, your picture and your language",
      "See your email address",
      "Go on while you are away, for up to 180 days, until you take it back",
      PERMISSIONS["gps:read"],
      `${PERMISSIONS["trips:write"]} You don't have this right at present.`,
      "Your answer goes to app.example.",
      `It was registered here by ${owner.username}.`,
      "You can take this back at any time",
      "Privacy policy",
      "Terms of service",
      "You are signed in as",
    ])
      expect(text).toContain(words);
    expect(agent.shown.html).toContain(
      'href="https://app.example/privacy" target="_blank" rel="noopener noreferrer"',
    );
  });

  test("is remembered, and asked again for more, by prompt=consent, and after it was taken back", async () => {
    const person = await externalUser(server);
    const agent = Agent.signedIn(server, person.token);
    const titles: string[] = [];
    const ask = async (changes: Record<string, string>, decision = "allow") => {
      await opened(changes, agent);
      titles.push(agent.shown.url.startsWith(server.url) ? agent.title : "code");
      if (agent.shown.url.startsWith(server.url)) await agent.submit({ decision });
    };
    await ask({ scope: "openid profile" });
    await ask({ scope: "openid profile" });
    await ask({ scope: "openid" });
    await ask({ scope: "openid email" });
    await ask({ scope: "openid profile email" });
    await ask({ scope: "openid", prompt: "consent" });
    const { data } = done(await server.get("/v1/users/me/consents", { token: person.token }));
    done(await server.delete(`/v1/users/me/consents/${data[0].id}`, { token: person.token }));
    await ask({ scope: "openid" });
    const asked = "Allow Crew app?";
    expect(titles).toEqual([asked, "code", "code", asked, "code", asked, asked]);
  });

  test("may be denied, which keeps nothing", async () => {
    const person = await externalUser(server);
    const agent = Agent.signedIn(server, person.token);
    await opened({ state: "s" }, agent);
    await agent.submit({ decision: "deny" });
    expect(agent.answer).toEqual({
      error: "access_denied",
      error_description: "The user did not allow it",
      state: "s",
      iss: server.url,
    });
    expect(rows(server, "SELECT id FROM oauth_consents WHERE user_id = ?", person.id)).toEqual([]);
  });

  test("is not asked for a client of the installation, whose consent is kept all the same", async () => {
    const own = await newClient(server, { is_first_party: true, name: "Own app" });
    const person = await externalUser(server);
    const agent = Agent.signedIn(server, person.token);
    await opened({ scope: "openid profile" }, agent, own);
    expect(agent.answer.code).toStartWith("flc_");
    const { data } = done(await server.get("/v1/users/me/consents", { token: person.token }));
    expect(data).toMatchObject([{ client: { name: "Own app", is_first_party: true } }]);
  });

  test("is asked of everybody once a client is the installation's own no more", async () => {
    const own = await newClient(server, { is_first_party: true, name: "Former own app" });
    const { id, token } = await externalUser(server);
    const { url } = authorizationOf(server, own);
    expect((await Agent.signedIn(server, token).open(url)).url).toStartWith(CALLBACK);
    const admin = await server.admin();
    done(
      await server.patch(`/v1/oauth/clients/${own.id}`, { token: admin, body: { is_first_party: false } }),
    );
    expect(done(await server.get("/v1/users/me/consents", { token })).data).toEqual([]);
    expect(eventsOf(server, id, "consent_revoked")).toHaveLength(1);
    const agent = Agent.signedIn(server, token);
    await agent.open(url);
    expect(agent.title).toBe("Allow Former own app?");
  });

  test("is asked each time where another app on the device could catch the answer", async () => {
    const uris = ["com.example.app:/cb", "http://127.0.0.1/cb", "https://app.example/cb"];
    const app = await newClient(server, { client_type: "public", redirect_uris: uris, name: "Phone app" });
    const agent = Agent.signedIn(server, (await externalUser(server)).token);
    const ask = async (redirect_uri: string, prompt: string | null = null) => {
      await opened({ redirect_uri, prompt }, agent, app);
      if (agent.shown.url.startsWith(server.url)) return agent.text;
      return agent.answer.error ?? "code";
    };
    expect(await ask("com.example.app:/cb")).toContain("an app on this device (com.example.app)");
    await agent.submit({ decision: "allow" });
    expect(agent.shown.url).toStartWith("com.example.app:/cb?code=flc_");
    expect(await ask("com.example.app:/cb")).toContain("Allow Phone app?");
    expect(await ask("http://127.0.0.1:4711/cb")).toContain("a program on this device");
    expect(await ask("com.example.app:/cb", "none")).toBe("consent_required");
    expect(await ask("https://app.example/cb")).toBe("code");
  });

  test("leads to another account, which is then asked", async () => {
    const agent = Agent.signedIn(server, (await externalUser(server)).token);
    await opened({ prompt: "consent" }, agent);
    const [, href = ""] = /<a href="(continue[^"]*)">Use another account/.exec(agent.shown.html) ?? [];
    await agent.visit(new URL(href.replaceAll("&amp;", "&"), agent.shown.url).href);
    expect(agent.title).toBe("Sign in");
    await agent.signIn(user.username, user.password);
    expect(agent.text).toContain(`You are signed in as ${user.username}.`);
    await agent.submit({ decision: "allow" });
    expect(agent.answer.code).toStartWith("flc_");
  });
});

describe("the sign-in that a request asks for", () => {
  test.each(["login", "select_account", "login consent"])("is asked for once: prompt=%s", async (prompt) => {
    const agent = new Agent(server);
    await opened({}, agent);
    await agent.signIn(user.username, user.password);
    const { verifier } = await opened({ prompt }, agent);
    expect(agent.title).toBe("Sign in");
    expect(agent.form.fields.identifier).toBe(prompt === "select_account" ? "" : user.username);
    await agent.signIn(user.username, user.password);
    if (agent.title === "Allow Crew app?") await agent.submit({ decision: "allow" });
    expect((await exchange(server, client, agent.answer.code ?? "", verifier)).status).toBe(200);
  });

  test("counts for that request alone: its ticket is good for no other, nor for another session", async () => {
    const agent = new Agent(server);
    await opened({ prompt: "login" }, agent);
    const { action, fields } = agent.form;
    const form = { ...fields, identifier: user.username, password: user.password };
    const { html } = await agent.ask("POST", action, { form });
    const [, next = ""] = /url=([^"]*)"/.exec(html) ?? [];
    const onward = new URL(next.replaceAll("&amp;", "&"), action);
    const ticket = onward.searchParams.get("signed_in") ?? "";
    const other = new URLSearchParams(authorizationOf(server, client, { prompt: "login" }).parameters);
    await agent.visit(`${server.url}/oauth/continue?${other}&signed_in=${ticket}`);
    expect(agent.title).toBe("Sign in");
    const stranger = Agent.signedIn(server, (await externalUser(server)).token);
    await stranger.visit(onward.href);
    expect(stranger.title).toBe("Sign in");
    await server.advance(31 * 60_000);
    await agent.visit(onward.href);
    expect(agent.title).toBe("Sign in");
  });

  test("ends in a refusal where somebody else signs in than the client expects", async () => {
    const { agent, verifier } = await opened();
    await agent.signIn(user.username, user.password);
    if (agent.title === "Allow Crew app?") await agent.submit({ decision: "allow" });
    const hint = done(await exchange(server, client, agent.answer.code ?? "", verifier)).id_token;
    const other = await newUser(server);
    await opened({ id_token_hint: hint }, agent);
    expect(agent.answer.code).toStartWith("flc_");
    const stranger = new Agent(server);
    await opened({ id_token_hint: hint }, stranger);
    await stranger.signIn(other.username, other.password);
    expect(stranger.answer).toMatchObject({ error: "login_required", iss: server.url });
  });
});

const FORMS: Record<string, string>[] = [
  {},
  { request: "client_id=%00" },
  { request: "a".repeat(20_000), ticket: "x" },
];

describe("the pages", () => {
  test("come in the language that the client asks for, else in the browser's, else in English", async () => {
    const titleIn = async (ui_locales: string | null, accept: string | null) => {
      const agent = new Agent(server, accept === null ? {} : { "accept-language": accept });
      await opened({ ui_locales }, agent);
      return [agent.title, /<html lang="(\w+)"/.exec(agent.shown.html)?.[1]];
    };
    expect(await titleIn(null, null)).toEqual(["Sign in", "en"]);
    expect(await titleIn(null, "de-CH, en;q=0.5")).toEqual(["Anmelden", "de"]);
    expect(await titleIn("en", "de")).toEqual(["Sign in", "en"]);
    expect(await titleIn("fr de", "en")).toEqual(["Anmelden", "de"]);
    expect(await titleIn(null, "fr")).toEqual(["Sign in", "en"]);
  });

  test("lead to the other language and back", async () => {
    const { agent } = await opened();
    const [, href = ""] =
      /<a class="button quiet" lang="de" hreflang="de" href="([^"]*)"/.exec(agent.shown.html) ?? [];
    await agent.visit(new URL(href.replaceAll("&amp;", "&"), agent.shown.url).href);
    expect(agent.title).toBe("Anmelden");
    await agent.signIn(user.username, "falsch");
    expect(agent.text).toContain("Der Name oder das Passwort ist falsch.");
  });

  test("name each permission of the catalogue in German", async () => {
    const all = Object.keys(PERMISSIONS);
    const asking = await newClient(server, {}, { approved: all });
    const agent = Agent.signedIn(server, await server.admin());
    await opened({ scope: all.join(" "), ui_locales: "de" }, agent, asking);
    const items = [...agent.shown.html.matchAll(/<li><span>(.*?)<\/span>/g)].map(([, text]) => text);
    expect(items).toHaveLength(all.length);
    expect(new Set(items).size).toBe(all.length);
    const english = new Set<string | undefined>(Object.values(PERMISSIONS));
    expect(items.filter((text) => english.has(text))).toEqual([]);
  });

  test("show a permission of the operator's own in the words of the catalogue", async () => {
    const body = { resource: "galley", action: "cook", description: "Cook in the galley" };
    done(await server.post("/v1/permissions", { token: await server.admin(), body }));
    const asking = await newClient(server, {}, { approved: ["galley:cook"] });
    const agent = Agent.signedIn(server, await server.admin());
    await opened({ scope: "galley:cook" }, agent, asking);
    expect(agent.text).toContain("Cook in the galley");
  });

  test("have a style and a script of their own, and nothing from elsewhere", async () => {
    const style = await fetch(`${server.url}/oauth/style.css`);
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
    const css = await style.text();
    expect(css).toContain("@media (prefers-color-scheme: dark) { :root:not([data-look]) {");
    expect(css).toContain(':root[data-look="night"]');
    expect(css).not.toMatch(/url\(|@import/);
    const script = await fetch(`${server.url}/oauth/look.js`);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  });

  test("answer HEAD with 405, so that nothing is used up by it", async () => {
    const { url } = authorizationOf(server, client);
    for (const address of [url, url.replace("authorize", "continue"), `${server.url}/oauth/logout`])
      expect((await fetch(address, { method: "HEAD" })).status).toBe(405);
  });

  test("work without the Bridge", async () => {
    const bare = await TestServer.start({ settings: { "bridge.enabled": "false" } });
    try {
      const agent = new Agent(bare);
      await agent.open(authorizationOf(bare, await newClient(bare)).url);
      expect(agent.title).toBe("Sign in");
      expect((await fetch(`${bare.url}/oauth/style.css`)).status).toBe(200);
      expect((await fetch(`${bare.url}/bridge/icon.svg`)).status).toBe(200);
    } finally {
      await bare.stop();
    }
  });

  test("bear whatever is sent to them", async () => {
    const agent = new Agent(server);
    for (const path of ["authorize", "continue", "logout", "sign-out"]) {
      for (const query of ["", "?", "?client_id=%00", "?client_id=%FF%FE", `?client_id=${"x".repeat(8_000)}`])
        expect((await agent.ask("GET", `${server.url}/oauth/${path}${query}`)).status).toBeOneOf([200, 400]);
    }
    for (const path of ["authorize", "sign-in", "code", "consent", "logout", "sign-out"])
      for (const form of FORMS)
        expect((await agent.ask("POST", `${server.url}/oauth/${path}`, { form })).status).toBeOneOf([
          200, 400,
        ]);
    const large = await agent.ask("POST", `${server.url}/oauth/consent`, { form: { x: "y".repeat(40_000) } });
    expect(large.status).toBe(413);
    const json = await fetch(`${server.url}/oauth/sign-in`, {
      method: "POST",
      headers: { origin: server.url, "content-type": "application/json" },
      body: "{}",
    });
    expect(json.status).toBe(415);
  });
});
