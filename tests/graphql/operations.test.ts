import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import {
  buildClientSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
} from "graphql";
import { link } from "../identity/accounts/support";
import { challenge, type Guarded, guarded, nextCode, setUp } from "../identity/two-factor/support";
import type { Answer } from "../support/api";
import { camelCased } from "../support/camel-case";
import { changesBy, unchanged } from "../support/changes";
import { isAccepted } from "../support/credentials";
import { done } from "../support/expectations";
import { mailsTo } from "../support/mail";
import { externalLogin, externalUser, newUser, type User } from "../support/people";
import { newRole } from "../support/roles";
import { rows, write } from "../support/rows";
import { TestServer } from "../support/server";
import {
  ask,
  byGraphQL,
  byRest,
  type Call,
  comparable,
  DOCUMENTS,
  type Door,
  dataOf,
  normalised,
  OPERATIONS,
  type Operation,
  pick,
} from "./support";

/**
 * Each operation gives the answer of REST, from the same function (rule G1). Reads are compared on one state.
 * For changes, two equal users go through one door each, and all effects are compared: the answer, all
 * tables, the audit log, the emails.
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

// --- The schema -------------------------------------------------------------------------------------------

const schemaOf = async (): Promise<GraphQLSchema> =>
  buildClientSchema(dataOf(await ask(server, getIntrospectionQuery({ schemaDescription: true }))));

describe("the schema", () => {
  test("has the operations of the specification and no others", async () => {
    const schema = await schemaOf();
    const names = (type: GraphQLObjectType | null | undefined) => Object.keys(type?.getFields() ?? {}).sort();
    const [queries, mutations] = [names(schema.getQueryType()), names(schema.getMutationType())];
    expect([...queries, ...mutations].sort()).toEqual([...OPERATIONS].sort());
    expect(
      OPERATIONS.filter((name): boolean => DOCUMENTS[name].startsWith("mutation")).sort() as string[],
    ).toEqual(mutations);
    expect(OPERATIONS).toHaveLength(12);
    expect(schema.getSubscriptionType()).toBeFalsy();
  });

  test("takes and answers the fields of the specification, required where it says so", async () => {
    const schema = await schemaOf();
    const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
    const shape = Object.fromEntries(
      Object.entries(fields).map(([name, { args, type }]) => {
        const answer = getNamedType(type);
        const inside = isObjectType(answer)
          ? Object.values(answer.getFields()).map((field) => `${field.name}: ${field.type}`)
          : [];
        const taken = args.flatMap((arg) => {
          const input = schema.getType(String(getNamedType(arg.type)));
          return input && "getFields" in input && arg.name === "input"
            ? Object.values(input.getFields()).map((field) => `${field.name}: ${field.type}`)
            : [`${arg.name}: ${arg.type}`];
        });
        return [name, [taken.sort().join(), String(type), inside.sort().join()]];
      }),
    );
    // An identifier that is given stays a String: a variable of that type fits no input of the type ID.
    expect(shape).toEqual({
      twoFactorStatus: [
        "userId: String",
        "TwoFactorStatus",
        "backupCodesRemaining: Int!,enabled: Boolean!,enabledAt: DateTime,setupPlatform: String",
      ],
      userRequiresTwoFactor: [
        "userId: String",
        "TwoFactorRequirement",
        "canEnable: Boolean!,enabled: Boolean!,reason: String,required: Boolean!,requiredByRoles: [String!]!",
      ],
      platforms: [
        "",
        "[Platform!]",
        "id: ID!,name: String!,slug: String!,twoFactorRequired: Boolean!,twoFactorSupported: Boolean!",
      ],
      roles: ["", "[Role!]", "id: ID!,name: String!,requiresTwoFactor: Boolean!"],
      findUserByPlatform: ["platformSlug: String!,platformUserId: String!", "ID", ""],
      setupTwoFactor: [
        "code: String,password: String,platformId: String,userId: String",
        "TwoFactorSetup",
        "expiresAt: DateTime!,platformSlug: String!,qrCodeImage: String!,qrCodeUrl: String!,secret: String!",
      ],
      verifyTwoFactor: [
        "code: String!,endOtherSessions: Boolean,password: String,userId: String",
        "BackupCodes",
        "backupCodes: [String!]!,message: String!,platformSlug: String!",
      ],
      disableTwoFactor: ["code: String!,userId: String", "Boolean", ""],
      regenerateBackupCodes: [
        "code: String!,userId: String",
        "BackupCodes",
        "backupCodes: [String!]!,message: String!,platformSlug: String!",
      ],
      verifyTwoFactorLogin: [
        "code: String!,tempToken: String!",
        "Login",
        "email: String!,expiresAt: DateTime!,preferredLocale: String,provider: String,sessionId: ID!,sessionToken: String!,userId: ID!,username: String!",
      ],
      logout: ["", "Boolean", ""],
      oauthSignin: [
        "email: String,emailVerified: Boolean,image: String,name: String!,oauthProvider: String!,oauthProviderId: String!",
        "OauthSignin",
        "message: String!,user: OauthUser!",
      ],
    });
    const user = schema.getType("OauthUser") as GraphQLObjectType;
    expect(
      Object.values(user.getFields())
        .map(({ name, type }) => `${name}: ${type}`)
        .sort(),
    ).toEqual([
      "avatarUrl: String",
      "email: String",
      "id: ID!",
      "platform: String",
      "preferredLocale: String",
      "username: String!",
    ]);
  });

  test("describes itself, each type and each operation", async () => {
    const schema = await schemaOf();
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));
    const operations = types.filter((type) => type.name === "Query" || type.name === "Mutation");
    const named = [
      ...types,
      ...operations.flatMap((type) => Object.values((type as GraphQLObjectType).getFields())),
    ];
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
    expect(schema.description).toContain("Everything else is in REST");
  });
});

// --- The source -------------------------------------------------------------------------------------------

/** The functions that answer, with their service, and the REST routes that call them. */
const SAME_FUNCTION: Record<Operation, { calls: [string, string][]; rest: [string, string] | null }> = {
  twoFactorStatus: {
    calls: [
      ["twoFactorStatus", "identity/two-factor/service"],
      ["subjectOf", "identity/two-factor-codes/service"],
    ],
    rest: ["identity/two-factor/routes", '"/status"'],
  },
  userRequiresTwoFactor: {
    calls: [
      ["twoFactorRequirement", "identity/two-factor/requirement"],
      ["subjectOf", "identity/two-factor-codes/service"],
    ],
    rest: ["identity/two-factor/routes", '"/requirement"'],
  },
  platforms: {
    calls: [["listPlatforms", "identity/platforms/service"]],
    rest: ["identity/platforms/routes", '.get("",'],
  },
  roles: { calls: [["listRoles", "identity/roles/service"]], rest: ["identity/roles/routes", '.get("",'] },
  // REST has no such operation.
  findUserByPlatform: { calls: [["findUserByPlatform", "identity/accounts/service"]], rest: null },
  setupTwoFactor: {
    calls: [
      ["setUpTwoFactor", "identity/two-factor/setup"],
      ["subjectOf", "identity/two-factor-codes/service"],
    ],
    rest: ["identity/two-factor/routes", '"/setup"'],
  },
  verifyTwoFactor: {
    calls: [
      ["enableTwoFactor", "identity/two-factor/setup"],
      ["countedSubject", "identity/two-factor-codes/tries"],
    ],
    rest: ["identity/two-factor/routes", '"/verify"'],
  },
  disableTwoFactor: {
    calls: [
      ["disableTwoFactor", "identity/two-factor/service"],
      ["countedSubject", "identity/two-factor-codes/tries"],
    ],
    rest: ["identity/two-factor/routes", ".delete("],
  },
  regenerateBackupCodes: {
    calls: [
      ["regenerateBackupCodes", "identity/two-factor/service"],
      ["countedSubject", "identity/two-factor-codes/tries"],
    ],
    rest: ["identity/two-factor/routes", '"/backup-codes/regenerate"'],
  },
  verifyTwoFactorLogin: {
    calls: [
      ["verifyTwoFactorLogin", "identity/auth/two-factor-login"],
      ["countSignInOf", "identity/two-factor-codes/tries"],
    ],
    rest: ["identity/auth/routes", '"/2fa/verify"'],
  },
  // REST ends the other sessions and the own one by two operations; `logoutEverywhere` does both.
  logout: { calls: [["logoutEverywhere", "identity/auth/service"]], rest: null },
  oauthSignin: {
    calls: [["upsertExternalLogin", "identity/accounts/external-login"]],
    rest: ["identity/accounts/routes", '"/oauth"'],
  },
};

