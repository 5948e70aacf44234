import type { Client } from "../../kernel/client";
import { transact } from "../../kernel/db";
import { AppError, invalid } from "../../kernel/errors";
import { recordAudit } from "../audit/service";
import { checkNotBanned } from "../bans/active-ban";
import { notify } from "../email/notify";
import { checkLoginEnabled, platformBySlug } from "../platforms/service";
import { FEW } from "../two-factor/backup-codes";
import { countWrongCode, deleteChallenge, findChallenge, insertChallenge } from "../two-factor/challenges";
import type { ChallengeInput } from "../two-factor/schema";
import { acceptCode, backupCodesLeft, isTwoFactorOn, noteFailure } from "../two-factor/service";
import { contactAddress, findUser, primaryAccount } from "../users/service";
import type { AuthResponse } from "./schema";
import { signIn } from "./service";

const wrong = () => new AppError("Unauthorized", "The token or the code is wrong, was used, or has expired");

/**
 * The second step of a sign-in: consumes the challenge and a code of the app or a backup code, and opens the session.
 * Five wrong codes end the challenge; of parallel requests with one code, one succeeds. Every attempt leaves an audit
 * event. Throws 401, and 403 for who was banned and for a platform that was switched off meanwhile.
 */
export async function verifyTwoFactorLogin(input: ChallengeInput, client: Client): Promise<AuthResponse> {
  // A refusal is returned, and thrown after: its audit event and the count of wrong codes must be committed.
  const refuse = (userId: string | null, why: string, error: AppError) => {
    noteFailure({ userId, why, client });
    return error;
  };
  const outcome = await transact(() => {
    const challenge = findChallenge(input.temp_token);
    const user = challenge && findUser(challenge.user_id);
    if (!challenge || !user || user.deleted_at !== null) return refuse(null, "no such challenge", wrong());
    const bar = barTo(user.id, challenge.provider);
    if (bar) return refuse(user.id, bar.message, bar);
    const used = acceptCode(user.id, input.code);
    if (used === null) {
      countWrongCode(challenge);
      return refuse(user.id, "wrong code", wrong());
    }
    deleteChallenge(challenge.id);
    recordAudit({
      event_type: "2fa_verified",
      user_id: user.id,
      resource_type: "two_factor",
      resource_id: user.id,
      metadata: { used },
      client,
    });
    const left = backupCodesLeft(user.id);
    if (used === "backup_code" && left <= FEW)
      notify(user, { kind: "backup_codes_low", remaining: left }, client.acceptLanguage);
    const { id, username, preferred_locale: locale } = user;
    return signIn({ id, username, email: contactAddress(user), locale }, challenge.provider, client);
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** Whose sign-in a token belongs to; null for one that is unknown, used or expired. */
export const challengedUser = (token: string): string | null => findChallenge(token)?.user_id ?? null;

/** What keeps a user from signing in through a platform now. */
function barTo(userId: string, provider: string): AppError | null {
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
 * For the identity web app, after a sign-in through an external provider: whether a second step is needed, and the
 * token for it. Throws 400 for no such user or platform, 403 for a banned one.
 */
export function checkTwoFactor(userId: string, provider: string | null | undefined) {
  return transact(() => {
    const user = findUser(userId);
    if (!user || user.deleted_at !== null) throw invalid("/user_id", "names no user");
    checkNotBanned(user.id);
    if (provider && !platformBySlug(provider)) throw invalid("/oauth_provider", "names no platform");
    const through = provider ?? user.last_login_provider ?? primaryAccount(user)?.slug ?? "email";
    checkLoginEnabled(through);
    if (!isTwoFactorOn(user.id)) return { requires_2fa: false };
    return { requires_2fa: true, temp_token: insertChallenge(user.id, through) };
  });
}
