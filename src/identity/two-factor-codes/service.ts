import { and, count, eq, inArray, placeholder } from "drizzle-orm";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { db, statement } from "../../kernel/db/connection";
import { forbidden, invalid } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { describeError, log } from "../../kernel/logs/log";
import { now } from "../../kernel/time/clock";
import type { Actor } from "../access/actor";
import { type Caller, isSystemKey } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { findUser, type UserRow } from "../directory/users";
import { backupCodes, twoFactor } from "../two-factor/table";
import { hashesOfBackupCode, normalizeBackupCode } from "./backup-codes";
import { checkMayTry, countFailure, forgiveFailures } from "./failures";
import { matchStep } from "./totp";

/** Second factors of users, and the codes that prove them. */

type Row = typeof twoFactor.$inferSelect;

/** Purpose that a secret is encrypted for. */
export const totpSecrets = sealedColumn({
  what: { en: "two-factor secrets", de: "Geheimnisse des zweiten Faktors" },
  ifLost: {
    en: "their users turn the second factor off with a backup code, and set it up anew; if the master key was lost, so are the backup codes: a passkey still signs in, and users without one need a new account",
    de: "ihre Benutzer schalten den zweiten Faktor mit einem Ersatzcode ab und richten ihn neu ein; ging der Hauptschlüssel verloren, dann auch die Ersatzcodes: Mit einem Passkey kommt man noch hinein, wer keinen hat, braucht ein neues Konto",
  },
  table: "two_factor",
  id: "user_id",
  column: "secret",
  boundTo: (userId) => `totp ${userId}`,
});

const ofUser = statement(() =>
  db
    .select()
    .from(twoFactor)
    .where(eq(twoFactor.user_id, placeholder("userId")))
    .prepare(),
);

/** Stored row of a user's second factor, whether on or being set up. */
export const twoFactorOf = (userId: string): Row | undefined => ofUser().get({ userId });

/** True if a user must give a second factor at sign-in. */
export const isTwoFactorOn = (userId: string): boolean => (twoFactorOf(userId)?.enabled_at ?? null) !== null;

export function backupCodesLeft(userId: string): number {
  return db.select({ n: count() }).from(backupCodes).where(eq(backupCodes.user_id, userId)).get()?.n ?? 0;
}

/**
 * The user meant by `user_id`. A system key must name one; any other caller means itself, and needs
 * `two_factor:manage` for another user. A user's own key or access token needs the permission, a session doesn't
 * (rule C5).
 * Throws 400 and 403.
 */
export function subjectOf(
  caller: Caller,
  userId: string | undefined,
  needs: "two_factor:read" | "two_factor:write",
): UserRow {
  const holds = (permission: string) => caller.isSuperAdmin || caller.permissions.has(permission);
  if (userId === undefined && (isSystemKey(caller) || caller.userId === null))
    throw invalid("/user_id", "is required with a system key");
  const id = userId ?? (caller.userId as string);
  const isOwn = id === caller.userId && !isSystemKey(caller);
  if (isOwn && caller.kind !== "session" && !holds(needs))
    throw forbidden(`This needs the permission ${needs}`);
  if (!isOwn && !isSystemKey(caller) && !holds("two_factor:manage"))
    throw forbidden("This needs the permission two_factor:manage");
  const user = presentUser(id);
  if (!isOwn && needs === "two_factor:write") checkOutranks(caller, id);
  return user;
}

/** A user who is not deleted. Throws 400. */
export function presentUser(id: string): UserRow {
  const user = findUser(id);
  if (!user || user.deleted_at !== null) throw invalid("/user_id", "names no user");
  return user;
}

export const wrongCode = () => invalid("/code", "is wrong, or was used already");

/** Language of the request, if the user's own client made it; null otherwise. */
export const languageOf = (actor: Actor, user: UserRow): string | null =>
  actor.caller.userId === user.id ? actor.client.acceptLanguage : null;

/**
 * Checks a code of the app, in the current transaction. A right code invalidates itself and all earlier ones
 * (RFC 6238, section 5.2).
 */
export function acceptTotp(row: Row, code: string): boolean {
  const secret = openSecret(row);
  if (secret === null) return false;
  const step = matchStep(secret, code, now());
  if (step === null || step <= (row.last_step ?? -1)) return false;
  db.update(twoFactor).set({ last_step: step }).where(eq(twoFactor.user_id, row.user_id)).run();
  return true;
}

/** The secret of an app; null if it was stored under another key or for another user: no code fits then. */
function openSecret(row: Row): string | null {
  try {
    return totpSecrets.open(row.secret, row.user_id);
  } catch (error) {
    log.error("a two-factor secret can't be decrypted; only backup codes are accepted from its user", {
      user_id: row.user_id,
      ...describeError(error),
    });
    return null;
  }
}

/** Consumes a backup code in the current transaction. Returns false for an unknown one. */
function acceptBackupCode(userId: string, typed: string): boolean {
  const code = normalizeBackupCode(typed);
  if (code === null) return false;
  const which = and(
    eq(backupCodes.user_id, userId),
    inArray(backupCodes.code_hash, hashesOfBackupCode(userId, code)),
  );
  return db.delete(backupCodes).where(which).returning().get() !== undefined;
}

/** The code of a request, optional only while two-factor authentication is off. Throws 400. */
export function requiredCode(code: string | null | undefined): string {
  if (!code) throw invalid("/code", "is required: two-factor authentication is on");
  return code;
}

/**
 * Consumes a code of the app or a backup code, in the current transaction. Returns null for a wrong one,
 * which the caller must count. Throws 403 and 429 after too many wrong ones.
 */
export function acceptCode(userId: string, code: string, client: Client): "totp" | "backup_code" | null {
  const row = twoFactorOf(userId);
  if (!row || row.enabled_at === null) return null;
  checkMayTry(userId, client);
  const used = acceptTotp(row, code) ? "totp" : acceptBackupCode(userId, code) ? "backup_code" : null;
  if (used) forgiveFailures(userId, client);
  return used;
}

/**
 * Records and counts a wrong code in the current transaction, which must commit: so this returns, and the
 * caller throws afterwards.
 */
export function noteWrongCode(actor: Actor, user: UserRow): null {
  if (isTwoFactorOn(user.id)) countFailure(user.id, actor.client);
  noteFailure(user.id, "wrong code");
  return null;
}

/** Writes the event of a refused second factor, in the current transaction; `userId` is null if unknown. */
export function noteFailure(userId: string | null, why: string): void {
  recordAudit({
    event_type: "2fa_verified",
    user_id: userId,
    ...(userId !== null && { resource_type: "two_factor", resource_id: userId }),
    status: "failure",
    error_message: why,
  });
}
