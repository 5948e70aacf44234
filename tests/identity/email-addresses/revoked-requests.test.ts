import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { done } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import { externalUser, newUser, readUser, type User } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { verifyEmail } from "../auth/support";
import { nextCode, setUp } from "../two-factor/support";

/**
 * The thief of a session asks for another address, and waits: the link in the thief's mailbox must not outlive
 * the session once that is revoked.
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

let asked = 0;

/** Asks for another address of a user; returns the token of the email that goes there. */
async function ask(token: Token, id: string): Promise<string> {
  const email = `thief_${++asked}@example.net`;
  done(await server.post(`/v1/users/${id}/email/request-change`, { token, body: { email } }));
  return (await newestMail(server, email)).token;
}

interface Stolen extends User {
  /** The thief's session. */
  stolen: { session_token: Token; session_id: string };
}

async function robbed(): Promise<Stolen> {
  const user = await newUser(server);
  return { ...user, stolen: await server.login(user.username, user.password) };
}

const WAYS_TO_END_ALL: Record<string, (user: Stolen) => Promise<Answer>> = {
  "with all others": async ({ token }) => server.delete("/v1/users/me/sessions", { token }),
  "by an administrator": async ({ id }) =>
    server.delete(`/v1/users/${id}/sessions`, { token: server.systemKey }),
  "as the second factor is turned on": async ({ token }) => {
    const { secret } = done(await setUp(server, token));
    const body = { code: await nextCode(server, secret), end_other_sessions: true };
    return server.post("/v1/users/me/2fa/verify", { token, body });
  },
};

const WAYS: typeof WAYS_TO_END_ALL = {
  ...WAYS_TO_END_ALL,
  "by its user": async ({ token, stolen }) =>
    server.delete(`/v1/users/me/sessions/${stolen.session_id}`, { token }),
  "by a service": async ({ stolen }) =>
    server.delete(`/v1/sessions/${stolen.session_token}?reason=revoked`, { token: server.systemKey }),
};

describe.each(Object.entries(WAYS_TO_END_ALL))("when all sessions are ended %s", (_, endAll) => {
  test("a change of address goes that was asked for in one that had signed out already", async () => {
    const user = await robbed();
    const link = await ask(user.stolen.session_token, user.id);
    done(await server.post("/v1/auth/logout", { token: user.stolen.session_token }));
    done(await endAll(user));
    expect((await verifyEmail(server, link)).status).toBe(400);
    const pending = await server.get(`/v1/users/${user.id}/email/pending`, { token: server.systemKey });
    expect(pending.body.pending).toBe(false);
    expect((await server.login(user.email, user.password)).user_id).toBe(user.id);
  });
});

describe.each(Object.entries(WAYS))("a session that is revoked %s", (_, revoke) => {
  test("takes the change of address along that it asked for", async () => {
    const user = await robbed();
    const link = await ask(user.stolen.session_token, user.id);
    done(await revoke(user));
    expect((await verifyEmail(server, link)).status).toBe(400);
    const pending = await server.get(`/v1/users/${user.id}/email/pending`, { token: server.systemKey });
    expect(pending.body.pending).toBe(false);
    expect((await server.login(user.email, user.password)).user_id).toBe(user.id);
  });
});

test("an administrator's session that is revoked takes along what it asked for others", async () => {
  const [user, admin] = [await externalUser(server), await server.login(ADMIN.username, ADMIN.password)];
  const email = `thief_${++asked}@example.net`;
  const body = { email, password: "a long passphrase" };
  done(await server.post(`/v1/users/${user.id}/email-link/request`, { token: admin.session_token, body }));
  const { token } = await newestMail(server, email);
  const own = await server.login(ADMIN.username, ADMIN.password);
  done(await server.delete("/v1/users/me/sessions", { token: own.session_token }));
  expect((await verifyEmail(server, token)).status).toBe(400);
});

test("an administrator's session that had signed out takes along what it asked for others, and no one else's goes", async () => {
  const [user, other] = [await newUser(server), await newUser(server)];
  const [thief, own] = [await server.login(ADMIN.username, ADMIN.password), await server.admin()];
  const links = [await ask(thief.session_token, user.id), await ask(own, other.id)];
  done(await server.post("/v1/auth/logout", { token: thief.session_token }));
  // A request of an administrator for a user stays as that user ends the own sessions.
  done(await server.delete("/v1/users/me/sessions", { token: other.token }));
  done(await server.delete("/v1/users/me/sessions", { token: own }));
  expect(await Promise.all(links.map(async (link) => (await verifyEmail(server, link)).status))).toEqual([
    400, 200,
  ]);
});

test("a key that gets a new value takes along what it asked for with the old one, and no other key's goes", async () => {
  const users = [await newUser(server), await newUser(server)];
  const keys = [await server.createKey("users:write"), await server.createKey("users:write")];
  const links = await Promise.all(keys.map(({ key }, at) => ask(key, users[at]?.id ?? "")));
  const path = `/v1/api-keys/${keys[0]?.id}/regenerate`;
  done(await server.post(path, { token: await server.admin() }));
  const pending = await server.get(`/v1/users/${users[0]?.id}/email/pending`, { token: server.systemKey });
  expect(pending.body.pending).toBe(false);
  expect(await Promise.all(links.map(async (link) => (await verifyEmail(server, link)).status))).toEqual([
    400, 200,
  ]);
});

test("what another session asked for stays, and what a session asked for that signed out by itself", async () => {
  const user = await robbed();
  const link = await ask(user.token, user.id);
  done(await server.delete("/v1/users/me/sessions", { token: user.token }));
  done(await server.post("/v1/auth/logout", { token: user.token }));
  expect((await verifyEmail(server, link)).status).toBe(200);
  expect((await readUser(server, user.id)).id).toBe(user.id);
});
