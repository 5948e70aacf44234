import { and, eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { permissions } from "../roles/table";

/** Scopes that say who the user is (OpenID Connect Core 1.0, sections 5.4 and 11). They need no approval. */
export const IDENTITY_SCOPES = ["openid", "profile", "email", "offline_access"] as const;

const known = statement(() =>
  db
    .select({ description: permissions.description })
    .from(permissions)
    .where(
      and(eq(permissions.resource, placeholder("resource")), eq(permissions.action, placeholder("action"))),
    )
    .prepare(),
);

/** The description of a single permission of the catalogue; undefined for a wildcard, and for what isn't in it. */
export function describePermission(scope: string): string | undefined {
  const at = scope.indexOf(":");
  if (at === -1 || scope.includes("*")) return undefined;
  const found = known().get({ resource: scope.slice(0, at), action: scope.slice(at + 1) });
  return found && (found.description ?? scope);
}

/** True for a scope that stands for a permission, so that an administrator has to approve it for a client. */
export const isPermissionScope = (scope: string): boolean => describePermission(scope) !== undefined;
