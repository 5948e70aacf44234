import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey, signsIn } from "../../support/credentials";
import { changesOf, eventsOf } from "../../support/events";
import { expectInvalid, expectKept, expectRefused, UNKNOWN } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import { externalUser, freshEmail, newUser, readUser, staff, type User } from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { HOUR } from "../../support/time";
import { accountsOf, accountsState } from "../accounts/support";

/** Changes of the own email address (rules A7, A2, C5 to C7 and H10). */
const VERIFY = "/v1/users/email/verify";

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const pathOf = (id: string, rest = "") => `/v1/users/${id}/email/${rest}`;
const request = (id: string, email: unknown, token: Token, headers: Record<string, string> = {}) =>
  server.post(pathOf(id, "request-change"), { token, body: { email }, headers });
const verify = (token: unknown, credential: Token) =>
  server.post(VERIFY, { token: credential, body: { token } });
const pending = async (id: string) => (await server.get(pathOf(id, "pending"), { token: admin })).body;
const cancel = (id: string, token: Token) => server.delete(pathOf(id, "pending"), { token });
const addressOf = async (id: string) => (await accountsOf(server, id))[0].email;
const NOTHING = { pending: false, new_email: null, expires_at: null };

/** Requests a change of the own address; returns the new address and the token that was sent to it. */
async function asked(user: User, email = freshEmail()): Promise<{ email: string; token: string }> {
  const { status, body } = await request(user.id, email, user.token);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return { email, token: (await newestMail(server, email)).token };
}

const everything = () => ({
  ...accountsState(server),
  pending: rows(server, "SELECT * FROM verifications ORDER BY id"),
  queued: rows(server, "SELECT id FROM outbox WHERE lane = 'email' ORDER BY id"),
});

