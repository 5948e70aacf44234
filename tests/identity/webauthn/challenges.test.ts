import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { usedPasskeyChallenges } from "../../../src/identity/passkeys/table";
import {
  CHALLENGE_LIFETIME,
  forgetUsedChallenges,
  newChallenge,
  takeChallenge,
} from "../../../src/identity/webauthn/challenges";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { db, openDatabase } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { DAY, MINUTE, setClock } from "../../../src/kernel/time/clock";
import { configure } from "../../support/in-process";

/** Challenges by themselves: their seal, their time, and the memory of those that were answered. */

const START = Date.UTC(2026, 4, 4);
const at = (offset: number) => setClock(() => START + offset);

beforeAll(() => {
  configure();
  useMasterKey(randomBytes(32));
  openDatabase(":memory:", "normal");
  migrate();
});
beforeEach(() => at(0));
afterAll(() => {
  closeDatabase();
  setClock();
});

const take = (...which: Parameters<typeof takeChallenge>): Promise<boolean> =>
  transact(() => takeChallenge(...which));
const stored = () => db.select().from(usedPasskeyChallenges).all().length;

test("are long, all different, and cost no memory before they are answered", () => {
  const made = new Set(Array.from({ length: 1_000 }, () => newChallenge("sign-in", "")));
  expect(made.size).toBe(1_000);
  for (const one of made) expect(one).toMatch(/^[\w-]{86}$/);
  expect(stored()).toBe(0);
});

test("count for one purpose and one subject", async () => {
  const challenge = newChallenge("reauthentication", "session 1");
  expect(await take("sign-in", "session 1", challenge)).toBe(false);
  expect(await take("reauthentication", "session 2", challenge)).toBe(false);
  expect(await take("reauthentication", "session 1", challenge)).toBe(true);
  expect(await take("reauthentication", "session 1", challenge)).toBe(false);
});

test("count in the one form that was given, and with each bit of it", async () => {
  const challenge = newChallenge("sign-in", "");
  const bytes = Buffer.from(challenge, "base64url");
  for (const spoiled of [`${challenge}=`, `${challenge}A`, ` ${challenge}`, challenge.slice(1), "", "é"])
    expect(await take("sign-in", "", spoiled)).toBe(false);
  for (let byte = 0; byte < bytes.length; byte++) {
    const changed = Buffer.from(bytes);
    changed[byte] = (changed[byte] as number) ^ 1;
    expect(await take("sign-in", "", changed.toString("base64url"))).toBe(false);
  }
  expect(await take("sign-in", "", challenge)).toBe(true);
});

test("count for five minutes, and not from a clock that was far ahead", async () => {
  const [first, second] = [newChallenge("sign-in", ""), newChallenge("sign-in", "")];
  at(CHALLENGE_LIFETIME - 1);
  expect(await take("sign-in", "", first)).toBe(true);
  at(CHALLENGE_LIFETIME);
  expect(await take("sign-in", "", second)).toBe(false);
  at(CHALLENGE_LIFETIME + DAY);
  const ahead = newChallenge("sign-in", "");
  at(0);
  expect(await take("sign-in", "", ahead)).toBe(false);
});

test("are remembered for a day once used, so that a clock set back by hours opens none again", async () => {
  const challenge = newChallenge("sign-in", "");
  expect(await take("sign-in", "", challenge)).toBe(true);
  const before = stored();
  at(DAY - MINUTE);
  await forgetUsedChallenges();
  expect(stored()).toBe(before);
  at(0);
  expect(await take("sign-in", "", challenge)).toBe(false);
  at(DAY + CHALLENGE_LIFETIME);
  await forgetUsedChallenges();
  expect(stored()).toBe(0);
});
