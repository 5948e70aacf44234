import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../support/api";
import { createKey, signIn } from "../support/credentials";
import { done } from "../support/expectations";
import { nextMail } from "../support/mail";
import { newUser, type User } from "../support/people";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { DAY } from "../support/time";
import { fix } from "../tracking/support";

/**
 * Messages of bans, deletions and ended sessions, and the closing of the sockets concerned (rules W3 and W6).
 */
const CREDENTIAL_ENDED = 4401;
/** Milliseconds between a message and the closing, less the inaccuracy of timers. */
const FAREWELL = 4_950;
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const open = (token: string, host = server) => Client.open(host, { token });

/** Subscribes to the account messages of all users. */
const watchAll = async (host = server) => (await open(await host.admin(), host)).subscribe("admin:accounts");

/** The messages about one user among those of a watcher of all accounts. */
const about = (messages: Message[], { id }: { id: string }) => messages.filter(({ userId }) => userId === id);

/** Expects that the client heard this message, hears nothing more, and is closed five seconds after it. */
async function expectFarewell(client: Client, message: object, startedAt: number): Promise<void> {
  expect(await client.next()).toEqual(message);
  const ended = { type: "error", message: expect.stringContaining("ended") };
  expect(await client.ask({ type: "ping" })).toEqual(ended);
  for (const channel of ["public", "gps", "admin:accounts"])
    expect(await client.ask({ type: "subscribe", channel })).toEqual(ended);
  expect((await client.closed).code).toBe(CREDENTIAL_ENDED);
  expect(performance.now() - startedAt).toBeGreaterThan(FAREWELL);
  await expect(client.next()).rejects.toThrow(String(CREDENTIAL_ENDED));
}

/** Expects that the client is closed without having heard anything. */
async function expectClosedAtOnce(client: Client, startedAt: number): Promise<void> {
  expect((await client.closed).code).toBe(CREDENTIAL_ENDED);
  expect(performance.now() - startedAt).toBeLessThan(FAREWELL);
  await expect(client.next()).rejects.toThrow(String(CREDENTIAL_ENDED));
}

/** Expects that the client heard these messages and is still open. */
async function expectHeard(client: Client, ...messages: object[]): Promise<void> {
  expect(await client.heard()).toEqual(messages);
  await client.close();
}

/** All connections that an account's end concerns: the user's own, and somebody else's. */
async function connections(user: User, host = server) {
  const second = done(await signIn(host, user)).session_token;
  const { key } = await createKey(host, user.token, ["gps:read"]);
  const other = await newUser(host);
  // A channel that carries only this test's messages.
  const device = await host.device();
  const [one, two, left, byKey, bystander, watcher] = [
    await (await open(user.token, host)).subscribe(`gps:${device.id}`),
    await open(second, host),
    await open(second, host),
    await Client.open(host, { bearer: key }),
    await (await open(other.token, host)).subscribe("public"),
    await watchAll(host),
  ];
  await left.ask({ type: "unsubscribe", channel: `user:${user.id}` });
  return { told: [one, two], untold: [left, byKey], bystander, watcher, device };
}

/** Ends an account and expects the messages of every connection. */
async function expectAccountEnd(
  user: User,
  message: object,
  end: () => Promise<Answer>,
  host = server,
): Promise<void> {
  const { told, untold, bystander, watcher, device } = await connections(user, host);
  const startedAt = performance.now();
  done(await end());
  // A connection still subscribed to the device's channel would hear this.
  done(await host.post("/v1/gps", { token: device.key, body: fix() }));
  await Promise.all([
    ...told.map((client) => expectFarewell(client, message, startedAt)),
    ...untold.map((client) => expectClosedAtOnce(client, startedAt)),
  ]);
  expect(about(await watcher.heard(), user)).toEqual([message]);
  await watcher.close();
  await expectHeard(bystander);
}

const ban = (user: User, body: object) => server.post(`/v1/users/${user.id}/ban`, { token: admin, body });

