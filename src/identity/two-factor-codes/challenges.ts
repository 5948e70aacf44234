import { and, eq, lte } from "drizzle-orm";
import { hashToken, mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { deleteInBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { MINUTE, now } from "../../kernel/time/clock";
import { isUnexpiredIn } from "../../kernel/time/lifetime";
import { challenges, twoFactor } from "../two-factor/table";

/** Sign-ins that wait for their second step. A challenge is not a session: its token opens nothing else. */

/** Longest time between the two steps of a sign-in (rule C8). */
const CHALLENGE_LIFETIME = 10 * MINUTE;

/** Number of wrong codes that ends a challenge (rule C3). */
const MAX_WRONG_CODES = 5;

export type Challenge = typeof challenges.$inferSelect;

/** Stores that a user passed the first step of a sign-in, in the current transaction. Returns the token. */
export function insertChallenge(userId: string, provider: string): string {
  const { token, hash } = mintToken("2fa_");
  const time = now();
  db.insert(challenges)
    .values({
      id: newId(),
      user_id: userId,
      token_hash: hash,
      provider,
      created_at: time,
      expires_at: time + CHALLENGE_LIFETIME,
    })
    .run();
  return token;
}

/** The open challenge behind a token; undefined when it is unknown, used or expired. */
export function findChallenge(token: string): Challenge | undefined {
  if (!token.startsWith("2fa_")) return undefined;
  return db
    .select()
    .from(challenges)
    .where(and(eq(challenges.token_hash, hashToken(token)), isUnexpiredIn(challenges)))
    .get();
}

export function deleteChallenge(id: string): void {
  db.delete(challenges).where(eq(challenges.id, id)).run();
}

/** Counts a wrong code against a challenge, in the current transaction; the fifth ends it. */
export function countWrongCode({ id, wrong_codes }: Challenge): void {
  if (wrong_codes + 1 >= MAX_WRONG_CODES) deleteChallenge(id);
  else
    db.update(challenges)
      .set({ wrong_codes: wrong_codes + 1 })
      .where(eq(challenges.id, id))
      .run();
}

/** Ends all sign-ins of a user that wait for their second step, in the current transaction. */
export function dropChallenges(userId: string): void {
  db.delete(challenges).where(eq(challenges.user_id, userId)).run();
}

/** The job: removes expired challenges and set-ups. They are refused even before it runs. */
export async function deleteExpiredChallenges(): Promise<void> {
  await deleteInBatches(challenges, lte(challenges.expires_at, now()));
  await transact(() => {
    db.delete(twoFactor).where(lte(twoFactor.setup_expires_at, now())).run();
  });
}

/** The user whose sign-in a token belongs to; null for a token that is unknown, used or expired. */
export const challengedUser = (token: string): string | null => findChallenge(token)?.user_id ?? null;
