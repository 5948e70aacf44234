import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { badRequest } from "../../kernel/errors/errors";
import { isoOrNull, now } from "../../kernel/time/clock";
import { type Actor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import type { UserRow } from "../directory/users";
import { notify } from "../email/notify";
import { platformBySlug } from "../platforms/service";
import { hashBackupCode, newBackupCodes } from "../two-factor-codes/backup-codes";
import { dropChallenges } from "../two-factor-codes/challenges";
import { checkMayTry, forgiveFailures } from "../two-factor-codes/failures";
import {
  acceptCode,
  acceptTotp,
  backupCodesLeft,
  languageOf,
  noteWrongCode,
  twoFactorOf,
  wrongCode,
} from "../two-factor-codes/service";
import type { TwoFactorStatus } from "./schema";
import { backupCodes, twoFactor } from "./table";

// --- Reading ----------------------------------------------------------------------------------------------

export function twoFactorStatus(user: UserRow): TwoFactorStatus {
  const row = twoFactorOf(user.id);
  const enabled = row !== undefined && row.enabled_at !== null;
  const platform = enabled ? row.platform : null;
  return {
    enabled,
    enabled_at: enabled ? isoOrNull(row.enabled_at) : null,
    backup_codes_remaining: backupCodesLeft(user.id),
    setup_platform: platform,
    platform_slug: platform,
  };
}

// --- Changing -------------------------------------------------------------------------------------------

const notOn = () => badRequest("Two-factor authentication is not on");

/** Stores ten new backup codes in place of all old ones, in the current transaction, and returns them. */
export function replaceBackupCodes(userId: string): string[] {
  const codes = newBackupCodes();
  db.delete(backupCodes).where(eq(backupCodes.user_id, userId)).run();
  db.insert(backupCodes)
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashBackupCode(userId, code) })))
    .run();
  return codes;
}

/** Turns two-factor authentication off with a code of the app or a backup code. Throws 400. */
export async function disableTwoFactor(actor: Actor, user: UserRow, code: string): Promise<void> {
  const done = await transactAs(actor, () => {
    const row = twoFactorOf(user.id);
    if (!row || row.enabled_at === null) throw notOn();
    if (!acceptCode(user.id, code, actor.client)) return noteWrongCode(actor, user);
    removeTwoFactor(user.id);
    auditTwoFactor("2fa_disabled", user, { platform: row.platform });
    const platformName = platformBySlug(row.platform)?.name ?? row.platform;
    notify(user, { kind: "two_factor_disabled", platformName, at: now() }, languageOf(actor, user));
    return true;
  });
  if (!done) throw wrongCode();
}

/** Deletes a user's second factor and all that belongs to it, in the current transaction. */
export function removeTwoFactor(userId: string): void {
  db.delete(twoFactor).where(eq(twoFactor.user_id, userId)).run();
  db.delete(backupCodes).where(eq(backupCodes.user_id, userId)).run();
  dropChallenges(userId);
}

/** Replaces all backup codes; only a code of the app allows it. Throws 400. */
export async function regenerateBackupCodes(actor: Actor, user: UserRow, code: string) {
  const done = await transactAs(actor, () => {
    const row = twoFactorOf(user.id);
    if (!row || row.enabled_at === null) throw notOn();
    checkMayTry(user.id, actor.client);
    if (!acceptTotp(row, code)) return noteWrongCode(actor, user);
    forgiveFailures(user.id, actor.client);
    const codes = replaceBackupCodes(user.id);
    auditTwoFactor("2fa_backup_codes_regenerated", user, {});
    notify(user, { kind: "backup_codes_regenerated", at: now() }, languageOf(actor, user));
    return { codes, platform: row.platform };
  });
  if (!done) throw wrongCode();
  return {
    success: true,
    backup_codes: done.codes,
    message: "The former backup codes are invalid; keep these, they are shown only once",
    platform_slug: done.platform,
  };
}

export const auditTwoFactor = (
  event: "2fa_enabled" | "2fa_disabled" | "2fa_backup_codes_regenerated",
  user: UserRow,
  metadata: Record<string, unknown>,
) =>
  recordAudit({
    event_type: event,
    user_id: user.id,
    resource_type: "two_factor",
    resource_id: user.id,
    metadata,
  });