describe("POST /v1/users/{id}/email/request-change", () => {
  test("sends a link to the new address, valid for 24 hours, and changes nothing yet", async () => {
    const user = await newUser(server);
    const before = [await readUser(server, user.id), await accountsOf(server, user.id)];
    const asking = Date.now();
    const { status, headers, body } = await request(user.id, "Ahab@Pequod.example", user.token);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(body).sort()).toEqual(["expires_at", "message"]);
    expect(Date.parse(body.expires_at)).toBeGreaterThanOrEqual(asking + 24 * HOUR);
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now() + 24 * HOUR);

    const email = await newestMail(server, "ahab@pequod.example");
    expect(email).toMatchObject({ kind: "email_change", locale: "en" });
    expect(email.token.length).toBeGreaterThanOrEqual(32);
    expect(email.link).toContain(email.token);
    const withToken = expect.stringContaining(email.token);
    expect(email).toMatchObject({ text: withToken, html: withToken });
    const toOldAddress = await mailsTo(server, user.email);
    expect(toOldAddress.map(({ kind }) => kind)).toEqual(["registration", "email_change_requested"]);
    expect(toOldAddress.some(({ text }) => text.includes(email.token))).toBe(false);
    expect(JSON.stringify(body)).not.toContain(email.token);

    expect([await readUser(server, user.id), await accountsOf(server, user.id)]).toEqual(before);
    expect(await pending(user.id)).toEqual({
      pending: true,
      new_email: "ahab@pequod.example",
      expires_at: body.expires_at,
    });
    expect(await signsIn(server, user.email, user.password)).toBe(true);
    expect(await signsIn(server, "ahab@pequod.example", user.password)).toBe(false);
  });

  test("speaks the user's language: the chosen one, else the one of the user's own browser", async () => {
    const user = await newUser(server);
    const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
    const sent = async (token: Token, headers = german) => {
      const email = freshEmail();
      expect((await request(user.id, email, token, headers)).status).toBe(200);
      return (await newestMail(server, email)).locale;
    };
    expect(await sent(user.token)).toBe("de");
    // The administrator's browser says nothing about the user's language.
    expect(await sent(admin)).toBe("en");
    await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: { locale: "de" } });
    expect(await sent(admin, { "accept-language": "en" })).toBe("de");
  });

  test("keeps the token as a hash, and the message not at all once it is delivered", async () => {
    const { email, token } = await asked(await newUser(server));
    const outside = filesWith(server, token).filter((file) => !file.includes("outbox"));
    expect(outside).toEqual([]);
    // The address is stored, so that the search can find it.
    expect(filesWith(server, email).filter((file) => !file.includes("outbox"))).not.toEqual([]);
  });

  test.each([
    ["an address that is none", "captain"],
    ["an address without a domain", "captain@"],
    ["two addresses", "a@example.org,b@example.org"],
    ["an address with a line break", "a@example.org\nBcc: b@example.org"],
    ["an empty address", ""],
    ["no address", undefined],
    ["null", null],
    ["an address that is too long", `${"a".repeat(64)}@${"b".repeat(190)}.org`],
  ])("refuses %s", async (_, email) => {
    const { id } = (await server.get("/v1/users/me", { token: admin })).body.data;
    await expectKept(everything, async () => expectInvalid(await request(id, email, admin), "/email"));
  });

  test("refuses an account that was not created with an email address", async () => {
    const { id, token } = await externalUser(server);
    await expectKept(everything, async () =>
      expectRefused(await request(id, freshEmail(), token), 400, "BadRequest"),
    );
  });

  test("refuses an address in use, in any case and by another platform too, and the present one", async () => {
    const user = await newUser(server);
    const external = await externalUser(server);
    await expectKept(everything, async () => {
      for (const email of [ADMIN.email, ADMIN.email.toUpperCase(), external.email, user.email])
        expectRefused(await request(user.id, email, user.token), 409, "Conflict");
    });
  });

  test("answers 404 to an unknown and to a deleted user, 400 to a malformed identifier", async () => {
    const { id } = await newUser(server);
    expect((await server.delete(`/v1/users/${id}`, { token: admin })).status).toBe(204);
    await expectKept(everything, async () => {
      for (const which of [id, UNKNOWN])
        expectRefused(await request(which, freshEmail(), admin), 404, "NotFound");
      expectInvalid(await request("not-me", freshEmail(), admin), "/id");
    });
  });

  test("replaces an earlier request, whose token works no longer", async () => {
    const user = await newUser(server);
    const first = await asked(user);
    const second = await asked(user);
    expect(await pending(user.id)).toMatchObject({ pending: true, new_email: second.email });
    expectRefused(await verify(first.token, user.token), 400, "BadRequest");
    expect(await addressOf(user.id)).toBe(user.email);
    expect((await verify(second.token, user.token)).status).toBe(200);
    expect(await addressOf(user.id)).toBe(second.email);
  });

  test("of two requests at once leaves one token that works", async () => {
    const user = await newUser(server);
    const emails = [freshEmail(), freshEmail()];
    const answers = await Promise.all(emails.map((email) => request(user.id, email, user.token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const tokens = [];
    for (const email of emails) tokens.push((await newestMail(server, email)).token);
    const { new_email } = await pending(user.id);
    const statuses = [];
    for (const token of tokens) statuses.push((await verify(token, user.token)).status);
    expect(statuses.sort()).toEqual([200, 400]);
    expect(await addressOf(user.id)).toBe(new_email);
  });

  test("sends at most 30 emails an hour for one user, in whatever sessions and by whatever route", async () => {
    const limited = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
    try {
      const bystander = await newUser(limited);
      const person = await newUser(limited);
      const { id } = person;
      const external = await externalUser(limited);
      const again = await limited.login(person.username, person.password);
      const boss = await limited.login(ADMIN.username, ADMIN.password);
      const change = (token: Token, email = freshEmail()) =>
        limited.post(pathOf(id, "request-change"), { token, body: { email } });
      const patch = (token: Token) =>
        limited.patch(`/v1/users/${id}`, { token, body: { email: freshEmail() } });
      const link = (token: Token) =>
        limited.post(`/v1/users/${external.id}/email-link/request`, {
          token,
          body: { email: freshEmail(), password: "a long passphrase" },
        });

      /**
       * Makes 30 requests, by each way in turn; expects that one more gets 429 by each of them, and sends
       * nothing.
       */
      const exhaust = async (ways: (() => Promise<Answer>)[]) => {
        const inTurn = Array.from({ length: 30 / ways.length }, () => ways).flat();
        for (const [sent, way] of inTurn.entries()) {
          const { status, headers } = await way();
          const limit = [headers.get("ratelimit-limit"), headers.get("ratelimit-remaining")];
          expect([status, ...limit]).toEqual([200, "30", String(29 - sent)]);
        }
        expect(inTurn).toHaveLength(30);
        const left = () => [
          rows(limited, "SELECT id FROM outbox WHERE lane = 'email' ORDER BY id"),
          rows(limited, "SELECT * FROM verifications ORDER BY id"),
          rows(limited, "SELECT * FROM platform_accounts ORDER BY id"),
        ];
        await mailsTo(limited, person.email);
        const before = left();
        for (const way of ways) {
          const refused = await way();
          expectRefused(refused, 429, "TooManyRequests");
          expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        }
        expect(left()).toEqual(before);
      };
      const sessions = [person.token, again.session_token];
      // A PATCH of the own address needs no users:write, and starts the verified change.
      await exhaust([...sessions.map((token) => () => change(token)), () => patch(person.token)]);
      // A request that sends no email isn't counted; nor does it count for others.
      const harmless = { token: person.token, body: { privacy_mode: true } };
      expect((await limited.patch(`/v1/users/${id}`, harmless)).status).toBe(200);
      await exhaust([() => change(boss.session_token), () => link(boss.session_token)]);
      // An address that takes effect at once gets no email, and neither does the present one.
      expect((await patch(boss.session_token)).status).toBe(200);
      const same = { token: bystander.token, body: { email: bystander.email } };
      // It counts as a write, and as no email.
      const { headers } = await limited.patch(`/v1/users/${bystander.id}`, same);
      expect(headers.get("ratelimit-limit")).toBe("600");
      // The system key serves everybody: the limit holds for each user.
      const served = await newUser(limited);
      const identityApp = (userId = served.id) =>
        limited.post(pathOf(userId, "request-change"), {
          token: limited.systemKey,
          body: { email: freshEmail() },
        });
      for (let sent = 0; sent < 30; sent++) expect((await identityApp()).status).toBe(200);
      expectRefused(await identityApp(), 429, "TooManyRequests");
      expect((await identityApp(bystander.id)).status).toBe(200);
      const { token } = bystander;
      const own = { token, body: { email: freshEmail() } };
      expect((await limited.post(pathOf(bystander.id, "request-change"), own)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describe("POST /v1/users/email/verify", () => {
  test("applies the change: the new address signs in, the old one no longer", async () => {
    const user = await newUser(server);
    const { email, token } = await asked(user);
    const socket = await Client.open(server, { token: user.token });
    const { status, body } = await verify(token, user.token);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    expect(await accountsOf(server, user.id)).toMatchObject([
      { platform_slug: "email", email, platform_user_id: email, is_primary: true },
    ]);
    expect(await signsIn(server, email, user.password)).toBe(true);
    expect(await signsIn(server, user.username, user.password)).toBe(true);
    expect(await signsIn(server, user.email, user.password)).toBe(false);
    expect(await pending(user.id)).toEqual(NOTHING);
    expect(await socket.next()).toEqual({
      type: "emailChangeVerified",
      userId: user.id,
      email,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await socket.close();
    expect(eventsOf(server, user.id, "user_updated")).toMatchObject(
      ["email_change_requested", "email"].map((changed) => ({
        ...{ actor_id: null, resource_type: "user", resource_id: user.id, metadata: { changed: [changed] } },
      })),
    );
    const { updated_at, created_at } = await readUser(server, user.id);
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(created_at));
  });

  test("frees the old address for somebody else", async () => {
    const [user, heir] = [await newUser(server), await newUser(server)];
    await verify((await asked(user)).token, user.token);
    expect((await verify((await asked(heir, user.email)).token, heir.token)).status).toBe(200);
    expect(await signsIn(server, user.email, heir.password)).toBe(true);
    expect(await signsIn(server, user.email, user.password)).toBe(false);
  });

  test("takes a token once", async () => {
    const user = await newUser(server);
    const { token } = await asked(user);
    expect((await verify(token, user.token)).status).toBe(200);
    await expectKept(everything, async () =>
      expectRefused(await verify(token, user.token), 400, "BadRequest"),
    );
  });

  test("of parallel verifications with one token lets one succeed", async () => {
    const user = await newUser(server);
    const { token } = await asked(user);
    const answers = await Promise.all([
      verify(token, user.token),
      server.post("/v1/auth/verify-email", { body: { token } }),
      verify(token, user.token),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(changesOf(server, user.id)).toEqual([["email_change_requested"], ["email"]]);
  });

  test("refuses somebody else's token, which works on for its owner", async () => {
    const [user, thief] = [await newUser(server), await newUser(server)];
    const { email, token } = await asked(user);
    const key = await commandLineKey(server, { owner: thief.username });
    await expectKept(everything, async () => {
      for (const credential of [thief.token, key.key])
        expectRefused(await verify(token, credential), 400, "BadRequest");
    });
    expect((await verify(token, user.token)).status).toBe(200);
    expect(await addressOf(user.id)).toBe(email);
  });

  test("takes anybody's token from who holds users:write", async () => {
    const user = await newUser(server);
    const clerk = await staff(server, "users:write");
    const { email, token } = await asked(user);
    expect((await verify(token, clerk.token)).status).toBe(200);
    expect(await addressOf(user.id)).toBe(email);
    expect(eventsOf(server, user.id, "user_updated")).toMatchObject([
      { actor_id: null },
      { actor_id: clerk.id },
    ]);
  });

  test.each([
    ["a token of nobody's", "x".repeat(43), 400, "BadRequest"],
    ["an empty token", "", 400, "ValidationError"],
    ["no token", undefined, 400, "ValidationError"],
    ["a number", 7, 400, "ValidationError"],
    ["a token that is too long", "x".repeat(5_000), 400, "ValidationError"],
  ])("refuses %s", async (_, token, status, error) => {
    await expectKept(everything, async () => expectRefused(await verify(token, admin), status, error));
  });

  test("refuses the token of another purpose", async () => {
    const external = await externalUser(server);
    const email = freshEmail();
    const body = { email, password: "a long passphrase" };
    const path = `/v1/users/${external.id}/email-link/request`;
    expect((await server.post(path, { token: external.token, body })).status).toBe(200);
    const { token } = await newestMail(server, email);
    await expectKept(everything, async () => {
      for (const credential of [external.token, admin])
        expectRefused(await verify(token, credential), 400, "BadRequest");
    });
  });

  test("refuses an address that was taken meanwhile", async () => {
    const [user, faster] = [await newUser(server), await newUser(server)];
    const { email, token } = await asked(user);
    const other = await asked(faster, email);
    expect((await verify(other.token, faster.token)).status).toBe(200);
    await expectKept(everything, async () => expectRefused(await verify(token, user.token), 409, "Conflict"));
    expect(await addressOf(user.id)).toBe(user.email);
  });

  test("gives an address that two want at once to one of them", async () => {
    const people = [await newUser(server), await newUser(server)];
    const email = freshEmail();
    const tokens: string[] = [];
    for (const person of people) tokens.push((await asked(person, email)).token);
    const answers = await Promise.all(people.map((person, at) => verify(tokens[at], person.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const [at, person] of people.entries())
      expect(await addressOf(person.id)).toBe(answers[at]?.status === 200 ? email : person.email);
  });

  test("needs a credential", async () => {
    const user = await newUser(server);
    const { token } = await asked(user);
    await expectKept(everything, async () =>
      expectRefused(await server.post(VERIFY, { body: { token } }), 401, "Unauthorized"),
    );
  });

  test("ends password resets that were sent to the old address", async () => {
    const user = await newUser(server);
    const { token } = await asked(user);
    await server.post("/v1/auth/reset-password", { body: { email: user.email } });
    const reset = await newestMail(server, user.email);
    expect(reset.kind).toBe("password_reset");
    expect((await verify(token, user.token)).status).toBe(200);
    const completion = { token: reset.token, new_password: "the thief's passphrase" };
    expectRefused(
      await server.post("/v1/auth/reset-password/complete", { body: completion }),
      400,
      "BadRequest",
    );
    expect(await signsIn(server, user.username, user.password)).toBe(true);
  });

  test("the link of the email works without signing in", async () => {
    const user = await newUser(server);
    const { email, token } = await asked(user);
    const { status, body } = await server.post("/v1/auth/verify-email", { body: { token } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, verification_type: "email_change", user_id: user.id });
    expect(await addressOf(user.id)).toBe(email);
  });
});

describe("the pending change", () => {
  test("is none at first, and for a deleted user", async () => {
    const user = await newUser(server);
    expect(await pending(user.id)).toEqual(NOTHING);
    await asked(user);
    expect((await server.delete(`/v1/users/${user.id}`, { token: admin })).status).toBe(204);
    expect(await pending(user.id)).toEqual(NOTHING);
    expectRefused(await server.get(pathOf(UNKNOWN, "pending"), { token: admin }), 404, "NotFound");
  });

  test("is taken back by DELETE, and its token works no longer", async () => {
    const user = await newUser(server);
    const { token } = await asked(user);
    const { status, body } = await cancel(user.id, user.token);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    expect(await pending(user.id)).toEqual(NOTHING);
    await expectKept(everything, async () => {
      expectRefused(await verify(token, user.token), 400, "BadRequest");
      expectRefused(await server.post("/v1/auth/verify-email", { body: { token } }), 400, "BadRequest");
    });
    expect(await addressOf(user.id)).toBe(user.email);
  });

  test("can't be taken back when there is none", async () => {
    const user = await newUser(server);
    await expectKept(everything, async () => {
      expectRefused(await cancel(user.id, user.token), 404, "NotFound");
      expectRefused(await cancel(UNKNOWN, admin), 404, "NotFound");
    });
  });

  test("ends with a change by an administrator, with the account and with a new password", async () => {
    const [moved, gone, careful] = [await newUser(server), await newUser(server), await newUser(server)];
    const tokens = [await asked(moved), await asked(gone), await asked(careful)].map(({ token }) => token);
    const email = freshEmail();
    await server.patch(`/v1/users/${moved.id}`, { token: admin, body: { email } });
    await server.delete(`/v1/users/${gone.id}`, { token: admin });
    const change = { current_password: careful.password, new_password: "a longer passphrase" };
    await server.post("/v1/users/me/password", { token: careful.token, body: change });
    await expectKept(everything, async () => {
      for (const token of tokens)
        expectRefused(await server.post("/v1/auth/verify-email", { body: { token } }), 400, "BadRequest");
    });
    expect(await addressOf(moved.id)).toBe(email);
  });

  test("ends after 24 hours", async () => {
    const timed = await TestServer.start({ clock: "movable" });
    try {
      const token = await timed.admin();
      const { id } = (await timed.get("/v1/users/me", { token })).body.data;
      const ask = async (email: string) => {
        await timed.post(pathOf(id, "request-change"), { token, body: { email } });
        return (await newestMail(timed, email)).token;
      };
      const inTime = await ask("in-time@example.net");
      await timed.advance(24 * HOUR - 60_000);
      expect((await timed.post(VERIFY, { token, body: { token: inTime } })).status).toBe(200);
      const late = await ask("late@example.net");
      await timed.advance(24 * HOUR);
      expectRefused(await timed.post(VERIFY, { token, body: { token: late } }), 400, "BadRequest");
      expectRefused(await timed.post("/v1/auth/verify-email", { body: { token: late } }), 400, "BadRequest");
      const path = pathOf(id, "pending");
      expect((await timed.get(path, { token })).body).toEqual(NOTHING);
      expectRefused(await timed.delete(path, { token }), 404, "NotFound");
      expect(await signsIn(timed, "in-time@example.net", ADMIN.password)).toBe(true);
    } finally {
      await timed.stop();
    }
  });
});
