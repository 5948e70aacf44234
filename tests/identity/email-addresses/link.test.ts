import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, isAccepted, signsIn } from "../../support/credentials";
import { eventsOf } from "../../support/events";
import { expectInvalid, expectKept, expectRefused, UNKNOWN } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import {
  type ExternalUser,
  externalLogin,
  externalUser,
  freshEmail,
  newUser,
  readUser,
  signInExternally,
  staff,
  upsert,
} from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { HOUR } from "../../support/time";
import { accountsOf, accountsState } from "../accounts/support";

/** Linking an email address to an account without one (rules C2, C5, C7 and A2). */
const VERIFY = "/v1/users/email-link/verify";
const PASSWORD = "nine tides a day";

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const pathOf = (id: string, rest: string) => `/v1/users/${id}/email-link/${rest}`;
const request = (id: string, body: object, token: Token) =>
  server.post(pathOf(id, "request"), { token, body });
const verify = (token: unknown, credential: Token) =>
  server.post(VERIFY, { token: credential, body: { token } });
const pending = async (id: string) => (await server.get(pathOf(id, "pending"), { token: admin })).body;
const cancel = (id: string, token: Token) => server.delete(pathOf(id, "pending"), { token });
const NOTHING = { pending: false, email: null, expires_at: null };

/** Requests a link to the own account; returns the address and the token that was sent to it. */
async function asked(user: ExternalUser, email = freshEmail(), password = PASSWORD) {
  const { status, body } = await request(user.id, { email, password }, user.token);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return { email, token: (await newestMail(server, email)).token };
}

const everything = () => ({
  ...accountsState(server),
  pending: rows(server, "SELECT * FROM verifications ORDER BY id"),
  passwords: rows(server, "SELECT * FROM passwords ORDER BY user_id"),
  queued: rows(server, "SELECT id FROM outbox WHERE lane = 'email' ORDER BY id"),
});

