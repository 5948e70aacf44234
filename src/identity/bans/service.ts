import { and, count, desc, eq, isNull, lte } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { inBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { conflict, notFound } from "../../kernel/errors/errors";
import type { Records } from "../../kernel/http/lists";
import { iso, isoOrNull, now, SECOND } from "../../kernel/time/clock";
import { activeBan, type BanRow } from "../access/active-ban";
import { type Actor, transactAs } from "../access/actor";
import { accessChanged } from "../access/caller";
import { checkNotLastSuperAdmin, checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { activeUser, existingUser } from "../directory/users";
import { silenceClientsOf } from "../grants/service";
import { BY_NOBODY, deleteSessions } from "../sessions/service";
import { dropChallenges } from "../two-factor-codes/challenges";
import type { Ban, BanStatus, NewBan, PastBan } from "./schema";
import { bans } from "./table";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A user was banned: until `expiresAt` (epoch milliseconds), or for good when it is null. */
    "user.banned": { userId: string; reason: string | null; expiresAt: number | null };
  }
}

// --- Reading ----------------------------------------------------------------------------------------------

const toBan = (row: BanRow): Ban => ({
  id: row.id,
  user_id: row.user_id,
  reason: row.reason,
  banned_by: row.banned_by,
  banned_at: iso(row.banned_at),
  expires_at: isoOrNull(row.expires_at),
  is_permanent: row.expires_at === null,
});

/** A past ban. One that ran out ended at that time, even if the job has not closed it yet. */
function toPastBan(row: BanRow): PastBan {
  const ranOut = row.expires_at !== null && row.expires_at <= now();
  const endedAt = row.unbanned_at ?? (ranOut ? row.expires_at : null);
  return { ...toBan(row), unbanned_at: isoOrNull(endedAt), unbanned_by: row.unbanned_by };
}

/** Ban status of a user. Throws 404. */
export function getBan(userId: string): BanStatus {
  existingUser(userId);
  const ban = activeBan(userId);
  return { is_banned: ban !== undefined, active_ban: ban ? toBan(ban) : null };
}

/** All bans of a user, newest first. Throws 404. */
export function bansOf(userId: string): Records<PastBan> {
  existingUser(userId);
  const whose = eq(bans.user_id, userId);
  return {
    read: (offset, limit) =>
      db
        .select()
        .from(bans)
        .where(whose)
        .orderBy(desc(bans.id))
        .limit(limit)
        .offset(offset)
        .all()
        .map(toPastBan),
    count: () => db.select({ n: count() }).from(bans).where(whose).get()?.n ?? 0,
  };
}

// --- Changing ---------------------------------------------------------------------------------------------

/**
 * Bans a user: all sessions end, and keys are refused while the ban lasts. Throws 404 for an unknown user,
 * 403 for one who may do more, 409 for oneself, the last super admin or a user who is banned already.
 */
export function banUser(actor: Actor, userId: string, input: NewBan): Promise<Ban> {
  return transactAs(actor, () => {
    activeUser(userId);
    if (actor.caller.userId === userId) throw conflict("You cannot ban yourself");
    checkOutranks(actor.caller, userId);
    if (activeBan(userId)) throw conflict("This user is already banned");
    checkNotLastSuperAdmin(userId);
    closeRunOut(userId);
    const time = now();
    const duration = input.duration_seconds ?? null;
    const ban = db
      .insert(bans)
      .values({
        id: newId(),
        user_id: userId,
        reason: input.reason ?? null,
        banned_by: actor.caller.userId,
        banned_at: time,
        expires_at: duration === null ? null : time + duration * SECOND,
      })
      .returning()
      .get();
    deleteSessions(userId, "banned");
    dropChallenges(userId);
    silenceClientsOf(userId);
    auditBan("user_banned", ban, { duration_seconds: duration });
    publish("user.banned", { userId, reason: ban.reason, expiresAt: ban.expires_at });
    accessChanged((affected) => affected.userId === userId, true);
    return toBan(ban);
  });
}

/** Ends a user's ban. Throws 404 for an unknown user or one who isn't banned, 403 for one who may do more. */
export function unbanUser(actor: Actor, userId: string): Promise<void> {
  return transactAs(actor, () => {
    activeUser(userId);
    const ban = activeBan(userId);
    if (!ban) throw notFound("Ban");
    checkOutranks(actor.caller, userId);
    db.update(bans)
      .set({ unbanned_at: now(), unbanned_by: actor.caller.userId })
      .where(eq(bans.id, ban.id))
      .run();
    auditBan("user_unbanned", ban, {});
  });
}

/** Writes the audit event of a ban, without the reason: that is free text about a person (rule E5). */
const auditBan = (
  event: "user_banned" | "user_unbanned",
  ban: BanRow,
  metadata: Record<string, unknown>,
  by?: typeof BY_NOBODY,
) =>
  recordAudit({
    event_type: event,
    user_id: ban.user_id,
    resource_type: "ban",
    resource_id: ban.id,
    metadata,
    ...by,
  });

// --- Expiry -----------------------------------------------------------------------------------------------

/** Closes a user's expired ban, if there is one, in the current transaction. */
const closeRunOut = (userId: string) => closeWhere(eq(bans.user_id, userId), 1);

/** Closes up to `limit` expired bans, in the current transaction. Returns how many there were. */
function closeWhere(which: ReturnType<typeof eq> | undefined, limit: number): number {
  const ended = db
    .select()
    .from(bans)
    .where(and(which, isNull(bans.unbanned_at), lte(bans.expires_at, now())))
    .limit(limit)
    .all();
  for (const ban of ended) {
    db.update(bans).set({ unbanned_at: ban.expires_at }).where(eq(bans.id, ban.id)).run();
    auditBan("user_unbanned", ban, { reason: "expired" }, BY_NOBODY);
  }
  return ended.length;
}

/** The job: closes expired bans. They are out of force already; this records it. */
export async function closeExpiredBans(): Promise<void> {
  await inBatches((limit) => closeWhere(undefined, limit));
}
