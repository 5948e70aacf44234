import { authenticate, type SessionCaller } from "../../identity/access/caller";
import { cookieToken, isSentFromHere } from "../../identity/access/page";
import { AppError } from "../../kernel/errors/errors";

/** The session of a browser on these pages. Its cookie comes with what this server's own pages lead to, and nothing else. */
export function sessionOf(request: Request): SessionCaller | null {
  const token = cookieToken(request);
  const caller = token?.startsWith("ses_") ? authenticate(token) : null;
  return caller?.kind === "session" ? caller : null;
}

/** True for a request without the cookie: it may come from another site, which the browser doesn't send it along from. */
export const hasNoCookie = (request: Request): boolean => cookieToken(request) === null;

/** Refuses a form that another page has sent (OWASP ASVS 5, 3.5.1). Throws 403. */
export function requireOwnForm(request: Request): void {
  if (!isSentFromHere(request)) throw new AppError("Forbidden", "foreign form");
}
