import { and, eq, isNull, ne } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { conflict, forbidden } from "../../kernel/errors/errors";
import { permissions, rolePermissions, userRoles } from "../roles/table";
import { users } from "../users/table";
import { activeBan } from "./active-ban";
import { type Caller, isSystemKey, SUPER_ADMIN, userAccess } from "./caller";
import type { Permission } from "./permissions";

/**
 * Permissions that every user holds and that concern the own account alone. A user with no others has nothing
 * to protect.
 */
const OWN_ACCOUNT_ONLY: readonly string[] = ["two_factor:read", "two_factor:write"] satisfies Permission[];

/**
 * Refuses to act on a user who may do more. Changing a user's email address, for example, is enough to take
 * the account over, with all its rights (rule R3). A session acts on its own user without restriction; a key
 * is held to its own permissions there too, or a narrow one could become its owner.
 */
export function checkOutranks(caller: Caller, userId: string): void {
  if (isSystemKey(caller) || (caller.kind === "session" && caller.userId === userId)) return;
  if (!outranks(caller, userId)) throw forbidden("This user holds permissions that you don't hold");
}

/** True if a caller with this access may act on the user. */
export function outranks(actor: ReturnType<typeof userAccess>, userId: string): boolean {
  if (actor.isSuperAdmin) return true;
  const target = userAccess(userId);
  const guarded = target.permissions.list().filter((permission) => !OWN_ACCOUNT_ONLY.includes(permission));
  return !target.isSuperAdmin && actor.permissions.hasAll(guarded);
}

/** Refuses a change that would leave the installation without a super admin who can sign in (rule R2). */
export function checkNotLastSuperAdmin(userId: string): void {
  if (isLastSuperAdmin(userId))
    throw conflict("This is the last super admin; give the role to somebody else first");
}

/** True for the only super admin who can sign in. */
export function isLastSuperAdmin(userId: string): boolean {
  if (!userAccess(userId).isSuperAdmin) return false;
  const others = db
    .select({ id: users.id })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.user_id))
    .where(and(eq(userRoles.role_id, SUPER_ADMIN), ne(users.id, userId), isNull(users.deleted_at)))
    .all();
  return !others.some(({ id }) => !activeBan(id));
}

const superAdmin = statement(() =>
  db
    .select({ id: users.id })
    .from(userRoles)
    .innerJoin(users, eq(users.id, userRoles.user_id))
    .where(and(eq(userRoles.role_id, SUPER_ADMIN), isNull(users.deleted_at)))
    .limit(1)
    .prepare(),
);

/** True if there is a super admin, banned or not. */
export const hasSuperAdmin = (): boolean => superAdmin().get() !== undefined;

/** Grants of a role: permissions and wildcards. */
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
 * Refuses to assign, remove, rename or delete a role unless the caller holds all that it grants (rule R2).
 * Otherwise somebody could empty a role, take it, have it filled again by others, and so gain its grants. The
 * super-admin role is reserved to its holders.
 */
export function checkHoldsRole(caller: Caller, roleId: string): void {
  if (holdsRole(caller, roleId)) return;
  throw forbidden(
    roleId === SUPER_ADMIN
      ? "Only a super admin can do this with the role Super Admin"
      : "This role grants permissions that you don't hold",
  );
}

/** True if somebody with this access holds all that a role grants, and so may give it. */
export const holdsRole = (
  { isSuperAdmin, permissions }: ReturnType<typeof userAccess>,
  roleId: string,
): boolean => isSuperAdmin || (roleId !== SUPER_ADMIN && permissions.hasAll(grantsOfRole(roleId)));
