import { and, count, eq, placeholder } from "drizzle-orm";
import { publicUrl } from "../../config";
import type { Client } from "../../kernel/client";
import { iso, isoOrNull, MINUTE, now } from "../../kernel/clock";
import { db, statement } from "../../kernel/db";
import { decrypt, encrypt } from "../../kernel/encryption";
import { badRequest, forbidden, invalid, notFound } from "../../kernel/errors";
import { isAlive } from "../../kernel/lifetime";
import { describeError, log } from "../../kernel/log";
import { type Caller, isSystemKey, transactAs } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { notify } from "../email/notify";
import { existingPlatform, platformBySlug } from "../platforms/service";
import { findUser, type UserRow } from "../users/service";
import { hashBackupCode, newBackupCodes, normalizeBackupCode } from "./backup-codes";
import { dropChallenges } from "./challenges";
import type { TwoFactorSetup, TwoFactorStatus } from "./schema";
import { backupCodes, twoFactor } from "./table";
import { matchStep, newSecret, otpauthUrl } from "./totp";

/** How long a set-up may take (Part 2). */
const SETUP_LIFETIME = 10 * MINUTE;

type Row = typeof twoFactor.$inferSelect;

/** What a secret is encrypted for. */
export const secretOf = (userId: string) => `totp ${userId}`;

const ofUser = statement(() =>
  db
    .select()
    .from(twoFactor)
    .where(eq(twoFactor.user_id, placeholder("userId")))
    .prepare(),
);
const find = (userId: string): Row | undefined => ofUser().get({ userId });

/** Whether a user must give a second factor at sign-in. */
export const isTwoFactorOn = (userId: string): boolean => (find(userId)?.enabled_at ?? null) !== null;

export function backupCodesLeft(userId: string): number {
  return db.select({ n: count() }).from(backupCodes).where(eq(backupCodes.user_id, userId)).get()?.n ?? 0;
}

// --- Whose it is ------------------------------------------------------------------------------------------

/**
 * The user whom a caller means by `user_id`: a system key must name one; anybody else means itself, and needs
 * `two_factor:manage` for somebody else. A user's own key needs the permission that a session doesn't (decisions 3.6).
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
  if (isOwn && caller.kind === "key" && !holds(needs)) throw forbidden(`This needs the permission ${needs}`);
  if (!isOwn && !isSystemKey(caller) && !holds("two_factor:manage"))
    throw forbidden("This needs the permission two_factor:manage");
  const user = presentUser(id);
  if (!isOwn && needs === "two_factor:write") checkOutranks(caller, id);
  return user;
}

/** A user who is not deleted. Throws 400. */
function presentUser(id: string): UserRow {
  const user = findUser(id);
  if (!user || user.deleted_at !== null) throw invalid("/user_id", "names no user");
  return user;
}

// --- Reading ----------------------------------------------------------------------------------------------

