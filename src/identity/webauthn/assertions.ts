import { asc, eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { conflict } from "../../kernel/errors/errors";
import { iso, now } from "../../kernel/time/clock";
import { passkeys } from "../passkeys/table";
import type { AuthenticationMethods } from "../sessions/service";
import { CHALLENGE_LIFETIME, newChallenge, type Purpose, takeChallenge } from "./challenges";
import { requireRelyingParty } from "./relying-party";
import type { Assertion, RequestOptions } from "./schema";
import { challengeIn, type Signed, Unacceptable, verifyAssertion } from "./verify";

/** Passkeys that are shown: at a sign-in, beside a password, or again in a session. */

export type PasskeyRow = typeof passkeys.$inferSelect;

const ofUser = statement(() =>
  db
    .select()
    .from(passkeys)
    .where(eq(passkeys.user_id, placeholder("userId")))
    .orderBy(asc(passkeys.id))
    .prepare(),
);

/** A user's passkeys, oldest first. */
export const passkeysOf = (userId: string): PasskeyRow[] => ofUser().all({ userId });

/** True for a user who has a passkey. */
export const hasPasskey = (userId: string): boolean => passkeysOf(userId).length > 0;

const byCredential = statement(() =>
  db
    .select()
    .from(passkeys)
    .where(eq(passkeys.credential_id, placeholder("id")))
    .prepare(),
);

/** A passkey as options name it. */
export const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  type: "public-key",
  id: credential_id,
  transports,
});

/** The time at which a challenge that is made now ends. */
export const challengeEnd = (): string => iso(now() + CHALLENGE_LIFETIME);

/** Options by which a browser asks for any passkey, or for one of a user's. Throws 409 where there can be none. */
export function requestOptions(purpose: Purpose, subject: string, allowed: PasskeyRow[]): RequestOptions {
  const { id } = requireRelyingParty();
  return {
    public_key: {
      challenge: newChallenge(purpose, subject),
      timeout: CHALLENGE_LIFETIME,
      rpId: id,
      allowCredentials: allowed.map(descriptorOf),
      userVerification: "required",
    },
    expires_at: challengeEnd(),
  };
}

/** The same for the passkeys of a user. Throws 409 for a user without one. */
export function requestOptionsFor(userId: string, purpose: Purpose, subject: string): RequestOptions {
  const own = passkeysOf(userId);
  if (own.length === 0) throw conflict("This account has no passkey");
  return requestOptions(purpose, subject, own);
}

/** A P-256 key whose private half was thrown away: an unknown passkey costs as much time as a wrong signature. */
const DECOY =
  "pQECAyYgASFYIASPESNSNQSKyfamaIIkEZCbvQTsoLykxH40WOzfyc6RIlggX9DLNrUW7toq4hIASgwMF8ZgvdeYI1NmU2Kp70yJJaA";

/** An assertion whose signature was looked at. */
export interface Examined {
  assertion: Assertion;
  row: PasskeyRow | undefined;
  signed: Signed | Unacceptable;
}

/** Looks at the signature of an assertion, outside of any transaction. Throws 409 where there can be no passkeys. */
export async function examine(assertion: Assertion): Promise<Examined> {
  const party = requireRelyingParty();
  const row = byCredential().get({ id: assertion.id });
  try {
    return { assertion, row, signed: await verifyAssertion(assertion, row?.public_key ?? DECOY, party) };
  } catch (error) {
    if (error instanceof Unacceptable) return { assertion, row, signed: error };
    throw error;
  }
}

/** A passkey that wasn't accepted: why, for the audit log alone, and whose it is if that is known. */
export class RefusedPasskey {
  constructor(
    readonly why: string,
    readonly row: PasskeyRow | undefined,
  ) {}
}

/**
 * Uses up the challenge of an assertion, and accepts the passkey or tells why not, in the current transaction, which must
 * commit either way. `userId` is the user whose passkey it must be; null for a sign-in that finds its user by it.
 */
export function settle(
  { assertion, row: found, signed }: Examined,
  purpose: Purpose,
  subject: string,
  userId: string | null,
): PasskeyRow | RefusedPasskey {
  const challenge = challengeIn(assertion);
  const isFresh = challenge !== null && takeChallenge(purpose, subject, challenge);
  // It may have been removed, or used, since its signature was looked at.
  const row = found && byCredential().get({ id: assertion.id });
  const refused = (why: string) => new RefusedPasskey(why, row);
  if (!row || row.public_key !== found?.public_key) return refused("it is unknown");
  if (signed instanceof Unacceptable) return refused(signed.message);
  if (!isFresh) return refused("its challenge is wrong, was used, or has ended");
  const handle = assertion.response.userHandle ?? null;
  // Section 7.2, step 6: whoever is found by the passkey must be named by it.
  if (handle === null ? userId === null : handle !== row.user_handle)
    return refused("it names another account");
  if (userId !== null && row.user_id !== userId) return refused("it is another user's");
  // Section 6.1.1: a copy of the authenticator may be at work.
  if ((signed.counter > 0 || row.counter > 0) && signed.counter <= row.counter)
    return refused("its counter went back");
  return db
    .update(passkeys)
    .set({ counter: signed.counter, is_backed_up: signed.isBackedUp, last_used_at: now() })
    .where(eq(passkeys.id, row.id))
    .returning()
    .get();
}

/**
 * The ways in which a passkey with a verified user proves who it is (RFC 8176): a key that may be copied counts as one in
 * software.
 */
export const methodsOf = ({ is_multi_device }: PasskeyRow): AuthenticationMethods => [
  is_multi_device ? "swk" : "hwk",
  "mfa",
];
