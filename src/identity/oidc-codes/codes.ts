import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { hashToken, mintToken, sameSecret } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import { type AppError, badRequest } from "../../kernel/errors/errors";
import { now, SECOND } from "../../kernel/time/clock";
import { isUnexpiredIn } from "../../kernel/time/lifetime";
import { oidcCodes } from "../oidc/table";

/** One-time codes with which a browser comes back from a provider: each ends in a session, a link or a proof. */

/** Lifetime of a code (rule C19). */
const LIFETIME = 60 * SECOND;

export type OidcCode = typeof oidcCodes.$inferSelect;
export type Purpose = OidcCode["purpose"];

/** Stores a code in the current transaction, and returns it. */
export function mintCode(code: Omit<OidcCode, "code_hash" | "created_at" | "expires_at">): string {
  const { token, hash } = mintToken("");
  const time = now();
  db.insert(oidcCodes)
    .values({ ...code, code_hash: hash, created_at: time, expires_at: time + LIFETIME })
    .run();
  return token;
}

/** Proof of whoever brings a code that it was made for them: the cookie of a page, or the PKCE verifier of a client. */
export interface Holder {
  browserHash: string | null;
  verifier?: string | undefined;
}

/** A code that is not good, for whichever reason: strangers learn no more. */
const refused = (): AppError => badRequest("The code is not valid, was used, or has expired; start again");

/**
 * Takes a code in the current transaction: it is good once, for one purpose and for its holder; where `userId` is given, for that
 * user alone. Throws 400.
 */
export function takeCode(code: string, purpose: Purpose, holder: Holder, userId?: string): OidcCode {
  const [taken] = db
    .delete(oidcCodes)
    .where(
      and(eq(oidcCodes.code_hash, hashToken(code)), eq(oidcCodes.purpose, purpose), isUnexpiredIn(oidcCodes)),
    )
    .returning()
    .all();
  if (!taken || !isHeldBy(taken, holder) || (userId !== undefined && taken.user_id !== userId))
    throw refused();
  return taken;
}

/** True for the browser that was sent, or for the client whose verifier fits (RFC 7636, section 4.6). */
function isHeldBy({ code_challenge, browser_hash }: OidcCode, { browserHash, verifier }: Holder): boolean {
  if (code_challenge !== null)
    return (
      verifier !== undefined &&
      sameSecret(createHash("sha256").update(verifier).digest("base64url"), code_challenge)
    );
  return browser_hash === null || (browserHash !== null && sameSecret(browserHash, browser_hash));
}
