import { and, eq } from "drizzle-orm";
import type { Client } from "../../kernel/client";
import { HOUR, now } from "../../kernel/clock";
import { hashPassword, hashToken, mintToken, verifyPassword } from "../../kernel/crypto";
import { db, transact } from "../../kernel/db";
import { badRequest, invalid } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { isAliveIn } from "../../kernel/lifetime";
import { type SessionCaller, transactAs } from "../access/caller";
import { recordAudit } from "../audit/service";
import { emailLocale } from "../email/locale";
import { queueEmail } from "../email/service";
import { composeEmail } from "../email/templates";
import { forceLogout, revokeOtherSessions } from "../sessions/service";
import { dropChallenges } from "../two-factor/challenges";
import { activeUser, findUser } from "../users/service";
import { cancelVerification } from "../verification/service";
import { checkChallenge } from "./bot-protection";
import { checkPassword } from "./password-rules";
import type { PasswordChange, ResetCompletion, ResetRequest } from "./schema";
import { accountByEmail, passwordHashOf } from "./service";
import { passwordResets, passwords } from "./table";

/** How long the link in a reset email works (Part 2). */
const RESET_LIFETIME = 1 * HOUR;

/**
 * Answers come at whole multiples of this many milliseconds. What is done for a known address and not for another fits
 * in one, on a slow disk too.
 */
const ANSWER_STEP = 500;

/**
 * Sends a link that sets a new password, if an account has the address. Whether one has shows neither in the answer
 * nor in its time: nearly the same work is done for an address of nobody's, and answers come at fixed times.
 */
export async function requestPasswordReset(input: ResetRequest, client: Client): Promise<void> {
  await checkChallenge(input.challenge_token, client);
  const started = performance.now();
  await issueReset(input.email.toLowerCase(), client);
  await Bun.sleep(ANSWER_STEP - ((performance.now() - started) % ANSWER_STEP));
}

async function issueReset(address: string, client: Client): Promise<void> {
  const account = accountByEmail(address);
  const { token, hash } = mintToken("");
  const time = now();
  const expiresAt = time + RESET_LIFETIME;
  const recipient = {
    address,
    username: account?.username ?? "nobody",
    locale: emailLocale(account?.locale ?? null, client.acceptLanguage),
  };
  const email = composeEmail(recipient, { kind: "password_reset", token, expiresAt });
  await transact(() => {
    recordAudit({
      event_type: "password_reset_requested",
      user_id: account?.id ?? null,
      ...(!account && { status: "failure", error_message: "unknown address" }),
      client,
    });
    // The account may have gone meanwhile.
    if (!account || accountByEmail(address)?.id !== account.id) return;
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

const unexpired = (token: string) =>
  and(eq(passwordResets.token_hash, hashToken(token)), isAliveIn(passwordResets));

const invalidToken = () => badRequest("The token is not valid, was used, or has expired");

/** Sets a new password with the token of a reset email, and ends all sessions of the user. Throws 400. */
export async function completePasswordReset(input: ResetCompletion, client: Client): Promise<void> {
  await checkChallenge(input.challenge_token, client);
  const found = db.select().from(passwordResets).where(unexpired(input.token)).get();
  const user = found && findUser(found.user_id);
  if (!user || user.deleted_at !== null) throw invalidToken();
  checkPassword(input.new_password, user.username, "/new_password");
  const hash = await hashPassword(input.new_password);
  await transact(() => {
    // Of parallel requests with one token, one finds it.
    const taken = db.delete(passwordResets).where(unexpired(input.token)).returning().get();
    if (!taken || findUser(user.id)?.deleted_at !== null) throw invalidToken();
    setPassword(user.id, hash);
    forceLogout(user.id, "password reset", client);
    recordAudit({
      event_type: "password_changed",
      user_id: user.id,
      resource_type: "user",
      resource_id: user.id,
      metadata: { by: "reset" },
      client,
    });
  });
}

/** Changes the own password and ends the other sessions. Throws 400 for a wrong present one. */
export async function changePassword(
  caller: SessionCaller,
  input: PasswordChange,
  client: Client,
): Promise<void> {
  const stored = passwordHashOf(caller.userId);
  if (stored === null) throw badRequest("This account has no password; link an email address to get one");
  const { username } = activeUser(caller.userId);
  if (!(await verifyPassword(stored, input.current_password)))
    throw invalid("/current_password", "is not the present password");
  checkPassword(input.new_password, username, "/new_password");
  const hash = await hashPassword(input.new_password);
  await transactAs(caller, () => {
    // Changed by somebody else while the hashes were computed.
    if (passwordHashOf(caller.userId) !== stored)
      throw invalid("/current_password", "is not the present password");
    setPassword(caller.userId, hash);
    revokeOtherSessions(caller, "password changed", client);
    recordAudit({
      event_type: "password_changed",
      user_id: caller.userId,
      resource_type: "user",
      resource_id: caller.userId,
      metadata: { by: "change" },
      client,
    });
  });
}

/**
 * Stores a new password in the current transaction. What somebody else may have started with the old one, or from a
 * session that was not theirs, ends: other reset links, new addresses that wait for their verification, and sign-ins
 * that wait for their second step.
 */
function setPassword(userId: string, hash: string): void {
  db.update(passwords).set({ hash, changed_at: now() }).where(eq(passwords.user_id, userId)).run();
  db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).run();
  cancelVerification(userId, "email_change");
  cancelVerification(userId, "email_link");
  dropChallenges(userId);
}
