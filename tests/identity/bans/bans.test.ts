import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loadConfig } from "../../../src/configuration/config";
import { closeExpiredBans } from "../../../src/identity/bans/service";
import { insertUser } from "../../../src/identity/directory/new-user";
import { seedIdentity } from "../../../src/identity/seed";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import type { Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted, signIn } from "../../support/credentials";
import { eventsAbout } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer, temporaryDirectory } from "../../support/server";
import { SECOND } from "../../support/time";
import { expectNothingDone, recordsOf } from "../users/support";

/** Bans (rules A4, R3, H1, H5, H8 and H9). */
const HUNDRED_YEARS = 3_155_760_000;

let server: TestServer;
let admin: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  adminId = done(await server.get("/v1/users/me", { token: admin })).data.id;
});
afterAll(() => server.stop());

const ban = (id: string, body?: object, token = admin) =>
  server.post(`/v1/users/${id}/ban`, { token, ...(body && { body }) });
const unban = (id: string, token = admin) => server.delete(`/v1/users/${id}/ban`, { token });
const statusOf = async (id: string) => done(await server.get(`/v1/users/${id}/ban`, { token: admin }));
const historyOf = async (id: string) => done(await server.get(`/v1/users/${id}/bans`, { token: admin })).data;
const NOT_BANNED = { is_banned: false, active_ban: null };

let bannedByNone: Promise<User> | undefined;
/** One user for all refusals, which must leave everything as it was. */
const nobody = () => {
  bannedByNone ??= newUser(server);
  return bannedByNone;
};

