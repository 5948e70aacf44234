import { and, between, desc, eq, inArray, lt, placeholder, sql } from "drizzle-orm";
import { keyedHash, keyedHashes } from "../../kernel/crypto/encryption";
import { deleteInBatches } from "../../kernel/db/batches";
import { db, statement } from "../../kernel/db/connection";
import { rowid } from "../../kernel/db/table";
import { addressBlock } from "../../kernel/http/client";
import { DAY, now } from "../../kernel/time/clock";
import { signInAddresses } from "../auth/table";

/**
 * Addresses from which a user signed in lately, as keyed hashes. Tries from one of them have a count of their
 * own, so that a stranger's failures elsewhere don't lock the user out.
 */

/** Time for which an address is known after the last sign-in from it. */
const MEMORY = 30 * DAY;

/** Maximum number of addresses kept of a user: the newest ones. */
const MOST = 50;

export type SignInAddress = typeof signInAddresses.$inferSelect;

const hashed = (userId: string, address: string) =>
  [addressBlock(address), `sign-in address ${userId}`] as const;

const find = statement(() =>
  db
    .select()
    .from(signInAddresses)
    .where(
      and(
        eq(signInAddresses.user_id, placeholder("userId")),
        eq(signInAddresses.address_hash, placeholder("hash")),
        between(signInAddresses.last_at, placeholder("from"), placeholder("until")),
      ),
    )
    .prepare(),
);

/**
 * The address, if the user signed in from it in the last 30 days. The look-up is also made for null, so that
 * an unknown user takes as long.
 */
export function knownAddress(userId: string | null, address: string): SignInAddress | null {
  const time = now();
  const user = userId ?? "";
  for (const hash of keyedHashes(...hashed(user, address))) {
    const found = find().get({ userId: user, hash, from: time - MEMORY, until: time });
    if (found) return found;
  }
  return null;
}

const note = statement(() =>
  db
    .insert(signInAddresses)
    .values({
      user_id: placeholder("userId"),
      address_hash: placeholder("hash"),
      last_at: placeholder("time"),
    })
    .onConflictDoUpdate({
      target: [signInAddresses.user_id, signInAddresses.address_hash],
      set: { last_at: sql`excluded.last_at` },
    })
    .prepare(),
);
const forgetOldest = statement(() => {
  const oldest = db
    .select({ rowid })
    .from(signInAddresses)
    .where(eq(signInAddresses.user_id, placeholder("userId")))
    .orderBy(desc(signInAddresses.last_at))
    // OFFSET needs a LIMIT.
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(MOST);
  return db.delete(signInAddresses).where(inArray(rowid, oldest)).prepare();
});

/** Records that a user has passed all steps of a sign-in from an address, in the current transaction. */
export function noteAddress(userId: string, address: string): void {
  note().run({ userId, hash: keyedHash(...hashed(userId, address)), time: now() });
  forgetOldest().run({ userId });
}

/** Times of the last sign-in from each remembered address, newest first. Hashes don't reveal addresses. */
export const signInTimes = (userId: string): number[] =>
  db
    .select({ at: signInAddresses.last_at })
    .from(signInAddresses)
    .where(eq(signInAddresses.user_id, userId))
    .all()
    .map(({ at }) => at ?? 0)
    .sort((left, right) => right - left);

/** Forgets all addresses from which a user signed in, in the current transaction. */
export function eraseAddressesOf(userId: string): void {
  db.delete(signInAddresses).where(eq(signInAddresses.user_id, userId)).run();
}

/** Sets the count of wrong second factors from a known address, in the current transaction; 0 starts anew. */
export function setCodeFailures({ user_id, address_hash }: SignInAddress, failures: number): void {
  db.update(signInAddresses)
    .set({ code_failures: failures, code_failed_at: failures === 0 ? null : now() })
    .where(and(eq(signInAddresses.user_id, user_id), eq(signInAddresses.address_hash, address_hash)))
    .run();
}

/** Forgets the wrong second factors from all addresses of a user, in the current transaction. */
export function clearCodeFailures(userId: string): void {
  db.update(signInAddresses)
    .set({ code_failures: 0, code_failed_at: null })
    .where(eq(signInAddresses.user_id, userId))
    .run();
}

/** The job: forgets addresses without a sign-in for 30 days. Older ones don't count even before it runs. */
export async function forgetOldAddresses(): Promise<void> {
  const before = now() - MEMORY;
  await deleteInBatches(signInAddresses, lt(signInAddresses.last_at, before));
}
