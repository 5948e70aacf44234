import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask } from "../../graphql/support";
import type { Answer, Token } from "../../support/api";
import { commandLineKey, createKey } from "../../support/credentials";
import { eventsOf } from "../../support/events";
import { done, expectInvalid, expectRefused } from "../../support/expectations";
import { externalUser, newUser, type User } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { codeIn, guarded, nextCode, setUp, toStepStart, wrongCode } from "../two-factor/support";

/**
 * A stolen session must not become permanent access: every operation that could do so needs a recent sign-in,
 * or a proof.
 */

const RECENT = 10;

let server: TestServer;
/** Lets its holders have keys. */
let keyRole: string;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "auth.reauthentication_minutes": String(RECENT) },
  });
  keyRole = (await newRole(server, "api_keys:read", "api_keys:write")).id;
});
afterAll(() => server.stop());

const grownOld = () => server.advance((RECENT + 1) * MINUTE);
const reauthenticate = (token: Token, body: object) =>
  server.post("/v1/auth/reauthenticate", { token, body });
const expectAsked = (answer: Answer) => expectRefused(answer, 403, "ReauthenticationRequired");

/** Everything that a thief could want to change. */
const state = () => ({
  users: rows(server, "SELECT * FROM users ORDER BY id"),
  accounts: rows(server, "SELECT * FROM platform_accounts ORDER BY id"),
  verifications: rows(server, "SELECT * FROM verifications ORDER BY id"),
  keys: rows(server, "SELECT id, key_hash, scopes, is_active, expires_at FROM api_keys ORDER BY id"),
  keyRoles: rows(server, "SELECT * FROM api_key_roles ORDER BY 1, 2"),
  factors: rows(server, "SELECT * FROM two_factor ORDER BY user_id"),
});

/** A user's operation: sends a request with these additional fields. */
type Doing = (more: object) => Promise<Answer>;

/** Operations that need a recent sign-in. Each is prepared in a fresh session. */
const SENSITIVE: Record<string, (user: User) => Doing | Promise<Doing>> = {
  "POST /v1/api-keys":
    ({ token }) =>
    (more) =>
      server.post("/v1/api-keys", { token, body: { name: "Thief", ...more } }),
  "PATCH /v1/api-keys/{id}, the scopes": async ({ token }) => {
    const { id } = await createKey(server, token, []);
    return (more) =>
      server.patch(`/v1/api-keys/${id}`, { token, body: { scopes: ["two_factor:write"], ...more } });
  },
  "PATCH /v1/api-keys/{id}, the end": async ({ token }) => {
    const { id } = await createKey(server, token, []);
    return (more) =>
      server.patch(`/v1/api-keys/${id}`, { token, body: { expires_at: "2099-01-01T00:00:00Z", ...more } });
  },
  "PATCH /v1/api-keys/{id}, switching on": async ({ token }) => {
    const { id } = await createKey(server, token, []);
    done(await server.patch(`/v1/api-keys/${id}`, { token, body: { is_active: false } }));
    return (more) => server.patch(`/v1/api-keys/${id}`, { token, body: { is_active: true, ...more } });
  },
  "POST /v1/api-keys/{id}/regenerate": async ({ token }) => {
    const { id } = await createKey(server, token, []);
    return (body) => server.post(`/v1/api-keys/${id}/regenerate`, { token, body });
  },
  "POST /v1/api-keys/{id}/roles": async ({ token }) => {
    const { id } = await createKey(server, token, []);
    return (more) =>
      server.post(`/v1/api-keys/${id}/roles`, { token, body: { role_id: "role_user", ...more } });
  },
  "PATCH /v1/users/{id}":
    ({ id, token, username }) =>
    (more) =>
      server.patch(`/v1/users/${id}`, { token, body: { email: `${username}@example.net`, ...more } }),
  "POST /v1/users/{id}/email/request-change":
    ({ id, token, username }) =>
    (more) =>
      server.post(`/v1/users/${id}/email/request-change`, {
        token,
        body: { email: `${username}@example.com`, ...more },
      }),
  "POST /v1/users/me/2fa/setup":
    ({ token }) =>
    (body) =>
      server.post("/v1/users/me/2fa/setup", { token, body }),
  "mutation setupTwoFactor":
    ({ token }) =>
    async (input) => {
      const variables = { input };
      const query = "mutation ($input: SetupTwoFactorInput) { setupTwoFactor(input: $input) { secret } }";
      const answer = await ask(server, query, { token, variables });
      const [error] = answer.body.errors ?? [];
      if (!error) return answer;
      const { code, status, details } = error.extensions;
      return { ...answer, status, body: { error: code, message: error.message, details } };
    },
};

