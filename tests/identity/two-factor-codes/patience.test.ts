import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pauseAfter } from "../../../src/identity/two-factor-codes/failures";
import { ask, refusalOf } from "../../graphql/support";
import type { Answer } from "../../support/api";
import { eventsAbout } from "../../support/events";
import { done, expectRefused, statuses } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import type { User } from "../../support/people";
import { rows, write } from "../../support/rows";
import { type Settings, TestServer } from "../../support/server";
import { HOUR } from "../../support/time";
import { completeReset, resetToken } from "../auth/support";
import {
  check,
  disable,
  type Guarded,
  guarded,
  nextCode,
  regenerate,
  verifyLogin,
  wrongCode,
} from "../two-factor/support";

/** A person with the password can't find a second factor by patience. */
const MANY = "100000/60";

const start = (settings: Settings = {}, dataDir?: string) =>
  TestServer.start({
    clock: "movable",
    ...(dataDir && { dataDir }),
    settings: {
      "rate_limit.enabled": "true",
      "rate_limit.login": MANY,
      "rate_limit.register": MANY,
      "rate_limit.two_factor": MANY,
      "server.trusted_proxies": "127.0.0.1",
      ...settings,
    },
  });

let server: TestServer;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

let used = 0;
const newAddress = () => ({ "x-forwarded-for": `198.18.1.${++used}` });
const HOME = { "x-forwarded-for": "127.0.0.1" };

type From = Record<string, string>;

const logIn = ({ username, password }: User, from: From, to = server) =>
  to.post("/v1/auth/login", { body: { identifier: username, password }, headers: from });

/** Both steps of a sign-in from an address, with a code. */
async function signIn(user: User, code: string, from: From = newAddress(), to = server): Promise<Answer> {
  return verifyLogin(to, done(await logIn(user, from, to)).temp_token, code, from);
}

const wrong = (user: Guarded, from?: From, to = server) => signIn(user, wrongCode(to, user.secret), from, to);

/** Strangers send `times` wrong codes, and observe Retry-After. */
async function guess(user: Guarded, times: number): Promise<void> {
  for (let tried = 0; tried < times; ) {
    const { status, headers } = await wrong(user);
    if (status === 401) tried++;
    else await server.advance(Number(headers.get("retry-after")) * 1_000);
  }
}

const alarms = async ({ email }: User, of = server) =>
  (await mailsTo(of, email)).filter(({ kind }) => kind === "two_factor_failures");

