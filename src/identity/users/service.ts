import { and, asc, desc, eq, getTableColumns, isNotNull } from "drizzle-orm";
import { config } from "../../config";
import type { Client } from "../../kernel/client";
import { iso, isoOrNull, madeNow, now } from "../../kernel/clock";
import { adjustCounter, counter, db, sqlite, statement } from "../../kernel/db";
import { badRequest, conflict, invalid, isUniqueViolation, notFound } from "../../kernel/errors";
import { publish } from "../../kernel/events";
import { newId } from "../../kernel/id";
import { type PageOf, type PageRequest, readPage } from "../../kernel/paging";
import { type Caller, transactAs } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { platformAccounts } from "../accounts/table";
import { recordAudit } from "../audit/service";
import { passwords } from "../auth/table";
import { activeBan } from "../bans/active-ban";
import { platforms } from "../platforms/table";
import { userRoles } from "../roles/table";
import { pendingRegistration } from "../verification/service";
import type { ExtendedUser, Profile, User, UserChange } from "./schema";
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

/** 3 to 30 letters, digits and underscores; stored in lower case (Part 2). */
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

/** A user, deleted or not; undefined when there is none. Nearly every request of a user's own reads one: no Drizzle. */
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

/** A user who is not deleted: nothing of a deleted one can be changed. Throws 404. */
export function activeUser(id: string): UserRow {
  const user = existingUser(id);
  if (user.deleted_at !== null) throw notFound("User");
  return user;
}

export function isUsernameTaken(username: string): boolean {
  return db.select({ id: users.id }).from(users).where(eq(users.username, username)).get() !== undefined;
}

/** The platform account that stands for a user, with its platform's slug. */
export function primaryAccount(user: UserRow): (AccountRow & { slug: string }) | undefined {
  const row = db
    .select({ account: platformAccounts, slug: platforms.slug })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(eq(platformAccounts.id, user.primary_platform_account_id ?? ""))
    .get();
  return row && { ...row.account, slug: row.slug };
}

/** A user's account on the platform `email`, where there is one. */
export function emailAccount(userId: string): AccountRow | undefined {
  return db
    .select({ account: platformAccounts })
    .from(platformAccounts)
    .innerJoin(platforms, and(eq(platforms.id, platformAccounts.platform_id), eq(platforms.slug, "email")))
    .where(eq(platformAccounts.user_id, userId))
    .get()?.account;
}

/** Where emails to a user go: the address signed in with, else one that a platform vouches for; null for neither. */
export const contactAddress = (user: UserRow): string | null =>
  emailAccount(user.id)?.email ?? verifiedAddress(user.id);

/** An address of a user's that a platform vouches for, the oldest first; null when there is none. */
function verifiedAddress(userId: string): string | null {
  const row = db
    .select({ email: platformAccounts.email })
    .from(platformAccounts)
    .where(
      and(
        eq(platformAccounts.user_id, userId),
        eq(platformAccounts.email_verified, true),
        isNotNull(platformAccounts.email),
      ),
    )
    .orderBy(asc(platformAccounts.created_at), asc(platformAccounts.id))
    .get();
  return row?.email ?? null;
}

/** The user who is known by an address that a platform vouches for; undefined when there is none. */
export function userByEmail(email: string): UserRow | undefined {
  return db
    .select({ user: users })
    .from(platformAccounts)
    .innerJoin(users, eq(users.id, platformAccounts.user_id))
    .where(and(eq(platformAccounts.email, email), eq(platformAccounts.email_verified, true)))
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

/** Identifier of the owner of a session or a key. Throws 400 for a system key that belongs to nobody. */
export function ownId(caller: Caller): string {
  if (caller.userId === null) throw badRequest("This system key belongs to no user");
  return caller.userId;
}

/** The owner of a session or a key. Throws 400 for a system key that belongs to nobody. */
export const getOwnUser = (caller: Caller): User => getUser(ownId(caller));

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
    email: (primary?.email_verified ? primary.email : null) ?? verifiedAddress(user.id),
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
  /** Who it is on the platform; on `email` the address. */
  platformUserId: string;
  username: string;
  email: string | null;
  /** Whether the platform vouches for the address; true when left out. */
  emailVerified?: boolean;
  avatarUrl?: string | null;
}

/** Stores a user with the one platform account that it is known by, in the current transaction. */
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
 * Changes the fields that are given, in the current transaction, and returns which are new: the caller audits them. `email` is not among them: see
 * email-addresses/service.ts. Throws 404, 403 for somebody who may do more, 409 for a username that is taken.
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
  if (input.avatar_url && !avatars_enabled)
    throw invalid("/avatar_url", "can't be set while avatars are off");
  if (!avatars_enabled)
    db.update(platformAccounts).set({ avatar_url: null }).where(eq(platformAccounts.user_id, id)).run();
  else if (input.avatar_url !== undefined && input.avatar_url !== primaryAccount(before)?.avatar_url) {
    const account = eq(platformAccounts.id, before.primary_platform_account_id ?? "");
    db.update(platformAccounts).set({ avatar_url: input.avatar_url, updated_at: now() }).where(account).run();
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

/** Gives a user another name, in the current transaction. Throws 409 when it is taken, or reserved by a registration. */
function rename(id: string, username: string): void {
  if (pendingRegistration("", username)) throw conflict("This username is taken");
  try {
    db.update(users).set({ username }).where(eq(users.id, id)).run();
  } catch (error) {
    throw isUniqueViolation(error) ? conflict("This username is taken") : error;
  }
  const account = emailAccount(id);
  if (account) db.update(platformAccounts).set({ username }).where(eq(platformAccounts.id, account.id)).run();
}

/** Notes in the audit log which fields of a user changed, if any; their values are personal and stay out of it. */
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

/** Chooses the language that Fairlead speaks to a user; null clears the choice. Throws 400 for another one. */
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