describe.each(Object.entries(SENSITIVE))("%s", (_, prepare) => {
  let doing: Doing;
  let user: User;
  beforeAll(async () => {
    user = await newUser(server, keyRole);
    doing = await prepare(user);
    await grownOld();
  });

  test("is refused to a session that was signed in too long ago, and changes nothing", async () => {
    const before = state();
    expectAsked(await doing({}));
    expect(state()).toEqual(before);
  });

  test("is refused with a wrong password, which is written down, and with a code that the user has none of", async () => {
    const before = state();
    expectInvalid(await doing({ password: "not the password" }), "/password");
    expectAsked(await doing({ code: "123456" }));
    expect(state()).toEqual(before);
    expect(eventsOf(server, user.id, "reauthenticated")).toMatchObject([
      { status: "failure", error_message: "wrong password", resource_type: "session" },
    ]);
  });

  test("is done with the password", async () => {
    const before = state();
    expect((await doing({ password: user.password })).status).toBeLessThan(300);
    expect(state()).not.toEqual(before);
  });
});

describe("a session", () => {
  test("that was just signed in, or opened by the identity service, needs no proof", async () => {
    const user = await newUser(server, keyRole);
    expect((await server.post("/v1/api-keys", { token: user.token, body: { name: "k" } })).status).toBe(201);
    const external = await externalUser(server);
    expect((await setUp(server, external.token)).status).toBe(200);
  });

  test("changes what is harmless without one, however old: a key's name, switching it off, ending it", async () => {
    const role = await newRole(server, "api_keys:write", "api_keys:delete");
    const user = await newUser(server, role.id);
    const { id } = await createKey(server, user.token, []);
    await grownOld();
    const { token } = user;
    for (const body of [{ name: "Tracker" }, { is_active: false }])
      expect((await server.patch(`/v1/api-keys/${id}`, { token, body })).status).toBe(200);
    expect((await server.delete(`/v1/api-keys/${id}`, { token })).status).toBe(204);
    const body = { email: user.email.toUpperCase(), privacy_mode: true };
    expect((await server.patch(`/v1/users/${user.id}`, { token, body })).status).toBe(200);
  });

  test("is renewed by the password that did for one thing, and grows old again", async () => {
    const { token, password } = await newUser(server, keyRole);
    await grownOld();
    const make = (more: object = {}) => server.post("/v1/api-keys", { token, body: { name: "k", ...more } });
    expect((await make({ password })).status).toBe(201);
    expect((await make()).status).toBe(201);
    await grownOld();
    expectAsked(await make());
  });

  test("that seems to be signed in far ahead, by a clock that was wrong, is none just signed in", async () => {
    await server.advance(3 * 60 * MINUTE);
    const { token, password } = await newUser(server, keyRole);
    await server.advance(-3 * 60 * MINUTE);
    expectAsked(await server.post("/v1/api-keys", { token, body: { name: "k" } }));
    done(await reauthenticate(token, { password }));
    done(await server.post("/v1/api-keys", { token, body: { name: "k" } }));
  });

  test("completes a set-up of the app with the password, and with a sign-in that is old not at all", async () => {
    const { id, token, password } = await newUser(server);
    const { secret } = done(await setUp(server, token));
    await server.advance(9 * MINUTE);
    done(await server.post("/v1/users/me/2fa/setup", { token, body: {} }));
    const again = done(await setUp(server, token)).secret;
    expect(again).not.toBe(secret);
    await server.advance(2 * MINUTE);
    const complete = async (more: object = {}) =>
      server.post("/v1/users/me/2fa/verify", {
        token,
        body: { code: codeIn(server, again, 0), ...more },
      });
    expectAsked(await complete());
    expectInvalid(await complete({ password: "wrong" }), "/password");
    expect(eventsOf(server, id, "2fa_enabled")).toEqual([]);
    done(await complete({ password }));
    expect(eventsOf(server, id, "2fa_enabled")).toHaveLength(1);
  });
});