const SRC = join(import.meta.dir, "../../src");
const sourceOf = (file: string) => readFileSync(join(SRC, `${file}.ts`), "utf8");

/** True if a file imports this name from that module, under that name. */
function imports(file: string, name: string, module: string): boolean {
  const found = [...sourceOf(file).matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm)];
  return found.some(
    ([, names = "", from = ""]) =>
      normalize(join(file, "..", from)) === module &&
      names
        .split(",")
        .map((each) => each.trim())
        .includes(name),
  );
}

/** The first match of a pattern in a file, or of its group. */
function excerpt(file: string, pattern: RegExp): string {
  const found = pattern.exec(sourceOf(file));
  if (!found) throw new Error(`${file} has no ${pattern}`);
  return found[1] ?? found[0];
}

/** The body of a resolver, without its own name. */
const resolverOf = (operation: Operation) =>
  excerpt(
    "graphql/resolvers",
    new RegExp(
      `^ {2}(?:async )?${operation}(?:\\(.*\\) \\{|: )([\\s\\S]*?)(?=^ {2}(?:async )?\\w+[(:]|^\\};)`,
      "m",
    ),
  );

/** The route that carries a mark, up to the next one. */
const routeOf = (file: string, mark: string) =>
  excerpt(
    file,
    new RegExp(
      `${RegExp.escape(mark)}[\\s\\S]*?(?=^ {2}\\.(?:get|post|put|patch|delete)\\(|^\\S|(?![\\s\\S]))`,
      "m",
    ),
  );

