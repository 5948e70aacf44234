import { and, eq, inArray, isNull, placeholder, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { hashToken } from "../../kernel/crypto/crypto";
import { db, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { MINUTE, now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { apiKeyRoles, apiKeys } from "../api-keys/table";
import { oauthAccessTokens, oauthConsents, oauthGrants } from "../grants/table";
import { oauthClients } from "../oauth-clients/table";
import { permissions, rolePermissions, userRoles } from "../roles/table";
import { sessions } from "../sessions/table";
import { users } from "../users/table";
import { activeBan } from "./active-ban";
import { isOpenAt } from "./open-session";
import { PermissionSet } from "./permissions";

/** The role whose holders satisfy every requirement. */
export const SUPER_ADMIN = "role_super_admin";

/** Identifier of the caller that stands for the services with `X-ID-App-Key`: no key has it. */
export const APP_ID = "id-app";

interface CallerBase {
  /** Identifier of the session, the key, or the grant of an access token. */
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
  /** Last use of the credential, as far as the database knows (epoch milliseconds); see `noteUse`. */
  usedAt: number;
}

export interface SessionCaller extends CallerBase {
  readonly kind: "session";
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface KeyCaller extends CallerBase {
  readonly kind: "key";
  /** The owner; null for a system key without one. */
  readonly userId: string | null;
  readonly isSystem: boolean;
  /** The device whose positions this key posts. */
  readonly deviceId: string | null;
}

/**
 * An application that acts for a user by an access token (rule C13). Like a user's key it is no session: "self" is not
 * for it, and it is never a super admin.
 */
export interface TokenCaller extends CallerBase {
  readonly kind: "token";
  /** The user that it acts for; the client's owner where it acts for itself. */
  readonly userId: string;
  readonly clientId: string;
  /** Null where it acts for itself. */
  readonly consentId: string | null;
  /** The session in which the grant was made. */
  readonly sessionId: string | null;
  /** False for a token that ends as its session does. */
  readonly isOffline: boolean;
  /** Scopes of the token that its client may still ask for, permissions and others. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The caller of a request: a user's session, an API key or an access token. Every service function takes one. */
export type Caller = SessionCaller | KeyCaller | TokenCaller;

/** True for a caller who holds everything and so administers the installation: admins and system keys. */
export const isAdmin = (caller: Caller): boolean => caller.isSuperAdmin || caller.permissions.has("*:*");

export const isSystemKey = (caller: Caller): boolean => caller.kind === "key" && caller.isSystem;

// --- Loading ----------------------------------------------------------------------------------------------

const holdsRole = statement(() =>
  db
    .select({ role: userRoles.role_id })
    .from(userRoles)
    .where(and(eq(userRoles.user_id, placeholder("userId")), eq(userRoles.role_id, placeholder("roleId"))))
    .prepare(),
);
// Each permission once, however many roles grant it.
const permissionsBy = (held: typeof userRoles | typeof apiKeyRoles, holder: SQLiteColumn) =>
  statement(() => {
    const granted = db
      .select({ id: rolePermissions.permission_id })
      .from(held)
      .innerJoin(rolePermissions, eq(rolePermissions.role_id, held.role_id))
      .where(eq(holder, placeholder("holder")));
    return db
      .select({ permission: sql<string>`${permissions.resource} || ':' || ${permissions.action}` })
      .from(permissions)
      .where(inArray(permissions.id, granted))
      .prepare();
  });
const rolePermissionsOfUser = permissionsBy(userRoles, userRoles.user_id);
const rolePermissionsOfKey = permissionsBy(apiKeyRoles, apiKeyRoles.api_key_id);

/** Rights of a user, by all roles held. */
export function userAccess(userId: string): { permissions: PermissionSet; isSuperAdmin: boolean } {
  if (holdsRole().get({ userId, roleId: SUPER_ADMIN }))
    return { permissions: PermissionSet.all, isSuperAdmin: true };
  const held = rolePermissionsOfUser()
    .all({ holder: userId })
    .map((row) => row.permission);
  return { permissions: new PermissionSet(held), isSuperAdmin: false };
}

/** Grants of a key's own scopes and roles, before its owner's permissions narrow them (rule C4). */
export function keyGrants(keyId: string, scopes: string[]): PermissionSet {
  const byRole = rolePermissionsOfKey()
    .all({ holder: keyId })
    .map((row) => row.permission);
  return new PermissionSet([...scopes, ...byRole]);
}

const sessionOf = statement(() =>
  db
    .select({
      id: sessions.id,
      userId: sessions.user_id,
      expiresAt: sessions.expires_at,
      createdAt: sessions.created_at,
      usedAt: sessions.last_activity_at,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(sessions.token_hash, placeholder("tokenHash")), isNull(users.deleted_at)))
    .prepare(),
);

function loadSession(tokenHash: string): SessionCaller | null {
  const row = sessionOf().get({ tokenHash });
  if (!row || activeBan(row.userId)) return null;
  return { kind: "session", tokenHash, ...row, ...userAccess(row.userId) };
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

function loadKey(by: typeof keyByHash, known: string): KeyCaller | null {
  const row = by().get({ known });
  if (!row || row.ownerDeletedAt !== null || (row.userId !== null && activeBan(row.userId))) return null;
  const { scopes, ownerDeletedAt: _, lastUsedAt, ...rest } = row;
  const key = { kind: "key" as const, usedAt: lastUsedAt ?? 0, ...rest };
  if (key.isSystem) return { ...key, permissions: PermissionSet.all, isSuperAdmin: false };
  if (key.userId === null) return null;
  const owner = userAccess(key.userId);
  const permissions = keyGrants(key.id, scopes).intersect(owner.permissions);
  const isSuperAdmin = owner.isSuperAdmin && permissions.has("*:*");
  return { ...key, permissions, isSuperAdmin };
}

const tokenOf = statement(() =>
  db
    .select({
      id: oauthGrants.id,
      userId: oauthGrants.user_id,
      clientId: oauthGrants.client_id,
      consentId: oauthGrants.consent_id,
      sessionId: oauthGrants.session_id,
      isOffline: oauthGrants.is_offline,
      scopes: oauthAccessTokens.scopes,
      allowed: oauthClients.allowed_scopes,
      approved: oauthClients.approved_scopes,
      createdAt: oauthAccessTokens.created_at,
      expiresAt: oauthAccessTokens.expires_at,
      lastUsedAt: oauthConsents.last_used_at,
      session: {
        createdAt: sessions.created_at,
        expiresAt: sessions.expires_at,
        usedAt: sessions.last_activity_at,
      },
    })
    .from(oauthAccessTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthAccessTokens.grant_id))
    .innerJoin(oauthClients, eq(oauthClients.id, oauthGrants.client_id))
    .innerJoin(users, eq(users.id, oauthGrants.user_id))
    .leftJoin(oauthConsents, eq(oauthConsents.id, oauthGrants.consent_id))
    .leftJoin(sessions, eq(sessions.id, oauthGrants.session_id))
    .where(
      and(
        eq(oauthAccessTokens.token_hash, placeholder("tokenHash")),
        eq(oauthClients.is_active, true),
        isNull(users.deleted_at),
      ),
    )
    .prepare(),
);

/**
 * The rights of an access token: what its scopes name, as far as the client may ask for it, an administrator has approved
 * it and the user holds it, each as it is now (rule C13).
 */
function loadToken(tokenHash: string): TokenCaller | null {
  const row = tokenOf().get({ tokenHash });
  if (!row || activeBan(row.userId)) return null;
  const { allowed, approved, session, lastUsedAt, ...token } = row;
  const isSessionOpen = session !== null && isOpenAt(session.createdAt, session.expiresAt, session.usedAt);
  if (token.sessionId !== null && !token.isOffline && !isSessionOpen) return null;
  const scopes = token.scopes.filter((scope) => allowed.includes(scope));
  const granted = new PermissionSet(scopes.filter((scope) => approved.includes(scope)));
  return {
    ...token,
    kind: "token",
    tokenHash,
    scopes,
    permissions: granted.intersect(userAccess(token.userId).permissions),
    isSuperAdmin: false,
    usedAt: lastUsedAt ?? 0,
  };
}

/** The credentials by the prefixes of their tokens. */
const LOADERS: Record<string, (tokenHash: string) => Caller | null> = {
  ses_: loadSession,
  flk_: (hash) => loadKey(keyByHash, hash),
  fla_: loadToken,
};
const PREFIX_LENGTH = 4;

const PREFIX_OF = { session: "ses_", key: "flk_", token: "fla_" } as const;

/** The caller of a known credential as it stands now; null when it is no longer valid. Not cached. */
export function reloadCaller({ kind, tokenHash }: Pick<Caller, "kind" | "tokenHash">): Caller | null {
  const fresh = LOADERS[PREFIX_OF[kind]]?.(tokenHash);
  return fresh && !hasExpired(fresh) ? fresh : null;
}

/**
 * A key's caller as it stands now; null when the key is gone, switched off or expired, or its owner is banned
 * or deleted.
 */
export function findKeyCaller(id: string): KeyCaller | null {
  const key = loadKey(keyById, id);
  return key && !hasExpired(key) ? key : null;
}

/** True once a credential has ended by its times. */
export function hasExpired(caller: Caller): boolean {
  if (caller.kind === "session") return !isOpenAt(caller.createdAt, caller.expiresAt, caller.usedAt);
  if (caller.kind === "token") return !isUnexpired(caller.createdAt, caller.expiresAt);
  return caller.expiresAt !== null && caller.expiresAt <= now();
}

// --- Authentication ---------------------------------------------------------------------------------------

/** Callers by the hash of their token, so that a request costs no query. Dropped by the functions below. */
const cache = new BoundedMap<string, Caller>(10_000);

/** Our tokens are 47 characters long; longer input isn't worth hashing. */
const MAX_TOKEN_LENGTH = 128;

/** The caller behind a session token, an API key or an access token; null when it is unknown, ended or expired. */
export function authenticate(token: string): Caller | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const hash = hashToken(token);
  let caller = cache.get(hash);
  // The database may know of a later use: through a socket, or by another service.
  if (!caller || hasExpired(caller)) {
    cache.delete(hash);
    const loaded = LOADERS[token.slice(0, PREFIX_LENGTH)]?.(hash);
    if (!loaded || hasExpired(loaded)) return null;
    caller = loaded;
    cache.set(hash, caller);
  }
  noteUse(caller, MINUTE);
  return caller;
}

/** Records that a credential is in use, at most once in `pace` milliseconds. Nobody waits for the write. */
export function noteUse(caller: Caller, pace: number): void {
  const time = now();
  // Written too when the clock was set back and the last use lies in the future.
  if (Math.abs(time - caller.usedAt) < pace) return;
  caller.usedAt = time;
  touch(caller, time);
}

/** True if nothing has happened to a credential since it was authenticated. */
export function isUnchanged(caller: Caller): boolean {
  return cache.get(caller.tokenHash) === caller && !hasExpired(caller);
}

/** Stores the time of a credential's last use; of an access token, that of the consent that it rests on. */
export function touch(
  caller:
    | Pick<SessionCaller, "kind" | "id">
    | Pick<KeyCaller, "kind" | "id">
    | Pick<TokenCaller, "kind" | "consentId">,
  time: number,
): void {
  if (caller.kind === "token" && caller.consentId === null) return;
  transact(() => {
    if (caller.kind === "session")
      db.update(sessions).set({ last_activity_at: time }).where(eq(sessions.id, caller.id)).run();
    else if (caller.kind === "key")
      db.update(apiKeys).set({ last_used_at: time }).where(eq(apiKeys.id, caller.id)).run();
    else
      db.update(oauthConsents)
        .set({ last_used_at: time })
        .where(eq(oauthConsents.id, caller.consentId ?? ""))
        .run();
  }, "retryable").catch((error) => logFailure("the last use of a credential could not be noted", error));
}

/**
 * Announces that rights or credentials changed. Every function that changes a role, a permission, a key, a
 * session or a user calls this in its transaction. After the commit the cached callers are dropped, so that
 * the next request sees the change, and the live sockets are checked anew (rule R5). `announced` means that a
 * message published before told the users why their credentials end: their sockets then stay open for the
 * seconds that reading it takes.
 */
export function accessChanged(which: (caller: Caller) => boolean, announced = false): void {
  afterCommit(() => {
    epoch++;
    for (const [hash, caller] of cache) if (which(caller)) cache.delete(hash);
  });
  publish("access.changed", { which, announced });
}

/** The session that a caller is, or in which the grant of its access token was made: what it asked for goes with that. */
export function sessionBehind(caller: Caller): string | null {
  if (caller.kind === "session") return caller.id;
  return caller.kind === "token" ? caller.sessionId : null;
}

/** True for a caller that ends with a session: the session itself, and tokens that were granted in it for as long. */
export const endsWithSession = (caller: Caller, sessionId: string): boolean =>
  caller.kind === "session"
    ? caller.id === sessionId
    : caller.kind === "token" && caller.sessionId === sessionId && !caller.isOffline;

let epoch = 0;

/** A number that stays the same while no rights and no credentials change: for what others remember of them. */
export const accessEpoch = (): number => epoch;

declare module "../../kernel/db/events" {
  interface EventMap {
    /** Callers for whom `which` holds may have gained or lost rights, or ended. */
    "access.changed": { which: (caller: Caller) => boolean; announced: boolean };
  }
}
