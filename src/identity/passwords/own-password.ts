import { verifyPassword } from "../../kernel/crypto/crypto";
import { now } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { type Actor, transactAs } from "../access/actor";
import type { Caller } from "../access/caller";
import { credentialResource, recordAudit } from "../audit/service";
import { findUser } from "../directory/users";
import { notify } from "../email/notify";
import { bySignedIn, openTry } from "./login-failures";

/**
 * The password of a user who is signed in already, in operations that ask for it again. Whoever stole the
 * session guesses no faster here than a stranger at the login, with any number of sessions and keys.
 */

/** Wrong passwords in a row that send an email. */
const WORRYING = 10;

/** Wrong passwords in a row of signed-in users, also those that are spread over days. */
const inARow = new BoundedMap<string, number>(100_000);

/**
 * Compares a signed-in user's password. A wrong one leaves an audit event. The user is told of ten wrong ones
 * in a row, once in a series that a right one ends. Throws 429 after too many wrong ones.
 */
export async function isOwnPassword(
  actor: Actor,
  userId: string,
  { hash, password }: { hash: string; password: string },
): Promise<boolean> {
  const attempt = openTry(bySignedIn(userId), "wrong passwords");
  try {
    const matches = await verifyPassword(hash, password, userId);
    if (matches) startAnew(userId);
    else {
      attempt.fail();
      const failures = countWrong(userId);
      await transactAs(actor, () => noteWrong(actor.caller, userId, failures));
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

/** Counts a wrong password and returns the number of those in a row. */
function countWrong(userId: string): number {
  const failures = (inARow.get(userId) ?? 0) + 1;
  inARow.renew(userId, failures);
  return failures;
}

/** Records a wrong password in the current transaction, and tells the user of the tenth in a row. */
function noteWrong(caller: Caller, userId: string, failures: number): void {
  recordAudit({
    event_type: "reauthenticated",
    user_id: userId,
    ...credentialResource(caller),
    status: "failure",
    error_message: "wrong password",
  });
  const user = failures === WORRYING ? findUser(userId) : undefined;
  if (user && user.deleted_at === null) notify(user, { kind: "password_failures", failures, at: now() });
}
