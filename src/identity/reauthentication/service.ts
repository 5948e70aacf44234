import { eq, placeholder } from "drizzle-orm";
import { config } from "../../configuration/config";
import { db, statement } from "../../kernel/db/connection";
import { AppError, invalid } from "../../kernel/errors/errors";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import { isInUse } from "../../kernel/time/lifetime";
import { type Actor, type SessionActor, transactAs } from "../access/actor";
import { isSystemKey } from "../access/caller";
import { credentialResource, recordAudit } from "../audit/service";
import { activeUser } from "../directory/users";
import { type Holder, takeCode } from "../oidc-codes/codes";
import { isOwnPassword } from "../passwords/own-password";
import { passwordHashOf } from "../passwords/service";
import type { Proof } from "../proof/schema";
import type { AuthenticationMethods } from "../sessions/service";
import { sessions } from "../sessions/table";
import {
  acceptCode,
  isTwoFactorOn,
  noteWrongCode,
  requiredCode,
  wrongCode,
} from "../two-factor-codes/service";
import { waysIn } from "../ways-in/service";

/**
 * Operations that could make a stolen credential permanent (another address, a key, a second factor, rights
 * for another account) need a recent sign-in, or a proof that only the user can give.
 */

/** Minutes during which the sign-in of a page counts as recent where none are configured. */
const MINUTES_OF_PAGES = 10;

/** Minutes during which the actor's sign-in counts as recent; 0 where no operation needs one. */
export const minutesFor = ({ isOfPage }: Actor): number =>
  config["auth.reauthentication_minutes"] || (isOfPage ? MINUTES_OF_PAGES : 0);

/** The same in milliseconds. */
const span = (actor: Actor): number => minutesFor(actor) * MINUTE;

/** Most minutes during which a sign-in counts for changes of the ways in, whatever is configured. */
const MOST_FOR_WAYS_IN = 10;

/** Minutes during which the actor's sign-in counts as recent for what always needs one: changes of the ways in. */
export const minutesForWaysIn = (actor: Actor): number =>
  Math.min(minutesFor(actor) || MOST_FOR_WAYS_IN, MOST_FOR_WAYS_IN);

const required = (message: string) => new AppError("ReauthenticationRequired", message);

/**
 * Refuses a session that was signed in too long ago, and an API key that acts on its own user, without a
 * proof by the user: a code where two-factor authentication is on, else the password. A proof that is sent
 * must be right even if none is needed. `subjectId` is the user whom the caller acts on: a key acts on
 * another user by its permission. It is null where a key, rights or an account's address are handed out: a
 * stolen key could live on in them whoever gets them, so that every user's key needs the proof. A system key
 * never does. `minutes` are those in which a sign-in does without a proof. Throws 403 and, for a wrong proof, 400.
 */
export async function requireRecentSignIn(
  actor: Actor,
  subjectId: string | null,
  proof: Proof,
  minutes = minutesFor(actor),
): Promise<void> {
  const { userId } = actor.caller;
  if (minutes === 0 || isSystemKey(actor.caller) || userId === null) return;
  if (actor.caller.kind !== "session" && subjectId !== null && userId !== subjectId) return;
  const hasPassword = passwordHashOf(userId) !== null;
  const hasCode = isTwoFactorOn(userId);
  const isProved = hasCode ? Boolean(proof.code) : hasPassword && Boolean(proof.password);
  if (!isProved && !isRecent(actor, minutes * MINUTE)) throw refusal(actor, userId, minutes);
  if (proof.password || proof.code) await prove(actor, userId, proof);
}

/**
 * Refuses a session that was signed in more than 10 minutes ago, or less if so configured. For what takes no proof beside it:
 * changes of the ways in, and what others confirm with their password, of an account that has none. Throws 403.
 */
export function requireRecentSession(actor: SessionActor): void {
  const minutes = minutesForWaysIn(actor);
  if (!isRecent(actor, minutes * MINUTE)) throw refusal(actor, actor.caller.userId, minutes);
}

function refusal(actor: Actor, userId: string, minutes: number): AppError {
  if (actor.caller.kind !== "session")
    return required(
      "An API key or an application cannot do this without a proof by its user: send password or, with two-factor authentication on, code; or do it in a session",
    );
  const ways = waysToProve(userId);
  return required(
    `This needs a sign-in of the last ${minutes} minutes: ${
      ways.length > 0
        ? `renew yours with POST /v1/auth/reauthenticate, by ${ways.join(", or by ")}`
        : "sign in again through the platform that you use"
    }`,
  );
}