describe("pauses", () => {
  test("leave 17 tries on the first day, 6 on the next, and end after 15 days", () => {
    const times = [0];
    for (let failures = 1; failures < 100; failures++)
      times.push((times.at(-1) ?? 0) + pauseAfter(failures) / HOUR);
    const between = (start: number, end: number) => times.filter((at) => at >= start && at < end).length;
    expect([between(0, 24), between(24, 48), between(240, 264)]).toEqual([17, 6, 6]);
    expect((times.at(-1) ?? 0) / 24).toBeCloseTo(14.7, 1);
  });

  test("begin with the fifth wrong code, double, and look at no code meanwhile", async () => {
    const user = await guarded(server);
    for (let times = 0; times < 4; times++) expect((await wrong(user)).status).toBe(401);
    for (const minutes of [1, 2, 4]) {
      expect((await wrong(user)).status).toBe(401);
      const answer = await signIn(user, user.backupCodes[0] as string);
      expectRefused(answer, 429, "TooManyRequests");
      const wait = Number(answer.headers.get("retry-after"));
      expect(wait).toBeLessThanOrEqual(minutes * 60);
      expect(wait).toBeGreaterThan(minutes * 60 - 30);
      await server.advance(wait * 1_000);
    }
    expect((await signIn(user, user.backupCodes[0] as string)).status).toBe(200);
    // A right code resets the count.
    for (let times = 0; times < 4; times++) expect((await wrong(user)).status).toBe(401);
    expect((await signIn(user, user.backupCodes[1] as string)).status).toBe(200);
  });

  test("of strangers don't keep the owner out, nor does the owner's success shorten them", async () => {
    const user = await guarded(server);
    await guess(user, 7);
    expect((await signIn(user, await nextCode(server, user.secret), HOME)).status).toBe(200);
    expect((await signIn(user, user.backupCodes[0] as string)).status).toBe(429);
    const { token } = user;
    expect((await regenerate(server, token, { code: await nextCode(server, user.secret) })).status).toBe(200);
  });

  test("hold at home too, for what is tried there", async () => {
    const user = await guarded(server);
    for (let times = 0; times < 5; times++) expect((await wrong(user, HOME)).status).toBe(401);
    expect((await signIn(user, user.backupCodes[0] as string, HOME)).status).toBe(429);
    expect((await signIn(user, user.backupCodes[0] as string)).status).toBe(200);
  });

  test("hold for all operations that take a code, whichever was tried", async () => {
    const user = await guarded(server);
    const code = wrongCode(server, user.secret);
    const { token } = user;
    const right = user.backupCodes[0] as string;
    const from = newAddress();
    const tried = [
      await server.delete("/v1/users/me/2fa", { token, body: { code }, headers: from }),
      await server.post("/v1/users/me/2fa/backup-codes/regenerate", { token, body: { code }, headers: from }),
      await server.post("/v1/users/me/deletion", {
        token,
        body: { password: user.password, code },
        headers: from,
      }),
      await wrong(user, from),
      await wrong(user),
    ];
    expect(statuses(tried)).toEqual([400, 400, 400, 401, 401]);
    const refused = [
      await server.delete("/v1/users/me/2fa", { token, body: { code: right }, headers: from }),
      await server.post("/v1/users/me/2fa/backup-codes/regenerate", {
        token,
        body: { code: await nextCode(server, user.secret) },
        headers: from,
      }),
      await server.post("/v1/users/me/deletion", {
        token,
        body: { password: user.password, code: right },
        headers: from,
      }),
      await signIn(user, right),
    ];
    expect(statuses(refused)).toEqual([429, 429, 429, 429]);
  });

  test("can't be evaded by codes that come at once", async () => {
    const user = await guarded(server);
    const code = wrongCode(server, user.secret);
    const tokens: string[] = [];
    for (let number = 0; number < 6; number++) tokens.push(done(await logIn(user, newAddress())).temp_token);
    const asks = Array.from({ length: 24 }, (_, at) =>
      verifyLogin(server, tokens[at % 6], code, newAddress()),
    );
    expect(statuses(await Promise.all(asks))).toEqual([...Array(5).fill(401), ...Array(19).fill(429)]);
  });

  test("survive a restart, and so do a stranger's many challenges", async () => {
    const before = await start();
    const user = await guarded(before);
    for (let times = 0; times < 5; times++) expect((await wrong(user, undefined, before)).status).toBe(401);
    await before.stop();
    const after = await start({}, before.dataDir);
    try {
      const answer = await signIn(user, user.backupCodes[0] as string, newAddress(), after);
      expectRefused(answer, 429, "TooManyRequests");
    } finally {
      await after.stop();
    }
  });
});

describe("ten wrong codes in a row", () => {
  test("send an email, once", async () => {
    const user = await guarded(server);
    await guess(user, 9);
    expect(await alarms(user)).toEqual([]);
    await guess(user, 4);
    const [mail, ...more] = await alarms(user);
    expect(mail?.text).toContain("10 wrong codes");
    expect(more).toEqual([]);
  });

  test("send it also to whoever signs in in between", async () => {
    const user = await guarded(server);
    await guess(user, 6);
    expect((await signIn(user, await nextCode(server, user.secret), HOME)).status).toBe(200);
    await guess(user, 4);
    expect(await alarms(user)).toHaveLength(1);
  });
});

