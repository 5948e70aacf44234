import { createHash, randomBytes } from "node:crypto";
import type { Answer, Token } from "../../support/api";
import { done } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { Agent } from "./agent";

/** Clients, authorization requests and token requests, written out: nothing is shared with the server. */

export const CALLBACK = "https://app.example/callback";

export interface TestClient {
  id: string;
  secret: string | null;
  name: string;
}

/** Registers a client of the admin's, or of another user's; approves its scopes by the admin. */
export async function newClient(
  server: TestServer,
  fields: Record<string, unknown> = {},
  { approved = [], token }: { approved?: string[]; token?: Token } = {},
): Promise<TestClient> {
  const admin = await server.admin();
  const body = {
    name: "Crew app",
    redirect_uris: [CALLBACK],
    allowed_scopes: ["openid", "profile", "email", "offline_access", ...approved],
    ...fields,
  };
  const { client, client_secret } = done(
    await server.post("/v1/oauth/clients", { token: token ?? admin, body }),
  );
  if (approved.length > 0)
    done(
      await server.patch(`/v1/oauth/clients/${client.id}`, {
        token: admin,
        body: { approved_scopes: approved },
      }),
    );
  return { id: client.id, secret: client_secret, name: body.name };
}

export const newVerifier = (): string => randomBytes(32).toString("base64url");
export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

export interface Authorization {
  verifier: string;
  parameters: Record<string, string>;
  url: string;
}

/** An authorization request; a parameter that is null is left out. */
export function authorizationOf(
  server: TestServer,
  client: { id: string },
  changes: Record<string, string | null> = {},
): Authorization {
  const verifier = newVerifier();
  const all: Record<string, string | null> = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: CALLBACK,
    scope: "openid",
    state: randomBytes(8).toString("hex"),
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    ...changes,
  };
  const parameters = Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null),
  );
  return { verifier, parameters, url: `${server.url}/oauth/authorize?${new URLSearchParams(parameters)}` };
}

/** A request to an OAuth endpoint with a form. */
export const postForm = (
  server: TestServer,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  server.request("POST", path, {
    raw: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

/** The parameters by which a client authenticates in a form. */
export const asClient = ({ id, secret }: TestClient): Record<string, string> =>
  secret === null ? { client_id: id } : { client_id: id, client_secret: secret };

export const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
});

export const exchange = (
  server: TestServer,
  client: TestClient,
  code: string,
  verifier: string,
  changes: Record<string, string> = {},
): Promise<Answer> =>
  postForm(server, "/oauth/token", {
    ...asClient(client),
    grant_type: "authorization_code",
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...changes,
  });

export const refresh = (
  server: TestServer,
  client: TestClient,
  token: string,
  changes: Record<string, string> = {},
): Promise<Answer> =>
  postForm(server, "/oauth/token", {
    ...asClient(client),
    grant_type: "refresh_token",
    refresh_token: token,
    ...changes,
  });

/** Sends the browser of a session to a client, agrees to all, and returns the code. */
export async function codeFor(
  server: TestServer,
  client: TestClient,
  sessionToken: Token,
  changes: Record<string, string | null> = {},
): Promise<{ code: string; verifier: string; agent: Agent; answer: Record<string, string> }> {
  const agent = Agent.signedIn(server, sessionToken);
  const { url, verifier } = authorizationOf(server, client, changes);
  await agent.open(url);
  if (agent.shown.status === 200) await agent.submit({ decision: "allow" });
  const { answer } = agent;
  if (!answer.code) throw new Error(`no code came: ${JSON.stringify(answer)} ${agent.text}`);
  return { code: answer.code, verifier, agent, answer };
}

export interface TestTokens {
  access_token: Token;
  refresh_token: Token;
  id_token: string;
  scope: string;
  expires_in: number;
}

/** Tokens of a client for the user of a session. */
export async function tokensFor(
  server: TestServer,
  client: TestClient,
  sessionToken: Token,
  scope = "openid",
): Promise<TestTokens> {
  const { code, verifier } = await codeFor(server, client, sessionToken, { scope });
  return done(await exchange(server, client, code, verifier));
}

/** The claims of a JWT, unchecked. */
export const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());

/** Error and status of an answer of an OAuth endpoint. */
export const errorOf = ({ status, body }: Answer): [number, string] => [status, body?.error];
