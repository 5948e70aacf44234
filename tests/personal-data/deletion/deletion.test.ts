import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingDone, recordsOf } from "../../identity/users/support";
import type { Token } from "../../support/api";
import { createKey, isAccepted, signIn } from "../../support/credentials";
import { eventsAbout } from "../../support/events";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { mailsTo, nextMail } from "../../support/mail";
import { externalUser, newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { DAY } from "../../support/time";

/**
 * Scheduling and cancelling the deletion of the caller's account, and the admin's view of it (rules A10, C5 and
 * C6).
 */
const PATH = "/v1/users/me/deletion";
const NOT_SCHEDULED = {
  is_scheduled_for_deletion: false,
  scheduled_deletion_at: null,
  is_deleted: false,
  deleted_at: null,
};

let server: TestServer;
let admin: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  adminId = done(await server.get("/v1/users/me", { token: admin })).data.id;
});
afterAll(() => server.stop());

const schedule = ({ token, password }: { token: Token; password: string }, headers = {}) =>
  server.post(PATH, { token, body: { password }, headers });
const cancel = (token: Token) => server.delete(PATH, { token });
const ownStatus = async (token: Token) => done(await server.get(PATH, { token }));
const cancelFor = (id: string, token = admin) =>
  server.post(`/v1/admin/users/${id}/cancel-deletion`, { token });
const statusFor = (id: string, token = admin) =>
  server.get(`/v1/admin/users/${id}/deletion-status`, { token });

