import type { Caller } from "../../identity/access/caller";
import { type Maker, makersRights } from "../../identity/access/maker";
import type { PermissionSet } from "../../identity/access/permissions";
import { forbidden } from "../../kernel/errors/errors";

/** The rights of a maker now; null if it is gone, banned or ended, or may not read alerts any more. */
export function rightsOf(maker: Maker): PermissionSet | null {
  const rights = makersRights(maker);
  return rights?.has("alerts:read") ? rights : null;
}

/** Refuses a caller who may not read alerts to say where they go. Throws 403. */
export function requireReader(caller: Caller): void {
  if (!caller.isSuperAdmin && !caller.permissions.has("alerts:read"))
    throw forbidden("This needs the permission alerts:read");
}
