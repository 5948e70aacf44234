import { and, eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { conflict, forbidden, invalid } from "../../kernel/errors/errors";
import { hrefOf } from "../../kernel/http/web-address";
import { now } from "../../kernel/time/clock";
import { activeBan } from "../access/active-ban";
import { type Actor, transactFor } from "../access/actor";
import { recordAudit } from "../audit/service";
import { insertAccount, isAddressProved, userByEmail } from "../directory/accounts";
import { insertUserWithAccount } from "../directory/new-user";
import { existingUser, isUsernameTaken, type UserRow } from "../directory/users";
import {
  checkLoginEnabled,
  checkRegistrationEnabled,
  type PlatformRow,
  platformBySlug,
} from "../platforms/service";
import type { ExtendedUser } from "../users/schema";
import { toExtendedUser } from "../users/service";
import { users } from "../users/table";
import { isNameHeld } from "../verification/service";
import type { ExternalLogin } from "./schema";
import { platformAccounts } from "./table";
import { usernameCandidates } from "./username";

/**
 * Records a sign-in through an external provider, which the caller has checked: updates the account, else
 * links it to the user known by the address, else creates a user. An address identifies a user only when a
 * platform vouches for it, on both sides (rule A9): a mere claim would be enough to take over somebody else's
 * account otherwise.
 *
 * Throws 400 for an unknown platform and where registration is off, 403 for a platform that is off and for a
 * deleted user, 409 for an address that is known but not vouched for or not proved, or that belongs to a
 * deleted user.
 */
export function upsertExternalLogin(actor: Actor, input: ExternalLogin): Promise<ExtendedUser> {
  return transactFor(actor, () => {
    const platform = platformBySlug(input.oauthProvider);
    if (!platform?.is_oauth) throw invalid("/oauthProvider", "names no external platform");
    checkLoginEnabled(platform.slug);
    const id = updateAccount(platform, input) ?? linkAccount(platform, input) ?? createUser(platform, input);
    noteLogin(id, platform);
    return toExtendedUser(existingUser(id));
  });
}

/** The address of a sign-in, with the flag that says if it identifies a user. */
const addressOf = (input: ExternalLogin) => ({
  email: input.email?.toLowerCase() ?? null,
  email_verified: Boolean(input.email) && input.email_verified !== false,
});

/** Brings a known account up to date and returns its user. */
function updateAccount(platform: PlatformRow, input: ExternalLogin): string | undefined {
  const account = db
    .select()
    .from(platformAccounts)
    .where(
      and(
        eq(platformAccounts.platform_id, platform.id),
        eq(platformAccounts.platform_user_id, input.oauthProviderId),
      ),
    )
    .get();
  if (!account) return undefined;
  const user = existingUser(account.user_id);
  if (user.deleted_at !== null) throw forbidden("This account was deleted");

  const reported: Partial<typeof account> = { username: input.name };
  if (input.email !== undefined && !belongsToAnother(input, user)) Object.assign(reported, addressOf(input));
  if (input.image !== undefined && user.avatars_enabled) reported.avatar_url = hrefOf(input.image);
  const changed = (Object.keys(reported) as (keyof typeof account)[]).filter(
    (field) => reported[field] !== account[field],
  );
  if (changed.length === 0) return user.id;
  const time = now();
  db.update(platformAccounts)
    .set({ ...reported, updated_at: time })
    .where(eq(platformAccounts.id, account.id))
    .run();
  db.update(users).set({ updated_at: time }).where(eq(users.id, user.id)).run();
  recordAudit({
    event_type: "user_updated",
    user_id: user.id,
    resource_type: "platform_account",
    resource_id: account.id,
    metadata: { platform: platform.slug, changed },
  });
  return user.id;
}

/** True if another user is known by the address: an account must not take it over. */
function belongsToAnother(input: ExternalLogin, user: UserRow): boolean {
  const { email } = addressOf(input);
  const owner = email === null ? undefined : userByEmail(email);
  return owner !== undefined && owner.id !== user.id;
}

/** Links a new account to the user known by its address, if any, and returns that user's identifier. */
function linkAccount(platform: PlatformRow, input: ExternalLogin): string | undefined {
  const { email, email_verified } = addressOf(input);
  const owner = email === null ? undefined : userByEmail(email);
  if (!owner) return undefined;
  if (owner.deleted_at !== null) throw conflict("This address belongs to an account that was deleted");
  if (!email_verified) throw conflict("This address is in use, and the platform doesn't vouch for it");
  // Otherwise an administrator could give a user one of their own addresses, and sign in as that user.
  if (email === null || !isAddressProved(owner.id, email))
    throw conflict("This address is in use, and its user hasn't proved yet that it is theirs");
  // This user signs in to the platform with another account already.
  if (hasAccountOn(platform, owner.id))
    throw conflict("The user with this address has another account on this platform");
  const accountId = insertAccount(owner.id, accountFrom(platform, input, owner.avatars_enabled));
  recordAudit({
    event_type: "account_linked",
    user_id: owner.id,
    resource_type: "platform_account",
    resource_id: accountId,
    metadata: { platform: platform.slug },
  });
  return owner.id;
}

const hasAccountOn = (platform: PlatformRow, userId: string): boolean =>
  db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .where(and(eq(platformAccounts.platform_id, platform.id), eq(platformAccounts.user_id, userId)))
    .get() !== undefined;

function createUser(platform: PlatformRow, input: ExternalLogin): string {
  checkRegistrationEnabled(platform.slug);
  return insertUserWithAccount(freeUsername(input.name), accountFrom(platform, input, true), []).id;
}

function accountFrom(platform: PlatformRow, input: ExternalLogin, withAvatar: boolean) {
  const { email, email_verified } = addressOf(input);
  return {
    slug: platform.slug,
    platformUserId: input.oauthProviderId,
    username: input.name,
    email,
    emailVerified: email_verified,
    avatarUrl: withAvatar ? (hrefOf(input.image) ?? null) : null,
  };
}

/** A username from a name that no user has and no pending registration reserves. */
export function freeUsername(name: string): string {
  const isTaken = (username: string) => isUsernameTaken(username) || isNameHeld(username);
  const candidates = usernameCandidates(name);
  let username = candidates.next().value;
  while (isTaken(username)) username = candidates.next().value;
  return username;
}

/** A banned user is reported, not signed in: the caller sees `is_banned`, and no session can be opened. */
function noteLogin(userId: string, platform: PlatformRow): void {
  if (activeBan(userId)) return;
  db.update(users)
    .set({ last_login_at: now(), last_login_provider: platform.slug })
    .where(eq(users.id, userId))
    .run();
}
