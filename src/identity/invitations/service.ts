import { and, asc, count, desc, eq, isNotNull, isNull, lt, lte, or, type SQL } from "drizzle-orm";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { deleteInBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { reachableUrl } from "../../kernel/http/reachable-url";
import { DAY, HOUR, iso, isoOrNull, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { type Actor, transactAs } from "../access/actor";
import { isSystemKey, sessionBehind } from "../access/caller";
import { recordAudit } from "../audit/service";
import { userByEmail } from "../directory/accounts";
import { findUser } from "../directory/users";
import { emailLocale } from "../email/locale";
import { queueEmail } from "../email/service";
import { composeEmail } from "../email/templates";
import { requireRecentSignIn } from "../reauthentication/service";
import { isOpen, revokeInvitations } from "../verification/invitations";
import { checkMayGive, type Promised } from "./rights";
import {
  type CreatedInvitation,
  DEFAULT_HOURS,
  type Invitation,
  type InvitationStatus,
  type NewInvitation,
} from "./schema";
import { invitationDevices, invitationRoles, invitations } from "./table";

export type Row = typeof invitations.$inferSelect;

/** Most invitations of an installation that wait. */
const MAX_PENDING = 500;

/** Time for which an invitation is kept after its end: 90 days. */
const MEMORY = 90 * DAY;

// --- Reading ----------------------------------------------------------------------------------------------

/** Identifiers of the roles that an invitation gives. */
export const rolesOf = (id: string): string[] =>
  db
    .select({ id: invitationRoles.role_id })
    .from(invitationRoles)
    .where(eq(invitationRoles.invitation_id, id))
    .orderBy(asc(invitationRoles.role_id))
    .all()
    .map((role) => role.id);

/** The devices that an invitation shares. */
export const promisedBy = (id: string): Promised[] =>
  db
    .select({
      deviceId: invitationDevices.device_id,
      level: invitationDevices.level,
      expiresAt: invitationDevices.expires_at,
    })
    .from(invitationDevices)
    .where(eq(invitationDevices.invitation_id, id))
    .orderBy(asc(invitationDevices.device_id))
    .all();

function statusOf({ accepted_at, revoked_at, created_at, expires_at }: Row): InvitationStatus {
  if (accepted_at !== null) return "accepted";
  if (revoked_at !== null) return "revoked";
  return isUnexpired(created_at, expires_at) ? "pending" : "expired";
}

const toInvitation = (row: Row): Invitation => ({
  id: row.id,
  email: row.email,
  role_ids: rolesOf(row.id),
  device_shares: promisedBy(row.id).map(({ deviceId, level, expiresAt }) => ({
    device_id: deviceId,
    level,
    expires_at: isoOrNull(expiresAt),
  })),
  note: row.note,
  status: statusOf(row),
  made_by: row.made_by,
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
  accepted_at: isoOrNull(row.accepted_at),
  accepted_by: row.accepted_by,
  revoked_at: isoOrNull(row.revoked_at),
});

const standing: Record<InvitationStatus, () => SQL | undefined> = {
  pending: isOpen,
  accepted: () => isNotNull(invitations.accepted_at),
  revoked: () => isNotNull(invitations.revoked_at),
  expired: () =>
    and(isNull(invitations.accepted_at), isNull(invitations.revoked_at), lte(invitations.expires_at, now())),
};

const countOf = (which: SQL | undefined): number =>
  db.select({ n: count() }).from(invitations).where(which).get()?.n ?? 0;

/** A page of invitations, newest first. */
export function listInvitations(request: PageRequest, status?: InvitationStatus): PageOf<Invitation> {
  const which = status && standing[status]();
  return readPage(request, countOf(which), (fromEnd, offset, limit) =>
    db
      .select()
      .from(invitations)
      .where(which)
      .orderBy(fromEnd ? asc(invitations.id) : desc(invitations.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toInvitation),
  );
}

/** An invitation. Throws 404. */
export const getInvitation = (id: string): Invitation => toInvitation(existing(id));

function existing(id: string): Row {
  const row = db.select().from(invitations).where(eq(invitations.id, id)).get();
  if (!row) throw notFound("Invitation");
  return row;
}

/** The invitations that a user has made, or the one by which it has its account, newest first. */
export const invitationsAbout = (userId: string, side: "made_by" | "accepted_by"): Invitation[] =>
  db
    .select()
    .from(invitations)
    .where(eq(invitations[side], userId))
    .orderBy(desc(invitations.id))
    .all()
    .map(toInvitation);

// --- Inviting ---------------------------------------------------------------------------------------------

/**
 * Invites somebody, by an email or by a link in the answer. Throws 400, 403 for more than the caller holds, and 409 for an
 * address in use, where too many wait, and where no address is known that leads others here.
 */
export async function invite(actor: Actor, input: NewInvitation): Promise<CreatedInvitation> {
  const email = input.email?.toLowerCase() ?? null;
  const base = handOverBase(email, input.base_url);
  const roleIds = [...new Set(input.role_ids?.map((id) => id.toLowerCase()))];
  const promised = promisedIn(input);
  if (roleIds.length > 0) await requireRecentSignIn(actor, null, input);
  const { token, hash } = mintToken("");
  const id = newId();
  const { caller } = actor;
  const row = await transactAs(actor, () => {
    checkMayGive(actor, roleIds, promised);
    if (email !== null && userByEmail(email)) throw conflict("This email address is in use");
    if (countOf(isOpen()) >= MAX_PENDING)
      throw conflict(`At most ${MAX_PENDING} invitations can wait; revoke one first`);
    const time = now();
    const made = db
      .insert(invitations)
      .values({
        ...{ id, email, token_hash: hash, note: input.note ?? null },
        made_by: isSystemKey(caller) ? null : caller.userId,
        made_by_key: caller.kind === "key" ? caller.id : null,
        made_by_session: sessionBehind(caller),
        created_at: time,
        expires_at: time + (input.expires_in_hours ?? DEFAULT_HOURS) * HOUR,
      })
      .returning()
      .get();
    storePromise(id, roleIds, promised);
    audit("invitation_created", made, {
      ...{ role_ids: roleIds, device_ids: promised.map(({ deviceId }) => deviceId) },
      by_email: email !== null,
    });
    if (email !== null) sendLink(actor, made, email, token);
    return made;
  });
  return { ...toInvitation(row), url: base === null ? null : `${base}/invitation#token=${token}&ask=email` };
}

/** The address that a link to hand over begins with; null where an email is sent. Throws 400 and 409. */
function handOverBase(email: string | null, given: string | null | undefined): string | null {
  if (email === null) return reachableUrl(given);
  if (given) throw invalid("/base_url", "is for a link to hand over, without an email address");
  return null;
}

function promisedIn({ device_shares = [] }: NewInvitation): Promised[] {
  const promised = device_shares.map(({ device_id, level, expires_at }, at): Promised => {
    const expiresAt = expires_at ? Date.parse(expires_at) : null;
    if (expiresAt !== null && expiresAt <= now())
      throw invalid(`/device_shares/${at}/expires_at`, "must be in the future");
    return { deviceId: device_id.toLowerCase(), level, expiresAt };
  });
  const seen = new Set<string>();
  for (const [at, { deviceId }] of promised.entries()) {
    if (seen.has(deviceId)) throw invalid(`/device_shares/${at}/device_id`, "is there twice");
    seen.add(deviceId);
  }
  return promised;
}

function storePromise(id: string, roleIds: string[], promised: Promised[]): void {
  for (const role_id of roleIds) db.insert(invitationRoles).values({ invitation_id: id, role_id }).run();
  for (const { deviceId, level, expiresAt } of promised)
    db.insert(invitationDevices)
      .values({ invitation_id: id, device_id: deviceId, level, expires_at: expiresAt })
      .run();
}

/** Queues the email in the inviter's language: that of the invited person isn't known. */
function sendLink(
  { client }: Actor,
  { made_by, note, expires_at }: Row,
  address: string,
  token: string,
): void {
  const inviter = made_by === null ? undefined : findUser(made_by);
  const locale = emailLocale(inviter?.preferred_locale ?? null, client.acceptLanguage);
  const content = { kind: "invitation", token, note, expiresAt: expires_at } as const;
  const invitedBy = inviter?.username ?? null;
  queueEmail(composeEmail({ address, username: null, locale }, { ...content, invitedBy }), null);
}

// --- Ending -----------------------------------------------------------------------------------------------

/** Revokes an invitation: its link is refused at once. Throws 404, and 409 for one that doesn't wait any more. */
export function revokeInvitation(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = existing(id);
    if (revokeInvitations(eq(invitations.id, id)).length === 0)
      throw conflict(`This invitation is ${statusOf(row)}; only a pending one can be revoked`);
    audit("invitation_revoked", row);
  });
}

/** Erases the invitations that a user has made, and the one that it accepted, in the current transaction. */
export function eraseInvitationsOf(userId: string): void {
  for (const { id, made_by } of revokeInvitations(eq(invitations.made_by, userId)))
    recordAudit({
      event_type: "invitation_revoked",
      user_id: made_by,
      actor_id: null,
      resource_type: "invitation",
      resource_id: id,
      metadata: { reason: "account deleted" },
      withoutOrigin: true,
    });
  db.delete(invitations)
    .where(or(eq(invitations.made_by, userId), eq(invitations.accepted_by, userId)))
    .run();
}

/** The job: forgets invitations that ended long ago. */
export const forgetOldInvitations = (): Promise<void> =>
  deleteInBatches(invitations, lt(invitations.expires_at, now() - MEMORY));

function audit(
  event_type: "invitation_created" | "invitation_revoked",
  { id, made_by }: Row,
  metadata: Record<string, unknown> = {},
): void {
  recordAudit({ event_type, user_id: made_by, resource_type: "invitation", resource_id: id, metadata });
}