describe("POST /v1/users/{id}/email-link/request", () => {
  test("sends a link to the address, valid for 24 hours, and links nothing yet", async () => {
    const user = await externalUser(server);
    const asking = Date.now();
    const { status, body } = await request(
      user.id,
      { email: "Queequeg@Pequod.example", password: PASSWORD },
      user.token,
    );
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["expires_at", "message"]);
    expect(Date.parse(body.expires_at)).toBeGreaterThanOrEqual(asking + 24 * HOUR);
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now() + 24 * HOUR);
    const email = await newestMail(server, "queequeg@pequod.example");
    expect(email.kind).toBe("email_link");
    expect(email.link).toContain(email.token);
    const withToken = expect.stringContaining(email.token);
    expect(email).toMatchObject({ text: withToken, html: withToken });
    expect(JSON.stringify(email)).not.toContain(PASSWORD);
    expect(await pending(user.id)).toEqual({
      pending: true,
      email: "queequeg@pequod.example",
      expires_at: body.expires_at,
    });
    expect(await accountsOf(server, user.id)).toHaveLength(1);
    expect(await signsIn(server, "queequeg@pequod.example", PASSWORD)).toBe(false);
    expect(await signsIn(server, user.username, PASSWORD)).toBe(false);
  });

  test("keeps the password as a hash and the token as well", async () => {
    const user = await externalUser(server);
    const password = "an unmistakable passphrase";
    const { email, token } = await asked(user, freshEmail(), password);
    expect(filesWith(server, password)).toEqual([]);
    expect(filesWith(server, token).filter((file) => !file.includes("outbox"))).toEqual([]);
    expect(filesWith(server, email).filter((file) => !file.includes("outbox"))).not.toEqual([]);
  });

  test.each([
    ["a password of 7 characters", { email: "a@example.net", password: "1234567" }, "/password"],
    ["a password of 129 characters", { email: "a@example.net", password: "x".repeat(129) }, "/password"],
    ["no password", { email: "a@example.net" }, "/password"],
    ["an address that is none", { email: "a@", password: PASSWORD }, "/email"],
    ["no address", { password: PASSWORD }, "/email"],
  ])("refuses %s", async (_, body, path) => {
    const user = await externalUser(server);
    await expectKept(everything, async () => expectInvalid(await request(user.id, body, user.token), path));
  });

  test("refuses an address in use, in any case and by another platform too", async () => {
    const [user, other] = [await externalUser(server), await externalUser(server)];
    await expectKept(everything, async () => {
      for (const email of [ADMIN.email, ADMIN.email.toUpperCase(), other.email])
        expectRefused(await request(user.id, { email, password: PASSWORD }, user.token), 409, "Conflict");
    });
  });

  test("takes the address that the user is known by elsewhere", async () => {
    const user = await externalUser(server);
    const { token } = await asked(user, user.email);
    expect((await verify(token, user.token)).status).toBe(200);
    expect(await signsIn(server, user.email, PASSWORD)).toBe(true);
  });

  test("refuses an account that has an address to sign in with", async () => {
    const user = await newUser(server);
    await expectKept(everything, async () => {
      const body = { email: freshEmail(), password: PASSWORD };
      expectRefused(await request(user.id, body, user.token), 409, "Conflict");
    });
    expect(await signsIn(server, user.email, user.password)).toBe(true);
  });

  test("answers 404 to an unknown and to a deleted user, 400 to a malformed identifier", async () => {
    const user = await externalUser(server);
    expect((await server.delete(`/v1/users/${user.id}`, { token: admin })).status).toBe(204);
    await expectKept(everything, async () => {
      const body = { email: freshEmail(), password: PASSWORD };
      for (const id of [user.id, UNKNOWN]) expectRefused(await request(id, body, admin), 404, "NotFound");
      expectInvalid(await request("not-me", body, admin), "/id");
    });
  });

  test("replaces an earlier request, its password too", async () => {
    const user = await externalUser(server);
    const email = freshEmail();
    const first = await asked(user, email, "the first passphrase");
    const second = await asked(user, email, "the second passphrase");
    expectRefused(await verify(first.token, user.token), 400, "BadRequest");
    expect((await verify(second.token, user.token)).status).toBe(200);
    expect(await signsIn(server, email, "the first passphrase")).toBe(false);
    expect(await signsIn(server, email, "the second passphrase")).toBe(true);
  });

  test("by an administrator works for the user", async () => {
    const user = await externalUser(server);
    const clerk = await staff(server, "users:write");
    const email = freshEmail();
    expect((await request(user.id, { email, password: PASSWORD }, clerk.token)).status).toBe(200);
    expect((await verify((await newestMail(server, email)).token, user.token)).status).toBe(200);
    expect(await signsIn(server, email, PASSWORD)).toBe(true);
  });

  test("counts against the limit of verification emails", async () => {
    const limited = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
    try {
      const token = limited.systemKey;
      const { id } = await signInExternally(limited, externalLogin());
      const body = { email: freshEmail(), password: PASSWORD };
      const { headers } = await limited.post(pathOf(id, "request"), { token, body });
      expect(headers.get("ratelimit-limit")).toBe("30");
      expect(headers.get("ratelimit-remaining")).toBe("29");
    } finally {
      await limited.stop();
    }
  });
});

