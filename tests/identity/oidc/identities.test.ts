import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { exported } from "../../personal-data/export/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { newUser, openSession, type User } from "../../support/people";
import { freePort } from "../../support/program";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newAuthenticator, register } from "../passkeys/support";
import { guarded, nextCode, verifyLogin } from "../two-factor/support";
import { Browser, challengeOf, newAccount, newVerifier, signInThrough } from "./support";

/** Identities of signed-in users: linked, removed, used in place of a password; accounts that have no password at all. */

let provider: OidcStandIn;
let server: TestServer;

beforeAll(async () => {
  provider = await OidcStandIn.start();
  server = await TestServer.start({
    settings: {
      ...provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
      "auth.reauthentication_minutes": "10",
      "integrations.allowed_redirects": "https://app.example",
    },
    clock: "movable",
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.wrongs = {};
  provider.account = newAccount();
  provider.authTime = null;
});

/** A browser in which a session is signed in. */
function browserOf(token: string): Browser {
  const browser = new Browser(server);
  browser.cookies.set("fairlead_session", token);
  return browser;
}

/** Goes to the provider from the page, and returns the code with which the browser comes back, or the reason. */
async function go(browser: Browser, path: string) {
  const begun = done(await browser.asPage("POST", path, {}));
  const step = await browser.open(await browser.atProvider(begun.authorization_url));
  return {
    code: /#\/elsewhere\/(?:link|reauthenticate)\/([\w-]{43})$/.exec(step.to ?? "")?.[1] ?? null,
    reason: /<code>(\w+)<\/code>/.exec(step.html)?.[1] ?? null,
  };
}

const LINK = "/v1/users/me/identities/begin/harbour";
const PROVE = "/v1/auth/oidc/harbour/reauthenticate";

const identities = async (token: string) => done(await server.get("/v1/users/me/identities", { token })).data;

/** Lets the clocks of both pass. */
async function later(milliseconds: number): Promise<void> {
  await server.advance(milliseconds);
  provider.ahead += milliseconds / 1_000;
}

describe("a link", () => {
  test("lets its owner in from then on, and is told of by email", async () => {
    const user = await newUser(server);
    const browser = browserOf(user.token);
    const { code } = await go(browser, LINK);
    const made = await browser.asPage("POST", "/v1/users/me/identities", { code });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/v1/users/me/identities/${made.body.data.id}`);
    expect(made.body.data).toMatchObject({ provider: "harbour", subject: provider.account.sub });
    expect((await browser.asPage("POST", "/v1/users/me/identities", { code })).status).toBe(400);
    const { session } = await signInThrough(server, "harbour");
    expect(session.user_id).toBe(user.id);
    const subjects = (await mailsTo(server, user.email)).map(({ subject }) => subject);
    expect(subjects.some((subject) => subject.includes("Another way into your account"))).toBe(true);
  });

  test("is made by the session that began it alone", async () => {
    const [user, other] = [await newUser(server), await newUser(server)];
    const browser = browserOf(user.token);
    const { code } = await go(browser, LINK);
    // The browser of somebody who was lured here has another session.
    browser.cookies.set("fairlead_session", other.token);
    expect((await browser.asPage("POST", "/v1/users/me/identities", { code })).status).toBe(400);
    expect(await identities(other.token)).toEqual([]);
  });

  test("is refused where another account has the identity, or the own one already", async () => {
    const { token } = await signInThrough(server, "harbour");
    const user = await newUser(server);
    expect((await go(browserOf(user.token), LINK)).reason).toBe("identity_taken");
    const browser = browserOf(token);
    const { code } = await go(browser, LINK);
    expect((await browser.asPage("POST", "/v1/users/me/identities", { code })).status).toBe(409);
  });

  test("by an app, whose browser has other cookies, goes by redirect and verifier", async () => {
    const user = await newUser(server);
    const verifier = newVerifier();
    const body = { redirect_uri: "https://app.example/linked", code_challenge: challengeOf(verifier) };
    const { token } = user;
    expect((await server.post(LINK, { token, body: { redirect_uri: body.redirect_uri } })).status).toBe(400);
    const { authorization_url } = done(await server.post(LINK, { token, body }));
    const browser = new Browser(server);
    const back = await browser.open(await browser.atProvider(authorization_url));
    const code = new URL(back.to ?? "").searchParams.get("code");
    const link = (code_verifier: string) =>
      server.post("/v1/users/me/identities", { token, body: { code, code_verifier } });
    expect((await link(newVerifier())).status).toBe(400);
    expect((await link(verifier)).status).toBe(201);
  });

  test("needs a recent sign-in or a proof, as all that could make a stolen session permanent", async () => {
    const user = await newUser(server);
    await later(11 * 60_000);
    const refused = await server.post(LINK, { token: user.token, body: {} });
    expect([refused.status, refused.body.error]).toEqual([403, "ReauthenticationRequired"]);
    expect((await server.post(LINK, { token: user.token, body: { password: user.password } })).status).toBe(
      200,
    );
  });

  test("to an unknown provider is 404", async () => {
    const user = await newUser(server);
    expect(
      (await server.post("/v1/users/me/identities/begin/nobody", { token: user.token, body: {} })).status,
    ).toBe(404);
    expect(
      (await server.post("/v1/auth/oidc/nobody/reauthenticate", { token: user.token, body: {} })).status,
    ).toBe(404);
  });
});

/** The user of the one identity that a server knows. */
const userOf = (of: TestServer): string =>
  rows<{ user_id: string }>(of, "SELECT user_id FROM oidc_identities")[0]?.user_id ?? "";

describe("removing", () => {
  test("takes the way in away, and never the last one", async () => {
    const { token } = await signInThrough(server, "harbour");
    const [identity] = await identities(token);
    const path = `/v1/users/me/identities/${identity.id}`;
    const last = await server.delete(path, { token });
    expect(last.status).toBe(409);
    expect(done(await server.get("/v1/users/me/ways-in", { token }))).toEqual({
      ...{ has_password: false, may_use_password: true, passkeys: 0, identities: 1, platform_accounts: 0 },
    });
    done(await server.post("/v1/users/me/password", { token, body: { new_password: "a long passphrase" } }));
    expect((await server.delete(path, { token })).status).toBe(204);
    expect((await server.delete(path, { token })).status).toBe(404);
    // The address is known by now, and has no identity of the provider: it links again.
    const again = await signInThrough(server, "harbour");
    const { data } = done(await server.get("/v1/users/me", { token }));
    expect(again.session.user_id).toBe(data.id);
  });

  test("takes none away for a passkey that no browser shows at the server's present address", async () => {
    const settings = provider.settings("harbour", { allow_registration: "true" });
    const before = await TestServer.start({ settings });
    await register(before, (await signInThrough(before, "harbour")).token, newAuthenticator(before));
    await before.stop();
    const byNumbers = {
      ...settings,
      "server.port": String(await freePort()),
      "server.public_url": "http://192.0.2.1",
    };
    const after = await TestServer.start({ dataDir: before.dataDir, settings: byNumbers });
    try {
      const token = (await openSession(after, userOf(after))).token;
      expect(done(await after.get("/v1/users/me/ways-in", { token }))).toMatchObject({
        passkeys: 0,
        identities: 1,
      });
      const [identity] = done(await after.get("/v1/users/me/identities", { token })).data;
      expect((await after.delete(`/v1/users/me/identities/${identity.id}`, { token })).status).toBe(409);
    } finally {
      await after.stop();
    }
  });

  test("of somebody else's is 404", async () => {
    const { token } = await signInThrough(server, "harbour");
    const [identity] = await identities(token);
    const other = await newUser(server);
    expect(
      (await server.delete(`/v1/users/me/identities/${identity.id}`, { token: other.token })).status,
    ).toBe(404);
  });

  test("of two at once leaves one", async () => {
    const { token, browser } = await signInThrough(server, "harbour");
    provider.account = newAccount({ email: null });
    const { code } = await go(browser, LINK);
    done(await browser.asPage("POST", "/v1/users/me/identities", { code }));
    const both = await identities(token);
    const answers = await Promise.all(
      both.map(({ id }: { id: string }) => server.delete(`/v1/users/me/identities/${id}`, { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe("an account without a password", () => {
  test("proves again who it is by signing in anew at its provider, and by nobody else's identity", async () => {
    const { token, browser } = await signInThrough(server, "harbour");
    const account = provider.account;
    await later(11 * 60_000);
    const make = () =>
      server.post("/v1/users/me/password", { token, body: { new_password: "a long passphrase" } });
    expect((await make()).body.error).toBe("ReauthenticationRequired");
    // Signed in at the provider an hour ago: its user is asked again, and a provider that doesn't do so is not believed.
    provider.authTime = Math.floor(Date.now() / 1_000) + provider.ahead - 3_600;
    expect((await go(browser, PROVE)).reason).toBe("not_fresh");
    expect(provider.authorization).toMatchObject({ prompt: "login", max_age: "0" });
    provider.authTime = null;
    provider.wrongs = { claims: { auth_time: null } };
    expect((await go(browser, PROVE)).reason).toBe("not_fresh");
    provider.wrongs = {};
    provider.account = newAccount();
    expect((await go(browser, PROVE)).reason).toBe("other_identity");
    provider.account = account;
    const { code } = await go(browser, PROVE);
    const proved = await browser.asPage("POST", "/v1/auth/reauthenticate", { oidc_code: code });
    expect(proved.status).toBe(200);
    expect((await browser.asPage("POST", "/v1/auth/reauthenticate", { oidc_code: code })).status).toBe(400);
    expect((await make()).status).toBe(200);
    const signedIn = await server.login(
      (await server.get("/v1/users/me", { token })).body.data.username,
      "a long passphrase",
    );
    expect(signedIn.session_token).toMatch(/^ses_/);
  });

  test("schedules its deletion by a recent sign-in, and is scrubbed with all that it was known by", async () => {
    const { token, session } = await signInThrough(server, "harbour");
    await later(11 * 60_000);
    const schedule = () => server.post("/v1/users/me/deletion", { token, body: {} });
    expect((await schedule()).body.error).toBe("ReauthenticationRequired");
    const fresh = await signInThrough(server, "harbour");
    done(await server.post("/v1/users/me/deletion", { token: fresh.token, body: {} }));
    const admin = (await server.login("admin", "correct horse battery")).session_token;
    done(await server.post(`/v1/admin/users/${session.user_id}/force-delete`, { token: admin, body: {} }));
    expect(rows(server, "SELECT * FROM oidc_identities WHERE user_id = ?", session.user_id)).toEqual([]);
    // Known no more, the identity makes a new account.
    const anew = await signInThrough(server, "harbour");
    expect(anew.session.user_id).not.toBe(session.user_id);
  });

  test("without an address gets one by a link, and a password with it", async () => {
    provider.account = newAccount({ email: null });
    const { token } = await signInThrough(server, "harbour");
    const first = await server.post("/v1/users/me/password", {
      token,
      body: { new_password: "a long passphrase" },
    });
    expect(first.status).toBe(400);
    expect(first.body.message).toContain("link an email address");
  });

  test("takes part in the export with its identities", async () => {
    const { token } = await signInThrough(server, "harbour");
    const { data } = await exported(server, token);
    expect(data.identities).toEqual([
      expect.objectContaining({ issuer: provider.issuer, subject: provider.account.sub }),
    ]);
  });
});

describe("the second factor", () => {
  test("is asked for after the provider, whatever its user did there", async () => {
    const user = await guarded(server);
    provider.wrongs = { claims: { amr: ["mfa", "hwk"], acr: "high" } };
    provider.account = newAccount({ email: user.email });
    const browser = new Browser(server);
    const { code } = await browser.goThrough("harbour");
    const first = done(await browser.asPage("POST", "/bridge/session/oidc", { code }));
    expect(first).toMatchObject({ requires_2fa: true, provider: "oidc:harbour" });
    expect(browser.cookies.has("fairlead_session")).toBe(false);
    const second = done(await verifyLogin(server, first.temp_token, await nextCode(server, user.secret)));
    expect(second).toMatchObject({ user_id: user.id, provider: "oidc:harbour", requires_2fa: false });
  });

  test("is asked for beside the identity, to prove again who one is", async () => {
    const user = (await guarded(server)) as User & { secret: string };
    provider.account = newAccount({ email: null });
    const browser = browserOf(user.token);
    const { code: link } = await go(browser, LINK);
    done(await browser.asPage("POST", "/v1/users/me/identities", { code: link }));
    const { code: oidc_code } = await go(browser, PROVE);
    expect((await browser.asPage("POST", "/v1/auth/reauthenticate", { oidc_code })).status).toBe(400);
    const code = await nextCode(server, user.secret);
    expect((await browser.asPage("POST", "/v1/auth/reauthenticate", { oidc_code, code })).status).toBe(200);
  });
});
