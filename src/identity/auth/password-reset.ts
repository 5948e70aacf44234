import { and, eq } from "drizzle-orm";
import { config } from "../../configuration/config";
import { hashPassword, hashToken, mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { badRequest, forbidden, invalid } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { addressBlock } from "../../kernel/http/client";
import { DAY, HOUR, MINUTE, now } from "../../kernel/time/clock";
import { isUnexpiredIn } from "../../kernel/time/lifetime";
import { type AnyActor, type SessionActor, transactAs } from "../access/actor";
import { hasActiveKey, switchOffKeys } from "../api-keys/owner";
import { recordAudit } from "../audit/service";
import { emailAccount, hasAccountElsewhere, noteAddressProved } from "../directory/accounts";
import { activeUser, findUser } from "../directory/users";
import { emailLocale } from "../email/locale";
import { notify } from "../email/notify";
import { emailsSince, queueEmail } from "../email/service";
import { composeEmail } from "../email/templates";
import { mayUsePassword } from "../passwords/allowed";
import { isOwnPassword, startAnew } from "../passwords/own-password";
import { checkPassword } from "../passwords/rules";
import { accountByEmail, passwordHashOf } from "../passwords/service";
import { requireRecentSession } from "../reauthentication/service";
import { forceLogout, revokeOtherSessions } from "../sessions/service";
import { dropChallenges } from "../two-factor-codes/challenges";
import { forgiveByReset } from "../two-factor-codes/failures";
import { cancelVerification } from "../verification/service";
import { erasePasskeys } from "../webauthn/erase";
import { checkBotProtection } from "./bot-protection";
import type { PasswordChange, ResetCompletion, ResetRequest } from "./schema";
import { passwordResets, passwords } from "./table";

/** Lifetime of the link in a reset email (rule C8). */
const RESET_LIFETIME = 1 * HOUR;

/**
 * Anybody may request a link for anybody, so another email is sent only after a pause, which doubles with
 * each email of the last day: 1, 2, 4 … 32, then 45 minutes, 37 emails a day at most. During a pause the last
 * link still works: pauses are shorter than its lifetime, so the owner of the mailbox has a link or gets one.
 */
const FIRST_PAUSE = 1 * MINUTE;
const LONGEST_PAUSE = 45 * MINUTE;
const COUNTED = 1 * DAY;

/** Milliseconds during which no further email is sent after the last of `emails`. */
export const emailPauseAfter = (emails: number): number =>
  emails === 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** (emails - 1), LONGEST_PAUSE);

/**
 * Answers come at whole multiples of this many milliseconds. The extra work for a known address fits into one
 * step, on a slow disk too.
 */
const ANSWER_STEP = 500;

/**
 * Sends a link that sets a new password, if an account has the address. Neither the answer nor its time shows
 * if one has (rule A2): unknown addresses take nearly the same work, and answers come at fixed times.
 */
export async function requestPasswordReset(actor: AnyActor, input: ResetRequest): Promise<void> {
  await checkBotProtection(input.challenge_token, actor.client);
  const started = performance.now();
  await issueReset(actor, input.email.toLowerCase());
  await Bun.sleep(ANSWER_STEP - ((performance.now() - started) % ANSWER_STEP));
}

/** The account that a password reset lets in again; undefined where nobody may sign in with one. */
const resettable = (address: string) => {
  const account = accountByEmail(address);
  return account && mayUsePassword(account.id) ? account : undefined;
};

async function issueReset(actor: AnyActor, address: string): Promise<void> {
  const account = resettable(address);
  const { token, hash } = mintToken("");
  const time = now();
  const expiresAt = time + RESET_LIFETIME;
  const recipient = {
    address,
    username: account?.username ?? "nobody",
    locale: emailLocale(account?.locale ?? null, actor.client.acceptLanguage),
  };
  const email = composeEmail(recipient, { kind: "password_reset", token, expiresAt });
  await transactAs(actor, () => {
    recordAudit({
      event_type: "password_reset_requested",
      user_id: account?.id ?? null,
      ...(!account && { status: "failure", error_message: "unknown address" }),
    });
    // The account may have been deleted meanwhile.
    if (!account || resettable(address)?.id !== account.id) return;
    if (hasFreshLink(account.id)) return;
    db.delete(passwordResets).where(eq(passwordResets.user_id, account.id)).run();
    db.insert(passwordResets)
      .values({
        id: newId(),
        user_id: account.id,
        token_hash: hash,
        created_at: time,
        expires_at: expiresAt,
      })
      .run();
    queueEmail(email, account.id);
  });
}

/** True while the last link is so recent that no other one is sent. */
function hasFreshLink(userId: string): boolean {
  if (!config["rate_limit.enabled"]) return false;
  const waiting = db
    .select({ id: passwordResets.id })
    .from(passwordResets)
    .where(and(eq(passwordResets.user_id, userId), isUnexpiredIn(passwordResets)))
    .get();
  if (!waiting) return false;
  const { sent, newest } = emailsSince(userId, "password_reset", now() - COUNTED);
  const pause = emailPauseAfter(sent);
  // An email from a clock that was ahead delays no other.
  return newest !== null && newest <= now() && now() < newest + pause;
}