export function twoFactorStatus(user: UserRow): TwoFactorStatus {
  const row = find(user.id);
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

// --- Setting up -------------------------------------------------------------------------------------------

/**
 * Starts to set up two-factor authentication: a secret for an authenticator app, valid for 10 minutes. Throws 400 when
 * it is on already or the platform doesn't support it, 404 for no such platform.
 */
export async function setUpTwoFactor(
  caller: Caller,
  user: UserRow,
  platformId: string | undefined,
): Promise<TwoFactorSetup> {
  const platform = platformId === undefined ? platformBySlug("email") : existingPlatform(platformId);
  if (!platform) throw notFound("Platform");
  if (!platform.two_factor_supported)
    throw badRequest(`Two-factor authentication cannot be set up from ${platform.name}`);
  const secret = newSecret();
  const url = otpauthUrl(secret, `Fairlead (${new URL(publicUrl()).hostname})`, user.username);
  const { toDataURL } = await import("qrcode");
  const image = await toDataURL(url, { errorCorrectionLevel: "M", margin: 4, width: 280 });
  return transactAs(caller, () => {
    // Deleted while the picture was drawn: nothing may be stored about that account any more.
    presentUser(user.id);
    if (isTwoFactorOn(user.id)) throw alreadyOn();
    const expiresAt = now() + SETUP_LIFETIME;
    const row = {
      user_id: user.id,
      secret: encrypt(secret, secretOf(user.id)),
      platform: platform.slug,
      enabled_at: null,
      setup_expires_at: expiresAt,
      last_step: null,
      created_at: now(),
    };
    db.insert(twoFactor).values(row).onConflictDoUpdate({ target: twoFactor.user_id, set: row }).run();
    return {
      secret,
      qr_code_url: url,
      qr_code_image: image,
      expires_at: iso(expiresAt),
      platform_slug: platform.slug,
    };
  });
}

const alreadyOn = () => badRequest("Two-factor authentication is on already");
const notOn = () => badRequest("Two-factor authentication is not on");
export const wrongCode = () => invalid("/code", "is wrong, or was used already");

/** Completes the set-up with a code of the app, and returns the backup codes this once. Throws 400. */
export async function enableTwoFactor(caller: Caller, user: UserRow, code: string, client: Client) {
  const done = await transactAs(caller, () => {
    const row = find(user.id);
    if (!row) throw badRequest("There is no set-up to complete; start with POST /v1/users/me/2fa/setup");
    if (row.enabled_at !== null) throw alreadyOn();
    if (!isAlive(row.created_at, row.setup_expires_at ?? 0))
      throw badRequest("The set-up has expired; start again with POST /v1/users/me/2fa/setup");
    if (!acceptTotp(row, code)) return noteWrongCode(caller, user, client);
    const time = now();
    db.update(twoFactor)
      .set({ enabled_at: time, setup_expires_at: null })
      .where(eq(twoFactor.user_id, user.id))
      .run();
    const codes = replaceBackupCodes(user.id);
    audit("2fa_enabled", caller, user, client, { platform: row.platform });
    const platformName = platformBySlug(row.platform)?.name ?? row.platform;
    notify(user, { kind: "two_factor_enabled", platformName, at: time }, languageOf(caller, user, client));
    return { codes, platform: row.platform };
  });
  if (!done) throw wrongCode();
  return {
    success: true,
    backup_codes: done.codes,
    message: "Two-factor authentication is on; keep the backup codes, they are shown this once",
    platform_slug: done.platform,
  };
}

/** What the request tells of the user's language: something, when the user's own client made it. */
const languageOf = (caller: Caller, user: UserRow, client: Client): string | null =>
  caller.userId === user.id ? client.acceptLanguage : null;

/** Stores ten new backup codes in place of all former ones, in the current transaction, and returns them. */
function replaceBackupCodes(userId: string): string[] {
  const codes = newBackupCodes();
  db.delete(backupCodes).where(eq(backupCodes.user_id, userId)).run();
  db.insert(backupCodes)
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashBackupCode(userId, code) })))
    .run();
  return codes;
}

/** Turns two-factor authentication off with a code of the app or a backup code. Throws 400. */
export async function disableTwoFactor(
  caller: Caller,
  user: UserRow,
  code: string,
  client: Client,
): Promise<void> {
  const done = await transactAs(caller, () => {
    const row = find(user.id);
    if (!row || row.enabled_at === null) throw notOn();
    if (!acceptCode(user.id, code)) return noteWrongCode(caller, user, client);
    removeTwoFactor(user.id);
    audit("2fa_disabled", caller, user, client, { platform: row.platform });
    const platformName = platformBySlug(row.platform)?.name ?? row.platform;
    notify(user, { kind: "two_factor_disabled", platformName, at: now() }, languageOf(caller, user, client));
    return true;
  });
  if (!done) throw wrongCode();
}

/** Forgets everything about a user's second factor, in the current transaction. */
export function removeTwoFactor(userId: string): void {
  db.delete(twoFactor).where(eq(twoFactor.user_id, userId)).run();
  db.delete(backupCodes).where(eq(backupCodes.user_id, userId)).run();
  dropChallenges(userId);
}