describe("POST /v1/users/email-link/verify", () => {
  test("links the address: it and the username sign in with the password", async () => {
    const user = await externalUser(server);
    const before = await readUser(server, user.id);
    const { email, token } = await asked(user);
    const socket = await Client.open(server, { token: user.token });
    const { status, body } = await verify(token, user.token);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["message", "platform_account_id"]);
    const accounts = await accountsOf(server, user.id);
    expect(accounts).toHaveLength(2);
    expect(accounts.find(({ id }: { id: string }) => id === body.platform_account_id)).toMatchObject({
      platform_slug: "email",
      platform_user_id: email,
      email,
      is_oauth: false,
      is_primary: false,
    });
    const { primary_platform_account_id } = await readUser(server, user.id);
    expect(primary_platform_account_id).toBe(before.primary_platform_account_id);
    expect(await signsIn(server, email.toUpperCase(), PASSWORD)).toBe(true);
    expect(await signsIn(server, user.username, PASSWORD)).toBe(true);
    expect(await isAccepted(server, user.token)).toBe(true);
    expect(await pending(user.id)).toEqual(NOTHING);
    expect(await socket.next()).toEqual({
      type: "emailLinkVerified",
      userId: user.id,
      email,
      platformAccountId: body.platform_account_id,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await socket.close();
    const events = eventsOf(server, user.id, "account_linked");
    expect(events).toMatchObject([
      {
        actor_id: null,
        resource_type: "platform_account",
        resource_id: body.platform_account_id,
        metadata: { platform: "email" },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(email);
  });

  test("leaves the way in through the other platform", async () => {
    const user = await externalUser(server);
    await verify((await asked(user)).token, user.token);
    const again = externalLogin({ oauthProviderId: user.providerId, email: user.email });
    expect((await upsert(server, again)).body.data.id).toBe(user.id);
  });

  test("lets the address be changed and the password be reset from then on", async () => {
    const user = await externalUser(server);
    const { email, token } = await asked(user);
    await verify(token, user.token);
    await server.post("/v1/auth/reset-password", { body: { email } });
    const reset = await newestMail(server, email);
    const body = { token: reset.token, new_password: "a fresh passphrase" };
    expect((await server.post("/v1/auth/reset-password/complete", { body })).status).toBe(200);
    expect(await signsIn(server, email, "a fresh passphrase")).toBe(true);
    const change = { token: admin, body: { email: freshEmail() } };
    expect((await server.post(`/v1/users/${user.id}/email/request-change`, change)).status).toBe(200);
  });

  test("takes a token once", async () => {
    const user = await externalUser(server);
    const { token } = await asked(user);
    expect((await verify(token, user.token)).status).toBe(200);
    await expectKept(everything, async () =>
      expectRefused(await verify(token, user.token), 400, "BadRequest"),
    );
  });

  test("of parallel verifications with one token lets one succeed", async () => {
    const user = await externalUser(server);
    const { token } = await asked(user);
    const answers = await Promise.all([
      verify(token, user.token),
      server.post("/v1/auth/verify-email", { body: { token } }),
      verify(token, user.token),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await accountsOf(server, user.id)).toHaveLength(2);
    expect(eventsOf(server, user.id, "account_linked")).toHaveLength(1);
  });

  test("refuses somebody else's token, which works on for its owner", async () => {
    const [user, thief] = [await externalUser(server), await externalUser(server)];
    const { token } = await asked(user);
    const key = await commandLineKey(server, { owner: thief.username });
    await expectKept(everything, async () => {
      for (const credential of [thief.token, key.key])
        expectRefused(await verify(token, credential), 400, "BadRequest");
    });
    expect((await verify(token, user.token)).status).toBe(200);
  });

  test("takes anybody's token from who holds users:write", async () => {
    const user = await externalUser(server);
    const { email, token } = await asked(user);
    expect((await verify(token, await server.key("users:write"))).status).toBe(200);
    expect(await signsIn(server, email, PASSWORD)).toBe(true);
    const { id } = (await server.get("/v1/users/me", { token: admin })).body.data;
    expect(eventsOf(server, user.id, "account_linked")).toMatchObject([{ actor_id: id }]);
  });

  test.each([
    ["a token of nobody's", "x".repeat(43), "BadRequest"],
    ["an empty token", "", "ValidationError"],
    ["no token", undefined, "ValidationError"],
  ])("refuses %s", async (_, token, error) => {
    await expectKept(everything, async () => expectRefused(await verify(token, admin), 400, error));
  });

  test("refuses the token of another purpose", async () => {
    const user = await newUser(server);
    const email = freshEmail();
    const path = `/v1/users/${user.id}/email/request-change`;
    expect((await server.post(path, { token: user.token, body: { email } })).status).toBe(200);
    const { token } = await newestMail(server, email);
    await expectKept(everything, async () => {
      for (const credential of [user.token, admin])
        expectRefused(await verify(token, credential), 400, "BadRequest");
    });
  });

  test("gives an address that two want at once to one of them", async () => {
    const people = [await externalUser(server), await externalUser(server)];
    const email = freshEmail();
    const tokens: string[] = [];
    for (const person of people) tokens.push((await asked(person, email)).token);
    const answers = await Promise.all(people.map((person, at) => verify(tokens[at], person.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const [at, person] of people.entries())
      expect(await accountsOf(server, person.id)).toHaveLength(answers[at]?.status === 200 ? 2 : 1);
  });

  test("refuses an address that somebody was known by meanwhile", async () => {
    const user = await externalUser(server);
    const { email, token } = await asked(user);
    await externalUser(server, { email });
    await expectKept(everything, async () => expectRefused(await verify(token, user.token), 409, "Conflict"));
    expect(await accountsOf(server, user.id)).toHaveLength(1);
  });

  test("needs a credential", async () => {
    const { token } = await asked(await externalUser(server));
    await expectKept(everything, async () =>
      expectRefused(await server.post(VERIFY, { body: { token } }), 401, "Unauthorized"),
    );
  });

  test("the link of the email works without signing in", async () => {
    const user = await externalUser(server);
    const { email, token } = await asked(user);
    const { status, body } = await server.post("/v1/auth/verify-email", { body: { token } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, verification_type: "email_link", user_id: user.id });
    expect(await signsIn(server, email, PASSWORD)).toBe(true);
  });
});

describe("the pending link", () => {
  test("is none at first", async () => {
    const user = await externalUser(server);
    expect(await pending(user.id)).toEqual(NOTHING);
    expectRefused(await server.get(pathOf(UNKNOWN, "pending"), { token: admin }), 404, "NotFound");
  });

  test("is taken back by DELETE, and its token works no longer", async () => {
    const user = await externalUser(server);
    const { email, token } = await asked(user);
    const { status, body } = await cancel(user.id, user.token);
    expect(status).toBe(200);
    expect(body).toEqual({ message: expect.any(String) });
    expect(await pending(user.id)).toEqual(NOTHING);
    await expectKept(everything, async () => {
      expectRefused(await verify(token, user.token), 400, "BadRequest");
      expectRefused(await server.post("/v1/auth/verify-email", { body: { token } }), 400, "BadRequest");
    });
    expect(await signsIn(server, email, PASSWORD)).toBe(false);
  });

  test("can't be taken back when there is none", async () => {
    const user = await externalUser(server);
    await expectKept(everything, async () => {
      expectRefused(await cancel(user.id, user.token), 404, "NotFound");
      expectRefused(await cancel(UNKNOWN, admin), 404, "NotFound");
    });
  });

  test("ends after 24 hours", async () => {
    const timed = await TestServer.start({ clock: "movable" });
    try {
      const token = timed.systemKey;
      const link = async (email: string) => {
        const { id } = await signInExternally(timed, externalLogin());
        await timed.post(pathOf(id, "request"), { token, body: { email, password: PASSWORD } });
        return { id, token: (await newestMail(timed, email)).token };
      };
      const inTime = await link("in-time@example.net");
      await timed.advance(24 * HOUR - 60_000);
      expect((await timed.post(VERIFY, { token, body: { token: inTime.token } })).status).toBe(200);
      const late = await link("late@example.net");
      await timed.advance(24 * HOUR);
      expectRefused(await timed.post(VERIFY, { token, body: { token: late.token } }), 400, "BadRequest");
      expect((await timed.get(pathOf(late.id, "pending"), { token })).body).toEqual(NOTHING);
      expectRefused(await timed.delete(pathOf(late.id, "pending"), { token }), 404, "NotFound");
      expect(await signsIn(timed, "in-time@example.net", PASSWORD)).toBe(true);
      expect(await signsIn(timed, "late@example.net", PASSWORD)).toBe(false);
    } finally {
      await timed.stop();
    }
  });
});
