import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import { authenticate, type Caller } from "./caller";
import { type RateRule, takeFromLimit } from "./limit";
import { pageCaller, pageToken } from "./page";

/** The caller of a request, by the credential that it brings. */

const BEARER = /^Bearer +([!-~]+)$/i;

/** The caller by an Authorization header; null where that is missing or not valid. */
function bearerOf(authorization: string | null): Caller | null {
  const token = BEARER.exec(authorization ?? "")?.[1];
  return token === undefined ? null : authenticate(token);
}

/** Requests that this program makes itself on behalf of a caller. */
const lent = new WeakMap<Request, Caller>();

/** Lets a request that this program makes itself act for a caller. */
export function lend(request: Request, caller: Caller): Request {
  lent.set(request, caller);
  return request;
}

/** The caller of a request by its Authorization header, else the session of a page. Throws 401. */
export function callerOf(request: Request): Caller {
  const borrowed = lent.get(request);
  if (borrowed) return borrowed;
  const authorization = request.headers.get("authorization");
  if (authorization === null) return pageCaller(request);
  const caller = bearerOf(authorization);
  if (!caller)
    throw new AppError("Unauthorized", "The token is not valid, or has ended", {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
  return caller;
}

/** The caller of a request; null for one that carries no credential. Throws 401 for one that is not valid. */
export const callerOrNobody = (request: Request): Caller | null =>
  lent.has(request) || request.headers.has("authorization") || pageToken(request) !== null
    ? callerOf(request)
    : null;

/**
 * Counts a request that needs no credential: for a valid credential if it carries one, so that clients behind
 * one address don't use up each other's allowance, else for the address (rule H10). Throws 429.
 */
export function countAnyone(rule: RateRule, request: Request, headers: HookContext["set"]["headers"]): void {
  if (!config["rate_limit.enabled"]) return;
  takeFromLimit(
    rule,
    bearerOf(request.headers.get("authorization"))?.id ?? addressBlock(clientAddress(request)),
    headers,
  );
}
