import { isDeepStrictEqual } from "node:util";
import { asc, desc, eq, type SQL } from "drizzle-orm";
import { config } from "../../configuration/config";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { AppError, badRequest, conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { inMemory, type Records } from "../../kernel/http/lists";
import { readAt } from "../../kernel/http/paging";
import { hrefOf } from "../../kernel/http/web-address";
import { iso, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { type Actor, transactAs } from "../access/actor";
import { accessChanged, type Caller, isAdmin, isSystemKey } from "../access/caller";
import { recordAudit } from "../audit/service";
import { notifyOwner } from "../email/notify";
import { endConsentsTo, endGrantsOfClient } from "../grants/service";
import type { Proof } from "../proof/schema";
import { requireRecentSignIn } from "../reauthentication/service";
import { redirectUriFault } from "./redirect-uri";
import type { NewOAuthClient, OAuthClient, OAuthClientChange } from "./schema";
import { isPermissionScope } from "./scopes";
import { oauthClients } from "./table";

type Row = typeof oauthClients.$inferSelect;

const toOAuthClient = ({ owner_id: _, secret_hash: __, ...row }: Row): OAuthClient => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All of a user's clients, newest first. */
export const clientsOwnedBy = (userId: string): OAuthClient[] =>
  db
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.owner_id, userId))
    .orderBy(desc(oauthClients.id))
    .all()
    .map(toOAuthClient);

/** Clients of one user or of all, newest first, read from the nearer end. */
const clientsWhere = (which: SQL | undefined, counted: string): Records<OAuthClient> => ({
  read: (offset, limit) =>
    readAt(offset, limit, counter(counted), (fromEnd, skip, rows) =>
      db
        .select()
        .from(oauthClients)
        .where(which)
        .orderBy(fromEnd ? asc(oauthClients.id) : desc(oauthClients.id))
        .limit(rows)
        .offset(skip)
        .all()
        .map(toOAuthClient),
    ),
  count: () => counter(counted),
});

/** The caller's own clients, newest first. */
export const ownClients = ({ userId }: Caller): Records<OAuthClient> =>
  userId === null ? inMemory([]) : clientsWhere(eq(oauthClients.owner_id, userId), `oauth_clients ${userId}`);

/** All clients, newest first. */
export const allClients = clientsWhere(undefined, "oauth_clients");

export const getClient = (caller: Caller, id: string): OAuthClient => toOAuthClient(ownClient(caller, id));

/**
 * A client that the caller may see and change: one of its user's own, or any for an administrator. A
 * tracker's key must not redirect sign-ins: the routes require a permission of a key before this is called.
 * Throws 404 and 403.
 */
function ownClient(caller: Caller, id: string): Row {
  const row = db.select().from(oauthClients).where(eq(oauthClients.id, id)).get();
  if (!row) throw notFound("OAuth client");
  const isOwner = row.owner_id === caller.userId;
  if (!isOwner && !isAdmin(caller))
    throw forbidden("Only the client's owner or an administrator may do this");
  return row;
}

/** True if a change lets others sign in as a client's users: at other addresses, or without a secret. */
const redirects = (before: Row, { redirect_uris, client_type }: OAuthClientChange): boolean =>
  (redirect_uris !== undefined && redirect_uris.join(" ") !== before.redirect_uris.join(" ")) ||
  (client_type !== undefined && client_type !== before.client_type);

/** True if a change needs a recent sign-in: one that redirects, approves more, or makes a client the installation's own. */
const needsProof = (before: Row, input: OAuthClientChange): boolean =>
  redirects(before, input) ||
  (input.is_first_party === true && !before.is_first_party) ||
  (input.approved_scopes ?? []).some((scope) => !before.approved_scopes.includes(scope));

/** Lets only super admins and system keys change the redirects of first-party clients. Throws 403. */
function checkMayRedirect(caller: Caller, before: Row, input: OAuthClientChange): void {
  if (!before.is_first_party || caller.isSuperAdmin || isSystemKey(caller)) return;
  if (redirects(before, input))
    throw forbidden("Only a super admin can change this field of a first-party client");
}

/** Storage limit of one client, in bytes of JSON: a list of a hundred is then read in some milliseconds. */
const MAX_BYTES = 16_384;

const sizeOf = ({ name, description, redirect_uris, allowed_scopes, ...row }: Row): number => {
  const { logo_url, homepage_url, privacy_policy_url, terms_of_service_url } = row;
  const urls = [logo_url, homepage_url, privacy_policy_url, terms_of_service_url];
  const parts = [name, description, redirect_uris, allowed_scopes, urls];
  // Fields that came later count only where they are used: a client that was as large as can be may be changed still.
  const later = [row.post_logout_redirect_uris, row.approved_scopes].filter(({ length }) => length > 0);
  return Buffer.byteLength(JSON.stringify([...parts, ...later]));
};

