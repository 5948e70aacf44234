import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Answer } from "../../support/api";
import { isAccepted, login } from "../../support/credentials";
import { audited, withoutAudit } from "../../support/events";
import { statuses } from "../../support/expectations";
import { mailsTo, newestMail } from "../../support/mail";
import {
  externalUser,
  newPerson,
  newUser,
  type Person,
  pending,
  register,
  registered,
  signInExternally,
  externalLogin as throughDiscord,
  verifyRegistration,
} from "../../support/people";
import { rows } from "../../support/rows";
import { command, TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { expectNoEffect, requestEmailChange, resetToken, verifyEmail } from "./support";

/** POST /v1/auth/register/verify and /v1/auth/verify-email (rules A3, C7 and C8). */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const usersNamed = ({ username }: Person) =>
  rows<{ id: string; last_login_at: number | null }>(
    server,
    "SELECT * FROM users WHERE username = ?",
    username,
  );
const sessionsOf = (userId: string) => rows(server, "SELECT id FROM sessions WHERE user_id = ?", userId);

/** The two operations that take the token of a registration, and the status that each answers. */
const DOORS = [
  ["register/verify", verifyRegistration, 201],
  ["verify-email", verifyEmail, 200],
] as const;

describe("POST /v1/auth/register/verify", () => {
  test("creates the account and signs in for 30 days", async () => {
    const person = newPerson();
    const { status, body } = await verifyRegistration(server, await pending(server, person));
    expect(status).toBe(201);
    expect(body).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: person.email,
      username: person.username,
      session_token: expect.stringMatching(/^ses_[A-Za-z0-9_-]{43}$/),
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: expect.any(String),
      provider: "email",
      requires_2fa: false,
      preferred_locale: null,
    });
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 30 * 24 * HOUR)).toBeLessThan(MINUTE);

    const { user_id, session_token: token } = body;
    const me = (await server.get("/v1/users/me", { token })).body.data;
    expect(me).toMatchObject({ id: user_id, username: person.username, deleted_at: null });
    expect(me.last_login_at).not.toBeNull();
    const accounts = (await server.get(`/v1/users/${user_id}/accounts`, { token })).body.data;
    expect(accounts).toMatchObject([
      { platform_slug: "email", platform_user_id: person.email, email: person.email, is_primary: true },
    ]);
    expect(me.primary_platform_account_id).toBe(accounts[0].id);
    const { roles } = (await server.get(`/v1/users/${user_id}/roles`, { token })).body;
    expect(roles.map((role: { id: string }) => role.id)).toEqual(["role_user"]);
    expect(rows(server, "SELECT id FROM verifications WHERE email = ?", person.email)).toEqual([]);
    expect((await login(server, person.email, person.password)).status).toBe(200);
  });

  test("writes user_created and session_created, without a name, an address or a secret", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    let answer: Answer | undefined;
    const events = await audited(server, async () => {
      answer = await verifyRegistration(server, token);
    });
    const { user_id, session_id, session_token } = answer?.body ?? {};
    const from = { user_id, actor_id: null, ip_address: "127.0.0.1", status: "success" };
    expect(events).toMatchObject([
      { ...from, event_type: "user_created", resource_type: "user", resource_id: user_id },
      { ...from, event_type: "session_created", resource_type: "session", resource_id: session_id },
    ]);
    const written = JSON.stringify(events);
    for (const secret of [person.username, person.email, person.password, token, session_token.slice(4)])
      expect(written).not.toContain(secret);
  });

  test("creates no account while the email platform is off, and the token stays good", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    const setEnabled = async (enabled: boolean) =>
      server.patch("/v1/platforms/email/enabled", { token: await server.admin(), body: { enabled } });
    await setEnabled(false);
    try {
      await expectNoEffect(server, () => verifyRegistration(server, token), 403, "Forbidden");
      await expectNoEffect(server, () => verifyEmail(server, token), 403, "Forbidden");
      expect(usersNamed(person)).toEqual([]);
    } finally {
      await setEnabled(true);
    }
    expect((await verifyRegistration(server, token)).status).toBe(201);
  });

  test("takes no token of another kind, which stays good", async () => {
    const user = await newUser(server);
    const { email } = newPerson();
    const change = await requestEmailChange(server, user, email);
    const reset = await resetToken(server, user);
    for (const token of [change, reset, user.token])
      await expectNoEffect(server, () => verifyRegistration(server, token), 400, "BadRequest");
    expect((await verifyEmail(server, change)).status).toBe(200);
  });
});

