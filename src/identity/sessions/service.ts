import { and, count, desc, eq, inArray, lt, lte, ne } from "drizzle-orm";
import type { Client } from "../../kernel/client";
import { DAY, iso, now } from "../../kernel/clock";
import { hashToken, mintToken } from "../../kernel/crypto";
import { db, sqlite, statement, transact } from "../../kernel/db";
import { invalid, notFound } from "../../kernel/errors";
import { publish } from "../../kernel/events";
import { newId } from "../../kernel/id";
import { isAliveIn } from "../../kernel/lifetime";
import { parseUserAgent } from "../../kernel/user-agent";
import { accessChanged, type SessionCaller, transactAs } from "../access/caller";
import { recordAudit } from "../audit/service";
import { checkNotBanned } from "../bans/active-ban";
import { checkLoginEnabled } from "../platforms/service";
import { platforms } from "../platforms/table";
import { findUser, primaryAccount } from "../users/service";
import type { ActiveSession, InternalSession, LogoutReason, NewInternalSession } from "./schema";
import { sessions } from "./table";

/** How long a session lasts (Part 2). */
const SESSION_LIFETIME = 30 * DAY;

type Row = typeof sessions.$inferSelect;

declare module "../../kernel/events" {
  interface EventMap {
    /** One session was ended by somebody else than itself. */
    "session.revoked": { userId: string; sessionId: string; reason: string };
    /** All sessions of a user were ended, out of caution. */
    "sessions.ended": { userId: string; reason: string };
  }
}

// --- Life of a session ------------------------------------------------------------------------------------

const storeSession = statement(() =>
  sqlite.prepare<unknown, [Record<string, string | number | null>]>(
    `INSERT INTO sessions (id, user_id, token_hash, provider, ip_address, user_agent, created_at, last_activity_at, expires_at)
     VALUES ($id, $user_id, $token_hash, $provider, $ip_address, $user_agent, $created_at, $last_activity_at, $expires_at)`,
  ),
);

/** Stores a new session in the current transaction. Its token is in the result and nowhere else. */
export function insertSession(userId: string, provider: string, client: Client, until: number | null = null) {
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
    last_activity_at: time,
    expires_at: expiresAt,
  } satisfies typeof sessions.$inferInsert);
  recordAudit({
    event_type: "session_created",
    user_id: userId,
    resource_type: "session",
    resource_id: id,
    metadata: { provider },
    client,
  });
  return { id, token, createdAt: time, expiresAt };
}

/**
 * Removes a session in the current transaction: its token and its sockets end with the commit. False for one that was
 * gone already.
 */
export function endSession(id: string): boolean {
  const gone = db.delete(sessions).where(eq(sessions.id, id)).returning({ id: sessions.id }).all();
  accessChanged((caller) => caller.kind === "session" && caller.id === id);
  return gone.length > 0;
}

/** Ends a session against its holder's doing, in the current transaction: the user's sockets are told. */
function revoke(session: Pick<Row, "id" | "user_id">, reason: string): void {
  db.delete(sessions).where(eq(sessions.id, session.id)).run();
  publish("session.revoked", { userId: session.user_id, sessionId: session.id, reason });
  accessChanged((caller) => caller.kind === "session" && caller.id === session.id, true);
}

/** Revokes a user's sessions but one, in the current transaction, each with its audit event. Returns how many. */
export function revokeOtherSessions(caller: SessionCaller, reason: string, client: Client): number {
  const others = db
    .select()
    .from(sessions)
    .where(and(eq(sessions.user_id, caller.userId), ne(sessions.id, caller.id)))
    .all();
  for (const session of others) {
    revoke(session, reason);
    auditRevocation(session, reason, { actorId: caller.userId, client });
  }
  return others.length;
}

/** Who ends a session, and from where. */
interface Revoker {
  actorId: string | null;
  client: Client;
}

/**
 * Removes all sessions of a user in the current transaction, each with its audit event. Says nothing to the user: the
 * caller publishes what happened (a ban, a deletion, a password reset) before and tells `accessChanged` after.
 */
export function deleteSessions(userId: string, reason: string, by: Revoker | null): void {
  const ended = db.delete(sessions).where(eq(sessions.user_id, userId)).returning().all();
  for (const session of ended) auditRevocation(session, reason, by);
}

/** Ends all sessions of a user in the current transaction, out of caution; their sockets hear `forceLogout`. */
export function forceLogout(userId: string, reason: string, client: Client): void {
  deleteSessions(userId, reason, { actorId: userId, client });
  publish("sessions.ended", { userId, reason });
  accessChanged((caller) => caller.kind === "session" && caller.userId === userId, true);
}

const auditRevocation = (session: Row, reason: string, by: Revoker | null) =>
  recordAudit({
    event_type: "session_revoked",
    user_id: session.user_id,
    actor_id: by?.actorId ?? null,
    resource_type: "session",
    resource_id: session.id,
    metadata: { reason },
    ...(by && { client: by.client }),
  });

