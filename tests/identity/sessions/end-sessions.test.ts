import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ask, dataOf } from "../../graphql/support";
import type { Token } from "../../support/api";
import { createKey, isAccepted } from "../../support/credentials";
import { eventsOf } from "../../support/events";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { newUser, staff, type User } from "../../support/people";
import { newRole } from "../../support/roles";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { nextCode, setUp, turnOn, wrongCode } from "../two-factor/support";

/** Sessions that end because an administrator ends them, or because the second factor is turned on. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

const again = async ({ username, password }: Pick<User, "username" | "password">) =>
  (await server.login(username, password)).session_token as Token;
const endAll = (id: string, token: Token) => server.delete(`/v1/users/${id}/sessions`, { token });

describe("DELETE /v1/users/{id}/sessions", () => {
  test("ends all sessions of a user and closes their sockets; keys and other users' sessions stay", async () => {
    const { user_id: adminId, session_token: admin } = await server.login(ADMIN.username, ADMIN.password);
    const user = await newUser(server, (await newRole(server, "api_keys:write")).id);
    const { key } = await createKey(server, user.token, []);
    const second = await again(user);
    const socket = await Client.open(server, { token: second });
    await socket.heard();
    const { status, body } = await endAll(user.id, admin);
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, revoked_count: 2, message: "2 sessions were revoked" },
    });
    expect(await socket.next()).toMatchObject({ type: "forceLogout", userId: user.id });
    for (const token of [user.token, second]) expect(await isAccepted(server, token)).toBe(false);
    expect(await isAccepted(server, key)).toBe(true);
    expect(await isAccepted(server, admin)).toBe(true);
    expect(eventsOf(server, user.id, "session_revoked")).toMatchObject(
      [1, 2].map(() => ({
        actor_id: adminId,
        resource_type: "session",
        metadata: { reason: "ended by an administrator" },
      })),
    );
    expect((await socket.closed).code).toBe(4401);
    // The user may sign in again.
    expect(await isAccepted(server, await again(user))).toBe(true);
    expect((await endAll(user.id, admin)).body.message).toBe("1 session was revoked");
    expect((await endAll(user.id, admin)).body.revoked_count).toBe(0);
    // The sockets have five seconds to close by themselves.
  });

  test("ends the own ones too, the one that asks among them", async () => {
    const admin = await server.login(ADMIN.username, ADMIN.password);
    const office = await staff(server, "users:write");
    expect((await endAll(office.id, office.token)).body.revoked_count).toBe(1);
    expect(await isAccepted(server, office.token)).toBe(false);
    expect(await isAccepted(server, admin.session_token)).toBe(true);
  });

  test("needs users:write, and is for nobody above one's rank", async () => {
    const user = await newUser(server);
    const [office, reader] = [await staff(server, "users:write"), await staff(server, "users:read")];
    const admin = await server.login(ADMIN.username, ADMIN.password);
    for (const token of [user.token, reader.token])
      expectRefused(await endAll(user.id, token), 403, "Forbidden");
    expectRefused(await endAll(admin.user_id, office.token), 403, "Forbidden");
    for (const token of [user.token, admin.session_token]) expect(await isAccepted(server, token)).toBe(true);
    expect((await endAll(user.id, server.systemKey)).body.revoked_count).toBe(1);
  });

  test("answers 404 to an unknown and a deleted user, 400 to a malformed identifier", async () => {
    const token = await server.admin();
    const { id } = await newUser(server);
    expect((await server.delete(`/v1/users/${id}`, { token })).status).toBe(204);
    for (const which of [id, UNKNOWN]) expectRefused(await endAll(which, token), 404, "NotFound");
    expectInvalid(await endAll("skipper", token), "/id");
  });

  test("of parallel requests each session is ended and counted once", async () => {
    const user = await newUser(server);
    for (let count = 0; count < 3; count++) await again(user);
    const token = await server.admin();
    const answers = await Promise.all([1, 2, 3].map(() => endAll(user.id, token)));
    expect(answers.reduce((sum, { body }) => sum + body.revoked_count, 0)).toBe(4);
    expect(eventsOf(server, user.id, "session_revoked")).toHaveLength(4);
  });
});

describe("end_other_sessions, when the second factor is turned on", () => {
  const verify = (token: Token, body: object) => server.post("/v1/users/me/2fa/verify", { token, body });

  test("ends all but the session that asks, once the code is right", async () => {
    const user = await newUser(server);
    const other = await again(user);
    const socket = await Client.open(server, { token: other });
    await socket.heard();
    const { secret } = done(await setUp(server, user.token));
    const body = { end_other_sessions: true };
    expectInvalid(await verify(user.token, { ...body, code: wrongCode(server, secret) }), "/code");
    expect(await isAccepted(server, other)).toBe(true);
    done(await verify(user.token, { ...body, code: await nextCode(server, secret) }));
    expect(await isAccepted(server, user.token)).toBe(true);
    expect(await isAccepted(server, other)).toBe(false);
    expect(await socket.next()).toMatchObject({ type: "sessionRevoked", userId: user.id });
    expect(eventsOf(server, user.id, "session_revoked")).toMatchObject([
      { metadata: { reason: "two-factor authentication turned on" } },
    ]);
  });

  test.each([{}, { end_other_sessions: false }])("ends none unless it is asked for (%j)", async (more) => {
    const user = await newUser(server);
    const other = await again(user);
    const { secret } = done(await setUp(server, user.token));
    done(await verify(user.token, { ...more, code: await nextCode(server, secret) }));
    expect(await isAccepted(server, other)).toBe(true);
  });

  test("is part of GraphQL's verifyTwoFactor too", async () => {
    const user = await newUser(server);
    const other = await again(user);
    const { secret } = done(await setUp(server, user.token));
    const query = "mutation ($input: VerifyTwoFactorInput!) { verifyTwoFactor(input: $input) { message } }";
    const input = { code: await nextCode(server, secret), endOtherSessions: true };
    dataOf(await ask(server, query, { token: user.token, variables: { input } }));
    expect(await isAccepted(server, other)).toBe(false);
    expect(await isAccepted(server, user.token)).toBe(true);
  });

  test("ends all of a user's when somebody else turns it on, and none of that one's", async () => {
    const user = await newUser(server);
    const admin = await server.admin();
    const { secret } = done(await setUp(server, admin, { user_id: user.id }));
    const code = await nextCode(server, secret);
    done(await verify(admin, { user_id: user.id, code, end_other_sessions: true }));
    expect(await isAccepted(server, user.token)).toBe(false);
    expect(await isAccepted(server, admin)).toBe(true);
  });

  test("takes a boolean alone", async () => {
    const user = await newUser(server);
    expectInvalid(
      await verify(user.token, { code: "123456", end_other_sessions: "yes" }),
      "/end_other_sessions",
    );
    expect((await turnOn(server, user)).backupCodes).toHaveLength(10);
  });
});