describe("POST /v1/auth/verify-email with the token of a registration", () => {
  test("creates the account and opens no session", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    const { status, body } = await verifyEmail(server, token);
    expect(status).toBe(200);
    const [user] = usersNamed(person);
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      verification_type: "registration",
      user_id: user?.id,
      redirect_url: expect.stringMatching(/^http:\/\/localhost:\d+\/$/),
    });
    expect(user?.last_login_at).toBeNull();
    expect(sessionsOf(body.user_id)).toEqual([]);
    expect((await login(server, person.username, person.password)).body.user_id).toBe(body.user_id);
    expect(usersNamed(person)[0]?.last_login_at).not.toBeNull();
  });

  test("writes user_created and nothing of a session", async () => {
    const token = await pending(server, newPerson());
    let id = "";
    const events = await audited(server, async () => {
      id = (await verifyEmail(server, token)).body.user_id;
    });
    expect(events).toMatchObject([{ event_type: "user_created", user_id: id, resource_id: id }]);
  });

  test("sends the browser to email.link_base_url where one is set", async () => {
    const own = await TestServer.start({
      clock: "movable",
      settings: { "email.link_base_url": "https://app.example.org/x/" },
    });
    try {
      const mailed = newPerson();
      const token = await pending(own, mailed);
      expect((await newestMail(own, mailed.email)).link).toStartWith(
        "https://app.example.org/x/verify-email",
      );
      expect((await verifyEmail(own, token)).body.redirect_url).toBe("https://app.example.org/x/");
    } finally {
      await own.stop();
    }
  });
});

describe("POST /v1/auth/verify-email with another token", () => {
  test("changes the address of an account", async () => {
    const user = await newUser(server);
    const { email } = newPerson();
    const token = await requestEmailChange(server, user, email);
    const { status, body } = await verifyEmail(server, token);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: expect.any(String),
        verification_type: "email_change",
        user_id: user.id,
        redirect_url: expect.any(String),
      },
    ]);
    expect((await login(server, email, user.password)).body.user_id).toBe(user.id);
    expect((await login(server, user.email, user.password)).status).toBe(401);
    await expectNoEffect(server, () => verifyEmail(server, token), 400, "BadRequest");
  });

  test("links an address to an account of another platform", async () => {
    const user = await externalUser(server);
    const { email, password } = newPerson();
    await server.post(`/v1/users/${user.id}/email-link/request`, {
      token: user.token,
      body: { email, password },
    });
    const { token } = await newestMail(server, email);
    expect((await login(server, email, password)).status).toBe(401);
    const { status, body } = await verifyEmail(server, token);
    expect([status, body.verification_type, body.user_id]).toEqual([200, "email_link", user.id]);
    expect((await login(server, email, password)).body.user_id).toBe(user.id);
    await expectNoEffect(server, () => verifyEmail(server, token), 400, "BadRequest");
  });

  test("refuses a change whose address somebody else got meanwhile", async () => {
    const user = await newUser(server);
    const other = newPerson();
    const token = await requestEmailChange(server, user, other.email);
    await registered(server, other);
    await expectNoEffect(server, () => verifyEmail(server, token), 409, "Conflict");
    expect((await login(server, user.email, user.password)).status).toBe(200);
  });

  test("refuses what was for a user who is deleted now", async () => {
    const user = await newUser(server);
    const { email } = newPerson();
    const token = await requestEmailChange(server, user, email);
    await server.delete(`/v1/users/${user.id}`, { token: await server.admin() });
    await expectNoEffect(server, () => verifyEmail(server, token), 400, "BadRequest");
  });

  test("takes no token of a password reset or of a session", async () => {
    const user = await newUser(server);
    const reset = await resetToken(server, user);
    for (const token of [reset, user.token])
      await expectNoEffect(server, () => verifyEmail(server, token), 400, "BadRequest");
  });
});

