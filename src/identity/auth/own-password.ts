import { now } from "../../kernel/clock";
import { verifyPassword } from "../../kernel/crypto";
import { transact } from "../../kernel/db";
import { notify } from "../email/notify";
import { findUser } from "../users/service";
import { bySignedIn, openTry } from "./login-failures";

/**
 * The password of a user who is signed in already, in operations that ask for it again. Whoever stole the
 * session guesses no faster here than a stranger at the login, with any number of sessions and keys.
 */

/** Wrong passwords in a row that send an email. */
const WORRYING = 10;

/** Wrong passwords in a row of signed-in users, also those that are spread over days. Memory is bounded. */
const MAX_REMEMBERED = 100_000;
const inARow = new Map<string, number>();

/**
 * Compares a signed-in user's password. The user is told of ten wrong ones in a row, once in a series that a
 * right one ends. Throws 429 after too many wrong ones.
 */
export async function isOwnPassword(userId: string, hash: string, password: string): Promise<boolean> {
  const attempt = openTry(bySignedIn(userId), "wrong passwords");
  try {
    const matches = await verifyPassword(hash, password, userId);
    if (matches) startAnew(userId);
    else {
      attempt.fail();
      await countWrong(userId);
    }
    return matches;
  } finally {
    attempt.close();
  }
}

/** Ends a series of wrong passwords. */
export function startAnew(userId: string): void {
  inARow.delete(userId);
}

async function countWrong(userId: string): Promise<void> {
  const failures = (inARow.get(userId) ?? 0) + 1;
  inARow.delete(userId);
  const oldest = inARow.size >= MAX_REMEMBERED ? inARow.keys().next() : null;
  if (oldest && !oldest.done) inARow.delete(oldest.value);
  inARow.set(userId, failures);
  if (failures !== WORRYING) return;
  await transact(() => {
    const user = findUser(userId);
    if (user && user.deleted_at === null) notify(user, { kind: "password_failures", failures, at: now() });
  });
}
