import { eq, placeholder } from "drizzle-orm";
import { activeBan } from "../../identity/access/active-ban";
import { type Caller, findKeyCaller, isSystemKey, userAccess } from "../../identity/access/caller";
import type { PermissionSet } from "../../identity/access/permissions";
import { users } from "../../identity/users/table";
import { db, statement } from "../../kernel/db/connection";
import { forbidden } from "../../kernel/errors/errors";

/** Whoever said where a target leads: it tells nothing that this one may not see. */
export interface Maker {
  user_id: string | null;
  api_key_id: string | null;
}

/** The maker that a caller is: the user, or a system key itself. */
export const makerOf = (caller: Caller): Maker =>
  isSystemKey(caller) || caller.userId === null
    ? { user_id: null, api_key_id: caller.id }
    : { user_id: caller.userId, api_key_id: null };

const deletedAt = statement(() =>
  db
    .select({ deleted_at: users.deleted_at })
    .from(users)
    .where(eq(users.id, placeholder("id")))
    .prepare(),
);

/** The rights of a maker now; null if it is gone, banned or ended, or may not read alerts any more. */
export function rightsOf({ user_id, api_key_id }: Maker): PermissionSet | null {
  const rights = user_id !== null ? rightsOfUser(user_id) : keyRights(api_key_id);
  return rights?.has("alerts:read") ? rights : null;
}

const rightsOfUser = (id: string): PermissionSet | null => {
  const user = deletedAt().get({ id });
  return user && user.deleted_at === null && !activeBan(id) ? userAccess(id).permissions : null;
};

const keyRights = (id: string | null): PermissionSet | null =>
  id === null ? null : (findKeyCaller(id)?.permissions ?? null);

/** Refuses a caller who may not read alerts to say where they go. Throws 403. */
export function requireReader(caller: Caller): void {
  if (!caller.isSuperAdmin && !caller.permissions.has("alerts:read"))
    throw forbidden("This needs the permission alerts:read");
}
