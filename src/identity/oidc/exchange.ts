import { AppError, forbidden } from "../../kernel/errors/errors";
import { checkNotBanned } from "../access/active-ban";
import { type AnyActor, transactAs } from "../access/actor";
import type { AuthResponse } from "../auth/schema";
import { openChallenge, signIn } from "../auth/service";
import { contactAddress } from "../directory/accounts";
import { existingUser } from "../directory/users";
import { type Holder, takeCode } from "../oidc-codes/codes";
import { checkLoginEnabled } from "../platforms/service";
import { checkNotLocked } from "../two-factor-codes/failures";
import { isTwoFactorOn } from "../two-factor-codes/service";

/**
 * Opens the session of a user who came back from a provider, or the challenge of the second factor: an account that has one here is
 * asked for it, whatever the provider did. Throws 400 for a code that is not good, 403 as a sign-in with a password does.
 */
export async function exchangeCode(actor: AnyActor, code: string, holder: Holder): Promise<AuthResponse> {
  // A refusal is returned and thrown after the commit: the code is used up by it.
  const outcome = await transactAs(actor, () => {
    const taken = takeCode(code, "sign_in", holder);
    const user = existingUser(taken.user_id);
    const way = `oidc:${taken.provider}`;
    try {
      if (user.deleted_at !== null) throw forbidden("This account was deleted");
      checkNotBanned(user.id);
      checkLoginEnabled(way);
      const { id, username, preferred_locale: locale } = user;
      const signingIn = { id, username, email: contactAddress(user), locale };
      if (!isTwoFactorOn(id)) return signIn(signingIn, way, actor.client, null, taken.authenticated_at);
      checkNotLocked(id);
      return openChallenge(signingIn, way);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}
