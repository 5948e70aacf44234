import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { signIn } from "../../support/credentials";
import { done, expectInvalid, expectRefused } from "../../support/expectations";
import { linesOf, outputOfWholeRun } from "../../support/log";
import { newestMail, nextMail } from "../../support/mail";
import { newUser } from "../../support/people";
import { rows, write } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { changePassword, completeReset, resetToken } from "../auth/support";
import {
  challenge,
  disable,
  enable,
  fromBase32,
  type Guarded,
  guarded,
  nextCode,
  regenerate,
  setUp,
  signInWithBoth,
  status,
  turnOn,
  verifyLogin,
  wrongCode,
} from "./support";

/**
 * Secrets are stored as hashes or sealed, and a sealed one only works in its own place (rules C1, C3, C7 and
 * H13).
 */

describe("a secret in the database", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ clock: "movable" });
  });
  afterAll(() => server.stop());

  const secretOf = (user: { id: string }) =>
    rows<{ secret: string }>(server, "SELECT secret FROM two_factor WHERE user_id = ?", user.id)[0]
      ?.secret as string;
  const put = (user: { id: string }, secret: string) =>
    write(server, `UPDATE two_factor SET secret = '${secret}' WHERE user_id = '${user.id}'`);

  test("is encrypted anew each time", async () => {
    const users = [await guarded(server), await guarded(server)] as const;
    const [one, other] = users.map((user) => Buffer.from(secretOf(user), "base64"));
    // 12 bytes of nonce, 16 of tag, and the 32 letters.
    expect(one).toHaveLength(60);
    expect(one?.subarray(0, 12)).not.toEqual(other?.subarray(0, 12) as Buffer);
  });

  test("that was put there for another user, or damaged, counts for neither, and is reported", async () => {
    const [anna, bert] = [await guarded(server), await guarded(server)];
    const [annas, berts] = [secretOf(anna), secretOf(bert)];
    for (const [put1, put2] of [
      [berts, annas],
      ["AAAA", ""],
      [annas.slice(0, -8), `${berts.startsWith("A") ? "B" : "A"}${berts.slice(1)}`],
    ] as const) {
      put(anna, put1);
      put(bert, put2);
      for (const user of [anna, bert])
        for (const { secret } of [anna, bert]) {
          const code = await nextCode(server, secret);
          expectRefused(await signInWithBoth(server, user, code), 401, "Unauthorized");
          expectInvalid(await disable(server, user.token, { code }), "/code");
          expectInvalid(await regenerate(server, user.token, { code }), "/code");
        }
    }
    expect(done(await status(server, anna.token)).enabled).toBe(true);
    for (const { id, secret, backupCodes } of [anna, bert]) {
      const [line] = await linesOf(server, `"user_id":"${id}"`);
      expect(line).toContain('"level":"error"');
      for (const text of [secret, ...backupCodes]) expect(server.output).not.toContain(text);
    }
    // The backup codes don't depend on it: the user gets in, and can set it up anew.
    const { session_token } = done(await signInWithBoth(server, anna, anna.backupCodes[0]));
    done(await disable(server, session_token, { code: anna.backupCodes[1] }));
    const again = await turnOn(server, anna);
    expect((await signInWithBoth(server, again)).status).toBe(200);
    // The original value works again once it is restored.
    put(bert, berts);
    expect((await signInWithBoth(server, bert)).status).toBe(200);
  });

  test("of a set-up that was put there for another user doesn't turn it on", async () => {
    const user = await newUser(server);
    const other = await guarded(server);
    done(await setUp(server, user.token));
    put(user, secretOf(other));
    const code = await nextCode(server, other.secret);
    expectInvalid(await enable(server, user.token, { code }), "/code");
    expect(done(await status(server, user.token)).enabled).toBe(false);
    done(await regenerate(server, other.token, { code }));
  });

  test("of a backup code counts for its own user alone", async () => {
    const [anna, bert] = [await guarded(server), await guarded(server)];
    write(
      server,
      `UPDATE backup_codes SET user_id = 'x' WHERE user_id = '${anna.id}'`,
      `UPDATE backup_codes SET user_id = '${anna.id}' WHERE user_id = '${bert.id}'`,
      `UPDATE backup_codes SET user_id = '${bert.id}' WHERE user_id = 'x'`,
    );
    for (const user of [anna, bert])
      for (const code of [anna.backupCodes[0], bert.backupCodes[0]])
        expectRefused(await signInWithBoth(server, user, code), 401, "Unauthorized");
    expect((await signInWithBoth(server, anna)).status).toBe(200);
  });
});

// --- Byte by byte -------------------------------------------------------------------------------------------

/** The database and the files that SQLite keeps beside it. */
const databaseFiles = (server: TestServer) =>
  readdirSync(server.dataDir)
    .filter((name) => name.startsWith("fairlead.db"))
    .map((name) => ({ name, bytes: readFileSync(join(server.dataDir, name)) }));

/** A secret in all forms in which it could have been stored. */
function formsOf(secret: string): Buffer[] {
  const forms = [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1)];
  const raw: Buffer[] = [];
  const random = /^(?:ses_|2fa_|flk_|fls_)?([A-Za-z0-9_-]{43})$/.exec(secret)?.[1];
  if (random) {
    forms.push(random);
    raw.push(Buffer.from(random, "base64url"));
  }
  if (/^[A-Z2-7]{32}$/.test(secret)) raw.push(fromBase32(secret));
  if (/^[A-Z2-9]{5}-[A-Z2-9]{5}$/.test(secret))
    forms.push(secret.replace("-", ""), secret.toLowerCase(), secret.toLowerCase().replace("-", ""));
  for (const bytes of raw) forms.push(bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, ""));
  return [...forms.map((text) => Buffer.from(text)), ...raw];
}

