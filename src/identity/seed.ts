import { sql } from "drizzle-orm";
import { newId } from "../kernel/crypto/id";
import { db } from "../kernel/db/connection";
import { madeNow } from "../kernel/time/clock";
import { SUPER_ADMIN } from "./access/caller";
import { PERMISSIONS } from "./access/permissions";
import { platforms } from "./platforms/table";
import { permissions, rolePermissions, roles } from "./roles/table";

/** The roles that come with Fairlead and their first permissions (rule H12). */
const ROLES: [id: string, name: string, description: string, holds: string[]][] = [
  [SUPER_ADMIN, "Super Admin", "Owner of the installation: may do everything", ["*:*"]],
  ["role_admin", "Admin", "May do everything except what only a super admin may", ["*:*"]],
  ["role_user", "User", "Every registered user", ["two_factor:read", "two_factor:write"]],
  ["role_moderator", "Moderator", "Looks after a community", ["two_factor:read", "two_factor:write"]],
  ["role_developer", "Developer", "Builds on the API", ["two_factor:read", "two_factor:write"]],
  ["role_api_read_only", "API Read Only", "For keys that only read", ["two_factor:read"]],
  ["role_system", "System", "For other services of the installation", ["*:*"]],
];

const PLATFORMS: [slug: string, name: string][] = [
  ["email", "Email"],
  ["discord", "Discord"],
  ["twitch", "Twitch"],
  ["youtube", "YouTube"],
  ["google", "Google"],
  ["github", "GitHub"],
];

/**
 * Inserts the records of every installation: platforms, roles, the permission catalogue. Roles and platforms
 * only into an empty database, since operators change them; permissions that a new version adds, always. Runs
 * inside a transaction.
 */
export function seedIdentity(): void {
  const stamps = madeNow();
  const known = permissionIds();
  for (const [name, description] of Object.entries({ "*:*": "Everything", ...PERMISSIONS })) {
    if (known.has(name)) continue;
    const at = name.indexOf(":");
    db.insert(permissions)
      .values({
        id: newId(),
        resource: name.slice(0, at),
        action: name.slice(at + 1),
        description,
        ...stamps,
      })
      .run();
  }
  if (db.select().from(roles).limit(1).get()) return;
  const idOf = permissionIds();
  for (const [id, roleName, description, holds] of ROLES) {
    db.insert(roles)
      .values({ id, name: roleName, description, is_system: true, ...stamps })
      .run();
    for (const permission of holds)
      db.insert(rolePermissions)
        .values({ role_id: id, permission_id: idOf.get(permission) as string })
        .run();
  }
  for (const [slug, platformName] of PLATFORMS)
    db.insert(platforms)
      .values({
        id: newId(),
        slug,
        name: platformName,
        is_oauth: slug !== "email",
        enabled: true,
        two_factor_supported: true,
        two_factor_required: false,
        registration_enabled: true,
        ...stamps,
      })
      .run();
}

/** The stored permissions, by name. */
function permissionIds(): Map<string, string> {
  const name = sql<string>`${permissions.resource} || ':' || ${permissions.action}`;
  const rows = db.select({ name, id: permissions.id }).from(permissions).all();
  return new Map(rows.map((row) => [row.name, row.id]));
}
