import { and, asc, desc, eq, isNotNull, placeholder } from "drizzle-orm";
import { config } from "../../configuration/config";
import { db, statement } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { conflict, forbidden, invalid, isUniqueViolation } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { hrefOf } from "../../kernel/http/web-address";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { activeBan } from "../access/active-ban";
import { type Actor, transactAs } from "../access/actor";
import type { Caller } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { platformAccounts } from "../accounts/table";
import { contactAddress, emailAccount, knownAddress, primaryAccount } from "../directory/accounts";
import { activeUser, auditUserUpdate, existingUser, ownId, type UserRow } from "../directory/users";
import { applyAddress } from "../email-addresses/service";
import { requireRecentSignIn } from "../reauthentication/service";
import { userRoles } from "../roles/table";
import { isNameHeld } from "../verification/service";
import type { ExtendedUser, OwnUser, Profile, User, UserChange } from "./schema";
import { users } from "./table";

declare module "../../kernel/db/events" {
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

const rolesOf = statement(() =>
  db
    .select({ id: userRoles.role_id })
    .from(userRoles)
    .where(eq(userRoles.user_id, placeholder("userId")))
    .orderBy(asc(userRoles.role_id))
    .prepare(),
);

/** The owner of a session or a key, and what the credential may do. Throws 400 for a system key without an owner. */
export function getOwnUser(caller: Caller): OwnUser {
  const user = existingUser(ownId(caller));
  const shows = (scope: string) => caller.kind !== "token" || caller.scopes.includes(scope);
  if (!shows("profile")) throw forbidden("This needs the scope profile");
  return {
    ...toUser(user),
    email: shows("email") ? contactAddress(user) : null,
    roles: rolesOf()
      .all({ userId: user.id })
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
  const updated_at = now();
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
    db.update(platformAccounts).set({ avatar_url: avatar, updated_at }).where(account).run();
    changed.push("avatar_url");
  }
  if (changed.length === 0) return { row: before, changed };
  const row = db
    .update(users)
    .set({ privacy_mode, avatars_enabled, updated_at })
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

export function changeUsername(actor: Actor, id: string, username: string): Promise<User> {
  return transactAs(actor, () => {
    const { row, changed } = changeFields(actor.caller, id, { username });
    auditUserUpdate(id, changed);
    return toUser(row);
  });
}

/** Refuses a language that emails aren't written in, with 400. */
export function checkLocale(locale: string | null): void {
  const supported = config["email.supported_locales"];
  if (locale !== null && !supported.includes(locale))
    throw invalid("/locale", `must be one of ${supported.join(", ")}, or null`);
}

/** Chooses the language that Fairlead uses for a user; null clears it. Throws 400 for an unsupported one. */
export function changeLocale(actor: Actor, id: string, locale: string | null): Promise<User> {
  checkLocale(locale);
  return transactAs(actor, () => {
    const before = activeUser(id);
    checkOutranks(actor.caller, id);
    if (before.preferred_locale === locale) return toUser(before);
    const row = db
      .update(users)
      .set({ preferred_locale: locale, updated_at: now() })
      .where(eq(users.id, id))
      .returning()
      .get();
    auditUserUpdate(id, ["preferred_locale"]);
    return toUser(row);
  });
}

/**
 * Changes a user. A new email address takes effect at once, as unproved, when the caller holds `users:write`;
 * otherwise it starts the verified change (rule A7). Throws 404, 403, and 409 for a name or an address in
 * use.
 */
export async function updateUser(
  actor: Actor,
  id: string,
  { email, password, code, ...input }: UserChange,
): Promise<User> {
  activeUser(id);
  if (email !== undefined && emailAccount(id)?.email !== email.toLowerCase())
    await requireRecentSignIn(actor, null, { password, code });
  return transactAs(actor, () => {
    const { row, changed } = changeFields(actor.caller, id, input);
    if (email !== undefined && applyAddress(actor, row, email.toLowerCase())) changed.push("email");
    auditUserUpdate(id, changed);
    return toUser(activeUser(id));
  });
}
