import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { loadConfig } from "../../../src/configuration/config";
import { rotateKeysWhenDue } from "../../../src/identity/oauth/keys";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { openDatabase } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { readMasterKey } from "../../../src/kernel/process/data-dir";
import { done } from "../../support/expectations";
import { externalUser, newUser } from "../../support/people";
import { rows, write } from "../../support/rows";
import { command, type TestServer } from "../../support/server";
import { Agent } from "../oauth/agent";
import { asClient, authorizationOf, codeFor, newClient, refresh, tokensFor } from "../oauth/support";
import { guarded, nextCode, wrongCode } from "../two-factor/support";
import { type Case, event, failure, type World } from "./event-types-support";

/** The cases of sign-ins to applications, and the ends of those in the cases of sessions. */

const form = { "content-type": "application/x-www-form-urlencoded" };
const formOf = (fields: Record<string, string>) => ({
  raw: new URLSearchParams(fields).toString(),
  headers: form,
});

/** Signs in on the page that an application led to, up to the question of consent. */
async function signInPage(server: TestServer, name: string, password: string): Promise<Agent> {
  const agent = new Agent(server);
  await agent.open(authorizationOf(server, await newClient(server)).url);
  await agent.signIn(name, password);
  return agent;
}

const PAGES: Case[] = [
  {
    operation: "the sign-in page",
    writes: [event("session_created", "session"), event("login", "session")],
    prepare: async ({ server, member }) => {
      const agent = new Agent(server);
      await agent.open(authorizationOf(server, await newClient(server)).url);
      return { user: member.id, run: () => agent.signIn(member.username, member.password) };
    },
  },
  {
    operation: "the sign-in page",
    which: "where somebody was signed in",
    writes: [event("session_created", "session"), event("login", "session"), event("logout", "session")],
    prepare: async ({ server }) => {
      const user = await newUser(server);
      const agent = Agent.signedIn(server, user.token);
      await agent.open(authorizationOf(server, await newClient(server), { prompt: "login" }).url);
      return { user: user.id, run: () => agent.signIn(user.username, user.password) };
    },
  },
  {
    operation: "the sign-in page",
    which: "with a wrong password",
    writes: [failure("login_failed")],
    prepare: async ({ server, member }) => {
      const agent = new Agent(server);
      await agent.open(authorizationOf(server, await newClient(server)).url);
      return { user: member.id, run: () => agent.signIn(member.username, "wrong") };
    },
  },
  {
    operation: "the sign-in page",
    which: "with a second factor",
    writes: [
      event("2fa_verified", "two_factor"),
      event("session_created", "session"),
      event("login", "session"),
    ],
    prepare: async ({ server, guarded: { id, username, password, secret } }) => {
      const agent = await signInPage(server, username, password);
      const code = await nextCode(server, secret);
      return { user: id, run: () => agent.submit({ code }) };
    },
  },
  {
    operation: "the sign-in page",
    which: "with the hundredth wrong code",
    writes: [failure("2fa_verified", "two_factor"), event("2fa_locked", "two_factor")],
    prepare: async ({ server }) => {
      const user = await guarded(server);
      const agent = await signInPage(server, user.username, user.password);
      write(server, `UPDATE two_factor SET failures = 99 WHERE user_id = '${user.id}'`);
      return { user: user.id, run: () => agent.submit({ code: wrongCode(server, user.secret) }) };
    },
  },
  {
    operation: "the consent page",
    writes: [event("consent_granted", "oauth_client")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      const agent = Agent.signedIn(server, token);
      await agent.open(authorizationOf(server, await newClient(server)).url);
      return { user: id, run: () => agent.submit({ decision: "allow" }) };
    },
  },
  {
    operation: "the sign-out page",
    writes: [event("logout", "session"), event("oauth_grant_ended", "oauth_grant")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      const { id_token } = await tokensFor(server, await newClient(server), token);
      const agent = Agent.signedIn(server, token);
      const run = () => agent.open(`${server.url}/oauth/logout?id_token_hint=${id_token}`);
      return { user: id, run };
    },
  },
];

const TOKENS: Case[] = [
  {
    operation: "POST /oauth/token",
    which: "for a code",
    writes: [event("oauth_grant_created", "oauth_grant", { byItself: true })],
    prepare: async ({ server }) => {
      const client = await newClient(server);
      const { id, token } = await externalUser(server);
      const { code, verifier } = await codeFor(server, client, token);
      const fields = { grant_type: "authorization_code", code, code_verifier: verifier };
      const redirect_uri = "https://app.example/callback";
      return { user: id, ...formOf({ ...asClient(client), ...fields, redirect_uri }) };
    },
  },
  {
    operation: "POST /oauth/token",
    which: "for a client that acts for itself, the first time",
    writes: [event("oauth_grant_created", "oauth_grant", { byItself: true })],
    prepare: async ({ server, admin }) => {
      const client = await newClient(server, {}, { approved: ["gps:read"] });
      return { user: admin.id, ...formOf({ ...asClient(client), grant_type: "client_credentials" }) };
    },
  },
  ...[false, true].map(
    (isUsed): Case => ({
      operation: "POST /oauth/token",
      which: isUsed ? "with a refresh token that was used" : "with a refresh token",
      writes: isUsed ? [failure("oauth_grant_ended", "oauth_grant")] : [],
      prepare: async ({ server }) => {
        const client = await newClient(server);
        const { id, token } = await externalUser(server);
        const { refresh_token } = await tokensFor(server, client, token, "openid offline_access");
        if (isUsed) await refresh(server, client, refresh_token);
        const fields = { ...asClient(client), grant_type: "refresh_token", refresh_token };
        return { user: id, ...formOf(fields), ...(isUsed && { refused: 400 }) };
      },
    }),
  ),
  {
    operation: "POST /oauth/revoke",
    writes: [event("oauth_grant_ended", "oauth_grant")],
    prepare: async ({ server }) => {
      const client = await newClient(server);
      const { id, token } = await externalUser(server);
      const tokens = await tokensFor(server, client, token, "openid offline_access");
      return { user: id, ...formOf({ ...asClient(client), token: tokens.refresh_token }) };
    },
  },
  {
    operation: "DELETE /v1/users/me/consents/{id}",
    writes: [event("oauth_grant_ended", "oauth_grant"), event("consent_revoked", "oauth_client")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      await tokensFor(server, await newClient(server), token);
      const { data } = done(await server.get("/v1/users/me/consents", { token }));
      return { user: id, token, params: { id: data[0].id } };
    },
  },
];

