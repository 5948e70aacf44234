import { and, eq, isNull, placeholder } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { MINUTE, now } from "../../kernel/clock";
import { hashToken } from "../../kernel/crypto";
import { afterCommit, db, sqlite, statement, transact, type Work } from "../../kernel/db";
import { forbidden, unauthorized } from "../../kernel/errors";
import { publish } from "../../kernel/events";
import { isAlive } from "../../kernel/lifetime";
import { logFailure } from "../../kernel/trouble";
import { apiKeys } from "../api-keys/table";
import { activeBan } from "../bans/active-ban";
import { sessions } from "../sessions/table";
import { users } from "../users/table";
import { PermissionSet } from "./permissions";

/** The role whose holders satisfy every requirement. */
export const SUPER_ADMIN = "role_super_admin";

interface CallerBase {
  /** Identifier of the session or the key. */
  readonly id: string;
  /** SHA-256 of the token, under which the credential is stored. */
  readonly tokenHash: string;
  readonly permissions: PermissionSet;
  /**
   * Holder of the super-admin role. A user's key is one only when it holds `*:*` as well, so that a key with
   * narrow scopes stays narrow whoever owns it.
   */
  readonly isSuperAdmin: boolean;
  /** Epoch milliseconds at which the credential ends; null for a key without an end. */
  readonly expiresAt: number | null;
}

export interface SessionCaller extends CallerBase {
  readonly kind: "session";
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface KeyCaller extends CallerBase {
  readonly kind: "key";
  /** The owner; null for a system key without one. */
  readonly userId: string | null;
  readonly isSystem: boolean;
  /** The device whose positions this key posts. */
  readonly deviceId: string | null;
}

/** Whoever makes a request: a user's session or an API key. Every service function takes one. */
export type Caller = SessionCaller | KeyCaller;

/** Whether a caller administers the installation: holds everything, as Admin, Super Admin and system keys do. */
export const isAdmin = (caller: Caller): boolean => caller.isSuperAdmin || caller.permissions.has("*:*");

export const isSystemKey = (caller: Caller): boolean => caller.kind === "key" && caller.isSystem;

// --- Loading ----------------------------------------------------------------------------------------------

const rolePermissionsOfUser = statement(() =>
  sqlite.prepare<{ role_id: string; permission: string | null }, [string]>(
    `SELECT ur.role_id, p.resource || ':' || p.action AS permission FROM user_roles ur
     LEFT JOIN role_permissions rp ON rp.role_id = ur.role_id
     LEFT JOIN permissions p ON p.id = rp.permission_id WHERE ur.user_id = ?`,
  ),
);
const rolePermissionsOfKey = statement(() =>
  sqlite.prepare<{ permission: string }, [string]>(
    `SELECT p.resource || ':' || p.action AS permission FROM api_key_roles kr
     JOIN role_permissions rp ON rp.role_id = kr.role_id
     JOIN permissions p ON p.id = rp.permission_id WHERE kr.api_key_id = ?`,
  ),
);

/** What a user may do, by all roles held. */
export function userAccess(userId: string): { permissions: PermissionSet; isSuperAdmin: boolean } {
  const rows = rolePermissionsOfUser().all(userId);
  const isSuperAdmin = rows.some((row) => row.role_id === SUPER_ADMIN);
  if (isSuperAdmin) return { permissions: PermissionSet.all, isSuperAdmin };
  const held = rows.flatMap((row) => (row.permission === null ? [] : [row.permission]));
  return { permissions: new PermissionSet(held), isSuperAdmin };
}

/** What a key's own scopes and roles grant, before its owner's permissions narrow it (decisions 3.4). */
export function keyGrants(keyId: string, scopes: string[]): PermissionSet {
  const byRole = rolePermissionsOfKey()
    .all(keyId)
    .map((row) => row.permission);
  return new PermissionSet([...scopes, ...byRole]);
}

/** A caller, and when its credential was last used as far as the database knows. */
interface Loaded {
  caller: Caller;
  touchedAt: number;
}

const sessionOf = statement(() =>
  db
    .select({
      id: sessions.id,
      userId: sessions.user_id,
      expiresAt: sessions.expires_at,
      createdAt: sessions.created_at,
      touchedAt: sessions.last_activity_at,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(sessions.token_hash, placeholder("tokenHash")), isNull(users.deleted_at)))
    .prepare(),
);

function loadSession(tokenHash: string): Loaded | null {
  const row = sessionOf().get({ tokenHash });
  if (!row || activeBan(row.userId)) return null;
  const { touchedAt, ...rest } = row;
  return { caller: { kind: "session", tokenHash, ...rest, ...userAccess(row.userId) }, touchedAt };
}

const keyBy = (column: SQLiteColumn) =>
  statement(() =>
    db
      .select({
        id: apiKeys.id,
        userId: apiKeys.owner_id,
        deviceId: apiKeys.device_id,
        scopes: apiKeys.scopes,
        isSystem: apiKeys.is_system,
        expiresAt: apiKeys.expires_at,
        lastUsedAt: apiKeys.last_used_at,
        tokenHash: apiKeys.key_hash,
        ownerDeletedAt: users.deleted_at,
      })
      .from(apiKeys)
      .leftJoin(users, eq(users.id, apiKeys.owner_id))
      .where(and(eq(column, placeholder("known")), eq(apiKeys.is_active, true)))
      .prepare(),
  );
const keyByHash = keyBy(apiKeys.key_hash);
const keyById = keyBy(apiKeys.id);

function loadKey(by: typeof keyByHash, known: string): (Loaded & { caller: KeyCaller }) | null {
  const row = by().get({ known });
  if (!row || row.ownerDeletedAt !== null || (row.userId !== null && activeBan(row.userId))) return null;
  const { scopes, ownerDeletedAt: _, lastUsedAt, ...rest } = row;
  const key = { kind: "key" as const, ...rest };
  const touchedAt = lastUsedAt ?? 0;
  if (key.isSystem)
    return { caller: { ...key, permissions: PermissionSet.all, isSuperAdmin: false }, touchedAt };
  if (key.userId === null) return null;
  const owner = userAccess(key.userId);
  const permissions = keyGrants(key.id, scopes).intersect(owner.permissions);
  const isSuperAdmin = owner.isSuperAdmin && permissions.has("*:*");
  return { caller: { ...key, permissions, isSuperAdmin }, touchedAt };
}

/** The caller of a known credential as it stands now; null when it no longer counts. Not cached. */
export function reloadCaller({ kind, tokenHash }: Pick<Caller, "kind" | "tokenHash">): Caller | null {
  const fresh = (kind === "session" ? loadSession(tokenHash) : loadKey(keyByHash, tokenHash))?.caller;
  return fresh && !hasExpired(fresh) ? fresh : null;
}

/** The caller that a key is now; null when it is gone, switched off or expired, or its owner is banned or deleted. */
export function findKeyCaller(id: string): KeyCaller | null {
  const key = loadKey(keyById, id)?.caller;
  return key && !hasExpired(key) ? key : null;
}

/** Whether a credential does not count by its times. */
export function hasExpired(caller: Caller): boolean {
  if (caller.expiresAt === null) return false;
  return caller.kind === "session" ? !isAlive(caller.createdAt, caller.expiresAt) : caller.expiresAt <= now();
}

// --- Authentication ---------------------------------------------------------------------------------------

/** Callers by the hash of their token, so that a request costs no query. Dropped by the functions below. */
const cache = new Map<string, Loaded>();
const MAX_CACHED = 10_000;

/** Our tokens are 47 characters long; longer input isn't worth hashing. */
const MAX_TOKEN_LENGTH = 128;

/** The caller behind a session token or an API key; null when it is unknown, ended or expired. */
export function authenticate(token: string): Caller | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const hash = hashToken(token);
  let entry = cache.get(hash);
  if (!entry) {
    const loaded = token.startsWith("ses_")
      ? loadSession(hash)
      : token.startsWith("flk_")
        ? loadKey(keyByHash, hash)
        : null;
    if (!loaded) return null;
    if (cache.size >= MAX_CACHED) {
      const oldest = cache.keys().next();
      if (!oldest.done) cache.delete(oldest.value);
    }
    entry = loaded;
    cache.set(hash, entry);
  }
  if (hasExpired(entry.caller)) {
    cache.delete(hash);
    return null;
  }
  const time = now();
  // Also when the clock was set back: `touchedAt` then lies in the future.
  if (Math.abs(time - entry.touchedAt) >= MINUTE) {
    entry.touchedAt = time;
    touch(entry.caller, time);
  }
  return entry.caller;
}

