import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/server";
import { externalUser } from "./accounts-support";
import { askReset, login, mailsTo, registered } from "./registration-support";
import type { TestUser } from "./support";

/** Decisions 3.2 and 3.8: how long an answer takes tells nothing of whether an account exists. */

const ROUNDS = 3;

let server: TestServer;
let anna: TestUser;
beforeAll(async () => {
  server = await TestServer.start();
  anna = await registered(server);
});
afterAll(() => server.stop());

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Milliseconds that each kind of request takes: medians over many, interleaved so that a busy machine slows all. */
async function medians(kinds: (() => Promise<unknown>)[], times: number, between: () => Promise<unknown>) {
  const took: number[][] = kinds.map(() => []);
  for (let time = 0; time < times; time++)
    for (const [at] of kinds.entries()) {
      // Another order each time: none always follows the same one.
      const kind = (at + time) % kinds.length;
      await between();
      const start = performance.now();
      await kinds[kind]?.();
      took[kind]?.push(performance.now() - start);
    }
  return took.map(median);
}

/**
 * Expects that the slowest kind takes at most `bound` times as long as the fastest. Measures up to three times: a
 * machine that was busy with something else is no finding, a real difference stays.
 */
async function expectEqualTime(
  kinds: (() => Promise<unknown>)[],
  times: number,
  bound: number,
  between: () => Promise<unknown> = async () => {},
) {
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS && ratio > bound; round++) {
    const measured = await medians(kinds, times, between);
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
      20,
      // The rows and the email of a known address make it 1.4.
      1.15,
      // The email is delivered after the answer: not in the time of the next request.
      () => mailsTo(server, "nobody@example.org"),
    );
  });
});