/** Refuses a client over the storage limit, unless it was as large before. Throws 400. */
function checkSize(row: Row, before?: Row): void {
  const size = sizeOf(row);
  if (size <= MAX_BYTES || (before && size <= sizeOf(before))) return;
  throw new AppError("ValidationError", "A client may store at most 16 KiB in all", {
    details: [{ path: "/", message: "must come to at most 16 KiB of JSON" }],
  });
}

/**
 * Creates a client of the caller's. Throws 409 for a user who has the maximum number. The secret of a
 * confidential client appears in the answer and nowhere else.
 */
export async function createClient(actor: Actor, input: NewOAuthClient) {
  const ownerId = actor.caller.userId;
  if (ownerId === null) throw badRequest("A system key without an owner cannot own a client");
  checkFirstParty(actor.caller, input.is_first_party, false);
  checkRedirectUris(input.redirect_uris);
  checkRedirectUris(input.post_logout_redirect_uris ?? [], "/post_logout_redirect_uris");
  const scopes = scopesAfter(actor.caller, input, { allowed_scopes: [], approved_scopes: [] });
  if (input.is_first_party || scopes.approved_scopes.length > 0)
    await requireRecentSignIn(actor, null, input);
  const type = input.client_type ?? "confidential";
  const secret = type === "confidential" ? mintToken("fls_") : null;
  return transactAs(actor, () => {
    const most = config["oauth.max_clients_per_user"];
    if (counter(`oauth_clients ${ownerId}`) >= most)
      throw conflict(`A user can have at most ${most} OAuth clients; delete one first`);
    const row = db
      .insert(oauthClients)
      .values({
        id: newId(),
        owner_id: ownerId,
        name: input.name,
        description: input.description ?? null,
        logo_url: hrefOf(input.logo_url) ?? null,
        homepage_url: hrefOf(input.homepage_url) ?? null,
        privacy_policy_url: hrefOf(input.privacy_policy_url) ?? null,
        terms_of_service_url: hrefOf(input.terms_of_service_url) ?? null,
        redirect_uris: [...new Set(input.redirect_uris)],
        post_logout_redirect_uris: [...new Set(input.post_logout_redirect_uris ?? [])],
        ...scopes,
        client_type: type,
        secret_hash: secret?.hash ?? null,
        is_first_party: input.is_first_party ?? false,
        ...madeNow(),
      })
      .returning()
      .get();
    checkSize(row);
    auditClient("client_created", row, { client_type: type, ...approvedIn(row, []) });
    const { id, name, client_type, is_active } = row;
    return { client: { id, name, client_type, is_active }, client_secret: secret?.token ?? null };
  });
}

/**
 * Changes the given fields; its owner is told of other redirects. A client that becomes public loses its secret.
 * Throws 400, 403, 404.
 */
export async function updateClient(
  actor: Actor,
  id: string,
  { password, code, ...input }: OAuthClientChange,
): Promise<OAuthClient> {
  checkRedirectUris(input.redirect_uris ?? []);
  checkRedirectUris(input.post_logout_redirect_uris ?? [], "/post_logout_redirect_uris");
  const known = ownClient(actor.caller, id);
  checkFirstParty(actor.caller, input.is_first_party, known.is_first_party);
  scopesAfter(actor.caller, input, known);
  if (needsProof(known, input)) await requireRecentSignIn(actor, null, { password, code });
  return transactAs(actor, () => {
    const before = ownClient(actor.caller, id);
    checkFirstParty(actor.caller, input.is_first_party, before.is_first_party);
    checkMayRedirect(actor.caller, before, input);
    const change = changedOnly(before, {
      ...input,
      ...storedAddresses(input),
      ...(input.redirect_uris && { redirect_uris: [...new Set(input.redirect_uris)] }),
      ...(input.post_logout_redirect_uris && {
        post_logout_redirect_uris: [...new Set(input.post_logout_redirect_uris)],
      }),
      ...scopesAfter(actor.caller, input, before),
    });
    if (isEmpty(change)) return toOAuthClient(before);
    checkSize({ ...before, ...change } as Row, before);
    const row = db
      .update(oauthClients)
      .set({
        ...(change as Partial<Row>),
        ...(change.client_type === "public" && { secret_hash: null }),
        updated_at: now(),
      })
      .where(eq(oauthClients.id, id))
      .returning()
      .get();
    auditClient("client_updated", row, {
      changed: Object.keys(change),
      ...approvedIn(row, before.approved_scopes),
    });
    tokensChanged(before, row);
    if (redirects(before, row)) tellOwner("client_redirected", row, actor);
    return toOAuthClient(row);
  });
}

/**
 * Gives a confidential client a new secret, and tells its owner; the old one is invalid at once. Throws 400, 403, 404.
 */
