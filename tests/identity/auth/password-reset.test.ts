import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { ResendStandIn } from "../../stand-ins/resend";
import type { Answer } from "../../support/api";
import { createKey, isAccepted, login } from "../../support/credentials";
import { audited, auditRows, withoutAudit } from "../../support/events";
import { statuses } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { mailsTo, newestMail } from "../../support/mail";
import { externalUser, newPerson, newUser, pending, type User } from "../../support/people";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import {
  askReset,
  changePassword,
  completeReset,
  expectNoEffect,
  PASSWORDS,
  registrationState,
  requestEmailChange,
  resetToken,
  verifyEmail,
} from "./support";

/** Password resets (rules A2, A5, C7 and C8). Equal times of the answers: timing.test.ts. */
const NEW = "a new passphrase";

let server: TestServer;
let anna: User;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
  anna = await newUser(server);
});
afterAll(() => server.stop());

const resetsOf = ({ id }: Pick<User, "id">) =>
  rows<{ token_hash: string; expires_at: number }>(
    server,
    "SELECT * FROM password_resets WHERE user_id = ?",
    id,
  );

/** Everything by which a client can tell an answer from another. */
const shown = ({ status, headers, body }: Answer) => ({
  status,
  body,
  headers: [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)).sort(),
});

/** For each password, true if it signs the user in. */
const signsIn = async ({ username }: User, ...passwords: string[]) =>
  (await Promise.all(passwords.map((password) => login(server, username, password)))).map(
    ({ status }) => status === 200,
  );

describe("POST /v1/auth/reset-password", () => {
  test("sends a link for one hour, to an address in any case, and changes nothing yet", async () => {
    const user = await newUser(server);
    const { status, body } = await askReset(server, user.email.toUpperCase());
    expect([status, body]).toEqual([200, { message: expect.any(String) }]);
    const mails = (await mailsTo(server, user.email)).filter(({ kind }) => kind === "password_reset");
    expect(mails).toHaveLength(1);
    const { token = "", link = "", text } = mails[0] ?? {};
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(link).toContain(token);
    expect(text).toContain(link);
    const [reset] = resetsOf(user);
    expect(Math.abs((reset?.expires_at ?? 0) - Date.now() - HOUR)).toBeLessThan(MINUTE);
    expect(await signsIn(user, user.password)).toEqual([true]);
    expect(await isAccepted(server, user.token)).toBe(true);
  });

  test("answers alike for whoever can't reset, and sends and stores nothing", async () => {
    const deleted = await newUser(server);
    await server.delete(`/v1/users/${deleted.id}`, { token: await server.admin() });
    const external = await externalUser(server);
    const waiting = newPerson();
    await pending(server, waiting);
    const known = shown(await askReset(server, anna.email));
    const addresses = [newPerson().email, deleted.email, external.email, waiting.email];
    const before = registrationState(server);
    const sent = [];
    for (const address of addresses) {
      sent.push(await mailsTo(server, address));
      expect(shown(await askReset(server, address))).toEqual(known);
    }
    expect(registrationState(server)).toEqual(before);
    for (const [at, address] of addresses.entries())
      expect(await mailsTo(server, address)).toEqual(sent[at] ?? []);
  });

  test.each([[undefined], [null], [""], [5], ["no address"], ["username"]])(
    "refuses the address %p",
    async (email) => {
      const { body } = await expectNoEffect(server, () => askReset(server, email), 400, "ValidationError");
      expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(["/email"]);
    },
  );

  test("writes password_reset_requested, without an address or a token", async () => {
    const unknown = newPerson().email;
    const events = await audited(server, async () => {
      await askReset(server, anna.email);
      await askReset(server, unknown);
    });
    const event = { event_type: "password_reset_requested", actor_id: null, ip_address: "127.0.0.1" };
    expect(events).toMatchObject([
      { ...event, user_id: anna.id, status: "success" },
      { ...event, user_id: null, status: "failure" },
    ]);
    const { token } = await newestMail(server, anna.email);
    for (const secret of [anna.email, anna.username, unknown, token])
      expect(JSON.stringify(events)).not.toContain(secret);
  });

  test("issues nothing whose event can't be written", async () => {
    const sent = await mailsTo(server, anna.email);
    await withoutAudit(server, "password_reset_requested", () =>
      expectNoEffect(server, () => askReset(server, anna.email), 500, "InternalServerError"),
    );
    expect(await mailsTo(server, anna.email)).toEqual(sent);
  });

  test("writes in the language that the user chose, else in the browser's", async () => {
    const user = await newUser(server);
    const localeOf = async (header: string) => {
      await askReset(server, user.email, { "accept-language": header });
      return (await newestMail(server, user.email)).locale;
    };
    expect([await localeOf("de"), await localeOf("en")]).toEqual(["de", "en"]);
    const chosen = await server.patch(`/v1/users/${user.id}/locale`, {
      token: user.token,
      body: { locale: "de" },
    });
    expect(chosen.status).toBe(200);
    expect(await localeOf("en")).toBe("de");
  });

  test("answers before the email is handed over, also while the mail service hangs", async () => {
    const resend = new ResendStandIn();
    const own = await TestServer.start({ clock: "movable", settings: resend.settings });
    try {
      const user = newPerson();
      await own.post("/v1/auth/register", { body: user });
      const token = /#token=(\S+)/.exec(resend.emails[0]?.text ?? "")?.[1];
      expect((await verifyEmail(own, token)).status).toBe(200);
      const release = resend.holdAnswers();
      const taken = resend.nextEmail();
      expect((await askReset(own, user.email)).status).toBe(200);
      expect((await taken).to).toEqual([user.email]);
      expect((await askReset(own, user.email)).status).toBe(200);
      release();
    } finally {
      await own.stop();
      await resend.stop();
    }
  });
});

