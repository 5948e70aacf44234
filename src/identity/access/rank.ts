import { and, eq, isNull, ne } from "drizzle-orm";
import { db } from "../../kernel/db";
import { conflict, forbidden } from "../../kernel/errors";
import { activeBan } from "../bans/active-ban";
import { userRoles } from "../roles/table";
import { users } from "../users/table";
import { type Caller, isSystemKey, SUPER_ADMIN, userAccess } from "./caller";
import type { Permission } from "./permissions";

/** What every user holds and what concerns the own account alone: who holds no more has nothing to be taken. */
const OWN_ACCOUNT_ONLY: readonly string[] = ["two_factor:read", "two_factor:write"] satisfies Permission[];

/**
 * Refuses to act on somebody who may do more: who changes a user's email address, for example, can take the
 * account over, and with it what that user may do (decisions 3.9). A session acts on its own user as it likes; a key
 * is held to its own permissions there too, or a narrow one could become its owner.
 */
export function checkOutranks(caller: Caller, userId: string): void {
  if (isSystemKey(caller) || (caller.kind === "session" && caller.userId === userId)) return;
  if (!outranks(caller, userId)) throw forbidden("This user holds permissions that you don't hold");
}

/** Whether somebody with this access may act on a user. */
export function outranks(actor: ReturnType<typeof userAccess>, userId: string): boolean {
  if (actor.isSuperAdmin) return true;
  const target = userAccess(userId);
  const guarded = target.permissions.list().filter((permission) => !OWN_ACCOUNT_ONLY.includes(permission));
  return !target.isSuperAdmin && actor.permissions.hasAll(guarded);
}

/** Refuses what would leave the installation without a super admin who can sign in (decisions 3.9). */
export function checkNotLastSuperAdmin(userId: string): void {
  if (!userAccess(userId).isSuperAdmin) return;
  const others = db
    .select({ id: users.id })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.user_id))
    .where(and(eq(userRoles.role_id, SUPER_ADMIN), ne(users.id, userId), isNull(users.deleted_at)))
    .all();
  if (!others.some(({ id }) => !activeBan(id)))
    throw conflict("This is the last super admin; give the role to somebody else first");
}
