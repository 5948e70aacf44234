import { sameSecret } from "../../kernel/crypto/crypto";
import { keyedHash } from "../../kernel/crypto/encryption";
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

const sealOf = (purpose: Purpose, sessionId: string, about: string, time: string): string =>
  Buffer.from(keyedHash(`${time}\0${sessionId}\0${about}`, `authorization: ${purpose}`), "base64").toString(
    "base64url",
  );

/** A ticket of a session for a request, in the characters of an address. */
export function ticketFor(purpose: Purpose, sessionId: string, about: string): string {
  const time = String(now());
  return `${time}.${sealOf(purpose, sessionId, about, time)}`;
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
    sameSecret(seal, sealOf(purpose, sessionId, about, time)) &&
    isUnexpired(Number(time), Number(time) + LIFETIME)
  );
}