describe("with two-factor authentication on", () => {
  const makeKey = (token: Token, more: object = {}) =>
    server.post("/v1/api-keys", { token, body: { name: "k", ...more } });

  test("a code does, once, and the password alone does not", async () => {
    const user = await guarded(server, keyRole);
    await grownOld();
    expectAsked(await makeKey(user.token, { password: user.password }));
    expectInvalid(await makeKey(user.token, { code: wrongCode(server, user.secret) }), "/code");
    const code = await nextCode(server, user.secret);
    expect((await makeKey(user.token, { code })).status).toBe(201);
    expectInvalid(await makeKey(user.token, { code }), "/code");
    // A code alone proves less than a sign-in.
    expectAsked(await makeKey(user.token));
    const [backupCode] = user.backupCodes;
    expect((await makeKey(user.token, { code: backupCode })).status).toBe(201);
    expect(eventsOf(server, user.id, "2fa_verified").at(-1)).toMatchObject({ status: "failure" });
  });

  test("reauthentication takes both", async () => {
    const { token, password, secret } = await guarded(server, keyRole);
    await grownOld();
    expectInvalid(await reauthenticate(token, { password }), "/code");
    expectInvalid(await reauthenticate(token, { code: codeIn(server, secret, 0) }), "/password");
    expectInvalid(await reauthenticate(token, { password, code: wrongCode(server, secret) }), "/code");
    expectAsked(await makeKey(token));
    done(await reauthenticate(token, { password, code: await nextCode(server, secret) }));
    expect((await makeKey(token)).status).toBe(201);
  });

  test("of parallel requests with one code one is done", async () => {
    const { token, secret } = await guarded(server, keyRole);
    await grownOld();
    await toStepStart(server);
    const code = await nextCode(server, secret);
    const answers = await Promise.all([1, 2, 3].map(() => makeKey(token, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });
});

describe("POST /v1/auth/reauthenticate", () => {
  test("has the session count as just signed in, says until when, and is written down", async () => {
    const { id, token, password, sessionId } = await newUser(server, keyRole);
    await grownOld();
    const body = done(await reauthenticate(token, { password }));
    const at = Date.parse(body.authenticated_at);
    expect(Math.abs(at - server.time)).toBeLessThan(MINUTE);
    expect(Date.parse(body.expires_at) - at).toBe(RECENT * MINUTE);
    expect(eventsOf(server, id, "reauthenticated")).toMatchObject([
      { status: "success", resource_type: "session", resource_id: sessionId, actor_id: null },
    ]);
    expect((await server.post("/v1/api-keys", { token, body: { name: "k" } })).status).toBe(201);
  });

  test("renews no other session of the user's", async () => {
    const { username, token, password } = await newUser(server, keyRole);
    const other = await server.login(username, password);
    await grownOld();
    done(await reauthenticate(token, { password }));
    expectAsked(await server.post("/v1/api-keys", { token: other.session_token, body: { name: "k" } }));
  });

  test("refuses what is missing and what is wrong", async () => {
    const { token } = await newUser(server);
    expectInvalid(await reauthenticate(token, {}), "/password");
    expectInvalid(await reauthenticate(token, { password: null }), "/password");
    expectInvalid(await reauthenticate(token, { password: "x".repeat(129) }), "/password");
    expectInvalid(await reauthenticate(token, { password: "wrong" }), "/password");
  });

  test("sends whoever has neither password nor second factor back to the platform", async () => {
    const { id, token } = await externalUser(server);
    await grownOld();
    const asked = await setUp(server, token);
    expectAsked(asked);
    expect(asked.body.message).toContain("platform");
    expectAsked(await reauthenticate(token, { password: "anything" }));
    const session = await server.post("/v1/sessions", {
      token: server.systemKey,
      body: { userId: id, expires: "2099-01-01T00:00:00Z" },
    });
    expect((await setUp(server, session.body.sessionToken)).status).toBe(200);
  });

  test("is for sessions: a key gets 401, and a session that is revoked meanwhile too", async () => {
    const { token, password, sessionId } = await newUser(server, keyRole);
    const { key } = await createKey(server, token, []);
    expect((await reauthenticate(key, { password })).status).toBe(401);
    const thief = reauthenticate(token, { password });
    const ended = server.delete(`/v1/sessions/${token}`, { token: server.systemKey });
    expect([200, 401]).toContain((await thief).status);
    expect((await ended).status).toBe(204);
    expect(rows(server, "SELECT id FROM sessions WHERE id = ?", sessionId)).toEqual([]);
  });

  test("lets nobody guess: passwords are limited by the session, in the bodies of operations too", async () => {
    const limited = await TestServer.start({
      settings: {
        "auth.reauthentication_minutes": "10",
        "rate_limit.enabled": "true",
        "rate_limit.login": "3/3600",
        "rate_limit.two_factor": "3/3600",
      },
    });
    try {
      const { token } = await newUser(limited);
      const body = { password: "wrong" };
      const tries = [
        () => limited.post("/v1/auth/reauthenticate", { token, body }),
        () => limited.post("/v1/users/me/2fa/setup", { token, body }),
      ];
      const statuses = [];
      for (const attempt of [0, 1, 0, 1, 0]) statuses.push((await tries[attempt]?.())?.status);
      expect(statuses).toEqual([400, 400, 400, 429, 429]);
      const code = { code: "123456" };
      const codes = [];
      for (let attempt = 0; attempt < 4; attempt++)
        codes.push((await limited.post("/v1/users/me/2fa/setup", { token, body: code })).status);
      expect(codes).toEqual([200, 200, 200, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe("an API key", () => {
  test("does nothing of the kind to its own user without a proof, however new it is", async () => {
    const user = await newUser(server, (await newRole(server, "api_keys:write", "users:write")).id);
    const { key } = await createKey(server, user.token, [
      "api_keys:write",
      "users:write",
      "two_factor:write",
    ]);
    const before = state();
    const email = `${user.username}@example.net`;
    expectAsked(await server.post("/v1/api-keys", { token: key, body: { name: "k" } }));
    expectAsked(await server.patch(`/v1/users/${user.id}`, { token: key, body: { email } }));
    expectAsked(await setUp(server, key));
    expectInvalid(
      await server.post("/v1/api-keys", { token: key, body: { name: "k", password: "wrong" } }),
      "/password",
    );
    expect(state()).toEqual(before);
    const { password } = user;
    expect((await server.post("/v1/api-keys", { token: key, body: { name: "k", password } })).status).toBe(
      201,
    );
    // A key has no sign-in that could be renewed.
    expectAsked(await server.post("/v1/api-keys", { token: key, body: { name: "k" } }));
  });

  test("acts on others by its permission, but for their addresses, and a system key on everybody", async () => {
    const [user, other] = [await newUser(server), await newUser(server)];
    const { key } = await commandLineKey(server, { owner: ADMIN.username, scopes: ["*:*"] });
    const change = (token: Token, id: string, email: string) =>
      server.patch(`/v1/users/${id}`, { token, body: { email } });
    expectAsked(await change(key, user.id, "by.key@example.net"));
    expect((await server.delete(`/v1/users/${user.id}`, { token: key })).status).toBe(204);
    expect((await change(server.systemKey, other.id, "by.system@example.net")).status).toBe(200);
  });
});

describe("an administrator's session that was signed in too long ago", () => {
  let admin: Token;
  let victim: User;
  beforeAll(async () => {
    victim = await newUser(server);
    admin = (await server.login(ADMIN.username, ADMIN.password)).session_token;
    await grownOld();
  });

  test("changes nobody's address, and deletes nobody", async () => {
    const before = state();
    const body = { email: "taken.over@example.net" };
    expectAsked(await server.patch(`/v1/users/${victim.id}`, { token: admin, body }));
    expectAsked(await server.delete(`/v1/users/${victim.id}`, { token: admin }));
    const force = `/v1/admin/users/${victim.id}/force-delete`;
    expectAsked(await server.post(force, { token: admin }));
    expectInvalid(await server.post(force, { token: admin, body: { password: "wrong" } }), "/password");
    expect(state()).toEqual(before);
  });

  test("helps with the own password", async () => {
    const force = `/v1/admin/users/${victim.id}/force-delete`;
    expect((await server.post(force, { token: admin, body: { password: ADMIN.password } })).status).toBe(200);
  });
});

test("a user who links an address proves it by a code, since the password is the new one", async () => {
  const role = await newRole(server);
  const user = await externalUser(server);
  await assign(server, user.id, role.id);
  const { secret } = done(await setUp(server, user.token));
  done(
    await server.post("/v1/users/me/2fa/verify", {
      token: user.token,
      body: { code: await nextCode(server, secret) },
    }),
  );
  await grownOld();
  const link = (more: object) =>
    server.post(`/v1/users/${user.id}/email-link/request`, {
      token: user.token,
      body: { email: "linked.by.code@example.net", password: "a long passphrase", ...more },
    });
  expectAsked(await link({}));
  expectInvalid(await link({ code: wrongCode(server, secret) }), "/code");
  expect((await link({ code: await nextCode(server, secret) })).status).toBe(200);
});

test("by default nothing asks for it, what is sent as a proof is not looked at, and a session can be renewed", async () => {
  const usual = await TestServer.start({ clock: "movable" });
  try {
    const { token, password } = await newUser(usual, "role_admin");
    await usual.advance(20 * 24 * 60 * MINUTE);
    const body = { name: "k", password: "wrong", code: "wrong" };
    expect((await usual.post("/v1/api-keys", { token, body })).status).toBe(201);
    const renewed = await usual.post("/v1/auth/reauthenticate", { token, body: { password } });
    expect(renewed.body).toMatchObject({ expires_at: null });
    expect((await usual.post("/v1/auth/reauthenticate", { token, body: { password: "wrong" } })).status).toBe(
      400,
    );
  } finally {
    await usual.stop();
  }
});
