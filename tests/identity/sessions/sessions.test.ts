import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, isAccepted, sessionsOf, signInFrom } from "../../support/credentials";
import { auditRows, eventsOf } from "../../support/events";
import { eventually, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { externalUser, newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { DAY, MINUTE } from "../../support/time";

/** The list of a user's own sessions, and ending them (rules C1, C5 and H13). */
const PATH = "/v1/users/me/sessions";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let server: TestServer;
let user: User;
let other: User;
/** An API key of the user's. */
let userKey: Token;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.trusted_proxies": "127.0.0.1,10.0.0.0/8" } });
  [user, other] = await Promise.all([newUser(server), newUser(server)]);
  ({ key: userKey } = await commandLineKey(server, { owner: user.username }));
});
afterAll(() => server.stop());

const list = (token = user.token) => sessionsOf(server, token);
const idsOf = (sessions: { id: string }[]) => sessions.map(({ id }) => id);
/** The listed session with this identifier. */
const listed = async (id: string, token = user.token) =>
  (await list(token)).find((session: { id: string }) => session.id === id);

describe("GET /v1/users/me/sessions", () => {
  test("lists the caller's sessions with exactly the fields of the specification", async () => {
    const before = Date.now();
    const { id, token } = await signInFrom(server, user, { "user-agent": FIREFOX });
    const { status, headers, body } = await server.get(PATH, { token });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(body).sort()).toEqual(["_links", "current_session_id", "sessions"]);
    expect(body.current_session_id).toBe(id);
    expect(body._links).toEqual({ self: PATH });
    const { created_at, last_activity_at, expires_at, ...rest } = body.sessions.find(
      (session: { id: string }) => session.id === id,
    );
    expect(rest).toEqual({
      id,
      ip_address: "127.0.0.1",
      user_agent: FIREFOX,
      device_type: "desktop",
      browser_name: "Firefox",
      os_name: "Linux",
      provider: "email",
      provider_name: "Email",
      is_current: true,
    });
    const created = Date.parse(created_at);
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(last_activity_at)).toBeGreaterThanOrEqual(created);
    expect(Date.parse(expires_at)).toBe(created + 30 * DAY);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test("marks the one session that asks as current", async () => {
    const first = await signInFrom(server, user);
    const second = await signInFrom(server, user);
    for (const { id, token } of [first, second]) {
      const current = (await list(token)).filter((session: { is_current: boolean }) => session.is_current);
      expect(idsOf(current)).toEqual([id]);
    }
  });

  test("lists nobody else's", async () => {
    const mine = idsOf(await list());
    const theirs = idsOf(await list(other.token));
    expect(theirs).toHaveLength(1);
    expect(mine).not.toContain(theirs[0]);
  });

  test("names the platform that the user signed in with", async () => {
    const { token } = await externalUser(server);
    expect(await list(token)).toMatchObject([{ provider: "discord", provider_name: "Discord" }]);
  });

  test("is for sessions: an API key and a stranger get 401", async () => {
    for (const token of [userKey, await server.key("*:*"), server.systemKey, undefined])
      expectRefused(await server.get(PATH, { ...(token && { token }) }), 401, "Unauthorized");
  });

  const AGENTS: [what: string, header: string, device: string, browser: string, os: string][] = [
    [
      "Chrome on Windows",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36",
      "desktop",
      "Chrome",
      "Windows",
    ],
    [
      "Edge on Windows",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0",
      "desktop",
      "Microsoft Edge",
      "Windows",
    ],
    [
      "Safari on a Mac",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
      "desktop",
      "Safari",
      "macOS",
    ],
    [
      "Safari on an iPhone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
      "mobile",
      "Safari",
      "iOS",
    ],
    [
      "Firefox on an Android phone",
      "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
      "mobile",
      "Firefox",
      "Android",
    ],
    [
      "Chrome on an Android tablet",
      "Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36",
      "tablet",
      "Chrome",
      "Android",
    ],
    [
      "Safari on an iPad",
      "Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
      "tablet",
      "Safari",
      "iOS",
    ],
    ["a program", "boat-logger", "desktop", "Unknown", "Unknown"],
  ];
  test.each(AGENTS)("recognises %s", async (_, header, device_type, browser_name, os_name) => {
    const { id } = await signInFrom(server, user, { "user-agent": header });
    expect(await listed(id)).toMatchObject({ user_agent: header, device_type, browser_name, os_name });
  });

  test("keeps no more than 512 characters of what a client calls itself", async () => {
    const { id } = await signInFrom(server, user, { "user-agent": `${FIREFOX} ${"x".repeat(2_000)}` });
    const { user_agent, browser_name } = await listed(id);
    expect(user_agent).toHaveLength(512);
    expect(browser_name).toBe("Firefox");
  });

  test("shows the client's address behind a trusted proxy, and nothing that the client made up", async () => {
    const from = async (forwarded: string) =>
      (await listed((await signInFrom(server, user, { "x-forwarded-for": forwarded })).id)).ip_address;
    expect(await from("203.0.113.7")).toBe("203.0.113.7");
    expect(await from("2001:db8::7")).toBe("2001:db8::7");
    expect(await from("198.51.100.1, 203.0.113.7, 10.1.2.3")).toBe("203.0.113.7");
    expect(await from("not an address")).toBe("127.0.0.1");
  });
});

