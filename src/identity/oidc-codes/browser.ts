import { randomBytes } from "node:crypto";
import { hashToken } from "../../kernel/crypto/crypto";
import { forwardedProtocol } from "../../kernel/http/client";

/**
 * The cookie by which a browser is known again when it comes back from a provider: whoever is lured into the middle of somebody
 * else's sign-in has another one, or none.
 */

const NAME = "fairlead_oidc";
/** Over https the name keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2). */
const SECURE_NAME = `__Host-${NAME}`;

const COOKIES = [
  /(?:^|;\s*)__Host-fairlead_oidc=([\w-]{43})(?:;|$)/,
  /(?:^|;\s*)fairlead_oidc=([\w-]{43})(?:;|$)/,
];

/** Seconds that it lasts: as long as a browser may be away. */
const LIFETIME = 600;

function tokenIn({ headers }: Request): string | null {
  const cookies = headers.get("cookie") ?? "";
  for (const cookie of COOKIES) {
    const token = cookie.exec(cookies)?.[1];
    if (token !== undefined) return token;
  }
  return null;
}

/** SHA-256 of the cookie of a browser, base64; null without one. */
export function browserHash(request: Request): string | null {
  const token = tokenIn(request);
  return token === null ? null : hashToken(token);
}

/** Gives a browser its cookie, and returns its hash. One that has one keeps it: several windows may be on their way. */
export function markBrowser(request: Request, headers: Record<string, string | number>): string {
  const token = tokenIn(request) ?? randomBytes(32).toString("base64url");
  const isSecure = forwardedProtocol(request) === "https";
  // Lax: the way back from the provider begins on another site.
  headers["set-cookie"] =
    `${isSecure ? SECURE_NAME : NAME}=${token}; HttpOnly; SameSite=Lax; Path=/${isSecure ? "; Secure" : ""}; Max-Age=${LIFETIME}`;
  return hashToken(token);
}
