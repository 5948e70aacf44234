import { authenticate } from "../identity/access/caller";
import { COOKIE, isOfPage, pageToken, SECURE_COOKIE } from "../identity/access/page";
import type { AuthResponse } from "../identity/auth/schema";
import { unauthorized } from "../kernel/errors/errors";
import { forwardedProtocol, ingressPath } from "../kernel/http/client";
import { now, SECOND } from "../kernel/time/clock";
import type { PageSession } from "./schema";

/** The cookie that holds the session of a page: set, and cleared. */

/** Refuses a request that comes from no page of this server. Throws 401. */
export function requirePage(request: Request): void {
  if (!isOfPage(request))
    throw unauthorized("This is for the pages of this server: they send X-Fairlead-Page: 1");
}

/** True if the cookie of a page holds a session that still counts. */
export function isOpen(request: Request): boolean {
  const token = pageToken(request);
  return token?.startsWith("ses_") === true && authenticate(token) !== null;
}

const isSecure = (request: Request): boolean => forwardedProtocol(request) === "https";

/**
 * Home Assistant shows all its add-ons at one origin, and passes each the cookies of the path: there the cookie is for the path of this
 * one, which the name of the secure one doesn't permit.
 */
function cookieOf(request: Request, value: string, lifetime: number | null): string {
  const path = ingressPath(request);
  return [
    `${isSecure(request) && path === null ? SECURE_COOKIE : COOKIE}=${value}`,
    "HttpOnly",
    "SameSite=Strict",
    `Path=${path ?? ""}/`,
    ...(isSecure(request) ? ["Secure"] : []),
    ...(lifetime === null ? [] : [`Max-Age=${lifetime}`]),
  ].join("; ");
}

type Headers = Record<string, string | number>;

/** Puts the token of a sign-in into the cookie, and returns everything else. */
export function keepSession(
  request: Request,
  headers: Headers,
  { session_token, ...shown }: AuthResponse,
  staySignedIn = false,
): PageSession {
  headers["cache-control"] = "no-store";
  if (session_token !== undefined) {
    const seconds = Math.max(0, Math.floor((Date.parse(shown.expires_at ?? "") - now()) / SECOND));
    headers["set-cookie"] = cookieOf(request, session_token, staySignedIn ? seconds : null);
  }
  return shown;
}

/** Clears the cookie, over https with all that the page has stored: not what Home Assistant has at the same origin. */
export function clearSession(request: Request, headers: Headers): void {
  headers["set-cookie"] = cookieOf(request, "", 0);
  if (isSecure(request) && ingressPath(request) === null) headers["clear-site-data"] = '"cache", "storage"';
}