describe("the source", () => {
  test.each(OPERATIONS)("lets %s be answered by the function that answers REST", (operation) => {
    const { calls, rest } = SAME_FUNCTION[operation];
    const resolver = resolverOf(operation);
    for (const [name, module] of calls) {
      expect([name, imports("graphql/resolvers", name, module)]).toEqual([name, true]);
      expect(resolver).toContain(`${name}(`);
      if (!rest) continue;
      const [routes, mark] = rest;
      expect([name, imports(routes, name, module)]).toEqual([name, true]);
      expect(routeOf(routes, mark)).toContain(`${name}(`);
    }
  });

  test("lets logout be made of what the two operations of REST are made of", () => {
    const both = excerpt("identity/auth/service", /^export const logoutEverywhere[\s\S]*?^ {2}\}\);/m);
    const own = excerpt("identity/auth/service", /^export const logout [\s\S]*?^ {2}\}\);/m);
    const others = excerpt(
      "identity/sessions/service",
      /^export const revokeAllOtherSessions[\s\S]*?^ {2}\}\);/m,
    );
    expect(imports("identity/auth/service", "revokeOtherSessions", "identity/sessions/service")).toBe(true);
    expect([both, others].every((source) => source.includes("revokeOtherSessions("))).toBe(true);
    expect([both, own].every((source) => source.includes("endOwnSession("))).toBe(true);
  });
});

// --- Reads ------------------------------------------------------------------------------------------------

