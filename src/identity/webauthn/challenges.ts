import { randomBytes } from "node:crypto";
import { lt } from "drizzle-orm";
import { hashToken, sameSecret } from "../../kernel/crypto/crypto";
import { keyedHashes } from "../../kernel/crypto/encryption";
import { deleteInBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { DAY, MINUTE, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { usedPasskeyChallenges } from "../passkeys/table";

/**
 * Challenges, which an authenticator signs (WebAuthn Level 3, section 13.4.3). Each carries its time and this server's seal
 * over that and over what it is for, so that strangers who ask for any number of them fill no table. Those that were
 * answered are stored, in the transaction that accepts or refuses the answer: none counts twice, whatever restarts or
 * runs beside it.
 */

/** The purpose of a challenge: an answer to one is none to another. */
export type Purpose = "sign-in" | "second factor" | "reauthentication" | "registration" | "invitation";

/** Time in which a challenge can be answered. */
export const CHALLENGE_LIFETIME = 5 * MINUTE;

/** Bytes of chance, of the time, and of the seal. */
const [NONCE, TIME, SEAL] = [24, 8, 32];

/** The seal of a challenge, and those that it would have under former keys, in base64. */
const sealsOf = (body: Buffer, purpose: Purpose, subject: string): string[] =>
  keyedHashes(`${body.toString("base64url")} ${subject}`, `passkey challenge: ${purpose}`);

/**
 * A challenge in base64url. `subject` is what it is bound to: a session, a sign-in that waits for its second step, an
 * invitation; empty for a sign-in that knows no user yet.
 */
export function newChallenge(purpose: Purpose, subject: string): string {
  const time = Buffer.alloc(TIME);
  time.writeBigUInt64BE(BigInt(now()));
  const body = Buffer.concat([randomBytes(NONCE), time]);
  const [seal = ""] = sealsOf(body, purpose, subject);
  return Buffer.concat([body, Buffer.from(seal, "base64")]).toString("base64url");
}

/**
 * Uses a challenge up, in the current transaction, which must commit. False for one that this server didn't make for
 * this, that has ended or was used before.
 */
export function takeChallenge(purpose: Purpose, subject: string, challenge: string): boolean {
  const bytes = Buffer.from(challenge, "base64url");
  // Other texts of the same bytes would count as other challenges.
  if (bytes.length !== NONCE + TIME + SEAL || bytes.toString("base64url") !== challenge) return false;
  const body = bytes.subarray(0, NONCE + TIME);
  const seal = bytes.subarray(NONCE + TIME).toString("base64");
  if (!sealsOf(body, purpose, subject).some((known) => sameSecret(seal, known))) return false;
  const madeAt = Number(body.readBigUInt64BE(NONCE));
  if (!isUnexpired(madeAt, madeAt + CHALLENGE_LIFETIME)) return false;
  return (
    db
      .insert(usedPasskeyChallenges)
      .values({ challenge_hash: hashToken(challenge), used_at: now() })
      .onConflictDoNothing()
      .returning({ used_at: usedPasskeyChallenges.used_at })
      .all().length > 0
  );
}

/** The job: forgets used challenges of a day ago, which count no more even on a clock that was set back by hours. */
export const forgetUsedChallenges = (): Promise<void> =>
  deleteInBatches(usedPasskeyChallenges, lt(usedPasskeyChallenges.used_at, now() - DAY));
