import { eq } from "drizzle-orm";
import { publicUrl } from "../../configuration/config";
import { db } from "../../kernel/db/connection";
import { badRequest, notFound } from "../../kernel/errors/errors";
import { drawQrCode } from "../../kernel/limits/qr-code";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { type Actor, transactAs } from "../access/actor";
import type { UserRow } from "../directory/users";
import { notify } from "../email/notify";
import { existingPlatform, platformBySlug } from "../platforms/service";
import type { Proof } from "../proof/schema";
import { requireRecentSignIn } from "../reauthentication/service";
import { revokeOtherSessions } from "../sessions/service";
import {
  acceptTotp,
  isTwoFactorOn,
  languageOf,
  noteWrongCode,
  presentUser,
  totpSecrets,
  twoFactorOf,
  wrongCode,
} from "../two-factor-codes/service";
import { newSecret, otpauthUrl } from "../two-factor-codes/totp";
import type { TwoFactorSetup } from "./schema";
import { auditTwoFactor, replaceBackupCodes } from "./service";
import { twoFactor } from "./table";

/** Longest time for a set-up (rule C8). */
const SETUP_LIFETIME = 10 * MINUTE;

/**
 * Starts to set up two-factor authentication: a secret for an authenticator app, valid for 10 minutes. Throws
 * 400 when it is on already or the platform doesn't support it, 404 for an unknown platform, 403 where a
 * recent sign-in is needed.
 */
export async function setUpTwoFactor(
  actor: Actor,
  user: UserRow,
  { platform_id, ...proof }: { platform_id?: string } & Proof,
): Promise<Omit<TwoFactorSetup, "qr_code_image">> {
  await requireRecentSignIn(actor, user.id, proof);
  const platform = platform_id === undefined ? platformBySlug("email") : existingPlatform(platform_id);
  if (!platform) throw notFound("Platform");
  if (!platform.two_factor_supported)
    throw badRequest(`Two-factor authentication cannot be set up from ${platform.name}`);
  const secret = newSecret();
  const url = otpauthUrl(secret, `Fairlead (${new URL(publicUrl()).hostname})`, user.username);
  return transactAs(actor, () => {
    // Deleted while the password was checked: nothing more may be stored about that account.
    presentUser(user.id);
    if (isTwoFactorOn(user.id)) throw alreadyOn();
    const time = now();
    const expiresAt = time + SETUP_LIFETIME;
    const row = {
      user_id: user.id,
      secret: totpSecrets.seal(secret, user.id),
      platform: platform.slug,
      enabled_at: null,
      setup_expires_at: expiresAt,
      last_step: null,
      failures: 0,
      stranger_failures: 0,
      stranger_failed_at: null,
      forgiven_at: null,
      created_at: time,
    };
    db.insert(twoFactor).values(row).onConflictDoUpdate({ target: twoFactor.user_id, set: row }).run();
    return {
      secret,
      qr_code_url: url,
      expires_at: iso(expiresAt),
      platform_slug: platform.slug,
    };
  });
}

/** The picture of a set-up's URL, as a data URI. */
export const qrCodeOf = ({ qr_code_url }: { qr_code_url: string }): Promise<string> =>
  drawQrCode(qr_code_url);

const alreadyOn = () => badRequest("Two-factor authentication is already on");

interface Completion {
  code: string;
  /** Password of the caller, in place of a recent sign-in. */
  password?: string | null;
  end_other_sessions?: boolean;
}

/**
 * Completes the set-up with a code of the app, and returns the backup codes, once only. On request it ends
 * the user's other sessions, which were signed in without the second factor. Throws 400, and 403 where a
 * recent sign-in is needed.
 */
export async function enableTwoFactor(
  actor: Actor,
  user: UserRow,
  { code, password, end_other_sessions }: Completion,
) {
  await requireRecentSignIn(actor, user.id, { password });
  const done = await transactAs(actor, () => {
    const row = twoFactorOf(user.id);
    if (!row) throw badRequest("There is no set-up to complete; start with POST /v1/users/me/2fa/setup");
    if (row.enabled_at !== null) throw alreadyOn();
    if (!isUnexpired(row.created_at, row.setup_expires_at ?? 0))
      throw badRequest("The set-up has expired; start again with POST /v1/users/me/2fa/setup");
    if (!acceptTotp(row, code)) return noteWrongCode(actor, user);
    const time = now();
    db.update(twoFactor)
      .set({ enabled_at: time, setup_expires_at: null })
      .where(eq(twoFactor.user_id, user.id))
      .run();
    const codes = replaceBackupCodes(user.id);
    auditTwoFactor("2fa_enabled", user, { platform: row.platform });
    const platformName = platformBySlug(row.platform)?.name ?? row.platform;
    notify(user, { kind: "two_factor_enabled", platformName, at: time }, languageOf(actor, user));
    if (end_other_sessions) revokeOtherSessions(actor, "two-factor authentication turned on", user.id);
    return { codes, platform: row.platform };
  });
  if (!done) throw wrongCode();
  return {
    success: true,
    backup_codes: done.codes,
    message: "Two-factor authentication is on; keep the backup codes, they are shown only once",
    platform_slug: done.platform,
  };
}
