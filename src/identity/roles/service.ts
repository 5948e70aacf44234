import { and, asc, desc, eq, exists, ne, notExists, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { conflict, forbidden, invalid, isUniqueViolation, notFound } from "../../kernel/errors/errors";
import { iso, madeNow, now } from "../../kernel/time/clock";
import { type Actor, transactAs } from "../access/actor";
import { accessChanged, type Caller, SUPER_ADMIN } from "../access/caller";
import { checkHoldsRole } from "../access/rank";
import { recordAudit } from "../audit/service";
import { requireRecentSignIn } from "../reauthentication/service";
import type { NewPermission, NewRole, Permission, PermissionAssignment, Role, RoleChange } from "./schema";
import { permissions, rolePermissions, roles, userRoles } from "./table";

type RoleRow = typeof roles.$inferSelect;
type PermissionRow = typeof permissions.$inferSelect;

declare module "../../kernel/db/events" {
  interface EventMap {
    /**
     * A role grants more or less than before. `affected` holds those whose rights changed: no other role of
     * theirs grants the same.
     */
    "role.permissions_changed": { roleId: string; roleName: string; holders: string[]; affected: string[] };
    /** Users hold other roles than before; those in `affected` have gained or lost rights. */
    "users.roles_changed": { userIds: string[]; affected: string[] };
  }
}

// --- Roles ------------------------------------------------------------------------------------------------

export const toRole = (row: RoleRow): Role => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** All roles, newest first. */
export const listRoles = (): Role[] =>
  db.select().from(roles).orderBy(desc(roles.created_at), asc(roles.id)).all().map(toRole);

export const getRole = (id: string): Role => toRole(existingRole(id));

function existingRole(id: string): RoleRow {
  const role = db.select().from(roles).where(eq(roles.id, id)).get();
  if (!role) throw notFound("Role");
  return role;
}

/** Limits on roles and permissions: a caller's rights are found by joining those of its roles. */
const MAX_ROLES = 200;
const MAX_PERMISSIONS = 500;

const nameTaken = () => conflict("A role with this name already exists");

export function createRole(actor: Actor, input: NewRole): Promise<Role> {
  return transactAs(actor, () => {
    if (listRoles().length >= MAX_ROLES)
      throw conflict(`There can be at most ${MAX_ROLES} roles; delete one first`);
    const row = {
      id: newId(),
      name: input.name,
      description: input.description ?? null,
      requires_two_factor: input.requires_two_factor ?? false,
      ...madeNow(),
    };
    try {
      db.insert(roles).values(row).run();
    } catch (error) {
      throw isUniqueViolation(error) ? nameTaken() : error;
    }
    auditRole("role_created", actor, row.id, {});
    return getRole(row.id);
  });
}

/**
 * Changes the given fields. Roles are assigned by name: if somebody could swap two names, others would
 * unknowingly assign the stronger role. A role that asks for two-factor authentication protects what it
 * grants. Throws 404, 403 for a role that came with Fairlead, for a new name and for an end of that demand
 * without holding all that the role grants, 409 for a name that is taken.
 */
export function updateRole(actor: Actor, id: string, input: RoleChange): Promise<Role> {
  return transactAs(actor, () => {
    const before = existingRole(id);
    if (before.is_system) checkHoldsRole(actor.caller, id);
    const change = {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.requires_two_factor !== undefined && { requires_two_factor: input.requires_two_factor }),
    };
    const changed = (Object.keys(change) as (keyof typeof change)[]).filter(
      (field) => change[field] !== before[field],
    );
    if (changed.length === 0) return toRole(before);
    const isLowered = before.requires_two_factor && change.requires_two_factor === false;
    if (changed.includes("name") || isLowered) checkHoldsRole(actor.caller, id);
    try {
      db.update(roles)
        .set({ ...change, updated_at: now() })
        .where(eq(roles.id, id))
        .run();
    } catch (error) {
      throw isUniqueViolation(error) ? nameTaken() : error;
    }
    auditRole("role_updated", actor, id, { changed });
    // Messages contain role names, so holders learn of the new one.
    if (changed.includes("name")) publish("users.roles_changed", { userIds: holdersOf(id), affected: [] });
    return getRole(id);
  });
}