describe("POST /v1/users/me/deletion", () => {
  test("schedules it for seven days from now; the account can be used meanwhile", async () => {
    const user = await newUser(server, "role_admin");
    const { key } = await createKey(server, user.token, []);
    const before = Date.now();
    const { status, body } = await schedule(user);
    const after = Date.now();
    expect(status).toBe(200);
    expect(body).toEqual({
      ...NOT_SCHEDULED,
      is_scheduled_for_deletion: true,
      scheduled_deletion_at: body.scheduled_deletion_at,
    });
    const dueAt = Date.parse(body.scheduled_deletion_at);
    expect(dueAt).toBeGreaterThanOrEqual(before + 7 * DAY);
    expect(dueAt).toBeLessThanOrEqual(after + 7 * DAY);
    expect(await ownStatus(user.token)).toEqual(body);
    expect((await statusFor(user.id)).body).toEqual(body);
    for (const token of [user.token, key]) expect(await isAccepted(server, token)).toBe(true);
    expect((await signIn(server, user)).status).toBe(200);
    expect(eventsAbout(server, user.id, "user_deletion_scheduled")).toEqual([
      expect.objectContaining({
        actor_id: null,
        resource_type: "user",
        resource_id: user.id,
        ip_address: "127.0.0.1",
      }),
    ]);
  });

  test("sends the user an email that names the day, in the user's language, else in the request's", async () => {
    const german = await newUser(server);
    const locale = { locale: "de" };
    done(await server.patch(`/v1/users/${german.id}/locale`, { token: german.token, body: locale }));
    const swiss = await newUser(server);
    const other = await newUser(server);
    done(await schedule(german, { "accept-language": "en" }));
    done(await schedule(swiss, { "accept-language": "fr-CH, de-CH;q=0.9, en;q=0.8" }));
    const { scheduled_deletion_at } = done(await schedule(other, { "accept-language": "fr" }));
    const sent = async ({ email }: { email: string }) => nextMail(server, email, "deletion_scheduled");
    expect((await sent(german)).locale).toBe("de");
    expect((await sent(swiss)).locale).toBe("de");
    const mail = await sent(other);
    expect(mail).toMatchObject({ locale: "en", token: null });
    expect(mail.text).toContain(String(new Date(scheduled_deletion_at).getUTCFullYear()));
    for (const { email } of [german, swiss, other])
      expect((await mailsTo(server, email)).filter(({ kind }) => kind === "deletion_scheduled")).toHaveLength(
        1,
      );
  });

  test("refuses a wrong password; nothing is scheduled and nobody gets an email", async () => {
    const user = await newUser(server);
    const before = recordsOf(server, user.id);
    const sent = (await mailsTo(server, user.email)).length;
    const answer = await schedule({ ...user, password: "not the password" });
    expectInvalid(answer, "/password");
    const events = [...before.events, "reauthenticated"];
    expect(recordsOf(server, user.id)).toEqual({ ...before, events });
    expect(await ownStatus(user.token)).toEqual(NOT_SCHEDULED);
    // If a message had been queued, it would be written before this one.
    done(await schedule(user));
    await nextMail(server, user.email, "deletion_scheduled");
    expect(await mailsTo(server, user.email)).toHaveLength(sent + 1);
  });

  test.each([{}, { password: null }, { password: "" }, { password: 5 }, { password: "x".repeat(129) }])(
    "refuses a body without a fit password: %j",
    async (body) => {
      const before = recordsOf(server, adminId);
      expectInvalid(await server.post(PATH, { token: admin, body }), "/password");
      expect(recordsOf(server, adminId)).toEqual(before);
    },
  );

  test("takes a code beside the password, and null in its place", async () => {
    const user = await newUser(server);
    const body = { password: user.password, code: null };
    done(await server.post(PATH, { token: user.token, body }));
    done(await cancel(user.token));
    expectInvalid(await server.post(PATH, { token: user.token, body: { ...body, code: 123456 } }), "/code");
    done(await server.post(PATH, { token: user.token, body: { ...body, code: "123456" } }));
  });

  test("takes the longest password, whose characters JavaScript counts twice", async () => {
    const user = await newUser(server);
    const password = "🚢".repeat(128);
    const change = { current_password: user.password, new_password: password };
    done(await server.post("/v1/users/me/password", { token: user.token, body: change }));
    done(await server.post(PATH, { token: user.token, body: { password } }));
  });

  test("tells a user without a password what to do instead", async () => {
    const user = await externalUser(server);
    const answer = await schedule({ ...user, password: "anything" });
    expectRefused(answer, 400, "BadRequest");
    expect(answer.body.message).toMatch(/no password.*link an email address/);
    expect(await ownStatus(user.token)).toEqual(NOT_SCHEDULED);
  });

  test("refuses a second time; the day stays", async () => {
    const user = await newUser(server);
    const first = done(await schedule(user));
    await expectNothingDone(server, user.id, () => schedule(user), 409, "Conflict");
    expect(await ownStatus(user.token)).toEqual(first);
  });

  test("lets one of two at once win, with one email", async () => {
    const user = await newUser(server);
    const answers = await Promise.all([schedule(user), schedule(user)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(eventsAbout(server, user.id, "user_deletion_scheduled")).toHaveLength(1);
    done(await cancel(user.token));
    done(await server.post("/v1/auth/reset-password", { body: { email: user.email } }));
    // The queue keeps its order, so a second message would be there before this one.
    await nextMail(server, user.email, "password_reset");
    const kinds = (await mailsTo(server, user.email)).map(({ kind }) => kind);
    expect(kinds).toEqual(["registration", "deletion_scheduled", "password_reset"]);
  });

  test("refuses the last super admin, and lets one of two go", async () => {
    const last = () => schedule({ token: admin, password: ADMIN.password });
    await expectNothingDone(server, adminId, last, 409, "Conflict");
    const second = await newUser(server, "role_super_admin");
    expect((await schedule(second)).status).toBe(200);
    done(await server.delete(`/v1/users/${second.id}`, { token: admin }));
    await expectNothingDone(server, adminId, last, 409, "Conflict");
  });

  test("limits how many passwords a session may try, and no other session", async () => {
    const limited = await TestServer.start({
      settings: { "rate_limit.enabled": "true", "rate_limit.login": "3/600" },
    });
    try {
      const user = await newUser(limited);
      const other = done(await signIn(limited, user)).session_token;
      const attempt = (token: Token, password: string) => limited.post(PATH, { token, body: { password } });
      const remaining = [];
      for (let n = 0; n < 3; n++) {
        const answer = await attempt(user.token, "guess");
        expectInvalid(answer, "/password");
        remaining.push(answer.headers.get("ratelimit-remaining"));
      }
      expect(remaining).toEqual(["2", "1", "0"]);
      const refused = await attempt(user.token, user.password);
      expectRefused(refused, 429, "TooManyRequests");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(done(await limited.get(PATH, { token: user.token }))).toEqual(NOT_SCHEDULED);
      expect((await attempt(other, user.password)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describe("DELETE /v1/users/me/deletion", () => {
  test("takes the deletion back, so that it can be scheduled anew", async () => {
    const user = await newUser(server);
    done(await schedule(user));
    const { status, body } = await cancel(user.token);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.stringMatching(/./) });
    expect(await ownStatus(user.token)).toEqual(NOT_SCHEDULED);
    expect(eventsAbout(server, user.id, "user_deletion_cancelled")).toEqual([
      expect.objectContaining({ actor_id: null, resource_id: user.id, ip_address: "127.0.0.1" }),
    ]);
    expect((await schedule(user)).status).toBe(200);
  });

  test("refuses when none is scheduled, or no longer", async () => {
    const user = await newUser(server);
    await expectNothingDone(server, user.id, () => cancel(user.token), 404, "NotFound");
    done(await schedule(user));
    const statuses = (await Promise.all([cancel(user.token), cancel(user.token)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 404]);
    expect(eventsAbout(server, user.id, "user_deletion_cancelled")).toHaveLength(1);
  });

  test("at the same time as scheduling leaves what the answers say", async () => {
    const user = await newUser(server);
    for (let round = 0; round < 5; round++) {
      // Scheduling takes time for the password: some of the cancellations come before it is done, some after.
      const later = Bun.sleep(round * 15).then(() => cancel(user.token));
      const [scheduled, cancelled] = await Promise.all([schedule(user), later]);
      expect(scheduled.status).toBe(200);
      expect([200, 404]).toContain(cancelled.status);
      const isScheduled = (await ownStatus(user.token)).is_scheduled_for_deletion;
      expect(isScheduled).toBe(cancelled.status === 404);
      if (isScheduled) done(await cancel(user.token));
    }
    const types = eventsAbout(server, user.id)
      .map(({ event_type }) => event_type)
      .filter((type) => type.startsWith("user_deletion"));
    const pair = ["user_deletion_scheduled", "user_deletion_cancelled"];
    expect(types).toEqual(Array.from({ length: 5 }, () => pair).flat());
  });
});

describe("the own deletion", () => {
  test("is for sessions: an API key and a stranger get 401", async () => {
    const key = await server.key("*:*");
    const requests: [method: string, body?: object][] = [
      ["GET"],
      ["POST", { password: ADMIN.password }],
      ["DELETE"],
    ];
    const before = recordsOf(server, adminId);
    for (const [method, body] of requests)
      for (const token of [undefined, key, server.systemKey]) {
        const options = { ...(token && { token }), ...(body && { body }) };
        expectRefused(await server.request(method, PATH, options), 401, "Unauthorized");
      }
    expect(recordsOf(server, adminId)).toEqual(before);
  });
});

describe("GET /v1/admin/users/{id}/deletion-status", () => {
  test("needs users:read, of the user's own session too", async () => {
    const user = await newUser(server);
    expect((await statusFor(user.id)).body).toEqual(NOT_SCHEDULED);
    expectRefused(await statusFor(user.id, user.token), 403, "Forbidden");
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(`/v1/admin/users/${user.id}/deletion-status`, { ...(token && { token }) }),
    );
  });

  test("refuses an unknown user and a malformed identifier", async () => {
    expectRefused(await statusFor(UNKNOWN), 404, "NotFound");
    expectInvalid(await statusFor("somebody"), "/id");
  });
});

describe("POST /v1/admin/users/{id}/cancel-deletion", () => {
  test("takes the deletion back and writes who did it", async () => {
    const user = await newUser(server);
    done(await schedule(user));
    const { status, body } = await cancelFor(user.id);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.stringMatching(/./) });
    expect(await ownStatus(user.token)).toEqual(NOT_SCHEDULED);
    expect(eventsAbout(server, user.id, "user_deletion_cancelled")).toEqual([
      expect.objectContaining({ actor_id: adminId, resource_type: "user", resource_id: user.id }),
    ]);
  });

  test("refuses when none is scheduled, for an unknown user and by a malformed identifier", async () => {
    const { id } = await newUser(server);
    await expectNothingDone(server, id, () => cancelFor(id), 409, "Conflict");
    expectRefused(await cancelFor(UNKNOWN), 404, "NotFound");
    expectInvalid(await cancelFor("somebody"), "/id");
  });

  test("needs users:write; the user's own session won't do, and whoever is refused changes nothing", async () => {
    const user = await newUser(server);
    done(await schedule(user));
    const own = () => cancelFor(user.id, user.token);
    await expectNothingDone(server, user.id, own, 403, "Forbidden");
    const foreign = await server.key("users:read", "users:delete");
    await expectNothingDone(server, user.id, () => cancelFor(user.id, foreign), 403, "Forbidden");
    await expectPermission(server, "users:write", 200, (token) =>
      server.post(`/v1/admin/users/${user.id}/cancel-deletion`, { ...(token && { token }) }),
    );
  });
});
