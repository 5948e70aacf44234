import { and, eq, ne } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { conflict } from "../../kernel/errors/errors";
import { passwordHashOf } from "../passwords/service";
import { platformBySlug } from "../platforms/service";
import { platforms } from "../platforms/table";
import { passkeysOf } from "../webauthn/assertions";
import { platformAccounts } from "./table";

/** A way by which a user can sign in now. `id` is that of the record behind it; a password has none. */
export interface WayIn {
  kind: "password" | "platform" | "passkey";
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
  const canUsePassword = passwordHashOf(userId) !== null && platformBySlug("email")?.enabled === true;
  return [
    ...(canUsePassword ? [{ kind: "password", id: null } as const] : []),
    ...onPlatforms.map(({ id }) => ({ kind: "platform", id }) as const),
    ...passkeysOf(userId).map(({ id }) => ({ kind: "passkey", id }) as const),
  ];
}

/**
 * Refuses what would shut a user out, in the current transaction, after it has taken a way in away. Throws 409; the
 * transaction takes it back.
 */
export function requireWayIn(userId: string): void {
  if (waysIn(userId).length === 0)
    throw conflict("This is the last way in: without it nobody could sign in to the account any more");
}