// --- Own sessions -----------------------------------------------------------------------------------------

const withProvider = () =>
  db
    .select({ session: sessions, providerName: platforms.name })
    .from(sessions)
    .leftJoin(platforms, eq(platforms.slug, sessions.provider));

const isOpen = (userId: string) => and(eq(sessions.user_id, userId), isAliveIn(sessions));

/** The caller's sessions that have not ended, newest first. */
export function listSessions(caller: SessionCaller): {
  sessions: ActiveSession[];
  current_session_id: string;
} {
  const rows = withProvider().where(isOpen(caller.userId)).orderBy(desc(sessions.id)).all();
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
    provider_name: providerName ?? session.provider,
    last_activity_at: iso(session.last_activity_at),
    created_at: iso(session.created_at),
    expires_at: iso(session.expires_at),
  };
}

/** A user's sessions that have not ended, newest first, in parts of `size`: there may be any number. */
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
export async function revokeSession(caller: SessionCaller, id: string, client: Client): Promise<boolean> {
  if (id === caller.id) return false;
  return transactAs(caller, () => {
    const session = db
      .select()
      .from(sessions)
      .where(and(eq(sessions.id, id), isOpen(caller.userId)))
      .get();
    if (!session) throw notFound("Session");
    revoke(session, "revoked by the user");
    auditRevocation(session, "revoked by the user", { actorId: caller.userId, client });
    return true;
  });
}

/** Ends all sessions of the caller's but the one that asks. Returns how many. */
export const revokeAllOtherSessions = (caller: SessionCaller, client: Client): Promise<number> =>
  transactAs(caller, () => {
    return revokeOtherSessions(caller, "revoked by the user", client);
  });

// --- Sessions for the identity web app ----------------------------------------------------------------------

const toInternal = (session: Row, token: string): InternalSession => ({
  id: session.id,
  sessionToken: token,
  userId: session.user_id,
  expires: iso(session.expires_at),
  created_at: iso(session.created_at),
});

/** Opens a session for a user who signed in elsewhere. The service that asks has checked who it is. */
export function createInternalSession(input: NewInternalSession, client: Client): Promise<InternalSession> {
  const userId = input.userId.toLowerCase();
  const expiresAt = Date.parse(input.expires);
  if (expiresAt <= now()) throw invalid("/expires", "must be in the future");
  return transact(() => {
    const user = findUser(userId);
    if (!user || user.deleted_at !== null) throw invalid("/userId", "names no user");
    checkNotBanned(userId);
    const provider = user.last_login_provider ?? primaryAccount(user)?.slug ?? "email";
    checkLoginEnabled(provider);
    const { id, token, createdAt } = insertSession(userId, provider, client, expiresAt);
    recordAudit({
      event_type: "login",
      user_id: userId,
      resource_type: "session",
      resource_id: id,
      metadata: { provider },
      client,
    });
    return {
      id,
      sessionToken: token,
      userId,
      expires: iso(expiresAt),
      created_at: iso(createdAt),
    };
  });
}

/** The session behind a token. Throws 404 for one that is unknown or has ended. */
export function getInternalSession(token: string): InternalSession {
  return toInternal(sessionByToken(token), token);
}

function sessionByToken(token: string): Row {
  const session = db
    .select()
    .from(sessions)
    .where(and(eq(sessions.token_hash, hashToken(token)), isAliveIn(sessions)))
    .get();
  if (!session) throw notFound("Session");
  return session;
}

/** Reasons for which a session ends against its user's doing: the user's sockets are told. */
const AGAINST_THE_USER: readonly LogoutReason[] = ["revoked", "no_access"];

/** Ends the session behind a token. `app` names the service that asks. Throws 404. */
export function deleteInternalSession(
  token: string,
  reason: LogoutReason,
  app: string | null,
  client: Client,
): Promise<void> {
  return transact(() => {
    const session = sessionByToken(token);
    if (AGAINST_THE_USER.includes(reason)) revoke(session, reason);
    else endSession(session.id);
    recordAudit({
      event_type: "logout",
      user_id: session.user_id,
      resource_type: "session",
      resource_id: session.id,
      metadata: { reason, session_id: session.id, ...(app !== null && { app }) },
      client,
    });
  });
}

// --- Jobs -------------------------------------------------------------------------------------------------

/** Sessions deleted in one transaction. */
const STEP = 500;

/**
 * The job: removes sessions that ended a day ago. They are refused from their end on, removed or not, and a clock that
 * is wrong for an hour ends none for good.
 */
export async function deleteExpiredSessions(): Promise<void> {
  for (let more = true; more; ) {
    more = await transact(() => {
      const ended = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(lte(sessions.expires_at, now() - DAY))
        .limit(STEP)
        .all()
        .map((row) => row.id);
      db.delete(sessions).where(inArray(sessions.id, ended)).run();
      return ended.length === STEP;
    });
  }
}
