import { and, eq, ne } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { conflict } from "../../kernel/errors/errors";
import { passwordHashOf } from "../passwords/service";
import { platformBySlug } from "../platforms/service";
import { platforms } from "../platforms/table";
import { hasPasskey } from "../webauthn/assertions";
import { platformAccounts } from "./table";

/** A kind of way in which a user can sign in now. */
export type WayIn = "password" | "platform" | "passkey";

/** Each way in, and who has it. A further one goes here, and nowhere else. */
const WAYS: Record<WayIn, (userId: string) => boolean> = {
  password: (userId) => passwordHashOf(userId) !== null && platformBySlug("email")?.enabled === true,
  platform: hasLinkedPlatform,
  passkey: hasPasskey,
};

function hasLinkedPlatform(userId: string): boolean {
  const isOwn = and(
    eq(platformAccounts.user_id, userId),
    ne(platforms.slug, "email"),
    eq(platforms.enabled, true),
  );
  const account = db
    .select({ id: platformAccounts.id })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(isOwn)
    .limit(1)
    .get();
  return account !== undefined;
}

/** The ways in which a user can sign in: by what the account has, and what is switched on here. */
export const waysIn = (userId: string): Set<WayIn> =>
  new Set((Object.keys(WAYS) as WayIn[]).filter((way) => WAYS[way](userId)));

/**
 * Refuses what would shut a user out, in the current transaction, after it has taken a way in away. Throws 409; the
 * transaction takes it back.
 */
export function requireWayIn(userId: string): void {
  if (waysIn(userId).size === 0)
    throw conflict("This is the last way in: without it nobody could sign in to the account any more");
}
