import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey, createKey, isAccepted, signIn } from "../../support/credentials";
import { audited, eventsAbout, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectRefused, statuses, UNKNOWN } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { externalUser, newUser, type User } from "../../support/people";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import {
  challenge,
  check,
  codeIn,
  disable,
  type Guarded,
  guarded,
  nextCode,
  regenerate,
  signInWithBoth,
  status,
  stored,
  toStepStart,
  turnOn,
  verifyLogin,
  wrongCode,
} from "../two-factor/support";

/** Login with a second factor: `/v1/auth/2fa/verify` and `/v1/auth/2fa/check` (rules C1, C3, C8 and A4). */
const TEMP_TOKEN = /^2fa_[A-Za-z0-9_-]{43}$/;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

/** Everything by which a client can tell an answer from another. */
const shown = ({ status, headers, body }: Answer) => ({
  status,
  body,
  headers: [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)).sort(),
});

/** The answer to a token that never existed. */
const refusal = async () => shown(await verifyLogin(server, `2fa_${"x".repeat(43)}`, "123456"));

/** Expects the uniform refusal, and that no code was used up and no session opened. */
async function expectRefusedAlike(user: { id: string }, token: unknown, code: unknown): Promise<void> {
  const before = stored(server, user.id);
  const answer = await verifyLogin(server, token, code);
  expectRefused(answer, 401, "Unauthorized");
  expect(shown(answer)).toEqual(await refusal());
  const { challenges: _, ...after } = stored(server, user.id);
  expect(before).toMatchObject(after);
}

const codesLeft = async (user: { token: Token }) =>
  done(await status(server, user.token)).backup_codes_remaining;

describe("the first step", () => {
  test("answers a challenge in place of a session", async () => {
    const user = await guarded(server);
    const before = stored(server, user.id);
    const { status: got, body, headers } = await signIn(server, user);
    expect(got).toBe(200);
    expect(body).toEqual({
      user_id: user.id,
      email: user.email,
      username: user.username,
      provider: "email",
      requires_2fa: true,
      temp_token: expect.stringMatching(TEMP_TOKEN),
      preferred_locale: null,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    const { challenges, ...after } = stored(server, user.id);
    expect(before).toMatchObject(after);
    expect(challenges).toHaveLength(1);
  });

  test("writes no login, and the second step writes it", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    expect(eventsAbout(server, user.id, "login")).toEqual([]);
    done(await verifyLogin(server, token, await nextCode(server, user.secret)));
    expect(eventsAbout(server, user.id, "login")).toHaveLength(1);
  });

  test("leaves the time of the last sign-in to the second one", async () => {
    const user = await guarded(server);
    const lastLogin = () => rows(server, "SELECT last_login_at FROM users WHERE id = ?", user.id);
    const before = lastLogin();
    const token = await challenge(server, user);
    expect(lastLogin()).toEqual(before);
    done(await verifyLogin(server, token, await nextCode(server, user.secret)));
    expect(lastLogin()).not.toEqual(before);
  });

  test("opens a session at once while the set-up isn't completed, or after it was turned off", async () => {
    const user = await newUser(server);
    done(await server.post("/v1/users/me/2fa/setup", { token: user.token }));
    expect((await signIn(server, user)).body.requires_2fa).toBe(false);
    const on = await turnOn(server, user);
    expect((await signIn(server, user)).body.requires_2fa).toBe(true);
    done(await disable(server, user.token, { code: on.backupCodes[0] }));
    expect((await signIn(server, user)).body.requires_2fa).toBe(false);
  });

  test("answers a wrong password as ever, and opens no challenge", async () => {
    const user = await guarded(server);
    const before = stored(server, user.id);
    const wrong = await signIn(server, { ...user, password: "not the password" });
    const unknown = await signIn(server, { ...user, username: "nobody_at_all" });
    expectRefused(wrong, 401, "Unauthorized");
    expect(shown(wrong)).toEqual(shown(unknown));
    expect(stored(server, user.id)).toEqual(before);
  });

  test("gives a token that opens nothing but the second step", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    expectRefused(await server.get("/v1/users/me", { token }), 401, "Unauthorized");
    expectRefused(await status(server, token), 401, "Unauthorized");
    expectRefused(await server.post("/v1/auth/logout", { token }), 401, "Unauthorized");
  });
});

