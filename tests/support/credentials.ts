import type { Answer, Token } from "./api";
import { done } from "./expectations";
import type { Person } from "./people";
import { command, type TestServer } from "./server";

/** Sessions and keys of the people of the tests. */

export const login = (server: TestServer, identifier: string, password: string): Promise<Answer> =>
  server.post("/v1/auth/login", { body: { identifier, password } });

/** Tries to sign in. */
export const signIn = (server: TestServer, { username, password }: Omit<Person, "email">): Promise<Answer> =>
  login(server, username, password);

/** True if this name or address and this password sign in. */
export async function signsIn(server: TestServer, identifier: string, password: string): Promise<boolean> {
  const { status } = await login(server, identifier, password);
  if (status !== 200 && status !== 401) throw new Error(`login answered ${status}`);
  return status === 200;
}

/** Signs in from a device: a user agent, and an address that a proxy reports. */
export async function signInFrom(
  server: TestServer,
  user: Person,
  headers: Record<string, string> = {},
): Promise<{ id: string; token: Token }> {
  const body = { identifier: user.username, password: user.password };
  const { session_id, session_token } = done(await server.post("/v1/auth/login", { body, headers }));
  return { id: session_id, token: session_token };
}

/** The sessions of the token's holder, as the API lists them. */
export const sessionsOf = async (server: TestServer, token: Token) =>
  done(await server.get("/v1/users/me/sessions", { token })).sessions;

/** True if a credential is accepted at all, whatever its permissions. */
export async function isAccepted(server: TestServer, token: Token): Promise<boolean> {
  return (await server.get("/v1/trips", { token })).status !== 401;
}

/** A key of the token's holder. */
export const createKey = async (
  server: TestServer,
  token: Token,
  scopes: string[],
): Promise<{ id: string; key: Token }> =>
  done(await server.post("/v1/api-keys", { token, body: { name: "test", scopes } }));

/** A key made by the command line, which is bound by no rules but those of the database. */
export async function commandLineKey(
  server: TestServer,
  options: { owner?: string; system?: true; scopes?: string[] },
): Promise<{ id: string; key: Token }> {
  const { stdout, stderr, status } = await command([
    "key",
    "create",
    "--json",
    ...["--data-dir", server.dataDir, "--name", "made by command"],
    ...(options.system ? ["--system"] : []),
    ...(options.owner ? ["--owner", options.owner] : []),
    ...(options.scopes ?? []).flatMap((scope) => ["--scope", scope]),
  ]);
  if (status !== 0) throw new Error(`key create failed: ${stderr}`);
  return JSON.parse(stdout);
}
