import { eq } from "drizzle-orm";
import { hashPassword } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { badRequest, conflict, isUniqueViolation, notFound } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { activeBan, checkNotBanned } from "../access/active-ban";
import { type Actor, transactAs } from "../access/actor";
import { type Caller, findKeyCaller, sessionBehind, userAccess } from "../access/caller";
import { checkOutranks, outranks } from "../access/rank";
import { platformAccounts } from "../accounts/table";
import { recordAudit } from "../audit/service";
import { passwordResets, passwords } from "../auth/table";
import {
  contactAddress,
  emailAccount,
  insertAccount,
  isAddressProved,
  noteAddressProved,
  userByEmail,
} from "../directory/accounts";
import { activeUser, auditUserUpdate, existingUser, findUser, type UserRow } from "../directory/users";
import { emailLocale } from "../email/locale";
import { notifyAt, notifyOwner } from "../email/notify";
import { queueEmail } from "../email/service";
import { composeEmail } from "../email/templates";
import { checkPassword } from "../passwords/rules";
import type { Proof } from "../proof/schema";
import { requireRecentSignIn } from "../reauthentication/service";
import { users } from "../users/table";
import {
  cancelVerification,
  insertVerification,
  pendingVerification,
  takeVerification,
  type VerificationKind,
  type VerificationRow,
} from "../verification/service";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A user proved a new address, and signs in with it from now on. */
    "email.changed": { userId: string; email: string };
    /** A user proved an address, and can sign in with it and a password. */
    "email.linked": { userId: string; email: string; platformAccountId: string };
  }
}

const holdsUsersWrite = ({ isSuperAdmin, permissions }: ReturnType<typeof userAccess>) =>
  isSuperAdmin || permissions.has("users:write");

/** Throws 409 when another user is known by an address that a platform vouches for. */
function checkAddressFree(email: string, userId: string): void {
  const owner = userByEmail(email);
  if (owner && owner.id !== userId) throw conflict("This email address is in use");
}

/** Queues the email with the link, in the reader's language, and tells the present address of the request. */
function sendVerification(
  actor: Actor,
  user: UserRow,
  verification: { kind: "email_change" | "email_link"; email: string; passwordHash?: string },
) {
  const { caller } = actor;
  const { token, expiresAt } = insertVerification({
    ...verification,
    userId: user.id,
    requestedBy: caller.kind === "key" || caller.userId === user.id ? null : caller.userId,
    requestedByKey: caller.kind === "key" ? caller.id : null,
    requestedBySession: sessionBehind(caller),
  });
  auditUserUpdate(user.id, [`${verification.kind}_requested`]);
  tellOfRequest(actor, user, verification.email);
  // Only a request from the user's own browser shows the user's language.
  const accepted = caller.userId === user.id ? actor.client.acceptLanguage : null;
  const recipient = {
    address: verification.email,
    username: user.username,
    locale: emailLocale(user.preferred_locale, accepted),
  };
  queueEmail(composeEmail(recipient, { kind: verification.kind, token, expiresAt }), user.id);
  return { expires_at: iso(expiresAt) };
}

/** The reader of the present address can still stop a change that the user didn't ask for. */
function tellOfRequest(actor: Actor, user: UserRow, address: string): void {
  const present = contactAddress(user);
  if (present === null || present === address || !isAddressProved(user.id, present)) return;
  notifyOwner(user.id, "address-emails", actor, () => ({
    kind: "email_change_requested",
    address,
    at: now(),
  }));
}

// --- Change -----------------------------------------------------------------------------------------------

/** Changes an address at once, or starts to, in the current transaction. True if it is changed now. */
export function applyAddress(actor: Actor, user: UserRow, address: string): boolean {
  if (!holdsUsersWrite(actor.caller)) {
    if (emailAccount(user.id)?.email !== address) startEmailChange(actor, user, address);
    return false;
  }
  cancelVerification(user.id, "email_change");
  const acceptLanguage = actor.caller.userId === user.id ? actor.client.acceptLanguage : null;
  return setEmail(user, address, { isProved: false, acceptLanguage });
}

/** True if a change of a user would send an email to the address that it names. */
export function sendsVerification(caller: Caller, id: string, email: string): boolean {
  return !holdsUsersWrite(caller) && emailAccount(id)?.email !== email.toLowerCase();
}

