import { eq } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter } from "../../kernel/db/counters";
import { madeNow, now } from "../../kernel/time/clock";
import { recordAudit } from "../audit/service";
import { passwords } from "../auth/table";
import { userRoles } from "../roles/table";
import { users } from "../users/table";
import { type AccountToInsert, insertAccount } from "./accounts";

/** Storing new users. */

/** The role that every user gets. */
const DEFAULT_ROLE = "role_user";

export interface UserToInsert {
  username: string;
  email: string;
  /** Null for a user who signs in by other means. */
  passwordHash: string | null;
  /** Identifiers of roles beside the default one. */
  roles?: string[];
  /** False for an address that nobody has proved; true by default. */
  isProved?: boolean;
}

/**
 * Stores a user with an email address and a password, if any, in the current transaction, with the audit event.
 * Breaks a UNIQUE constraint when the username or the address is taken.
 */
export function insertUser(user: UserToInsert): { id: string; username: string; email: string } {
  const username = user.username.toLowerCase();
  const email = user.email.toLowerCase();
  const { id } = insertUserWithAccount(
    username,
    { slug: "email", platformUserId: email, username, email, emailVerified: user.isProved ?? true },
    user.roles ?? [],
  );
  if (user.passwordHash !== null)
    db.insert(passwords).values({ user_id: id, hash: user.passwordHash, changed_at: now() }).run();
  return { id, username, email };
}

/** Stores a user with its first platform account, in the current transaction. */
export function insertUserWithAccount(
  username: string,
  account: AccountToInsert,
  roleIds: string[],
): { id: string; accountId: string } {
  const id = newId();
  db.insert(users)
    .values({ id, username, ...madeNow() })
    .run();
  const accountId = insertAccount(id, account);
  db.update(users).set({ primary_platform_account_id: accountId }).where(eq(users.id, id)).run();
  for (const role of new Set([DEFAULT_ROLE, ...roleIds]))
    db.insert(userRoles).values({ user_id: id, role_id: role }).run();
  adjustCounter("users", 1);
  recordAudit({
    event_type: "user_created",
    user_id: id,
    resource_type: "user",
    resource_id: id,
    metadata: { platform: account.slug },
  });
  return { id, accountId };
}
