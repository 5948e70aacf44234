import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../../../src/configuration/config";
import { authenticate } from "../../../src/identity/access/caller";
import { insertApiKey } from "../../../src/identity/api-keys/service";
import { insertUser } from "../../../src/identity/directory/new-user";
import { createRole } from "../../../src/identity/roles/service";
import { seedIdentity } from "../../../src/identity/seed";
import { insertSession } from "../../../src/identity/sessions/service";
import { assignRole } from "../../../src/identity/users/roles";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import type { Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { newUser } from "../../support/people";
import { assign, grant, newRole, revoke, unassign } from "../../support/roles";
import { TestServer, temporaryDirectory } from "../../support/server";
import { Client } from "../../support/socket";

/** Rights are cached per caller, and the next request after a change sees it (rule R5). */
let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const ask = async (token: Token) => (await server.get("/v1/gps?limit=1", { token })).status;

/**
 * The answer to a new socket of this credential that asks for positions: a message, an error, or no
 * connection.
 */
async function hears(token: Token): Promise<"message" | "error" | "refused"> {
  const isKey = token.startsWith("flk_");
  let client: Client;
  try {
    client = await Client.open(server, isKey ? { bearer: token } : { token });
  } catch {
    return "refused";
  }
  const { type } = await client.ask({ type: "subscribe", channel: "gps" });
  await client.close();
  return type;
}

/**
 * Sends requests with each credential without a pause, from several clients at once, and makes the change
 * meanwhile. Returns the statuses of the requests that were sent before the change was requested, and of
 * those sent after its answer.
 */
async function hammer(tokens: Token[], change: () => Promise<unknown>) {
  const before: number[] = [];
  const after: number[] = [];
  let asked = false;
  let answered = false;
  const client = async (token: Token) => {
    for (let left = 5; left > 0; ) {
      const [early, late] = [!asked, answered];
      const status = await ask(token);
      if (early) before.push(status);
      if (late) after.push(status);
      if (late) left--;
    }
  };
  const clients = tokens.flatMap((token) => [1, 2, 3].map(() => client(token)));
  // All of them have been let in, so that their rights are in the cache.
  while (before.length < 2 * clients.length) await Bun.sleep(1);
  asked = true;
  await change();
  answered = true;
  await Promise.all(clients);
  return { before: [...new Set(before)], after: [...new Set(after)] };
}

interface Subject {
  user: { id: string; username: string; token: Token };
  role: { id: string };
  /** Of the user, with the scope. */
  userKey: Token;
  /** Keys of the admin: one with the scope, one with the role. */
  scoped: { id: string; key: Token };
  byRole: { id: string; key: Token };
}

/** All callers whose right to read positions a change may take. */
async function subject(): Promise<Subject> {
  const role = await newRole(server, "gps:read");
  const user = await newUser(server, role.id);
  const [{ key: userKey }, scoped, byRole] = await Promise.all([
    commandLineKey(server, { owner: user.username, scopes: ["gps:read"] }),
    server.createKey("gps:read", "trips:read"),
    server.createKey("trips:read"),
  ]);
  const body = { role_id: role.id };
  done(await server.post(`/v1/api-keys/${byRole.id}/roles`, { token: admin, body }));
  return { user, role, userKey, scoped, byRole };
}

const as = async (method: string, path: string, body?: object) =>
  done(await server.request(method, path, { token: admin, ...(body && { body }) }));

type Change = [
  what: string,
  status: 401 | 403,
  who: (subject: Subject) => Token[],
  change: (subject: Subject) => Promise<unknown>,
];
const owners = ({ user, userKey }: Subject) => [user.token, userKey];
const CHANGES: Change[] = [
  [
    "a permission that is taken from a role",
    403,
    ({ user, userKey, byRole }) => [user.token, userKey, byRole.key],
    async ({ role }) => done(await revoke(server, role.id, "gps:read")),
  ],
  [
    "a role that is deleted",
    403,
    ({ user, userKey, byRole }) => [user.token, userKey, byRole.key],
    ({ role }) => as("DELETE", `/v1/roles/${role.id}`),
  ],
  ["a role that is taken from a user", 403, owners, ({ user, role }) => unassign(server, user.id, role.id)],
  [
    "a role that is taken from a key",
    403,
    ({ byRole }) => [byRole.key],
    ({ byRole, role }) => as("DELETE", `/v1/api-keys/${byRole.id}/roles/${role.id}`),
  ],
  [
    "a scope that is taken from a key",
    403,
    ({ scoped }) => [scoped.key],
    ({ scoped }) => as("PATCH", `/v1/api-keys/${scoped.id}`, { scopes: ["trips:read"] }),
  ],
  [
    "a key that is switched off",
    401,
    ({ scoped }) => [scoped.key],
    ({ scoped }) => as("PATCH", `/v1/api-keys/${scoped.id}`, { is_active: false }),
  ],
  [
    "a key that gets a new value",
    401,
    ({ scoped }) => [scoped.key],
    ({ scoped }) => as("POST", `/v1/api-keys/${scoped.id}/regenerate`),
  ],
  [
    "a key that is deleted",
    401,
    ({ scoped }) => [scoped.key],
    ({ scoped }) => as("DELETE", `/v1/api-keys/${scoped.id}`),
  ],
  ["a ban", 401, owners, ({ user }) => as("POST", `/v1/users/${user.id}/ban`, {})],
  ["a deleted user", 401, owners, ({ user }) => as("DELETE", `/v1/users/${user.id}`)],
  [
    "an account that is deleted for good",
    401,
    owners,
    ({ user }) => as("POST", `/v1/admin/users/${user.id}/force-delete`, { reason: "test" }),
  ],
  [
    "a sign-out",
    401,
    ({ user }) => [user.token],
    async ({ user }) => done(await server.post("/v1/auth/logout", { token: user.token })),
  ],
];

describe("not one request is let in after the answer that tells of", () => {
  test.each(CHANGES)("%s: %d", async (_, status, who, change) => {
    const subjects = await subject();
    const tokens = who(subjects);
    for (const token of tokens) expect(await hears(token)).toBe("message");
    const { before, after } = await hammer(tokens, () => change(subjects));
    expect(before).toEqual([200]);
    expect(after).toEqual([status]);
    for (const token of tokens) expect(await hears(token)).toBe(status === 401 ? "refused" : "error");
  });
});

describe("not one request is refused after the answer that tells of", () => {
  test("a permission that a role gets", async () => {
    const role = await newRole(server);
    const { token } = await newUser(server, role.id);
    const change = async () => done(await grant(server, role.id, "gps:read"));
    expect(await hammer([token], change)).toEqual({ before: [403], after: [200] });
    expect(await hears(token)).toBe("message");
  });

  test("a role that a user gets", async () => {
    const role = await newRole(server, "gps:read");
    const user = await newUser(server);
    const change = () => assign(server, user.id, role.id);
    expect(await hammer([user.token], change)).toEqual({ before: [403], after: [200] });
  });

  test("the end of a ban", async () => {
    const { user } = await subject();
    const { key } = await commandLineKey(server, { owner: user.username, scopes: ["gps:read"] });
    await as("POST", `/v1/users/${user.id}/ban`, {});
    const change = () => as("DELETE", `/v1/users/${user.id}/ban`);
    expect(await hammer([key], change)).toEqual({ before: [401], after: [200] });
  });
});

test("what is taken and given again and again is seen by each request between", async () => {
  const role = await newRole(server);
  const { token } = await newUser(server, role.id);
  for (let round = 0; round < 10; round++) {
    done(await grant(server, role.id, "gps:read"));
    expect(await ask(token)).toBe(200);
    done(await revoke(server, role.id, "gps:read"));
    expect(await ask(token)).toBe(403);
  }
});

test("a change that failed is not seen", async () => {
  const role = await newRole(server, "gps:read");
  const { token } = await newUser(server, role.id);
  expect(await ask(token)).toBe(200);
  const clerk = await server.key("roles:write");
  expect((await grant(server, role.id, "gps:write", clerk)).status).toBe(403);
  expect((await revoke(server, role.id, "trips:read")).status).toBe(404);
  expect(await ask(token)).toBe(200);
});

describe("a caller that is known", () => {
  const nobody = { address: "127.0.0.1", userAgent: "tests", acceptLanguage: null };
  /** The SQL of every statement that ran. */
  let ran: string[] = [];
  let session: Token;
  let key: Token;
  let userId: string;
  beforeAll(async () => {
    const directory = temporaryDirectory();
    loadConfig({ dataDir: directory, environment: {} });
    openDatabase(join(directory, "fairlead.db"), "normal");
    migrate();
    countRuns();
    await transact(seedIdentity);
    const user = { username: "sailor", email: "sailor@example.org", passwordHash: "none" };
    [session, key, userId] = await transact(() => {
      const { id } = insertUser({ ...user, roles: ["role_admin"] });
      const fields = { name: "k", description: null, expiresAt: null, isSystem: false };
      const made = insertApiKey({ ...fields, ownerId: id, scopes: ["gps:read"] });
      return [insertSession(id, "email", nobody).token, made.key, id] as const;
    });
  });
  afterAll(() => closeDatabase());

  /** Notes the SQL of every statement that runs, however it was prepared. */
  function countRuns(): void {
    const prepare = sqlite.prepare.bind(sqlite);
    spyOn(sqlite, "prepare").mockImplementation(((sql: string) => {
      const prepared = prepare(sql);
      const methods = prepared as unknown as Record<string, (...values: unknown[]) => unknown>;
      for (const name of ["all", "get", "run", "values"]) {
        const run = methods[name]?.bind(prepared);
        if (run)
          methods[name] = (...values) => {
            ran.push(sql);
            return run(...values);
          };
      }
      return prepared;
    }) as typeof sqlite.prepare);
  }
  const runsOf = (act: () => unknown): string[] => {
    ran = [];
    act();
    return ran;
  };

  test("costs no query, after the first request has asked", async () => {
    for (const token of [session, key]) {
      expect(runsOf(() => authenticate(token)).length).toBeGreaterThan(1);
      // The first use of a credential is noted after the request.
      await transact(() => undefined);
      const again = runsOf(() => {
        for (let request = 0; request < 100; request++) authenticate(token);
      });
      expect(again).toEqual([]);
    }
    expect(authenticate(session)?.permissions.has("gps:read")).toBe(true);
  });

  test("is asked for again after a change of its rights, once, and after nobody else's", async () => {
    authenticate(session);
    const caller = authenticate(session);
    if (!caller) throw new Error("the session isn't known");
    await createRole({ caller, client: nobody }, { name: "Other" });
    expect(runsOf(() => authenticate(session))).toEqual([]);
    await assignRole({ caller, client: nobody }, userId, { role_id: "role_moderator" });
    expect(runsOf(() => authenticate(session)).length).toBeGreaterThan(1);
    expect(runsOf(() => authenticate(session))).toEqual([]);
  });
});
