import { eq, lte, sql } from "drizzle-orm";
import { type Actor, type SessionActor, transactAs } from "../../identity/access/actor";
import { checkNotLastSuperAdmin, checkOutranks } from "../../identity/access/rank";
import { switchOffKeys } from "../../identity/api-keys/owner";
import { recordAudit } from "../../identity/audit/service";
import { activeUser, existingUser, findUser, type UserRow } from "../../identity/directory/users";
import { notify } from "../../identity/email/notify";
import { silenceClientsOf } from "../../identity/grants/service";
import { identitiesOf } from "../../identity/oidc/identities";
import { mayUsePassword } from "../../identity/passwords/allowed";
import { isOwnPassword } from "../../identity/passwords/own-password";
import { passwordHashOf } from "../../identity/passwords/service";
import { requireRecentSession, requireRecentSignIn } from "../../identity/reauthentication/service";
import { deleteSessions } from "../../identity/sessions/service";
import {
  acceptCode,
  isTwoFactorOn,
  noteWrongCode,
  requiredCode,
  wrongCode,
} from "../../identity/two-factor-codes/service";
import { users } from "../../identity/users/table";
import { hasPasskey } from "../../identity/webauthn/assertions";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { AppError, badRequest, conflict, invalid, notFound } from "../../kernel/errors/errors";
import { logFailure } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { DAY, isoOrNull, now } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import type { DeletionRequest, DeletionStatus, ForcedDeletion } from "./schema";
import { announceDeletion, dropPending, scrub } from "./scrub";
import { eraseTraces } from "./traces";

const toStatus = (user: UserRow): DeletionStatus => ({
  is_scheduled_for_deletion: user.scheduled_deletion_at !== null,
  scheduled_deletion_at: isoOrNull(user.scheduled_deletion_at),
  is_deleted: user.deleted_at !== null,
  deleted_at: isoOrNull(user.deleted_at),
});

/** Deletion status of a user. Throws 404. */
export const getDeletionStatus = (userId: string): DeletionStatus => toStatus(existingUser(userId));

// --- Soft deletion ----------------------------------------------------------------------------------------

/**
 * Deletes a user softly: the record and the addresses stay, every credential ends (rule A10). Throws 404 for
 * a user who is deleted already, 403 for one who may do more, 409 for the last super admin.
 */
export async function deleteUser(actor: Actor, id: string): Promise<void> {
  await requireRecentSignIn(actor, id, {});
  return transactAs(actor, () => {
    activeUser(id);
    checkOutranks(actor.caller, id);
    checkNotLastSuperAdmin(id);
    const time = now();
    db.update(users)
      .set({ deleted_at: time, scheduled_deletion_at: null, updated_at: time })
      .where(eq(users.id, id))
      .run();
    dropPending(id);
    deleteSessions(id, "account deleted");
    switchOffKeys(id, "owner deleted");
    silenceClientsOf(id);
    recordAudit({
      event_type: "user_deleted",
      user_id: id,
      resource_type: "user",
      resource_id: id,
    });
    announceDeletion(id, "The account was deleted");
  });
}

// --- Scheduled by the user --------------------------------------------------------------------------------

/**
 * Schedules the deletion of the caller's own account for the end of the grace period, and tells the user by
 * email. An account without a password, or whose password is switched off, confirms it by a recent sign-in. Throws 400 for a wrong password or, with
 * two-factor authentication on, a wrong code, 403 where the sign-in was too long ago, 409 when it is
 * scheduled already or for the last super admin.
 */
export async function scheduleDeletion(actor: SessionActor, input: DeletionRequest): Promise<DeletionStatus> {
  const stored = passwordHashOf(actor.caller.userId);
  // One that is switched off proves who its user is, but its user may have forgotten it long ago.
  const hash = input.password || mayUsePassword(actor.caller.userId) ? stored : null;
  if (hash === null) requireSignInInstead(actor);
  else if (!input.password) throw invalid("/password", "is required");
  else if (!(await isOwnPassword(actor, actor.caller.userId, { hash, password: input.password })))
    throw wrongPassword();
  const status = await transactAs(actor, () => {
    const user = activeUser(actor.caller.userId);
    // The password may have been changed while the hash was computed.
    if (passwordHashOf(user.id) !== stored) throw wrongPassword();
    if (user.scheduled_deletion_at !== null)
      throw conflict("The deletion of this account is already scheduled");
    checkNotLastSuperAdmin(user.id);
    if (isTwoFactorOn(user.id) && !acceptCode(user.id, requiredCode(input.code), actor.client))
      return noteWrongCode(actor, user);
    const dueAt = now() + systemValue("accounts.deletion_grace_days") * DAY;
    auditSchedule("user_deletion_scheduled", user.id);
    notify(user, { kind: "deletion_scheduled", deletedAt: dueAt }, actor.client.acceptLanguage);
    return toStatus(setSchedule(user.id, dueAt));
  });
  if (!status) throw wrongCode();
  return status;
}