const unexpired = (token: string) =>
  and(eq(passwordResets.token_hash, hashToken(token)), isUnexpiredIn(passwordResets));

const invalidToken = () => badRequest("The token is not valid, was used, or has expired");

/**
 * Sets a new password with the token of a reset email, and ends all sessions of the user. On request it
 * switches the user's API keys off, since an intruder may have made some. The keys stay, for the user to
 * check and switch on again. System keys are left alone: they belong to the installation and are made on its
 * machine only. Throws 400.
 */
export async function completePasswordReset(actor: AnyActor, input: ResetCompletion): Promise<void> {
  const { client } = actor;
  await checkBotProtection(input.challenge_token, client);
  const found = db.select().from(passwordResets).where(unexpired(input.token)).get();
  const user = found && findUser(found.user_id);
  if (!user || user.deleted_at !== null || !mayUsePassword(user.id)) throw invalidToken();
  checkPassword(input.new_password, user.username, "/new_password");
  const hash = await hashPassword(input.new_password, addressBlock(client.address));
  await transactAs(actor, () => {
    // Of parallel requests with one token, only one finds it.
    const taken = db.delete(passwordResets).where(unexpired(input.token)).returning().get();
    if (!taken || findUser(user.id)?.deleted_at !== null) throw invalidToken();
    setPassword(user.id, hash, client);
    // Whoever named an address that is somebody else's may have made passkeys before its owner came.
    const address = emailAccount(user.id);
    if (address && !address.email_verified) erasePasskeys(user.id, "password reset");
    if (input.revoke_api_keys) switchOffKeys(user.id, "password reset", "system keys");
    // The link went to the present address, since links to an earlier one end when the address changes. An
    // account that somebody else may still open stays unproved: a person's sign-in elsewhere would link to it.
    if (!hasAccountElsewhere(user.id) && !hasActiveKey(user.id)) noteAddressProved(user.id);
    forceLogout(user.id, "password reset");
    forgiveByReset(user.id, client);
    recordAudit({
      event_type: "password_changed",
      user_id: user.id,
      resource_type: "user",
      resource_id: user.id,
      metadata: { by: "reset" },
    });
  });
}

/**
 * Changes the own password and ends the other sessions; an account without one gets its first by a recent sign-in. Throws 400 for
 * a wrong current password, and 403 where the sign-in was too long ago or sign-in with a password is switched off.
 */
export async function changePassword(actor: SessionActor, input: PasswordChange): Promise<void> {
  const stored = passwordHashOf(actor.caller.userId);
  const { username } = activeUser(actor.caller.userId);
  if (stored === null) requireMaySetPassword(actor);
  else {
    if (!input.current_password) throw invalid("/current_password", "is required");
    const given = { hash: stored, password: input.current_password };
    if (!(await isOwnPassword(actor, actor.caller.userId, given)))
      throw invalid("/current_password", "is not the current password");
  }
  checkPassword(input.new_password, username, "/new_password");
  const hash = await hashPassword(input.new_password, actor.caller.userId);
  await transactAs(actor, () => {
    // The password was changed by somebody else while the hashes were computed.
    if (passwordHashOf(actor.caller.userId) !== stored)
      throw invalid("/current_password", "is not the current password");
    setPassword(actor.caller.userId, hash, actor.client);
    revokeOtherSessions(actor, "password changed");
    recordAudit({
      event_type: "password_changed",
      user_id: actor.caller.userId,
      resource_type: "user",
      resource_id: actor.caller.userId,
      metadata: { by: "change" },
    });
  });
}

/** Refuses a first password to an account that couldn't sign in with it. Throws 400 and 403. */
function requireMaySetPassword(actor: SessionActor): void {
  const { userId } = actor.caller;
  if (!emailAccount(userId))
    throw badRequest("This account has no password; link an email address to get one");
  if (!mayUsePassword(userId)) throw forbidden("Sign-in with a password is switched off");
  requireRecentSession(actor);
}

/**
 * Stores a new password in the current transaction. Ends everything that somebody else may have started with
 * the old password or a stolen session: other reset links, new addresses that wait for verification, and
 * sign-ins that wait for their second step. The user is told by email, in case the change was somebody
 * else's.
 */
function setPassword(userId: string, hash: string, client: Client): void {
  const time = now();
  // Whoever came with a passkey has none so far.
  db.insert(passwords)
    .values({ user_id: userId, hash, changed_at: time })
    .onConflictDoUpdate({ target: passwords.user_id, set: { hash, changed_at: time } })
    .run();
  db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).run();
  cancelVerification(userId, "email_change");
  cancelVerification(userId, "email_link");
  dropChallenges(userId);
  startAnew(userId);
  notify(activeUser(userId), { kind: "password_changed", at: time }, client.acceptLanguage);
}
