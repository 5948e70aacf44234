import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { challenge, guarded } from "../identity/two-factor/support";
import type { Token } from "../support/api";
import { unchanged } from "../support/changes";
import { commandLineKey, createKey, isAccepted } from "../support/credentials";
import { done, UNKNOWN } from "../support/expectations";
import { externalUser, newUser, type User } from "../support/people";
import { newRole } from "../support/roles";
import { TestServer } from "../support/server";
import {
  ask,
  byGraphQL,
  byRest,
  type Call,
  dataOf,
  expectError,
  type Operation,
  refusalOf,
  restRefusalOf,
} from "./support";

/** Access to each operation by GraphQL is the same as by REST (rules G1, C4, C5, R1 and R4). */

let server: TestServer;
/** A role that lets its holders make keys. */
let keyMaker: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  keyMaker = (await newRole(server, "api_keys:write")).id;
});
afterAll(() => server.stop());

/** A user and a key of the user's. */
async function withKey(...scopes: string[]) {
  const user = await newUser(server, keyMaker);
  return { ...user, key: (await createKey(server, user.token, scopes)).key };
}

// --- Two-factor authentication ----------------------------------------------------------------------------

const READS: Operation[] = ["twoFactorStatus", "userRequiresTwoFactor"];
const WRITES: Operation[] = [
  "setupTwoFactor",
  "verifyTwoFactor",
  "disableTwoFactor",
  "regenerateBackupCodes",
];
/** A code that comes too early: a caller who is let in is told that there is nothing to use it for. */
const codeOf = (operation: Operation) =>
  READS.includes(operation) || operation === "setupTwoFactor" ? {} : { code: "123456" };

/**
 * The refusal that a caller gets, or that it may. A code that comes too early, or is wrong, was looked at.
 */
async function gets(operation: Operation, call: Call, door: typeof byGraphQL) {
  const answer = await door(server, operation, call);
  const isError = door === byGraphQL ? answer.body.errors !== undefined : answer.status >= 400;
  if (!isError) return "allowed";
  const refusal = door === byGraphQL ? refusalOf(answer) : restRefusalOf(answer);
  const wasLookedAt = refusal.code === "BadRequest" || refusal.details?.[0]?.path === "/code";
  return wasLookedAt ? "allowed" : refusal;
}

describe("operations of two-factor authentication", () => {
  let [user, manager, other]: Partial<User>[] = [];
  const tokens: Record<string, Token | undefined> = {};
  beforeAll(async () => {
    user = await newUser(server);
    other = await newUser(server);
    manager = await newUser(server, keyMaker, (await newRole(server, "two_factor:manage")).id);
    const key = async (scopes: string[]) => (await createKey(server, manager?.token ?? "", scopes)).key;
    Object.assign(tokens, {
      nobody: undefined,
      "a wrong session": `ses_${"x".repeat(43)}`,
      "a wrong key": `flk_${"x".repeat(43)}`,
      "a challenge": await challenge(server, await guarded(server)),
      "a session": user.token,
      "a manager's session": manager.token,
      "a key that reads": await key(["two_factor:read"]),
      "a key that writes": await key(["two_factor:write"]),
      "a key that manages": await key(["two_factor:manage"]),
      "a key of all three": await key(["two_factor:read", "two_factor:write", "two_factor:manage"]),
      "a narrow key": await key([]),
      "a system key": server.systemKey,
    });
  });

  /**
   * By caller: the status of reads and writes of the own account, then of another's; 200 where the caller is
   * let in.
   */
  const EXPECTED: Record<string, [number, number, number, number]> = {
    nobody: [401, 401, 401, 401],
    "a wrong session": [401, 401, 401, 401],
    "a wrong key": [401, 401, 401, 401],
    "a challenge": [401, 401, 401, 401],
    "a session": [200, 200, 403, 403],
    "a manager's session": [200, 200, 200, 200],
    "a key that reads": [200, 403, 403, 403],
    "a key that writes": [403, 200, 403, 403],
    "a key that manages": [403, 403, 200, 200],
    "a key of all three": [200, 200, 200, 200],
    "a narrow key": [403, 403, 403, 403],
    "a system key": [400, 400, 200, 200],
  };

  test.each(Object.keys(EXPECTED))("are for %s what they are in REST", async (name) => {
    const token = tokens[name];
    const [reads = 0, writes = 0, othersReads = 0, othersWrites = 0] = EXPECTED[name] ?? [];
    for (const operation of [...READS, ...WRITES])
      for (const userId of [undefined, other?.id, UNKNOWN]) {
        const args = { ...codeOf(operation), ...(userId !== undefined && { userId }) };
        const call = { token, args };
        const graphql = await gets(operation, call, byGraphQL);
        expect([operation, userId, graphql]).toEqual([
          operation,
          userId,
          await gets(operation, call, byRest),
        ]);
        if (userId === UNKNOWN) continue;
        const isRead = READS.includes(operation);
        const expected =
          userId === undefined ? (isRead ? reads : writes) : isRead ? othersReads : othersWrites;
        expect([operation, userId, graphql === "allowed" ? 200 : graphql.status]).toEqual([
          operation,
          userId,
          expected,
        ]);
      }
  });

  test("on somebody who may do more are the reads alone, for whoever manages the others", async () => {
    const { user_id: userId } = await server.login("admin", "correct horse battery");
    for (const operation of [...READS, ...WRITES]) {
      const call = { token: manager?.token, args: { ...codeOf(operation), userId } };
      const graphql = await gets(operation, call, byGraphQL);
      expect(graphql).toEqual(await gets(operation, call, byRest));
      expect([operation, graphql === "allowed"]).toEqual([operation, READS.includes(operation)]);
    }
  });

  test("need a system key to name the user, whether or not it has an owner", async () => {
    const { key } = await commandLineKey(server, { owner: user?.username ?? "", system: true });
    for (const operation of [...READS, ...WRITES]) {
      const answer = await byGraphQL(server, operation, { token: key, args: codeOf(operation) });
      expectError(answer, 400, "ValidationError");
      expect(refusalOf(answer).message).toBe("userId is required with a system key");
    }
    const answer = await byGraphQL(server, "twoFactorStatus", { token: key, args: { userId: other?.id } });
    expect(dataOf(answer).twoFactorStatus.enabled).toBe(false);
  });

  test("take null for a user who isn't named", async () => {
    const call = { token: user?.token, args: { userId: null } };
    expect(dataOf(await byGraphQL(server, "twoFactorStatus", call)).twoFactorStatus.enabled).toBe(false);
    expect(
      dataOf(await ask(server, "mutation { setupTwoFactor(input: null) { platformSlug } }", call)),
    ).toEqual({
      setupTwoFactor: { platformSlug: "email" },
    });
    expectError(
      await byGraphQL(server, "twoFactorStatus", { ...call, token: server.systemKey }),
      400,
      "ValidationError",
    );
  });
});