/** Starts a change of the address that a user signs in with: the new one must be proved first. */
export async function requestEmailChange(
  actor: Actor,
  id: string,
  { email, ...proof }: { email: string } & Proof,
) {
  activeUser(id);
  await requireRecentSignIn(actor, null, proof);
  return transactAs(actor, () => ({
    message: "A verification email was sent to the new address",
    ...startEmailChange(actor, activeUser(id), email.toLowerCase()),
  }));
}

function startEmailChange(actor: Actor, user: UserRow, email: string) {
  checkOutranks(actor.caller, user.id);
  const account = ownEmailAccount(user);
  if (account.email === email && account.email_verified)
    throw conflict("This is already the account's email address");
  checkAddressFree(email, user.id);
  return sendVerification(actor, user, { kind: "email_change", email });
}

function ownEmailAccount(user: UserRow) {
  const account = emailAccount(user.id);
  if (!account) throw badRequest("This account was not created with an email address; link one instead");
  return account;
}

/**
 * Changes the address that a user signs in with, in the current transaction, and tells the old one if it
 * was proved; `isProved` means that its user has read an email there. Returns false for the present address.
 */
function setEmail(
  user: UserRow,
  email: string,
  { isProved, acceptLanguage }: { isProved: boolean; acceptLanguage: string | null },
): boolean {
  const account = ownEmailAccount(user);
  if (account.email === email) return false;
  checkAddressFree(email, user.id);
  const updated_at = now();
  try {
    db.update(platformAccounts)
      .set({ email, platform_user_id: email, email_verified: isProved, updated_at })
      .where(eq(platformAccounts.id, account.id))
      .run();
  } catch (error) {
    throw isUniqueViolation(error) ? conflict("This email address is in use") : error;
  }
  db.update(users).set({ updated_at }).where(eq(users.id, user.id)).run();
  // Links sent to the old address must no longer open the account.
  db.delete(passwordResets).where(eq(passwordResets.user_id, user.id)).run();
  // An address that nobody proved may be a stranger's, who must not be sent emails at will.
  if (account.email !== null && account.email_verified)
    tellOfNewAddress(account.email, user, email, acceptLanguage);
  return true;
}

/** The reader of the old address may be the only one who can still stop a change that the user never made. */
const tellOfNewAddress = (former: string, user: UserRow, email: string, acceptLanguage: string | null) =>
  notifyAt(former, user, { kind: "email_changed", address: email, at: now() }, acceptLanguage);

/**
 * Applies a proved change, in the current transaction; `actorId` is the user responsible. Throws 409 when the
 * address was taken meanwhile.
 */
export function applyEmailChange(row: VerificationRow, client: Client, actorId = row.user_id): void {
  const { email } = row;
  const user = subjectOf(row);
  const acceptLanguage = actorId === user.id ? client.acceptLanguage : null;
  const isNew = setEmail(user, email, { isProved: true, acceptLanguage });
  if (!isNew && !noteAddressProved(user.id)) return;
  recordAudit({
    event_type: "user_updated",
    user_id: user.id,
    actor_id: actorId,
    resource_type: "user",
    resource_id: user.id,
    metadata: { changed: [isNew ? "email" : "email_verified"] },
  });
  if (isNew) publish("email.changed", { userId: user.id, email });
}

/**
 * The user whom a proved address is for. Throws 403 for a banned user, and 400 when somebody else requested
 * the address and may no longer do so: the user may have gained rights since that the other one lacks.
 */
function subjectOf(row: VerificationRow): UserRow {
  const user = activeUser(row.user_id ?? "");
  checkNotBanned(user.id);
  if (!requesterMayStill(row, user.id))
    throw badRequest("Whoever asked for this address may no longer change this user; ask anew");
  return user;
}

/** True if the other user or the key that requested an address could still request it now. */
function requesterMayStill({ requested_by, requested_by_key }: VerificationRow, userId: string): boolean {
  const may = (access: ReturnType<typeof userAccess>) => holdsUsersWrite(access) && outranks(access, userId);
  if (requested_by_key !== null) {
    const key = findKeyCaller(requested_by_key);
    return key !== null && (key.isSystem || may(key));
  }
  if (requested_by === null) return true;
  const isThere = findUser(requested_by)?.deleted_at === null && !activeBan(requested_by);
  return isThere && may(userAccess(requested_by));
}

