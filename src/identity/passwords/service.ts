import { and, eq, isNull, placeholder } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { db, statement } from "../../kernel/db/connection";
import { platformAccounts } from "../accounts/table";
import { passwords } from "../auth/table";
import { platforms } from "../platforms/table";
import { users } from "../users/table";

/** Accounts of the email platform, which sign in with a password where they have one. */

/** The active user with an account of that platform, by a known column value; `hash` is null without a password. */
const activeBy = (column: SQLiteColumn) =>
  statement(() =>
    db
      .select({
        id: users.id,
        username: users.username,
        email: platformAccounts.email,
        locale: users.preferred_locale,
        hash: passwords.hash,
      })
      .from(users)
      .leftJoin(passwords, eq(passwords.user_id, users.id))
      .innerJoin(platformAccounts, eq(platformAccounts.user_id, users.id))
      .innerJoin(platforms, and(eq(platforms.id, platformAccounts.platform_id), eq(platforms.slug, "email")))
      .where(and(eq(column, placeholder("known")), isNull(users.deleted_at)))
      .limit(1)
      .prepare(),
  );

const activeByUsername = activeBy(users.username);

const activeByAddress = activeBy(platformAccounts.platform_user_id);

const activeById = activeBy(users.id);

/** The active user with this address on the email platform. */
export const accountByEmail = (email: string) => activeByAddress().get({ known: email });

/** The same by username, else by address. */
export const findAccount = (identifier: string) =>
  activeByUsername().get({ known: identifier }) ?? accountByEmail(identifier);

/** The hash of an active user's password; null for a user without one. */
export function passwordHashOf(userId: string): string | null {
  return activeById().get({ known: userId })?.hash ?? null;
}
