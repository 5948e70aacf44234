import { and, asc, count, desc, eq, placeholder } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { endGrantsOfConsent } from "../grants/service";
import { oauthConsents } from "../grants/table";
import { oauthClients } from "../oauth-clients/table";
import type { Consent } from "./schema";

/** Consents: all that users let applications do in their names, until they take it back. */

type Row = typeof oauthConsents.$inferSelect;

const ofBoth = statement(() =>
  db
    .select()
    .from(oauthConsents)
    .where(
      and(
        eq(oauthConsents.user_id, placeholder("userId")),
        eq(oauthConsents.client_id, placeholder("clientId")),
      ),
    )
    .prepare(),
);

/** The consent of a user to a client; undefined without one. */
export const findConsent = (userId: string, clientId: string): Row | undefined =>
  ofBoth().get({ userId, clientId });

/** True if a user has agreed to all these scopes of a client before. */
export function covers(userId: string, clientId: string, scopes: readonly string[]): boolean {
  const held = findConsent(userId, clientId)?.scopes;
  return held !== undefined && scopes.every((scope) => held.includes(scope));
}

/**
 * Records in the current transaction that a user lets a client do what some scopes say, beside what was agreed to before.
 * `by` tells a user's own answer from the installation's decision for a client of its own. Returns the consent.
 */
export function keepConsent(
  userId: string,
  client: { id: string; name: string },
  scopes: readonly string[],
  by: "user" | "installation",
): string {
  const before = findConsent(userId, client.id);
  const added = scopes.filter((scope) => !before?.scopes.includes(scope));
  if (before && added.length === 0) return before.id;
  const time = now();
  const id = before?.id ?? newId();
  const all = [...(before?.scopes ?? []), ...added];
  db.insert(oauthConsents)
    .values({ id, user_id: userId, client_id: client.id, scopes: all, created_at: time, updated_at: time })
    .onConflictDoUpdate({ target: oauthConsents.id, set: { scopes: all, updated_at: time } })
    .run();
  recordAudit({
    event_type: "consent_granted",
    user_id: userId,
    resource_type: "oauth_client",
    resource_id: client.id,
    metadata: { name: client.name, scopes: all, by },
  });
  return id;
}

const withClients = () =>
  db
    .select({ consent: oauthConsents, client: oauthClients })
    .from(oauthConsents)
    .innerJoin(oauthClients, eq(oauthClients.id, oauthConsents.client_id));

function toConsent({ consent, client }: { consent: Row; client: typeof oauthClients.$inferSelect }): Consent {
  const { id, name, homepage_url, privacy_policy_url, is_first_party, is_active } = client;
  return {
    id: consent.id,
    client: { id, name, homepage_url, privacy_policy_url, is_first_party, is_active },
    scopes: consent.scopes,
    last_used_at: isoOrNull(consent.last_used_at),
    created_at: iso(consent.created_at),
    updated_at: iso(consent.updated_at),
  };
}

/** A page of a user's consents, newest first, and their number. */
export function listConsents(userId: string, asked: PageRequest): PageOf<Consent> {
  const own = eq(oauthConsents.user_id, userId);
  const total = db.select({ n: count() }).from(oauthConsents).where(own).get()?.n ?? 0;
  return readPage(asked, total, (fromEnd, offset, limit) =>
    withClients()
      .where(own)
      .orderBy(fromEnd ? asc(oauthConsents.id) : desc(oauthConsents.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toConsent),
  );
}

/** All consents of a user, newest first. */
export const consentsOf = (userId: string): Consent[] =>
  withClients().where(eq(oauthConsents.user_id, userId)).orderBy(desc(oauthConsents.id)).all().map(toConsent);

/** Takes a consent of the caller's back: all tokens that rest on it end with the commit. Throws 404. */
export function revokeConsent(actor: SessionActor, id: string): Promise<void> {
  const { userId } = actor.caller;
  return transactAs(actor, () => {
    const own = and(eq(oauthConsents.id, id), eq(oauthConsents.user_id, userId));
    const row = db.select().from(oauthConsents).where(own).get();
    if (!row) throw notFound("Consent");
    endGrantsOfConsent(id, "consent revoked");
    db.delete(oauthConsents).where(own).run();
    recordAudit({
      event_type: "consent_revoked",
      user_id: userId,
      resource_type: "oauth_client",
      resource_id: row.client_id,
      metadata: { scopes: row.scopes },
    });
    publish("consent.revoked", { userId, clientId: row.client_id });
  });
}

/** Removes all consents of a user whose account goes, in the current transaction, with all that rests on them. */
export const eraseConsentsOf = (userId: string): void => {
  db.delete(oauthConsents).where(eq(oauthConsents.user_id, userId)).run();
};
