import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Token } from "../support/api";
import type { TestServer } from "../support/server";
import { registered } from "./registration-support";
import { auditRows, createUser, type TestUser } from "./support";

/** Waits until something holds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(10);
}

/**
 * Makes a role that grants exactly these permissions; returns its identifier. Written into the database
 * beside the running server, which reads it when a holder signs in.
 */
export function makeRole(server: TestServer, name: string, ...permissions: string[]): string {
  const id = Bun.randomUUIDv7();
  const database = new Database(join(server.dataDir, "fairlead.db"), { readwrite: true });
  try {
    database.run("PRAGMA busy_timeout = 10000");
    database.transaction(() => {
      const time = Date.now();
      database.run("INSERT INTO roles (id, name, created_at, updated_at) VALUES (?, ?, ?, ?)", [
        id,
        name,
        time,
        time,
      ]);
      for (const permission of permissions) {
        const { changes } = database.run(
          `INSERT INTO role_permissions (role_id, permission_id)
           SELECT ?, id FROM permissions WHERE resource || ':' || action = ?`,
          [id, permission],
        );
        if (changes !== 1) throw new Error(`there is no permission ${permission}`);
      }
    })();
    return id;
  } finally {
    database.close();
  }
}

let made = 0;

/** A user with an email address and a password, signed in, with the permissions of every user. */
export const newUser = (server: TestServer): Promise<TestUser> =>
  registered(server, { username: `sailor_${++made}` });

/** A user who holds, beside the role User, these permissions and no others. */
export function staff(server: TestServer, ...permissions: string[]): Promise<TestUser> {
  return createUser(server, makeRole(server, `staff_${++made}`, ...permissions));
}

/** The audit log's events of some types about a user, oldest first, metadata parsed. */
export const eventsOf = (server: TestServer, userId: string, ...types: string[]) =>
  auditRows(server)
    .filter((row) => row.user_id === userId && types.includes(row.event_type))
    .map((row) => ({ ...row, metadata: JSON.parse(row.metadata ?? "null") }));

/** The fields that changed according to the audit log, change by change. */
export const changesOf = (server: TestServer, userId: string): string[][] =>
  eventsOf(server, userId, "user_updated").map(({ metadata }) => metadata.changed);

/** A user record as an administrator sees it. */
export const readUser = async (server: TestServer, id: string) =>
  (await server.get(`/v1/users/${id}`, { token: server.systemKey })).body.data;

/** True if this name or address and this password sign in. */
export async function signsIn(server: TestServer, identifier: string, password: string): Promise<boolean> {
  const { status } = await server.post("/v1/auth/login", { body: { identifier, password } });
  if (status !== 200 && status !== 401) throw new Error(`login answered ${status}`);
  return status === 200;
}

/** Signs in from a device: a user agent, and an address that a proxy reports. */
export async function signInFrom(
  server: TestServer,
  user: TestUser,
  headers: Record<string, string> = {},
): Promise<{ id: string; token: Token }> {
  const body = { identifier: user.username, password: user.password };
  const answer = await server.post("/v1/auth/login", { body, headers });
  if (answer.status !== 200) throw new Error(`login answered ${answer.status}`);
  return { id: answer.body.session_id, token: answer.body.session_token };
}

/** The sessions of the token's holder, as the API lists them. */
export async function sessionsOf(server: TestServer, token: Token) {
  const { status, body } = await server.get("/v1/users/me/sessions", { token });
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.sessions;
}