/** Lets an account without a password confirm by a recent sign-in, with a passkey or at its provider. Throws 403, and 400 for one with neither. */
function requireSignInInstead(actor: SessionActor): void {
  const { userId } = actor.caller;
  if (identitiesOf(userId).length === 0 && !hasPasskey(userId))
    throw badRequest(
      "This account has no password to confirm the deletion with; link an email address with a password first, or ask an administrator",
    );
  requireRecentSession(actor);
}

const wrongPassword = () => invalid("/password", "is wrong");

/** Cancels the deletion that the caller scheduled. Throws 404 when there is none. */
export function cancelOwnDeletion(actor: SessionActor): Promise<void> {
  return transactAs(actor, () => {
    if (activeUser(actor.caller.userId).scheduled_deletion_at === null) throw notFound("Scheduled deletion");
    setSchedule(actor.caller.userId, null);
    auditSchedule("user_deletion_cancelled", actor.caller.userId);
  });
}

/**
 * Cancels the deletion that a user scheduled. Throws 404 for an unknown user, 409 when none is scheduled, 403
 * for a user who may do more.
 */
export function cancelDeletion(actor: Actor, userId: string): Promise<void> {
  return transactAs(actor, () => {
    if (activeUser(userId).scheduled_deletion_at === null)
      throw conflict("No deletion of this account is scheduled");
    checkOutranks(actor.caller, userId);
    setSchedule(userId, null);
    auditSchedule("user_deletion_cancelled", userId);
  });
}

const setSchedule = (userId: string, dueAt: number | null): UserRow =>
  db
    .update(users)
    .set({ scheduled_deletion_at: dueAt, updated_at: now() })
    .where(eq(users.id, userId))
    .returning()
    .get();

const auditSchedule = (event: "user_deletion_scheduled" | "user_deletion_cancelled", userId: string) =>
  recordAudit({
    event_type: event,
    user_id: userId,
    resource_type: "user",
    resource_id: userId,
  });

// --- For good ---------------------------------------------------------------------------------------------

/**
 * Scrubs an account at once, whether it is active, scheduled for deletion or softly deleted. Throws 404 for
 * an unknown user, 403 for one who may do more, 409 for the last super admin or an account that is scrubbed
 * already.
 */
export async function forceDelete(
  actor: Actor,
  userId: string,
  { reason, ...proof }: ForcedDeletion,
): Promise<void> {
  await requireRecentSignIn(actor, userId, proof);
  await transactAs(actor, () => {
    const user = existingUser(userId);
    if (user.scrubbed_at !== null) throw conflict("This account has already been deleted for good");
    checkOutranks(actor.caller, userId);
    if (user.deleted_at === null) checkNotLastSuperAdmin(userId);
    scrub(user, "administrator", reason ?? null, actor.caller.userId);
  });
  await eraseTraces(userId);
}

/** Accounts that are due but stay, since nobody else could administer the installation; logged once each. */
const kept = new Set<string>();

/** The job: scrubs the accounts whose grace period has ended. */
export async function deleteDueAccounts(): Promise<void> {
  const due = db.select({ id: users.id }).from(users).where(lte(users.scheduled_deletion_at, now())).all();
  await eachAlone(due, async (id) => {
    if (await transact(() => deleteIfDue(id))) await eraseTraces(id);
  });
}

/** False when the deletion was just cancelled, or isn't possible. */
function deleteIfDue(userId: string): boolean {
  const user = findUser(userId);
  if (!user || user.scheduled_deletion_at === null || user.scheduled_deletion_at > now()) return false;
  try {
    checkNotLastSuperAdmin(userId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (!kept.has(userId))
      log.warn("the last super admin's account is due for deletion, and stays", { user_id: userId });
    kept.add(userId);
    return false;
  }
  scrub(user, "schedule", null, null);
  return true;
}

/** The job: finishes scrubs that were interrupted. */
export async function finishScrubs(): Promise<void> {
  // A literal condition, since SQLite uses the partial index only for exactly this one.
  const pending = db.select({ id: users.id }).from(users).where(sql`scrub_pending = 1`).all();
  await eachAlone(pending, eraseTraces);
}

/** Does a job's work for each user. A failure for one user is logged, and tried again at the next round. */
async function eachAlone(found: { id: string }[], work: (userId: string) => Promise<void>): Promise<void> {
  for (const { id } of found)
    await work(id).catch((error) =>
      logFailure("a deleted account could not be scrubbed yet; it is tried again soon", error, {
        user_id: id,
      }),
    );
}
