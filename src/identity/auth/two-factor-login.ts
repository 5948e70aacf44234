import { AppError, invalid } from "../../kernel/errors/errors";
import { checkNotBanned } from "../access/active-ban";
import { type Actor, type AnyActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { contactAddress, primaryAccount } from "../directory/accounts";
import { findUser } from "../directory/users";
import { notify } from "../email/notify";
import { checkLoginEnabled, platformBySlug } from "../platforms/service";
import type { ChallengeInput } from "../two-factor/schema";
import { FEW } from "../two-factor-codes/backup-codes";
import {
  countWrongCode,
  deleteChallenge,
  findChallenge,
  insertChallenge,
} from "../two-factor-codes/challenges";
import { checkNotLocked, countFailure } from "../two-factor-codes/failures";
import { acceptCode, backupCodesLeft, isTwoFactorOn, noteFailure } from "../two-factor-codes/service";
import type { AuthResponse } from "./schema";
import { signIn } from "./service";

const wrong = () => new AppError("Unauthorized", "The token or the code is wrong, was used, or has expired");

/**
 * The second step of a sign-in: consumes the challenge and a code of the app or a backup code, and opens the
 * session. Five wrong codes end the challenge (rule C3); of parallel requests with one code, only one
 * succeeds. Every attempt leaves an audit event. Throws 401, 403 for a user who was banned or a platform that
 * was switched off meanwhile, and 403 and 429 after too many wrong codes.
 */
export async function verifyTwoFactorLogin(actor: AnyActor, input: ChallengeInput): Promise<AuthResponse> {
  // A refusal is returned and thrown only after the commit, which must hold its audit event and the count of
  // wrong codes.
  const refuse = (userId: string | null, why: string, error: AppError) => {
    noteFailure(userId, why);
    return error;
  };
  const { client } = actor;
  const outcome = await transactAs(actor, () => {
    const challenge = findChallenge(input.temp_token);
    const user = challenge && findUser(challenge.user_id);
    if (!challenge || !user || user.deleted_at !== null) return refuse(null, "no such challenge", wrong());
    const bar = barTo(user.id, challenge.provider);
    if (bar) return refuse(user.id, bar.message, bar);
    const used = acceptCode(user.id, input.code, client);
    if (used === null) {
      countWrongCode(challenge);
      countFailure(user.id, client);
      return refuse(user.id, "wrong code", wrong());
    }
    deleteChallenge(challenge.id);
    recordAudit({
      event_type: "2fa_verified",
      user_id: user.id,
      resource_type: "two_factor",
      resource_id: user.id,
      metadata: { used },
    });
    const left = backupCodesLeft(user.id);
    if (used === "backup_code" && left <= FEW)
      notify(user, { kind: "backup_codes_low", remaining: left }, client.acceptLanguage);
    const { id, username, preferred_locale: locale } = user;
    // The first step was a password here, or a sign-in elsewhere.
    const amr = challenge.provider === "email" ? (["pwd", "otp", "mfa"] as const) : (["otp", "mfa"] as const);
    return signIn({ id, username, email: contactAddress(user), locale }, challenge.provider, client, amr);
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** The reason why a user can't sign in through a platform now; null if there is none. */
export function barTo(userId: string, provider: string): AppError | null {
  try {
    checkLoginEnabled(provider);
    checkNotBanned(userId);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/**
 * For the identity web app, after a sign-in through an external provider: tells if a second step is needed,
 * with the token for it. Throws 400 for an unknown user or platform, 403 for a banned user.
 */
export function checkTwoFactor(actor: Actor, userId: string, provider: string | null | undefined) {
  return transactAs(actor, () => {
    const user = findUser(userId);
    if (!user || user.deleted_at !== null) throw invalid("/user_id", "names no user");
    checkNotBanned(user.id);
    if (provider && !platformBySlug(provider)) throw invalid("/oauth_provider", "names no platform");
    const through = provider ?? user.last_login_provider ?? primaryAccount(user)?.slug ?? "email";
    checkLoginEnabled(through);
    if (!isTwoFactorOn(user.id)) return { requires_2fa: false };
    checkNotLocked(user.id);
    return { requires_2fa: true, temp_token: insertChallenge(user.id, through) };
  });
}
