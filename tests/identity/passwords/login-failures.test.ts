import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { byIdentifier, openTry, pauseAfter } from "../../../src/identity/passwords/login-failures";
import { setClock } from "../../../src/kernel/time/clock";
import { statuses } from "../../support/expectations";
import { configure } from "../../support/in-process";
import { newestMail } from "../../support/mail";
import { newPerson, newUser, type User } from "../../support/people";
import { rows, write } from "../../support/rows";
import { type Settings, TestServer } from "../../support/server";
import { DAY, SECOND } from "../../support/time";
import { askReset, completeReset } from "../auth/support";
import { challenge, nextCode, turnOn, verifyLogin } from "../two-factor/support";

/** Strangers can't keep a user out by failing in that user's name, and can't guess passwords in parallel. */
const WRONG = "not the password";

let server: TestServer;
const start = (settings: Settings = {}) =>
  TestServer.start({
    clock: "movable",
    settings: {
      "rate_limit.enabled": "true",
      "rate_limit.register": "1000/60",
      "server.trusted_proxies": "127.0.0.1",
      ...settings,
    },
  });

beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

const login = (address: string, identifier: string, password = WRONG, to = server) =>
  to.post("/v1/auth/login", { body: { identifier, password }, headers: { "x-forwarded-for": address } });

/** Addresses that no test used before (RFC 2544). */
let used = 0;
const newAddress = () => `198.18.${++used >> 8}.${used & 255}`;

/** A user who has signed in only from one address, which nobody else uses. */
async function owner(of = server): Promise<User & { home: string }> {
  const user = await newUser(of);
  write(of, `DELETE FROM sign_in_addresses WHERE user_id = '${user.id}'`);
  const home = newAddress();
  expect((await login(home, user.username, user.password, of)).status).toBe(200);
  return { ...user, home };
}

/** Strangers fail `times` times, each from an address of its own; they observe Retry-After. */
async function attack(identifier: string, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const { status, headers } = await login(newAddress(), identifier);
    if (status === 401) done++;
    else await server.advance(Number(headers.get("retry-after")) * SECOND);
  }
}

