import { desc, eq } from "drizzle-orm";
import type { Client } from "../../kernel/client";
import { iso, madeNow, now } from "../../kernel/clock";
import { mintToken } from "../../kernel/crypto";
import { db } from "../../kernel/db";
import { badRequest, forbidden, invalid, notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { type Caller, isAdmin, isSystemKey, transactAs } from "../access/caller";
import { recordAudit } from "../audit/service";
import { redirectUriFault } from "./redirect-uri";
import type { NewOAuthClient, OAuthClient, OAuthClientChange } from "./schema";
import { oauthClients } from "./table";

type Row = typeof oauthClients.$inferSelect;

const toOAuthClient = ({ owner_id: _, secret_hash: __, ...row }: Row): OAuthClient => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** A user's own clients, newest first. */
export const clientsOwnedBy = (userId: string): OAuthClient[] =>
  db
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.owner_id, userId))
    .orderBy(desc(oauthClients.id))
    .all()
    .map(toOAuthClient);

/** The caller's own clients, newest first. */
export const listOwnClients = (caller: Caller): OAuthClient[] =>
  caller.userId === null ? [] : clientsOwnedBy(caller.userId);

/** All clients, newest first. */
export const listAllClients = (): OAuthClient[] =>
  db.select().from(oauthClients).orderBy(desc(oauthClients.id)).all().map(toOAuthClient);

export const getClient = (caller: Caller, id: string): OAuthClient => toOAuthClient(ownClient(caller, id));

/**
 * A client that the caller may see and change: a session its user's own, an administrator any. To be the owner is a
 * matter of sessions (decisions 3.5): the key of a tracker must not lead sign-ins elsewhere. Throws 404 and 403.
 */
function ownClient(caller: Caller, id: string): Row {
  const row = db.select().from(oauthClients).where(eq(oauthClients.id, id)).get();
  if (!row) throw notFound("OAuth client");
  const isOwner = caller.kind === "session" && row.owner_id === caller.userId;
  if (!isOwner && !isAdmin(caller)) throw forbidden("This needs the client's owner or an administrator");
  return row;
}

/** Where a client of the installation's own sends users is for super admins and system keys to change. Throws 403. */
function checkMayRedirect(
  caller: Caller,
  before: Row,
  { redirect_uris, client_type }: OAuthClientChange,
): void {
  if (!before.is_first_party || caller.isSuperAdmin || isSystemKey(caller)) return;
  const redirects = redirect_uris && redirect_uris.join(" ") !== before.redirect_uris.join(" ");
  if (redirects || (client_type && client_type !== before.client_type))
    throw forbidden("Only a super admin can change this of a first-party client");
}

/** Creates a client of the caller's. The secret of a confidential one is in the answer and nowhere else. */
export function createClient(caller: Caller, input: NewOAuthClient, client: Client) {
  const ownerId = caller.userId;
  if (ownerId === null) throw badRequest("A system key without an owner cannot own a client");
  checkFirstParty(caller, input.is_first_party, false);
  checkRedirectUris(input.redirect_uris);
  const type = input.client_type ?? "confidential";
  const secret = type === "confidential" ? mintToken("fls_") : null;
  return transactAs(caller, () => {
    const row = db
      .insert(oauthClients)
      .values({
        id: newId(),
        owner_id: ownerId,
        name: input.name,
        description: input.description ?? null,
        logo_url: input.logo_url ?? null,
        homepage_url: input.homepage_url ?? null,
        privacy_policy_url: input.privacy_policy_url ?? null,
        terms_of_service_url: input.terms_of_service_url ?? null,
        redirect_uris: [...new Set(input.redirect_uris)],
        allowed_scopes: [...new Set(input.allowed_scopes ?? [])],
        client_type: type,
        secret_hash: secret?.hash ?? null,
        is_first_party: input.is_first_party ?? false,
        ...madeNow(),
      })
      .returning()
      .get();
    auditClient("client_created", caller, row, { client_type: type }, client);
    const { id, name, client_type, is_active } = row;
    return { client: { id, name, client_type, is_active }, client_secret: secret?.token ?? null };
  });
}

/** Changes the fields that are given. A client that becomes public loses its secret. Throws 400, 403, 404. */
export function updateClient(
  caller: Caller,
  id: string,
  input: OAuthClientChange,
  client: Client,
): Promise<OAuthClient> {
  checkRedirectUris(input.redirect_uris ?? []);
  return transactAs(caller, () => {
    const before = ownClient(caller, id);
    checkFirstParty(caller, input.is_first_party, before.is_first_party);
    checkMayRedirect(caller, before, input);
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    if (given.length === 0) return toOAuthClient(before);
    const change = {
      ...(Object.fromEntries(given) as Partial<Row>),
      ...(input.redirect_uris && { redirect_uris: [...new Set(input.redirect_uris)] }),
      ...(input.allowed_scopes && { allowed_scopes: [...new Set(input.allowed_scopes)] }),
      ...(input.client_type === "public" && { secret_hash: null }),
    };
    const row = db
      .update(oauthClients)
      .set({ ...change, updated_at: now() })
      .where(eq(oauthClients.id, id))
      .returning()
      .get();
    auditClient("client_updated", caller, row, { changed: given.map(([field]) => field) }, client);
    return toOAuthClient(row);
  });
}

/** Gives a confidential client a new secret; the former one is invalid at once. Throws 400, 403, 404. */
export function regenerateSecret(caller: Caller, id: string, client: Client) {
  return transactAs(caller, () => {
    const row = ownClient(caller, id);
    if (row.client_type !== "confidential") throw badRequest("A public client has no secret");
    const { token, hash } = mintToken("fls_");
    db.update(oauthClients)
      .set({ secret_hash: hash, updated_at: now() })
      .where(eq(oauthClients.id, id))
      .run();
    auditClient("client_secret_regenerated", caller, row, {}, client);
    return {
      client_id: id,
      client_secret: token,
      message: "The former secret is invalid; keep this one, it is shown this once",
    };
  });
}

export function deleteClient(caller: Caller, id: string, client: Client): Promise<void> {
  return transactAs(caller, () => {
    const row = ownClient(caller, id);
    db.delete(oauthClients).where(eq(oauthClients.id, id)).run();
    auditClient("client_deleted", caller, row, {}, client);
  });
}

// --- Rules ------------------------------------------------------------------------------------------------

function checkRedirectUris(uris: string[]): void {
  for (const [at, uri] of uris.entries()) {
    const fault = redirectUriFault(uri);
    if (fault !== null) throw invalid(`/redirect_uris/${at}`, fault);
  }
}

/** Only super admins say that a client is the installation's own (decisions 3.10). */
function checkFirstParty(caller: Caller, wanted: boolean | undefined, present: boolean): void {
  if (wanted !== undefined && wanted !== present && !caller.isSuperAdmin)
    throw forbidden("Only a super admin can set is_first_party");
}

function auditClient(
  event: "client_created" | "client_updated" | "client_secret_regenerated" | "client_deleted",
  caller: Caller,
  row: Row,
  metadata: Record<string, unknown>,
  client: Client,
): void {
  recordAudit({
    event_type: event,
    user_id: row.owner_id,
    actor_id: caller.userId,
    resource_type: "oauth_client",
    resource_id: row.id,
    metadata: { name: row.name, ...metadata },
    client,
  });
}
