import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addressBlock } from "../../../src/kernel/http/client";
import type { Answer } from "../../support/api";
import { auditRows } from "../../support/events";
import { statuses } from "../../support/expectations";
import { newPerson, newUser, register, type User, verifyRegistration } from "../../support/people";
import { type Settings, TestServer } from "../../support/server";
import { askReset, changePassword, completeReset, registrationState, verifyEmail } from "./support";

/**
 * The keys under `rate_limit`: login, a registration and a password reset count per address, a
 * password change per session. Failures per identifier: tests/identity/passwords/login-failures.test.ts;
 * emails of resets: reset-again.test.ts.
 */
const WRONG = "not the password";

let server: TestServer;
let anna: User;
async function start(settings: Settings) {
  server = await TestServer.start({ clock: "movable", settings });
  anna = await newUser(server);
}

/** A sign-in from an address, as a trusted proxy reports it. */
const login = (address: string, identifier: string, password = WRONG) =>
  server.post("/v1/auth/login", {
    body: { identifier, password },
    headers: { "x-forwarded-for": address },
  });

/** Addresses that no test used before (TEST-NET-3). */
let used = 0;
const newAddress = () => `203.0.113.${++used}`;

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:DB8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1", "fe80:0:0:0::/64"],
  ["unknown", "unknown"],
])("limits count the address %s as %s", (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

describe("with the default limit", () => {
  beforeAll(() => start({ "rate_limit.enabled": "true", "server.trusted_proxies": "127.0.0.1" }));
  afterAll(() => server.stop());

  test("an address has 10 attempts in 60 seconds, whoever it names and whether they succeed", async () => {
    const address = newAddress();
    for (let attempt = 1; attempt <= 10; attempt++) {
      const succeeds = attempt === 3;
      const answer = succeeds
        ? await login(address, anna.username, anna.password)
        : await login(address, `nobody_${attempt}`);
      expect(answer.status).toBe(succeeds ? 200 : 401);
      expect(answer.headers.get("ratelimit-limit")).toBe("10");
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(10 - attempt));
      expect(Number(answer.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
      expect(Number(answer.headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
    }
    const before = auditRows(server).length;
    const { status, body, headers } = await login(address, anna.username, anna.password);
    expect([status, body.error]).toEqual([429, "TooManyRequests"]);
    expect(headers.get("ratelimit-limit")).toBe("10");
    expect(headers.get("ratelimit-remaining")).toBe("0");
    expect(headers.get("retry-after")).toBe(headers.get("ratelimit-reset"));
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    // No password was checked.
    expect(auditRows(server).length).toBe(before);
  });

  test("other addresses go on meanwhile", async () => {
    const address = newAddress();
    for (let attempt = 1; attempt <= 11; attempt++) await login(address, `anybody_${attempt}`);
    expect((await login(address, "somebody")).status).toBe(429);
    expect((await login(newAddress(), "somebody")).status).toBe(401);
  });

  test("the addresses of one IPv6 network are one customer's, and IPv4 addresses stay apart", async () => {
    const attempt = async (address: string) => (await login(address, newPerson().username)).status;
    for (let host = 1; host <= 10; host++) expect(await attempt(`2001:db8:4:5:${host}::7`)).toBe(401);
    for (const same of ["2001:db8:4:5::", "2001:DB8:4:5:ffff:ffff:ffff:ffff"])
      expect(await attempt(same)).toBe(429);
    for (const other of ["2001:db8:4:6::7", "::1"]) expect(await attempt(other)).toBe(401);
    // Different spellings of one IPv4 address share a count.
    const [address, neighbour] = [newAddress(), newAddress()];
    for (let count = 1; count <= 10; count++)
      expect(await attempt(count % 2 ? address : `::ffff:${address}`)).toBe(401);
    expect(await attempt(`::ffff:${address}`)).toBe(429);
    expect(await attempt(address)).toBe(429);
    expect(await attempt(`::ffff:${neighbour}`)).toBe(401);
  });

  test("the count starts anew when the window ends", async () => {
    const address = newAddress();
    for (let attempt = 1; attempt <= 11; attempt++) await login(address, `late_${attempt}`);
    const refused = await login(address, anna.username, anna.password);
    expect(refused.status).toBe(429);
    await server.advance(Number(refused.headers.get("retry-after")) * 1_000);
    const { status, headers } = await login(address, anna.username, anna.password);
    expect([status, headers.get("ratelimit-remaining")]).toEqual([200, "9"]);
  });

  test("requests with a session are not limited by it: writes have the general limit alone", async () => {
    for (let request = 1; request <= 15; request++)
      expect((await server.get("/v1/trips", { token: anna.token })).status).toBe(403);
    const { headers } = await server.post("/v1/trips", { token: anna.token });
    expect(headers.get("ratelimit-limit")).toBeNull();
    const own = { token: anna.token, body: { privacy_mode: true } };
    const changed = await server.patch(`/v1/users/${anna.id}`, own);
    expect(changed.headers.get("ratelimit-limit")).toBe("600");
  });
});

describe("registration, reset and password change, by default", () => {
  beforeAll(() => start({ "rate_limit.enabled": "true", "server.trusted_proxies": "127.0.0.1" }));
  afterAll(() => server.stop());

  const from = (address: string) => ({ "x-forwarded-for": address });

  /**
   * Sends the permitted number of requests at once, and one more: expects that it is refused and changes
   * nothing.
   */
  async function expectLimit(limit: number, ask: (attempt: number) => Promise<Answer>, seconds: number) {
    const answers = await Promise.all(Array.from({ length: limit }, (_, at) => ask(at + 1)));
    for (const { status, headers } of answers) {
      expect([200, 400]).toContain(status);
      expect(headers.get("ratelimit-limit")).toBe(String(limit));
    }
    const remaining = answers.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, at) => at));
    const before = [registrationState(server), auditRows(server).length];
    const { status, body, headers } = await ask(limit + 1);
    expect([status, body.error]).toEqual([429, "TooManyRequests"]);
    expect(headers.get("ratelimit-remaining")).toBe("0");
    expect(headers.get("retry-after")).toBe(headers.get("ratelimit-reset"));
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(seconds);
    expect([registrationState(server), auditRows(server).length]).toEqual(before);
  }

  test("an address registers 5 times in an hour, and others go on", async () => {
    const address = newAddress();
    await expectLimit(5, () => register(server, newPerson(), from(address)), 3_600);
    expect((await register(server, newPerson(), from(newAddress()))).status).toBe(200);
  });

  test("an address asks for 5 resets in an hour, whomever it names, and others go on", async () => {
    const address = newAddress();
    const ask = (attempt: number) =>
      askReset(server, attempt === 3 ? anna.email : newPerson().email, from(address));
    await expectLimit(5, ask, 3_600);
    expect((await askReset(server, newPerson().email, from(newAddress()))).status).toBe(200);
  });

  test("a session tries 10 passwords in 60 seconds, and others go on", async () => {
    const { session_token: other } = (await login(newAddress(), anna.username, anna.password)).body;
    await expectLimit(10, () => changePassword(server, anna.token, WRONG, "a new passphrase"), 60);
    const refused = await changePassword(server, anna.token, anna.password, "a new passphrase");
    expect(refused.status).toBe(429);
    // Ten wrong passwords cost the user's other sessions a pause of one second.
    await server.advance(1_000);
    await Bun.sleep(1_000);
    expect((await changePassword(server, other, anna.password, "a new passphrase")).status).toBe(200);
  });

  test("what a token proves is not limited", async () => {
    for (let attempt = 1; attempt <= 12; attempt++)
      for (const answer of [
        await verifyRegistration(server, "wrong"),
        await verifyEmail(server, "wrong"),
        await completeReset(server, "wrong", "a new passphrase"),
      ])
        expect(answer.status).toBe(400);
  });
});

describe("with a limit of one's own", () => {
  beforeAll(() =>
    start({
      "rate_limit.enabled": "true",
      "rate_limit.login": "3/120",
      "rate_limit.register": "2/100",
      "rate_limit.reset_password": "2/200",
    }),
  );
  afterAll(() => server.stop());

  test("it holds, and a forwarded address that nobody trusted doesn't evade it", async () => {
    const answers: Answer[] = [];
    for (let attempt = 1; attempt <= 4; attempt++)
      answers.push(await login(newAddress(), `nobody_${attempt}`));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    for (const { headers } of answers) {
      expect(headers.get("ratelimit-limit")).toBe("3");
      expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(60);
    }
  });

  test("registrations and resets have theirs", async () => {
    // Anna's registration was the first.
    const registrations = [await register(server, newPerson()), await register(server, newPerson())];
    expect(registrations.map(({ status }) => status)).toEqual([200, 429]);
    const resets = await Promise.all([1, 2, 3].map(() => askReset(server, newPerson().email)));
    expect(statuses(resets)).toEqual([200, 200, 429]);
    const refused = resets.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(100);
  });
});

describe("with rate limits off", () => {
  beforeAll(() => start({ "rate_limit.enabled": "false", "rate_limit.login": "2/60" }));
  afterAll(() => server.stop());

  test("nothing is refused and no header speaks of a limit", async () => {
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { status, headers } = await login(newAddress(), anna.username);
      expect(status).toBe(401);
      expect(headers.get("ratelimit-limit")).toBeNull();
    }
  });
});
