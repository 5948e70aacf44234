import { and, asc, desc, eq, getTableColumns, isNotNull, not, or, sql } from "drizzle-orm";
import { config } from "../../config";
import type { Client } from "../../kernel/client";
import { iso, isoOrNull, madeNow, now } from "../../kernel/clock";
import { adjustCounter, counter, db, sqlite, statement } from "../../kernel/db";
import { badRequest, conflict, invalid, isUniqueViolation, notFound } from "../../kernel/errors";
import { publish } from "../../kernel/events";
import { newId } from "../../kernel/id";
import { type PageOf, type PageRequest, readPage } from "../../kernel/paging";
import { hrefOf } from "../../kernel/web-address";
import { type Caller, transactAs } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { platformAccounts } from "../accounts/table";
import { recordAudit } from "../audit/service";
import { passwords } from "../auth/table";
import { activeBan } from "../bans/active-ban";
import { platforms } from "../platforms/table";
import { userRoles } from "../roles/table";
import { isNameHeld } from "../verification/service";
import type { ExtendedUser, OwnUser, Profile, User, UserChange } from "./schema";
import { users } from "./table";

declare module "../../kernel/events" {
  interface EventMap {
    /** A user has one more platform account; `platform` is its slug. */
    "account.linked": {
      userId: string;
      platform: string;
      platformUserId: string;
      username: string;
      avatarUrl: string | null;
    };
  }
}

export type UserRow = typeof users.$inferSelect;
type AccountRow = typeof platformAccounts.$inferSelect;

/** 3 to 30 letters, digits and underscores; stored in lower case (rule A1). */
export const USERNAME = /^[A-Za-z0-9_]{3,30}$/;

/** The role that every user gets. */
const DEFAULT_ROLE = "role_user";

// --- Reading ----------------------------------------------------------------------------------------------

export const toUser = (row: UserRow): User => ({
  id: row.id,
  username: row.username,
  primary_platform_account_id: row.primary_platform_account_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  last_login_at: isoOrNull(row.last_login_at),
  deleted_at: isoOrNull(row.deleted_at),
  privacy_mode: row.privacy_mode,
  preferred_locale: row.preferred_locale,
  avatars_enabled: row.avatars_enabled,
});

/** Stored rows keep flags as numbers. */
type StoredRow = { [K in keyof UserRow]: UserRow[K] extends boolean ? number : UserRow[K] };

const BY_ID = `SELECT ${Object.keys(getTableColumns(users)).join()} FROM users WHERE id = ?`;
const userById = statement(() => sqlite.prepare<StoredRow, [string]>(BY_ID));

/**
 * A user, deleted or not; undefined when there is none. Nearly every request of a user's own reads one, hence
 * no Drizzle.
 */
export function findUser(id: string): UserRow | undefined {
  const row = userById().get(id);
  if (!row) return undefined;
  return {
    ...row,
    privacy_mode: row.privacy_mode === 1,
    avatars_enabled: row.avatars_enabled === 1,
    scrub_pending: row.scrub_pending === 1,
  };
}

/** A user, deleted or not. Throws 404. */
export function existingUser(id: string): UserRow {
  const user = findUser(id);
  if (!user) throw notFound("User");
  return user;
}

/** A user who is not deleted: a deleted one can't be changed. Throws 404. */
export function activeUser(id: string): UserRow {
  const user = existingUser(id);
  if (user.deleted_at !== null) throw notFound("User");
  return user;
}

export function isUsernameTaken(username: string): boolean {
  return db.select({ id: users.id }).from(users).where(eq(users.username, username)).get() !== undefined;
}

/** The primary platform account of a user, with its platform's slug. */
export function primaryAccount(user: UserRow): (AccountRow & { slug: string }) | undefined {
  const row = db
    .select({ account: platformAccounts, slug: platforms.slug })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(eq(platformAccounts.id, user.primary_platform_account_id ?? ""))
    .get();
  return row && { ...row.account, slug: row.slug };
}