describe("the second step", () => {
  const kinds: [string, (user: Guarded) => string | Promise<string>][] = [
    ["a code of the app", (user) => nextCode(server, user.secret)],
    ["a backup code", (user) => user.backupCodes[0] as string],
    ["a backup code in lower case", (user) => (user.backupCodes[0] as string).toLowerCase()],
    ["a backup code without its hyphen", (user) => (user.backupCodes[0] as string).replace("-", "")],
  ];

  test.each(kinds)("takes %s and opens a session of 30 days", async (_, codeOf) => {
    const user = await guarded(server);
    const { status: got, body, headers } = await signInWithBoth(server, user, await codeOf(user));
    expect(got).toBe(200);
    expect(body).toEqual({
      user_id: user.id,
      email: user.email,
      username: user.username,
      session_token: expect.stringMatching(/^ses_[A-Za-z0-9_-]{43}$/),
      session_id: expect.any(String),
      expires_at: expect.any(String),
      provider: "email",
      requires_2fa: false,
      preferred_locale: null,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await isAccepted(server, body.session_token)).toBe(true);
    const days = (Date.parse(body.expires_at) - Date.now()) / (24 * 60 * MINUTE);
    // The clock of the tests is off by minutes.
    expect(Math.abs(days - 30)).toBeLessThan(0.5);
    expect(stored(server, user.id).challenges).toEqual([]);
  });

  test("writes 2fa_verified, login and session_created, and nothing at all when one can't be written", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const code = await nextCode(server, user.secret);
    const before = stored(server, user.id);
    for (const type of ["2fa_verified", "login", "session_created"]) {
      const answer = await withoutAudit(server, type, () => verifyLogin(server, token, code));
      expectRefused(answer, 500, "InternalServerError");
      expect(stored(server, user.id)).toEqual(before);
    }
    const events = await audited(server, async () => done(await verifyLogin(server, token, code)));
    const by = { user_id: user.id, actor_id: null, status: "success", ip_address: "127.0.0.1" };
    expect(events.map(({ event_type }) => event_type).sort()).toEqual([
      "2fa_verified",
      "login",
      "session_created",
    ]);
    for (const event of events) expect(event).toMatchObject(by);
  });

  test("consumes the challenge", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    done(await verifyLogin(server, token, user.backupCodes[0]));
    await expectRefusedAlike(user, token, user.backupCodes[1]);
    await expectRefusedAlike(user, token, user.backupCodes[0]);
    expect(await codesLeft(user)).toBe(9);
  });

  test("takes each of two challenges of a user once", async () => {
    const user = await guarded(server);
    const [one, other] = [await challenge(server, user), await challenge(server, user)];
    expect(one).not.toBe(other);
    done(await verifyLogin(server, one, user.backupCodes[0]));
    done(await verifyLogin(server, other, user.backupCodes[1]));
  });

  test.each([
    ["a code of the app", (user: Guarded) => nextCode(server, user.secret)],
    ["a backup code", async (user: Guarded) => user.backupCodes[0] as string],
  ])("takes %s once, with another challenge too", async (_, codeOf) => {
    const user = await guarded(server);
    const code = await codeOf(user);
    const [one, other] = [await challenge(server, user), await challenge(server, user)];
    done(await verifyLogin(server, one, code));
    await expectRefusedAlike(user, other, code);
    done(await verifyLogin(server, other, user.backupCodes[1]));
  });

  test("refuses the code with which it was turned on", async () => {
    const user = await newUser(server);
    const { secret } = done(await server.post("/v1/users/me/2fa/setup", { token: user.token }));
    const code = await nextCode(server, secret);
    done(await server.post("/v1/users/me/2fa/verify", { token: user.token, body: { code } }));
    await expectRefusedAlike(user, await challenge(server, user), code);
    // The step after it is accepted.
    const later = await challenge(server, user);
    done(await verifyLogin(server, later, await nextCode(server, secret)));
  });

  test("refuses a code that another operation used", async () => {
    const user = await guarded(server);
    const code = await nextCode(server, user.secret);
    done(await regenerate(server, user.token, { code }));
    await expectRefusedAlike(user, await challenge(server, user), code);
  });

  test("refuses an earlier step than the last one that counted", async () => {
    const user = await guarded(server);
    await server.advance(5 * MINUTE);
    await toStepStart(server);
    done(await verifyLogin(server, await challenge(server, user), codeIn(server, user.secret, 1)));
    for (const steps of [1, 0, -1])
      await expectRefusedAlike(user, await challenge(server, user), codeIn(server, user.secret, steps));
    await toStepStart(server);
    done(await verifyLogin(server, await challenge(server, user), codeIn(server, user.secret, 1)));
  });

  test("takes one step of drift either way, and not two", async () => {
    const user = await guarded(server);
    for (const [steps, expected] of [
      [-2, 401],
      [-1, 200],
      [2, 401],
      [1, 200],
    ] as const) {
      await server.advance(5 * MINUTE);
      await toStepStart(server);
      const token = await challenge(server, user);
      const answer = await verifyLogin(server, token, codeIn(server, user.secret, steps));
      expect([steps, answer.status]).toEqual([steps, expected]);
    }
  });

  test.each([
    [
      "code of the app, with one challenge",
      async (user: Guarded) => [await nextCode(server, user.secret)],
      1,
    ],
    ["backup code, with one challenge", async (user: Guarded) => [user.backupCodes[0] as string], 1],
    [
      "code of the app, with a challenge each",
      async (user: Guarded) => [await nextCode(server, user.secret)],
      4,
    ],
    ["backup code, with a challenge each", async (user: Guarded) => [user.backupCodes[0] as string], 4],
  ])("of parallel requests with one %s, succeeds once", async (_, codeOf, challenges) => {
    const user = await guarded(server);
    const [code] = await codeOf(user);
    const tokens: Token[] = [];
    for (let number = 0; number < challenges; number++) tokens.push(await challenge(server, user));
    const sessions = stored(server, user.id).sessions.length;
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) => verifyLogin(server, tokens[at % challenges], code)),
    );
    expect(statuses(answers)).toEqual([200, 401, 401, 401]);
    expect(stored(server, user.id).sessions).toHaveLength(sessions + 1);
  });

  test("of parallel requests with different codes for one challenge, succeeds once and uses up one", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const answers = await Promise.all(user.backupCodes.map((code) => verifyLogin(server, token, code)));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    expect(await codesLeft(user)).toBe(9);
  });

  test("ends a challenge with the fifth wrong code, and no other challenge", async () => {
    const user = await guarded(server);
    const [spoilt, spared, sound] = [
      await challenge(server, user),
      await challenge(server, user),
      await challenge(server, user),
    ];
    const wrong = wrongCode(server, user.secret);
    for (let times = 0; times < 5; times++) await expectRefusedAlike(user, spoilt, wrong);
    for (let times = 0; times < 4; times++) await expectRefusedAlike(user, spared, "AAAAA-AAAAA");
    await expectRefusedAlike(user, spoilt, user.backupCodes[0]);
    done(await verifyLogin(server, spared, user.backupCodes[0]));
    done(await verifyLogin(server, sound, user.backupCodes[1]));
  });

  test("counts wrong codes that come at once", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const wrong = wrongCode(server, user.secret);
    await Promise.all(Array.from({ length: 5 }, () => verifyLogin(server, token, wrong)));
    await expectRefusedAlike(user, token, user.backupCodes[0]);
  });

  test("writes 2fa_verified with a failure for a wrong code", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const wrong = wrongCode(server, user.secret);
    const events = await audited(server, () => verifyLogin(server, token, wrong));
    expect(events).toMatchObject([
      {
        event_type: "2fa_verified",
        user_id: user.id,
        actor_id: null,
        resource_type: "two_factor",
        resource_id: user.id,
        status: "failure",
        error_message: "wrong code",
        ip_address: "127.0.0.1",
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test("writes 2fa_verified with a failure for a token that counts no more", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    done(await verifyLogin(server, token, user.backupCodes[0]));
    for (const gone of [token, `2fa_${"x".repeat(43)}`, "nonsense"]) {
      const events = await audited(server, () => verifyLogin(server, gone, user.backupCodes[1]));
      expect(events).toMatchObject([{ event_type: "2fa_verified", user_id: null, status: "failure" }]);
      expect(JSON.stringify(events)).not.toContain(gone);
    }
  });

  test("refuses a token without its prefix, a session token and an API key, all alike", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const { key } = await commandLineKey(server, { owner: user.username, scopes: ["two_factor:write"] });
    const code = user.backupCodes[0];
    for (const wrong of [
      token.slice(4),
      `ses_${token.slice(4)}`,
      token.toUpperCase(),
      ` ${token}`,
      `${token}x`,
      token.slice(0, -1),
      user.token,
      key,
      server.systemKey,
      `2fa_${user.token.slice(4)}`,
      "2fa_",
      "x",
    ])
      await expectRefusedAlike(user, wrong, code);
    done(await verifyLogin(server, token, code));
  });

  test("answers a wrong code and a wrong token alike", async () => {
    const user = await guarded(server);
    const other = await guarded(server);
    const token = await challenge(server, user);
    for (const code of [wrongCode(server, user.secret), "AAAAA-AAAAA", "nonsense", "1", other.backupCodes[0]])
      await expectRefusedAlike(user, token, code);
    await expectRefusedAlike(other, token, await nextCode(server, other.secret));
    expect(await codesLeft(other)).toBe(10);
  });

  test("refuses a body without token or code", async () => {
    const fine = { temp_token: `2fa_${"x".repeat(43)}`, code: "123456" };
    for (const [path, body] of [
      ["/code", { ...fine, code: undefined }],
      ["/code", { ...fine, code: null }],
      ["/code", { ...fine, code: 123456 }],
      ["/temp_token", { ...fine, temp_token: undefined }],
      ["/temp_token", { ...fine, temp_token: 5 }],
    ] as const)
      expectInvalid(await server.post("/v1/auth/2fa/verify", { body }), path);
    // Any other value that is no token or no code counts as a wrong one.
    for (const change of [
      { code: "" },
      { code: "1".repeat(50_000) },
      { temp_token: "" },
      { temp_token: "2".repeat(999) },
    ])
      expectRefused(
        await server.post("/v1/auth/2fa/verify", { body: { ...fine, ...change } }),
        401,
        "Unauthorized",
      );
  });

  test("expires after 10 minutes", async () => {
    const user = await guarded(server);
    const early = await challenge(server, user);
    await server.advance(MINUTE);
    const late = await challenge(server, user);
    await server.advance(9 * MINUTE);
    await expectRefusedAlike(user, early, user.backupCodes[0]);
    done(await verifyLogin(server, late, user.backupCodes[0]));
  });

  test("answers the locale that the user chose", async () => {
    const user = await guarded(server);
    done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: { locale: "de" } }));
    expect((await signIn(server, user)).body.preferred_locale).toBe("de");
    expect((await signInWithBoth(server, user)).body.preferred_locale).toBe("de");
  });
});

