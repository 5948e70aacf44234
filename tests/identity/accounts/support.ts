import { externalLogin, signInExternally } from "../../support/people";
import { rows } from "../../support/rows";
import type { TestServer } from "../../support/server";

/** Links an account on another platform to a user by the address; returns its identifier. */
export async function link(server: TestServer, user: { id: string; email: string }, oauthProvider: string) {
  const body = externalLogin({ email: user.email, oauthProvider });
  await signInExternally(server, body);
  const [row] = rows<{ id: string }>(
    server,
    "SELECT id FROM platform_accounts WHERE user_id = ? AND platform_user_id = ?",
    user.id,
    body.oauthProviderId,
  );
  if (!row) throw new Error("the account was not linked");
  return row.id;
}

/** A user's platform accounts, newest first, as the system sees them. */
export async function accountsOf(server: TestServer, id: string) {
  return (await server.get(`/v1/users/${id}/accounts`, { token: server.systemKey })).body.data;
}

/**
 * Everything that an operation on users and accounts could have changed, to show that a refusal changes
 * nothing.
 */
export const accountsState = (server: TestServer) => ({
  users: rows(server, "SELECT * FROM users ORDER BY id"),
  accounts: rows(server, "SELECT * FROM platform_accounts ORDER BY id"),
  events: rows(server, "SELECT id FROM audit_events ORDER BY id"),
});
