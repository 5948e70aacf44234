import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../support/api";
import type { TestServer } from "../support/server";
import { rows } from "./accounts-support";
import { type AuditRow, auditRows, type TestUser } from "./support";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export interface Person {
  username: string;
  email: string;
  password: string;
}

let people = 0;

/** A person unknown to every server. */
export function newPerson(overrides: Partial<Person> = {}): Person {
  const number = ++people;
  const username = `recruit_${number}`;
  return { username, email: `${username}@example.org`, password: `a passphrase ${number}`, ...overrides };
}

/** Statuses of answers that came in any order. */
export const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();

// --- Emails -----------------------------------------------------------------------------------------------

export interface Mail {
  kind: string;
  to: string;
  locale: string;
  subject: string;
  text: string;
  token: string;
  link: string;
  created_at: string;
}

/** The outbox's messages to an address, oldest first, once the queue has nothing left to deliver. */
export async function mailsTo(server: TestServer, address: string): Promise<Mail[]> {
  while (rows(server, "SELECT id FROM email_queue WHERE next_attempt_at IS NOT NULL").length > 0)
    await Bun.sleep(2);
  const directory = join(server.dataDir, "outbox");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")) as Mail)
    .filter(({ to }) => to === address);
}

/** The newest message to an address. Throws when there is none. */
export async function newestMail(server: TestServer, address: string): Promise<Mail> {
  const mail = (await mailsTo(server, address)).at(-1);
  if (!mail) throw new Error(`no message went to ${address}`);
  return mail;
}

// --- Registration and passwords ---------------------------------------------------------------------------

export const register = (server: TestServer, body: unknown, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/register", { body, headers });

export const verifyRegistration = (server: TestServer, token: unknown) =>
  server.post("/v1/auth/register/verify", { body: { token } });

export const verifyEmail = (server: TestServer, token: unknown) =>
  server.post("/v1/auth/verify-email", { body: { token } });

/** Registers somebody and returns the token of the email. */
export async function pending(server: TestServer, person: Person): Promise<string> {
  const { status, body } = await register(server, person);
  if (status !== 200) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
  return (await newestMail(server, person.email.toLowerCase())).token;
}

/** A user who registered and proved the address, signed in. */
export async function registered(server: TestServer, overrides: Partial<Person> = {}): Promise<TestUser> {
  const person = newPerson(overrides);
  const { status, body } = await verifyRegistration(server, await pending(server, person));
  if (status !== 201) throw new Error(`register/verify answered ${status}: ${JSON.stringify(body)}`);
  return { ...person, id: body.user_id, token: body.session_token };
}

export const login = (server: TestServer, identifier: string, password: string) =>
  server.post("/v1/auth/login", { body: { identifier, password } });

export const askReset = (server: TestServer, email: unknown, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/reset-password", { body: { email }, headers });

/** The token of a user's password reset, as soon as the email is there: it may come after the answer. */
export async function resetToken(server: TestServer, { email }: Pick<Person, "email">): Promise<string> {
  const before = (await mailsTo(server, email)).length;
  const answered = askReset(server, email);
  const sent = async (): Promise<string> => {
    for (;;) {
      const mail = (await mailsTo(server, email))[before];
      if (mail) return mail.token;
      await Bun.sleep(5);
    }
  };
  const noMail = answered.then(({ status }) => {
    if (status !== 200) throw new Error(`reset-password answered ${status}`);
    return newestMail(server, email).then(({ token }) => token);
  });
  return Promise.race([sent(), noMail]);
}

export const completeReset = (server: TestServer, token: unknown, new_password: unknown) =>
  server.post("/v1/auth/reset-password/complete", { body: { token, new_password } });

export const changePassword = (
  server: TestServer,
  token: string,
  current_password: unknown,
  new_password: unknown,
) => server.post("/v1/users/me/password", { token, body: { current_password, new_password } });

/** Requests another address; returns the token of the email that goes there. */
export async function requestEmailChange(server: TestServer, user: TestUser, email: string): Promise<string> {
  const answer = await server.post(`/v1/users/${user.id}/email/request-change`, {
    token: user.token,
    body: { email },
  });
  if (answer.status !== 200) throw new Error(`request-change answered ${answer.status}`);
  return (await newestMail(server, email)).token;
}

/** Passwords at the bounds of 8 and 128 characters, which are counted by code point. */
export const PASSWORDS: [fits: boolean, what: string, password: string][] = [
  [false, "7 letters", "1234567"],
  [true, "8 letters", "12345678"],
  [true, "128 letters", "x".repeat(128)],
  [false, "129 letters", "x".repeat(129)],
  [false, "7 emoji of 14 code units", "🌊".repeat(7)],
  [true, "8 emoji", "🌊".repeat(8)],
  [true, "128 emoji of 256 code units", "🌊".repeat(128)],
  [false, "129 emoji", "🌊".repeat(129)],
];

// --- Stored state -----------------------------------------------------------------------------------------

const STATE = {
  verifications: "*",
  users: "*",
  platform_accounts: "*",
  passwords: "*",
  password_resets: "*",
  sessions: "id, user_id",
  email_queue: "id, kind",
};

/**
 * Everything that registering, signing in and setting passwords may change: a refusal leaves it as it was.
 */
export const state = (server: TestServer) =>
  Object.entries(STATE).map(([table, columns]) =>
    rows(server, `SELECT '${table}', ${columns} FROM ${table} ORDER BY 2`),
  );

/** The audit events that `act` writes. */
export async function audited(server: TestServer, act: () => Promise<unknown>): Promise<AuditRow[]> {
  const before = auditRows(server).length;
  await act();
  return auditRows(server).slice(before);
}

/** The result of `act` while the server can't write audit events of one type. */
export async function withoutAudit<T>(
  server: TestServer,
  eventType: string,
  act: () => Promise<T>,
): Promise<T> {
  const database = new Database(join(server.dataDir, "fairlead.db"));
  try {
    database.run("PRAGMA busy_timeout = 5000");
    database.run(
      `CREATE TRIGGER no_audit BEFORE INSERT ON audit_events WHEN NEW.event_type = '${eventType}'
       BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`,
    );
    return await act();
  } finally {
    database.run("DROP TRIGGER IF EXISTS no_audit");
    database.close();
  }
}
