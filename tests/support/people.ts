import type { Answer, Token } from "./api";
import { done } from "./expectations";
import { newestMail } from "./mail";
import { assign, newRole } from "./roles";
import type { TestServer } from "./server";

/**
 * The people of the tests. There are two ways to make a user: `newUser` registers one with an email address and
 * a password, `externalUser` signs one in through Discord, who has neither. A sensitive change needs a user who
 * can prove a password; for anything else either will do.
 */

export interface Person {
  username: string;
  email: string;
  password: string;
}

/** A user with an email address and a password. */
export interface User extends Person {
  id: string;
  /** A session token, and the identifier of its session. */
  token: Token;
  sessionId: string;
}

let people = 0;

/** A person unknown to every server. */
export function newPerson(overrides: Partial<Person> = {}): Person {
  const number = ++people;
  const username = `person_${number}`;
  return { username, email: `${username}@example.org`, password: `a passphrase ${number}`, ...overrides };
}

/** An email address that nobody has. */
export const freshEmail = (): string => `fresh_${++people}@example.net`;

// --- With a password --------------------------------------------------------------------------------------

export const register = (server: TestServer, body: unknown, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/register", { body, headers });

export const verifyRegistration = (server: TestServer, token: unknown) =>
  server.post("/v1/auth/register/verify", { body: { token } });

/** Registers somebody and returns the token of the email. */
export async function pending(server: TestServer, person: Person): Promise<string> {
  done(await register(server, person));
  return (await newestMail(server, person.email.toLowerCase())).token;
}

/** Registers a person, who proves the address and is signed in. */
export async function registered(server: TestServer, person: Person): Promise<User> {
  const { user_id, session_token, session_id } = done(
    await verifyRegistration(server, await pending(server, person)),
  );
  return { ...person, id: user_id, token: session_token, sessionId: session_id };
}

/** A new user, signed in, who holds the role User and those with these identifiers. */
export async function newUser(server: TestServer, ...roleIds: string[]): Promise<User> {
  const user = await registered(server, newPerson());
  for (const roleId of roleIds) await assign(server, user.id, roleId);
  return user;
}

/** A new user who holds these permissions and no others, beside those of the role User. */
export async function staff(server: TestServer, ...permissions: string[]): Promise<User> {
  return newUser(server, (await newRole(server, ...permissions)).id);
}

// --- Without a password -----------------------------------------------------------------------------------

export interface ExternalUser {
  id: string;
  username: string;
  email: string;
  /** The user's identifier on Discord. */
  providerId: string;
  /** Identifier of the platform account on Discord. */
  accountId: string;
  token: Token;
}

/** The body of a sign-in through Discord by an unknown person. */
export function externalLogin(overrides: object = {}) {
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
export const signInExternally = async (server: TestServer, body: object) =>
  done(await upsert(server, body)).data;

/** A new user who signs in through Discord, with a session. */
export async function externalUser(server: TestServer, overrides: object = {}): Promise<ExternalUser> {
  const body = externalLogin(overrides);
  const user = await signInExternally(server, body);
  return {
    id: user.id,
    username: user.username,
    email: body.email,
    providerId: body.oauthProviderId,
    accountId: user.primary_platform_account_id,
    token: (await openSession(server, user.id)).token,
  };
}

/** One more session of a user, opened by the system. */
export async function openSession(
  server: TestServer,
  userId: string,
  expires = "2099-01-01T00:00:00Z",
): Promise<{ id: string; token: Token }> {
  const body = { userId, expires };
  const session = done(await server.post("/v1/sessions", { token: server.systemKey, body }));
  return { id: session.id, token: session.sessionToken };
}

// --- Records ----------------------------------------------------------------------------------------------

/** A user record as an administrator sees it. */
export const readUser = async (server: TestServer, id: string) =>
  (await server.get(`/v1/users/${id}`, { token: server.systemKey })).body.data;
