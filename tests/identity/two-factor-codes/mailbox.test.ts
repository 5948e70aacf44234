import { afterAll, beforeAll, expect, test } from "bun:test";
import { done, expectRefused } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { TestServer } from "../../support/server";

import { type Guarded, guarded, nextCode, verifyLogin, wrongCode } from "../two-factor/support";

/**
 * Somebody who reads the user's email has a new password whenever they want. The second factor must not be
 * found that way: a reset forgives wrong codes once, until a right one.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "rate_limit.enabled": "true", "server.trusted_proxies": "127.0.0.1" },
  });
});
afterAll(() => server.stop());

type From = Record<string, string>;

let used = 0;
const newAddress = (): From => ({ "x-forwarded-for": `198.18.2.${++used}` });

/** Resets the password by email, from an address. */
async function reset(user: Guarded, from: From): Promise<void> {
  done(await server.post("/v1/auth/reset-password", { body: { email: user.email }, headers: from }));
  const links = (await mailsTo(server, user.email)).filter(({ kind }) => kind === "password_reset");
  user.password = `the passphrase of reset ${links.length}`;
  const body = { token: links.at(-1)?.token, new_password: user.password };
  done(await server.post("/v1/auth/reset-password/complete", { body, headers: from }));
}

const logIn = ({ username, password }: Guarded, from: From) =>
  server.post("/v1/auth/login", { body: { identifier: username, password }, headers: from });

const signIn = async (user: Guarded, code: string, from: From) =>
  verifyLogin(server, done(await logIn(user, from)).temp_token, code, from);

/** Tries wrong codes from an address until one is no longer looked at. Returns how many were. */
async function tryCodes(user: Guarded, from: From): Promise<number> {
  for (let looked = 0; ; looked++)
    if ((await signIn(user, wrongCode(server, user.secret), from)).status !== 401) return looked;
}

test("resets of the password from ever new addresses give five codes twice, and then none", async () => {
  const user = await guarded(server);
  const looked: number[] = [];
  for (let resets = 0; resets < 5; resets++) {
    const from = newAddress();
    await reset(user, from);
    looked.push(await tryCodes(user, from));
  }
  // The reader of the mail has tried at home and as a stranger.
  expect(looked).toEqual([5, 5, 0, 0, 0]);
});

test("a second reset unlocks nothing until a right code was entered, or for 30 days", async () => {
  const user = await guarded(server);
  const [first, second] = [newAddress(), newAddress()];
  await reset(user, first);
  for (let failures = 0; failures < 100; )
    if ((await signIn(user, wrongCode(server, user.secret), first)).status === 401) failures++;
    else await server.advance(4 * HOUR);
  await reset(user, second);
  expectRefused(await logIn(user, second), 403, "TwoFactorLocked");
  await server.advance(30 * DAY);
  await reset(user, second);
  expect((await signIn(user, await nextCode(server, user.secret), second)).status).toBe(200);
});

test("whoever has entered a right code since is forgiven again", async () => {
  const user = await guarded(server);
  const from = newAddress();
  for (let times = 0; times < 3; times++) {
    await reset(user, from);
    expect(await tryCodes(user, from)).toBe(5);
    await server.advance(MINUTE);
    expect((await signIn(user, await nextCode(server, user.secret), newAddress())).status).toBe(200);
  }
});