/** Whether nothing has happened to a credential since it was authenticated. */
export function isUnchanged(caller: Caller): boolean {
  return cache.get(caller.tokenHash)?.caller === caller && !hasExpired(caller);
}

/**
 * `transact` for what a caller asks for. The request was admitted a while ago: a body was read, a password hashed, and
 * other changes wait for the same commit. Whoever lost the credential meanwhile gets 401, and who lost rights 403:
 * else a session that was just revoked could still make itself a key.
 */
export function transactAs<T>(caller: Caller, work: Work<T>): Promise<T> {
  return transact((() => {
    const fresh = reloadCaller(caller);
    if (!fresh) throw unauthorized("The credential has ended");
    if (!hasKeptRights(fresh, caller)) throw forbidden("You lost permissions while this was under way");
    acting = caller;
    try {
      return work();
    } finally {
      acting = null;
    }
  }) as Work<T>);
}

/** Who does what the current transaction does. */
let acting: Caller | null = null;

/** Identifier of the API key that acts in the current transaction; null for a session, and where nobody is known. */
export const actingKey = (): string | null => (acting?.kind === "key" ? acting.id : null);

/** Whether somebody may still do all that they could when they were admitted. */
const hasKeptRights = (fresh: Caller, admitted: Caller): boolean =>
  (fresh.isSuperAdmin || !admitted.isSuperAdmin) && fresh.permissions.hasAll(admitted.permissions.list());

/** Notes when a credential was last used: at most once a minute, and no request waits for it. */
function touch(caller: Caller, time: number): void {
  transact(() => {
    if (caller.kind === "session")
      db.update(sessions).set({ last_activity_at: time }).where(eq(sessions.id, caller.id)).run();
    else db.update(apiKeys).set({ last_used_at: time }).where(eq(apiKeys.id, caller.id)).run();
  }, "repeatable").catch((error) => logFailure("the last use of a credential could not be noted", error));
}

/**
 * Tells that rights or credentials changed: whatever changes a role, a permission, a key, a session or a user
 * calls this in its transaction. After the commit the cached callers are dropped, so that the next request
 * sees the change, and the live sockets are checked anew. `announced` says that a message published before told
 * the users why their credentials end: their sockets then stay open for the seconds that reading it takes.
 */
export function accessChanged(which: (caller: Caller) => boolean, announced = false): void {
  afterCommit(() => {
    for (const [hash, { caller }] of cache) if (which(caller)) cache.delete(hash);
  });
  publish("access.changed", { which, announced });
}

declare module "../../kernel/events" {
  interface EventMap {
    /** Callers for whom `which` holds may have gained or lost rights, or ended. */
    "access.changed": { which: (caller: Caller) => boolean; announced: boolean };
  }
}
