import { and, eq, isNull } from "drizzle-orm";
import { iso, now } from "../../kernel/clock";
import { hashPassword, needsRehash, verifyPassword } from "../../kernel/crypto";
import { db, transact } from "../../kernel/db";
import { AppError } from "../../kernel/errors";
import type { Client } from "../../kernel/http";
import type { SessionCaller } from "../access/caller";
import { platformAccounts } from "../accounts/table";
import { recordAudit } from "../audit/service";
import { platforms } from "../platforms/table";
import { endSession, insertSession } from "../sessions/service";
import { users } from "../users/table";
import type { AuthResponse, LoginInput } from "./schema";
import { passwords } from "./table";

const wrongCredentials = () => new AppError("Unauthorized", "The identifier or the password is wrong");

/**
 * Signs in with username or email address and password. An unknown identifier, an account without a password
 * and a wrong password answer alike and take equal time. Every attempt leaves an audit event.
 */
export async function login(input: LoginInput, client: Client): Promise<AuthResponse> {
  const account = findAccount(input.identifier.toLowerCase());
  const matches = await verifyPassword(account?.hash ?? null, input.password);
  if (!account || !matches) {
    await transact(() => {
      recordAudit({
        event_type: "login_failed",
        user_id: account?.id ?? null,
        status: "failure",
        error_message: account ? "wrong password" : "unknown identifier",
        client,
      });
    });
    throw wrongCredentials();
  }
  const renewed = needsRehash(account.hash) ? await hashPassword(input.password) : null;
  return transact(() => {
    // The account may have been deleted or its password changed while the hash was computed.
    if (findAccount(account.username)?.hash !== account.hash) throw wrongCredentials();
    if (renewed) db.update(passwords).set({ hash: renewed }).where(eq(passwords.user_id, account.id)).run();
    db.update(users).set({ last_login_at: now() }).where(eq(users.id, account.id)).run();
    const session = insertSession(account.id, "email", client);
    recordAudit({
      event_type: "login",
      user_id: account.id,
      resource_type: "session",
      resource_id: session.id,
      metadata: { provider: "email" },
      client,
    });
    return {
      user_id: account.id,
      email: account.email ?? "",
      username: account.username,
      session_token: session.token,
      session_id: session.id,
      expires_at: iso(session.expiresAt),
      provider: "email",
      requires_2fa: false,
      preferred_locale: account.locale,
    };
  });
}

/** The active user with this username, else with this address on the email platform, who has a password. */
function findAccount(identifier: string) {
  const find = (condition: ReturnType<typeof eq>) =>
    db
      .select({
        id: users.id,
        username: users.username,
        email: platformAccounts.email,
        locale: users.preferred_locale,
        hash: passwords.hash,
      })
      .from(users)
      .innerJoin(passwords, eq(passwords.user_id, users.id))
      .innerJoin(platformAccounts, eq(platformAccounts.user_id, users.id))
      .innerJoin(platforms, and(eq(platforms.id, platformAccounts.platform_id), eq(platforms.slug, "email")))
      .where(and(condition, isNull(users.deleted_at)))
      .limit(1)
      .get();
  return find(eq(users.username, identifier)) ?? find(eq(platformAccounts.platform_user_id, identifier));
}

/** Ends the session that made the request, and no other. */
export function logout(caller: SessionCaller, client: Client): Promise<void> {
  return transact(() => {
    endSession(caller.id);
    recordAudit({
      event_type: "logout",
      user_id: caller.userId,
      resource_type: "session",
      resource_id: caller.id,
      metadata: { reason: "user_initiated", session_id: caller.id },
      client,
    });
  });
}