/** Deletes a role; its holders lose it. Throws 404, 403 for one that came with Fairlead. */
export function deleteRole(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const role = existingRole(id);
    if (role.is_system) throw forbidden("A role that came with Fairlead cannot be deleted");
    checkHoldsRole(actor.caller, id);
    const holders = holdersOf(id);
    const affected = dependOn(id, null);
    db.delete(roles).where(eq(roles.id, id)).run();
    auditRole("role_deleted", actor, id, { name: role.name });
    roleChanged(holders);
    publish("users.roles_changed", { userIds: holders, affected });
  });
}

const holdersOf = (roleId: string): string[] =>
  db
    .select({ id: userRoles.user_id })
    .from(userRoles)
    .where(eq(userRoles.role_id, roleId))
    .all()
    .map(({ id }) => id);

/** Drops the cached callers that a role affects: its holders, and every key, since keys have roles too. */
function roleChanged(holders: string[]): void {
  const held = new Set(holders);
  accessChanged((caller) => caller.kind === "key" || held.has(caller.userId));
}

const auditRole = (
  event: "role_created" | "role_updated" | "role_deleted",
  actor: Actor,
  roleId: string,
  metadata: Record<string, unknown>,
) =>
  recordAudit({
    event_type: event,
    user_id: actor.caller.userId,
    resource_type: "role",
    resource_id: roleId,
    metadata,
  });

// --- Permissions of a role --------------------------------------------------------------------------------

export const toPermission = (row: PermissionRow): Permission => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Permissions of a role, by name. Throws 404. */
export function listRolePermissions(id: string): Permission[] {
  existingRole(id);
  return db
    .select({ permission: permissions })
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permission_id))
    .where(eq(rolePermissions.role_id, id))
    .orderBy(asc(permissions.resource), asc(permissions.action))
    .all()
    .map(({ permission }) => toPermission(permission));
}

/** Adds a permission to a role; twice is no error. Throws 404, 400, and 403 for one that the caller lacks. */
export async function addRolePermission(
  actor: Actor,
  id: string,
  { permission_id: permissionId, ...proof }: PermissionAssignment,
): Promise<void> {
  existingRole(id);
  await requireRecentSignIn(actor, null, proof);
  return transactAs(actor, () => {
    const role = existingRole(id);
    const permission = db.select().from(permissions).where(eq(permissions.id, permissionId)).get();
    if (!permission) throw invalid("/permission_id", "names no permission");
    const name = checkMayGrant(actor.caller, id, permission);
    const added = db
      .insert(rolePermissions)
      .values({ role_id: id, permission_id: permissionId })
      .onConflictDoNothing()
      .returning()
      .get();
    if (!added) return;
    auditRole("role_updated", actor, id, { permission_added: name });
    grantsChanged(role, permissionId);
  });
}

/**
 * Removes a permission from a role. Throws 404 when it isn't there, 403 for a permission that the caller
 * doesn't hold.
 */
export function removeRolePermission(actor: Actor, id: string, permissionId: string): Promise<void> {
  return transactAs(actor, () => {
    const role = existingRole(id);
    const removed = db
      .delete(rolePermissions)
      .where(and(eq(rolePermissions.role_id, id), eq(rolePermissions.permission_id, permissionId)))
      .returning()
      .get();
    if (!removed) throw notFound("Permission of this role");
    const name = checkMayGrant(actor.caller, id, getPermission(permissionId));
    auditRole("role_updated", actor, id, { permission_removed: name });
    grantsChanged(role, permissionId);
  });
}

/**
 * Checks that a caller may give a role a permission or take it away (rule R2). Otherwise somebody could empty
 * a role, take it, have it filled again by others, and so gain its grants. Returns the permission's name.
 * Throws 403.
 */
