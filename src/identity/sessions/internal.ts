import { and, eq } from "drizzle-orm";
import { hashToken } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import { invalid, notFound } from "../../kernel/errors/errors";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import { checkNotBanned } from "../access/active-ban";
import { type Actor, transactFor } from "../access/actor";
import { touch } from "../access/caller";
import { isOpenNow } from "../access/open-session";
import { recordAudit } from "../audit/service";
import { primaryAccount } from "../directory/accounts";
import { findUser } from "../directory/users";
import { checkLoginEnabled, platformOf } from "../platforms/service";
import type { InternalSession, LogoutReason, NewInternalSession } from "./schema";
import { endSession, insertSession, revoke } from "./service";
import { sessions } from "./table";

/** Sessions for the identity web app. */

type Row = typeof sessions.$inferSelect;

const toInternal = (session: Row, token: string): InternalSession => ({
  id: session.id,
  sessionToken: token,
  userId: session.user_id,
  expires: iso(session.expires_at),
  created_at: iso(session.created_at),
});

/** Opens a session for a user who signed in elsewhere. The calling service has checked the identity. */
export function createInternalSession(actor: Actor, input: NewInternalSession): Promise<InternalSession> {
  const userId = input.userId.toLowerCase();
  const expiresAt = Date.parse(input.expires);
  if (expiresAt <= now()) throw invalid("/expires", "must be in the future");
  return transactFor(actor, () => {
    const user = findUser(userId);
    if (!user || user.deleted_at !== null) throw invalid("/userId", "names no user");
    checkNotBanned(userId);
    const provider = platformOf(user.last_login_provider) ?? primaryAccount(user)?.slug ?? "email";
    checkLoginEnabled(provider);
    const { id, token, createdAt } = insertSession(userId, provider, actor.client, expiresAt);
    recordAudit({
      event_type: "login",
      user_id: userId,
      resource_type: "session",
      resource_id: id,
      metadata: { provider },
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

/**
 * The session behind a token. It counts as used, since somebody showed the token to the calling service.
 * Throws 404 for a token that is unknown or has ended.
 */
export function getInternalSession(token: string): InternalSession {
  const session = sessionByToken(token);
  const time = now();
  if (Math.abs(time - session.last_activity_at) >= MINUTE) touch({ kind: "session", id: session.id }, time);
  return toInternal(session, token);
}

function sessionByToken(token: string): Row {
  const session = db
    .select()
    .from(sessions)
    .where(and(eq(sessions.token_hash, hashToken(token)), isOpenNow()))
    .get();
  if (!session) throw notFound("Session");
  return session;
}

/** Reasons that mean the session was ended by somebody else than its user: the user's sockets are told. */
const AGAINST_THE_USER: readonly LogoutReason[] = ["revoked", "no_access"];

/** Ends the session behind a token. `app` names the calling service. Throws 404. */
export function deleteInternalSession(
  actor: Actor,
  token: string,
  reason: LogoutReason,
  app: string | null,
): Promise<void> {
  return transactFor(actor, () => {
    const session = sessionByToken(token);
    if (AGAINST_THE_USER.includes(reason)) revoke(session, reason);
    else endSession(session.id);
    recordAudit({
      event_type: "logout",
      user_id: session.user_id,
      resource_type: "session",
      resource_id: session.id,
      metadata: { reason, session_id: session.id, ...(app !== null && { app }) },
    });
  });
}