// --- The others -------------------------------------------------------------------------------------------

describe("operations that anyone may ask for", () => {
  test("don't look at a credential, as REST doesn't", async () => {
    for (const token of [undefined, `ses_${"x".repeat(43)}`, "nonsense", server.systemKey])
      expect(dataOf(await byGraphQL(server, "platforms", { token })).platforms).toHaveLength(6);
    const user = await guarded(server);
    const args = { tempToken: await challenge(server, user), code: user.backupCodes[0] };
    const { verifyTwoFactorLogin } = dataOf(
      await byGraphQL(server, "verifyTwoFactorLogin", { token: `ses_${"x".repeat(43)}`, args }),
    );
    expect(await isAccepted(server, verifyTwoFactorLogin.sessionToken)).toBe(true);
  });
});

describe("a refusal", () => {
  test("concerns its operation alone: what else was asked for is answered", async () => {
    const { token } = await newUser(server);
    const read = await ask(server, "{ roles { id } platforms { slug } twoFactorStatus { enabled } }", {
      token,
    });
    expect(read.status).toBe(200);
    expect(read.body.data).toMatchObject({ roles: null, twoFactorStatus: { enabled: false } });
    expect(read.body.data.platforms).toHaveLength(6);
    expect(read.body.errors).toMatchObject([
      { path: ["roles"], extensions: { code: "Forbidden", status: 403 } },
    ]);

    const write = await ask(
      server,
      `mutation { off: disableTwoFactor(input: { code: "123456" }) on: setupTwoFactor { platformSlug } }`,
      { token },
    );
    expect(write.body.data).toEqual({ off: null, on: { platformSlug: "email" } });
    expect(write.body.errors).toMatchObject([
      { path: ["off"], extensions: { code: "BadRequest", status: 400 } },
    ]);
  });
});

describe("roles", () => {
  test("need roles:read, whatever else one holds", async () => {
    const user = await newUser(server);
    for (const token of [
      user.token,
      await server.key("users:read", "two_factor:*", "roles:write"),
      await server.key(),
    ])
      expectError(await byGraphQL(server, "roles", { token }), 403, "Forbidden");
    expectError(await byGraphQL(server, "roles", {}), 401, "Unauthorized");
    for (const token of [
      await server.key("roles:read"),
      await server.key("roles:*"),
      server.systemKey,
      await server.admin(),
    ])
      expect(dataOf(await byGraphQL(server, "roles", { token })).roles.length).toBeGreaterThan(6);
  });
});

