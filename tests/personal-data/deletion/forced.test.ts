import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNothingDone, recordsOf } from "../../identity/users/support";
import type { Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted, signIn } from "../../support/credentials";
import { auditRows, eventsAbout } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { nextMail } from "../../support/mail";
import { newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { command, TestServer, temporaryDirectory } from "../../support/server";

/** `POST /v1/admin/users/{id}/force-delete` scrubs at once (rules A10, R2 and R3). */
let server: TestServer;
let admin: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  adminId = done(await server.get("/v1/users/me", { token: admin })).data.id;
});
afterAll(() => server.stop());

const force = (id: string, body?: object, token = admin) =>
  server.post(`/v1/admin/users/${id}/force-delete`, { token, ...(body && { body }) });
const read = async (id: string) => done(await server.get(`/v1/users/${id}`, { token: admin })).data;
const deletedName = expect.stringMatching(/^deleted_[a-z0-9]{8}$/);

describe("a forced deletion", () => {
  test("leaves of the user's record its identifier and times, under a name of its own", async () => {
    const user = await newUser(server);
    const changes = { privacy_mode: false, avatars_enabled: true };
    done(await server.patch(`/v1/users/${user.id}`, { token: user.token, body: changes }));
    const locale = { locale: "de" };
    done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: locale }));
    const before = await read(user.id);
    const start = Date.now();
    const { status, body } = await force(user.id, { reason: "Requested by letter" });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.stringMatching(/./) });

    const after = await read(user.id);
    expect(after).toEqual({
      id: user.id,
      username: deletedName,
      primary_platform_account_id: null,
      created_at: before.created_at,
      updated_at: after.deleted_at,
      last_login_at: null,
      deleted_at: expect.any(String),
      privacy_mode: true,
      preferred_locale: null,
      avatars_enabled: true,
    });
    expect(Date.parse(after.deleted_at)).toBeGreaterThanOrEqual(start);
    const [newest] = done(await server.get("/v1/users?limit=1", { token: admin })).data;
    expect(newest).toEqual(after);
    const profile = done(await server.get(`/v1/users/${user.id}/profile`, { token: admin }));
    expect(profile).toMatchObject({
      ...{ name: after.username, display_name: after.username },
      ...{ picture: null, provider: null, primary_provider: null },
    });
    const accounts = done(await server.get(`/v1/users/${user.id}/accounts`, { token: admin }));
    expect(accounts.data).toEqual([]);
    expect(done(await server.get(`/v1/users/${user.id}/roles`, { token: admin })).roles).toEqual([]);
    const path = `/v1/admin/users/${user.id}/deletion-status`;
    expect(done(await server.get(path, { token: admin }))).toEqual({
      is_scheduled_for_deletion: false,
      scheduled_deletion_at: null,
      is_deleted: true,
      deleted_at: after.deleted_at,
    });
    expect(rows(server, "SELECT scrub_pending FROM users WHERE id = ?", user.id)).toEqual([
      { scrub_pending: 0 },
    ]);
  });

  test("gives two users two names", async () => {
    const [one, other] = [await newUser(server), await newUser(server)];
    await Promise.all([force(one.id), force(other.id)].map(async (answer) => done(await answer)));
    const names = [(await read(one.id)).username, (await read(other.id)).username];
    expect(names).toEqual([deletedName, deletedName]);
    expect(new Set(names).size).toBe(2);
  });

  test("ends sessions and removes keys, system keys too; the devices stay without a key", async () => {
    const user = await newUser(server, "role_admin");
    const other = await newUser(server, "role_admin");
    const own = await createKey(server, user.token, ["gps:*"]);
    const system = await commandLineKey(server, { owner: user.username, system: true });
    const device = done(
      await server.post("/v1/devices", { token: user.token, body: { name: "d", api_key_id: own.id } }),
    ).data;
    done(await force(user.id));
    for (const token of [user.token, own.key, system.key])
      expect(await isAccepted(server, token)).toBe(false);
    for (const { id } of [own, system])
      expectRefused(await server.get(`/v1/api-keys/${id}`, { token: admin }), 404, "NotFound");
    const kept = `/v1/devices/${device.id}`;
    expect(done(await server.get(kept, { token: admin })).data).toEqual({ ...device, api_key_id: null });
    const next = await createKey(server, other.token, ["gps:*"]);
    done(await server.patch(kept, { token: other.token, body: { api_key_id: next.id } }));
    expect(await isAccepted(server, other.token)).toBe(true);
  });

  test("frees name and address: somebody else can register with both", async () => {
    const user = await newUser(server);
    done(await force(user.id));
    expectRefused(await signIn(server, user), 401, "Unauthorized");
    const { username, email } = user;
    const registration = { username, email, password: "a new password" };
    done(await server.post("/v1/auth/register", { body: registration }));
  });

  test("writes user_deleted with who did it, in no words of anybody's, and without an address", async () => {
    const user = await newUser(server);
    done(await force(user.id, { reason: "Requested by letter" }));
    const silent = await newUser(server);
    done(await force(silent.id, { reason: null }, server.systemKey));
    expect(eventsAbout(server, user.id, "user_deleted")).toEqual([
      expect.objectContaining({
        ...{ actor_id: adminId, resource_type: "user", resource_id: user.id },
        ...{ ip_address: null, user_agent: null },
        metadata: '{"reason":"The account was deleted by an administrator"}',
      }),
    ]);
    const [event] = eventsAbout(server, silent.id, "user_deleted");
    expect(event?.actor_id).toBeNull();
    expect(JSON.parse(event?.metadata ?? "").reason).toMatch(/deleted by an administrator/);
  });

  test("keeps every audit event and takes address and agent from those about and by the user, and no other", async () => {
    const user = await newUser(server, "role_admin");
    const other = await newUser(server);
    // Failed sign-ins, a change of oneself, a change of somebody else, and somebody else's change of the user.
    await signIn(server, { ...user, password: "not the password" });
    const changes: [id: string, token: Token][] = [
      [user.id, user.token],
      [other.id, user.token],
      [user.id, admin],
      [other.id, other.token],
    ];
    for (const [at, [id, token]] of changes.entries())
      done(await server.patch(`/v1/users/${id}`, { token, body: { privacy_mode: at < 2 } }));
    done(
      await server.patch(`/v1/users/${user.id}/username`, {
        token: admin,
        body: { username: "renamed_one" },
      }),
    );
    const concerns = (row: { user_id: string | null; actor_id: string | null }) =>
      row.user_id === user.id || row.actor_id === user.id;
    const before = auditRows(server);
    expect(before.filter((row) => concerns(row) && row.ip_address !== null).length).toBeGreaterThan(5);
    expect(before.some((row) => row.user_id === other.id && row.actor_id === user.id)).toBe(true);

    done(await force(user.id));
    const after = auditRows(server);
    const erased = before.map((row) =>
      concerns(row) ? { ...row, ip_address: null, user_agent: null, salt: null } : row,
    );
    const written = after.slice(erased.length);
    expect(after).toEqual([...erased, ...written]);
    expect(written.map(({ event_type }) => event_type)).toEqual(["session_revoked", "user_deleted"]);
    expect(after.some((row) => row.user_id === other.id && row.ip_address !== null)).toBe(true);
  });

  test("writes an event for each session and key that ended, with no address", async () => {
    const user = await newUser(server, "role_admin");
    const second = done(await signIn(server, user));
    const keys = [await createKey(server, user.token, []), await createKey(server, user.token, [])];
    done(await force(user.id));
    const ended: [type: string, resource: string, ids: string[]][] = [
      ["session_revoked", "session", [user.sessionId, second.session_id]],
      ["api_key_revoked", "api_key", keys.map(({ id }) => id)],
    ];
    for (const [type, resource_type, ids] of ended) {
      const events = eventsAbout(server, user.id, type);
      expect(events.map(({ resource_id }) => resource_id).sort()).toEqual(ids.sort());
      for (const event of events)
        expect(event).toMatchObject({
          ...{ actor_id: null, resource_type, ip_address: null, user_agent: null },
          metadata: '{"reason":"account deleted"}',
        });
    }
  });

  test("forgets why the user was banned, and what the user called things; not that, and when", async () => {
    const user = await newUser(server, "role_admin");
    await createKey(server, user.token, ["gps:read"]);
    for (const reason of ["threatened Erika", "and again"]) {
      done(await server.post(`/v1/users/${user.id}/ban`, { token: admin, body: { reason } }));
      done(await server.delete(`/v1/users/${user.id}/ban`, { token: admin }));
    }
    const other = await newUser(server);
    done(await server.post(`/v1/users/${other.id}/ban`, { token: admin, body: { reason: "kept" } }));
    type Ban = { user_id: string; reason: string | null };
    const bansOf = (id: string) => rows<Ban>(server, "SELECT * FROM bans WHERE user_id = ? ORDER BY id", id);
    const [before, created] = [bansOf(user.id), eventsAbout(server, user.id, "api_key_created")];
    expect(before.map(({ reason }) => reason)).toEqual(["threatened Erika", "and again"]);
    expect(JSON.parse(created[0]?.metadata ?? "")).toMatchObject({ name: "test", scopes: ["gps:read"] });
    done(await force(user.id));
    expect(bansOf(user.id)).toEqual(before.map((ban) => ({ ...ban, reason: null })));
    expect(bansOf(other.id).map(({ reason }) => reason)).toEqual(["kept"]);
    for (const { metadata } of eventsAbout(server, user.id))
      expect(JSON.parse(metadata ?? "{}")).not.toHaveProperty("name");
    const [event] = eventsAbout(server, user.id, "api_key_created");
    expect(JSON.parse(event?.metadata ?? "")).toMatchObject({ scopes: ["gps:read"] });
  });

  test("leaves nothing of a password reset that is asked for at the same moment", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => newUser(server)));
    const answers = await Promise.all(
      users.flatMap(({ id, email }, at) => {
        const ask = () => server.post("/v1/auth/reset-password", { body: { email } });
        return at % 2 ? [ask(), force(id), ask()] : [force(id), ask(), ask()];
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    for (const { id } of users) {
      expect(rows(server, "SELECT id FROM password_resets WHERE user_id = ?", id)).toEqual([]);
      const messages = "SELECT id FROM outbox WHERE lane = 'email' AND user_id = ? AND message IS NOT NULL";
      expect(rows(server, messages, id)).toEqual([]);
    }
  });

  test("skips the days of grace of a scheduled deletion", async () => {
    const { id, token, password } = await newUser(server);
    done(await server.post("/v1/users/me/deletion", { token, body: { password } }));
    done(await force(id));
    expect((await read(id)).username).toEqual(deletedName);
    expectRefused(
      await server.post(`/v1/admin/users/${id}/cancel-deletion`, { token: admin }),
      404,
      "NotFound",
    );
  });

  test("finishes a soft deletion, whose time stays", async () => {
    const { id } = await newUser(server, "role_super_admin");
    done(await server.delete(`/v1/users/${id}`, { token: admin }));
    const { deleted_at } = await read(id);
    done(await force(id));
    expect(await read(id)).toMatchObject({ username: deletedName, deleted_at });
  });

  test("reaches a banned user", async () => {
    const { id } = await newUser(server);
    done(await server.post(`/v1/users/${id}/ban`, { token: admin, body: { reason: "spam" } }));
    done(await force(id));
    expect((await read(id)).username).toEqual(deletedName);
  });

  test("happens once: a second time, and the second of two at once, get 409", async () => {
    const { id } = await newUser(server);
    const statuses = (await Promise.all([force(id), force(id)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    await expectNothingDone(server, id, () => force(id), 409, "Conflict");
    expect(eventsAbout(server, id, "user_deleted")).toHaveLength(1);
  });
});

describe("a forced deletion is refused", () => {
  test("of the last super admin; of one of two it is not", async () => {
    await expectNothingDone(server, adminId, () => force(adminId), 409, "Conflict");
    await expectNothingDone(server, adminId, () => force(adminId, {}, server.systemKey), 409, "Conflict");
    const second = await newUser(server, "role_super_admin");
    expect((await force(second.id)).status).toBe(200);
    expect(await isAccepted(server, admin)).toBe(true);
  });

  test("of somebody who may do more", async () => {
    const superAdmin = await newUser(server, "role_super_admin");
    const administrator = await newUser(server, "role_admin");
    const refuse = (id: string, token: Token) =>
      expectNothingDone(server, id, () => force(id, {}, token), 403, "Forbidden");
    await refuse(superAdmin.id, administrator.token);
    await refuse(administrator.id, await server.key("users:delete", "users:read"));
    expect((await force(administrator.id, {}, superAdmin.token)).status).toBe(200);
    // So that the admin is the last super admin again, for the other tests.
    done(await force(superAdmin.id));
  });

  test("without users:delete; nothing else is needed for an ordinary user", async () => {
    const { id, token: own } = await newUser(server);
    await expectNothingDone(server, id, () => force(id, {}, own), 403, "Forbidden");
    await expectPermission(server, "users:delete", 200, (token) =>
      server.post(`/v1/admin/users/${id}/force-delete`, { ...(token && { token }), body: {} }),
    );
  });

  test.each([{ reason: 5 }, { reason: ["spam"] }, { reason: "⚓".repeat(1_001) }])(
    "with an invalid reason (%#)",
    async (body) => {
      const before = recordsOf(server, adminId);
      expectInvalid(await force(adminId, body), "/reason");
      expect(recordsOf(server, adminId)).toEqual(before);
    },
  );

  test("of an unknown user and by a malformed identifier", async () => {
    expectRefused(await force(UNKNOWN), 404, "NotFound");
    expectInvalid(await force("somebody"), "/id");
  });
});

describe("nothing of the person is left", () => {
  /** Leaves all traces of a user: sign-ins, a rename, a change of address, a link, a reset, a key. */
  async function leaveTraces(host: TestServer): Promise<{ user: User; traces: string[] }> {
    const token = await host.admin();
    const user = await newUser(host, "role_admin");
    const { id, email, password } = user;
    const userAgent = "Traceable/1.0";
    const session = { identifier: user.username, password };
    const signedIn = await host.post("/v1/auth/login", {
      body: session,
      headers: { "user-agent": userAgent },
    });
    const own = done(signedIn).session_token;
    const pending = "pending.address@example.net";
    const change = `/v1/users/${id}/email/request-change`;
    done(await host.post(change, { token: own, body: { email: pending } }));
    const renamed = "quite_another_name";
    done(await host.patch(`/v1/users/${id}/username`, { token: own, body: { username: renamed } }));
    const picture = { avatar_url: "https://cdn.example.net/portrait.png" };
    done(await host.patch(`/v1/users/${id}`, { token: own, body: picture }));
    const external = {
      ...{ email, name: "Erika Mustermann", oauthProvider: "github", oauthProviderId: "octo-4711" },
      image: "https://cdn.example.net/octo.png",
    };
    done(await host.post("/v1/users/oauth", { token: host.systemKey, body: external }));
    done(await host.post("/v1/auth/reset-password", { body: { email } }));
    await nextMail(host, email, "password_reset");
    await nextMail(host, pending, "email_change");
    const key = await createKey(host, own, []);
    done(await host.post(`/v1/users/me/deletion`, { token: own, body: { password } }));
    await nextMail(host, email, "deletion_scheduled");
    const traces = [
      ...[email, pending, user.username, renamed, userAgent, "Mustermann", "octo-4711"],
      ...["portrait.png", "octo.png", key.key.slice(0, 12)],
    ];
    const stored = readFileSync(await copyOf(host), "latin1");
    expect(traces.filter((trace) => !stored.includes(trace))).toEqual([]);
    const hashes = rows<{ hash: string }>(host, "SELECT hash FROM passwords WHERE user_id = ?", id);
    expect(hashes).toHaveLength(1);
    done(await host.post(`/v1/admin/users/${id}/force-delete`, { token }));
    return { user, traces: [...traces, ...hashes.map(({ hash }) => hash)] };
  }

  async function copyOf(host: TestServer): Promise<string> {
    const file = join(temporaryDirectory(), "copy.db");
    const { status, stderr } = await command(["backup", file], { settings: { "data.dir": host.dataDir } });
    if (status !== 0) throw new Error(stderr);
    return file;
  }

  test("in a copy of the database, nor, once the server has stopped, in any byte of its files", async () => {
    const host = await TestServer.start();
    let traces: string[];
    try {
      ({ traces } = await leaveTraces(host));
      const copy = readFileSync(await copyOf(host), "latin1");
      expect(traces.filter((trace) => copy.includes(trace))).toEqual([]);
    } finally {
      await host.stop();
    }
    const files = readdirSync(host.dataDir).filter((name) => name.startsWith("fairlead.db"));
    expect(files).toContain("fairlead.db");
    for (const file of files) {
      const bytes = readFileSync(join(host.dataDir, file), "latin1");
      expect({ file, traces: traces.filter((trace) => bytes.includes(trace)) }).toEqual({ file, traces: [] });
    }
  });

  test("in the write-ahead log at the moment of the answer", async () => {
    const { id, email, username, token } = await newUser(server);
    done(await server.patch(`/v1/users/${id}`, { token, body: { privacy_mode: true } }));
    const log = () => readFileSync(join(server.dataDir, "fairlead.db-wal"), "latin1");
    // The log held the address, so this search would have found it.
    expect(log()).toContain(email);
    done(await force(id));
    const after = log();
    expect([email, username].filter((trace) => after.includes(trace))).toEqual([]);
  });

  test("in the queue of emails when they can't be delivered", async () => {
    const dead = await TestServer.start({
      settings: { "email.transport": "smtp", "email.smtp_url": "smtp://127.0.0.1:1" },
    });
    try {
      const token = await dead.admin();
      const { body } = await dead.post("/v1/users/oauth", {
        token: dead.systemKey,
        body: {
          email: "q@example.org",
          name: "q",
          oauthProvider: "github",
          oauthProviderId: "q",
          image: null,
        },
      });
      const { id } = body.data;
      const session = { userId: id, expires: new Date(Date.now() + 3_600_000).toISOString() };
      const own = done(
        await dead.post("/v1/sessions", { token: dead.systemKey, body: session }),
      ).sessionToken;
      const link = { email: "linked@example.org", password: "a long passphrase" };
      done(await dead.post(`/v1/users/${id}/email-link/request`, { token: own, body: link }));
      const waiting = () =>
        rows(dead, "SELECT id FROM outbox WHERE lane = 'email' AND user_id = ? AND message IS NOT NULL", id);
      expect(waiting()).toHaveLength(2);
      done(await dead.post(`/v1/admin/users/${id}/force-delete`, { token }));
      expect(waiting()).toEqual([]);
      const database = new Database(join(dead.dataDir, "fairlead.db"), { readonly: true });
      const due = database.query("SELECT id FROM outbox WHERE lane = 'email' AND status = 'waiting'").all();
      database.close();
      expect(due).toEqual([]);
    } finally {
      await dead.stop();
    }
  });
});
