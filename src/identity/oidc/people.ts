import { eq } from "drizzle-orm";
import type { Provider } from "../../configuration/provider-options";
import { db } from "../../kernel/db/connection";
import { mayLog } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { now } from "../../kernel/time/clock";
import { activeBan } from "../access/active-ban";
import type { AnyActor } from "../access/actor";
import { freeUsername } from "../accounts/external-login";
import { isAddressProved, userByEmail } from "../directory/accounts";
import { insertBareUser, insertUserWithAccount } from "../directory/new-user";
import { findUser } from "../directory/users";
import { rolesNamed, setMappedRoles } from "../users/roles";
import type { Claims } from "./claims";
import { findIdentity, hasIdentityAt, insertIdentity, tellOfIdentity } from "./identities";
import { wayOf } from "./providers";
import { SignInRefused } from "./refusals";
import { oidcIdentities } from "./table";

/** Finds, links or makes the user whom a provider tells of. All of it runs in the transaction of the sign-in. */

/** The user whose sign-in this is, with the roles that the provider gives. Throws SignInRefused. */
export function userOf(actor: AnyActor, provider: Provider, claims: Claims): string {
  const identity = findIdentity(claims.issuer, claims.subject);
  const userId = identity?.user_id ?? linkByAddress(actor, provider, claims) ?? register(provider, claims);
  requireActive(userId);
  db.update(oidcIdentities)
    .set({ provider: provider.name, label: claims.label, last_used_at: now() })
    .where(eq(oidcIdentities.id, findIdentity(claims.issuer, claims.subject)?.id ?? ""))
    .run();
  applyRoles(provider, userId, claims);
  return userId;
}

/** Refuses a user who may not sign in. Throws SignInRefused. */
export function requireActive(userId: string): void {
  if (findUser(userId)?.deleted_at !== null) throw new SignInRefused("deleted", null, userId);
  if (activeBan(userId)) throw new SignInRefused("banned", null, userId);
}

/**
 * The user who has proved the address that a trusted provider has proved too: on one side alone it would let whoever claims it
 * into the account (rule A12). Links the identity. Null where nobody has the address, or the provider isn't trusted with it.
 */
function linkByAddress(actor: AnyActor, provider: Provider, claims: Claims): string | null {
  const { email } = claims;
  const owner = email === null ? undefined : userByEmail(email);
  if (!owner || email === null) return null;
  const refuse = (detail: string): SignInRefused =>
    // Without an account to be made, a stranger would learn which addresses are known here.
    new SignInRefused(provider.allow_registration ? "address_taken" : "not_registered", detail);
  if (!provider.trust_email) throw refuse("address known, trust_email off");
  if (!claims.isEmailVerified) throw refuse("address known, not verified by the provider");
  if (owner.deleted_at !== null) throw new SignInRefused("deleted", "address of a deleted account", owner.id);
  if (!isAddressProved(owner.id, email))
    throw new SignInRefused("address_taken", "address known, not proved here", owner.id);
  // An address may have got another owner there.
  if (hasIdentityAt(owner.id, claims.issuer))
    throw new SignInRefused("address_taken", "its user has another identity at this provider", owner.id);
  if (activeBan(owner.id)) throw new SignInRefused("banned", null, owner.id);
  insertIdentity(owner.id, { ...claims, provider: provider.name });
  tellOfIdentity(owner.id, provider.name, actor.client.acceptLanguage);
  return owner.id;
}

/** Makes an account without a password. Its address is kept where the provider is trusted to have proved it. */
function register(provider: Provider, claims: Claims): string {
  if (!provider.allow_registration) throw new SignInRefused("not_registered");
  const username = freeUsername(claims.name ?? "user");
  const { email } = claims;
  const way = wayOf(provider);
  const isProved = provider.trust_email && claims.isEmailVerified && email !== null;
  const userId = isProved
    ? insertUserWithAccount(username, { slug: "email", platformUserId: email, username, email }, [], way).id
    : insertBareUser(username, way);
  insertIdentity(userId, { ...claims, provider: provider.name });
  return userId;
}

/** Gives and takes the roles of `role_map`. A name that no role has gives nothing, and is logged. */
function applyRoles(provider: Provider, userId: string, { groups }: Claims): void {
  if (provider.role_map.length === 0) return;
  const known = rolesNamed(provider.role_map.map(([, role]) => role));
  for (const [, role] of provider.role_map)
    if (!known.has(role) && mayLog(`role ${role}`))
      log.warn("oidc role_map names a role that does not exist", { provider: provider.name, role });
  if (groups === null && mayLog(`groups of ${provider.name}`))
    log.warn("a provider tells nothing of groups: check groups_claim and scopes", {
      provider: provider.name,
      claim: provider.groups_claim,
    });
  const granted = provider.role_map.filter(([group]) => groups?.has(group)).map(([, role]) => role);
  const kept = setMappedRoles(
    userId,
    new Set(known.values()),
    new Set(granted.flatMap((role) => known.get(role) ?? [])),
    wayOf(provider),
  );
  if (kept.length > 0)
    log.warn("the last super admin keeps the role, which the provider does not give", {
      provider: provider.name,
      user_id: userId,
    });
}