describe("findUserByPlatform", () => {
  test("needs a system key or users:read, and a session of the user has neither", async () => {
    const user = await externalUser(server);
    const args = { platformSlug: "discord", platformUserId: user.providerId };
    for (const token of [user.token, await server.key("users:write", "roles:read", "two_factor:*")])
      for (const platformUserId of [user.providerId, "nobody"]) {
        const answer = await byGraphQL(server, "findUserByPlatform", {
          token,
          args: { ...args, platformUserId },
        });
        expectError(answer, 403, "Forbidden");
        expect(refusalOf(answer).message).toBe("This needs the permission users:read");
      }
    expectError(await byGraphQL(server, "findUserByPlatform", { args }), 401, "Unauthorized");
    for (const token of [server.systemKey, await server.key("users:read"), await server.admin()])
      expect(dataOf(await byGraphQL(server, "findUserByPlatform", { token, args }))).toEqual({
        findUserByPlatform: user.id,
      });
  });
});

describe("logout", () => {
  test("is for sessions: a key ends nothing, not even its owner's", async () => {
    const user = await withKey("two_factor:read", "two_factor:write");
    await unchanged(server, async () => {
      for (const token of [undefined, user.key, server.systemKey, `ses_${"x".repeat(43)}`])
        expectError(await byGraphQL(server, "logout", { token }), 401, "Unauthorized");
    });
    expect(await isAccepted(server, user.token)).toBe(true);
    expect(dataOf(await byGraphQL(server, "logout", { token: user.token }))).toEqual({ logout: true });
    expect(await isAccepted(server, user.token)).toBe(false);
    expectError(await byGraphQL(server, "logout", { token: user.token }), 401, "Unauthorized");
  });
});

describe("oauthSignin", () => {
  test("is for system keys: holding everything is not enough", async () => {
    const args = { name: "Somebody", oauthProvider: "discord", oauthProviderId: "somebody-new" };
    const tokens = [await server.admin(), await server.key("*:*")];
    await unchanged(server, async () => {
      for (const token of tokens)
        expectError(await byGraphQL(server, "oauthSignin", { token, args }), 403, "Forbidden");
    });
    const find = { platformSlug: "discord", platformUserId: "somebody-new" };
    const found = await byGraphQL(server, "findUserByPlatform", { token: server.systemKey, args: find });
    expect(dataOf(found)).toEqual({ findUserByPlatform: null });
  });
});

// --- Credentials that end ---------------------------------------------------------------------------------

describe("a credential", () => {
  const reads = (token: Token) => byGraphQL(server, "twoFactorStatus", { token });

  test("that was revoked is refused at once", async () => {
    const user = await newUser(server);
    const { session_id, session_token } = await server.login(user.username, user.password);
    dataOf(await reads(session_token));
    done(await server.delete(`/v1/users/me/sessions/${session_id}`, { token: user.token }));
    expectError(await reads(session_token), 401, "Unauthorized");
    const { id, key } = await server.createKey("two_factor:read");
    dataOf(await reads(key));
    done(await server.delete(`/v1/api-keys/${id}`, { token: await server.admin() }));
    expectError(await reads(key), 401, "Unauthorized");
  });

  test("of a user who was banned or deleted is refused at once, the user's keys too", async () => {
    const token = await server.admin();
    for (const end of [
      (id: string) => server.post(`/v1/users/${id}/ban`, { token }),
      (id: string) => server.delete(`/v1/users/${id}`, { token }),
    ]) {
      const user = await withKey("two_factor:read", "two_factor:write");
      for (const credential of [user.token, user.key]) dataOf(await reads(credential));
      done(await end(user.id));
      for (const credential of [user.token, user.key]) {
        expectError(await reads(credential), 401, "Unauthorized");
        expectError(await byGraphQL(server, "setupTwoFactor", { token: credential }), 401, "Unauthorized");
      }
    }
  });

  test("that loses a permission loses the operation", async () => {
    const { id: role } = await newRole(server, "roles:read");
    const user = await newUser(server, role);
    dataOf(await byGraphQL(server, "roles", { token: user.token }));
    done(await server.delete(`/v1/users/${user.id}/roles/${role}`, { token: await server.admin() }));
    expectError(await byGraphQL(server, "roles", { token: user.token }), 403, "Forbidden");
  });

  test("is looked at for each operation of a request", async () => {
    const user = await newUser(server);
    const answer = await ask(server, "mutation { first: logout second: logout }", { token: user.token });
    expect(answer.body.data).toEqual({ first: true, second: null });
    expect(answer.body.errors).toMatchObject([{ path: ["second"], extensions: { code: "Unauthorized" } }]);
    expect(await isAccepted(server, user.token)).toBe(false);
  });

  test("that won't do for one operation does no harm to another beside it", async () => {
    const query = '{ platforms { slug } findUserByPlatform(platformSlug: "discord", platformUserId: "x") }';
    const { status, body } = await ask(server, query);
    expect(status).toBe(200);
    expect(body.data.platforms).toHaveLength(6);
    expect(body.data.findUserByPlatform).toBeNull();
    expect(body.errors).toMatchObject([{ path: ["findUserByPlatform"], extensions: { status: 401 } }]);
  });
});