function checkMayGrant(
  caller: Caller,
  roleId: string,
  { resource, action }: Permission | PermissionRow,
): string {
  const name = `${resource}:${action}`;
  if (roleId === SUPER_ADMIN && !caller.isSuperAdmin)
    throw forbidden("Only a super admin can change this role");
  if (!caller.isSuperAdmin && !caller.permissions.has(name))
    throw forbidden("You can only add and remove permissions that you hold");
  return name;
}

/** Announces that a role grants a permission from now on, or no longer. */
function grantsChanged(role: RoleRow, permissionId: string): void {
  const holders = holdersOf(role.id);
  // Must come first: a caller who lost `admin:accounts` by this change must not receive the message there.
  roleChanged(holders);
  publish("role.permissions_changed", {
    roleId: role.id,
    roleName: role.name,
    holders,
    affected: dependOn(role.id, permissionId),
  });
}

/**
 * Holders of a role for whom no other role, wildcards included, grants one of its permissions, or the named
 * one: they lose rights without it. Never a super admin, who may do everything anyway.
 */
function dependOn(roleId: string, permissionId: string | null): string[] {
  const one = { one: sql`1` };
  const own = alias(rolePermissions, "own");
  const ofRole = db
    .select(one)
    .from(own)
    .where(and(eq(own.role_id, roleId), eq(own.permission_id, permissions.id)));

  const other = alias(userRoles, "other");
  const granting = alias(rolePermissions, "granting");
  const granted = alias(permissions, "granted");
  const covers = or(
    eq(granted.id, permissions.id),
    eq(granted.resource, "*"),
    and(eq(granted.resource, permissions.resource), eq(granted.action, "*")),
  );
  const remains = or(
    ne(other.role_id, roleId),
    permissionId === null ? undefined : ne(granted.id, permissionId),
  );
  const stillGranted = db
    .select(one)
    .from(other)
    .innerJoin(granting, eq(granting.role_id, other.role_id))
    .innerJoin(granted, eq(granted.id, granting.permission_id))
    .where(and(eq(other.user_id, userRoles.user_id), covers, remains));
  const inQuestion = permissionId === null ? exists(ofRole) : eq(permissions.id, permissionId);
  const lost = db
    .select(one)
    .from(permissions)
    .where(and(inQuestion, notExists(stillGranted)));

  const above = alias(userRoles, "above");
  const superAdmin = db
    .select(one)
    .from(above)
    .where(and(eq(above.user_id, userRoles.user_id), eq(above.role_id, SUPER_ADMIN)));
  return db
    .select({ id: userRoles.user_id })
    .from(userRoles)
    .where(and(eq(userRoles.role_id, roleId), exists(lost), notExists(superAdmin)))
    .all()
    .map(({ id }) => id);
}

// --- The catalogue ----------------------------------------------------------------------------------------

/** All permissions, in the order of their names. */
export const listPermissions = (): Permission[] =>
  db
    .select()
    .from(permissions)
    .orderBy(asc(permissions.resource), asc(permissions.action))
    .all()
    .map(toPermission);

export function getPermission(id: string): Permission {
  const row = db.select().from(permissions).where(eq(permissions.id, id)).get();
  if (!row) throw notFound("Permission");
  return toPermission(row);
}

/** Adds an operator's own permission, for roles and keys of other services. Throws 409. */
export function createPermission(actor: Actor, input: NewPermission): Promise<Permission> {
  return transactAs(actor, () => {
    if (listPermissions().length >= MAX_PERMISSIONS)
      throw conflict(`There can be at most ${MAX_PERMISSIONS} permissions`);
    const row = {
      id: newId(),
      resource: input.resource,
      action: input.action,
      description: input.description ?? null,
      ...madeNow(),
    };
    try {
      db.insert(permissions).values(row).run();
    } catch (error) {
      throw isUniqueViolation(error) ? conflict("This permission already exists") : error;
    }
    recordAudit({
      event_type: "permission_created",
      user_id: actor.caller.userId,
      resource_type: "permission",
      resource_id: row.id,
      metadata: { permission: `${row.resource}:${row.action}` },
    });
    return toPermission(row);
  });
}
