import { Database } from "bun:sqlite";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Token } from "../support/api";
import { command, type TestServer } from "../support/server";

export interface TestUser {
  id: string;
  username: string;
  email: string;
  password: string;
  /** A session token. */
  token: Token;
}

let users = 0;

/** A user beside the running server, signed in. Holds the role User and those that are named. */
export async function createUser(server: TestServer, ...roles: string[]): Promise<TestUser> {
  const username = `user_${++users}`;
  const { stdout, stderr, status } = await command([
    "user",
    "create",
    "--json",
    ...["--data-dir", server.dataDir],
    ...["--username", username, "--email", `${username}@example.org`],
    ...roles.flatMap((role) => ["--role", role]),
  ]);
  if (status !== 0) throw new Error(`user create failed: ${stderr}`);
  const created = JSON.parse(stdout) as Omit<TestUser, "token">;
  return { ...created, token: (await server.login(username, created.password)).session_token };
}

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

/** A key of the token's holder. */
export async function createKey(
  server: TestServer,
  token: Token,
  scopes: string[],
): Promise<{ id: string; key: Token }> {
  const { status, body } = await server.post("/v1/api-keys", { token, body: { name: "test", scopes } });
  if (status !== 201) throw new Error(`the key was not created: ${JSON.stringify(body)}`);
  return body;
}

/** True if a credential is accepted at all, whatever its permissions. */
export async function isAccepted(server: TestServer, token: Token): Promise<boolean> {
  return (await server.get("/v1/trips", { token })).status !== 401;
}

/** Stops a server that logs at level info or debug; returns everything that it ever wrote. */
export async function outputOfWholeRun(server: TestServer): Promise<string> {
  await server.stop();
  // This is the program's last line; the rest of the pipe comes before it.
  while (!server.output.includes('"message":"stopped"')) await Bun.sleep(5);
  return server.output;
}

/** The files of the data directory, at any depth, that contain the text. */
export function filesWith(server: TestServer, text: string): string[] {
  const needle = Buffer.from(text);
  return (
    readdirSync(server.dataDir, { recursive: true, encoding: "utf8" })
      // A file with this ending is about to be renamed: the email is found under its own name.
      .filter((name) => !name.endsWith(".partial"))
      .map((name) => join(server.dataDir, name))
      .filter((file) => statSync(file).isFile() && readFileSync(file).includes(needle))
  );
}

export interface AuditRow {
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  resource_type: string | null;
  resource_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  status: string;
  error_message: string | null;
  metadata: string | null;
}

/** The audit events in the order of writing; those about one record if it is named. */
export function auditRows(server: TestServer, resourceId?: string): AuditRow[] {
  const database = new Database(join(server.dataDir, "fairlead.db"), { readonly: true });
  try {
    const rows = database.query<AuditRow, []>("SELECT * FROM audit_events ORDER BY id").all();
    return resourceId === undefined ? rows : rows.filter((row) => row.resource_id === resourceId);
  } finally {
    database.close();
  }
}
