import { config } from "../../configuration/config";
import { addressBlock, type Client } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import type { Actor } from "../access/actor";
import { type RateRule, takeFromLimit } from "../access/limit";
import type { UserRow } from "../directory/users";
import { knownAddress } from "../passwords/sign-in-addresses";
import { challengedUser } from "./challenges";
import { subjectOf } from "./service";

/** Limits on tries of second factors, from all ways in; each try is counted before its code is checked. */

type Headers = HookContext["set"]["headers"];

/** Second factors that a stranger may try. Besides, each challenge ends after five wrong ones. */
export const signInCodeLimit: RateRule = {
  name: "two-factor-login",
  rate: () => config["rate_limit.two_factor"],
};

/** Counts a code that completes a sign-in, against the client's address. Throws 429. */
export const countSignInFrom = (address: string, headers: Headers): void =>
  takeFromLimit(signInCodeLimit, addressBlock(address), headers);

/**
 * Counts a code that completes a sign-in, against the user: with the password anybody gets a new challenge
 * each time, and could guess from many addresses. Throws 429.
 */
export function countSignInOf(challengeToken: string, client: Client, headers: Headers): void {
  const userId = challengedUser(challengeToken);
  if (userId !== null) countCodeOf(userId, client, headers);
}

/** The user meant by a caller, with one more code counted for that user. Throws 400, 403 and 429. */
export function countedSubject(actor: Actor, userId: string | undefined, headers: Headers): UserRow {
  const user = subjectOf(actor.caller, userId, "two_factor:write");
  countCodeOf(user.id, actor.client, headers);
  return user;
}

/**
 * Counts a code that is tried for a user. Addresses from which the user has signed in are counted apart, so
 * that nobody elsewhere uses up the user's allowance. Throws 429.
 */
export function countCodeOf(userId: string, client: Client, headers: Headers): void {
  const isKnown = knownAddress(userId, client.address) !== null;
  countTwoFactorCode(isKnown ? `${userId} ${addressBlock(client.address)}` : userId, headers);
}

const twoFactorCodes: RateRule = { name: "two-factor", rate: () => config["rate_limit.two_factor"] };

/**
 * Counts a second factor that is tried for a user, across all credentials: a session could make itself any
 * number of keys, and somebody with the password any number of challenges. Throws 429.
 */
function countTwoFactorCode(userId: string, headers: Headers): void {
  takeFromLimit(twoFactorCodes, `user ${userId}`, headers);
}