/** The names of the secrets that occur in any of these bytes, in any of their forms. */
const found = (secrets: Map<string, string>, places: { name: string; bytes: Buffer }[]): string[] =>
  [...secrets].flatMap(([secret, what]) =>
    places
      .filter(({ bytes }) => formsOf(secret).some((form) => bytes.includes(form)))
      .map(({ name }) => `${what} in ${name}`),
  );

/** Uses every kind of secret; returns all of them with their names. */
async function useEverySecret(server: TestServer): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const note = (what: string, ...all: (string | undefined)[]) => {
    for (const secret of all) {
      if (!secret) throw new Error(`there is no ${what}`);
      secrets.set(secret, what);
    }
  };
  note("admin's session", await server.admin());
  note("admin's password", ADMIN.password);
  note("system key", server.systemKey);

  const user: Guarded = await guarded(server);
  note("password", user.password);
  note("session", user.token);
  note("registration token", (await nextMail(server, user.email, "registration")).token);
  note("secret of the app", user.secret);
  note("backup code", ...user.backupCodes);

  // Sign-ins that are open, that succeeded, and that failed.
  const open = await challenge(server, user);
  note("challenge", open);
  expect((await verifyLogin(server, open, wrongCode(server, user.secret))).status).toBe(401);
  note("mistyped backup code", "QQQQQ-WWWWW");
  expect((await verifyLogin(server, open, "QQQQQ-WWWWW")).status).toBe(401);
  const used = await challenge(server, user);
  note("used challenge", used);
  note("second session", done(await verifyLogin(server, used, user.backupCodes[0])).session_token);
  note("wrong password", "a password that is wrong");
  expect((await signIn(server, { ...user, password: "a password that is wrong" })).status).toBe(401);
  note("unknown challenge", `2fa_${"Zy".repeat(21)}Q`);
  expect((await verifyLogin(server, `2fa_${"Zy".repeat(21)}Q`, user.backupCodes[1])).status).toBe(401);
  const checked = await server.post("/v1/auth/2fa/check", {
    token: server.systemKey,
    body: { user_id: user.id, oauth_provider: "discord" },
  });
  note("challenge of a check", done(checked).temp_token);

  // New backup codes, a set-up that is never completed, one that was turned off.
  const { backup_codes } = done(
    await regenerate(server, user.token, { code: await nextCode(server, user.secret) }),
  );
  note("new backup code", ...backup_codes);
  const pending = await newUser(server);
  note("secret of a set-up", done(await setUp(server, pending.token)).secret);
  note("session", pending.token);
  const former = await guarded(server);
  note("forgotten secret", former.secret, ...former.backupCodes);
  note("session", former.token);
  done(await disable(server, former.token, { code: former.backupCodes[0] }));

  // Resets, an open one and a used one; a changed password; a new address and a linked one.
  const change = await changePassword(server, former.token, former.password, "the second passphrase");
  expect(change.status).toBe(200);
  note("changed password", "the second passphrase");
  const reset = await resetToken(server, former);
  note("used reset token", reset);
  note("password of a reset", "the third passphrase");
  expect((await completeReset(server, reset, "the third passphrase")).status).toBe(200);
  note("reset token", await resetToken(server, pending));
  done(
    await server.post(`/v1/users/${pending.id}/email/request-change`, {
      token: pending.token,
      body: { email: "new-address@example.org" },
    }),
  );
  note("token of a new address", (await newestMail(server, "new-address@example.org")).token);

  // API keys and clients, as they were made and after.
  const token = await server.admin();
  const key = await server.createKey("gps:read");
  note("API key", key.key);
  note("API key", done(await server.post(`/v1/api-keys/${key.id}/regenerate`, { token })).key);
  const client = done(
    await server.post("/v1/oauth/clients", {
      token,
      body: {
        name: "Crew app",
        client_type: "confidential",
        redirect_uris: ["https://app.example/callback"],
        allowed_scopes: ["openid"],
      },
    }),
  );
  note("client secret", client.client_secret);
  const again = await server.post(`/v1/oauth/clients/${client.client.id}/regenerate-secret`, { token });
  note("client secret", done(again).client_secret);
  const session = await server.post("/v1/sessions", {
    token: server.systemKey,
    body: { userId: user.id, expires: "2099-01-01T00:00:00Z" },
  });
  note("session of the system", done(session).sessionToken);
  return secrets;
}

test("no secret stands in any byte of the database or of the log", async () => {
  const server = await TestServer.start({ clock: "movable", settings: { "log.level": "debug" } });
  try {
    const secrets = await useEverySecret(server);
    expect(secrets.size).toBeGreaterThan(50);
    // Once with a -wal that isn't checkpointed yet, and once after.
    const running = databaseFiles(server);
    expect(running.map(({ name }) => name)).toContain("fairlead.db-wal");
    expect(found(secrets, running)).toEqual([]);
    const log = { name: "the log", bytes: Buffer.from(await outputOfWholeRun(server)) };
    const after = databaseFiles(server);
    expect(found(secrets, [...after, log])).toEqual([]);
    // The search finds a text that does stand there.
    expect(found(new Map([["Crew app", "a name"]]), after)).toContain("a name in fairlead.db");
    expect(found(new Map([["/v1/auth/2fa/verify", "a path"]]), [log])).toEqual(["a path in the log"]);
  } finally {
    await server.stop();
  }
});