export async function regenerateSecret(actor: Actor, id: string, proof: Proof) {
  ownClient(actor.caller, id);
  await requireRecentSignIn(actor, null, proof);
  return transactAs(actor, () => {
    const row = ownClient(actor.caller, id);
    if (row.client_type !== "confidential") throw badRequest("A public client has no secret");
    const { token, hash } = mintToken("fls_");
    db.update(oauthClients)
      .set({ secret_hash: hash, updated_at: now() })
      .where(eq(oauthClients.id, id))
      .run();
    auditClient("client_secret_regenerated", row, {});
    tellOwner("client_secret_changed", row, actor);
    return {
      client_id: id,
      client_secret: token,
      message: "The former secret is invalid; keep this one, it is shown only once",
    };
  });
}

export function deleteClient(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = ownClient(actor.caller, id);
    endGrantsOfClient(id, "client deleted");
    db.delete(oauthClients).where(eq(oauthClients.id, id)).run();
    auditClient("client_deleted", row, {});
  });
}

/** The addresses of a change as stored. Redirect URIs are compared as registered, so they stay unchanged. */
const storedAddresses = ({
  logo_url,
  homepage_url,
  privacy_policy_url,
  terms_of_service_url,
}: OAuthClientChange): OAuthClientChange => ({
  logo_url: hrefOf(logo_url),
  homepage_url: hrefOf(homepage_url),
  privacy_policy_url: hrefOf(privacy_policy_url),
  terms_of_service_url: hrefOf(terms_of_service_url),
});

// --- Rules ------------------------------------------------------------------------------------------------

function checkRedirectUris(uris: string[], field = "/redirect_uris"): void {
  for (const [at, uri] of uris.entries()) {
    const fault = redirectUriFault(uri);
    if (fault !== null) throw invalid(`${field}/${at}`, fault);
  }
}

/**
 * The scopes of a client after a change. An approval is an administrator's alone, names permissions of the catalogue one by
 * one, and goes with the scope that it is for. Throws 400 and 403.
 */
function scopesAfter(
  caller: Caller,
  input: Pick<OAuthClientChange, "allowed_scopes" | "approved_scopes">,
  before: Pick<Row, "allowed_scopes" | "approved_scopes">,
): Pick<Row, "allowed_scopes" | "approved_scopes"> {
  const allowed = [...new Set(input.allowed_scopes ?? before.allowed_scopes)];
  const kept = before.approved_scopes.filter((scope) => allowed.includes(scope));
  const wanted = input.approved_scopes && [...new Set(input.approved_scopes)];
  if (wanted === undefined || isDeepStrictEqual(wanted, before.approved_scopes))
    return { allowed_scopes: allowed, approved_scopes: kept };
  if (!isAdmin(caller)) throw forbidden("Only an administrator can approve scopes");
  for (const [at, scope] of wanted.entries()) {
    if (!allowed.includes(scope)) throw invalid(`/approved_scopes/${at}`, "is not among allowed_scopes");
    if (!isPermissionScope(scope))
      throw invalid(
        `/approved_scopes/${at}`,
        "is no single permission of the catalogue: nothing else is approved",
      );
  }
  return { allowed_scopes: allowed, approved_scopes: wanted };
}

/** The approved scopes for an event, where a change touched them. */
const approvedIn = ({ approved_scopes }: Row, before: string[]): Record<string, unknown> =>
  isDeepStrictEqual(approved_scopes, before) ? {} : { approved_scopes };

/**
 * Has the tokens of a client looked at anew after a change, in the current transaction. Switched off, or of another type, it
 * starts anew: whoever holds its tokens may not be whom they were for.
 */
function tokensChanged(before: Row, { id, is_active, client_type, is_first_party }: Row): void {
  if (!is_active && before.is_active) endGrantsOfClient(id, "client switched off");
  if (client_type !== before.client_type) endGrantsOfClient(id, "client of another type");
  if (before.is_first_party && !is_first_party) endConsentsTo(id);
  accessChanged((caller) => caller.kind === "token" && caller.clientId === id);
}

/** Lets only super admins mark a client as the installation's own (rule R4). */
function checkFirstParty(caller: Caller, wanted: boolean | undefined, present: boolean): void {
  if (wanted !== undefined && wanted !== present && !caller.isSuperAdmin)
    throw forbidden("Only a super admin can set is_first_party");
}

const tellOwner = (
  kind: "client_secret_changed" | "client_redirected",
  { owner_id, name }: Row,
  actor: Actor,
) => notifyOwner(owner_id, "client-emails", actor, (silentUntil) => ({ kind, name, at: now(), silentUntil }));

function auditClient(
  event: "client_created" | "client_updated" | "client_secret_regenerated" | "client_deleted",
  row: Row,
  metadata: Record<string, unknown>,
): void {
  recordAudit({
    event_type: event,
    user_id: row.owner_id,
    resource_type: "oauth_client",
    resource_id: row.id,
    metadata: { name: row.name, ...metadata },
  });
}
