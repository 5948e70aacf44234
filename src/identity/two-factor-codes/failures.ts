import { eq, placeholder } from "drizzle-orm";
import { config } from "../../configuration/config";
import { db, statement } from "../../kernel/db/connection";
import { AppError, forbidden } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { DAY, HOUR, MINUTE, now, SECOND } from "../../kernel/time/clock";
import { isInUse } from "../../kernel/time/lifetime";
import { type Actor, transactAs } from "../access/actor";
import { checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { activeUser, findUser } from "../directory/users";
import { notify } from "../email/notify";
import {
  clearCodeFailures,
  knownAddress,
  noteAddress,
  setCodeFailures,
} from "../passwords/sign-in-addresses";
import { twoFactor } from "../two-factor/table";
import { dropChallenges } from "./challenges";

/**
 * Wrong second factors of a user, from all ways in, in the database. Three codes of a million are right at
 * any moment (one step of drift either way), so each try of somebody who has the password succeeds with a
 * chance of 0.0003 %.
 *
 * - Five wrong codes cost nothing. From the fifth on each is followed by a pause: 1, 2, 4 … 128 minutes, then
 *   4 hours. That is 17 tries on the first day and 6 on each later one: 0.005 % and 0.002 % a day, 0.7 % in a
 *   year of a user who reads no email, against 4.2 % a day with the limit of 10 tries a minute alone.
 * - The tenth in a row sends the user an email.
 * - The hundredth in a row locks this way of signing in: 100 tries, which take 15 days, succeed with 0.03 %
 *   in all. It is unlocked by a reset of the password, which proves the mailbox and takes the password from
 *   the attacker, or by an administrator. A right code starts the count anew.
 * - A reset forgives once, and again after a right code or 30 days: somebody who reads the mailbox resets the
 *   password at will, and would otherwise try five codes each time. That leaves 200 tries in 30 days: 0.06 %.
 *
 * Strangers' pauses don't bind the user: an address from which this user signed in with the second factor in
 * the last 30 days has a count and pauses of its own, and a right code from there forgives strangers nothing.
 * An attacker behind such an address has as many tries there again.
 */

/** Number of wrong codes from which on each is followed by a pause. */
const FREE_FAILURES = 5;
const FIRST_PAUSE = 1 * MINUTE;
const LONGEST_PAUSE = 4 * HOUR;

/** Wrong codes in a row that send an email, and that lock this way of signing in. */
const WORRYING = 10;
const MOST = 100;

/** Time during which a second reset of the password forgives no wrong codes, unless a right one came between. */
const FORGIVEN_ONCE_IN = 30 * DAY;

/** Milliseconds after the last wrong code during which no further one is checked. */
export const pauseAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(FIRST_PAUSE * 2 ** (failures - FREE_FAILURES), LONGEST_PAUSE);

const ofUser = statement(() =>
  db
    .select({
      failures: twoFactor.failures,
      strangerFailures: twoFactor.stranger_failures,
      strangerFailedAt: twoFactor.stranger_failed_at,
      forgivenAt: twoFactor.forgiven_at,
      enabledAt: twoFactor.enabled_at,
    })
    .from(twoFactor)
    .where(eq(twoFactor.user_id, placeholder("userId")))
    .prepare(),
);

const isLocked = (userId: string): boolean => (ofUser().get({ userId })?.failures ?? 0) >= MOST;

/** Refuses to ask for a second factor while the user is locked out. Throws 403 `TwoFactorLocked`. */
export function checkNotLocked(userId: string): void {
  if (isLocked(userId))
    throw new AppError(
      "TwoFactorLocked",
      "Too many wrong codes were entered: reset the password by email, or ask an administrator to unlock two-factor authentication",
    );
}

/**
 * Refuses a code before it is checked, after too many wrong ones. Throws 403 `TwoFactorLocked`, and 429
 * during a pause, with the seconds that are left of it.
 */
export function checkMayTry(userId: string, client: Client): void {
  checkNotLocked(userId);
  if (!config["rate_limit.enabled"]) return;
  const known = knownAddress(userId, client.address);
  const ours = ofUser().get({ userId });
  const [failures, failedAt] = known
    ? [known.code_failures, known.code_failed_at]
    : [ours?.strangerFailures ?? 0, ours?.strangerFailedAt ?? null];
  const pause = pauseAfter(failures);
  // After the clock was set back, the pause must not last longer than it was meant to.
  const left = Math.min((failedAt ?? 0) + pause - now(), pause);
  if (left <= 0) return;
  const seconds = Math.ceil(left / SECOND);
  throw new AppError("TooManyRequests", `Too many wrong codes; try again in ${seconds} s`, {
    headers: {
      "retry-after": String(seconds),
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(seconds),
    },
  });
}

/**
 * Counts a wrong code of a user, in the current transaction. The user gets an email at the tenth in a row,
 * and when locked out.
 */
export function countFailure(userId: string, client: Client): void {
  const row = ofUser().get({ userId });
  const user = findUser(userId);
  if (!row || !user) return;
  const failures = row.failures + 1;
  const known = knownAddress(userId, client.address);
  const strangerFailures = row.strangerFailures + (known ? 0 : 1);
  if (known) setCodeFailures(known, known.code_failures + 1);
  set(userId, {
    failures,
    ...(!known && { stranger_failures: strangerFailures, stranger_failed_at: now() }),
  });
  const becomesWorrying = failures === WORRYING || (!known && strangerFailures === WORRYING);
  const ends = failures === MOST;
  if (becomesWorrying || ends) {
    const count = Math.max(failures, strangerFailures);
    notify(user, { kind: "two_factor_failures", failures: count, locked: ends, at: now() });
  }
  if (!ends) return;
  dropChallenges(userId);
  recordAudit({ event_type: "2fa_locked", ...aboutTwoFactor(userId), metadata: { failures } });
}

/** Starts the count anew after a right code, in the current transaction. */
export function forgiveFailures(userId: string, client: Client): void {
  const row = ofUser().get({ userId });
  const known = knownAddress(userId, client.address);
  if (known && known.code_failures > 0) setCodeFailures(known, 0);
  if (!row) return;
  const isForgiven = row.failures === 0 && row.forgivenAt === null;
  if (isForgiven && (known || row.strangerFailures === 0)) return;
  set(userId, {
    failures: 0,
    forgiven_at: null,
    ...(!known && { stranger_failures: 0, stranger_failed_at: null }),
  });
}

const aboutTwoFactor = (userId: string) => ({
  user_id: userId,
  resource_type: "two_factor" as const,
  resource_id: userId,
});

function set(userId: string, values: Partial<typeof twoFactor.$inferInsert>): void {
  db.update(twoFactor).set(values).where(eq(twoFactor.user_id, userId)).run();
}

type Unlocking = "password reset" | "administrator";

/** Forgets a user's wrong codes, in the current transaction; with an event if there is news. */
function clearFailures(userId: string, leavesEvent: boolean, by: Unlocking): void {
  const forgivenAt = by === "password reset" ? now() : null;
  set(userId, { failures: 0, stranger_failures: 0, stranger_failed_at: null, forgiven_at: forgivenAt });
  clearCodeFailures(userId);
  if (!leavesEvent) return;
  const event = { event_type: "2fa_unlocked" as const, ...aboutTwoFactor(userId) };
  recordAudit({ ...event, metadata: { by } });
}

/**
 * Lets the owner of the mailbox sign in from here and try codes after a reset of the password, in the current
 * transaction, whatever strangers did meanwhile: the address counts as known, and wrong codes are forgotten.
 * Does nothing where the last reset did so, and no right code was entered since.
 */
export function forgiveByReset(userId: string, client: Client): void {
  const row = ofUser().get({ userId });
  const isOn = row !== undefined && row.enabledAt !== null;
  if (isOn && row.forgivenAt !== null && isInUse(row.forgivenAt, FORGIVEN_ONCE_IN)) return;
  noteAddress(userId, client.address);
  if (isOn) clearFailures(userId, row.failures >= MOST, "password reset");
}

/**
 * Lets a user try codes again, by an administrator. Not for the own account: the thief of a session could
 * guess on. Throws 404 for an unknown user, and 403 for oneself and for a user who may do more.
 */
export function unlockTwoFactor(actor: Actor, userId: string): Promise<void> {
  return transactAs(actor, () => {
    activeUser(userId);
    if (actor.caller.userId === userId)
      throw forbidden("Another administrator must do this, or a reset of your password");
    checkOutranks(actor.caller, userId);
    const row = ofUser().get({ userId });
    if (!row) return;
    const leavesEvent = row.failures > 0 || row.strangerFailures > 0;
    clearFailures(userId, leavesEvent, "administrator");
  });
}