describe("what ends a challenge that is open", () => {
  const ends: [string, (user: Guarded) => Promise<unknown>][] = [
    [
      "a change of the password",
      async (user) =>
        done(
          await server.post("/v1/users/me/password", {
            token: user.token,
            body: { current_password: user.password, new_password: "another passphrase" },
          }),
        ),
    ],
    [
      "a reset of the password",
      async (user) => {
        done(await server.post("/v1/auth/reset-password", { body: { email: user.email } }));
        const token = (await mailsTo(server, user.email)).at(-1)?.token;
        const body = { token, new_password: "another passphrase" };
        done(await server.post("/v1/auth/reset-password/complete", { body }));
      },
    ],
    [
      "turning it off",
      async (user) => done(await disable(server, user.token, { code: user.backupCodes[9] })),
    ],
    [
      "turning it off and on again",
      async (user) => {
        done(await disable(server, user.token, { code: user.backupCodes[9] }));
        await turnOn(server, user);
      },
    ],
    [
      "a ban, although it is lifted",
      async (user) => {
        const token = await server.admin();
        done(await server.post(`/v1/users/${user.id}/ban`, { token, body: {} }));
        done(await server.delete(`/v1/users/${user.id}/ban`, { token }));
      },
    ],
    [
      "a soft deletion",
      async (user) => done(await server.delete(`/v1/users/${user.id}`, { token: server.systemKey })),
    ],
    [
      "a forced deletion",
      async (user) =>
        done(
          await server.post(`/v1/admin/users/${user.id}/force-delete`, { token: server.systemKey, body: {} }),
        ),
    ],
  ];

  test.each(ends)("%s", async (_, end) => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    await end(user);
    expect(stored(server, user.id).challenges).toEqual([]);
    await expectRefusedAlike(user, token, user.backupCodes[0]);
    await expectRefusedAlike(user, token, await nextCode(server, user.secret));
  });

  test("a ban, while it lasts; the first step then says so", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    done(await server.post(`/v1/users/${user.id}/ban`, { token: await server.admin(), body: {} }));
    await expectRefusedAlike(user, token, user.backupCodes[0]);
    expectRefused(await signIn(server, user), 403, "AccountBanned");
    expectRefused(await check(server, { user_id: user.id }), 403, "AccountBanned");
    expect(stored(server, user.id).challenges).toEqual([]);
  });
});

