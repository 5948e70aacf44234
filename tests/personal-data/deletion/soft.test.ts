import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingDone, recordsOf } from "../../identity/users/support";
import type { Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted, signIn } from "../../support/credentials";
import { eventsAbout } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { nextMail } from "../../support/mail";
import { newUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { fix } from "../../tracking/support";

/** `DELETE /v1/users/{id}`, the soft deletion (rules A10, C4, R2 and R3). */
let server: TestServer;
let admin: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  adminId = done(await server.get("/v1/users/me", { token: admin })).data.id;
});
afterAll(() => server.stop());

const remove = (id: string, token = admin) => server.delete(`/v1/users/${id}`, { token });
const read = async (id: string) => done(await server.get(`/v1/users/${id}`, { token: admin })).data;

describe("a soft deletion", () => {
  test("sets deleted_at, and keeps the record readable with everything else in it", async () => {
    const { id, username } = await newUser(server);
    const before = await read(id);
    const start = Date.now();
    const answer = await remove(id);
    expect([answer.status, answer.body]).toEqual([204, null]);
    const after = await read(id);
    expect(after).toEqual({ ...before, deleted_at: after.deleted_at, updated_at: after.deleted_at });
    expect(Date.parse(after.deleted_at)).toBeGreaterThanOrEqual(start);
    expect(Date.parse(after.deleted_at)).toBeLessThanOrEqual(Date.now());

    const [newest] = done(await server.get("/v1/users?limit=1", { token: admin })).data;
    expect(newest).toEqual(after);
    const profile = done(await server.get(`/v1/users/${id}/profile`, { token: admin }));
    expect(profile.name).toBe(username);
    const path = `/v1/admin/users/${id}/deletion-status`;
    expect(done(await server.get(path, { token: admin }))).toEqual({
      is_scheduled_for_deletion: false,
      scheduled_deletion_at: null,
      is_deleted: true,
      deleted_at: after.deleted_at,
    });
  });

  test("ends all sessions and keys, system keys too, and refuses sign-in like an unknown name; others stay", async () => {
    const user = await newUser(server, "role_admin");
    const other = await newUser(server, "role_admin");
    const second = done(await signIn(server, user)).session_token;
    const own = await createKey(server, user.token, ["gps:*"]);
    const system = await commandLineKey(server, { owner: user.username, system: true });
    const foreign = await createKey(server, other.token, []);
    const device = done(
      await server.post("/v1/devices", { token: user.token, body: { name: "d", api_key_id: own.id } }),
    ).data;
    done(await server.post("/v1/gps", { token: own.key, body: fix() }));
    const ending = [user.token, second, own.key, system.key];
    for (const token of ending) expect(await isAccepted(server, token)).toBe(true);

    done(await remove(user.id));
    for (const token of ending) expect(await isAccepted(server, token)).toBe(false);
    expect(rows(server, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
    for (const { id } of [own, system]) {
      const path = `/v1/api-keys/${id}`;
      expect(done(await server.get(path, { token: admin })).data.is_active).toBe(false);
      // Switching the key on again has no effect: its owner is gone.
      done(await server.patch(path, { token: admin, body: { is_active: true } }));
    }
    expect(await isAccepted(server, own.key)).toBe(false);
    expect(await isAccepted(server, system.key)).toBe(false);

    const refused = await signIn(server, user);
    expectRefused(refused, 401, "Unauthorized");
    expect(refused.body).toEqual((await signIn(server, { ...user, username: "nobody_at_all" })).body);
    for (const token of [other.token, foreign.key]) expect(await isAccepted(server, token)).toBe(true);
    const kept = done(await server.get(`/v1/devices/${device.id}`, { token: admin })).data;
    expect(kept.name).toBe("d");
  });

  test("leaves username and address taken", async () => {
    const { id, username, email, password } = await newUser(server);
    done(await remove(id));
    for (const body of [
      { username, email: `new_${email}`, password },
      { username: `new_${username}`, email, password },
    ])
      expectRefused(await server.post("/v1/auth/register", { body }), 409, "Conflict");
  });

  test("writes user_deleted, and api_key_revoked for each key that was on, with who did it", async () => {
    const user = await newUser(server, "role_admin");
    const on = [await createKey(server, user.token, []), await createKey(server, user.token, ["gps:read"])];
    const off = await createKey(server, user.token, []);
    const path = `/v1/api-keys/${off.id}`;
    done(await server.patch(path, { token: user.token, body: { is_active: false } }));
    done(await remove(user.id));
    expect(eventsAbout(server, user.id, "user_deleted")).toEqual([
      expect.objectContaining({
        actor_id: adminId,
        resource_type: "user",
        resource_id: user.id,
        ip_address: "127.0.0.1",
      }),
    ]);
    const revoked = eventsAbout(server, user.id, "api_key_revoked");
    expect(revoked.map(({ resource_id }) => resource_id).sort()).toEqual(on.map(({ id }) => id).sort());
    for (const event of revoked) {
      expect(event).toMatchObject({ actor_id: adminId, resource_type: "api_key" });
      expect(JSON.parse(event.metadata ?? "")).toEqual({ name: "test", reason: "owner deleted" });
    }
  });

  test("writes session_revoked for each session, with who did it", async () => {
    const user = await newUser(server);
    const second = done(await signIn(server, user));
    done(await remove(user.id));
    const revoked = eventsAbout(server, user.id, "session_revoked");
    const ids = [user.sessionId, second.session_id];
    expect(revoked.map(({ resource_id }) => resource_id).sort()).toEqual(ids.sort());
    for (const event of revoked)
      expect(event).toMatchObject({
        ...{ actor_id: adminId, resource_type: "session", ip_address: "127.0.0.1" },
        metadata: '{"reason":"account deleted"}',
      });
  });

  test("takes back what waits for the user: a scheduled deletion, a password reset, a change of address", async () => {
    const user = await newUser(server);
    const { id, email, password, token } = user;
    done(await server.post("/v1/users/me/deletion", { token, body: { password } }));
    done(await server.post("/v1/auth/reset-password", { body: { email } }));
    const newEmail = `changed_${email}`;
    const change = `/v1/users/${id}/email/request-change`;
    done(await server.post(change, { token, body: { email: newEmail } }));
    const reset = await nextMail(server, email, "password_reset");
    const verification = await nextMail(server, newEmail, "email_change");

    done(await remove(id));
    const status = done(await server.get(`/v1/admin/users/${id}/deletion-status`, { token: admin }));
    expect([status.is_scheduled_for_deletion, status.scheduled_deletion_at]).toEqual([false, null]);
    const before = recordsOf(server, id);
    const completion = { token: reset.token, new_password: "another password" };
    expect((await server.post("/v1/auth/reset-password/complete", { body: completion })).status).toBe(400);
    const proof = { token: verification.token };
    expect((await server.post("/v1/auth/verify-email", { body: proof })).status).toBe(400);
    expect(recordsOf(server, id)).toEqual(before);
    for (const table of ["password_resets", "verifications"])
      expect(rows(server, `SELECT id FROM ${table} WHERE user_id = ?`, id)).toEqual([]);
  });

  test("lets nothing of the user be changed afterwards", async () => {
    const { id } = await newUser(server);
    done(await remove(id));
    const before = recordsOf(server, id);
    const requests = [
      () => remove(id),
      () => server.patch(`/v1/users/${id}`, { token: admin, body: { privacy_mode: true } }),
      () => server.post(`/v1/users/${id}/ban`, { token: admin, body: {} }),
      () => server.post(`/v1/users/${id}/roles`, { token: admin, body: { role_id: "role_developer" } }),
      () => server.post(`/v1/admin/users/${id}/cancel-deletion`, { token: admin }),
    ];
    for (const request of requests) expectRefused(await request(), 404, "NotFound");
    expect(recordsOf(server, id)).toEqual(before);
  });

  test("happens once when two ask for it at once", async () => {
    const { id } = await newUser(server);
    const statuses = (await Promise.all([remove(id), remove(id)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404]);
    expect(eventsAbout(server, id, "user_deleted")).toHaveLength(1);
  });

  test("of a banned user keeps the ban in the history", async () => {
    const { id } = await newUser(server);
    const ban = done(await server.post(`/v1/users/${id}/ban`, { token: admin, body: {} })).data;
    done(await remove(id));
    const history = done(await server.get(`/v1/users/${id}/bans`, { token: admin })).data;
    expect(history).toEqual([{ ...ban, unbanned_at: null, unbanned_by: null }]);
  });
});

describe("a soft deletion is refused", () => {
  test("of the last super admin, also by itself; of one of two it is not", async () => {
    await expectNothingDone(server, adminId, () => remove(adminId, server.systemKey), 409, "Conflict");
    await expectNothingDone(server, adminId, () => remove(adminId), 409, "Conflict");
    expect(await isAccepted(server, admin)).toBe(true);
    const second = await newUser(server, "role_super_admin");
    // Deleting oneself is permitted while another super admin stays.
    expect((await remove(second.id, second.token)).status).toBe(204);
    expect(eventsAbout(server, second.id, "user_deleted")[0]?.actor_id).toBeNull();
    await expectNothingDone(server, adminId, () => remove(adminId), 409, "Conflict");
  });

  test("of somebody who may do more", async () => {
    const superAdmin = await newUser(server, "role_super_admin");
    const administrator = await newUser(server, "role_admin");
    const refuse = (id: string, token: Token) =>
      expectNothingDone(server, id, () => remove(id, token), 403, "Forbidden");
    await refuse(superAdmin.id, administrator.token);
    await refuse(administrator.id, await server.key("users:delete", "users:read"));
    expect((await remove(administrator.id, superAdmin.token)).status).toBe(204);
    // So that the admin is the last super admin again, for the other tests.
    done(await remove(superAdmin.id));
  });

  test("without users:delete; nothing else is needed for an ordinary user", async () => {
    const { id } = await newUser(server);
    await expectPermission(server, "users:delete", 204, (token) =>
      server.delete(`/v1/users/${id}`, { ...(token && { token }) }),
    );
  });

  test("of oneself without users:delete", async () => {
    const user = await newUser(server);
    await expectNothingDone(server, user.id, () => remove(user.id, user.token), 403, "Forbidden");
    expect(await isAccepted(server, user.token)).toBe(true);
  });

  test("of an unknown user and by a malformed identifier", async () => {
    expectRefused(await remove(UNKNOWN), 404, "NotFound");
    expectInvalid(await remove("somebody"), "/id");
  });
});
