import { and, eq } from "drizzle-orm";
import { hashPassword, hashToken } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import { AppError, invalid, notFound } from "../../kernel/errors/errors";
import { addressBlock } from "../../kernel/http/client";
import { now } from "../../kernel/time/clock";
import { store } from "../../tracking/shares/service";
import { type AnyActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { checkFree } from "../auth/registration";
import type { AuthResponse } from "../auth/schema";
import { openSession } from "../auth/service";
import { insertUser } from "../directory/new-user";
import {
  creationOptions,
  newUserHandle,
  readNewCredential,
  storePasskey,
  takesChallenge,
  wrongChallenge,
} from "../passkeys/registration";
import { checkPassword } from "../passwords/rules";
import { checkLoginEnabled } from "../platforms/service";
import { PASSKEY_PROVIDER } from "../sessions/service";
import { checkLocale } from "../users/service";
import { users } from "../users/table";
import { isOpen } from "../verification/invitations";
import { methodsOf } from "../webauthn/assertions";
import type { CreationOptions } from "../webauthn/schema";
import { type Promised, stillGiven } from "./rights";
import type { Acceptance } from "./schema";
import { promisedBy, type Row, rolesOf } from "./service";
import { invitations } from "./table";

/**
 * Makes the account of an invitation, with what its inviter may still give, and signs in: of parallel requests one gets it.
 * Throws the same 404 for a token that is wrong, used, revoked or expired and for an inviter who may invite no more, 400,
 * 403 while sign-in by email is off, and 409 for a name or an address in use.
 */
export async function acceptInvitation(
  actor: AnyActor,
  token: string,
  input: Acceptance,
): Promise<AuthResponse> {
  const { client } = actor;
  const tokenHash = hashToken(token);
  const invited = openInvitation(tokenHash).row;
  const isProved = invited.email !== null;
  const email = addressOf(invited, input);
  const username = input.username.toLowerCase();
  const locale = input.locale ?? null;
  const { password, passkey } = input;
  if (Boolean(password) === Boolean(passkey))
    throw invalid("/password", "or a passkey is required, and not both of them");
  checkLoginEnabled("email");
  if (password) checkPassword(password, username);
  checkLocale(locale);
  checkFree(email, username, client, isProved);
  const registered = passkey ? await readNewCredential(passkey.credential, "/passkey/credential") : null;
  const passwordHash = password ? await hashPassword(password, addressBlock(client.address)) : null;
  const outcome = await transactAs(actor, () => {
    const isAnswer = passkey && takesChallenge(passkey.credential, "invitation", invited.id);
    if (passkey && !isAnswer) return wrongChallenge("/passkey/credential");
    const { row, given, withheld } = openInvitation(tokenHash);
    checkLoginEnabled("email");
    checkFree(email, username, client, isProved);
    const user = insertUser({ email, username, passwordHash, roles: given.roleIds, isProved });
    db.update(users).set({ preferred_locale: locale }).where(eq(users.id, user.id)).run();
    const added =
      passkey && registered ? storePasskey(user.id, newUserHandle(row.id), passkey, registered) : null;
    if (added instanceof AppError) throw added;
    give(row, user.id, given);
    db.update(invitations)
      .set({ accepted_at: now(), accepted_by: user.id })
      .where(eq(invitations.id, row.id))
      .run();
    recordAudit({
      event_type: "invitation_accepted",
      user_id: user.id,
      resource_type: "invitation",
      resource_id: row.id,
      metadata: { invited_by: row.made_by, withheld },
    });
    return added
      ? openSession({ ...user, locale }, PASSKEY_PROVIDER, client, methodsOf(added))
      : openSession({ ...user, locale }, "email", client);
  });
  // A refusal is thrown only after the commit, which must hold the used challenge.
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** Options by which a browser makes a passkey for the account of an invitation. Throws 404, and 409 where there can be none. */
export function invitedPasskeyOptions(token: string, username: string): CreationOptions {
  const { id } = openInvitation(hashToken(token)).row;
  checkLoginEnabled("email");
  const account = { handle: newUserHandle(id), username: username.toLowerCase(), present: [] };
  return creationOptions("invitation", id, account);
}

/** An invitation that can be accepted, what it still gives, and how much of its promise it doesn't. Throws 404. */
function openInvitation(tokenHash: string) {
  const row = db
    .select()
    .from(invitations)
    .where(and(eq(invitations.token_hash, tokenHash), isOpen()))
    .get();
  if (!row) throw notFound("Invitation");
  const [roleIds, promised] = [rolesOf(row.id), promisedBy(row.id)];
  const given = stillGiven(row, roleIds, promised);
  if (!given) throw notFound("Invitation");
  const withheld = roleIds.length + promised.length - given.roleIds.length - given.shares.length;
  return { row, given, withheld };
}

/** The address of the account: the one that was invited, else the one that the user names. Throws 400. */
function addressOf(invited: Row, { email }: Acceptance): string {
  if (invited.email === null) {
    if (!email) throw invalid("/email", "is required: the invitation names no address");
    return email.toLowerCase();
  }
  if (email) throw invalid("/email", "must be left out: the invitation names the address");
  return invited.email;
}

/** Tells of the roles that a new user has got, and shares devices with it, in the current transaction. */
function give(
  { id, made_by, made_by_key }: Row,
  userId: string,
  given: { roleIds: string[]; shares: Promised[] },
): void {
  for (const roleId of given.roleIds)
    recordAudit({
      event_type: "role_assigned",
      user_id: userId,
      resource_type: "role",
      resource_id: roleId,
      metadata: { invitation: id },
    });
  const maker = { user_id: made_by, api_key_id: made_by === null ? made_by_key : null };
  for (const { deviceId, level, expiresAt } of given.shares) store(maker, deviceId, userId, level, expiresAt);
}
