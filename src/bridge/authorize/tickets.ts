import { sameSecret } from "../../kernel/crypto/crypto";
import { keyedHashes } from "../../kernel/crypto/encryption";
import { MINUTE, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";

/**
 * Tickets: this server's own word, carried by the browser, that something happened in one session for one request. Nothing
 * is stored for them, and none is good for another session or another request.
 */

/** `signed in`: the user did for this request. The others are forms that this session was shown. */
export type Purpose = "signed in" | "consent form" | "sign-out form";

/** Time in which a ticket counts: a form may lie open for as long. */
const LIFETIME = 30 * MINUTE;

/** The seal of a ticket, and those that it would have under former keys. */
const sealsOf = (purpose: Purpose, sessionId: string, about: string, time: string): string[] =>
  keyedHashes(`${time}\0${sessionId}\0${about}`, `authorization: ${purpose}`).map((hash) =>
    Buffer.from(hash, "base64").toString("base64url"),
  );

/** A ticket of a session for a request, in the characters of an address. */
export function ticketFor(purpose: Purpose, sessionId: string, about: string): string {
  const time = String(now());
  return `${time}.${sealsOf(purpose, sessionId, about, time)[0]}`;
}

/** True for a ticket that was made for this session and this request, and not too long ago. */
export function isTicketFor(
  ticket: string | undefined,
  purpose: Purpose,
  sessionId: string,
  about: string,
): boolean {
  const [, time = "", seal = ""] = /^(\d{1,15})\.([\w-]{43})$/.exec(ticket ?? "") ?? [];
  return (
    time !== "" &&
    sealsOf(purpose, sessionId, about, time).some((known) => sameSecret(seal, known)) &&
    isUnexpired(Number(time), Number(time) + LIFETIME)
  );
}
