import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isAccepted, sessionsOf, signInFrom } from "../../support/credentials";
import { auditRows, eventsOf } from "../../support/events";
import { eventually, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { externalUser, newUser, type User } from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { HOUR } from "../../support/time";
import { link } from "../accounts/support";

/**
 * Sessions that the identity web app opens, checks and ends, and the event of their end (rules C1, H8 and
 * H13).
 */
const PATH = "/v1/sessions";

let server: TestServer;
let user: User;
beforeAll(async () => {
  server = await TestServer.start();
  user = await newUser(server);
});
afterAll(() => server.stop());

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const create = (body: object, headers: Record<string, string> = {}) =>
  server.post(PATH, { token: server.systemKey, body, headers });
/** A new session of the user, as its creation answers it. */
async function opened(userId = user.id, expires = inHours(2)) {
  const { status, body } = await create({ userId, expires });
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
const remove = (token: string, query = "", headers: Record<string, string> = {}) =>
  server.delete(`${PATH}/${token}${query}`, { token: server.systemKey, headers });
const stored = () => rows<{ id: string }>(server, "SELECT id FROM sessions ORDER BY id");
const logoutsOf = (sessionId: string) =>
  eventsOf(server, user.id, "logout").filter((row) => row.resource_id === sessionId);

describe("POST /v1/sessions", () => {
  test("opens a session with exactly the fields of the specification", async () => {
    const expires = inHours(5);
    const agent = "identity-web/1.4";
    const before = Date.now();
    const { status, headers, body } = await create({ userId: user.id, expires }, { "user-agent": agent });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    const { id, sessionToken, created_at, ...rest } = body;
    expect(rest).toEqual({ userId: user.id, expires });
    expect(sessionToken).toMatch(/^ses_[A-Za-z0-9_-]{43}$/);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());

    const listed = await sessionsOf(server, sessionToken);
    expect(listed.find((session: { id: string }) => session.id === id)).toMatchObject({
      is_current: true,
      expires_at: expires,
      provider: "email",
      user_agent: agent,
    });
    expect(auditRows(server, id)).toMatchObject([
      { event_type: "session_created", user_id: user.id, resource_type: "session", status: "success" },
      {
        ...{ event_type: "login", user_id: user.id, actor_id: null, resource_type: "session" },
        ...{ status: "success", metadata: '{"provider":"email"}', user_agent: agent },
      },
    ]);
  });

  test("keeps the token nowhere: the database holds its hash alone", async () => {
    const { sessionToken } = await opened();
    expect(await isAccepted(server, sessionToken)).toBe(true);
    expect(filesWith(server, sessionToken)).toEqual([]);
    expect(filesWith(server, user.id)).not.toEqual([]);
  });

  test("takes the identifier in upper case and a time with an offset", async () => {
    const { body } = await create({ userId: user.id.toUpperCase(), expires: "2099-01-01T02:00:00+02:00" });
    expect(body).toMatchObject({ userId: user.id, expires: "2099-01-01T00:00:00.000Z" });
    expect(await isAccepted(server, body.sessionToken)).toBe(true);
  });

  test("names the platform that the user signed in with last", async () => {
    const person = await externalUser(server);
    const provider = async () =>
      (await sessionsOf(server, (await opened(person.id)).sessionToken)).find(
        (session: { is_current: boolean }) => session.is_current,
      ).provider;
    expect(await provider()).toBe("discord");
    await link(server, person, "twitch");
    expect(await provider()).toBe("twitch");
  });

  test.each([
    ["no user", { expires: inHours(1) }, "/userId"],
    ["no end", { userId: UNKNOWN }, "/expires"],
    ["a malformed user", { userId: "skipper", expires: inHours(1) }, "/userId"],
    ["an unknown user", { userId: UNKNOWN, expires: inHours(1) }, "/userId"],
    ["an end that is no time", { userId: UNKNOWN, expires: "tomorrow" }, "/expires"],
    ["an end in epoch milliseconds", { userId: UNKNOWN, expires: 4_102_444_800_000 }, "/expires"],
  ])("refuses %s", async (_, body, path) => {
    const before = stored();
    expectInvalid(await create(body), path);
    expect(stored()).toEqual(before);
  });

  test("refuses an end that has passed", async () => {
    const before = stored();
    expectInvalid(await create({ userId: user.id, expires: inHours(-1) }), "/expires");
    expectInvalid(await create({ userId: user.id, expires: "1969-12-31T23:59:59Z" }), "/expires");
    expect(stored()).toEqual(before);
  });

  test("refuses a user who is deleted, and one who is banned", async () => {
    const [deleted, banned] = [await externalUser(server), await externalUser(server)];
    const token = await server.admin();
    expect((await server.delete(`/v1/users/${deleted.id}`, { token })).status).toBe(204);
    expect((await server.post(`/v1/users/${banned.id}/ban`, { token, body: {} })).status).toBe(200);
    const before = stored();
    expectInvalid(await create({ userId: deleted.id, expires: inHours(1) }), "/userId");
    expectRefused(await create({ userId: banned.id, expires: inHours(1) }), 403, "AccountBanned");
    expect(stored()).toEqual(before);
  });
});

describe("a user whose sign-in platform is switched off", () => {
  const switchLogin = async (slug: string, enabled: boolean) =>
    expectStatus(
      await server.patch(`/v1/platforms/${slug}/settings`, {
        token: server.systemKey,
        body: { enabled },
      }),
      200,
    );

  test("gets no session, until it is on again; users of other platforms do", async () => {
    const person = await externalUser(server);
    await switchLogin("discord", false);
    try {
      const before = [stored(), auditRows(server).length];
      expectRefused(await create({ userId: person.id, expires: inHours(1) }), 403, "Forbidden");
      expect([stored(), auditRows(server).length]).toEqual(before);
      expectStatus(await create({ userId: user.id, expires: inHours(1) }), 201);
    } finally {
      await switchLogin("discord", true);
    }
    expectStatus(await create({ userId: person.id, expires: inHours(1) }), 201);
  });
});

describe("GET /v1/sessions/{token}", () => {
  test("answers what the creation answered", async () => {
    const session = await opened();
    const { status, headers, body } = await server.get(`${PATH}/${session.sessionToken}`, {
      token: server.systemKey,
    });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual(session);
  });

  test("also knows the sessions of sign-ins with a password", async () => {
    const { id, token } = await signInFrom(server, user);
    const { body } = await server.get(`${PATH}/${token}`, { token: server.systemKey });
    expect(body).toMatchObject({ id, sessionToken: token, userId: user.id });
  });

  test("finds the token percent-encoded as well", async () => {
    const { id, sessionToken } = await opened();
    const encoded = sessionToken.replace("_", "%5F");
    expect((await server.get(`${PATH}/${encoded}`, { token: server.systemKey })).body.id).toBe(id);
  });

  test("answers 404 to what is no token, to a key and to a session's identifier", async () => {
    const { id, sessionToken } = await opened();
    const others = [`ses_${"x".repeat(43)}`, "x", id, server.systemKey, `${sessionToken}x`];
    for (const token of [...others, sessionToken.toUpperCase()])
      expectRefused(await server.get(`${PATH}/${token}`, { token: server.systemKey }), 404, "NotFound");
    const tooLong = await server.get(`${PATH}/ses_${"x".repeat(200)}`, { token: server.systemKey });
    expectInvalid(tooLong, "/token");
  });
});

describe("DELETE /v1/sessions/{token}", () => {
  test("ends the session, no other, and writes a logout with the default reason", async () => {
    const session = await opened();
    const sibling = await opened();
    const { status, body } = await remove(session.sessionToken);
    expect(status).toBe(204);
    expect(body).toBeNull();
    expect(await isAccepted(server, session.sessionToken)).toBe(false);
    expect(await isAccepted(server, sibling.sessionToken)).toBe(true);
    expect(stored().map(({ id }) => id)).not.toContain(session.id);
    expect(logoutsOf(session.id)).toMatchObject([{ resource_type: "session", status: "success" }]);
    expect(logoutsOf(session.id)[0]?.metadata).toEqual({
      reason: "user_initiated",
      session_id: session.id,
    });
  });

  test.each(["user_initiated", "token_deleted", "session_expired", "revoked", "no_access"])(
    "writes the reason %s and the service that asks into the logout event",
    async (reason) => {
      const { id, sessionToken } = await opened();
      const headers = { "x-source-service": "id" };
      expect((await remove(sessionToken, `?reason=${reason}`, headers)).status).toBe(204);
      expect(logoutsOf(id).map(({ metadata }) => metadata)).toEqual([{ reason, session_id: id, app: "id" }]);
      expect(await isAccepted(server, sessionToken)).toBe(false);
    },
  );

  test.each(["", "two words", "<script>", "x".repeat(65)])(
    "keeps the service's name %j, which is none, out of the event",
    async (name) => {
      const { id, sessionToken } = await opened();
      expect((await remove(sessionToken, "", { "x-source-service": name })).status).toBe(204);
      expect(logoutsOf(id)[0]?.metadata).toEqual({ reason: "user_initiated", session_id: id });
    },
  );

  test("closes the sockets of the session with 4401", async () => {
    const { sessionToken } = await opened();
    const socket = await Client.open(server, { token: sessionToken });
    expect((await remove(sessionToken)).status).toBe(204);
    expect((await socket.closed).code).toBe(4401);
    expect(await Client.open(server, { token: sessionToken }).catch(() => "refused")).toBe("refused");
  });

  test("tells the user's sockets when the session was revoked", async () => {
    const { id, sessionToken } = await opened();
    const socket = await Client.open(server, { token: user.token });
    await remove(sessionToken, "?reason=revoked");
    expect(await socket.next()).toMatchObject({ type: "sessionRevoked", userId: user.id, sessionId: id });
    await socket.close();
  });

  test("refuses a reason that is none, and the session goes on", async () => {
    const { id, sessionToken } = await opened();
    for (const reason of ["bored", "", "REVOKED"])
      expectInvalid(await remove(sessionToken, `?reason=${reason}`), "/reason");
    expect(await isAccepted(server, sessionToken)).toBe(true);
    expect(logoutsOf(id)).toEqual([]);
  });

  test("answers 404 to a session that has ended, and writes nothing", async () => {
    const { id, sessionToken } = await opened();
    const answers = await Promise.all([1, 2, 3].map(() => remove(sessionToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect(logoutsOf(id)).toHaveLength(1);
    expectRefused(await remove(sessionToken), 404, "NotFound");
    expectRefused(await remove(`ses_${"x".repeat(43)}`), 404, "NotFound");
    expect(logoutsOf(id)).toHaveLength(1);
  });
});

describe("internal sessions", () => {
  test("are for system keys: 401 without a credential, 403 with any other, and nothing changes", async () => {
    const admin = await server.admin();
    const { sessionToken } = await opened();
    const before = stored();
    const path = `${PATH}/${sessionToken}`;
    const body = { userId: user.id, expires: inHours(1) };
    for (const [token, status, error] of [
      [undefined, 401, "Unauthorized"],
      [`flk_${"x".repeat(43)}`, 401, "Unauthorized"],
      [admin, 403, "Forbidden"],
      [await server.key("*:*"), 403, "Forbidden"],
      [sessionToken, 403, "Forbidden"],
    ] as const) {
      const credential = token === undefined ? {} : { token };
      expectRefused(await server.post(PATH, { ...credential, body }), status, error);
      expectRefused(await server.get(path, credential), status, error);
      expectRefused(await server.delete(path, credential), status, error);
      // A stranger doesn't learn the form of the body either.
      expectRefused(await server.post(PATH, { ...credential, body: {} }), status, error);
    }
    expect(stored()).toEqual(before);
    expect(await isAccepted(server, sessionToken)).toBe(true);
  });

  test("end when they were to end", async () => {
    const timed = await TestServer.start({ clock: "movable" });
    try {
      const { user_id, session_token } = await timed.login(ADMIN.username, ADMIN.password);
      const { body } = await timed.post(PATH, {
        token: timed.systemKey,
        body: { userId: user_id, expires: inHours(1) },
      });
      const path = `${PATH}/${body.sessionToken}`;
      await timed.advance(HOUR - 60_000);
      expect(await isAccepted(timed, body.sessionToken)).toBe(true);
      expect((await timed.get(path, { token: timed.systemKey })).status).toBe(200);
      await timed.advance(60_000);
      expect(await isAccepted(timed, body.sessionToken)).toBe(false);
      expect(await isAccepted(timed, session_token)).toBe(true);
      expectRefused(await timed.get(path, { token: timed.systemKey }), 404, "NotFound");
      expectRefused(await timed.delete(path, { token: timed.systemKey }), 404, "NotFound");
    } finally {
      await timed.stop();
    }
  });

  test("leave no token in the log, however its path is written", async () => {
    const logging = await TestServer.start({ settings: { "log.level": "info", "log.format": "json" } });
    const { user_id } = await logging.login(ADMIN.username, ADMIN.password);
    const spellings: ((token: string) => string)[] = [
      (token) => token,
      (token) => `${token}/`,
      (token) => `${token}?reason=revoked`,
      (token) => token.replace("_", "%5F"),
      (token) => token.replace("_", "%5f"),
      (token) => token.replace("ses", "%73%65%73"),
      (token) => token.replace("s", "%73"),
      (token) => `%20${token}`,
      (token) => `x${token}`,
      (token) => encodeURIComponent(`a/${token}`),
    ];
    const secrets: string[] = [];
    for (const spell of spellings) {
      const { body } = await logging.post(PATH, {
        token: logging.systemKey,
        body: { userId: user_id, expires: inHours(1) },
      });
      // All but its prefix, whose spelling may differ.
      secrets.push(body.sessionToken.slice(4));
      const path = `${PATH}/${spell(body.sessionToken)}`;
      await logging.get(path, { token: logging.systemKey });
      await logging.get(path);
      await logging.delete(path, { token: logging.systemKey });
    }
    // A request is logged once it is answered.
    const logged = () => logging.output.match(/"path":"\/v1\/sessions\//g)?.length ?? 0;
    await eventually(() => logged() === 3 * spellings.length);
    const output = await outputOfWholeRun(logging);
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    // No half of a secret either.
    expect(secrets.filter((secret) => output.includes(secret.slice(0, 20)))).toEqual([]);
    expect(output).not.toContain(logging.systemKey.slice(4));
  });
});
