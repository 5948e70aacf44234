import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, Token } from "../support/api";
import { ADMIN, type TestServer } from "../support/server";
import { expectRefused } from "../tracking/support";
import { rows } from "./accounts-support";

/** Shared by the tests of bans and deletions. */

export interface Newcomer {
  id: string;
  username: string;
  email: string;
  password: string;
  /** A session token, and the identifier of its session. */
  token: Token;
  sessionId: string;
}

interface Mail {
  kind: string;
  to: string;
  locale: string;
  text: string;
  token: string | null;
}

/** The messages to an address in the server's outbox, oldest first. */
export function mailTo(server: TestServer, address: string): Mail[] {
  const directory = join(server.dataDir, "outbox");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith(".json") && !file.startsWith("."))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(directory, file), "utf8")) as Mail)
    .filter(({ to }) => to === address);
}

/** Waits until the outbox holds a message of this kind to an address: it is written after the answer. */
export async function nextMail(server: TestServer, address: string, kind: string): Promise<Mail> {
  for (;;) {
    const mail = mailTo(server, address).find((message) => message.kind === kind);
    if (mail) return mail;
    await Bun.sleep(10);
  }
}

/** The answer's body; throws unless the status is 200 or 201, so that no test goes on from a wrong start. */
export function done({ status, body }: Answer) {
  if (status > 204) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

let newcomers = 0;

/** Registers a user with email and password, who then holds the role User and those that are named. */
export async function newcomer(server: TestServer, ...roles: string[]): Promise<Newcomer> {
  const username = `newcomer_${++newcomers}`;
  const email = `${username}@example.org`;
  const password = `the password of ${username}`;
  done(await server.post("/v1/auth/register", { body: { username, email, password } }));
  const { token } = await nextMail(server, email, "registration");
  const session = done(await server.post("/v1/auth/register/verify", { body: { token } }));
  for (const role_id of roles)
    done(
      await server.post(`/v1/users/${session.user_id}/roles`, {
        token: await server.admin(),
        body: { role_id, password: ADMIN.password },
      }),
    );
  return {
    id: session.user_id,
    username,
    email,
    password,
    token: session.session_token,
    sessionId: session.session_id,
  };
}

/** Tries to sign in. */
export const signIn = (server: TestServer, { username, password }: Newcomer): Promise<Answer> =>
  server.post("/v1/auth/login", { body: { identifier: username, password } });

/** A super admin beside the admin, so that nobody is the last. */
export async function secondSuperAdmin(server: TestServer): Promise<Newcomer> {
  return newcomer(server, "role_super_admin");
}

export interface Event {
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  resource_type: string | null;
  resource_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  metadata: string | null;
}

/** The audit events about a user in the order of writing; of one type if it is named. */
export function eventsAbout(server: TestServer, userId: string, type?: string): Event[] {
  const events = rows<Event>(server, "SELECT * FROM audit_events WHERE user_id = ? ORDER BY id", userId);
  return type === undefined ? events : events.filter(({ event_type }) => event_type === type);
}

/** Everything that a refused request about a user could have changed. */
export const recordsOf = (server: TestServer, userId: string) => ({
  user: rows(server, "SELECT * FROM users WHERE id = ?", userId),
  accounts: rows(server, "SELECT * FROM platform_accounts WHERE user_id = ?", userId),
  sessions: rows(server, "SELECT id FROM sessions WHERE user_id = ? ORDER BY id", userId),
  keys: rows(server, "SELECT id, is_active FROM api_keys WHERE owner_id = ? ORDER BY id", userId),
  roles: rows(server, "SELECT role_id FROM user_roles WHERE user_id = ? ORDER BY role_id", userId),
  bans: rows(server, "SELECT * FROM bans WHERE user_id = ? ORDER BY id", userId),
  events: eventsAbout(server, userId).map(({ event_type }) => event_type),
});

/** Expects a refusal that leaves everything about a user as it was. */
export async function expectNothingDone(
  server: TestServer,
  userId: string,
  request: () => Promise<Answer>,
  status: number,
  error: string,
): Promise<void> {
  const before = recordsOf(server, userId);
  expectRefused(await request(), status, error);
  expect(recordsOf(server, userId)).toEqual(before);
}