describe("POST /v1/auth/reset-password/complete", () => {
  test("sets the password, ends all sessions and signs nobody in", async () => {
    const user = await newUser(server);
    const other = (await login(server, user.email, user.password)).body.session_token;
    const bystander = (await login(server, anna.email, anna.password)).body.session_token;
    const { status, body } = await completeReset(server, await resetToken(server, user), NEW);
    expect([status, body]).toEqual([200, { message: expect.any(String) }]);
    expect(await signsIn(user, user.password, NEW)).toEqual([false, true]);
    for (const token of [user.token, other]) expect(await isAccepted(server, token)).toBe(false);
    expect(await isAccepted(server, bystander)).toBe(true);
    const [stored] = rows<{ hash: string }>(server, "SELECT hash FROM passwords WHERE user_id = ?", user.id);
    expect(stored?.hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  });

  test("ends sessions alone: an API key goes on", async () => {
    const user = await newUser(server);
    // The role User doesn't permit making keys.
    const role = { token: await server.admin(), body: { role_id: "role_admin" } };
    expect((await server.post(`/v1/users/${user.id}/roles`, role)).status).toBe(200);
    const { key } = await createKey(server, user.token, ["trips:read"]);
    await completeReset(server, await resetToken(server, user), NEW);
    expect(await isAccepted(server, key)).toBe(true);
  });

  test("uses a token once", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    expect((await completeReset(server, token, NEW)).status).toBe(200);
    await expectNoEffect(server, () => completeReset(server, token, "yet another passphrase"));
    expect(await signsIn(user, NEW)).toEqual([true]);
  });

  test("takes the newest link of the user alone, and leaves those of others", async () => {
    const user = await newUser(server);
    const tokens = [
      await resetToken(server, user),
      await resetToken(server, user),
      await resetToken(server, user),
    ];
    expect(new Set(tokens).size).toBe(3);
    const annas = await resetToken(server, anna);
    for (const token of [tokens[0], tokens[1]])
      await expectNoEffect(server, () => completeReset(server, token, "yet another passphrase"));
    expect((await completeReset(server, tokens[2], NEW)).status).toBe(200);
    for (const token of tokens)
      await expectNoEffect(server, () => completeReset(server, token, "yet another passphrase"));
    expect(await signsIn(user, NEW)).toEqual([true]);
    expect((await completeReset(server, annas, anna.password)).status).toBe(200);
  });

  test("takes back a change of address that waits for its verification", async () => {
    const user = await newUser(server);
    const { email } = newPerson();
    const change = await requestEmailChange(server, user, email);
    await completeReset(server, await resetToken(server, user), NEW);
    await expectNoEffect(server, () => verifyEmail(server, change));
    const { session_token: token } = (await login(server, user.email, NEW)).body;
    const { body } = await server.get(`/v1/users/${user.id}/email/pending`, { token });
    expect(body).toEqual({ pending: false, new_email: null, expires_at: null });
  });

  test("writes password_changed, without a password or a token", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    const events = await audited(server, () => completeReset(server, token, NEW));
    const [session] = auditRows(server).filter(
      ({ event_type, user_id }) => event_type === "session_created" && user_id === user.id,
    );
    expect(events).toMatchObject([
      {
        event_type: "session_revoked",
        user_id: user.id,
        actor_id: null,
        resource_type: "session",
        resource_id: session?.resource_id ?? "",
        ip_address: "127.0.0.1",
        metadata: '{"reason":"password reset"}',
      },
      {
        event_type: "password_changed",
        user_id: user.id,
        actor_id: null,
        resource_type: "user",
        resource_id: user.id,
        ip_address: "127.0.0.1",
        status: "success",
      },
    ]);
    expect(JSON.parse(events[1]?.metadata ?? "")).toEqual({ by: "reset" });
    for (const secret of [NEW, token, user.token, user.email, user.username])
      expect(JSON.stringify(events)).not.toContain(secret);
  });

  test("changes nothing when its event can't be written", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    await withoutAudit(server, "password_changed", () =>
      expectNoEffect(server, () => completeReset(server, token, NEW), 500, "InternalServerError"),
    );
    expect(await isAccepted(server, user.token)).toBe(true);
    expect(await signsIn(user, user.password, NEW)).toEqual([true, false]);
    expect((await completeReset(server, token, NEW)).status).toBe(200);
  });

  test.each(PASSWORDS)("password: %p for %s; a refused one leaves the token", async (fits, _, password) => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    if (!fits) {
      const ask = () => completeReset(server, token, password);
      const { body } = await expectNoEffect(server, ask, 400, "ValidationError");
      expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(["/new_password"]);
      expect(await isAccepted(server, user.token)).toBe(true);
    }
    const accepted = fits ? password : NEW;
    expect((await completeReset(server, token, accepted)).status).toBe(200);
    expect(await signsIn(user, user.password, accepted)).toEqual([false, true]);
  });

  test("refuses wrong tokens alike, also what is stored of a right one and tokens of other kinds", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    const hash = createHash("sha256").update(token).digest("base64");
    expect(resetsOf(user).map(({ token_hash }) => token_hash)).toEqual([hash]);
    const registration = await pending(server, newPerson());
    const change = await requestEmailChange(server, user, newPerson().email);
    const answers = [];
    for (const wrong of [
      hash,
      "x",
      `${token}x`,
      token.slice(1),
      token.toUpperCase(),
      registration,
      change,
      user.token,
    ])
      answers.push(await expectNoEffect(server, () => completeReset(server, wrong, NEW)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await isAccepted(server, user.token)).toBe(true);
  });

  test.each([[undefined], [null], [""], [5], ["x".repeat(129)]])(
    "refuses the token %p as malformed",
    async (token) => {
      const { body } = await expectNoEffect(
        server,
        () => completeReset(server, token, NEW),
        400,
        "ValidationError",
      );
      expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(["/token"]);
    },
  );

  test("refuses the token of a user who is deleted now", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    await server.delete(`/v1/users/${user.id}`, { token: await server.admin() });
    await expectNoEffect(server, () => completeReset(server, token, NEW));
  });

  test("refuses a token that went to an address which is no longer the user's", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    const { email } = newPerson();
    await verifyEmail(server, await requestEmailChange(server, user, email));
    await expectNoEffect(server, () => completeReset(server, token, NEW));
    expect(await signsIn({ ...user, email }, user.password)).toEqual([true]);
  });
});

