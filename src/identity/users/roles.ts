import { and, asc, desc, eq, inArray } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { invalid, notFound } from "../../kernel/errors/errors";
import { type Actor, transactAs } from "../access/actor";
import { accessChanged, SUPER_ADMIN, userAccess } from "../access/caller";
import { PermissionSet } from "../access/permissions";
import { checkHoldsRole, checkNotLastSuperAdmin, isLastSuperAdmin } from "../access/rank";
import { recordAudit } from "../audit/service";
import { activeUser, existingUser } from "../directory/users";
import { requireRecentSignIn } from "../reauthentication/service";
import type { RoleAssignment } from "../roles/schema";
import { roles, userRoles } from "../roles/table";
import type { RoleList } from "./schema";

/** Permissions of a user by all roles held, wildcards unexpanded. */
export function userPermissions(id: string): string[] {
  existingUser(id);
  return userAccess(id).permissions.list();
}

export function userRoleList(id: string): RoleList {
  existingUser(id);
  const held = db
    .select({ id: roles.id, name: roles.name, description: roles.description })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.role_id))
    .where(eq(userRoles.user_id, id))
    .orderBy(desc(roles.created_at), asc(roles.id))
    .all();
  return { roles: held };
}

/**
 * Gives a user a role; twice is no error. Throws 400 for an unknown role, 403 for one that grants more than
 * the caller holds.
 */
export async function assignRole(
  actor: Actor,
  id: string,
  { role_id: roleId, ...proof }: RoleAssignment,
): Promise<void> {
  activeUser(id);
  await requireRecentSignIn(actor, null, proof);
  return transactAs(actor, () => {
    activeUser(id);
    if (!db.select({ id: roles.id }).from(roles).where(eq(roles.id, roleId)).get())
      throw invalid("/role_id", "names no role");
    checkHoldsRole(actor.caller, roleId);
    const before = userPermissions(id);
    const added = db
      .insert(userRoles)
      .values({ user_id: id, role_id: roleId })
      .onConflictDoNothing()
      .returning()
      .get();
    if (added) roleChanged("role_assigned", id, roleId, before);
  });
}

/**
 * Takes a role from a user. Throws 404 when the user doesn't hold it, 403 for one that grants more than the
 * caller holds.
 */
export function removeRole(actor: Actor, id: string, roleId: string): Promise<void> {
  return transactAs(actor, () => {
    activeUser(id);
    const held = and(eq(userRoles.user_id, id), eq(userRoles.role_id, roleId));
    if (!db.select().from(userRoles).where(held).get()) throw notFound("Role of this user");
    checkHoldsRole(actor.caller, roleId);
    if (roleId === SUPER_ADMIN) checkNotLastSuperAdmin(id);
    const before = userPermissions(id);
    db.delete(userRoles).where(held).run();
    roleChanged("role_removed", id, roleId, before);
  });
}

/**
 * Gives and takes roles as a provider tells, in the current transaction: of `mapped`, a user holds those in `held` afterwards, and
 * all others are left alone. The last super admin stays one. Returns the identifiers of roles that had to stay.
 */
export function setMappedRoles(
  userId: string,
  mapped: ReadonlySet<string>,
  held: ReadonlySet<string>,
  by: string,
): string[] {
  const own = new Set(userRoleList(userId).roles.map(({ id }) => id));
  const kept: string[] = [];
  for (const roleId of mapped) {
    if (own.has(roleId) === held.has(roleId)) continue;
    const before = userPermissions(userId);
    const row = and(eq(userRoles.user_id, userId), eq(userRoles.role_id, roleId));
    if (held.has(roleId)) db.insert(userRoles).values({ user_id: userId, role_id: roleId }).run();
    else if (roleId === SUPER_ADMIN && isLastSuperAdmin(userId)) {
      kept.push(roleId);
      continue;
    } else db.delete(userRoles).where(row).run();
    roleChanged(held.has(roleId) ? "role_assigned" : "role_removed", userId, roleId, before, { by });
  }
  return kept;
}

/** Identifiers of roles by their names; a name that no role has is left out. */
export const rolesNamed = (names: readonly string[]): Map<string, string> =>
  new Map(
    db
      .select({ name: roles.name, id: roles.id })
      .from(roles)
      .where(inArray(roles.name, [...names]))
      .all()
      .map(({ name, id }) => [name, id]),
  );

function roleChanged(
  event: "role_assigned" | "role_removed",
  userId: string,
  roleId: string,
  permissionsBefore: string[],
  metadata?: Record<string, unknown>,
): void {
  recordAudit({
    event_type: event,
    user_id: userId,
    resource_type: "role",
    resource_id: roleId,
    ...(metadata && { metadata }),
  });
  const isAffected = !new PermissionSet(permissionsBefore).grantsTheSameAs(userAccess(userId).permissions);
  accessChanged((affected) => affected.userId === userId);
  publish("users.roles_changed", { userIds: [userId], affected: isAffected ? [userId] : [] });
}