/** Expects that a read answers the same through both doors, and changes nothing; returns the answer. */
async function expectSameRead(operation: Operation, call: Call) {
  return unchanged(server, async () => {
    const answer = dataOf(await byGraphQL(server, operation, call))[operation];
    const body = done(await byRest(server, operation, call));
    const records: object[] = body.data ?? [body];
    const answered: object[] = Array.isArray(answer) ? answer : [answer];
    expect(answered.length).toBeGreaterThan(0);
    expect(answered).toEqual(
      records.map((record, at) => pick(camelCased(record), Object.keys(answered[at] ?? {}))),
    );
    return answer;
  });
}

describe("a read", () => {
  test("twoFactorStatus answers what GET /v1/users/me/2fa/status does", async () => {
    const user = await newUser(server);
    expect(await expectSameRead("twoFactorStatus", { token: user.token })).toEqual({
      enabled: false,
      enabledAt: null,
      setupPlatform: null,
      backupCodesRemaining: 0,
    });
    const on = await guarded(server);
    write(
      server,
      `DELETE FROM backup_codes WHERE rowid = (SELECT max(rowid) FROM backup_codes WHERE user_id = '${on.id}')`,
    );
    const expected = {
      enabled: true,
      enabledAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      setupPlatform: "email",
      backupCodesRemaining: 9,
    };
    const args = { userId: on.id };
    expect(await expectSameRead("twoFactorStatus", { token: on.token })).toEqual(expected);
    expect(await expectSameRead("twoFactorStatus", { token: on.token, args })).toEqual(expected);
    expect(await expectSameRead("twoFactorStatus", { token: server.systemKey, args })).toEqual(expected);
  });

  test("userRequiresTwoFactor answers what GET /v1/users/me/2fa/requirement does", async () => {
    const user = await newUser(server);
    const call = { token: user.token };
    expect(await expectSameRead("userRequiresTwoFactor", call)).toMatchObject({
      required: false,
      requiredByRoles: [],
      enabled: false,
      canEnable: true,
    });
    const role = done(
      await server.post("/v1/roles", {
        token: await server.admin(),
        body: { name: "Strict", requires_two_factor: true },
      }),
    ).data;
    done(
      await server.post(`/v1/users/${user.id}/roles`, {
        token: await server.admin(),
        body: { role_id: role.id },
      }),
    );
    expect(await expectSameRead("userRequiresTwoFactor", call)).toMatchObject({
      required: true,
      requiredByRoles: ["Strict"],
      reason: expect.stringContaining("Required by the role Strict"),
    });
    const on = await guarded(server, role.id);
    const args = { userId: on.id };
    expect(await expectSameRead("userRequiresTwoFactor", { token: server.systemKey, args })).toMatchObject({
      required: true,
      enabled: true,
      canEnable: false,
    });
  });

  test("platforms answers what GET /v1/platforms does", async () => {
    done(
      await server.patch("/v1/platforms/github/settings", {
        token: await server.admin(),
        body: { two_factor_required: true },
      }),
    );
    const platforms = await expectSameRead("platforms", {});
    expect(platforms).toHaveLength(6);
    expect(platforms).toContainEqual({
      id: expect.any(String),
      name: "GitHub",
      slug: "github",
      twoFactorSupported: expect.any(Boolean),
      twoFactorRequired: true,
    });
    expect(platforms).toContainEqual(
      expect.objectContaining({ slug: "email", twoFactorSupported: true, twoFactorRequired: false }),
    );
  });

  test("roles answers what GET /v1/roles does", async () => {
    const { id, name } = await newRole(server);
    const roles = await expectSameRead("roles", { token: await server.key("roles:read") });
    expect(roles).toContainEqual({ id, name, requiresTwoFactor: false });
    expect(roles).toContainEqual({ id: "role_super_admin", name: "Super Admin", requiresTwoFactor: false });
  });

  test("findUserByPlatform names the user whose accounts hold the one that is looked up", async () => {
    const [user, other] = [await externalUser(server), await externalUser(server)];
    await link(server, user, "twitch");
    const accounts = done(
      await server.get(`/v1/users/${user.id}/accounts`, { token: server.systemKey }),
    ).data;
    expect(accounts).toHaveLength(2);
    const find = async (platformSlug: string, platformUserId: string) => {
      const call = { token: server.systemKey, args: { platformSlug, platformUserId } };
      return dataOf(await byGraphQL(server, "findUserByPlatform", call)).findUserByPlatform;
    };
    await unchanged(server, async () => {
      for (const { platform_slug, platform_user_id } of accounts)
        expect(await find(platform_slug, platform_user_id)).toBe(user.id);
      expect(await find("discord", other.providerId)).toBe(other.id);
      for (const [slug, id] of [
        ["twitch", user.providerId],
        ["discord", "nobody"],
        ["discord", `${user.providerId}%`],
        ["nowhere", user.providerId],
        ["Discord", user.providerId],
      ] as const)
        expect(await find(slug, id)).toBeNull();
    });
  });

  test("is answered beside others in one request, under the names that were asked for", async () => {
    const user = await newUser(server);
    const query = "query Both { mine: twoFactorStatus { on: enabled } again: platforms { slug } __typename }";
    const data = dataOf(await ask(server, query, { token: user.token, operationName: "Both" }));
    expect(data.mine).toEqual({ on: false });
    expect(data.again).toHaveLength(6);
    expect(data.__typename).toBe("Query");
  });
});

