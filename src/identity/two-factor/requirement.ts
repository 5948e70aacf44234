import { and, eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { platformAccounts } from "../accounts/table";
import type { UserRow } from "../directory/users";
import { platformBySlug } from "../platforms/service";
import { platforms } from "../platforms/table";
import { roles, userRoles } from "../roles/table";
import { isTwoFactorOn } from "../two-factor-codes/service";
import type { TwoFactorRequirement } from "./schema";

/** Tells if a role or a platform of the user requires a second factor, and what to do about it. */
export function twoFactorRequirement(user: UserRow): TwoFactorRequirement {
  const byRoles = db
    .select({ name: roles.name })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.role_id))
    .where(and(eq(userRoles.user_id, user.id), eq(roles.requires_two_factor, true)))
    .orderBy(roles.name)
    .all()
    .map(({ name }) => name);
  const linked = db
    .select({
      name: platforms.name,
      required: platforms.two_factor_required,
      supported: platforms.two_factor_supported,
    })
    .from(platformAccounts)
    .innerJoin(platforms, eq(platforms.id, platformAccounts.platform_id))
    .where(eq(platformAccounts.user_id, user.id))
    .orderBy(platforms.name)
    .all();
  const byPlatforms = linked.filter(({ required }) => required).map(({ name }) => name);
  const enabled = isTwoFactorOn(user.id);
  const supporting = platformBySlug("email")?.two_factor_supported
    ? ""
    : linked.find(({ supported }) => supported)?.name;
  const canEnable = !enabled && supporting !== undefined;
  const required = byRoles.length > 0 || byPlatforms.length > 0;
  return {
    required,
    enabled,
    required_by_roles: byRoles,
    can_enable: canEnable,
    reason: reasonOf({ required, enabled, supporting, byRoles, byPlatforms }),
  };
}

interface Reasons {
  required: boolean;
  enabled: boolean;
  /** Platform for the set-up: empty for the default one, undefined where none of the user's supports it. */
  supporting: string | undefined;
  byRoles: string[];
  byPlatforms: string[];
}

/** Explanation for the user, with the next step. */
function reasonOf({ required, enabled, supporting, byRoles, byPlatforms }: Reasons): string {
  const list = (what: string, names: string[]) =>
    names.length === 0 ? [] : [`${what}${names.length === 1 ? "" : "s"} ${names.join(", ")}`];
  const sources = [...list("the role", byRoles), ...list("the platform", byPlatforms)].join(" and ");
  const why = required ? `Required by ${sources}` : "Not required";
  if (enabled) return `${why}; two-factor authentication is on`;
  if (supporting === undefined) return `${why}; no platform that you sign in with supports it`;
  const how = `with POST /v1/users/me/2fa/setup${supporting && ` and the platform_id of ${supporting}`}`;
  return required ? `${why}: set it up ${how}` : `${why}; it can be set up ${how}`;
}
