import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hash } from "@node-rs/argon2";
import type { Answer } from "../../support/api";
import { isAccepted } from "../../support/credentials";
import { auditRows, withoutAudit } from "../../support/events";
import { outputOfWholeRun } from "../../support/log";
import { newUser, type User } from "../../support/people";
import { filesWith, onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";

/**
 * Signing in with a password and out again (rules C1, C2, C6, C8, H13 and A5). Limits: limits.test.ts;
 * refusals despite the right password: login-refusals.test.ts.
 */
const TOKEN = /^ses_[A-Za-z0-9_-]{43}$/;

let server: TestServer;
let anna: User;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
  anna = await newUser(server);
});
afterAll(() => server.stop());

const login = (identifier: string, password = anna.password, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/login", { body: { identifier, password }, headers });
const logout = (token: string) => server.post("/v1/auth/logout", { token });
const signIn = async () => (await login(anna.username)).body.session_token as string;

describe("POST /v1/auth/login", () => {
  test("opens a session of 30 days and answers who it is", async () => {
    const { status, body } = await login(anna.username);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: anna.id,
      email: anna.email,
      username: anna.username,
      session_token: expect.stringMatching(TOKEN),
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: expect.any(String),
      provider: "email",
      requires_2fa: false,
      preferred_locale: null,
    });
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 30 * DAY)).toBeLessThan(60_000);
    expect(await isAccepted(server, body.session_token)).toBe(true);
  });

  test("takes the username and the email address, in any case", async () => {
    const identifiers = [anna.username, anna.email].flatMap((name) => [name, name.toUpperCase()]);
    for (const identifier of identifiers) {
      const { status, body } = await login(identifier);
      expect([status, body.user_id, body.username]).toEqual([200, anna.id, anna.username]);
    }
  });

  test("answers the locale that the user chose", async () => {
    const user = await newUser(server);
    const chosen = await server.patch(`/v1/users/${user.id}/locale`, {
      token: user.token,
      body: { locale: "de" },
    });
    expect(chosen.status).toBe(200);
    expect((await login(user.username, user.password)).body.preferred_locale).toBe("de");
  });

  test("opens a session of its own each time", async () => {
    const [one, other] = [(await login(anna.username)).body, (await login(anna.username)).body];
    expect(one.session_token).not.toBe(other.session_token);
    expect(one.session_id).not.toBe(other.session_id);
    for (const { session_token } of [one, other]) expect(await isAccepted(server, session_token)).toBe(true);
  });

  test("answers a wrong password and an unknown identifier alike", async () => {
    const shown = ({ status, headers, body }: Answer) => ({
      status,
      body,
      headers: [...headers.keys()].sort(),
    });
    const wrong = await login(anna.username, "not the password");
    expect([wrong.status, wrong.body.error]).toEqual([401, "Unauthorized"]);
    for (const identifier of ["nobody", "nobody@example.org", anna.email, "%", "' OR 1=1 --"])
      expect(shown(await login(identifier, "not the password"))).toEqual(shown(wrong));
    // Passwords are compared exactly.
    for (const password of [anna.password.toUpperCase(), `${anna.password} `, anna.password.slice(1)])
      expect(shown(await login(anna.username, password))).toEqual(shown(wrong));
  });

  test("doesn't take one user's password for another", async () => {
    const other = await newUser(server);
    expect((await login(anna.username, other.password)).status).toBe(401);
  });

  test.each([
    ["/identifier", { password: "x" }],
    ["/password", { identifier: "x" }],
    ["/identifier", { identifier: "", password: "x" }],
    ["/password", { identifier: "x", password: "" }],
    ["/identifier", { identifier: 5, password: "x" }],
    ["/password", { identifier: "x", password: "p".repeat(257) }],
    ["/identifier", { identifier: "x".repeat(321), password: "x" }],
    ["/password", { identifier: "x", password: null }],
  ])("refuses a wrong %s (%#)", async (path, body) => {
    const answer = await server.post("/v1/auth/login", { body });
    expect([answer.status, answer.body.error]).toEqual([400, "ValidationError"]);
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  });

  test("renews a hash with older parameters when the password is right, and only then", async () => {
    const user = await newUser(server);
    const stored = () =>
      rows<{ hash: string }>(server, "SELECT hash FROM passwords WHERE user_id = ?", user.id)[0]?.hash;
    const old = await hash(user.password, { memoryCost: 4_096, timeCost: 3, parallelism: 1 });
    onDatabase(server, (database) =>
      database.run("UPDATE passwords SET hash = ? WHERE user_id = ?", [old, user.id]),
    );
    expect((await login(user.username, "not the password")).status).toBe(401);
    expect(stored()).toBe(old);
    expect((await login(user.username, user.password)).status).toBe(200);
    const renewed = stored();
    expect(renewed).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect((await login(user.username, user.password)).status).toBe(200);
    expect(stored()).toBe(renewed as string);
  });

  test("ignores challenge_token while bot protection is off", async () => {
    for (const challenge_token of ["anything", "x".repeat(100_000), 5, null, { a: [1] }, []]) {
      const body = { identifier: anna.username, password: anna.password, challenge_token };
      expect((await server.post("/v1/auth/login", { body })).status).toBe(200);
    }
  });

  test("may not be kept by anyone on the way, whatever it answers", async () => {
    const answers = [await login(anna.username), await login(anna.username, "wrong"), await login("")];
    answers.push(await logout(await signIn()), await logout("ses_wrong"));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 200, 401]);
    for (const { headers } of answers) expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("POST /v1/auth/logout", () => {
  test("ends the session that asks, at once, and no other", async () => {
    const [one, other] = [await signIn(), await signIn()];
    expect(await isAccepted(server, one)).toBe(true);
    const { status, body } = await logout(one);
    expect([status, body]).toEqual([200, { message: expect.any(String) }]);
    expect(await isAccepted(server, one)).toBe(false);
    expect(await isAccepted(server, other)).toBe(true);
    expect(await isAccepted(server, anna.token)).toBe(true);
    expect((await logout(one)).status).toBe(401);
  });

  test("takes no body, and ignores whatever comes as one", async () => {
    for (const [raw, type] of [
      ["x", "text/plain"],
      ["null", "application/json"],
      ["{{{", "application/json"],
      ["[]", "application/json"],
      ["x", "application/x-www-form-urlencoded"],
    ]) {
      const token = await signIn();
      const { status } = await server.post("/v1/auth/logout", {
        token,
        raw: raw ?? "",
        headers: { "content-type": type ?? "" },
      });
      expect(status).toBe(200);
      expect(await isAccepted(server, token)).toBe(false);
    }
  });

  test("answers 401 without a session token", async () => {
    const key = await server.key("*:*");
    for (const token of [undefined, "ses_wrong", key, server.systemKey]) {
      const { status, body } = await server.post("/v1/auth/logout", token === undefined ? {} : { token });
      expect([status, body.error]).toEqual([401, "Unauthorized"]);
    }
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("needs no body, and minds none", async () => {
    const token = await signIn();
    expect((await server.post("/v1/auth/logout", { token, body: { everything: true } })).status).toBe(200);
    expect(await isAccepted(server, token)).toBe(false);
  });

  test("succeeds once of many requests at once", async () => {
    const token = await signIn();
    const answers = await Promise.all(Array.from({ length: 5 }, () => logout(token)));
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(await isAccepted(server, token)).toBe(false);
  });
});

describe("the audit log", () => {
  const HEADERS = { "user-agent": `tests/1 (${"x".repeat(600)})` };
  const from = { ip_address: "127.0.0.1", user_agent: HEADERS["user-agent"].slice(0, 512) };
  /** The events that `act` writes. */
  async function written(act: () => Promise<unknown>) {
    const before = auditRows(server).length;
    await act();
    return auditRows(server).slice(before);
  }

  test("has login and session_created for a sign-in, and logout for its end", async () => {
    let session = { session_token: "", session_id: "" };
    const rows = await written(async () => {
      session = (await login(anna.email, anna.password, HEADERS)).body;
      await server.post("/v1/auth/logout", { token: session.session_token, headers: HEADERS });
    });
    expect(rows.map((row) => row.event_type).sort()).toEqual(["login", "logout", "session_created"]);
    for (const row of rows)
      expect(row).toMatchObject({
        ...from,
        user_id: anna.id,
        actor_id: null,
        resource_type: "session",
        resource_id: session.session_id,
        status: "success",
      });
    const ended = JSON.parse(rows.find((row) => row.event_type === "logout")?.metadata ?? "");
    expect(ended).toEqual({ reason: "user_initiated", session_id: session.session_id });
    expect(JSON.stringify(rows)).not.toContain(session.session_token.slice("ses_".length));
  });

  test("has login_failed for a wrong password and for an unknown identifier, and no secret", async () => {
    const rows = await written(async () => {
      await login(anna.username, "not the password", HEADERS);
      await login("typed_my_password_here", "not the password", HEADERS);
    });
    const failed = { ...from, event_type: "login_failed", status: "failure", resource_id: null };
    expect(rows).toMatchObject([
      { ...failed, user_id: anna.id },
      { ...failed, user_id: null },
    ]);
    expect(JSON.stringify(rows)).not.toContain("not the password");
    expect(JSON.stringify(rows)).not.toContain("typed_my_password_here");
  });

  test("commits with the session: without login or session_created there is none", async () => {
    const sessions = () => rows(server, "SELECT id FROM sessions WHERE user_id = ?", anna.id).length;
    const before = sessions();
    for (const event of ["login", "session_created"]) {
      const answer = await withoutAudit(server, event, () => login(anna.username));
      expect([answer.status, answer.body.error]).toEqual([500, "InternalServerError"]);
      expect(sessions()).toBe(before);
    }
    expect((await login(anna.username)).status).toBe(200);
    expect(sessions()).toBe(before + 1);
  });

  test("has nothing for what never got as far", async () => {
    expect(await written(() => login(""))).toEqual([]);
    expect(await written(() => logout("ses_wrong"))).toEqual([]);
  });
});

describe("a session's time", () => {
  test("is 30 days, used or not", async () => {
    const own = await TestServer.start({ clock: "movable" });
    try {
      const user = await newUser(own);
      const unused = (await own.login(user.username, user.password)).session_token;
      expect(await isAccepted(own, user.token)).toBe(true);
      await own.advance(29 * DAY);
      expect(await isAccepted(own, user.token)).toBe(true);
      // A minute is left for the time that the tests themselves took.
      await own.advance(DAY - 60_000);
      expect(await isAccepted(own, user.token)).toBe(true);
      await own.advance(60_000);
      expect([await isAccepted(own, user.token), await isAccepted(own, unused)]).toEqual([false, false]);
      expect((await own.post("/v1/auth/logout", { token: user.token })).status).toBe(401);
      const next = (await own.login(user.username, user.password)).session_token;
      expect(await isAccepted(own, next)).toBe(true);
    } finally {
      await own.stop();
    }
  });

  test("goes on after a restart of the server", async () => {
    const first = await TestServer.start();
    const token = await first.admin();
    const { session_token: ended } = await first.login("admin", "correct horse battery");
    await first.post("/v1/auth/logout", { token: ended });
    await first.stop();
    const second = await TestServer.start({ dataDir: first.dataDir });
    try {
      expect([await isAccepted(second, token), await isAccepted(second, ended)]).toEqual([true, false]);
    } finally {
      await second.stop();
    }
  });
});

test("neither tokens nor passwords stand in the data directory or in the server's output", async () => {
  const own = await TestServer.start({ clock: "movable", settings: { "log.level": "debug" } });
  const user = await newUser(own);
  const ended = (await own.login(user.email, user.password)).session_token;
  const wrong = "a wrong password 4711";
  await own.post("/v1/auth/login", { body: { identifier: user.username, password: wrong } });
  await own.post("/v1/auth/login", {
    raw: `{"password":"${user.password}",`,
    headers: { "content-type": "application/json" },
  });
  for (const token of [user.token, ended]) {
    await own.get(`/v1/gps?token=${token}`, { token, headers: { cookie: `fairlead_session=${token}` } });
    await own.get(`/v1/ws?token=${token}`);
    await own.get("/v1/ws", { headers: { cookie: `fairlead_session=${token}`, origin: own.url } });
  }
  await own.post("/v1/auth/logout", { token: ended });

  const secrets = [user.token, ended].map((token) => token.slice("ses_".length)).concat(user.password, wrong);
  const search = () => secrets.flatMap((secret) => filesWith(own, secret));
  // The search can find them: it finds the username, which is stored.
  expect(filesWith(own, user.username)).not.toEqual([]);
  expect(search()).toEqual([]);
  const output = await outputOfWholeRun(own);
  expect(output).toContain("/v1/auth/login");
  for (const secret of secrets) expect(output).not.toContain(secret);
  expect(search()).toEqual([]);
});
