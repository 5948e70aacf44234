import { config } from "../../config";
import { addressBlock } from "../../kernel/client";
import type { Caller } from "../access/caller";
import { countTwoFactorCode, type RateRule, takeFromLimit } from "../access/guard";
import { challengedUser } from "../auth/two-factor-login";
import type { UserRow } from "../users/service";
import { subjectOf } from "./service";

/** Second factors that are tried, counted before they are looked at, whichever door they come through. */

type Headers = Parameters<typeof countTwoFactorCode>[1];

/** Second factors that a stranger may try: each challenge ends after five wrong ones besides. */
export const signInCodeLimit: RateRule = {
  name: "two-factor-login",
  rate: () => config["rate_limit.two_factor"],
};

/** Counts a code that completes a sign-in for the client's address. Throws 429. */
export const countSignInFrom = (address: string, headers: Headers): void =>
  takeFromLimit(signInCodeLimit, addressBlock(address), headers);

/**
 * Counts a code that completes a sign-in for the user: whoever has the password gets a challenge anew each time, and
 * could guess from many addresses. Throws 429.
 */
export function countSignInOf(challengeToken: string, headers: Headers): void {
  const userId = challengedUser(challengeToken);
  if (userId !== null) countTwoFactorCode(userId, headers);
}

/** The user whom a caller means, and for whom one more code is tried. Throws 400, 403 and 429. */
export function subjectTryingCode(caller: Caller, userId: string | undefined, headers: Headers): UserRow {
  const user = subjectOf(caller, userId, "two_factor:write");
  countTwoFactorCode(user.id, headers);
  return user;
}
