import { and, asc, count, desc, eq, lt, lte, ne, or, placeholder } from "drizzle-orm";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { deleteInBatches } from "../../kernel/db/batches";
import { db, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { notFound } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import { type ListQuery, readList } from "../../kernel/http/lists";
import { parseUserAgent } from "../../kernel/http/user-agent";
import { DAY, iso, now } from "../../kernel/time/clock";
import { type Actor, type SessionActor, transactAs } from "../access/actor";
import { accessChanged, endsWithSession, type SessionCaller } from "../access/caller";
import { idleSpan, isOpenNow } from "../access/open-session";
import { checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { activeUser } from "../directory/users";
import { endGrantsBy, endGrantsMadeIn, endGrantsWithSession } from "../grants/service";
import { platforms } from "../platforms/table";
import { cancelRequestsBy, cancelRequestsOf } from "../verification/service";
import type { ActiveSession } from "./schema";
import { sessions } from "./table";

/** Lifetime of a session (rule C8). */
const SESSION_LIFETIME = 30 * DAY;

type Row = typeof sessions.$inferSelect;

declare module "../../kernel/db/events" {
  interface EventMap {
    /** One session was ended from outside itself. */
    "session.revoked": { userId: string; sessionId: string; reason: string };
    /** All sessions of a user were ended, out of caution. */
    "sessions.ended": { userId: string; reason: string };
  }
}

// --- Life of a session ------------------------------------------------------------------------------------

const storeSession = statement(() =>
  db
    .insert(sessions)
    .values({
      id: placeholder("id"),
      user_id: placeholder("user_id"),
      token_hash: placeholder("token_hash"),
      provider: placeholder("provider"),
      ip_address: placeholder("ip_address"),
      user_agent: placeholder("user_agent"),
      created_at: placeholder("created_at"),
      authenticated_at: placeholder("authenticated_at"),
      amr: placeholder("amr"),
      last_activity_at: placeholder("last_activity_at"),
      expires_at: placeholder("expires_at"),
    })
    .prepare(),
);

/** Maximum number of sessions of one user: ending or listing them all then takes some milliseconds. */
const MAX_SESSIONS = 500;

const countSessions = statement(() =>
  db
    .select({ n: count() })
    .from(sessions)
    .where(eq(sessions.user_id, placeholder("userId")))
    .prepare(),
);

/** Makes room for one more session of a user's, in the current transaction: ends the least recently used. */
function makeRoom(userId: string): void {
  const surplus = (countSessions().get({ userId })?.n ?? 0) - MAX_SESSIONS + 1;
  if (surplus <= 0) return;
  const idle = db
    .select()
    .from(sessions)
    .where(eq(sessions.user_id, userId))
    .orderBy(asc(sessions.last_activity_at), asc(sessions.id))
    .limit(Math.min(surplus, MAX_SESSIONS))
    .all();
  for (const session of idle) {
    endSession(session.id);
    auditRevocation(session, "too many sessions", BY_NOBODY);
  }
}

/**
 * Ways in which a user proved its identity (RFC 8176): password, one-time code, key in hardware or in software, and `mfa` for
 * more than one.
 */
export type AuthenticationMethods = readonly ("pwd" | "otp" | "hwk" | "swk" | "mfa")[];

/** In place of a platform: the provider of a session that was opened by a passkey alone. */
export const PASSKEY_PROVIDER = "passkey";
const PASSKEY_PROVIDER_NAME = "Passkey";

/** Stores a new session in the current transaction. Its token appears in the result and nowhere else. */
export function insertSession(
  userId: string,
  provider: string,
  client: Client,
  until: number | null = null,
  amr: AuthenticationMethods | null = null,
) {
  makeRoom(userId);
  const { token, hash } = mintToken("ses_");
  const id = newId();
  const time = now();
  const expiresAt = until ?? time + SESSION_LIFETIME;
  storeSession().run({
    id,
    user_id: userId,
    token_hash: hash,
    provider,
    ip_address: client.address,
    user_agent: client.userAgent,
    created_at: time,
    authenticated_at: time,
    amr: amr && [...amr],
    last_activity_at: time,
    expires_at: expiresAt,
  } satisfies typeof sessions.$inferInsert);
  recordAudit({
    event_type: "session_created",
    user_id: userId,
    resource_type: "session",
    resource_id: id,
    metadata: { provider },
  });
  return { id, token, createdAt: time, expiresAt };
}

/**
 * Removes a session in the current transaction: its token and its sockets end with the commit, and what it granted to
 * applications for as long. Returns false for one that was gone already.
 */
export function endSession(id: string): boolean {
  const gone = db.delete(sessions).where(eq(sessions.id, id)).returning({ id: sessions.id }).all();
  endGrantsWithSession(id, "signed out");
  accessChanged((caller) => endsWithSession(caller, id));
  return gone.length > 0;
}

/**
 * Ends a session from outside, in the current transaction, with the changes of address that it asked for and all that it
 * granted to applications: the user's sockets are told.
 */
export function revoke(session: Pick<Row, "id" | "user_id">, reason: string): void {
  db.delete(sessions).where(eq(sessions.id, session.id)).run();
  cancelRequestsOf(session.id);
  endGrantsMadeIn(session.id, "session revoked");
  publish("session.revoked", { userId: session.user_id, sessionId: session.id, reason });
  accessChanged((caller) => endsWithSession(caller, session.id), true);
}

/**
 * Revokes all sessions of a user except the caller's own, in the current transaction, each with its audit
 * event. Returns their number.
 */
export function revokeOtherSessions(
  actor: Actor,
  reason: string,
  userId = actor.caller.userId ?? "",
): number {
  const others = db
    .select()
    .from(sessions)
    .where(and(eq(sessions.user_id, userId), ne(sessions.id, actor.caller.id)))
    .all();
  for (const session of others) {
    revoke(session, reason);
    auditRevocation(session, reason);
  }
  cancelRequestsBy(userId, actor.caller.id);
  endGrantsBy(userId, actor.caller.id, reason);
  return others.length;
}

/** For an event that names neither the actor nor where it was. */
export const BY_NOBODY = { actor_id: null, withoutOrigin: true } as const;

/**
 * Removes all sessions of a user, and all that the user granted to applications, in the current transaction, each with
 * its audit event. Tells the user nothing: the caller publishes the reason (a ban, a deletion, a password reset) before,
 * and calls `accessChanged` after. Returns the number of sessions.
 */
export function deleteSessions(userId: string, reason: string, by?: typeof BY_NOBODY): number {
  endGrantsBy(userId, null, reason, by);
  const ended = db.delete(sessions).where(eq(sessions.user_id, userId)).returning().all();
  for (const session of ended) auditRevocation(session, reason, by);
  return ended.length;
}

/**
 * Ends all sessions of a user in the current transaction, out of caution, and the changes of address that they
 * asked for; their sockets receive `forceLogout`. Returns their number.
 */
export function forceLogout(userId: string, reason: string): number {
  const ended = deleteSessions(userId, reason);
  cancelRequestsBy(userId, null);
  publish("sessions.ended", { userId, reason });
  accessChanged((caller) => caller.kind === "session" && caller.userId === userId, true);
  return ended;
}

const auditRevocation = (session: Row, reason: string, by?: typeof BY_NOBODY) =>
  recordAudit({
    event_type: "session_revoked",
    user_id: session.user_id,
    resource_type: "session",
    resource_id: session.id,
    metadata: { reason },
    ...by,
  });

// --- Own sessions -----------------------------------------------------------------------------------------

const withProvider = () =>
  db
    .select({ session: sessions, providerName: platforms.name })
    .from(sessions)
    .leftJoin(platforms, eq(platforms.slug, sessions.provider));

const isOpen = (userId: string) => and(eq(sessions.user_id, userId), isOpenNow());

/** The caller's open sessions, newest first. */
export function listSessions(
  caller: SessionCaller,
  query: ListQuery,
): { sessions: ActiveSession[]; current_session_id: string } {
  const rows = readList(query, {
    read: (offset, limit) =>
      withProvider()
        .where(isOpen(caller.userId))
        .orderBy(desc(sessions.id))
        .limit(limit)
        .offset(offset)
        .all(),
    count: () => countOpenSessions(caller.userId),
  });
  const list = rows.map(({ session, providerName }) => ({
    ...toOpenSession(session, providerName),
    is_current: session.id === caller.id,
  }));
  return { sessions: list, current_session_id: caller.id };
}

function toOpenSession(session: Row, providerName: string | null): Omit<ActiveSession, "is_current"> {
  const agent = parseUserAgent(session.user_agent);
  return {
    id: session.id,
    ip_address: session.ip_address ?? "",
    user_agent: session.user_agent ?? "",
    device_type: agent.deviceType,
    browser_name: agent.browser,
    os_name: agent.os,
    provider: session.provider,
    provider_name:
      providerName ?? (session.provider === PASSKEY_PROVIDER ? PASSKEY_PROVIDER_NAME : session.provider),
    last_activity_at: iso(session.last_activity_at),
    created_at: iso(session.created_at),
    expires_at: iso(session.expires_at),
  };
}

/** A user's open sessions, newest first, in parts of `size` since there may be many. */
export function* openSessions(userId: string, size: number) {
  for (let before: string | undefined = "\uffff"; before !== undefined; ) {
    const rows: { session: Row; providerName: string | null }[] = withProvider()
      .where(and(isOpen(userId), lt(sessions.id, before)))
      .orderBy(desc(sessions.id))
      .limit(size)
      .all();
    yield rows.map(({ session, providerName }) => toOpenSession(session, providerName));
    before = rows.length === size ? rows.at(-1)?.session.id : undefined;
  }
}

export const countOpenSessions = (userId: string): number =>
  db.select({ n: count() }).from(sessions).where(isOpen(userId)).get()?.n ?? 0;

/** Ends another session of the caller's. False for the current one, which only a logout ends. Throws 404. */
export async function revokeSession(actor: SessionActor, id: string): Promise<boolean> {
  if (id === actor.caller.id) return false;
  return transactAs(actor, () => {
    const session = db
      .select()
      .from(sessions)
      .where(and(eq(sessions.id, id), isOpen(actor.caller.userId)))
      .get();
    if (!session) throw notFound("Session");
    revoke(session, "revoked by the user");
    auditRevocation(session, "revoked by the user");
    return true;
  });
}

/** Ends all sessions of the caller's except the current one. Returns their number. */
export const revokeAllOtherSessions = (actor: SessionActor): Promise<number> =>
  transactAs(actor, () => {
    return revokeOtherSessions(actor, "revoked by the user");
  });

// --- A user's sessions ---------------------------------------------------------------------------------------

/**
 * Ends all sessions of a user, including the current one if that user is the caller. Returns their number.
 * Throws 404, and 403 for a user who may do more.
 */
export const endSessionsOf = (actor: Actor, userId: string): Promise<number> =>
  transactAs(actor, () => {
    activeUser(userId);
    checkOutranks(actor.caller, userId);
    return forceLogout(userId, "ended by an administrator");
  });

// --- Jobs -------------------------------------------------------------------------------------------------

/**
 * The job: removes sessions that ended a day ago, by age or disuse. Sessions are refused from their end on,
 * removed or not; the day keeps a clock that is wrong for an hour from ending any for good.
 */
export async function deleteExpiredSessions(): Promise<void> {
  const before = now() - DAY;
  await deleteInBatches(
    sessions,
    or(lte(sessions.expires_at, before), lte(sessions.last_activity_at, before - idleSpan())),
  );
}