// --- Changes ----------------------------------------------------------------------------------------------

type Somebody = User & Partial<{ secret: string; backupCodes: string[] }>;

interface Change<U> {
  operation: Operation;
  /** Makes one of two equal users. */
  prepare: () => Promise<U>;
  call: (user: U) => Promise<Call> | Call;
  /** The expected answer of GraphQL, from that of REST. */
  read: (body: Record<string, unknown>) => unknown;
  /** Tables that change, events and emails, so that doing nothing doesn't pass as being the same. */
  touches: string[];
  events: string[];
  emails: string[];
}

/** The effects of a change through one door. */
async function outcome<U extends Somebody>({ operation, read, call, prepare }: Change<U>, door: Door) {
  const user = await prepare();
  const asked = await call(user);
  let answer: Answer["body"];
  let sent = 0;
  const changes = await changesBy(server, async () => {
    // The emails of the preparation have been written by now.
    sent = (await mailsTo(server, user.email)).length;
    const got = await door(server, operation, asked);
    answer = door === byGraphQL ? dataOf(got)[operation] : read(camelCased(done(got)));
  });
  const emails = (await mailsTo(server, user.email))
    .slice(sent)
    .map(({ kind, locale, text }) => ({ kind, locale, text }));
  return { user, answer, changes, emails };
}

const eventsIn = (changes: Awaited<ReturnType<typeof changesBy>>): string[] =>
  (changes.audit_events?.new ?? []).map((row) => JSON.parse(row).event_type).sort();

/**
 * Expects that two equal users get the same, one through each door. Returns GraphQL's user, and its answer.
 */
async function expectSameChange<U extends Somebody>(change: Change<U>) {
  const [rest, graphql] = [await outcome(change, byRest), await outcome(change, byGraphQL)];
  for (const { changes, emails } of [rest, graphql]) {
    expect(Object.keys(changes).sort()).toEqual(change.touches);
    expect(eventsIn(changes)).toEqual(change.events);
    expect(emails.map(({ kind }) => kind)).toEqual(change.emails);
  }
  const [expected, got] = [rest, graphql].map(({ user, answer, emails, changes }) => ({
    ...normalised({ answer, emails }, user),
    changes: comparable(changes, user),
  }));
  expect(got).toEqual(expected);
  return graphql;
}

const CODES = ["backupCodes", "message", "platformSlug"];