describe("DELETE /v1/users/me/sessions/{session_id}", () => {
  test("ends another session at once, and tells the user's sockets and the audit log", async () => {
    const { id, token } = await signInFrom(server, user);
    const socket = await Client.open(server, { token: user.token });
    const { status, body } = await server.delete(`${PATH}/${id}`, {
      token: user.token,
      headers: { "x-forwarded-for": "203.0.113.8", "user-agent": FIREFOX },
    });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["message", "success"]);
    expect(body.success).toBe(true);
    expect(await isAccepted(server, token)).toBe(false);
    expect(await listed(id)).toBeUndefined();
    expect(await socket.next()).toEqual({
      type: "sessionRevoked",
      userId: user.id,
      sessionId: id,
      reason: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(auditRows(server, id).filter((row) => row.event_type === "session_revoked")).toMatchObject([
      {
        user_id: user.id,
        actor_id: null,
        resource_type: "session",
        status: "success",
        ip_address: "203.0.113.8",
        user_agent: FIREFOX,
      },
    ]);
    await socket.close();
  });

  test("refuses the current session, which goes on", async () => {
    const { id, token } = await signInFrom(server, user);
    const before = auditRows(server).length;
    for (const spelled of [id, id.toUpperCase()]) {
      const { status, body } = await server.delete(`${PATH}/${spelled}`, { token });
      expect(status).toBe(400);
      expect(body).toMatchObject({ success: false, message: expect.stringContaining("current session") });
    }
    expect(await listed(id, token)).toMatchObject({ is_current: true });
    expect(auditRows(server)).toHaveLength(before);
  });

  test("finds nobody else's session, which goes on", async () => {
    const [theirs] = await list(other.token);
    const before = auditRows(server).length;
    expectRefused(await server.delete(`${PATH}/${theirs.id}`, { token: user.token }), 404, "NotFound");
    expect(await isAccepted(server, other.token)).toBe(true);
    expect(auditRows(server)).toHaveLength(before);
  });

  test("answers 404 to a session that has ended or never was, and 400 to what is no identifier", async () => {
    const { id } = await signInFrom(server, user);
    const remove = (which: string) => server.delete(`${PATH}/${which}`, { token: user.token });
    expect((await remove(id)).status).toBe(200);
    expectRefused(await remove(id), 404, "NotFound");
    expectRefused(await remove(UNKNOWN), 404, "NotFound");
    expectInvalid(await remove("latest"), "/session_id");
  });

  test("of parallel requests for one session lets one succeed", async () => {
    const { id } = await signInFrom(server, user);
    const answers = await Promise.all(
      [1, 2, 3].map(() => server.delete(`${PATH}/${id}`, { token: user.token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(auditRows(server, id).filter((row) => row.event_type === "session_revoked")).toHaveLength(1);
  });

  test("is for sessions: an API key gets 401, and nothing ends", async () => {
    const { id, token } = await signInFrom(server, user);
    for (const credential of [userKey, server.systemKey])
      expectRefused(await server.delete(`${PATH}/${id}`, { token: credential }), 401, "Unauthorized");
    expect(await isAccepted(server, token)).toBe(true);
  });
});

describe("DELETE /v1/users/me/sessions", () => {
  test("ends all sessions of the caller but the current one, and says how many", async () => {
    const crew = await newUser(server);
    const ended = await Promise.all([1, 2, 3].map(() => signInFrom(server, crew)));
    const { key } = await commandLineKey(server, { owner: crew.username });
    const { status, body } = await server.delete(PATH, { token: crew.token });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["message", "revoked_count", "success"]);
    expect(body).toMatchObject({ success: true, revoked_count: 3 });
    for (const { token } of ended) expect(await isAccepted(server, token)).toBe(false);
    expect(await list(crew.token)).toMatchObject([{ is_current: true }]);
    expect(await isAccepted(server, key)).toBe(true);
    expect(await isAccepted(server, other.token)).toBe(true);
    const events = eventsOf(server, crew.id, "session_revoked");
    expect(events.map((row) => row.resource_id).sort()).toEqual(idsOf(ended).sort());

    const again = await server.delete(PATH, { token: crew.token });
    expect(again.body).toMatchObject({ success: true, revoked_count: 0 });
    expect(eventsOf(server, crew.id, "session_revoked")).toHaveLength(3);
  });

  test("by two sessions at the same moment leaves one of them", async () => {
    const crew = await newUser(server);
    const { token } = await signInFrom(server, crew);
    const both = [crew.token, token];
    const answers = await Promise.all(both.map((one) => server.delete(PATH, { token: one })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const left = await Promise.all(both.map((one) => isAccepted(server, one)));
    expect(left.filter(Boolean)).toHaveLength(1);
  });

  test("is for sessions: an API key and a stranger get 401, and nothing ends", async () => {
    const { token } = await signInFrom(server, user);
    for (const credential of [userKey, server.systemKey, undefined])
      expectRefused(
        await server.delete(PATH, { ...(credential && { token: credential }) }),
        401,
        "Unauthorized",
      );
    expect(await isAccepted(server, token)).toBe(true);
  });
});

/** Assigns and removes a role: cached callers are dropped. */
async function assignAndRemoveRole(on: TestServer, id: string): Promise<void> {
  const token = await on.admin();
  await on.post(`/v1/users/${id}/roles`, { token, body: { role_id: "role_developer" } });
  await on.delete(`/v1/users/${id}/roles/role_developer`, { token });
}

describe("time", () => {
  let timed: TestServer;
  let sailor: User;
  beforeAll(async () => {
    timed = await TestServer.start({ clock: "movable" });
    sailor = await newUser(timed);
  });
  afterAll(() => timed.stop());

  test("ends a session 30 days after its sign-in, however much it was used", async () => {
    const { id, token } = await signInFrom(timed, sailor);
    await timed.advance(30 * DAY - MINUTE);
    expect(await isAccepted(timed, token)).toBe(true);
    const later = await signInFrom(timed, sailor);
    expect(idsOf(await sessionsOf(timed, later.token))).toContain(id);
    await timed.advance(MINUTE);
    expect(await isAccepted(timed, token)).toBe(false);
    expect(idsOf(await sessionsOf(timed, later.token))).toEqual([later.id]);
    expectRefused(await timed.delete(`${PATH}/${id}`, { token: later.token }), 404, "NotFound");
  });

  test("is noted in last_activity_at at most once a minute", async () => {
    const { id, token } = await signInFrom(timed, sailor);
    const { token: observer } = await signInFrom(timed, sailor);
    const lastUse = async () =>
      Date.parse(
        (await sessionsOf(timed, observer)).find((session: { id: string }) => session.id === id)
          .last_activity_at,
      );
    const signedIn = await lastUse();
    await timed.advance(5 * MINUTE);
    await isAccepted(timed, token);
    await eventually(async () => (await lastUse()) >= signedIn + 5 * MINUTE);

    const noted = await lastUse();
    await timed.advance(MINUTE / 2);
    await isAccepted(timed, token);
    await isAccepted(timed, token);
    // The credential is read anew, which is no reason to write its last use.
    await assignAndRemoveRole(timed, sailor.id);
    await isAccepted(timed, token);
    // The sign-in commits after whatever the requests before it queued.
    await signInFrom(timed, sailor);
    expect(await lastUse()).toBe(noted);

    await timed.advance(MINUTE / 2);
    await isAccepted(timed, token);
    await eventually(async () => (await lastUse()) >= noted + MINUTE);
  });

  test("of use doesn't order the list: the newest session comes first", async () => {
    await timed.advance(MINUTE);
    const opened = [];
    for (let number = 0; number < 3; number++) {
      opened.unshift(await signInFrom(timed, sailor));
      await timed.advance(MINUTE);
    }
    const oldest = opened.at(-1);
    const listing = async () => (await sessionsOf(timed, oldest?.token ?? "")).slice(0, 3);
    const lastUse = async (at: number) => Date.parse((await listing())[at].last_activity_at);
    await eventually(async () => (await lastUse(2)) > (await lastUse(0)));
    expect(idsOf(await listing())).toEqual(idsOf(opened));
  });

  test("and X-Forwarded-For from nobody who is trusted leaves the peer's address", async () => {
    const { id, token } = await signInFrom(timed, sailor, { "x-forwarded-for": "203.0.113.7" });
    const session = (await sessionsOf(timed, token)).find((one: { id: string }) => one.id === id);
    expect(session.ip_address).toBe("127.0.0.1");
  });
});

test("a deleted user's sessions end, and are stored no longer", async () => {
  const leaver = await newUser(server);
  const second = await signInFrom(server, leaver);
  const path = `/v1/users/${leaver.id}`;
  expect((await server.delete(path, { token: await server.admin() })).status).toBe(204);
  for (const token of [leaver.token, second.token]) {
    expect(await isAccepted(server, token)).toBe(false);
    expectRefused(await server.get(`/v1/sessions/${token}`, { token: server.systemKey }), 404, "NotFound");
  }
});
