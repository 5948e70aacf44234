import { hashToken } from "../../kernel/crypto/crypto";
import { AppError } from "../../kernel/errors/errors";
import { banRefusal } from "../access/active-ban";
import { type AnyActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import type { AuthResponse } from "../auth/schema";
import { signIn } from "../auth/service";
import { barTo } from "../auth/two-factor-login";
import { contactAddress } from "../directory/accounts";
import { findUser, type UserRow } from "../directory/users";
import { type AuthenticationMethods, PASSKEY_PROVIDER } from "../sessions/service";
import { countWrongCode, deleteChallenge, findChallenge } from "../two-factor-codes/challenges";
import {
  examine,
  methodsOf,
  type PasskeyRow,
  RefusedPasskey,
  requestOptions,
  requestOptionsFor,
  settle,
} from "../webauthn/assertions";
import { noteRefused } from "../webauthn/refusals";
import type { Assertion, RequestOptions } from "../webauthn/schema";
import type { PasskeySecondFactor } from "./schema";

/** Sign-ins by a passkey: alone, since its user was verified by the authenticator, or beside a password. */

const refusal = () => new AppError("Unauthorized", "The passkey was not accepted; ask for a new challenge");

/** Options by which a browser asks for a passkey of whoever is there. Throws 409 where there can be none. */
export const signInOptions = (): RequestOptions => requestOptions("sign-in", "", []);

/**
 * Signs in by a passkey, which counts as both factors. An unknown passkey, a wrong signature, a used challenge, and a user
 * who was deleted get the same answer after the same time; the audit log tells them apart. With a passkey that is right, a
 * ban shows as 403, as it does with the right password (rule A4). Throws 401 and 403.
 */
export async function signInByPasskey(actor: AnyActor, assertion: Assertion): Promise<AuthResponse> {
  const examined = await examine(assertion);
  const outcome = await transactAs(actor, () => {
    const settled = settle(examined, "sign-in", "", null);
    const user = findOwner(settled);
    const refuse = (refused: RefusedPasskey, error: AppError) => {
      noteRefused(refused, user?.id ?? null, "sign-in");
      return error;
    };
    if (settled instanceof RefusedPasskey) return refuse(settled, refusal());
    if (!user || user.deleted_at !== null)
      return refuse(new RefusedPasskey("its user was deleted", settled), refusal());
    const ban = banRefusal(user.id);
    if (ban) return refuse(new RefusedPasskey("its user is banned", settled), ban);
    return admit(actor, user, settled, PASSKEY_PROVIDER, methodsOf(settled));
  });
  // A refusal is thrown only after the commit, which must hold its audit event and the used challenge.
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** The user of a passkey; undefined for one who was scrubbed, about whom nothing more may be stored. */
function findOwner(settled: PasskeyRow | RefusedPasskey): UserRow | undefined {
  const row = settled instanceof RefusedPasskey ? settled.row : settled;
  const user = row && findUser(row.user_id);
  return user?.scrubbed_at === null ? user : undefined;
}

/** Opens the session of a user whose passkey was accepted, in the current transaction. */
function admit(
  { client }: AnyActor,
  user: UserRow,
  passkey: PasskeyRow,
  provider: string,
  amr: AuthenticationMethods,
): AuthResponse {
  const { id, username, preferred_locale: locale } = user;
  const session = signIn({ id, username, email: contactAddress(user), locale }, provider, client, amr);
  recordAudit({
    event_type: "passkey_login",
    user_id: id,
    resource_type: "passkey",
    resource_id: passkey.id,
    metadata: { session_id: session.session_id, second_factor: provider !== PASSKEY_PROVIDER },
  });
  return session;
}

// --- Beside a password ------------------------------------------------------------------------------------

const noChallenge = () => new AppError("Unauthorized", "The token is wrong, was used, or has expired");

/**
 * Options by which a browser asks for a passkey of the user whose sign-in waits for its second step. Throws 401 for a token
 * that is not valid, 409 for a user without a passkey.
 */
export function secondFactorOptions(tempToken: string): RequestOptions {
  const challenge = findChallenge(tempToken);
  if (!challenge) throw noChallenge();
  return requestOptionsFor(challenge.user_id, "second factor", hashToken(tempToken));
}

/**
 * The second step of a sign-in, by a passkey in place of a code. Five passkeys that aren't accepted end the challenge, as
 * wrong codes do; they count towards no lock, since nobody guesses a key. Throws 401, and 403 for a user who was banned or a
 * platform that was switched off meanwhile.
 */
export async function verifySecondFactor(
  actor: AnyActor,
  { temp_token, credential }: PasskeySecondFactor,
): Promise<AuthResponse> {
  const examined = await examine(credential);
  const outcome = await transactAs(actor, () => {
    const challenge = findChallenge(temp_token);
    const user = challenge && findUser(challenge.user_id);
    if (!challenge || !user || user.deleted_at !== null) {
      noteRefused(new RefusedPasskey("no such challenge", undefined), null, "second factor");
      return refusal();
    }
    const settled = settle(examined, "second factor", hashToken(temp_token), user.id);
    const bar = barTo(user.id, challenge.provider);
    if (bar) {
      noteRefused(new RefusedPasskey(bar.message, examined.row), user.id, "second factor");
      return bar;
    }
    if (settled instanceof RefusedPasskey) {
      countWrongCode(challenge);
      noteRefused(settled, user.id, "second factor");
      return refusal();
    }
    deleteChallenge(challenge.id);
    recordAudit({
      event_type: "2fa_verified",
      user_id: user.id,
      resource_type: "two_factor",
      resource_id: user.id,
      metadata: { used: "passkey" },
    });
    // The first step was a password here, or a sign-in elsewhere.
    const amr: AuthenticationMethods = [
      ...(challenge.provider === "email" ? (["pwd"] as const) : []),
      ...methodsOf(settled),
    ];
    return admit(actor, user, settled, challenge.provider, amr);
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}
