import { eq, placeholder, sql } from "drizzle-orm";
import { config } from "../../configuration/config";
import { hashPassword, needsRehash, verifyPassword } from "../../kernel/crypto/crypto";
import { db, statement } from "../../kernel/db/connection";
import { AppError } from "../../kernel/errors/errors";
import { addressBlock, type Client } from "../../kernel/http/client";
import { iso, now } from "../../kernel/time/clock";
import { checkNotBanned } from "../access/active-ban";
import type { SessionActor } from "../access/actor";
import { type AnyActor, transactAs, withoutCaller } from "../access/actor";
import { accessChanged } from "../access/caller";
import type { RateRule } from "../access/limit";
import { recordAudit } from "../audit/service";
import { findUser } from "../directory/users";
import { byAddressOf, byIdentifier, openTry } from "../passwords/login-failures";
import { findAccount, passwordHashOf } from "../passwords/service";
import { knownAddress, noteAddress } from "../passwords/sign-in-addresses";
import { checkLoginEnabled } from "../platforms/service";
import {
  type AuthenticationMethods,
  endSession,
  insertSession,
  PASSKEY_PROVIDER,
  revokeOtherSessions,
} from "../sessions/service";
import { insertChallenge } from "../two-factor-codes/challenges";
import { checkNotLocked } from "../two-factor-codes/failures";
import { isTwoFactorOn } from "../two-factor-codes/service";
import { users } from "../users/table";
import { hasPasskey } from "../webauthn/assertions";
import { checkBotProtection } from "./bot-protection";
import type { AuthResponse, LoginInput } from "./schema";
import { passwords } from "./table";

/** Sign-ins of one address, by whichever door. */
export const loginLimit: RateRule = { name: "login", rate: () => config["rate_limit.login"] };

const wrongCredentials = () => new AppError("Unauthorized", "The identifier or the password is wrong");

/**
 * Signs in with username or email address and password. An unknown identifier, an account without a password
 * and a wrong password get the same answer after the same time (rule C2). With the right password, a ban and
 * a platform that is switched off show as 403 (rule A4), and two-factor authentication leads to a challenge,
 * or to 403 after too many wrong codes. A failure leaves an audit event, and so does the session that is
 * opened in the end. Throws 429 after too many failures, by the same rules with or without an account.
 */
export async function login(actor: AnyActor, input: LoginInput): Promise<AuthResponse> {
  const { client } = actor;
  await checkBotProtection(input.challenge_token, client);
  const identifier = input.identifier.toLowerCase();
  const account = findAccount(identifier);
  const isKnown = knownAddress(account?.id ?? null, client.address) !== null;
  const block = addressBlock(client.address);
  const attempt = openTry(isKnown ? byAddressOf(identifier, block) : byIdentifier(identifier));
  let matches: boolean;
  try {
    matches = await verifyPassword(account?.hash ?? null, input.password, block);
    if (!matches) attempt.fail();
  } finally {
    attempt.close();
  }
  if (!account || account.hash === null || !matches) {
    await recordFailure(actor, account?.id ?? null, account ? "wrong password" : "unknown identifier");
    throw wrongCredentials();
  }
  const renewed = needsRehash(account.hash) ? await hashPassword(input.password, block) : null;
  try {
    return await transactAs(actor, () => {
      // The account may have been deleted or its password changed while the hash was computed.
      if (passwordHashOf(account.id) !== account.hash) throw wrongCredentials();
      checkLoginEnabled("email");
      checkNotBanned(account.id);
      if (renewed) db.update(passwords).set({ hash: renewed }).where(eq(passwords.user_id, account.id)).run();
      if (!isTwoFactorOn(account.id)) return signIn(account, "email", client, ["pwd"]);
      checkNotLocked(account.id);
      return openChallenge(account, "email");
    });
  } catch (error) {
    if (error instanceof AppError) await recordFailure(actor, account.id, error.message);
    throw error;
  }
}

const recordFailure = (actor: AnyActor, accountId: string | null, why: string): Promise<void> =>
  transactAs(actor, () => {
    // Scrubbed while the hash was computed: nothing more may be stored about that account.
    const userId = accountId !== null && findUser(accountId)?.scrubbed_at === null ? accountId : null;
    recordAudit({
      event_type: "login_failed",
      user_id: userId,
      status: "failure",
      error_message: why,
    });
  });

interface SigningIn {
  id: string;
  username: string;
  email: string | null;
  locale: string | null;
}

/** Opens a session for a user who has passed all steps of a sign-in by these ways, in the current transaction. */
export function signIn(
  user: SigningIn,
  provider: string,
  client: Client,
  amr: AuthenticationMethods | null = null,
): AuthResponse {
  const session = openSession(user, provider, client, amr);
  recordAudit({
    event_type: "login",
    user_id: user.id,
    resource_type: "session",
    resource_id: session.session_id ?? "",
    metadata: { provider },
  });
  return session;
}

/** Opens a challenge for a user who has passed the first step of a sign-in, in the current transaction. */
const openChallenge = (user: SigningIn, provider: string): AuthResponse => ({
  user_id: user.id,
  email: user.email ?? "",
  username: user.username,
  provider,
  requires_2fa: true,
  temp_token: insertChallenge(user.id, provider),
  ...(hasPasskey(user.id) && { second_factors: ["code", "passkey"] as const }),
  preferred_locale: user.locale,
});

const noteLogin = statement(() =>
  db
    .update(users)
    .set({
      last_login_at: sql`${placeholder("time")}`,
      // A passkey is no platform: that of the last sign-in stays.
      last_login_provider: sql`coalesce(${placeholder("provider")}, ${users.last_login_provider})`,
    })
    .where(eq(users.id, placeholder("id")))
    .prepare(),
);

/** Opens a session for a user who has proved its identity, in the current transaction. */
export function openSession(
  user: SigningIn,
  provider: string,
  client: Client,
  amr: AuthenticationMethods | null = null,
): AuthResponse {
  noteLogin().run({ id: user.id, time: now(), provider: provider === PASSKEY_PROVIDER ? null : provider });
  noteAddress(user.id, client.address);
  const session = insertSession(user.id, provider, client, null, amr);
  return {
    user_id: user.id,
    email: user.email ?? "",
    username: user.username,
    session_token: session.token,
    session_id: session.id,
    expires_at: iso(session.expiresAt),
    provider,
    requires_2fa: false,
    preferred_locale: user.locale,
  };
}

/** Ends the session that made the request, and no other. */
export const logout = (actor: SessionActor): Promise<void> =>
  transactAs(withoutCaller(actor), () => endOwnSession(actor));

/** Ends all sessions of the user whose session made the request. */
export const logoutEverywhere = (actor: SessionActor): Promise<void> =>
  transactAs(withoutCaller(actor), () => {
    revokeOtherSessions(actor, "signed out everywhere");
    endOwnSession(actor);
    // Cached callers of the user's keys are dropped as well.
    accessChanged((cached) => cached.userId === actor.caller.userId, true);
  });

/** Ends the caller's session. Of parallel requests with one token, only one signs out. */
function endOwnSession(actor: SessionActor): void {
  if (!endSession(actor.caller.id)) return;
  recordAudit({
    event_type: "logout",
    user_id: actor.caller.userId,
    resource_type: "session",
    resource_id: actor.caller.id,
    metadata: { reason: "user_initiated", session_id: actor.caller.id },
  });
}
