import { eq } from "drizzle-orm";
import { now } from "../../kernel/clock";
import { adjustCounter, db } from "../../kernel/db";
import type { Client } from "../../kernel/http";
import { newId } from "../../kernel/id";
import { platformAccounts } from "../accounts/table";
import { recordAudit } from "../audit/service";
import { passwords } from "../auth/table";
import { platforms } from "../platforms/table";
import { userRoles } from "../roles/table";
import { users } from "./table";

/** 3 to 30 letters, digits and underscores; stored in lower case (Part 2). */
export const USERNAME = /^[A-Za-z0-9_]{3,30}$/;

/** The role that every user gets. */
const DEFAULT_ROLE = "role_user";

export interface UserToInsert {
  username: string;
  email: string;
  passwordHash: string;
  /** Identifiers of roles beside the default one. */
  roles?: string[];
}

/**
 * Stores a user who signs in with email and password, in the current transaction, with the audit event.
 * Breaks a UNIQUE constraint when the username or the address is taken.
 */
export function insertUser(
  user: UserToInsert,
  client?: Client,
): { id: string; username: string; email: string } {
  const id = newId();
  const accountId = newId();
  const stamps = { created_at: now(), updated_at: now() };
  const username = user.username.toLowerCase();
  const email = user.email.toLowerCase();
  const emailPlatform = db
    .select({ id: platforms.id })
    .from(platforms)
    .where(eq(platforms.slug, "email"))
    .get();
  if (!emailPlatform) throw new Error("the platform `email` is missing");
  db.insert(users)
    .values({ id, username, primary_platform_account_id: accountId, ...stamps })
    .run();
  db.insert(platformAccounts)
    .values({
      id: accountId,
      user_id: id,
      platform_id: emailPlatform.id,
      platform_user_id: email,
      username,
      email,
      ...stamps,
    })
    .run();
  db.insert(passwords).values({ user_id: id, hash: user.passwordHash, changed_at: now() }).run();
  for (const role of new Set([DEFAULT_ROLE, ...(user.roles ?? [])]))
    db.insert(userRoles).values({ user_id: id, role_id: role }).run();
  adjustCounter("users", 1);
  recordAudit({
    event_type: "user_created",
    user_id: id,
    resource_type: "user",
    resource_id: id,
    ...(client && { client }),
  });
  return { id, username, email };
}