describe("accountBanned", () => {
  test.concurrent("tells of a ban for good, and closes five seconds later; keys' sockets are closed at once", async () => {
    const user = await newUser(server, "role_admin");
    const message = {
      type: "accountBanned",
      userId: user.id,
      reason: null,
      expiresAt: null,
      isPermanent: true,
      timestamp: ISO,
    };
    await expectAccountEnd(user, message, () => ban(user, {}));
  });

  test.concurrent("tells reason and end of a ban for a time", async () => {
    const user = await newUser(server);
    const client = await open(user.token);
    const { data } = done(await ban(user, { reason: "Repeated spam", duration_seconds: 3_600 }));
    expect(await client.next()).toEqual({
      type: "accountBanned",
      userId: user.id,
      reason: "Repeated spam",
      expiresAt: data.expires_at,
      isPermanent: false,
      timestamp: ISO,
    });
    // A client is expected to close by itself.
    await client.close();
  });

  test.concurrent("of somebody on both channels arrives twice", async () => {
    const user = await newUser(server, "role_admin");
    const client = await (await open(user.token)).subscribe("admin:accounts");
    done(await ban(user, { reason: "twice" }));
    // The channel of all accounts carries the messages of other tests as well.
    const heard = [];
    while (heard.length < 2) heard.push(...about([await client.next()], user));
    expect(heard[0]).toMatchObject({ type: "accountBanned", reason: "twice" });
    expect(heard[1]).toEqual(heard[0]);
    await client.close();
  });

  test.concurrent("is not sent for a ban that is refused or ended", async () => {
    const user = await newUser(server, "role_admin");
    const client = await open(user.token);
    expect((await server.post(`/v1/users/${user.id}/ban`, { token: user.token, body: {} })).status).toBe(409);
    expect((await ban(user, { duration_seconds: 0 })).status).toBe(400);
    await expectHeard(client);

    done(await ban(user, {}));
    const watcher = await watchAll();
    done(await server.delete(`/v1/users/${user.id}/ban`, { token: admin }));
    expect(about(await watcher.heard(), user)).toEqual([]);
    await watcher.close();
  });
});

describe("accountDeleted", () => {
  const message = (user: User, reason: unknown) => ({
    type: "accountDeleted",
    userId: user.id,
    reason,
    timestamp: ISO,
  });

  test.concurrent("tells of a soft deletion", async () => {
    const user = await newUser(server, "role_admin");
    await expectAccountEnd(user, message(user, expect.stringMatching(/./)), () =>
      server.delete(`/v1/users/${user.id}`, { token: admin }),
    );
  });

  test.concurrent("tells of a forced deletion, with its reason", async () => {
    const user = await newUser(server, "role_admin");
    await expectAccountEnd(user, message(user, "Requested by letter"), () =>
      server.post(`/v1/admin/users/${user.id}/force-delete`, {
        token: admin,
        body: { reason: "Requested by letter" },
      }),
    );
  });

  test.concurrent("tells of a deletion at the end of its grace period", async () => {
    const aging = await TestServer.start({ clock: "movable" });
    try {
      const user = await newUser(aging, "role_admin");
      const { token, password } = user;
      done(await aging.post("/v1/users/me/deletion", { token, body: { password } }));
      // The job comes every ten seconds: until then nobody hears anything, and then the user does.
      const { told, untold, bystander, watcher } = await connections(user, aging);
      const startedAt = performance.now();
      await aging.advance(7 * DAY + 60_000);
      await Promise.all([
        ...told.map((client) => expectFarewell(client, message(user, "scheduled deletion"), startedAt)),
        ...untold.map(async (client) => expect((await client.closed).code).toBe(CREDENTIAL_ENDED)),
      ]);
      expect(about(await watcher.heard(), user)).toEqual([message(user, "scheduled deletion")]);
      await expectHeard(bystander);
    } finally {
      await aging.stop();
    }
  });
});