/** True if a caller may use a token sent for this user: its own session, or anybody who may change users. */
const mayVerify = (caller: Caller) => (row: VerificationRow) =>
  holdsUsersWrite(caller) || (caller.kind === "session" && row.user_id === caller.userId);

export function verifyEmailChange(actor: Actor, token: string): Promise<void> {
  return transactAs(actor, () =>
    applyEmailChange(
      takeVerification(token, ["email_change"], mayVerify(actor.caller)),
      actor.client,
      actor.caller.userId,
    ),
  );
}

export function pendingEmailChange(id: string) {
  const { email, expiresAt } = pendingOf(id, "email_change");
  return { pending: email !== null, new_email: email, expires_at: expiresAt };
}

function pendingOf(id: string, kind: VerificationKind) {
  existingUser(id);
  const row = pendingVerification(id, kind);
  return { email: row?.email ?? null, expiresAt: isoOrNull(row?.expires_at ?? null) };
}

/** Cancels a change or a link that waits for verification. Throws 404 when there is none. */
export function cancelPending(actor: Actor, id: string, kind: "email_change" | "email_link"): Promise<void> {
  return transactAs(actor, () => {
    activeUser(id);
    checkOutranks(actor.caller, id);
    if (!cancelVerification(id, kind))
      throw notFound(kind === "email_change" ? "Pending email change" : "Pending email link");
    auditUserUpdate(id, [`${kind}_cancelled`]);
  });
}

// --- Link -------------------------------------------------------------------------------------------------

/**
 * Starts to give a user who signs in elsewhere an address and a password to sign in with: the address must be
 * proved first. Throws 409 for an address in use and for a user who has an address already.
 */
export async function requestEmailLink(
  actor: Actor,
  id: string,
  input: { email: string; password: string; code?: string | null },
) {
  const email = input.email.toLowerCase();
  const check = () => {
    const user = activeUser(id);
    checkOutranks(actor.caller, id);
    if (emailAccount(id)) throw conflict("This account already has an email address; change it instead");
    checkAddressFree(email, id);
    return user;
  };
  checkPassword(input.password, check().username);
  await requireRecentSignIn(actor, null, { code: input.code });
  const passwordHash = await hashPassword(input.password, id);
  return transactAs(actor, () => ({
    message: "A verification email was sent to the address",
    ...sendVerification(actor, check(), { kind: "email_link", email, passwordHash }),
  }));
}

/**
 * Applies a proved link, in the current transaction; `actorId` is the user responsible. Returns the new
 * account. Throws 409.
 */
export function applyEmailLink(row: VerificationRow, client: Client, actorId = row.user_id): string {
  const { email, password_hash } = row;
  const user = subjectOf(row);
  if (emailAccount(user.id)) throw conflict("This account already has an email address");
  checkAddressFree(email, user.id);
  const former = contactAddress(user);
  const accountId = insertAccount(user.id, {
    slug: "email",
    platformUserId: email,
    username: user.username,
    email,
  });
  // An account that was made through a provider may have none.
  if (user.primary_platform_account_id === null)
    db.update(users).set({ primary_platform_account_id: accountId }).where(eq(users.id, user.id)).run();
  db.insert(passwords)
    .values({ user_id: user.id, hash: password_hash ?? "", changed_at: now() })
    .run();
  recordAudit({
    event_type: "account_linked",
    user_id: user.id,
    actor_id: actorId,
    resource_type: "platform_account",
    resource_id: accountId,
    metadata: { platform: "email" },
  });
  if (former !== null && former !== email)
    tellOfNewAddress(former, user, email, actorId === user.id ? client.acceptLanguage : null);
  publish("email.linked", { userId: user.id, email, platformAccountId: accountId });
  return accountId;
}

export function verifyEmailLink(actor: Actor, token: string): Promise<string> {
  return transactAs(actor, () =>
    applyEmailLink(
      takeVerification(token, ["email_link"], mayVerify(actor.caller)),
      actor.client,
      actor.caller.userId,
    ),
  );
}

export function pendingEmailLink(id: string) {
  const { email, expiresAt } = pendingOf(id, "email_link");
  return { pending: email !== null, email, expires_at: expiresAt };
}
