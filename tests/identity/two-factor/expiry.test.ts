import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertUser } from "../../../src/identity/directory/new-user";
import { seedIdentity } from "../../../src/identity/seed";
import { challenges, twoFactor } from "../../../src/identity/two-factor/table";
import { deleteExpiredChallenges, insertChallenge } from "../../../src/identity/two-factor-codes/challenges";
import { db } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { MINUTE, now, setClock } from "../../../src/kernel/time/clock";
import { configure } from "../../support/in-process";
import { openQueue } from "../email/support";

/**
 * The job that removes expired challenges and set-ups. Tests over HTTP show that they are refused from their
 * expiry on.
 */

beforeAll(() => {
  configure();
  openQueue();
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const newUser = (username: string) =>
  insertUser({ username, email: `${username}@example.org`, passwordHash: "x" }).id;

/** A set-up of 10 minutes; completed if `enabled`. */
const insertSetUp = (user_id: string, enabled: boolean) =>
  db
    .insert(twoFactor)
    .values({
      user_id,
      secret: "x",
      platform: "email",
      enabled_at: enabled ? now() : null,
      setup_expires_at: enabled ? null : now() + 10 * MINUTE,
      created_at: now(),
    })
    .run();

const openChallenges = () => db.select().from(challenges).all().length;
const apps = () =>
  db
    .select()
    .from(twoFactor)
    .all()
    .map(({ user_id }) => user_id)
    .sort();

test("removes challenges and set-ups that have expired, however many, and no others", async () => {
  const start = Date.now();
  setClock(() => start);
  const [anna, bert, carl] = await transact(() => {
    seedIdentity();
    const users = [newUser("anna"), newUser("bert"), newUser("carl")] as const;
    insertSetUp(users[0], true);
    insertSetUp(users[1], false);
    // More than are deleted in one transaction.
    for (let number = 0; number < 1_001; number++) insertChallenge(users[0], "email");
    return users;
  });
  setClock(() => start + 10 * MINUTE - 1);
  await transact(() => {
    insertChallenge(anna, "email");
    insertSetUp(carl, false);
  });
  await deleteExpiredChallenges();
  expect(openChallenges()).toBe(1_002);
  expect(apps()).toEqual([anna, bert, carl].sort());

  setClock(() => start + 10 * MINUTE);
  await deleteExpiredChallenges();
  expect(openChallenges()).toBe(1);
  expect(apps()).toEqual([anna, carl].sort());
});
