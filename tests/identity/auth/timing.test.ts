import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { login } from "../../support/credentials";
import { externalUser, newUser, type User } from "../../support/people";
import { holdCommits } from "../../support/rows";
import { TestServer } from "../../support/server";
import { askReset } from "./support";

/** The time of an answer reveals nothing about the existence of an account (rules A2 and C2). */

const ROUNDS = 5;

/** Milliseconds between the times at which a password reset may be answered. */
const STEP = 500;

let server: TestServer;
let anna: User;
beforeAll(async () => {
  server = await TestServer.start({ hashes: "full" });
  anna = await newUser(server);
});
afterAll(() => server.stop());

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Milliseconds that each kind of request takes: medians over many, interleaved so that a busy machine slows all. */
async function medians(kinds: (() => Promise<unknown>)[], times: number) {
  const took: number[][] = kinds.map(() => []);
  for (let time = 0; time < times; time++)
    for (const [at] of kinds.entries()) {
      // Another order each time: no kind always follows the same one.
      const kind = (at + time) % kinds.length;
      const start = performance.now();
      await kinds[kind]?.();
      took[kind]?.push(performance.now() - start);
    }
  return took.map(median);
}

/**
 * Expects that the slowest kind takes at most `bound` times as long as the fastest. Measures up to five times: a
 * machine that was busy with something else is no finding, a real difference stays.
 */
async function expectEqualTime(kinds: (() => Promise<unknown>)[], times: number, bound: number) {
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS && ratio > bound; round++) {
    const measured = await medians(kinds, times);
    ratio = Math.max(...measured) / Math.min(...measured);
  }
  expect(ratio).toBeLessThanOrEqual(bound);
}

describe("equal time", () => {
  test("of a sign-in with an unknown identifier, a wrong password, and for an account without one", async () => {
    const external = await externalUser(server);
    const wrong = "not the password";
    const identifiers = ["nobody", anna.username, anna.email, external.username];
    await expectEqualTime(
      identifiers.map((identifier) => () => login(server, identifier, wrong)),
      12,
      // A hash that is skipped makes it ten times and more.
      1.5,
    );
  });

  test("of a password reset for an address that is known and for one that isn't", async () => {
    const addresses = [anna.email, "nobody@example.org"];
    await expectEqualTime(
      addresses.map((address) => () => askReset(server, address)),
      3,
      // Without the fixed times, the rows and the email of a known address make it 1.4.
      1.15,
    );
  });

  test("of a password reset, also when storing it takes long: what the answer waits for is a fixed time", async () => {
    const held = 300;
    const times: number[] = [];
    // Of several, since a busy machine makes any of them late; if the wait were added, none could be early.
    for (let round = 1; round <= ROUNDS && !times.some((time) => time < STEP + held); round++) {
      const release = holdCommits(server);
      const start = performance.now();
      const answered = askReset(server, anna.email).then(() => performance.now() - start);
      await Bun.sleep(held);
      release();
      times.push(await answered);
    }
    expect(Math.min(...times)).toBeGreaterThanOrEqual(STEP);
    expect(Math.min(...times)).toBeLessThan(STEP + held);
  });
});
