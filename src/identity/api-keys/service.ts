import { and, count, desc, eq, type SQL } from "drizzle-orm";
import { note } from "../../feed/journal";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { badRequest, conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import type { Records } from "../../kernel/http/lists";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { type Actor, transactAs } from "../access/actor";
import {
  accessChanged,
  type Caller,
  isSystemKey,
  keyGrants,
  SUPER_ADMIN,
  userAccess,
} from "../access/caller";
import { PermissionSet } from "../access/permissions";
import { checkHoldsRole } from "../access/rank";
import { recordAudit } from "../audit/service";
import type { Proof } from "../proof/schema";
import { requireRecentSignIn } from "../reauthentication/service";
import type { Role, RoleAssignment } from "../roles/schema";
import { toRole } from "../roles/service";
import { roles, userRoles } from "../roles/table";
import { cancelRequestsOfKey } from "../verification/service";
import { tellOfGain, tellOwner } from "./owner";
import type { ApiKey, ApiKeyChange, NewApiKey } from "./schema";
import { apiKeyRoles, apiKeys } from "./table";

type Row = typeof apiKeys.$inferSelect;

/** Length of `key_prefix`: enough to tell keys apart, too little to use one (rule C1). */
const PREFIX_LENGTH = 12;

const toApiKey = (row: Row): ApiKey => ({
  id: row.id,
  key_prefix: row.key_prefix,
  name: row.name,
  description: row.description,
  scopes: row.scopes,
  is_active: row.is_active,
  is_system: row.is_system,
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const select = (which: SQL | undefined) => db.select().from(apiKeys).where(which).orderBy(desc(apiKeys.id));

const countKeys = (which: SQL | undefined): number =>
  db.select({ n: count() }).from(apiKeys).where(which).get()?.n ?? 0;

/** All of a user's keys, newest first. */
export const keysOwnedBy = (userId: string): ApiKey[] =>
  select(eq(apiKeys.owner_id, userId)).all().map(toApiKey);

/** The caller's own keys, newest first; all keys for a super admin. */
export function listedKeys(caller: Caller): Records<ApiKey> {
  const which = caller.isSuperAdmin ? undefined : eq(apiKeys.owner_id, caller.userId ?? "");
  return {
    read: (offset, limit) => select(which).limit(limit).offset(offset).all().map(toApiKey),
    count: () => countKeys(which),
  };
}

export const getApiKey = (caller: Caller, id: string): ApiKey => toApiKey(visibleKey(caller, id));

/** A key that the caller may see. For anybody else's key throws 404: its existence is private. */
function visibleKey(caller: Caller, id: string): Row {
  const row = db.select().from(apiKeys).where(eq(apiKeys.id, id)).get();
  if (!row || !(caller.isSuperAdmin || (row.owner_id !== null && row.owner_id === caller.userId)))
    throw notFound("API key");
  return row;
}

/** Asks for a recent sign-in before a key grants more or gets a new value, whoever owns it. Throws 400, 403 and 404. */
async function requireProofFor(actor: Actor, id: string, proof: Proof): Promise<void> {
  visibleKey(actor.caller, id);
  await requireRecentSignIn(actor, null, proof);
}

/** Maximum number of keys of one user: a fleet has one for each device. */
const MAX_KEYS = 1_000;

/**
 * Creates a key of the caller's. Throws 403, and 409 for a user who has the maximum number. The key itself
 * appears in the answer and nowhere else.
 */
export async function createApiKey(actor: Actor, input: NewApiKey) {
  const ownerId = actor.caller.userId;
  if (ownerId === null) throw badRequest("A system key without an owner cannot own another key");
  const scopes = [...new Set(input.scopes ?? [])];
  checkScopes(actor.caller, scopes);
  const expiresAt = checkExpiry(input.expires_at);
  await requireRecentSignIn(actor, null, input);
  return transactAs(actor, () => {
    if (countKeys(eq(apiKeys.owner_id, ownerId)) >= MAX_KEYS)
      throw conflict(`A user can have at most ${MAX_KEYS} API keys; delete one first`);
    const key = insertApiKey({
      name: input.name,
      description: input.description ?? null,
      scopes,
      expiresAt: expiresAt ?? null,
      ownerId,
      isSystem: false,
    });
    tellOwner(ownerId, "api_key_created", key, actor);
    return key;
  });
}

interface KeyToInsert {
  name: string;
  description: string | null;
  scopes: string[];
  expiresAt: number | null;
  ownerId: string | null;
  isSystem: boolean;
}

/**
 * Stores a new key in the current transaction, with its audit event. Checks nothing beyond the database's
 * constraints.
 */
export function insertApiKey(key: KeyToInsert) {
  const { token, hash } = mintToken("flk_");
  const id = newId();
  const time = now();
  db.insert(apiKeys)
    .values({
      id,
      owner_id: key.ownerId,
      key_hash: hash,
      key_prefix: token.slice(0, PREFIX_LENGTH),
      name: key.name,
      description: key.description,
      scopes: key.scopes,
      is_system: key.isSystem,
      expires_at: key.expiresAt,
      created_at: time,
      updated_at: time,
    })
    .run();
  recordAudit({
    event_type: "api_key_created",
    user_id: key.ownerId,
    resource_type: "api_key",
    resource_id: id,
    metadata: { name: key.name, scopes: key.scopes, is_system: key.isSystem },
  });
  return {
    id,
    key: token,
    key_prefix: token.slice(0, PREFIX_LENGTH),
    name: key.name,
    scopes: key.scopes,
    is_system: key.isSystem,
    expires_at: isoOrNull(key.expiresAt),
  };
}

/** Changes the given fields. Live sockets of the key lose the channels that it may no longer hear. */
export async function updateApiKey(actor: Actor, id: string, input: ApiKeyChange): Promise<ApiKey> {
  const scopes = input.scopes === undefined ? undefined : [...new Set(input.scopes)];
  checkScopes(actor.caller, scopes ?? []);
  const expiresAt = checkExpiry(input.expires_at);
  // Switching a key on or prolonging it grants its rights. Narrowing a wider key counts as a grant too: the
  // narrowed key could be handed out, then widened again by its owner.
  const grants = input.is_active === true || expiresAt !== undefined || scopes !== undefined;
  if (grants) await requireProofFor(actor, id, input);
  return transactAs(actor, () => {
    const before = visibleKey(actor.caller, id);
    if (before.is_system && scopes !== undefined)
      throw badRequest("A system key holds everything; it has no scopes to change");
    if (grants) checkHoldsAll(actor.caller, before);
    const { name, description, is_active } = input;
    const change = changedOnly(before, { name, description, scopes, is_active, expires_at: expiresAt });
    if (isEmpty(change)) return toApiKey(before);
    const row = db
      .update(apiKeys)
      .set({ ...change, updated_at: now() })
      .where(eq(apiKeys.id, id))
      .returning()
      .get();
    auditKey("api_key_updated", row, { changed: Object.keys(change) });
    if (gained(before, row)) tellOfGain("api_key_widened", row, actor);
    keyChanged(id);
    return toApiKey(row);
  });
}

/** True if a key is on now, and was off before, ended earlier or had fewer scopes. */
function gained(before: Row, { is_active, expires_at, scopes }: Row): boolean {
  const ends = ({ expires_at: end }: Pick<Row, "expires_at">) => end ?? Number.POSITIVE_INFINITY;
  const isLonger = ends({ expires_at }) > ends(before);
  return is_active && (!before.is_active || isLonger || !new PermissionSet(before.scopes).hasAll(scopes));
}

/** Gives a key a new value. From the commit on, the old one, its sockets and the addresses that it asked for end. */
export async function regenerateApiKey(actor: Actor, id: string, proof: Proof) {
  await requireProofFor(actor, id, proof);
  return transactAs(actor, () => {
    const before = visibleKey(actor.caller, id);
    if (before.is_system && !actor.caller.isSuperAdmin)
      throw forbidden("Only a super admin can regenerate a system key");
    checkHoldsAll(actor.caller, before);
    const { token, hash } = mintToken("flk_");
    const row = db
      .update(apiKeys)
      .set({
        key_hash: hash,
        key_prefix: token.slice(0, PREFIX_LENGTH),
        last_used_at: null,
        updated_at: now(),
      })
      .where(eq(apiKeys.id, id))
      .returning()
      .get();
    cancelRequestsOfKey(id);
    auditKey("api_key_revoked", before, { reason: "regenerated" });
    auditKey("api_key_created", row, { reason: "regenerated" });
    tellOfGain("api_key_regenerated", row, actor);
    keyChanged(id);
    return {
      id,
      key: token,
      key_prefix: row.key_prefix,
      name: row.name,
      scopes: row.scopes,
      is_active: row.is_active,
      expires_at: isoOrNull(row.expires_at),
    };
  });
}

export function deleteApiKey(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = visibleKey(actor.caller, id);
    if (row.is_system) throw forbidden("A system key cannot be deleted");
    db.delete(apiKeys).where(eq(apiKeys.id, id)).run();
    if (row.device_id !== null) note("deviceUpdate", row.device_id, row.device_id);
    auditKey("api_key_revoked", row, { reason: "deleted" });
    keyChanged(id);
  });
}

// --- Roles of a key ---------------------------------------------------------------------------------------

export function listApiKeyRoles(caller: Caller, id: string): Role[] {
  visibleKey(caller, id);
  return db
    .select({ role: roles })
    .from(apiKeyRoles)
    .innerJoin(roles, eq(roles.id, apiKeyRoles.role_id))
    .where(eq(apiKeyRoles.api_key_id, id))
    .orderBy(desc(roles.created_at), roles.id)
    .all()
    .map(({ role }) => toRole(role));
}

/** Assigns a role to a key. Assigning it twice is no error. */
export async function assignApiKeyRole(
  actor: Actor,
  id: string,
  { role_id: roleId, ...proof }: RoleAssignment,
): Promise<void> {
  await requireProofFor(actor, id, proof);
  return transactAs(actor, () => {
    const row = visibleKey(actor.caller, id);
    const role = db.select().from(roles).where(eq(roles.id, roleId)).get();
    if (!role) throw invalid("/role_id", "names no role");
    checkGrantable(actor.caller, roleId);
    const added = db
      .insert(apiKeyRoles)
      .values({ api_key_id: id, role_id: roleId })
      .onConflictDoNothing()
      .returning()
      .get();
    if (!added) return;
    auditKey("api_key_updated", row, { role_assigned: roleId });
    tellOfGain("api_key_widened", row, actor);
    keyChanged(id);
  });
}

export function removeApiKeyRole(actor: Actor, id: string, roleId: string): Promise<void> {
  return transactAs(actor, () => {
    const row = visibleKey(actor.caller, id);
    checkHoldsAll(actor.caller, row);
    const removed = db
      .delete(apiKeyRoles)
      .where(and(eq(apiKeyRoles.api_key_id, id), eq(apiKeyRoles.role_id, roleId)))
      .returning()
      .get();
    if (!removed) throw notFound("Role of this key");
    auditKey("api_key_updated", row, { role_removed: roleId });
    keyChanged(id);
  });
}

/** Admits only a role that the caller holds, with no permission that the caller lacks (rule R2). */
function checkGrantable(caller: Caller, roleId: string): void {
  if (caller.isSuperAdmin) return;
  const held = db
    .select({ id: userRoles.role_id })
    .from(userRoles)
    .where(and(eq(userRoles.user_id, caller.userId ?? ""), eq(userRoles.role_id, roleId)))
    .get();
  if (!held || roleId === SUPER_ADMIN) throw forbidden("Only a role that you hold can be assigned to a key");
  checkHoldsRole(caller, roleId);
}

// --- Rules and effects ------------------------------------------------------------------------------------

function checkScopes(caller: Caller, scopes: string[]): void {
  if (!caller.isSuperAdmin && !caller.permissions.hasAll(scopes))
    throw forbidden("A key's scopes cannot exceed your own permissions");
}

/** Refuses to hand a key to a caller who may do less than the key (rule R2). */
export function checkHoldsAll(caller: Caller, key: Row): void {
  if (caller.isSuperAdmin || isSystemKey(caller)) return;
  const granted =
    key.is_system || key.owner_id === null
      ? PermissionSet.all
      : keyGrants(key.id, key.scopes).intersect(userAccess(key.owner_id).permissions);
  if (!caller.permissions.hasAll(granted.list()))
    throw forbidden("This key grants permissions that you don't hold");
}

/** Epoch milliseconds; undefined when no value was given, null for never. */
function checkExpiry(expiresAt: string | null | undefined): number | null | undefined {
  if (expiresAt === undefined || expiresAt === null) return expiresAt;
  const time = Date.parse(expiresAt);
  if (time <= now()) throw invalid("/expires_at", "must be in the future");
  return time;
}

function auditKey(
  event: "api_key_created" | "api_key_updated" | "api_key_revoked",
  row: Row,
  metadata: Record<string, unknown>,
): void {
  recordAudit({
    event_type: event,
    user_id: row.owner_id,
    resource_type: "api_key",
    resource_id: row.id,
    metadata: { name: row.name, ...metadata },
  });
}

/** Drops the cached key and checks its sockets after the commit: it may be deleted, off or regenerated. */
export const keyChanged = (id: string) =>
  accessChanged((caller) => caller.kind === "key" && caller.id === id);
