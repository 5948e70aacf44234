import { getTableColumns } from "drizzle-orm";
import { sqlite, statement } from "../../kernel/db/connection";
import { badRequest, notFound } from "../../kernel/errors/errors";
import type { Caller } from "../access/caller";
import { recordAudit } from "../audit/service";
import { users } from "../users/table";

/**
 * Users by identifier and name, for everything that deals with people. Raw SQL: nearly every request of a
 * user's own reads one.
 */

export type UserRow = typeof users.$inferSelect;

/** 3 to 30 letters, digits and underscores; stored in lower case (rule A1). */
export const USERNAME = /^[A-Za-z0-9_]{3,30}$/;

/** Stored rows keep flags as numbers. */
type StoredRow = { [K in keyof UserRow]: UserRow[K] extends boolean ? number : UserRow[K] };

const BY_ID = `SELECT ${Object.keys(getTableColumns(users)).join()} FROM users WHERE id = ?`;

const userById = statement(() => sqlite.prepare<StoredRow, [string]>(BY_ID));

/** A user, deleted or not; undefined when there is none. */
export function findUser(id: string): UserRow | undefined {
  const row = userById().get(id);
  if (!row) return undefined;
  return {
    ...row,
    privacy_mode: row.privacy_mode === 1,
    avatars_enabled: row.avatars_enabled === 1,
    scrub_pending: row.scrub_pending === 1,
  };
}

/** A user, deleted or not. Throws 404. */
export function existingUser(id: string): UserRow {
  const user = findUser(id);
  if (!user) throw notFound("User");
  return user;
}

/** A user who is not deleted: a deleted one can't be changed. Throws 404. */
export function activeUser(id: string): UserRow {
  const user = existingUser(id);
  if (user.deleted_at !== null) throw notFound("User");
  return user;
}

const userByName = statement(() =>
  sqlite.prepare<{ id: string }, [string]>("SELECT id FROM users WHERE username = ?"),
);

export function isUsernameTaken(username: string): boolean {
  return userByName().get(username) !== null;
}

/** Identifier of the owner of a session or a key. Throws 400 for a system key without an owner (rule C5). */
export function ownId(caller: Caller): string {
  if (caller.userId === null) throw badRequest("This system key belongs to no user");
  return caller.userId;
}

/** Records the names of changed fields in the audit log, if any; never the values, which are personal. */
export function auditUserUpdate(id: string, changed: string[]): void {
  if (changed.length === 0) return;
  recordAudit({
    event_type: "user_updated",
    user_id: id,
    resource_type: "user",
    resource_id: id,
    metadata: { changed },
  });
}
