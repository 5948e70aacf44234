import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { passwordResets } from "../../src/identity/auth/table";
import { insertUser } from "../../src/identity/directory/new-user";
import { seedIdentity } from "../../src/identity/seed";
import { deleteExpiredSessions, insertSession } from "../../src/identity/sessions/service";
import { sessions } from "../../src/identity/sessions/table";
import { deleteExpiredTokens, insertVerification } from "../../src/identity/verification/service";
import { verifications } from "../../src/identity/verification/table";
import { newId } from "../../src/kernel/crypto/id";
import { db } from "../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";
import { DAY, HOUR, now, setClock } from "../../src/kernel/time/clock";
import { configure } from "../support/in-process";
import { openQueue } from "./email/support";

/** The job that removes expired tokens. Tests over HTTP show that they are refused from their expiry on. */

beforeAll(() => {
  configure();
  openQueue();
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const registration = (number: number) =>
  insertVerification({
    kind: "registration",
    userId: null,
    email: `person${number}@example.org`,
    username: `person${number}`,
    passwordHash: "x",
  });

const reset = (userId: string, expiresAt: number) => {
  const id = newId();
  const times = { created_at: now(), expires_at: expiresAt };
  db.insert(passwordResets)
    .values({ id, user_id: userId, token_hash: id, ...times })
    .run();
  return id;
};

const kept = () => [...db.select().from(verifications).all(), ...db.select().from(passwordResets).all()];

test("removes registrations and resets that have expired, however many, and no others", async () => {
  const start = Date.now();
  const [early, late] = await transact(() => {
    seedIdentity();
    const user = insertUser({ username: "anna", email: "anna@example.org", passwordHash: "x" });
    // More than are deleted in one transaction.
    for (let number = 0; number < 1_001; number++) registration(number);
    return [reset(user.id, start + HOUR), reset(user.id, start + 48 * HOUR)];
  });
  await deleteExpiredTokens();
  expect(kept()).toHaveLength(1_003);

  setClock(() => start + 12 * HOUR);
  const { id } = await transact(() => registration(2_000));
  await deleteExpiredTokens();
  expect(kept()).toHaveLength(1_003);
  expect(kept().some((row) => row.id === early)).toBe(false);

  setClock(() => start + 25 * HOUR);
  await deleteExpiredTokens();
  expect(kept().map((row) => row.id)).toEqual([id, late]);
});

test("removes sessions that ended a day ago, and none for a clock that is wrong for a while", async () => {
  const start = now();
  const client = { address: "127.0.0.1", userAgent: null, acceptLanguage: null };
  await transact(() => {
    const user = insertUser({ username: "berta", email: "berta@example.org", passwordHash: "x" });
    for (const hours of [1, 24, 30 * 24]) insertSession(user.id, "email", client, start + hours * HOUR);
  });
  const left = async (time: number) => {
    setClock(() => time);
    await deleteExpiredSessions();
    return db.select().from(sessions).all().length;
  };
  expect(await left(start + DAY)).toBe(3);
  expect(await left(start)).toBe(3);
  expect(await left(start + DAY + HOUR)).toBe(2);
  expect(await left(start + 2 * DAY)).toBe(1);
  expect(await left(start + 31 * DAY)).toBe(0);
});

test("removes sessions that nobody used for as long as they may be idle and a day, and no others", async () => {
  const start = Date.now();
  setClock(() => start);
  const client = { address: "127.0.0.1", userAgent: null, acceptLanguage: null };
  const used = await transact(() => {
    const user = insertUser({ username: "clara", email: "clara@example.org", passwordHash: "x" });
    insertSession(user.id, "email", client, start + 365 * DAY);
    return insertSession(user.id, "email", client, start + 365 * DAY).id;
  });
  const left = async (time: number) => {
    setClock(() => time);
    await deleteExpiredSessions();
    return db
      .select()
      .from(sessions)
      .all()
      .map(({ id }) => id);
  };
  await transact(() => {
    db.update(sessions)
      .set({ last_activity_at: start + 20 * DAY })
      .where(eq(sessions.id, used))
      .run();
  });
  // The margin of a day is for a clock that is wrong for a while; a clock of 1970 removes nothing.
  for (const time of [start + 31 * DAY - 1, HOUR]) expect(await left(time)).toHaveLength(2);
  expect(await left(start + 31 * DAY)).toEqual([used]);
  expect(await left(start + 51 * DAY)).toEqual([]);
});