/** Replaces all backup codes; only a code of the app permits it. Throws 400. */
export async function regenerateBackupCodes(caller: Caller, user: UserRow, code: string, client: Client) {
  const done = await transactAs(caller, () => {
    const row = find(user.id);
    if (!row || row.enabled_at === null) throw notOn();
    if (!acceptTotp(row, code)) return noteWrongCode(caller, user, client);
    const codes = replaceBackupCodes(user.id);
    audit("2fa_backup_codes_regenerated", caller, user, client, {});
    notify(user, { kind: "backup_codes_regenerated", at: now() }, languageOf(caller, user, client));
    return { codes, platform: row.platform };
  });
  if (!done) throw wrongCode();
  return {
    success: true,
    backup_codes: done.codes,
    message: "The former backup codes are invalid; keep these, they are shown this once",
    platform_slug: done.platform,
  };
}

// --- Codes ------------------------------------------------------------------------------------------------

/**
 * Whether a code of the app is right, in the current transaction: then it and earlier ones count no more (RFC 6238,
 * section 5.2).
 */
function acceptTotp(row: Row, code: string): boolean {
  const secret = openSecret(row);
  if (secret === null) return false;
  const step = matchStep(secret, code, now());
  if (step === null || step <= (row.last_step ?? -1)) return false;
  db.update(twoFactor).set({ last_step: step }).where(eq(twoFactor.user_id, row.user_id)).run();
  return true;
}

/** The secret of an app; null for one that was stored under another key or for another user: no code is right then. */
function openSecret(row: Row): string | null {
  try {
    return decrypt(row.secret, secretOf(row.user_id));
  } catch (error) {
    log.error("a two-factor secret can't be decrypted; only backup codes are accepted from its user", {
      user_id: row.user_id,
      ...describeError(error),
    });
    return null;
  }
}

/** Consumes a backup code in the current transaction. False when there is none like it. */
function acceptBackupCode(userId: string, typed: string): boolean {
  const code = normalizeBackupCode(typed);
  if (code === null) return false;
  const which = and(eq(backupCodes.user_id, userId), eq(backupCodes.code_hash, hashBackupCode(userId, code)));
  return db.delete(backupCodes).where(which).returning().get() !== undefined;
}

/** The code of a request in which it may be left out while two-factor authentication is off. Throws 400. */
export function requiredCode(code: string | null | undefined): string {
  if (!code) throw invalid("/code", "is required: two-factor authentication is on");
  return code;
}

/** Consumes a code of the app or a backup code, in the current transaction. Null for a wrong one. */
export function acceptCode(userId: string, code: string): "totp" | "backup_code" | null {
  const row = find(userId);
  if (!row || row.enabled_at === null) return null;
  if (acceptTotp(row, code)) return "totp";
  return acceptBackupCode(userId, code) ? "backup_code" : null;
}

/** Notes a wrong code in the current transaction, which must commit: so this returns, and the caller throws after. */
export function noteWrongCode(caller: Caller, user: UserRow, client: Client): null {
  noteFailure({ userId: user.id, actorId: caller.userId, why: "wrong code", client });
  return null;
}

interface Failure {
  /** Whose second factor it was; null where that isn't known. */
  userId: string | null;
  actorId?: string | null;
  why: string;
  client: Client;
}

/** Notes that a second factor was not accepted, in the current transaction. */
export function noteFailure({ userId, actorId = null, why, client }: Failure): void {
  recordAudit({
    event_type: "2fa_verified",
    user_id: userId,
    actor_id: actorId,
    ...(userId !== null && { resource_type: "two_factor", resource_id: userId }),
    status: "failure",
    error_message: why,
    client,
  });
}

const audit = (
  event: "2fa_enabled" | "2fa_disabled" | "2fa_backup_codes_regenerated",
  caller: Caller,
  user: UserRow,
  client: Client,
  metadata: Record<string, unknown>,
) =>
  recordAudit({
    event_type: event,
    user_id: user.id,
    actor_id: caller.userId,
    resource_type: "two_factor",
    resource_id: user.id,
    metadata,
    client,
  });
