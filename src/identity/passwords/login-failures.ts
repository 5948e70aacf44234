import { config } from "../../configuration/config";
import { hashToken } from "../../kernel/crypto/crypto";
import { AppError } from "../../kernel/errors/errors";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";

/**
 * Failed sign-ins, counted by the identifier as typed, and apart from that for each address from which its
 * user has signed in before. The username and the email address of one account are counted apart: counted
 * together, they would tell a stranger that both belong to one account. A success neither counts nor forgives
 * failures.
 *
 * Ten failures cost nothing. From then on each is followed by a pause of 1, 2, 4, 8, 16 and then 30 seconds,
 * and one try at a time is let through: 100 failures take 43 minutes, and the rest of the hour is closed.
 * Somebody who guesses from any number of addresses has at most 2,400 passwords a day for each of the two
 * identifiers of an account, and behind an address of the user's as many again. Wrong passwords of a
 * signed-in user are held back in the same way, by a count of their own.
 */

/** Number of failures from which on each is followed by a pause. */
const FREE_FAILURES = 10;
const FIRST_PAUSE = 1 * SECOND;
const LONGEST_PAUSE = 30 * SECOND;

/** Milliseconds after the last failure during which no try is let through. */
export const pauseAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(FIRST_PAUSE * 2 ** (failures - FREE_FAILURES), LONGEST_PAUSE);

interface Tries {
  failures: number;
  /** Tries whose password is being compared: each may turn out to be a failure. */
  open: number;
  failedAt: number;
  endsAt: number;
}

/**
 * Strangers choose identifiers, so memory is bounded, and a flood of others must not push out one that is
 * under attack. Identifiers with ten failures are kept apart: to push one of them out takes a million
 * failures in an hour, each of which costs a password hash and a tenth of some address's minute. To push out
 * one with fewer failures takes a hundred thousand, and gains nine tries.
 */
const MAX_REMEMBERED = 100_000;
const few = new BoundedMap<string, Tries>(MAX_REMEMBERED);
const many = new BoundedMap<string, Tries>(MAX_REMEMBERED);

const find = (key: string): Tries | undefined => many.get(key) ?? few.get(key);

function remember(key: string, tries: Tries): void {
  few.delete(key);
  many.delete(key);
  const kept = tries.failures < FREE_FAILURES ? few : many;
  kept.set(key, tries);
}

/** True once the window of a count is over. One longer than configured means a clock that was set back. */
const isOver = ({ endsAt }: Tries, time: number, window: number): boolean =>
  endsAt <= time || endsAt > time + window;

/** Key of a try's count for an identifier as typed, used for an address that is not known. */
export const byIdentifier = (identifier: string): string => `identifier ${hashToken(identifier)}`;

/** Key of the same count for an address block from which the user has signed in before. */
export const byAddressOf = (identifier: string, block: string): string =>
  `identifier ${hashToken(identifier)} ${block}`;

/** Key of the count of wrong passwords of a signed-in user, whatever the session or the key. */
export const bySignedIn = (userId: string): string => `user-password ${userId}`;

/** A try that was let through. Always close it; if it failed, call `fail` first. */
export interface Try {
  fail: () => void;
  close: () => void;
}

/**
 * Lets a try through before its password is compared, so that parallel tries can't exceed the limit. Throws
 * 429, with the seconds to wait.
 */
export function openTry(key: string, counted = "failed sign-ins"): Try {
  if (!config["rate_limit.enabled"]) return { fail() {}, close() {} };
  const { requests: most, seconds } = config["rate_limit.login_failures"];
  const window = seconds * SECOND;
  const time = now();
  let tries = find(key);
  if (!tries || isOver(tries, time, window)) {
    tries = { failures: 0, open: tries?.open ?? 0, failedAt: 0, endsAt: time + window };
    remember(key, tries);
  }
  const wait = waitOf(tries, time, most);
  if (wait > 0) throw tooMany(counted, wait, most);
  tries.open++;
  const mine = tries;
  let isOpen = true;
  // The window may have ended while the password was compared.
  const settle = () => {
    const counted = find(key) ?? mine;
    if (isOpen) counted.open = Math.max(0, counted.open - 1);
    isOpen = false;
    return counted;
  };
  return {
    fail() {
      // Counted as open too, it would shut out another that is allowed.
      const counted = settle();
      counted.failures++;
      counted.failedAt = now();
      remember(key, counted);
    },
    close() {
      const counted = settle();
      if (counted.open === 0 && counted.failures === 0) few.delete(key);
    },
  };
}

/** Milliseconds to wait before the next try; 0 when it may be made now. */
function waitOf({ failures, open, failedAt, endsAt }: Tries, time: number, most: number): number {
  if (failures >= most) return endsAt - time;
  const pause = pauseAfter(failures);
  // After the clock was set back, the pause must not last longer than it was meant to.
  const left = Math.min(failedAt + pause - time, pause);
  if (left > 0) return left;
  const isCrowded = failures + open >= Math.min(FREE_FAILURES, most);
  return open > 0 && isCrowded ? FIRST_PAUSE : 0;
}

function tooMany(counted: string, wait: number, limit: number): AppError {
  const seconds = String(Math.ceil(wait / SECOND));
  return new AppError("TooManyRequests", `Too many ${counted}; try again in ${seconds} s`, {
    headers: {
      "retry-after": seconds,
      "ratelimit-limit": String(limit),
      "ratelimit-remaining": "0",
      "ratelimit-reset": seconds,
    },
  });
}

/** Forgets counts whose window is over. */
export function sweepLoginFailures(): void {
  const time = now();
  for (const kept of [few, many])
    for (const [key, { endsAt, open }] of kept) if (endsAt <= time && open === 0) kept.delete(key);
}