test("pauses double from the tenth failure on, to 30 seconds", () => {
  const seconds = [0, 9, 10, 11, 12, 13, 14, 15, 16, 99].map((failures) => pauseAfter(failures) / SECOND);
  expect(seconds).toEqual([0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
});

describe("failures in somebody's name", () => {
  test("keep the owner out neither at home nor elsewhere: ten strangers cost a second at most", async () => {
    const user = await owner();
    const answers = [];
    for (let at = 0; at < 10; at++) answers.push(await login(newAddress(), user.username));
    expect(statuses(answers)).toEqual(Array(10).fill(401));
    expect((await login(user.home, user.username, user.password)).status).toBe(200);
    expect((await login(user.home, user.email, user.password)).status).toBe(200);
    await server.advance(SECOND);
    expect((await login(newAddress(), user.username, user.password)).status).toBe(200);
  });

  test("are followed by growing pauses, for an account and for nobody's name alike", async () => {
    const user = await owner();
    const seen = [];
    for (const identifier of [user.username, newPerson().username]) {
      const waits: unknown[] = [];
      await attack(identifier, 9);
      for (let failure = 10; failure <= 14; failure++) {
        const failed = await login(newAddress(), identifier);
        const refused = await login(newAddress(), identifier.toUpperCase(), user.password);
        const wait = Number(refused.headers.get("retry-after"));
        waits.push([failed.status, failed.body, refused.status, wait]);
        expect(refused.headers.get("ratelimit-remaining")).toBe("0");
        await server.advance(wait * SECOND);
      }
      seen.push(waits);
    }
    expect(seen[0]).toEqual(seen[1] ?? []);
    const waits = (seen[0] as [number, object, number, number][]).map(([, , status, wait]) => [status, wait]);
    // A second may have passed since.
    for (const [at, [status, wait]] of waits.entries()) {
      expect(status).toBe(429);
      expect(wait).toBeGreaterThan(2 ** at / 2);
      expect(wait).toBeLessThanOrEqual(2 ** at);
    }
  });

  test("end after a hundred for the rest of the hour, and home stays open", async () => {
    const user = await owner();
    await attack(user.username, 100);
    await server.advance(31 * SECOND);
    const refused = await login(newAddress(), user.username, user.password);
    expect([refused.status, refused.body.error]).toEqual([429, "TooManyRequests"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(5 * 60);
    expect((await login(user.home, user.username, user.password)).status).toBe(200);
    await server.advance(Number(refused.headers.get("retry-after")) * SECOND);
    expect((await login(newAddress(), user.username)).status).toBe(401);
  });

  test("count by what was typed: a name tells nothing of the address that belongs to it", async () => {
    const user = await owner();
    await attack(user.username, 12);
    expect((await login(newAddress(), user.username)).status).toBe(429);
    expect((await login(newAddress(), user.email)).status).toBe(401);
  });

  test("at home have a count of their own, which strangers don't feel", async () => {
    const user = await owner();
    for (let at = 0; at < 9; at++) expect((await login(user.home, user.username)).status).toBe(401);
    await server.advance(61 * SECOND);
    expect((await login(user.home, user.username)).status).toBe(401);
    expect((await login(user.home, user.username, user.password)).status).toBe(429);
    expect((await login(newAddress(), user.username, user.password)).status).toBe(200);
  });

  test("at home count by what was typed too: a neighbour learns no address that belongs to a name", async () => {
    const user = await owner();
    for (let at = 0; at < 9; at++) expect((await login(user.home, user.username)).status).toBe(401);
    await server.advance(61 * SECOND);
    expect((await login(user.home, user.username)).status).toBe(401);
    expect((await login(user.home, user.username)).status).toBe(429);
    for (const email of [user.email, newPerson().email])
      expect((await login(user.home, email)).status).toBe(401);
  });

  test("count alone: successes are free", async () => {
    const user = await owner();
    for (let at = 0; at < 15; at++)
      expect((await login(newAddress(), user.username, user.password)).status).toBe(200);
  });

  test("that come at once are no more than are allowed one after another", async () => {
    const user = await owner();
    const tries = Array.from({ length: 40 }, () => login(newAddress(), user.username));
    expect(statuses(await Promise.all(tries))).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
    await server.advance(SECOND);
    const more = Array.from({ length: 10 }, () => login(newAddress(), user.username));
    expect(statuses(await Promise.all(more))).toEqual([401, ...Array(9).fill(429)]);
    const own = Array.from({ length: 8 }, () => login(user.home, user.username, user.password));
    expect(statuses(await Promise.all(own))).toEqual(Array(8).fill(200));
  });
});

describe("an address counts as the user's", () => {
  test("for 30 days, and again after the next sign-in", async () => {
    const user = await owner();
    await server.advance(29 * DAY);
    await attack(user.username, 12);
    expect((await login(user.home, user.username)).status).toBe(401);
    await server.advance(1.5 * DAY);
    await attack(user.username, 12);
    expect((await login(user.home, user.username, user.password)).status).toBe(429);
    await server.advance(31 * SECOND);
    expect((await login(user.home, user.username, user.password)).status).toBe(200);
    await attack(user.username, 12);
    expect((await login(user.home, user.username, user.password)).status).toBe(200);
  });

  test("after the second factor, not after the password alone", async () => {
    const { token: _, ...plain } = await owner();
    const { session_token: token } = (await login(plain.home, plain.username, plain.password)).body;
    const user = await turnOn(server, { ...plain, token, sessionId: "" });
    const cafe = newAddress();
    const { temp_token } = (await login(cafe, user.username, user.password)).body;
    await attack(user.username, 12);
    expect((await login(cafe, user.username, user.password)).status).toBe(429);
    const code = await nextCode(server, user.secret);
    expect((await verifyLogin(server, temp_token, code, { "x-forwarded-for": cafe })).status).toBe(200);
    expect((await login(cafe, user.username, user.password)).status).toBe(200);
    expect(await challenge(server, user).catch(() => "refused")).toBe("refused");
  });

  test("once it completed a reset: whoever has the mailbox gets in", async () => {
    const user = await owner();
    await attack(user.username, 12);
    const cafe = { "x-forwarded-for": newAddress() };
    await askReset(server, user.email, cafe);
    const { token } = await newestMail(server, user.email);
    const body = { token, new_password: "a new passphrase" };
    expect((await server.post("/v1/auth/reset-password/complete", { body, headers: cafe })).status).toBe(200);
    expect((await login(cafe["x-forwarded-for"], user.username, body.new_password)).status).toBe(200);
    expect((await completeReset(server, token, "x".repeat(10))).status).toBe(400);
  });

  test("by a keyed hash, for fifty addresses at most, and until the account is deleted", async () => {
    const user = await owner();
    const of = () =>
      rows<{ at: number }>(server, "SELECT 1 FROM sign_in_addresses WHERE user_id = ?", user.id);
    const old = Array.from({ length: 60 }, (_, at) => `('${user.id}', 'older ${at}', ${at})`);
    write(server, `INSERT INTO sign_in_addresses (user_id, address_hash, last_at) VALUES ${old.join(", ")}`);
    expect((await login(user.home, user.username, user.password)).status).toBe(200);
    expect(of()).toHaveLength(50);
    const hash = "SELECT address_hash FROM sign_in_addresses WHERE user_id = ?";
    expect(JSON.stringify(rows(server, hash, user.id))).not.toContain(user.home);
    const admin = { token: await server.admin(), body: { reason: "test" } };
    expect((await server.post(`/v1/admin/users/${user.id}/force-delete`, admin)).status).toBe(200);
    expect(of()).toEqual([]);
  });
});

describe("with a limit of one's own", () => {
  test("parallel tries can't pass it", async () => {
    const own = await start({ "rate_limit.login_failures": "3/600" });
    try {
      const { username } = newPerson();
      const tries = Array.from({ length: 20 }, () => login(newAddress(), username, WRONG, own));
      expect(statuses(await Promise.all(tries))).toEqual([...Array(3).fill(401), ...Array(17).fill(429)]);
      const refused = await login(newAddress(), username, WRONG, own);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(500);
    } finally {
      await own.stop();
    }
  });

  test("nothing is refused where rate limits are off", async () => {
    const own = await start({ "rate_limit.enabled": "false", "rate_limit.login_failures": "2/600" });
    try {
      for (let at = 0; at < 12; at++)
        expect((await login(newAddress(), "nobody", WRONG, own)).status).toBe(401);
    } finally {
      await own.stop();
    }
  });
});

test("a flood of other identifiers makes nobody forget one that failed ten times", () => {
  configure();
  setClock(() => 0);
  const fail = (identifier: string) => {
    const attempt = openTry(byIdentifier(identifier));
    attempt.fail();
    attempt.close();
  };
  for (let failure = 1; failure <= 10; failure++) fail("victim");
  fail("forgotten");
  for (let at = 0; at <= 100_000; at++) fail(`flood ${at}`);
  expect(() => openTry(byIdentifier("victim"))).toThrow("Too many failed sign-ins");
  // The memory is bounded: nine more failures are free, since the first one was pushed out.
  for (let failure = 1; failure <= 9; failure++) fail("forgotten");
  expect(() => openTry(byIdentifier("forgotten"))).not.toThrow();
  setClock();
});

test("a try that has failed counts once, though what follows from it isn't committed yet", () => {
  configure();
  const open = () => openTry(byIdentifier("one by one"));
  const failed = open();
  failed.fail();
  const others = Array.from({ length: 9 }, open);
  expect(open).toThrow("Too many failed sign-ins");
  for (const attempt of [failed, ...others]) attempt.close();
  // Nine places are free again, and the failure stays.
  const again = Array.from({ length: 9 }, open);
  expect(open).toThrow("Too many failed sign-ins");
  for (const attempt of again) attempt.close();
});