describe("sessionRevoked", () => {
  const message = (user: User, sessionId: string, reason: unknown = expect.stringMatching(/./)) => ({
    type: "sessionRevoked",
    userId: user.id,
    sessionId,
    reason,
    timestamp: ISO,
  });

  /** A user signed in twice, here and elsewhere, with a socket each, and a watcher. */
  async function signedInTwice() {
    const user = await newUser(server);
    const elsewhere = done(await signIn(server, user));
    const stranger = await newUser(server);
    return {
      user,
      elsewhere,
      here: await open(user.token),
      there: await open(elsewhere.session_token),
      bystander: await open(stranger.token),
      watcher: await watchAll(),
    };
  }

  /**
   * Expects that the other session's socket is told and closed, and that the own one is told and stays open.
   */
  async function expectRevoked(
    { user, elsewhere, here, there, bystander, watcher }: Awaited<ReturnType<typeof signedInTwice>>,
    reason: unknown,
    revoke: () => Promise<Answer>,
  ): Promise<void> {
    const startedAt = performance.now();
    done(await revoke());
    const told = message(user, elsewhere.session_id, reason);
    await expectFarewell(there, told, startedAt);
    await expectHeard(here, told);
    expect(about(await watcher.heard(), user)).toEqual([told]);
    await watcher.close();
    await expectHeard(bystander);
  }

  test.concurrent("tells all connections of the user of a session that was revoked; only its own are closed", async () => {
    const setting = await signedInTwice();
    await expectRevoked(setting, expect.stringMatching(/./), () =>
      server.delete(`/v1/users/me/sessions/${setting.elsewhere.session_id}`, { token: setting.user.token }),
    );
  });

  test.concurrent("tells of each session when all others are revoked", async () => {
    const { user, elsewhere, here, there, bystander, watcher } = await signedInTwice();
    const third = done(await signIn(server, user));
    const startedAt = performance.now();
    const { revoked_count } = done(await server.delete("/v1/users/me/sessions", { token: user.token }));
    expect(revoked_count).toBe(2);
    const both = [elsewhere, third].map(({ session_id }) => message(user, session_id));
    const sorted = (messages: Message[]) =>
      messages.toSorted((a, b) => a.sessionId.localeCompare(b.sessionId));
    expect(sorted(await here.heard())).toEqual(sorted(both));
    expect(sorted(about(await watcher.heard(), user))).toEqual(sorted(both));
    // It may hear of the third session before or after its own, and then nothing more.
    expect((await there.closed).code).toBe(CREDENTIAL_ENDED);
    expect(performance.now() - startedAt).toBeGreaterThan(FAREWELL);
    expect((await there.next()).type).toBe("sessionRevoked");
    await expectHeard(bystander);
    for (const client of [here, watcher]) await client.close();
  });

  for (const reason of ["revoked", "no_access"])
    test.concurrent(`tells of a session that a service ended with reason ${reason}`, async () => {
      const setting = await signedInTwice();
      await expectRevoked(setting, reason, () =>
        server.delete(`/v1/sessions/${setting.elsewhere.session_token}?reason=${reason}`, {
          token: server.systemKey,
        }),
      );
    });

  for (const query of ["", "?reason=user_initiated", "?reason=token_deleted", "?reason=session_expired"])
    test.concurrent(`is not sent for one that a service ended with ${query || "no reason"}: it is closed at once`, async () => {
      const { elsewhere, here, there, watcher, user } = await signedInTwice();
      const startedAt = performance.now();
      const path = `/v1/sessions/${elsewhere.session_token}${query}`;
      done(await server.delete(path, { token: server.systemKey }));
      await expectClosedAtOnce(there, startedAt);
      await expectHeard(here);
      expect(about(await watcher.heard(), user)).toEqual([]);
      await watcher.close();
    });

  test.concurrent("is not sent at sign-out: the session's sockets are closed at once, the others hear nothing", async () => {
    const { user, elsewhere, here, there, watcher } = await signedInTwice();
    const startedAt = performance.now();
    done(await server.post("/v1/auth/logout", { token: elsewhere.session_token }));
    await expectClosedAtOnce(there, startedAt);
    await expectHeard(here);
    expect(about(await watcher.heard(), user)).toEqual([]);
    await watcher.close();
  });

  test.concurrent("doesn't reach a socket that left the user's channel: revoked, it is closed at once", async () => {
    const { user, elsewhere, there } = await signedInTwice();
    await there.ask({ type: "unsubscribe", channel: `user:${user.id}` });
    const startedAt = performance.now();
    const path = `/v1/users/me/sessions/${elsewhere.session_id}`;
    done(await server.delete(path, { token: user.token }));
    await expectClosedAtOnce(there, startedAt);
  });
});

describe("forceLogout", () => {
  test.concurrent("tells all sessions of a password reset, and closes them five seconds later", async () => {
    const user = await newUser(server, "role_admin");
    const { key } = await createKey(server, user.token, ["gps:read"]);
    const other = await newUser(server);
    const second = done(await signIn(server, user)).session_token;
    const sessions = [await open(user.token), await open(second)];
    const [byKey, bystander, watcher] = [
      await Client.open(server, { bearer: key }),
      await open(other.token),
      await watchAll(),
    ];
    done(await server.post("/v1/auth/reset-password", { body: { email: user.email } }));
    const { token } = await nextMail(server, user.email, "password_reset");
    const startedAt = performance.now();
    const body = { token, new_password: "another long password" };
    done(await server.post("/v1/auth/reset-password/complete", { body }));
    const message = {
      type: "forceLogout",
      userId: user.id,
      reason: expect.stringMatching(/./),
      timestamp: ISO,
    };
    await Promise.all(sessions.map((client) => expectFarewell(client, message, startedAt)));
    expect(about(await watcher.heard(), user)).toEqual([message]);
    await watcher.close();
    // A key is not a session: it goes on.
    await expectHeard(byKey);
    await expectHeard(bystander);
  });
});