describe("a hundred wrong codes in a row", () => {
  let own: TestServer;
  beforeAll(async () => {
    own = await start({ "rate_limit.enabled": "false" });
  });
  afterAll(() => own.stop());

  const lock = async (user: Guarded) => {
    write(own, `UPDATE two_factor SET failures = 99 WHERE user_id = '${user.id}'`);
    expect((await wrong(user, HOME, own)).status).toBe(401);
  };
  const isLocked = async (user: Guarded) => (await logIn(user, HOME, own)).body.error === "TwoFactorLocked";
  const unlock = (id: string, token: string) => own.post(`/v1/users/${id}/2fa/unlock`, { token });

  test("end the way, wherever they came from, and tell the user and the audit log", async () => {
    const user = await guarded(own);
    const spared = done(await logIn(user, HOME, own)).temp_token;
    const code = wrongCode(own, user.secret);
    for (let challenges = 0; challenges < 20; challenges++) {
      const { temp_token } = done(await logIn(user, HOME, own));
      for (let times = 0; times < 5; times++)
        expect((await verifyLogin(own, temp_token, code)).status).toBe(401);
    }
    expectRefused(await logIn(user, newAddress(), own), 403, "TwoFactorLocked");
    expectRefused(await logIn(user, HOME, own), 403, "TwoFactorLocked");
    expect((await logIn({ ...user, password: "not the password" }, HOME, own)).status).toBe(401);
    expectRefused(await verifyLogin(own, spared, await nextCode(own, user.secret)), 401, "Unauthorized");
    expectRefused(await check(own, { user_id: user.id }), 403, "TwoFactorLocked");
    const [backup] = user.backupCodes;
    expectRefused(await disable(own, user.token, { code: backup }), 403, "TwoFactorLocked");
    const mutation = `mutation { disableTwoFactor(input: { code: "${backup}" }) }`;
    expect(refusalOf(await ask(own, mutation, { token: user.token })).code).toBe("TwoFactorLocked");
    expect(rows(own, "SELECT user_id FROM backup_codes WHERE user_id = ?", user.id)).toHaveLength(10);
    expect(eventsAbout(own, user.id, "2fa_locked")).toHaveLength(1);
    expect((await alarms(user, own)).map(({ text }) => /(\d+) wrong codes/.exec(text)?.[1])).toEqual([
      "10",
      "100",
    ]);
    await own.stop();
    own = await start({ "rate_limit.enabled": "false" }, own.dataDir);
    expect(await isLocked(user)).toBe(true);
  });

  test("are no hundred with a right one among them", async () => {
    const user = await guarded(own);
    write(own, `UPDATE two_factor SET failures = 99 WHERE user_id = '${user.id}'`);
    expect((await signIn(user, await nextCode(own, user.secret), HOME, own)).status).toBe(200);
    for (let times = 0; times < 3; times++) expect((await wrong(user, HOME, own)).status).toBe(401);
    expect(await isLocked(user)).toBe(false);
  });

  test("are forgotten when the password is reset, and not when it is changed", async () => {
    const user = await guarded(own);
    await lock(user);
    const passwords = { current_password: user.password, new_password: "a changed passphrase" };
    done(await own.post("/v1/users/me/password", { token: user.token, body: passwords }));
    user.password = "a changed passphrase";
    expect(await isLocked(user)).toBe(true);
    user.password = "a passphrase of the reset";
    done(await completeReset(own, await resetToken(own, user), user.password));
    expect((await signIn(user, await nextCode(own, user.secret), newAddress(), own)).status).toBe(200);
    expect(eventsAbout(own, user.id, "2fa_unlocked")).toMatchObject([
      { actor_id: null, metadata: '{"by":"password reset"}' },
    ]);
  });

  test("are forgotten by an administrator's leave, and nobody else's", async () => {
    const [user, other] = [await guarded(own), await guarded(own)];
    const [staff, boss] = [await guarded(own, "role_admin"), await guarded(own, "role_super_admin")];
    await lock(user);
    for (const token of [user.token, other.token])
      expectRefused(await unlock(user.id, token), 403, "Forbidden");
    expect(await isLocked(user)).toBe(true);
    await lock(boss);
    // Refused to a caller with fewer permissions, and for the own account.
    for (const { token } of [staff, boss]) expectRefused(await unlock(boss.id, token), 403, "Forbidden");
    expect(await isLocked(boss)).toBe(true);
    expect((await unlock("0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02", own.systemKey)).status).toBe(404);
    expect((await unlock("nonsense", own.systemKey)).status).toBe(400);

    expect((await unlock(user.id, staff.token)).body.success).toBe(true);
    expect((await signIn(user, await nextCode(own, user.secret), HOME, own)).status).toBe(200);
    expect(eventsAbout(own, user.id, "2fa_unlocked")).toMatchObject([{ actor_id: staff.id }]);
    // There is no count left to remove, and no event to write.
    expect((await unlock(user.id, own.systemKey)).status).toBe(200);
    expect(eventsAbout(own, user.id, "2fa_unlocked")).toHaveLength(1);
    expect((await unlock(boss.id, own.systemKey)).status).toBe(200);
    expect(await isLocked(boss)).toBe(false);
  });
});
