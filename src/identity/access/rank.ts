import { and, eq, isNull, ne } from "drizzle-orm";
import { db } from "../../kernel/db";
import { conflict, forbidden } from "../../kernel/errors";
import { activeBan } from "../bans/active-ban";
import { permissions, rolePermissions, userRoles } from "../roles/table";
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

/** What a role grants: permissions and wildcards. */
export function grantsOfRole(roleId: string): string[] {
  return db
    .select({ resource: permissions.resource, action: permissions.action })
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permission_id))
    .where(eq(rolePermissions.role_id, roleId))
    .all()
    .map(({ resource, action }) => `${resource}:${action}`);
}

/**
 * Refuses to hand a role out, to take it away or to delete it without holding all that it grants (decisions 3.9): who
 * could empty a role, take it and have it filled again by somebody else, would gain what it granted. The super-admin
 * role is its holders' own affair.
 */
export function checkHoldsRole(caller: Caller, roleId: string): void {
  if (caller.isSuperAdmin) return;
  if (roleId === SUPER_ADMIN) throw forbidden("Only a super admin can do this with the role Super Admin");
  if (!caller.permissions.hasAll(grantsOfRole(roleId)))
    throw forbidden("This role grants permissions that you don't hold");
}