describe.each(DOORS)("%s", (path, verify, success) => {
  test("uses a token once", async () => {
    const token = await pending(server, newPerson());
    expect((await verify(server, token)).status).toBe(success);
    for (const [, again] of DOORS)
      await expectNoEffect(server, () => again(server, token), 400, "BadRequest");
  });

  test("refuses wrong tokens alike, also what is stored of a right one", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    const hash = createHash("sha256").update(token).digest("base64");
    const stored = rows(server, "SELECT id FROM verifications WHERE token_hash = ?", hash);
    expect(stored).toHaveLength(1);
    const answers = [];
    const wrong = [
      "x",
      hash,
      token.slice(0, -1),
      `${token}x`,
      ` ${token}`,
      token.toLowerCase(),
      "%",
      "' OR 1=1 --",
    ];
    for (const candidate of wrong)
      answers.push(await expectNoEffect(server, () => verify(server, candidate), 400, "BadRequest"));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await verify(server, token)).status).toBe(success);
  });

  test.each([[undefined], [""], [null], [5], [["x"]], ["x".repeat(129)]])(
    "refuses the token %p as malformed",
    async (token) => {
      const { body } = await expectNoEffect(server, () => verify(server, token), 400, "ValidationError");
      expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(["/token"]);
    },
  );

  test("answers 409 when the name or the address was taken meanwhile", async () => {
    const [byName, byAddress, byOther] = [newPerson(), newPerson(), newPerson()];
    const tokens = [];
    for (const person of [byName, byAddress, byOther]) tokens.push(await pending(server, person));
    const create = (username: string, email: string) =>
      command(["user", "create", "--data-dir", server.dataDir, "--username", username, "--email", email]);
    const made = await Promise.all([
      create(byName.username, newPerson().email),
      create(newPerson().username, byAddress.email),
    ]);
    expect(made.map(({ status }) => status)).toEqual([0, 0]);
    await signInExternally(server, throughDiscord({ email: byOther.email }));
    for (const token of tokens) await expectNoEffect(server, () => verify(server, token), 409, "Conflict");
    for (const person of [byName, byAddress, byOther])
      expect((await login(server, person.email, person.password)).status).toBe(401);
  });

  test("creates one account for many uses of one token at once", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    const answers = await Promise.all(Array.from({ length: 6 }, () => verify(server, token)));
    expect(statuses(answers)).toEqual([success, 400, 400, 400, 400, 400].sort());
    const users = usersNamed(person);
    expect(users).toHaveLength(1);
    expect(sessionsOf(users[0]?.id ?? "")).toHaveLength(path === "register/verify" ? 1 : 0);
  });

  test("creates no account whose event can't be written", async () => {
    const person = newPerson();
    const token = await pending(server, person);
    await withoutAudit(server, "user_created", () =>
      expectNoEffect(server, () => verify(server, token), 500, "InternalServerError"),
    );
    expect((await verify(server, token)).status).toBe(success);
  });
});

test("of both doors at once for one token, one opens", async () => {
  for (let round = 1; round <= 4; round++) {
    const person = newPerson();
    const token = await pending(server, person);
    const doors = round % 2 ? DOORS : DOORS.toReversed();
    const answers = await Promise.all(doors.map(([, verify]) => verify(server, token)));
    const opened = doors
      .map(([, , success]) => success)
      .filter((success, at) => answers[at]?.status === success);
    expect(opened).toHaveLength(1);
    expect(statuses(answers)[1]).toBe(400);
    const users = usersNamed(person);
    expect(users).toHaveLength(1);
    expect(sessionsOf(users[0]?.id ?? "")).toHaveLength(opened[0] === 201 ? 1 : 0);
    expect((await login(server, person.username, person.password)).status).toBe(200);
  }
});

test("a registration's token works for 24 hours, then its name and address are free", async () => {
  const own = await TestServer.start({ clock: "movable" });
  try {
    const [early, late, never] = [newPerson(), newPerson(), newPerson()];
    const tokens = [];
    for (const person of [early, late, never]) tokens.push(await pending(own, person));
    // A minute is left for the time that the tests themselves take.
    await own.advance(24 * HOUR - MINUTE);
    const { status, body } = await verifyRegistration(own, tokens[0]);
    expect(status).toBe(201);
    await own.advance(MINUTE);
    expect((await verifyRegistration(own, tokens[1])).status).toBe(400);
    expect((await verifyEmail(own, tokens[2])).status).toBe(400);
    expect(rows(own, "SELECT id FROM users WHERE username IN (?, ?)", late.username, never.username)).toEqual(
      [],
    );
    expect(await isAccepted(own, body.session_token)).toBe(true);

    expect((await register(own, { ...late, email: `new.${late.email}` })).status).toBe(200);
    expect((await register(own, { ...newPerson(), email: never.email })).status).toBe(200);
    expect((await verifyEmail(own, tokens[1])).status).toBe(400);
    const [mail] = await mailsTo(own, `new.${late.email}`);
    expect((await verifyRegistration(own, mail?.token)).body.username).toBe(late.username);
  } finally {
    await own.stop();
  }
});