describe("at once", () => {
  /** Sends requests that each set another password, and expects one to win. */
  async function race(user: User, asks: ((password: string) => Promise<Answer>)[]) {
    const passwords = asks.map((_, at) => `passphrase of racer ${at}`);
    const answers = await Promise.all(asks.map((ask, at) => ask(passwords[at] ?? "")));
    const won = answers.map(({ status }) => status === 200);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await signsIn(user, ...passwords)).toEqual(won);
    expect(await signsIn(user, user.password)).toEqual([false]);
    expect(resetsOf(user)).toEqual([]);
    return answers;
  }

  test("two resets with one token: one sets its password", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    const reset = (password: string) => completeReset(server, token, password);
    expect(statuses(await race(user, [reset, reset, reset]))).toEqual([200, 400, 400]);
    expect(auditRows(server, user.id).filter((row) => row.event_type === "password_changed")).toHaveLength(1);
  });

  test("two resets with two tokens of one user: one sets its password", async () => {
    const user = await newUser(server);
    const tokens = [await resetToken(server, user), await resetToken(server, user)];
    const resets = tokens.map((token) => (password: string) => completeReset(server, token, password));
    expect(statuses(await race(user, resets))).toEqual([200, 400]);
  });

  test("a reset and a change: one sets its password", async () => {
    for (const order of ["reset first", "change first"]) {
      const user = await newUser(server);
      const token = await resetToken(server, user);
      const asks = [
        (password: string) => completeReset(server, token, password),
        (password: string) => changePassword(server, user.token, user.password, password),
      ];
      await race(user, order === "reset first" ? asks : asks.reverse());
    }
  });

  test("a reset and sign-ins with the old password: none of these outlives it", async () => {
    const user = await newUser(server);
    const token = await resetToken(server, user);
    const signIn = () => login(server, user.username, user.password);
    const [first, second, reset, third, fourth] = await Promise.all([
      signIn(),
      signIn(),
      completeReset(server, token, NEW),
      signIn(),
      signIn(),
    ]);
    expect(reset.status).toBe(200);
    for (const { status, body } of [first, second, third, fourth]) {
      expect([200, 401]).toContain(status);
      if (status === 200) expect(await isAccepted(server, body.session_token)).toBe(false);
    }
    expect(rows(server, "SELECT id FROM sessions WHERE user_id = ?", user.id)).toEqual([]);
  });
});