describe("a platform that is switched off meanwhile", () => {
  const setEnabled = async (enabled: boolean) =>
    done(
      await server.patch("/v1/platforms/email/enabled", { token: await server.admin(), body: { enabled } }),
    );

  test("refuses the second step too, audits that, and uses up no code", async () => {
    const user = await guarded(server);
    const token = await challenge(server, user);
    const before = stored(server, user.id);
    await server.admin();
    await setEnabled(false);
    try {
      const events = await audited(server, async () =>
        expectRefused(await verifyLogin(server, token, user.backupCodes[0]), 403, "Forbidden"),
      );
      expect(events).toMatchObject([
        {
          event_type: "2fa_verified",
          user_id: user.id,
          status: "failure",
          error_message: "Sign-in through Email is switched off",
        },
      ]);
      expect(stored(server, user.id)).toEqual(before);
    } finally {
      await setEnabled(true);
    }
    done(await verifyLogin(server, token, user.backupCodes[0]));
  });
});

describe("few backup codes left", () => {
  const reminders = async (user: User) =>
    (await mailsTo(server, user.email)).filter(({ kind }) => kind === "backup_codes_low");

  test("are told by email from 3 on, each time that a backup code is used at sign-in", async () => {
    const user = await guarded(server);
    for (const [at, code] of user.backupCodes.entries()) {
      done(await signInWithBoth(server, user, code));
      expect(await codesLeft(user)).toBe(9 - at);
      expect(await reminders(user)).toHaveLength(Math.max(0, at - 5));
    }
    const [three, two, one, none] = (await reminders(user)).map(({ text }) => text);
    expect(three).toContain("3 are left");
    expect(two).toContain("2 are left");
    expect(one).toContain("One is left");
    expect(none).toContain("the last one");
    for (const code of user.backupCodes) expect((await signInWithBoth(server, user, code)).status).toBe(401);
    // The app still signs in, and that sends no reminder.
    done(await signInWithBoth(server, user));
    expect(await reminders(user)).toHaveLength(4);
  });

  test("are told in the language that the user chose", async () => {
    const user = await guarded(server);
    done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: { locale: "de" } }));
    write(
      server,
      `DELETE FROM backup_codes WHERE user_id = '${user.id}' AND code_hash IN
       (SELECT code_hash FROM backup_codes WHERE user_id = '${user.id}' LIMIT 6)`,
    );
    for (const code of user.backupCodes) if ((await signInWithBoth(server, user, code)).status === 200) break;
    expect(await reminders(user)).toMatchObject([{ locale: "de" }]);
  });
});

