import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import type { Answer, Token } from "../support/api";
import type { TestServer } from "../support/server";

/** An identifier of no record. */
export const UNKNOWN = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02";

export interface ExternalUser {
  id: string;
  username: string;
  email: string;
  /** The user's identifier on Discord. */
  providerId: string;
  /** Identifier of the platform account on Discord. */
  accountId: string;
  /** A session token. */
  token: Token;
}

let people = 0;

/** The body of a sign-in through Discord by an unknown person. */
export function login(overrides: object = {}) {
  const number = ++people;
  return {
    email: `person${number}@example.org`,
    name: `Person ${number}`,
    oauthProvider: "discord",
    oauthProviderId: `discord-${number}`,
    image: `https://cdn.example.org/${number}.png`,
    ...overrides,
  };
}

export const upsert = (server: TestServer, body: object): Promise<Answer> =>
  server.post("/v1/users/oauth", { token: server.systemKey, body });

/** The user behind an external sign-in; throws where there is none. */
export async function signIn(server: TestServer, body: object) {
  const answer = await upsert(server, body);
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** A new user who signs in through Discord, with a session. */
export async function externalUser(server: TestServer, overrides: object = {}): Promise<ExternalUser> {
  const body = login(overrides);
  const user = await signIn(server, body);
  const session = await server.post("/v1/sessions", {
    token: server.systemKey,
    body: { userId: user.id, expires: "2099-01-01T00:00:00Z" },
  });
  return {
    id: user.id,
    username: user.username,
    email: body.email,
    providerId: body.oauthProviderId,
    accountId: user.primary_platform_account_id,
    token: session.body.sessionToken,
  };
}

/** Links an account on another platform to a user by the address; returns its identifier. */
export async function link(server: TestServer, user: { id: string; email: string }, oauthProvider: string) {
  const body = login({ email: user.email, oauthProvider });
  await signIn(server, body);
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

/** Rows of the server's database. */
export function rows<T>(server: TestServer, sql: string, ...values: SQLQueryBindings[]): T[] {
  const database = new Database(join(server.dataDir, "fairlead.db"), { readonly: true });
  try {
    return database.query<T, SQLQueryBindings[]>(sql).all(...values);
  } finally {
    database.close();
  }
}

/**
 * Everything that an operation on users and accounts could have changed, to show that a refusal changes
 * nothing.
 */
export const state = (server: TestServer) => ({
  users: rows(server, "SELECT * FROM users ORDER BY id"),
  accounts: rows(server, "SELECT * FROM platform_accounts ORDER BY id"),
  events: rows(server, "SELECT id FROM audit_events ORDER BY id"),
});
