import { and, asc, count, desc, eq } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { type SessionActor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { activeUser } from "../directory/users";
import { notify } from "../email/notify";
import { type Holder, takeCode } from "../oidc-codes/codes";
import { providerName } from "../platforms/service";
import { requireRecentSession } from "../reauthentication/service";
import { requireWayIn } from "../ways-in/service";
import type { Identity } from "./schema";
import { oidcCodes, oidcIdentities, oidcStates } from "./table";

/** Identities of users at OpenID providers: listed, linked, removed. */

type Row = typeof oidcIdentities.$inferSelect;

const toIdentity = (row: Row): Identity => ({
  id: row.id,
  provider: row.provider,
  display_name: providerName(`oidc:${row.provider}`) ?? row.provider,
  issuer: row.issuer,
  subject: row.subject,
  label: row.label,
  created_at: iso(row.created_at),
  last_used_at: isoOrNull(row.last_used_at),
});

/** All identities of a user, newest first. */
export const identitiesOf = (userId: string): Identity[] =>
  db
    .select()
    .from(oidcIdentities)
    .where(eq(oidcIdentities.user_id, userId))
    .orderBy(desc(oidcIdentities.id))
    .all()
    .map(toIdentity);

/** A page of a user's identities, newest first, and their number. */
export function listIdentities(userId: string, asked: PageRequest): PageOf<Identity> {
  const own = eq(oidcIdentities.user_id, userId);
  const total = db.select({ n: count() }).from(oidcIdentities).where(own).get()?.n ?? 0;
  return readPage(asked, total, (fromEnd, offset, limit) =>
    db
      .select()
      .from(oidcIdentities)
      .where(own)
      .orderBy(fromEnd ? asc(oidcIdentities.id) : desc(oidcIdentities.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toIdentity),
  );
}

/** An identity by its issuer and its subject; undefined where nobody has it. */
export const findIdentity = (issuer: string, subject: string): Row | undefined =>
  db
    .select()
    .from(oidcIdentities)
    .where(and(eq(oidcIdentities.issuer, issuer), eq(oidcIdentities.subject, subject)))
    .get();

/** True for a user who has an identity of an issuer. */
export const hasIdentityAt = (userId: string, issuer: string): boolean =>
  db
    .select({ id: oidcIdentities.id })
    .from(oidcIdentities)
    .where(and(eq(oidcIdentities.user_id, userId), eq(oidcIdentities.issuer, issuer)))
    .limit(1)
    .get() !== undefined;

interface ToLink {
  issuer: string;
  subject: string;
  provider: string;
  label: string | null;
}

/** Links an identity to a user in the current transaction, tells the user, and returns it. */
export function insertIdentity(userId: string, { issuer, subject, provider, label }: ToLink): Row {
  const time = now();
  const row = db
    .insert(oidcIdentities)
    .values({
      ...{ id: newId(), user_id: userId, issuer, subject, provider, label },
      created_at: time,
      last_used_at: null,
    })
    .returning()
    .get();
  recordAudit({
    event_type: "account_linked",
    user_id: userId,
    resource_type: "oidc_identity",
    resource_id: row.id,
    metadata: { provider },
  });
  return row;
}

/** Tells a user that an identity lets whoever has it into the account, in the current transaction. */
export const tellOfIdentity = (userId: string, provider: string, acceptLanguage: string | null): void =>
  notify(
    activeUser(userId),
    { kind: "identity_linked", provider: providerName(`oidc:${provider}`) ?? provider, at: now() },
    acceptLanguage,
  );

/**
 * Links to the caller the identity that a provider has just told of, by the code with which the browser came back. Throws 400 for
 * a code that is not good, 409 for an identity that is linked already.
 */
export function linkIdentity(actor: SessionActor, code: string, holder: Holder): Promise<Identity> {
  const { userId } = actor.caller;
  return transactAs(actor, () => {
    const taken = takeCode(code, "link", holder, userId);
    const known = findIdentity(taken.issuer, taken.subject);
    if (known)
      throw conflict(
        known.user_id === userId
          ? "This identity is linked to your account already"
          : "This identity is linked to another account",
      );
    const row = insertIdentity(userId, taken);
    tellOfIdentity(userId, taken.provider, actor.client.acceptLanguage);
    return toIdentity(row);
  });
}

/** Unlinks an identity of the caller's. Throws 404, 403 without a recent sign-in, and 409 for the last way in (rule A14). */
export function unlinkIdentity(actor: SessionActor, id: string): Promise<void> {
  const { userId } = actor.caller;
  return transactAs(actor, () => {
    requireRecentSession(actor);
    const own = and(eq(oidcIdentities.id, id), eq(oidcIdentities.user_id, userId));
    const row = db.delete(oidcIdentities).where(own).returning().get();
    if (!row) throw notFound("Identity");
    requireWayIn(userId);
    recordAudit({
      event_type: "account_unlinked",
      user_id: userId,
      resource_type: "oidc_identity",
      resource_id: id,
      metadata: { provider: row.provider },
    });
  });
}

/** Removes all identities of a user whose account goes, and what waits for them, in the current transaction. */
export function eraseIdentitiesOf(userId: string): void {
  db.delete(oidcIdentities).where(eq(oidcIdentities.user_id, userId)).run();
  db.delete(oidcCodes).where(eq(oidcCodes.user_id, userId)).run();
  db.delete(oidcStates).where(eq(oidcStates.user_id, userId)).run();
}
