import { config } from "../../configuration/config";
import type { HookContext } from "../../kernel/http/http";
import { type Caller, isSystemKey } from "./caller";
import { type RateRule, takeFromLimit } from "./limit";

/** The general limit of writes, applied beside any limit of a route's own. */
const writes: RateRule = { name: "write", rate: () => config["rate_limit.write"] };

/** Credentials of one user whose writes fit into a window: each of a user's keys has a count of its own. */
const CREDENTIALS_AT_ONCE = 10;

const writesOfUser: RateRule = {
  name: "write-user",
  rate: () => {
    const { requests, seconds } = config["rate_limit.write"];
    return { requests: requests * CREDENTIALS_AT_ONCE, seconds };
  },
};

const WRITES: readonly string[] = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * Routes that take positions, often and in bulk, and have limits of their own, as those of OAuth have; and GraphQL, which
 * counts each of its mutations.
 */
const EXEMPT =
  /^(?:\/v1\/(?:gps(?:\/.*)?|ingest\/.*|sync\/push|devices\/[^/]+\/import|graphql)|\/oauth\/.*)$/;

/** Operations that end a credential. A thief who uses up the limit must not keep the user from them. */
const ENDS_CREDENTIAL =
  /^(?:POST \/v1\/auth\/logout|DELETE \/v1\/(?:users\/me\/sessions|users\/me\/consents|api-keys)(?:\/[^/]+)?)$/;

/** True if requests of a route count as writes; `path` is the path as declared. */
export const countsAsWrite = (method: string, path: string): boolean =>
  WRITES.includes(method.toUpperCase()) &&
  !EXEMPT.test(path) &&
  !ENDS_CREDENTIAL.test(`${method.toUpperCase()} ${path}`);

/**
 * Counts a write: for its credential, and for all credentials of its user together. Services of the
 * installation write for everybody and are not counted. Throws 429.
 */
export function countWrite(caller: Caller, headers: HookContext["set"]["headers"]): void {
  if (isSystemKey(caller) || caller.userId === null) return;
  takeFromLimit(writes, caller.id, headers);
  takeFromLimit(writesOfUser, caller.userId, headers);
}

/** Counts a write that needs no credential, for a block of addresses. Throws 429. */
export const countOpenWrite = (block: string, headers: HookContext["set"]["headers"]): void =>
  takeFromLimit(writes, block, headers);
