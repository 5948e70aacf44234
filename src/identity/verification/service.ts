import { and, eq, gt, inArray, isNotNull, lte, not, or, type SQL } from "drizzle-orm";
import { HOUR, MINUTE, now } from "../../kernel/clock";
import { hashToken, mintToken } from "../../kernel/crypto";
import { db, transact } from "../../kernel/db";
import { badRequest } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { isAliveIn } from "../../kernel/lifetime";
import { passwordResets } from "../auth/table";
import { type VERIFICATION_KINDS, verifications } from "./table";

export type VerificationKind = (typeof VERIFICATION_KINDS)[number];
export type VerificationRow = typeof verifications.$inferSelect;

/** How long the link in a verification email works (Part 2). */
export const VERIFICATION_LIFETIME = 24 * HOUR;

/** A registration whose email was not handed over by then was cut off by a crash. */
const SENDING_LIMIT = 5 * MINUTE;

interface NewVerification {
  kind: VerificationKind;
  userId: string | null;
  /** Who asks for it, when that isn't the user itself. */
  requestedBy?: string | null;
  /** The key that asks for it. */
  requestedByKey?: string | null;
  email: string;
  username?: string;
  passwordHash?: string;
}

/**
 * Stores that somebody must prove an address, in the current transaction; a user's earlier one of the same kind is
 * replaced. The token is in the result and nowhere else. Breaks a UNIQUE constraint when a registration for the
 * same address or username is pending.
 */
export function insertVerification(input: NewVerification) {
  const { token, hash } = mintToken("");
  const id = newId();
  const time = now();
  const expiresAt = time + VERIFICATION_LIFETIME;
  if (input.userId !== null) cancelVerification(input.userId, input.kind);
  db.insert(verifications)
    .values({
      id,
      kind: input.kind,
      token_hash: hash,
      user_id: input.userId,
      requested_by: input.requestedBy ?? null,
      requested_by_key: input.requestedByKey ?? null,
      email: input.email,
      username: input.username ?? null,
      password_hash: input.passwordHash ?? null,
      created_at: time,
      expires_at: expiresAt,
    })
    .run();
  return { id, token, expiresAt };
}

/** Whether a verification still counts. */
const isPending = () =>
  and(
    isAliveIn(verifications),
    or(
      isNotNull(verifications.sent_at),
      gt(verifications.created_at, now() - SENDING_LIMIT),
      isNotNull(verifications.user_id),
    ),
  );

/** The pending registration of this address or username, if there is one. */
export function pendingRegistration(email: string, username: string): VerificationRow | undefined {
  return db
    .select()
    .from(verifications)
    .where(
      and(
        eq(verifications.kind, "registration"),
        or(eq(verifications.email, email), eq(verifications.username, username)),
        isPending(),
      ),
    )
    .get();
}

/** Removes registrations of this address or username that no longer count, so that they block nobody. */
export function dropStaleRegistrations(email: string, username: string): void {
  db.delete(verifications)
    .where(
      and(
        eq(verifications.kind, "registration"),
        or(eq(verifications.email, email), eq(verifications.username, username)),
        not(isPending() as SQL),
      ),
    )
    .run();
}

/** Notes that the email of a registration was handed over. */
export function markSent(id: string): void {
  db.update(verifications).set({ sent_at: now() }).where(eq(verifications.id, id)).run();
}

export function deleteVerification(id: string): void {
  db.delete(verifications).where(eq(verifications.id, id)).run();
}

/** What of this kind a user has to prove still; undefined when there is nothing. */
export function pendingVerification(userId: string, kind: VerificationKind): VerificationRow | undefined {
  return db
    .select()
    .from(verifications)
    .where(and(eq(verifications.user_id, userId), eq(verifications.kind, kind), isPending()))
    .get();
}

/** Takes back what of this kind a user has to prove. False when there is nothing. */
export function cancelVerification(userId: string, kind: VerificationKind): boolean {
  const isPendingStill = pendingVerification(userId, kind) !== undefined;
  db.delete(verifications)
    .where(and(eq(verifications.user_id, userId), eq(verifications.kind, kind)))
    .run();
  return isPendingStill;
}

/**
 * Consumes a token in the current transaction and returns what it proves: of parallel requests one gets it. `allows`
 * narrows what may be consumed. Throws 400, the same whatever is wrong.
 */
export function takeVerification(
  token: string,
  kinds: VerificationKind[],
  allows: (row: VerificationRow) => boolean = () => true,
): VerificationRow {
  const row = db
    .select()
    .from(verifications)
    .where(
      and(
        eq(verifications.token_hash, hashToken(token)),
        inArray(verifications.kind, kinds),
        isAliveIn(verifications),
      ),
    )
    .get();
  if (!row || !allows(row)) throw badRequest("The token is not valid, was used, or has expired");
  deleteVerification(row.id);
  return row;
}

/** Rows deleted in one transaction. */
const STEP = 500;

/** The job: removes verifications and password resets that have expired. They are refused from then on anyway. */
export async function deleteExpiredTokens(): Promise<void> {
  for (const table of [verifications, passwordResets]) {
    for (let more = true; more; ) {
      more = await transact(() => {
        const expired = db
          .select({ id: table.id })
          .from(table)
          .where(lte(table.expires_at, now()))
          .limit(STEP)
          .all()
          .map((row) => row.id);
        db.delete(table).where(inArray(table.id, expired)).run();
        return expired.length === STEP;
      });
    }
  }
}