describe("a change", () => {
  test("setupTwoFactor does what POST /v1/users/me/2fa/setup does", async () => {
    const { user, answer } = await expectSameChange({
      operation: "setupTwoFactor",
      prepare: () => newUser(server),
      call: ({ token }) => ({ token }),
      read: (body) => body,
      touches: ["two_factor"],
      events: [],
      emails: [],
    });
    expect(Object.keys(answer).sort()).toEqual([
      "expiresAt",
      "platformSlug",
      "qrCodeImage",
      "qrCodeUrl",
      "secret",
    ]);
    // The secret of its answer is the one that the server expects codes of.
    const code = await nextCode(server, answer.secret);
    done(await server.post("/v1/users/me/2fa/verify", { token: user.token, body: { code } }));
  });

  test("setupTwoFactor takes the platform, and the user of a system key, as REST does", async () => {
    write(server, "UPDATE platforms SET two_factor_supported = 1 WHERE slug = 'discord'");
    const [platform] = rows<{ id: string }>(server, "SELECT id FROM platforms WHERE slug = 'discord'");
    const { user } = await expectSameChange({
      operation: "setupTwoFactor",
      prepare: () => newUser(server),
      call: ({ id }) => ({
        token: server.systemKey,
        args: { platformId: platform?.id.toUpperCase(), userId: id.toUpperCase() },
      }),
      read: (body) => body,
      touches: ["two_factor"],
      events: [],
      emails: [],
    });
    expect(rows(server, "SELECT platform FROM two_factor WHERE user_id = ?", user.id)).toEqual([
      { platform: "discord" },
    ]);
  });

  test("verifyTwoFactor does what POST /v1/users/me/2fa/verify does", async () => {
    const { user, answer } = await expectSameChange({
      operation: "verifyTwoFactor",
      prepare: async () => {
        const user = await newUser(server);
        return { ...user, secret: done(await setUp(server, user.token)).secret as string };
      },
      call: async ({ token, secret }) => ({ token, args: { code: await nextCode(server, secret) } }),
      read: (body) => pick(body, CODES),
      touches: ["audit_events", "backup_codes", "outbox", "two_factor"],
      events: ["2fa_enabled"],
      emails: ["two_factor_enabled"],
    });
    expect(answer.backupCodes).toHaveLength(10);
    const args = { code: answer.backupCodes[0] };
    expect(dataOf(await byGraphQL(server, "disableTwoFactor", { token: user.token, args }))).toEqual({
      disableTwoFactor: true,
    });
  });

  test("disableTwoFactor does what DELETE /v1/users/me/2fa does, with either kind of code", async () => {
    const change: Omit<Change<Guarded>, "call"> = {
      operation: "disableTwoFactor",
      prepare: () => guarded(server),
      read: ({ success }) => success,
      touches: ["audit_events", "backup_codes", "outbox", "two_factor"],
      events: ["2fa_disabled"],
      emails: ["two_factor_disabled"],
    };
    const byApp = await expectSameChange({
      ...change,
      call: async ({ token, secret }) => ({ token, args: { code: await nextCode(server, secret) } }),
    });
    expect(byApp.answer).toBe(true);
    await expectSameChange({
      ...change,
      call: ({ id, backupCodes }) => ({
        token: server.systemKey,
        args: { userId: id, code: backupCodes[3]?.toLowerCase().replace("-", "") },
      }),
    });
  });

  test("regenerateBackupCodes does what POST …/backup-codes/regenerate does", async () => {
    const { user, answer } = await expectSameChange({
      operation: "regenerateBackupCodes",
      prepare: () => guarded(server),
      call: async ({ token, secret }) => ({ token, args: { code: await nextCode(server, secret) } }),
      read: (body) => pick(body, CODES),
      touches: ["audit_events", "backup_codes", "outbox", "two_factor"],
      events: ["2fa_backup_codes_regenerated"],
      emails: ["backup_codes_regenerated"],
    });
    expect(answer.backupCodes).toHaveLength(10);
    expect(answer.backupCodes).not.toContain(user.backupCodes[0]);
  });

  test("verifyTwoFactorLogin does what POST /v1/auth/2fa/verify does", async () => {
    const { user, answer } = await expectSameChange({
      operation: "verifyTwoFactorLogin",
      prepare: () => guarded(server),
      call: async (user) => ({
        args: { tempToken: await challenge(server, user), code: await nextCode(server, user.secret) },
      }),
      read: ({ requires2fa, ...body }) => {
        expect(requires2fa).toBe(false);
        return body;
      },
      touches: [
        "audit_events",
        "sessions",
        "sign_in_addresses",
        "two_factor",
        "two_factor_challenges",
        "users",
      ],
      events: ["2fa_verified", "login", "session_created"],
      emails: [],
    });
    expect(answer).toEqual({
      userId: user.id,
      email: user.email,
      username: user.username,
      sessionToken: expect.stringMatching(/^ses_[\w-]{43}$/),
      sessionId: expect.any(String),
      expiresAt: expect.any(String),
      provider: "email",
      preferredLocale: null,
    });
    const sessions = done(await server.get("/v1/users/me/sessions", { token: answer.sessionToken }));
    expect(sessions.current_session_id).toBe(answer.sessionId);
  });

  test("verifyTwoFactorLogin with one of the last backup codes reminds of it, as in REST", async () => {
    await expectSameChange({
      operation: "verifyTwoFactorLogin",
      prepare: async () => {
        const user = await guarded(server);
        done(
          await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: { locale: "de" } }),
        );
        const [kept] = user.backupCodes;
        // Leaves three others beside the code that is used.
        write(
          server,
          `DELETE FROM backup_codes WHERE rowid IN
             (SELECT rowid FROM backup_codes WHERE user_id = '${user.id}' ORDER BY rowid LIMIT -1 OFFSET 4)`,
        );
        return { ...user, backupCodes: [kept ?? ""] };
      },
      call: async (user) => ({
        args: { tempToken: await challenge(server, user), code: user.backupCodes[0] },
      }),
      read: ({ requires2fa: _, ...body }) => body,
      touches: [
        "audit_events",
        "backup_codes",
        "outbox",
        "sessions",
        "sign_in_addresses",
        "two_factor_challenges",
        "users",
      ],
      events: ["2fa_verified", "login", "session_created"],
      emails: ["backup_codes_low"],
    });
  });

  test("logout ends all sessions, as the two operations of REST do that end the others and the own one", async () => {
    const { id: role } = await newRole(server, "api_keys:write");
    const withThree = async () => {
      const user = await newUser(server, role);
      const others = [
        await server.login(user.username, user.password),
        await server.login(user.username, user.password),
      ];
      const { key } = done(
        await server.post("/v1/api-keys", { token: user.token, body: { name: "k", scopes: [] } }),
      );
      return { ...user, others: others.map(({ session_token }) => session_token), key };
    };
    const [first, second, bystander] = [await withThree(), await withThree(), await withThree()];
    const rest = await changesBy(server, async () => {
      done(await server.delete("/v1/users/me/sessions", { token: first.token }));
      done(await server.post("/v1/auth/logout", { token: first.token }));
    });
    const graphql = await changesBy(server, async () =>
      expect(dataOf(await byGraphQL(server, "logout", { token: second.token }))).toEqual({ logout: true }),
    );
    // The audit log says why the others ended: by a sign-out in one case, by revocation in the other.
    const inWords = (text: object) =>
      JSON.parse(JSON.stringify(text).replaceAll("signed out everywhere", "revoked by the user"));
    expect(inWords(comparable(graphql, second))).toEqual(comparable(rest, first));
    expect(Object.keys(graphql).sort()).toEqual(["audit_events", "sessions"]);
    expect(graphql.sessions).toMatchObject({ gone: { length: 3 }, new: [] });
    expect(eventsIn(graphql)).toEqual(["logout", "session_revoked", "session_revoked"]);
    for (const token of [second.token, ...second.others]) expect(await isAccepted(server, token)).toBe(false);
    expect(await isAccepted(server, second.key)).toBe(true);
    for (const token of [bystander.token, ...bystander.others])
      expect(await isAccepted(server, token)).toBe(true);
  });

  test("logout drops what is cached of the user's rights", async () => {
    const { id: role } = await newRole(server, "roles:read", "api_keys:write");
    const user = await newUser(server, role);
    const { key } = done(
      await server.post("/v1/api-keys", { token: user.token, body: { name: "k", scopes: ["roles:read"] } }),
    );
    const reads = async () => (await server.get("/v1/roles", { token: key })).status;
    expect(await reads()).toBe(200);
    // The server isn't told: it goes on with its cached rights.
    write(server, `UPDATE api_keys SET scopes = '[]' WHERE owner_id = '${user.id}'`);
    expect(await reads()).toBe(200);
    dataOf(await byGraphQL(server, "logout", { token: user.token }));
    expect(await reads()).toBe(403);
  });
});