/** A user's account on the platform `email`, if any. */
export function emailAccount(userId: string): AccountRow | undefined {
  return db
    .select({ account: platformAccounts })
    .from(platformAccounts)
    .innerJoin(platforms, and(eq(platforms.id, platformAccounts.platform_id), eq(platforms.slug, "email")))
    .where(eq(platformAccounts.user_id, userId))
    .get()?.account;
}

/**
 * The rows whose address identifies a user: a platform vouches for it, or the user signs in with it. A
 * sign-in address may be unproved, if an administrator set it: it counts as taken and receives emails, but no
 * other account is linked by it.
 */
const identifies = () => or(eq(platformAccounts.email_verified, true), isOnEmailPlatform);
const isOnEmailPlatform = sql`${platformAccounts.platform_id} = (SELECT id FROM platforms WHERE slug = 'email')`;

/** True if a user has proved an address, or a platform vouches for it. */
export const isAddressProved = (userId: string, email: string): boolean =>
  db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .where(
      and(
        eq(platformAccounts.user_id, userId),
        eq(platformAccounts.email, email),
        eq(platformAccounts.email_verified, true),
      ),
    )
    .limit(1)
    .get() !== undefined;

/**
 * Records that a user has read an email at its sign-in address, in the current transaction. Returns true if
 * the address was unproved before.
 */
export const noteAddressProved = (userId: string): boolean =>
  db
    .update(platformAccounts)
    .set({ email_verified: true, updated_at: now() })
    .where(
      and(
        eq(platformAccounts.user_id, userId),
        isOnEmailPlatform,
        eq(platformAccounts.email_verified, false),
      ),
    )
    .returning({ id: platformAccounts.id })
    .all().length > 0;

/** True if a user can sign in through a platform other than `email`. */
export const hasAccountElsewhere = (userId: string): boolean =>
  db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .where(and(eq(platformAccounts.user_id, userId), not(isOnEmailPlatform)))
    .limit(1)
    .get() !== undefined;

/** Address for a user's email: the one signed in with, else one that a platform vouches for, else null. */
export const contactAddress = (user: UserRow): string | null =>
  emailAccount(user.id)?.email ?? knownAddress(user.id);

/** The oldest address by which a user is known; null when there is none. */
function knownAddress(userId: string): string | null {
  const row = db
    .select({ email: platformAccounts.email })
    .from(platformAccounts)
    .where(and(eq(platformAccounts.user_id, userId), identifies(), isNotNull(platformAccounts.email)))
    .orderBy(asc(platformAccounts.created_at), asc(platformAccounts.id))
    .get();
  return row?.email ?? null;
}

/** The user known by an address; undefined when there is none. */
export function userByEmail(email: string): UserRow | undefined {
  return db
    .select({ user: users })
    .from(platformAccounts)
    .innerJoin(users, eq(users.id, platformAccounts.user_id))
    .where(and(eq(platformAccounts.email, email), identifies()))
    .orderBy(asc(platformAccounts.created_at))
    .get()?.user;
}