/** The ways in which a user can prove again who they are, in the words of a refusal; none for one who has a platform alone. */
function waysToProve(userId: string): string[] {
  const code = isTwoFactorOn(userId) ? "a code" : null;
  const together = (first: string | null) => [first, code].filter((part) => part !== null).join(" and ");
  const kinds = new Set(waysIn(userId).map(({ kind }) => kind));
  return [
    together(passwordHashOf(userId) === null ? null : "your password"),
    kinds.has("passkey") ? "a passkey" : "",
    kinds.has("identity") ? together("a sign-in at your provider") : "",
  ].filter((way) => way !== "");
}

const signInOf = statement(() =>
  db
    .select({ at: sessions.authenticated_at })
    .from(sessions)
    .where(eq(sessions.id, placeholder("id")))
    .prepare(),
);

/** True for a session in which the user proved who it is within a time (milliseconds). */
function isRecent({ caller }: Actor, within: number): boolean {
  const signIn = caller.kind === "session" ? signInOf().get({ id: caller.id }) : undefined;
  return signIn !== undefined && isInUse(signIn.at, within);
}

/** The proof by an identity at a provider, in place of the password. */
interface Elsewhere {
  code: string;
  holder: Holder;
}

/**
 * Checks a password and a code, as far as the account has them, and records the outcome. A session that gave
 * all that the account has counts as just signed in. Throws 400.
 */
async function prove(actor: Actor, userId: string, proof: Proof, elsewhere?: Elsewhere): Promise<number> {
  const hash = passwordHashOf(userId);
  const password = hash === null ? null : proof.password;
  if (hash !== null && password && !(await isOwnPassword(actor, userId, { hash, password })))
    throw invalid("/password", "is wrong");
  // A refusal is returned and thrown only after the commit, which must hold its audit event.
  const outcome = await transactAs(actor, () => {
    const user = activeUser(userId);
    const hasCode = isTwoFactorOn(userId);
    const code = hasCode ? proof.code : null;
    const time = now();
    // The password may have been changed while the hash was computed.
    if (password && passwordHashOf(userId) !== hash) return invalid("/password", "is wrong");
    if (code && !acceptCode(userId, code, actor.client)) {
      noteWrongCode(actor, user);
      return wrongCode();
    }
    if (elsewhere) takeCode(elsewhere.code, "reauthenticate", elsewhere.holder, userId);
    if (actor.caller.kind === "session" && (hash === null || password || elsewhere) && (!hasCode || code))
      renew(actor.caller.id, methodsOf(Boolean(password), Boolean(code)));
    audit(actor, userId);
    return time;
  });
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** Makes a session count as just signed in, in the current transaction. */
export function renew(sessionId: string, methods: AuthenticationMethods): void {
  db.update(sessions)
    .set({ authenticated_at: now(), amr: [...methods] })
    .where(eq(sessions.id, sessionId))
    .run();
}

/** The ways in which a session has proved again whose it is. A code alone follows a sign-in elsewhere. */
const methodsOf = (byPassword: boolean, byCode: boolean): AuthenticationMethods => [
  ...(byPassword ? (["pwd"] as const) : []),
  ...(byCode ? (["otp", "mfa"] as const) : []),
];

/** Records that a user has proved again who it is, in the current transaction. */
export const audit = (actor: Actor, userId: string): void =>
  recordAudit({
    event_type: "reauthenticated",
    user_id: userId,
    ...credentialResource(actor.caller),
  });

/**
 * Makes a session count as just signed in, by the password of an account that has one or by an identity at a provider, and a
 * code where two-factor authentication is on. Throws 400 for a missing or wrong proof, 403 for an account that has
 * neither, nor a passkey.
 */
export async function reauthenticate(actor: SessionActor, proof: Proof, elsewhere?: Elsewhere) {
  const hasPassword = passwordHashOf(actor.caller.userId) !== null;
  const hasCode = isTwoFactorOn(actor.caller.userId);
  if (!hasPassword && !hasCode && !elsewhere) throw missingProof(actor);
  if (hasPassword && !proof.password && !elsewhere) throw invalid("/password", "is required");
  if (hasCode) requiredCode(proof.code);
  return proved(actor, await prove(actor, actor.caller.userId, proof, elsewhere));
}

/** The refusal of a proof that holds nothing, of an account with neither a password nor a code. */
function missingProof(actor: SessionActor): AppError {
  const { userId } = actor.caller;
  const kinds = new Set(waysIn(userId).map(({ kind }) => kind));
  if (kinds.has("passkey")) return invalid("/passkey", "is required");
  if (kinds.has("identity")) return invalid("/oidc_code", "is required");
  return refusal(actor, userId, minutesForWaysIn(actor));
}

/** The answer to a proof that was right at `time` (epoch milliseconds). */
export const proved = (actor: SessionActor, time: number) => ({
  message: "You have proved who you are",
  authenticated_at: iso(time),
  expires_at: span(actor) === 0 ? null : iso(time + span(actor)),
});
