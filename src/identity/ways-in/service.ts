import { and, eq, ne } from "drizzle-orm";
import { providers } from "../../configuration/config";
import { db } from "../../kernel/db/connection";
import { conflict } from "../../kernel/errors/errors";
import { platformAccounts } from "../accounts/table";
import { oidcIdentities } from "../oidc/table";
import { canUsePassword } from "../passwords/allowed";
import { platforms } from "../platforms/table";
import { passkeysOf } from "../webauthn/assertions";
import { relyingParty } from "../webauthn/relying-party";

/** A way by which a user can sign in now. `id` is that of the record behind it; a password has none. */
export interface WayIn {
  kind: "password" | "platform" | "identity" | "passkey";
  id: string | null;
}

/** The ways by which a user can sign in now: by what the account has, and what is switched on here. A further way goes here. */
export function waysIn(userId: string): WayIn[] {
  const onPlatforms = db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(
      and(eq(platformAccounts.user_id, userId), ne(platforms.slug, "email"), eq(platforms.enabled, true)),
    )
    .all();
  const identities = db
    .select({ id: oidcIdentities.id, issuer: oidcIdentities.issuer })
    .from(oidcIdentities)
    .where(eq(oidcIdentities.user_id, userId))
    .all();
  return [
    ...(canUsePassword(userId) ? [{ kind: "password", id: null } as const] : []),
    ...onPlatforms.map(({ id }) => ({ kind: "platform", id }) as const),
    ...identities
      .filter(({ issuer }) => providers.some((provider) => isSameIssuer(provider.issuer, issuer)))
      .map(({ id }) => ({ kind: "identity", id }) as const),
    ...(relyingParty() ? passkeysOf(userId) : []).map(({ id }) => ({ kind: "passkey", id }) as const),
  ];
}

/** Issuers are URLs, and one without a path may be written without its slash. */
const isSameIssuer = (configured: string, told: string): boolean =>
  URL.parse(configured)?.href === URL.parse(told)?.href;

/**
 * Refuses what would shut a user out, in the current transaction, after it has taken a way in away. Throws 409; the
 * transaction takes it back.
 */
export function requireWayIn(userId: string): void {
  if (waysIn(userId).length === 0)
    throw conflict("This is the last way in: without it nobody could sign in to the account any more");
}