describe("oauthSignin does what POST /v1/users/oauth does", () => {
  const FIELDS = ["id", "username", "email", "avatarUrl", "platform"];

  /** Signs two equal users in, one through each door, and compares the effects. */
  async function expectSameSignIn(
    prepare: () => Promise<Record<string, unknown>>,
    touches: string[],
    events: string[],
  ) {
    const outcomes = [];
    for (const door of [byRest, byGraphQL]) {
      const args = await prepare();
      let answer: Record<string, unknown> = {};
      const changes = await changesBy(server, async () => {
        const got = await door(server, "oauthSignin", { token: server.systemKey, args });
        if (door === byRest) answer = pick(camelCased(done(got).data), FIELDS);
        else {
          const { user, message } = dataOf(got).oauthSignin;
          expect(message).toEqual(expect.stringMatching(/./));
          answer = user;
        }
      });
      const id = String(answer.id);
      const { preferred_locale } = done(
        await server.get(`/v1/users/${id}`, { token: server.systemKey }),
      ).data;
      if (door === byGraphQL) expect(answer.preferredLocale).toBe(preferred_locale);
      const { preferredLocale: _, ...user } = answer;
      outcomes.push({ user: normalised(user, { id }), changes: comparable(changes, { id }) });
      expect(Object.keys(changes).sort()).toEqual(touches);
      expect(eventsIn(changes)).toEqual(events);
    }
    const [rest, graphql] = outcomes;
    expect(graphql).toEqual(rest);
  }

  test("for somebody new", async () => {
    await expectSameSignIn(
      async () => ({ ...externalLogin() }),
      ["audit_events", "counters", "platform_accounts", "user_roles", "users"],
      ["user_created"],
    );
  });

  test("for somebody new without an address and a picture", async () => {
    await expectSameSignIn(
      async () => ({ ...externalLogin({ email: null, image: null }) }),
      ["audit_events", "counters", "platform_accounts", "user_roles", "users"],
      ["user_created"],
    );
  });

  test("for an account that is known, which it updates", async () => {
    await expectSameSignIn(
      async () => {
        const { providerId, email, id } = await externalUser(server);
        done(
          await server.patch(`/v1/users/${id}/locale`, { token: server.systemKey, body: { locale: "de" } }),
        );
        return { ...externalLogin({ oauthProviderId: providerId, email, image: null, emailVerified: true }) };
      },
      ["audit_events", "platform_accounts", "users"],
      ["user_updated"],
    );
  });

  test("for an address that is known, to which it links the account", async () => {
    await expectSameSignIn(
      async () => {
        const { email } = await externalUser(server);
        return { ...externalLogin({ email, oauthProvider: "twitch" }) };
      },
      ["audit_events", "platform_accounts", "users"],
      ["account_linked"],
    );
  });

  test("for a banned user, who is told of and not signed in", async () => {
    await expectSameSignIn(
      async () => {
        const { providerId, id, email } = await externalUser(server);
        done(await server.post(`/v1/users/${id}/ban`, { token: await server.admin() }));
        return { ...externalLogin({ oauthProviderId: providerId, email, name: "Banned" }) };
      },
      ["audit_events", "platform_accounts", "users"],
      ["user_updated"],
    );
  });
});
