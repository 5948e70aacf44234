import { config } from "../../configuration/config";
import { userAccess } from "../access/caller";
import { platformBySlug } from "../platforms/service";
import { passwordHashOf } from "./service";

/** Sign-ins with a password, as far as `auth.password_login` lets them be. */

/**
 * True for a user who may sign in with a password. With `local_admins` those who may change users (`users:write`, which Admin and
 * Super Admin hold): they can mend the rest.
 */
export function mayUsePassword(userId: string): boolean {
  const who = config["auth.password_login"];
  if (who !== "local_admins") return who === "all";
  const { isSuperAdmin, permissions } = userAccess(userId);
  return isSuperAdmin || permissions.has("users:write");
}

/** True for a user who has a password, and may sign in with it now. */
export const canUsePassword = (userId: string): boolean =>
  passwordHashOf(userId) !== null && mayUsePassword(userId) && platformBySlug("email")?.enabled === true;