describe("POST /v1/auth/2fa/check", () => {
  test("says that no second step is needed, and gives no token", async () => {
    const user = await newUser(server);
    expect(done(await check(server, { user_id: user.id }))).toEqual({ requires_2fa: false });
    done(await server.post("/v1/users/me/2fa/setup", { token: user.token }));
    expect(done(await check(server, { user_id: user.id, oauth_provider: "discord" }))).toEqual({
      requires_2fa: false,
    });
    expect(stored(server, user.id).challenges).toEqual([]);
  });

  test("keeps the provider for the session", async () => {
    const user = await guarded(server);
    const body = done(await check(server, { user_id: user.id, oauth_provider: "discord" }));
    expect(body).toEqual({ requires_2fa: true, temp_token: expect.stringMatching(TEMP_TOKEN) });
    const session = done(await verifyLogin(server, body.temp_token, user.backupCodes[0]));
    expect(session).toMatchObject({ user_id: user.id, provider: "discord", requires_2fa: false });
    const listed = done(await server.get("/v1/users/me/sessions", { token: session.session_token }));
    const current = listed.sessions.find(({ is_current }: { is_current: boolean }) => is_current);
    expect([current.provider, current.provider_name]).toEqual(["discord", "Discord"]);
    const profile = done(await server.get(`/v1/users/${user.id}/profile`, { token: session.session_token }));
    expect(profile.provider).toBe("discord");
  });

  test("takes the primary platform where no provider is named, and an email user's is email", async () => {
    const discord = await turnOn(server, await externalUser(server));
    const email = await guarded(server);
    for (const [user, provider] of [
      [discord, "discord"],
      [email, "email"],
    ] as const)
      for (const body of [{ user_id: user.id }, { user_id: user.id, oauth_provider: null }]) {
        const { temp_token } = done(await check(server, body));
        const code = user.backupCodes.pop();
        expect(done(await verifyLogin(server, temp_token, code)).provider).toBe(provider);
      }
  });

  test("takes the identifier in either case", async () => {
    const user = await guarded(server);
    expect(done(await check(server, { user_id: user.id.toUpperCase() })).requires_2fa).toBe(true);
  });

  test("refuses whom there isn't, who is deleted, and a provider that there isn't", async () => {
    const user = await guarded(server);
    for (const user_id of [UNKNOWN, "nonsense", "", 5, null, undefined])
      expectInvalid(await check(server, { user_id }), "/user_id");
    // Nobody signs in through a platform that is switched off.
    done(
      await server.patch("/v1/platforms/twitch/enabled", {
        token: server.systemKey,
        body: { enabled: false },
      }),
    );
    expectRefused(await check(server, { user_id: user.id, oauth_provider: "twitch" }), 403, "Forbidden");
    done(
      await server.patch("/v1/platforms/twitch/enabled", {
        token: server.systemKey,
        body: { enabled: true },
      }),
    );
    for (const oauth_provider of ["nothing", "", "Discord!", 5])
      expectInvalid(await check(server, { user_id: user.id, oauth_provider }), "/oauth_provider");
    expect(stored(server, user.id).challenges).toEqual([]);
    done(await server.delete(`/v1/users/${user.id}`, { token: server.systemKey }));
    expectInvalid(await check(server, { user_id: user.id }), "/user_id");
  });

  test("refuses a banned user", async () => {
    const user = await guarded(server);
    done(await server.post(`/v1/users/${user.id}/ban`, { token: await server.admin(), body: {} }));
    expectRefused(await check(server, { user_id: user.id }), 403, "AccountBanned");
    expect(stored(server, user.id).challenges).toEqual([]);
  });

  test("needs a system key: 401 without a key, 403 with any other credential", async () => {
    const user = await guarded(server);
    const body = { user_id: user.id };
    expectRefused(await server.post("/v1/auth/2fa/check", { body }), 401, "Unauthorized");
    expectRefused(await check(server, body, `flk_${"x".repeat(43)}`), 401, "Unauthorized");
    const { key } = await createKey(server, await server.admin(), ["*:*"]);
    for (const token of [key, await server.admin(), user.token]) {
      expectRefused(await check(server, body, token), 403, "Forbidden");
      // The permission is checked before the body.
      expectRefused(await check(server, {}, token), 403, "Forbidden");
    }
    expect(stored(server, user.id).challenges).toEqual([]);
  });
});
