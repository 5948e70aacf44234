import { eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { users } from "../users/table";
import { activeBan } from "./active-ban";
import { type Caller, findKeyCaller, isSystemKey, userAccess } from "./caller";
import type { PermissionSet } from "./permissions";

/** Whoever made something that tells others: it tells nothing that this one may not see. */
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

/** True for a user who is neither deleted nor banned. */
export const isUserActive = (id: string): boolean =>
  deletedAt().get({ id })?.deleted_at === null && !activeBan(id);

/** The rights of a maker now; null if it is gone, banned or ended. */
export function makersRights({ user_id, api_key_id }: Maker): PermissionSet | null {
  if (user_id !== null) return isUserActive(user_id) ? userAccess(user_id).permissions : null;
  return api_key_id === null ? null : (findKeyCaller(api_key_id)?.permissions ?? null);
}