test("a reset token works for one hour", async () => {
  const own = await TestServer.start({ clock: "movable" });
  try {
    const [early, late] = [await newUser(own), await newUser(own)];
    const [token, other] = [await resetToken(own, early), await resetToken(own, late)];
    await own.advance(HOUR - MINUTE);
    expect((await completeReset(own, token, NEW)).status).toBe(200);
    await own.advance(MINUTE);
    expect((await completeReset(own, other, NEW)).status).toBe(400);
    expect((await login(own, late.username, late.password)).status).toBe(200);
    expect((await completeReset(own, await resetToken(own, late), NEW)).status).toBe(200);
  } finally {
    await own.stop();
  }
});

test("neither tokens nor passwords stand in the database or in the server's output", async () => {
  const own = await TestServer.start({ clock: "movable", settings: { "log.level": "debug" } });
  const user = await newUser(own);
  const [unused, used] = [await resetToken(own, user), await resetToken(own, user)];
  await completeReset(own, used, "short");
  await completeReset(own, used, NEW);
  await completeReset(own, unused, "a refused passphrase");
  const { session_token } = (await login(own, user.email, NEW)).body;
  await changePassword(own, session_token, "a wrong passphrase", "a wanted passphrase");
  await changePassword(own, session_token, NEW, "a changed passphrase");
  const typed = ["a refused passphrase", "a wrong passphrase", "a wanted passphrase", "a changed passphrase"];
  const secrets = [used, unused, user.password, NEW, session_token.slice(4), ...typed];
  const search = () =>
    secrets.flatMap((secret) => filesWith(own, secret)).filter((file) => !file.includes("/outbox/"));
  expect(filesWith(own, used)).toHaveLength(1);
  expect(search()).toEqual([]);
  const output = await outputOfWholeRun(own);
  expect(output).toContain("/v1/auth/reset-password/complete");
  for (const secret of [...secrets, user.email]) expect(output).not.toContain(secret);
  expect(search()).toEqual([]);
});