/** Changes of a client by its owner, who has signed in to it. */
const clientCase = (operation: string, written: Case["writes"], body?: object): Case => ({
  operation,
  which: "with a sign-in to it",
  writes: [...written, event("oauth_grant_ended", "oauth_grant")],
  prepare: async ({ server }) => {
    const { id: user, token } = await externalUser(server);
    const client = await newClient(server, {}, { token });
    await tokensFor(server, client, token, "openid offline_access");
    return { user, token, params: { id: client.id }, body };
  },
});

const OF_CLIENTS: Case[] = [
  clientCase("PATCH /v1/oauth/clients/{id}", [event("client_updated", "oauth_client")], { is_active: false }),
  clientCase("DELETE /v1/oauth/clients/{id}", [event("client_deleted", "oauth_client")]),
];

/** Runs the job in this process, on the server's database, where the last key has signed for its time. */
async function rotateByJob({ dataDir }: TestServer): Promise<void> {
  process.env.FAIRLEAD_DATA_DIR = dataDir;
  loadConfig({});
  const key = readMasterKey();
  if (key) useMasterKey(key);
  openDatabase(join(dataDir, "fairlead.db"), "normal");
  try {
    await rotateKeysWhenDue();
  } finally {
    closeDatabase();
    delete process.env.FAIRLEAD_DATA_DIR;
  }
}

const OF_KEYS: Case[] = [
  {
    operation: "rotate the keys of ID tokens",
    writes: [event("signing_key_rotated", "signing_key", { byItself: true })],
    prepare: async ({ server }) => {
      await server.get("/oauth/jwks");
      write(server, "UPDATE oauth_signing_keys SET signs_from = signs_from - 91 * 86400000");
      return { user: null, run: () => rotateByJob(server) };
    },
  },
  {
    operation: "signing-key rotate",
    writes: [event("signing_key_rotated", "signing_key", { byItself: true })],
    prepare: ({ server }) => ({
      user: null,
      run: async () => {
        const { status, stderr } = await command(["signing-key", "rotate", "--data-dir", server.dataDir]);
        if (status !== 0) throw new Error(stderr);
      },
    }),
  },
];

export const OAUTH_CASES: Case[] = [...PAGES, ...TOKENS, ...OF_CLIENTS, ...OF_KEYS];

// --- Sessions that granted something -----------------------------------------------------------------------

const hashOf = (token: string) => createHash("sha256").update(token).digest("base64");

/** Stores a grant of a user in a session; in one that is gone without it. */
async function putGrant({ server }: World, userId: string, token: string | undefined, sessionId?: string) {
  const client = await newClient(server);
  const [session] = rows<{ id: string }>(
    server,
    "SELECT id FROM sessions WHERE token_hash = ?",
    hashOf(token ?? ""),
  );
  const [consent, grant] = [randomUUID(), randomUUID()];
  const later = Date.now() + 1_000_000_000;
  write(
    server,
    `INSERT INTO oauth_consents (id, user_id, client_id, scopes, created_at, updated_at)
       VALUES ('${consent}', '${userId}', '${client.id}', '[]', 0, 0)`,
    `INSERT INTO oauth_grants (id, consent_id, client_id, user_id, session_id, scopes, is_offline, issuer, created_at, expires_at)
       VALUES ('${grant}', '${consent}', '${client.id}', '${userId}', '${sessionId ?? session?.id ?? "gone"}', '[]', 0, 'x', 0, ${later})`,
  );
}

const SIGN_OUTS = ["POST /v1/auth/logout", "DELETE /v1/sessions/{token}"];

/** The same cases of users who had signed in to an application: what ends sessions ends that as well. */
export const withGrants = (cases: readonly Case[]): Case[] =>
  cases.flatMap((one): Case[] => {
    const ending =
      one.writes.find(({ event_type }) => event_type === "session_revoked") ??
      (SIGN_OUTS.includes(one.operation) ? one.writes.at(0) : undefined);
    if (!ending) return [one];
    const ended = { ...ending, event_type: "oauth_grant_ended", resource_type: "oauth_grant" } as const;
    const prepare: Case["prepare"] = async (world) => {
      const prepared = await one.prepare(world);
      if (typeof prepared.user !== "string") throw new Error(`${one.operation} names no user before it runs`);
      const isSignOut = SIGN_OUTS.includes(one.operation);
      const token = isSignOut ? (prepared.params?.token ?? prepared.token) : undefined;
      await putGrant(world, prepared.user, token, prepared.params?.session_id);
      return prepared;
    };
    const which = `${one.which ?? ""}, after a sign-in to an application`;
    return [one, { ...one, which, writes: [...one.writes, ended], prepare }];
  });
