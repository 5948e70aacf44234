import { and, eq, inArray, isNotNull, isNull, ne, or, type SQL } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { accessChanged } from "../access/caller";
import { type AuditEntry, recordAudit } from "../audit/service";
import { oauthClients } from "../oauth-clients/table";
import { oauthAccessTokens, oauthConsents, oauthGrants } from "./table";

/** The end of grants: with one, all its codes and tokens end with the commit, and their live connections. */

/** Ends the grants that match, in the current transaction, each with its audit event, and returns their number. */
function endGrants(which: SQL | undefined, reason: string, audited: Partial<AuditEntry> = {}): number {
  const ended = db
    .delete(oauthGrants)
    .where(which)
    .returning({ id: oauthGrants.id, userId: oauthGrants.user_id, clientId: oauthGrants.client_id })
    .all();
  if (ended.length === 0) return 0;
  for (const { id, userId, clientId } of ended)
    recordAudit({
      event_type: "oauth_grant_ended",
      user_id: userId,
      resource_type: "oauth_grant",
      resource_id: id,
      metadata: { client_id: clientId, reason },
      ...audited,
    });
  const ids = new Set(ended.map(({ id }) => id));
  accessChanged((caller) => caller.kind === "token" && ids.has(caller.id));
  return ended.length;
}

export const endGrant = (id: string, reason: string): boolean =>
  endGrants(eq(oauthGrants.id, id), reason) > 0;

/** Ends a grant that somebody else may use: the event tells of it as a failure. */
export const endStolenGrant = (id: string, reason: string): boolean =>
  endGrants(eq(oauthGrants.id, id), reason, { status: "failure", error_message: reason }) > 0;

/** Ends all that was granted by a consent. */
export const endGrantsOfConsent = (consentId: string, reason: string): number =>
  endGrants(eq(oauthGrants.consent_id, consentId), reason);

/** Ends all that was granted to a client. */
export const endGrantsOfClient = (clientId: string, reason: string): number =>
  endGrants(eq(oauthGrants.client_id, clientId), reason);

/**
 * Ends all consents to a client, with all that was granted by them: a client of the installation itself, for which nobody was
 * asked, becomes one like others, whose users have to be asked.
 */
export function endConsentsTo(clientId: string): void {
  endGrantsOfClient(clientId, "no longer the installation's own");
  const ended = db
    .delete(oauthConsents)
    .where(eq(oauthConsents.client_id, clientId))
    .returning({ userId: oauthConsents.user_id, scopes: oauthConsents.scopes })
    .all();
  for (const { userId, scopes } of ended) {
    recordAudit({
      event_type: "consent_revoked",
      user_id: userId,
      resource_type: "oauth_client",
      resource_id: clientId,
      metadata: { scopes },
    });
    publish("consent.revoked", { userId, clientId });
  }
}

/**
 * Ends the access tokens of the clients that a user has registered, as that user is banned or deleted: their users' grants stay,
 * for when the owner is back, and give no tokens until then. Clients of the installation itself go on.
 */
export function silenceClientsOf(ownerId: string): void {
  const owned = db
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .innerJoin(oauthClients, eq(oauthClients.id, oauthGrants.client_id))
    .where(and(eq(oauthClients.owner_id, ownerId), eq(oauthClients.is_first_party, false)));
  const ended = db
    .delete(oauthAccessTokens)
    .where(inArray(oauthAccessTokens.grant_id, owned))
    .returning({ id: oauthAccessTokens.grant_id })
    .all();
  const ids = new Set(ended.map(({ id }) => id));
  if (ids.size > 0) accessChanged((caller) => caller.kind === "token" && ids.has(caller.id));
}

/** Ends the grants with these identifiers. */
export const endSomeGrants = (ids: string[], reason: string): number =>
  endGrants(inArray(oauthGrants.id, ids), reason);

/** Ends what lasts as long as a session, as that is signed out or runs out; offline grants stay. */
export const endGrantsWithSession = (sessionId: string, reason: string): number =>
  endGrants(and(eq(oauthGrants.session_id, sessionId), eq(oauthGrants.is_offline, false)), reason);

/** Ends all that was granted in a session, which is revoked: it may have been stolen, and the thief's app would stay. */
export const endGrantsMadeIn = (sessionId: string, reason: string): number =>
  endGrants(eq(oauthGrants.session_id, sessionId), reason);

/**
 * Ends all that a user granted in any session but `keptId`, also in sessions that are gone: a thief may sign out before
 * the user looks.
 */
export const endGrantsBy = (
  userId: string,
  keptId: string | null,
  reason: string,
  by?: { actor_id: null; withoutOrigin: true },
): number =>
  endGrants(
    and(
      eq(oauthGrants.user_id, userId),
      isNotNull(oauthGrants.consent_id),
      keptId === null ? undefined : or(isNull(oauthGrants.session_id), ne(oauthGrants.session_id, keptId)),
    ),
    reason,
    by,
  );
