import { and, eq } from "drizzle-orm";
import { keyedHash } from "../../kernel/crypto/encryption";
import { inBatches } from "../../kernel/db/batches";
import { db, sqlite, statement } from "../../kernel/db/connection";
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

const hashOf = (userId: string, address: string): string =>
  keyedHash(addressBlock(address), `sign-in address ${userId}`);

const find = statement(() =>
  sqlite.prepare<SignInAddress, [string, string, number, number]>(
    "SELECT * FROM sign_in_addresses WHERE user_id = ? AND address_hash = ? AND last_at BETWEEN ? AND ?",
  ),
);

/**
 * The address, if the user signed in from it in the last 30 days. The look-up is also made for null, so that
 * an unknown user takes as long.
 */
export function knownAddress(userId: string | null, address: string): SignInAddress | null {
  const time = now();
  const user = userId ?? "";
  return find().get(user, hashOf(user, address), time - MEMORY, time);
}

const note = statement(() =>
  sqlite.prepare<unknown, [string, string, number]>(
    `INSERT INTO sign_in_addresses (user_id, address_hash, last_at) VALUES (?, ?, ?)
     ON CONFLICT (user_id, address_hash) DO UPDATE SET last_at = excluded.last_at`,
  ),
);
const forgetOldest = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    `DELETE FROM sign_in_addresses WHERE rowid IN (
       SELECT rowid FROM sign_in_addresses WHERE user_id = ? ORDER BY last_at DESC LIMIT -1 OFFSET ?)`,
  ),
);

/** Records that a user has passed all steps of a sign-in from an address, in the current transaction. */
export function noteAddress(userId: string, address: string): void {
  note().run(userId, hashOf(userId, address), now());
  forgetOldest().run(userId, MOST);
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

const forgetAged = statement(() =>
  sqlite.prepare<unknown, [number, number]>(
    `DELETE FROM sign_in_addresses WHERE rowid IN (
       SELECT rowid FROM sign_in_addresses WHERE last_at < ? LIMIT ?)`,
  ),
);

/** The job: forgets addresses without a sign-in for 30 days. Older ones don't count even before it runs. */
export async function forgetOldAddresses(): Promise<void> {
  const before = now() - MEMORY;
  await inBatches((limit) => forgetAged().run(before, limit).changes);
}
