import { config, publicUrl } from "../../configuration/config";
import { unauthorized } from "../../kernel/errors/errors";
import { originOf } from "../../kernel/http/client";
import { authenticate, type Caller } from "./caller";

/**
 * The session of a page: a cookie that no script can read. Browsers send it with requests of any page of the same site, so for
 * REST and GraphQL it counts only beside a header that no page of another origin can set.
 */

/** The header that pages send; CORS lists it for nobody. */
const PAGE_HEADER = "x-fairlead-page";

/** Over https the name keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2). */
export const SECURE_COOKIE = "__Host-fairlead_session";
export const COOKIE = "fairlead_session";

/** The one that nobody else can set counts first. */
const COOKIES = [/(?:^|;\s*)__Host-fairlead_session=([^;\s]+)/, /(?:^|;\s*)fairlead_session=([^;\s]+)/];

/** The token in the cookie of a request; null without one. */
export function cookieToken({ headers }: Request): string | null {
  const cookies = headers.get("cookie");
  if (cookies === null) return null;
  for (const cookie of COOKIES) {
    const token = cookie.exec(cookies)?.[1];
    if (token !== undefined) return token;
  }
  return null;
}

/** True if an Origin header names this server. */
const isOwnOrigin = (origin: string, request: Request): boolean =>
  origin === originOf(request) || origin === new URL(publicUrl()).origin;

/** True for a form that was sent from a page of this server: browsers tell the origin of every POST. */
export function isSentFromHere(request: Request): boolean {
  const origin = request.headers.get("origin");
  return origin !== null && isOwnOrigin(origin, request);
}

/** True if a request comes from a page of this server or of an allowed origin, and says so. */
export function comesFromOwnPage(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const isAllowed = config["server.cors_origins"].some((allowed) => allowed !== "*" && allowed === origin);
  return isAllowed || isOwnOrigin(origin, request);
}

/** True if a request comes from a page of this server: it carries the header, and no foreign Origin. */
export function isOfPage(request: Request): boolean {
  const origin = request.headers.get("origin");
  return request.headers.get(PAGE_HEADER) === "1" && (origin === null || isOwnOrigin(origin, request));
}

/** The token of the session of a page; null for a request that is none. */
export const pageToken = (request: Request): string | null =>
  isOfPage(request) ? cookieToken(request) : null;

/** The session of a page. Throws 401 without one. */
export function pageCaller(request: Request): Caller {
  const token = pageToken(request);
  if (token === null) throw unauthorized();
  const caller = token.startsWith("ses_") ? authenticate(token) : null;
  if (!caller) throw unauthorized("The session has ended; sign in again");
  return caller;
}
