import { and, asc, eq, isNotNull, not, or, placeholder, sql } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { madeNow, now } from "../../kernel/time/clock";
import { platformAccounts } from "../accounts/table";
import { oidcIdentities } from "../oidc/table";
import { platforms } from "../platforms/table";
import { users } from "../users/table";
import type { UserRow } from "./users";

/** The platform accounts of users, and the addresses by which users are known. */

export type AccountRow = typeof platformAccounts.$inferSelect;

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

const emailAccountOf = statement(() =>
  db
    .select({ account: platformAccounts })
    .from(platformAccounts)
    .innerJoin(platforms, and(eq(platforms.id, platformAccounts.platform_id), eq(platforms.slug, "email")))
    .where(eq(platformAccounts.user_id, placeholder("userId")))
    .limit(1)
    .prepare(),
);

/** A user's account on the platform `email`, if any. */
export const emailAccount = (userId: string): AccountRow | undefined =>
  emailAccountOf().get({ userId })?.account;

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

/** True if a user can sign in through a platform other than `email`, or an OpenID provider. */
export const hasAccountElsewhere = (userId: string): boolean =>
  db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .where(and(eq(platformAccounts.user_id, userId), not(isOnEmailPlatform)))
    .limit(1)
    .get() !== undefined ||
  db
    .select({ id: oidcIdentities.id })
    .from(oidcIdentities)
    .where(eq(oidcIdentities.user_id, userId))
    .limit(1)
    .get() !== undefined;

/** Address for a user's email: the one signed in with, else one that a platform vouches for, else null. */
export const contactAddress = (user: UserRow): string | null =>
  emailAccount(user.id)?.email ?? knownAddress(user.id);

/** The oldest address by which a user is known; null when there is none. */
export function knownAddress(userId: string): string | null {
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
