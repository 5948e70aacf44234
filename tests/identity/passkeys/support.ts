import type { Answer, Token } from "../../support/api";
import {
  Authenticator,
  type CreationJson,
  type RequestJson,
  type Spoiled,
} from "../../support/authenticator";
import { done } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import type { TestServer } from "../../support/server";

/** Shared by the tests of passkeys: the requests, and users who have one. */

/** The server's address as a browser must open it: passkeys are bound to a name. */
export const originOf = ({ url }: Pick<TestServer, "url">): string => `http://localhost:${new URL(url).port}`;

export const newAuthenticator = (
  server: Pick<TestServer, "url">,
  options?: ConstructorParameters<typeof Authenticator>[1],
): Authenticator => new Authenticator(originOf(server), options);

const base = "/v1/users/me/passkeys";

export const listed = async (server: TestServer, token: Token) =>
  done(await server.get(base, { token })).data;

export const creationOptions = async (server: TestServer, token: Token): Promise<CreationJson> =>
  done(await server.post(`${base}/options`, { token })).public_key;

export const add = (server: TestServer, token: Token, body: object): Promise<Answer> =>
  server.post(base, { token, body });

/** Adds a passkey to the account of a session, and returns its record. */
export async function register(
  server: TestServer,
  token: Token,
  authenticator: Authenticator,
  more: object = {},
): Promise<{ id: string; name: string }> {
  const credential = await authenticator.create(await creationOptions(server, token));
  return done(await add(server, token, { credential, ...more })).data;
}

export const requestOptions = async (server: TestServer): Promise<RequestJson> =>
  done(await server.post("/v1/auth/passkeys/options")).public_key;

export const verify = (server: TestServer, credential: object, headers: Record<string, string> = {}) =>
  server.post("/v1/auth/passkeys/verify", { body: { credential }, headers });

/** Signs in by a passkey, with an answer that is right but for what is spoiled. */
export const signInBy = async (
  server: TestServer,
  authenticator: Authenticator,
  spoiled: Spoiled = {},
): Promise<Answer> => verify(server, await authenticator.get(await requestOptions(server), spoiled));

export const secondOptions = (server: TestServer, temp_token: string): Promise<Answer> =>
  server.post("/v1/auth/2fa/passkey/options", { body: { temp_token } });

/** Completes a sign-in that waits for its second step, by a passkey. */
export async function completeBy(
  server: TestServer,
  authenticator: Authenticator,
  temp_token: string,
  spoiled: Spoiled = {},
): Promise<Answer> {
  const { public_key } = done(await secondOptions(server, temp_token));
  const credential = await authenticator.get(public_key, spoiled);
  return server.post("/v1/auth/2fa/passkey/verify", { body: { temp_token, credential } });
}

/** A user with a passkey, and its authenticator. */
export interface Holder extends User {
  passkey: string;
  authenticator: Authenticator;
}

/** Adds a passkey to a user who has just signed in. */
export async function withPasskey<U extends { token: Token }>(
  server: TestServer,
  user: U,
): Promise<U & { passkey: string; authenticator: Authenticator }> {
  const authenticator = newAuthenticator(server);
  const { id } = await register(server, user.token, authenticator);
  return { ...user, passkey: id, authenticator };
}

export const newHolder = async (server: TestServer): Promise<Holder> =>
  withPasskey(server, await newUser(server));