/** A page of users, deleted ones too, newest first. */
export function listUsers(request: PageRequest): PageOf<User> {
  return readPage(request, counter("users"), (fromEnd, offset, limit) =>
    db
      .select()
      .from(users)
      .orderBy(fromEnd ? asc(users.id) : desc(users.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toUser),
  );
}

export const getUser = (id: string): User => toUser(existingUser(id));

/** Identifier of the owner of a session or a key. Throws 400 for a system key without an owner (rule C5). */
export function ownId(caller: Caller): string {
  if (caller.userId === null) throw badRequest("This system key belongs to no user");
  return caller.userId;
}

const roleIds = statement(() =>
  sqlite.prepare<{ id: string }, [string]>(
    "SELECT role_id AS id FROM user_roles WHERE user_id = ? ORDER BY 1",
  ),
);

/** The owner of a session or a key, and what the credential may do. Throws 400 for a system key without an owner. */
export function getOwnUser(caller: Caller): OwnUser {
  const user = existingUser(ownId(caller));
  return {
    ...toUser(user),
    email: contactAddress(user),
    roles: roleIds()
      .all(user.id)
      .map(({ id }) => id),
    permissions: caller.permissions.list(),
  };
}

export function getProfile(id: string): Profile {
  const user = existingUser(id);
  const primary = primaryAccount(user);
  return {
    name: user.username,
    display_name: primary?.username ?? user.username,
    picture: primary?.avatar_url ?? null,
    provider: user.last_login_provider ?? primary?.slug ?? null,
    primary_provider: primary?.slug ?? null,
    last_login_at: isoOrNull(user.last_login_at),
    created_at: iso(user.created_at),
    privacy_mode: user.privacy_mode,
    avatars_enabled: user.avatars_enabled,
  };
}

/** A user with address, picture and platform of the primary account. */
export function toExtendedUser(user: UserRow): ExtendedUser {
  const primary = primaryAccount(user);
  return {
    id: user.id,
    primary_platform_account_id: user.primary_platform_account_id,
    username: user.username,
    email:
      (primary?.email_verified || primary?.slug === "email" ? primary.email : null) ?? knownAddress(user.id),
    avatar_url: primary?.avatar_url ?? null,
    platform: primary?.slug ?? null,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    last_login_at: isoOrNull(user.last_login_at),
    privacy_mode: user.privacy_mode,
    is_banned: activeBan(user.id) !== undefined,
  };
}

// --- Creating ---------------------------------------------------------------------------------------------

export interface UserToInsert {
  username: string;
  email: string;
  passwordHash: string;
  /** Identifiers of roles beside the default one. */
  roles?: string[];
}

/**
 * Stores a user who signs in with email and password, in the current transaction, with the audit event.
 * Breaks a UNIQUE constraint when the username or the address is taken.
 */
export function insertUser(
  user: UserToInsert,
  client?: Client,
): { id: string; username: string; email: string } {
  const username = user.username.toLowerCase();
  const email = user.email.toLowerCase();
  const { id } = insertUserWithAccount(
    username,
    { slug: "email", platformUserId: email, username, email },
    user.roles ?? [],
    client,
  );
  db.insert(passwords).values({ user_id: id, hash: user.passwordHash, changed_at: now() }).run();
  return { id, username, email };
}

export interface AccountToInsert {
  /** Slug of its platform. */
  slug: string;
  /** Identifier of the user on the platform; on `email` the address. */
  platformUserId: string;
  username: string;
  email: string | null;
  /** True if the platform vouches for the address; the default. */
  emailVerified?: boolean;
  avatarUrl?: string | null;
}

/** Stores a user with its first platform account, in the current transaction. */
export function insertUserWithAccount(
  username: string,
  account: AccountToInsert,
  roleIds: string[],
  client?: Client,
): { id: string; accountId: string } {
  const id = newId();
  db.insert(users)
    .values({ id, username, ...madeNow() })
    .run();
  const accountId = insertAccount(id, account);
  db.update(users).set({ primary_platform_account_id: accountId }).where(eq(users.id, id)).run();
  for (const role of new Set([DEFAULT_ROLE, ...roleIds]))
    db.insert(userRoles).values({ user_id: id, role_id: role }).run();
  adjustCounter("users", 1);
  recordAudit({
    event_type: "user_created",
    user_id: id,
    resource_type: "user",
    resource_id: id,
    metadata: { platform: account.slug },
    ...(client && { client }),
  });
  return { id, accountId };
}

/** Stores a platform account of a user in the current transaction, and returns its identifier. */
export function insertAccount(userId: string, account: AccountToInsert): string {
  const platform = db
    .select({ id: platforms.id })
    .from(platforms)
    .where(eq(platforms.slug, account.slug))
    .get();
  if (!platform) throw new Error(`the platform \`${account.slug}\` is missing`);
  const id = newId();
  const { slug, platformUserId, username, avatarUrl = null } = account;
  db.insert(platformAccounts)
    .values({
      id,
      user_id: userId,
      platform_id: platform.id,
      platform_user_id: platformUserId,
      username,
      email: account.email,
      email_verified: account.emailVerified ?? true,
      avatar_url: avatarUrl,
      ...madeNow(),
    })
    .run();
  publish("account.linked", { userId, platform: slug, platformUserId, username, avatarUrl });
  return id;
}

// --- Changing ---------------------------------------------------------------------------------------------

/**
 * Changes the given fields, in the current transaction, and returns the names of those with a new value, for
 * the caller to audit. `email` is not among them: see email-addresses/service.ts. Throws 404, 403 for a user
 * who may do more, 409 for a username that is taken.
 */
export function changeFields(
  caller: Caller,
  id: string,
  input: UserChange,
): { row: UserRow; changed: string[] } {
  const before = activeUser(id);
  checkOutranks(caller, id);
  const changed: string[] = [];
  if (input.username !== undefined && input.username.toLowerCase() !== before.username) {
    rename(id, input.username.toLowerCase());
    changed.push("username");
  }
  const { privacy_mode = before.privacy_mode, avatars_enabled = before.avatars_enabled } = input;
  if (privacy_mode !== before.privacy_mode) changed.push("privacy_mode");
  if (avatars_enabled !== before.avatars_enabled) changed.push("avatars_enabled");
  const avatar = hrefOf(input.avatar_url);
  if (avatar && !avatars_enabled) throw invalid("/avatar_url", "can't be set while avatars are off");
  const pictured = and(eq(platformAccounts.user_id, id), isNotNull(platformAccounts.avatar_url));
  if (!avatars_enabled) db.update(platformAccounts).set({ avatar_url: null }).where(pictured).run();
  else if (avatar !== undefined && avatar !== (primaryAccount(before)?.avatar_url ?? null)) {
    const account = eq(platformAccounts.id, before.primary_platform_account_id ?? "");
    db.update(platformAccounts).set({ avatar_url: avatar, updated_at: now() }).where(account).run();
    changed.push("avatar_url");
  }
  if (changed.length === 0) return { row: before, changed };
  const row = db
    .update(users)
    .set({ privacy_mode, avatars_enabled, updated_at: now() })
    .where(eq(users.id, id))
    .returning()
    .get();
  return { row, changed };
}

/** Renames a user, in the current transaction. Throws 409 for a name that is taken or reserved. */
function rename(id: string, username: string): void {
  if (isNameHeld(username)) throw conflict("This username is taken");
  try {
    db.update(users).set({ username }).where(eq(users.id, id)).run();
  } catch (error) {
    throw isUniqueViolation(error) ? conflict("This username is taken") : error;
  }
  const account = emailAccount(id);
  if (account) db.update(platformAccounts).set({ username }).where(eq(platformAccounts.id, account.id)).run();
}

/** Records the names of changed fields in the audit log, if any; never the values, which are personal. */
export function auditUserUpdate(caller: Caller, id: string, changed: string[], client: Client): void {
  if (changed.length === 0) return;
  recordAudit({
    event_type: "user_updated",
    user_id: id,
    actor_id: caller.userId,
    resource_type: "user",
    resource_id: id,
    metadata: { changed },
    client,
  });
}

export function changeUsername(caller: Caller, id: string, username: string, client: Client): Promise<User> {
  return transactAs(caller, () => {
    const { row, changed } = changeFields(caller, id, { username });
    auditUserUpdate(caller, id, changed, client);
    return toUser(row);
  });
}

/** Chooses the language that Fairlead uses for a user; null clears it. Throws 400 for an unsupported one. */
export function changeLocale(
  caller: Caller,
  id: string,
  locale: string | null,
  client: Client,
): Promise<User> {
  const supported = config["email.supported_locales"];
  if (locale !== null && !supported.includes(locale))
    throw invalid("/locale", `must be one of ${supported.join(", ")}, or null`);
  return transactAs(caller, () => {
    const before = activeUser(id);
    checkOutranks(caller, id);
    if (before.preferred_locale === locale) return toUser(before);
    const row = db
      .update(users)
      .set({ preferred_locale: locale, updated_at: now() })
      .where(eq(users.id, id))
      .returning()
      .get();
    auditUserUpdate(caller, id, ["preferred_locale"], client);
    return toUser(row);
  });
}