describe("POST /v1/users/{id}/ban", () => {
  test.each([
    ["an empty body", {}],
    ["null in both fields", { reason: null, duration_seconds: null }],
    ["unknown fields alone", { until: "tomorrow" }],
  ])("bans for good with %s", async (_, body) => {
    const { id } = await newUser(server);
    const before = Date.now();
    const answer = await ban(id, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        user_id: id,
        reason: null,
        banned_by: adminId,
        banned_at: expect.any(String),
        expires_at: null,
        is_permanent: true,
      },
      _links: { self: `/v1/users/${id}/ban` },
    });
    const bannedAt = Date.parse(answer.body.data.banned_at);
    expect(bannedAt).toBeGreaterThanOrEqual(before);
    expect(bannedAt).toBeLessThanOrEqual(Date.now());
    expect(await statusOf(id)).toEqual({ is_banned: true, active_ban: answer.body.data });
  });

  test("bans for good without a body", async () => {
    const { id } = await newUser(server);
    expect((await ban(id)).body.data.is_permanent).toBe(true);
  });

  test.each([1, 86_400, HUNDRED_YEARS])("bans for %d seconds", async (duration_seconds) => {
    const { id } = await newUser(server);
    const { data } = done(await ban(id, { duration_seconds }));
    expect(data.is_permanent).toBe(false);
    expect(Date.parse(data.expires_at) - Date.parse(data.banned_at)).toBe(duration_seconds * SECOND);
  });

  test("keeps a reason of 1,000 characters, an emoji counting as one", async () => {
    const { id } = await newUser(server);
    const reason = `${"⚓🚢".repeat(499)}ab`;
    expect(done(await ban(id, { reason })).data.reason).toBe(reason);
    expect((await statusOf(id)).active_ban.reason).toBe(reason);
  });

  test.each([
    ["/duration_seconds", { duration_seconds: 0 }],
    ["/duration_seconds", { duration_seconds: -60 }],
    ["/duration_seconds", { duration_seconds: 1.5 }],
    ["/duration_seconds", { duration_seconds: HUNDRED_YEARS + 1 }],
    ["/duration_seconds", { duration_seconds: "60" }],
    ["/duration_seconds", { duration_seconds: true }],
    ["/reason", { reason: 5 }],
    ["/reason", { reason: ["spam"] }],
  ])("refuses an invalid %s and bans nobody: %j", async (path, body) => {
    const { id } = await nobody();
    const before = recordsOf(server, id);
    expectInvalid(await ban(id, body), path);
    expect(recordsOf(server, id)).toEqual(before);
  });

  test("refuses a reason of 1,001 characters and bans nobody", async () => {
    const { id } = await nobody();
    const before = recordsOf(server, id);
    expectInvalid(await ban(id, { reason: "⚓".repeat(1_001) }), "/reason");
    expect(recordsOf(server, id)).toEqual(before);
  });

  test("ends all sessions, refuses sign-in with 403 and keys with 401; nobody else is concerned", async () => {
    const user = await newUser(server, "role_admin");
    const other = await newUser(server);
    const second = done(await signIn(server, user)).session_token;
    const { key } = await createKey(server, user.token, []);
    const { key: systemKey } = await commandLineKey(server, { owner: user.username, system: true });
    const tokens = [user.token, second, key, systemKey];
    for (const token of tokens) expect(await isAccepted(server, token)).toBe(true);

    const sessions = rows<{ id: string }>(server, "SELECT id FROM sessions WHERE user_id = ?", user.id);
    done(await ban(user.id, { reason: "Repeated spam", duration_seconds: 3_600 }));
    for (const token of tokens) expect(await isAccepted(server, token)).toBe(false);
    expect(rows(server, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
    const revoked = eventsAbout(server, user.id, "session_revoked");
    expect(revoked.map(({ resource_id }) => resource_id).sort()).toEqual(sessions.map(({ id }) => id).sort());
    expect(revoked).toHaveLength(2);
    for (const event of revoked)
      expect(event).toMatchObject({
        ...{ actor_id: adminId, resource_type: "session", ip_address: "127.0.0.1" },
        metadata: '{"reason":"banned"}',
      });

    const refused = await signIn(server, user);
    expectRefused(refused, 403, "AccountBanned");
    expect(refused.body.message).toContain("Repeated spam");
    // A caller without the password learns nothing of the ban.
    const wrong = await signIn(server, { ...user, password: "not the password" });
    expectRefused(wrong, 401, "Unauthorized");
    expect(wrong.body.message).not.toContain("ban");
    const elsewhere = await server.post("/v1/sessions", {
      token: server.systemKey,
      body: { userId: user.id, expires: new Date(Date.now() + 3_600_000).toISOString() },
    });
    expectRefused(elsewhere, 403, "AccountBanned");
    expect(rows(server, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
    expect(await isAccepted(server, other.token)).toBe(true);
    expect(await statusOf(other.id)).toEqual(NOT_BANNED);
  });

  test("writes user_banned with the duration, who did it and from where, and not the reason", async () => {
    const { id } = await newUser(server);
    const { data } = done(await ban(id, { reason: "secret-reason", duration_seconds: 60 }));
    const events = eventsAbout(server, id, "user_banned");
    expect(events).toEqual([
      expect.objectContaining({
        actor_id: adminId,
        resource_type: "ban",
        resource_id: data.id,
        ip_address: "127.0.0.1",
        metadata: '{"duration_seconds":60}',
      }),
    ]);
    expect(JSON.stringify(events)).not.toContain("secret-reason");
  });

  test("names nobody as the one who banned when a system key without owner did it", async () => {
    const { id } = await newUser(server);
    expect(done(await ban(id, {}, server.systemKey)).data.banned_by).toBeNull();
    expect(eventsAbout(server, id, "user_banned")[0]?.actor_id).toBeNull();
  });

  test("refuses a user who is banned already; the first ban stands", async () => {
    const { id } = await newUser(server);
    const first = done(await ban(id, { reason: "first", duration_seconds: 3_600 })).data;
    await expectNothingDone(server, id, () => ban(id, { reason: "second" }), 409, "Conflict");
    expect((await statusOf(id)).active_ban).toEqual(first);
  });

  test("lets one of two bans at once win", async () => {
    const { id } = await newUser(server);
    const answers = await Promise.all([ban(id, { reason: "a" }), ban(id, { reason: "b" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.find(({ status }) => status === 200)?.body.data;
    expect(await historyOf(id)).toEqual([{ ...winner, unbanned_at: null, unbanned_by: null }]);
    expect(eventsAbout(server, id, "user_banned")).toHaveLength(1);
  });

  test("refuses to ban oneself, by a session and by an own key", async () => {
    const user = await newUser(server, "role_admin");
    const { key } = await createKey(server, user.token, ["users:ban"]);
    for (const token of [user.token, key])
      await expectNothingDone(server, user.id, () => ban(user.id, {}, token), 409, "Conflict");
    expect(await isAccepted(server, user.token)).toBe(true);
  });

  test("refuses to ban the last super admin, and lets one of two be banned", async () => {
    const byKey = () => ban(adminId, {}, server.systemKey);
    await expectNothingDone(server, adminId, byKey, 409, "Conflict");
    const second = await newUser(server, "role_super_admin");
    expect((await ban(second.id)).status).toBe(200);
    // A banned super admin can't administer anything: the other one is the last again.
    await expectNothingDone(server, adminId, byKey, 409, "Conflict");
    expect(await isAccepted(server, admin)).toBe(true);
  });

  test("refuses to ban somebody who may do more", async () => {
    const superAdmin = await newUser(server, "role_super_admin");
    const administrator = await newUser(server, "role_admin");
    const refuse = (id: string, token: Token) =>
      expectNothingDone(server, id, () => ban(id, {}, token), 403, "Forbidden");
    await refuse(superAdmin.id, administrator.token);
    await refuse(administrator.id, await server.key("users:ban", "users:read", "users:write"));
    expect(await isAccepted(server, superAdmin.token)).toBe(true);
    expect((await ban(administrator.id, {}, superAdmin.token)).status).toBe(200);
    // So that the admin is the last super admin again, for the other tests.
    done(await ban(superAdmin.id));
  });

  test("needs users:ban, and nothing else for an ordinary user", async () => {
    const { id } = await newUser(server);
    await expectPermission(server, "users:ban", 200, (token) =>
      server.post(`/v1/users/${id}/ban`, { ...(token && { token }), body: {} }),
    );
  });

  test("refuses an unknown user, a malformed identifier and a deleted user", async () => {
    expectRefused(await ban(UNKNOWN, {}), 404, "NotFound");
    expectInvalid(await ban("somebody", {}), "/id");
    const { id } = await newUser(server);
    done(await server.delete(`/v1/users/${id}`, { token: admin }));
    await expectNothingDone(server, id, () => ban(id, {}), 404, "NotFound");
  });
});

describe("GET /v1/users/{id}/ban", () => {
  test("shows a user who was never banned", async () => {
    const { id } = await newUser(server);
    expect(await statusOf(id)).toEqual(NOT_BANNED);
  });

  test("is open to users:read and to the user's own session, and to no one else's nor the own key", async () => {
    const user = await newUser(server, "role_admin");
    const other = await newUser(server);
    const { key } = await createKey(server, user.token, []);
    const path = `/v1/users/${user.id}/ban`;
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(path, { ...(token && { token }) }),
    );
    expect((await server.get(path, { token: user.token })).body).toEqual(NOT_BANNED);
    for (const token of [other.token, key])
      expectRefused(await server.get(path, { token }), 403, "Forbidden");
  });

  test("refuses an unknown user and a malformed identifier, and shows a deleted user", async () => {
    expectRefused(await server.get(`/v1/users/${UNKNOWN}/ban`, { token: admin }), 404, "NotFound");
    expectInvalid(await server.get("/v1/users/somebody/ban", { token: admin }), "/id");
    const { id } = await newUser(server);
    const { data } = done(await ban(id));
    done(await server.delete(`/v1/users/${id}`, { token: admin }));
    expect(await statusOf(id)).toEqual({ is_banned: true, active_ban: data });
  });
});

describe("DELETE /v1/users/{id}/ban", () => {
  test("lets the user sign in and the keys work again; the sessions don't come back", async () => {
    const user = await newUser(server, "role_admin");
    const { key } = await createKey(server, user.token, []);
    const { data } = done(await ban(user.id, { reason: "spam" }));
    const before = Date.now();
    const answer = await unban(user.id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, message: expect.stringMatching(/./) });
    expect(await statusOf(user.id)).toEqual(NOT_BANNED);
    expect(await isAccepted(server, key)).toBe(true);
    expect(await isAccepted(server, user.token)).toBe(false);
    expect((await signIn(server, user)).status).toBe(200);

    const [entry, ...others] = await historyOf(user.id);
    expect(others).toEqual([]);
    expect(entry).toEqual({ ...data, unbanned_at: entry.unbanned_at, unbanned_by: adminId });
    expect(Date.parse(entry.unbanned_at)).toBeGreaterThanOrEqual(before);
    expect(eventsAbout(server, user.id, "user_unbanned")).toEqual([
      expect.objectContaining({
        actor_id: adminId,
        resource_type: "ban",
        resource_id: data.id,
        ip_address: "127.0.0.1",
      }),
    ]);
  });

  test("lets one of two at once win", async () => {
    const { id } = await newUser(server);
    done(await ban(id));
    const statuses = (await Promise.all([unban(id), unban(id)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
    expect(eventsAbout(server, id, "user_unbanned")).toHaveLength(1);
  });

  test("refuses a user who isn't banned, an unknown one and a malformed identifier", async () => {
    const { id } = await newUser(server);
    await expectNothingDone(server, id, () => unban(id), 404, "NotFound");
    expectRefused(await unban(UNKNOWN), 404, "NotFound");
    expectInvalid(await unban("somebody"), "/id");
  });

  test("needs users:ban, and refuses to unban somebody who may do more", async () => {
    const ordinary = await newUser(server);
    done(await ban(ordinary.id));
    const superAdmin = await newUser(server, "role_super_admin");
    done(await ban(superAdmin.id));
    const administrator = await newUser(server, "role_admin");
    await expectNothingDone(
      server,
      superAdmin.id,
      () => unban(superAdmin.id, administrator.token),
      403,
      "Forbidden",
    );
    expect((await statusOf(superAdmin.id)).is_banned).toBe(true);
    await expectPermission(server, "users:ban", 200, (token) =>
      server.delete(`/v1/users/${ordinary.id}/ban`, { ...(token && { token }) }),
    );
  });
});

describe("GET /v1/users/{id}/bans", () => {
  test("lists all bans, newest first, each with its end", async () => {
    const { id } = await newUser(server);
    const empty = await server.get(`/v1/users/${id}/bans`, { token: admin });
    expect(empty.body).toEqual({ data: [], _links: { self: `/v1/users/${id}/bans` } });

    const first = done(await ban(id, { reason: "first" })).data;
    done(await unban(id, server.systemKey));
    const second = done(await ban(id, { reason: "second", duration_seconds: 3_600 })).data;
    const list = await historyOf(id);
    expect(list).toEqual([
      { ...second, unbanned_at: null, unbanned_by: null },
      { ...first, unbanned_at: expect.any(String), unbanned_by: null },
    ]);
    expect(list[1].unbanned_at >= list[1].banned_at).toBe(true);
    const other = await newUser(server);
    expect(await historyOf(other.id)).toEqual([]);
  });

  test("needs users:read, of the user's own session too; refuses unknown and malformed identifiers", async () => {
    const user = await newUser(server);
    const path = `/v1/users/${user.id}/bans`;
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(path, { ...(token && { token }) }),
    );
    expectRefused(await server.get(path, { token: user.token }), 403, "Forbidden");
    expectRefused(await server.get(`/v1/users/${UNKNOWN}/bans`, { token: admin }), 404, "NotFound");
    expectInvalid(await server.get("/v1/users/somebody/bans", { token: admin }), "/id");
  });
});

describe("a ban with an end", () => {
  test("holds until then and ends by itself, to the second, with no job's help", async () => {
    const aging = await TestServer.start({ clock: "movable" });
    try {
      const token = await aging.admin();
      const user = await newUser(aging, "role_admin");
      const { key } = await createKey(aging, user.token, []);
      const { data } = done(
        await aging.post(`/v1/users/${user.id}/ban`, { token, body: { duration_seconds: 3_600 } }),
      );
      await aging.advance(3_590 * SECOND);
      expectRefused(await signIn(aging, user), 403, "AccountBanned");
      expect(await isAccepted(aging, key)).toBe(false);

      await aging.advance(10 * SECOND);
      // Ends before the job, which comes every ten seconds, could run: nobody has to wait for it.
      expect((await aging.get(`/v1/users/${user.id}/ban`, { token })).body).toEqual(NOT_BANNED);
      expect((await signIn(aging, user)).status).toBe(200);
      expect(await isAccepted(aging, key)).toBe(true);
      expectRefused(await aging.delete(`/v1/users/${user.id}/ban`, { token }), 404, "NotFound");
      const ended = { ...data, unbanned_at: data.expires_at, unbanned_by: null };
      const history = async () => (await aging.get(`/v1/users/${user.id}/bans`, { token })).body.data;
      expect(await history()).toEqual([ended]);

      const again = done(await aging.post(`/v1/users/${user.id}/ban`, { token, body: {} })).data;
      expect(await history()).toEqual([{ ...again, unbanned_at: null, unbanned_by: null }, ended]);
      expect(eventsAbout(aging, user.id, "user_unbanned")).toEqual([
        expect.objectContaining({ actor_id: null, resource_id: data.id, metadata: '{"reason":"expired"}' }),
      ]);
    } finally {
      await aging.stop();
    }
  });
});

describe("the job", () => {
  /** More than one step of 500. */
  const MANY = 1_201;
  const START = Date.UTC(2026, 4, 4);
  let time = START;

  beforeAll(async () => {
    loadConfig({ environment: {}, dataDir: temporaryDirectory() });
    setClock(() => time);
    openDatabase(":memory:", "normal");
    migrate();
    await transact(seedIdentity);
  });
  afterAll(() => {
    closeDatabase();
    setClock();
  });

  test("closes what ran out, at its own end and with an audit event each, and nothing else", async () => {
    const insert = sqlite.prepare(
      "INSERT INTO bans (id, user_id, banned_at, expires_at, unbanned_at) VALUES (?, ?, ?, ?, ?)",
    );
    await transact(() => {
      for (let n = 0; n < MANY + 3; n++) {
        const { id } = insertUser({ username: `u${n}`, email: `u${n}@example.org`, passwordHash: "-" });
        const [expiresAt, unbannedAt] =
          n < MANY
            ? [START + 1_000 + n, null]
            : ([
                [null, null],
                [START + 60_000, null],
                [START + 1_000, START + 500],
              ][n - MANY] ?? []);
        insert.run(`ban${n}`, id, START, expiresAt ?? null, unbannedAt ?? null);
      }
    });
    const open = () =>
      sqlite.query<{ n: number }, []>("SELECT COUNT(*) n FROM bans WHERE unbanned_at IS NULL").get()?.n;
    const events = () =>
      sqlite
        .query<{ resource_id: string; metadata: string; ip_address: null }, []>(
          "SELECT resource_id, metadata, ip_address, actor_id FROM audit_events WHERE event_type = 'user_unbanned'",
        )
        .all();

    time = START + 999;
    await closeExpiredBans();
    expect(open()).toBe(MANY + 2);
    expect(events()).toEqual([]);

    time = START + 10_000;
    await closeExpiredBans();
    expect(open()).toBe(2);
    const closed = sqlite
      .query<{ id: string; late: number; unbanned_by: null }, []>(
        "SELECT id, unbanned_at - expires_at AS late, unbanned_by FROM bans WHERE expires_at <= 1e15 AND unbanned_at >= expires_at",
      )
      .all();
    expect(closed).toHaveLength(MANY);
    expect(closed.every(({ late, unbanned_by }) => late === 0 && unbanned_by === null)).toBe(true);
    expect(
      events()
        .map(({ resource_id }) => resource_id)
        .sort(),
    ).toEqual(closed.map(({ id }) => id).sort());
    expect(new Set(events().map(({ metadata }) => metadata))).toEqual(new Set(['{"reason":"expired"}']));

    await closeExpiredBans();
    expect(events()).toHaveLength(MANY);
  });
});
