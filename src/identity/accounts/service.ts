import { and, asc, desc, eq, ne, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { conflict, forbidden, notFound } from "../../kernel/errors/errors";
import { iso, now } from "../../kernel/time/clock";
import { type Actor, transactAs } from "../access/actor";
import { type Caller, isSystemKey } from "../access/caller";
import { checkOutranks } from "../access/rank";
import { recordAudit } from "../audit/service";
import { userByEmail } from "../directory/accounts";
import { activeUser, auditUserUpdate, existingUser, type UserRow } from "../directory/users";
import { platforms } from "../platforms/table";
import type { ExtendedUser } from "../users/schema";
import { toExtendedUser } from "../users/service";
import { users } from "../users/table";
import { requireWayIn } from "../ways-in/service";
import { noteUnlinked } from "./former-names";
import type { PlatformAccount } from "./schema";
import { platformAccounts } from "./table";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A platform account was unlinked from a user; `platform` is its slug. */
    "account.unlinked": { userId: string; platform: string; platformUserId: string };
  }
}

interface Row {
  account: typeof platformAccounts.$inferSelect;
  platform: typeof platforms.$inferSelect;
}

const toPlatformAccount = ({ account, platform }: Row, user: UserRow): PlatformAccount => ({
  id: account.id,
  platform_id: platform.id,
  platform_name: platform.name,
  platform_slug: platform.slug,
  platform_user_id: account.platform_user_id,
  is_oauth: platform.is_oauth,
  is_primary: account.id === user.primary_platform_account_id,
  username: account.username,
  email: account.email,
  avatar_url: account.avatar_url,
  created_at: iso(account.created_at),
  updated_at: iso(account.updated_at),
});

const selectAccounts = () =>
  db
    .select({ account: platformAccounts, platform: platforms })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id));

// --- Platform accounts ------------------------------------------------------------------------------------

/** A user's platform accounts, newest first. Throws 404 for an unknown user. */
export function listAccounts(userId: string): PlatformAccount[] {
  const user = existingUser(userId);
  return selectAccounts()
    .where(eq(platformAccounts.user_id, userId))
    .orderBy(desc(platformAccounts.id))
    .all()
    .map((row) => toPlatformAccount(row, user));
}

/** A user and one of its accounts, for the caller to change. Throws 404, 403 for a user who may do more. */
function changeableAccount(caller: Caller, userId: string, accountId: string): { user: UserRow; row: Row } {
  const user = activeUser(userId);
  checkOutranks(caller, userId);
  const row = selectAccounts()
    .where(and(eq(platformAccounts.id, accountId), eq(platformAccounts.user_id, userId)))
    .get();
  if (!row) throw notFound("Platform account");
  return { user, row };
}

/** Makes an account the primary one of its user. */
export function makePrimary(actor: Actor, userId: string, accountId: string): Promise<PlatformAccount> {
  return transactAs(actor, () => {
    const { user, row } = changeableAccount(actor.caller, userId, accountId);
    if (user.primary_platform_account_id === accountId) return toPlatformAccount(row, user);
    const changed = db
      .update(users)
      .set({ primary_platform_account_id: accountId, updated_at: now() })
      .where(eq(users.id, userId))
      .returning()
      .get();
    auditUserUpdate(userId, ["primary_platform_account_id"]);
    return toPlatformAccount(row, changed);
  });
}

/**
 * Unlinks an account. Throws 409 for the email account, the last one and the primary one (rule A8), and for the last way in.
 */
export function unlinkAccount(actor: Actor, userId: string, accountId: string): Promise<void> {
  return transactAs(actor, () => {
    const { user, row } = changeableAccount(actor.caller, userId, accountId);
    if (row.platform.slug === "email") throw conflict("The email account can't be unlinked");
    const other = and(eq(platformAccounts.user_id, userId), ne(platformAccounts.id, accountId));
    if (!db.select({ id: platformAccounts.id }).from(platformAccounts).where(other).limit(1).get())
      throw conflict("The last remaining account can't be unlinked");
    if (user.primary_platform_account_id === accountId)
      throw conflict("The primary account can't be unlinked; make another one primary first");
    db.delete(platformAccounts).where(eq(platformAccounts.id, accountId)).run();
    requireWayIn(userId);
    noteUnlinked(userId, row.platform.slug, row.account.platform_user_id);
    recordAudit({
      event_type: "account_unlinked",
      user_id: userId,
      resource_type: "platform_account",
      resource_id: accountId,
      metadata: { platform: row.platform.slug },
    });
    publishUnlinked(row);
  });
}

const publishUnlinked = ({ account, platform }: Row) =>
  publish("account.unlinked", {
    userId: account.user_id,
    platform: platform.slug,
    platformUserId: account.platform_user_id,
  });

/** Deletes all platform accounts of a user who is scrubbed, in the current transaction. */
export function eraseAccounts(userId: string): void {
  const rows = selectAccounts().where(eq(platformAccounts.user_id, userId)).all();
  db.delete(platformAccounts).where(eq(platformAccounts.user_id, userId)).run();
  for (const row of rows) publishUnlinked(row);
}

// --- The community ----------------------------------------------------------------------------------------

/** Slug of the platform that the community bot works on: the bot knows users by their accounts there. */
export const COMMUNITY_PLATFORM = "discord";

const communityAccounts = statement(() =>
  db
    .select({ id: platformAccounts.platform_user_id })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(and(eq(platformAccounts.user_id, placeholder("userId")), eq(platforms.slug, COMMUNITY_PLATFORM)))
    .orderBy(asc(platformAccounts.id))
    .prepare(),
);

/** Identifiers of a user on the community platform, oldest first; mostly one or none. */
export const communityIdsOf = (userId: string): string[] =>
  communityAccounts()
    .all({ userId })
    .map(({ id }) => id);

// --- Lookup by address ------------------------------------------------------------------------------------

/** Identifier of the user to whom an account on a platform is linked; null when it is linked to nobody. */
export function findUserByPlatform(slug: string, platformUserId: string): string | null {
  const row = db
    .select({ userId: platformAccounts.user_id })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(and(eq(platforms.slug, slug), eq(platformAccounts.platform_user_id, platformUserId)))
    .get();
  return row?.userId ?? null;
}

/**
 * The user known by an address. System keys and holders of `users:read` may ask for any address; a session
 * only for one of its own, and gets 403 for every other, known or not. Throws 404 for an unknown address.
 */
export function getUserByEmail(caller: Caller, address: string): ExtendedUser {
  const user = userByEmail(address.toLowerCase());
  const isOwn = caller.kind === "session" && user?.id === caller.userId;
  if (!isOwn && !isSystemKey(caller) && !caller.isSuperAdmin && !caller.permissions.has("users:read"))
    throw forbidden("Without the permission users:read, you can only ask for an address of your own");
  if (!user) throw notFound("User");
  return toExtendedUser(user);
}
