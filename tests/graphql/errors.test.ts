import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { challenge, type Guarded, guarded, nextCode, setUp, wrongCode } from "../identity/two-factor/support";
import type { Token } from "../support/api";
import { changesBy, unchanged } from "../support/changes";
import { withoutAudit } from "../support/events";
import { done, UNKNOWN } from "../support/expectations";
import { externalLogin, externalUser, newUser } from "../support/people";
import { rows, write } from "../support/rows";
import { TestServer } from "../support/server";
import {
  byGraphQL,
  byRest,
  type Call,
  comparable,
  type Door,
  dataOf,
  expectError,
  type Operation,
  type Refusal,
  refusalOf,
  restRefusalOf,
} from "./support";

/**
 * GraphQL refuses what REST refuses, with the same name, status, message and details (rule G1); names of
 * fields are in camelCase. Access: access.test.ts. Limits: limits.test.ts.
 */

let server: TestServer;
let plain: { id: string; username: string; token: Token };
let on: Guarded;
let narrow: Token;
beforeAll(async () => {
  // Outside production, yoga would reveal the error's message.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "development";
  server = await TestServer.start({ clock: "movable" });
  process.env.NODE_ENV = before;
  plain = await newUser(server);
  on = await guarded(server);
  narrow = await server.key("gps:read");
});
afterAll(() => server.stop());

const platform = (slug: string): string =>
  rows<{ id: string }>(server, "SELECT id FROM platforms WHERE slug = ?", slug)[0]?.id ?? "";
const changePlatform = async (slug: string, body: object) =>
  done(await server.patch(`/v1/platforms/${slug}/settings`, { token: await server.admin(), body }));

interface Case {
  operation: Operation;
  what: string;
  call: () => Promise<Call> | Call;
  status: number;
  code: string;
  /** The invalid fields, where there are such. */
  fields?: string[];
  /** Traces that a refusal leaves nevertheless: a failure in the audit log, a wrong code. */
  notes?: string[];
}

const INVALID = { status: 400, code: "ValidationError" };
const BAD = { status: 400, code: "BadRequest" };
const own = (args: Record<string, unknown> = {}) => ({ token: plain.token, args });
const ofGuarded = (args: Record<string, unknown> = {}) => ({ token: on.token, args });
const system = (args: Record<string, unknown> = {}) => ({ token: server.systemKey, args });

const SUBJECT: Operation[] = [
  "twoFactorStatus",
  "userRequiresTwoFactor",
  "setupTwoFactor",
  "verifyTwoFactor",
  "disableTwoFactor",
  "regenerateBackupCodes",
];
const CODE: Record<string, unknown> = { code: "123456" };
const withCode = (operation: Operation) => (/verify|disable|regenerate/.test(operation) ? CODE : {});

const ofSubject = SUBJECT.flatMap((operation): Case[] => [
  {
    operation,
    what: "a malformed user",
    call: () => own({ ...withCode(operation), userId: "nonsense" }),
    ...INVALID,
    fields: ["/userId"],
  },
  {
    operation,
    what: "an unknown user",
    call: () => system({ ...withCode(operation), userId: UNKNOWN }),
    ...INVALID,
    fields: ["/userId"],
  },
  {
    operation,
    what: "no user of a system key",
    call: () => system(withCode(operation)),
    ...INVALID,
    fields: ["/userId"],
  },
  {
    operation,
    what: "somebody else",
    call: () => own({ ...withCode(operation), userId: on.id }),
    status: 403,
    code: "Forbidden",
  },
  {
    operation,
    what: "a stranger",
    call: () => ({ args: withCode(operation) }),
    status: 401,
    code: "Unauthorized",
  },
  {
    operation,
    what: "a narrow key",
    call: () => ({ token: narrow, args: withCode(operation) }),
    status: 403,
    code: "Forbidden",
  },
]);

const noted = ["audit_events"];
/** A wrong code is counted as well. */
const counted = [...noted, "sign_in_addresses", "two_factor"];
const twoFactor: Case[] = [
  {
    operation: "setupTwoFactor",
    what: "a malformed platform",
    call: () => own({ platformId: "email" }),
    ...INVALID,
    fields: ["/platformId"],
  },
  {
    operation: "setupTwoFactor",
    what: "a malformed platform and a malformed user",
    call: () => own({ platformId: "", userId: "" }),
    ...INVALID,
    fields: ["/platformId", "/userId"],
  },
  {
    operation: "setupTwoFactor",
    what: "an unknown platform",
    call: () => own({ platformId: UNKNOWN }),
    status: 404,
    code: "NotFound",
  },
  {
    operation: "setupTwoFactor",
    what: "a platform that doesn't support it",
    call: () => {
      write(server, "UPDATE platforms SET two_factor_supported = 0 WHERE slug = 'twitch'");
      return own({ platformId: platform("twitch") });
    },
    ...BAD,
  },
  { operation: "setupTwoFactor", what: "a user who has it on", call: () => ofGuarded(), ...BAD },
  ...(["verifyTwoFactor", "regenerateBackupCodes"] as const).flatMap((operation): Case[] =>
    ["", "12345", "1234567", "12 456", "ABCDE-FGHJK"].map((code) => ({
      operation,
      what: `the code "${code}"`,
      call: () => ofGuarded({ code }),
      ...INVALID,
      fields: ["/code"],
    })),
  ),
  { operation: "verifyTwoFactor", what: "a set-up that never began", call: () => own(CODE), ...BAD },
  { operation: "verifyTwoFactor", what: "a user who has it on", call: () => ofGuarded(CODE), ...BAD },
  {
    operation: "verifyTwoFactor",
    what: "a wrong code",
    call: async () => {
      const user = await newUser(server);
      const { secret } = done(await setUp(server, user.token));
      return { token: user.token, args: { code: wrongCode(server, secret) } };
    },
    ...INVALID,
    fields: ["/code"],
    notes: noted,
  },
  {
    operation: "verifyTwoFactor",
    what: "a set-up that has expired",
    call: async () => {
      const user = await newUser(server);
      const { secret } = done(await setUp(server, user.token));
      write(server, `UPDATE two_factor SET setup_expires_at = 1 WHERE user_id = '${user.id}'`);
      return { token: user.token, args: { code: await nextCode(server, secret) } };
    },
    ...BAD,
  },
  ...(["disableTwoFactor", "regenerateBackupCodes"] as const).flatMap((operation): Case[] => [
    { operation, what: "a user who has it off", call: () => own(CODE), ...BAD },
    {
      operation,
      what: "a wrong code",
      call: () => ofGuarded({ code: wrongCode(server, on.secret) }),
      ...INVALID,
      fields: ["/code"],
      notes: counted,
    },
  ]),
  {
    operation: "disableTwoFactor",
    what: "no code at all",
    call: () => ofGuarded({ code: "" }),
    ...INVALID,
    fields: ["/code"],
    notes: counted,
  },
];

const REFUSED_LOGIN = { operation: "verifyTwoFactorLogin", notes: noted } as const;
const signingIn: Case[] = [
  ...["", "2fa_", `2fa_${"x".repeat(43)}`, "ses_x"].map((tempToken) => ({
    ...REFUSED_LOGIN,
    what: `the token "${tempToken.slice(0, 8)}"`,
    call: () => ({ args: { tempToken, code: "123456" } }),
    status: 401,
    code: "Unauthorized",
    notes: [...noted],
  })),
  {
    ...REFUSED_LOGIN,
    what: "a wrong code",
    call: async () => ({
      args: { tempToken: await challenge(server, on), code: wrongCode(server, on.secret) },
    }),
    status: 401,
    code: "Unauthorized",
    notes: [...counted, "two_factor_challenges"],
  },
  {
    ...REFUSED_LOGIN,
    what: "a user who was banned meanwhile",
    call: async () => {
      const user = await guarded(server);
      const tempToken = await challenge(server, user);
      write(
        server,
        `INSERT INTO bans (id, user_id, banned_at) VALUES ('${Bun.randomUUIDv7()}', '${user.id}', ${Date.now()})`,
      );
      return { args: { tempToken, code: user.backupCodes[0] } };
    },
    status: 403,
    code: "AccountBanned",
    notes: [...noted],
  },
  {
    ...REFUSED_LOGIN,
    what: "a platform that was switched off meanwhile",
    call: async () => {
      const tempToken = await challenge(server, on);
      write(server, `UPDATE two_factor_challenges SET provider = 'youtube' WHERE user_id = '${on.id}'`);
      await changePlatform("youtube", { enabled: false });
      return { args: { tempToken, code: on.backupCodes[0] } };
    },
    status: 403,
    code: "Forbidden",
    notes: [...noted],
  },
];

const external = (
  what: string,
  overrides: object,
  status: number,
  code: string,
  ...fields: string[]
): Case => ({
  operation: "oauthSignin",
  what,
  call: () => system({ ...externalLogin(), ...overrides }),
  status,
  code,
  ...(fields.length > 0 && { fields }),
});

const signingInElsewhere: Case[] = [
  external("an unknown platform", { oauthProvider: "nowhere" }, 400, "ValidationError", "/oauthProvider"),
  external("the local platform", { oauthProvider: "email" }, 400, "ValidationError", "/oauthProvider"),
  external("an empty name", { name: "" }, 400, "ValidationError", "/name"),
  external("a name that is too long", { name: "🌊".repeat(201) }, 400, "ValidationError", "/name"),
  external("no address", { email: "nobody" }, 400, "ValidationError", "/email"),
  external("a picture that is a script", { image: "javascript:alert(1)" }, 400, "ValidationError", "/image"),
  external(
    "many mistakes at once",
    { name: "", oauthProviderId: "", oauthProvider: "", email: "" },
    400,
    "ValidationError",
    "/email",
    "/name",
    "/oauthProvider",
    "/oauthProviderId",
  ),
  external("a platform that is off", { oauthProvider: "youtube" }, 403, "Forbidden"),
  {
    operation: "oauthSignin",
    what: "an address that the platform doesn't vouch for",
    call: () => system({ ...externalLogin({ email: on.email }), emailVerified: false }),
    status: 409,
    code: "Conflict",
  },
  {
    operation: "oauthSignin",
    what: "a deleted user",
    call: async () => {
      const { id, providerId, email } = await externalUser(server);
      done(await server.delete(`/v1/users/${id}`, { token: server.systemKey }));
      return system(externalLogin({ oauthProviderId: providerId, email }));
    },
    status: 403,
    code: "Forbidden",
  },
  {
    operation: "oauthSignin",
    what: "somebody new where registration is off",
    call: async () => {
      await changePlatform("github", { registration_enabled: false });
      return system(externalLogin({ oauthProvider: "github" }));
    },
    ...BAD,
  },
  {
    operation: "oauthSignin",
    what: "a session",
    call: () => own({ ...externalLogin() }),
    status: 403,
    code: "Forbidden",
  },
  {
    operation: "oauthSignin",
    what: "a stranger",
    call: () => ({ args: externalLogin() }),
    status: 401,
    code: "Unauthorized",
  },
];

const CASES: Case[] = [
  ...ofSubject,
  ...twoFactor,
  ...signingIn,
  ...signingInElsewhere,
  { operation: "roles", what: "a stranger", call: () => ({}), status: 401, code: "Unauthorized" },
  {
    operation: "roles",
    what: "a narrow key",
    call: () => ({ token: narrow }),
    status: 403,
    code: "Forbidden",
  },
  { operation: "logout", what: "a stranger", call: () => ({}), status: 401, code: "Unauthorized" },
  { operation: "logout", what: "a key", call: () => ({ token: narrow }), status: 401, code: "Unauthorized" },
];

/** The refusal of a door, and the traces that it left. */
async function refusedBy(door: Door, { operation, call }: Case) {
  const asked = await call();
  let refusal: Refusal | undefined;
  const changes = await changesBy(server, async () => {
    const answer = await door(server, operation, asked);
    if (door === byGraphQL)
      expect(Object.values(answer.body.data ?? {}).every((value) => value === null)).toBe(true);
    refusal = (door === byGraphQL ? refusalOf : restRefusalOf)(answer);
  });
  return { refusal, changes: comparable(changes, { id: "nobody" }) };
}

describe("GraphQL refuses what REST refuses, in the same words", () => {
  test.each(CASES.map((each) => [each.operation, each.what, each] as const))(
    "%s of %s",
    async (_, __, each) => {
      const rest = await refusedBy(byRest, each);
      const graphql = await refusedBy(byGraphQL, each);
      expect(graphql).toEqual(rest);
      const { refusal, changes } = graphql;
      expect([refusal?.status, refusal?.code]).toEqual([each.status, each.code]);
      expect(refusal?.details?.map(({ path }) => path).sort()).toEqual(each.fields);
      expect(refusal?.message).not.toMatch(/[a-z]_[a-z]+ (is|must|names)/);
      expect(Object.keys(changes).sort()).toEqual(each.notes ?? []);
    },
  );

  test("for each operation that can be refused", () => {
    const covered = new Set(CASES.map(({ operation }) => operation));
    // Reads of platforms are open to everybody; look-ups are not in REST: see below.
    expect([...covered].sort()).toEqual([
      "disableTwoFactor",
      "logout",
      "oauthSignin",
      "regenerateBackupCodes",
      "roles",
      "setupTwoFactor",
      "twoFactorStatus",
      "userRequiresTwoFactor",
      "verifyTwoFactor",
      "verifyTwoFactorLogin",
    ]);
  });
});

describe("findUserByPlatform refuses", () => {
  test.each([
    ["an empty platform", { platformSlug: "", platformUserId: "x" }, ["/platformSlug"]],
    ["an empty user", { platformSlug: "discord", platformUserId: "" }, ["/platformUserId"]],
    [
      "names that are too long",
      { platformSlug: "x".repeat(129), platformUserId: "x".repeat(256) },
      ["/platformSlug", "/platformUserId"],
    ],
  ])("%s", async (_, args, fields) => {
    await unchanged(server, async () => {
      const answer = await byGraphQL(server, "findUserByPlatform", { token: server.systemKey, args });
      const { status, code, message, details } = refusalOf(answer);
      expect([status, code]).toEqual([400, "ValidationError"]);
      expect(details?.map(({ path }) => path)).toEqual(fields);
      expect(message).toStartWith(fields[0]?.slice(1) ?? "?");
      expect(answer.body.data).toEqual({ findUserByPlatform: null });
      expect(answer.body.errors[0].path).toEqual(["findUserByPlatform"]);
    });
  });
});

describe("a failure of the server", () => {
  /** Text that must never leave the server: a class of error, a stack, SQL, a path (rule H6). */
  const LEAK =
    /Error:|at |SQLITE|SELECT|no such|src\/|node_modules|Invalid Date|refused by the test|stack|originalError/;

  /** Expects an answer without details by both doors, and a line in the log that tells the operator why. */
  async function expectBland(operation: Operation, call: Call, why: string): Promise<void> {
    const rest = await byRest(server, operation, call);
    expect(rest.status).toBe(500);
    for (const door of [byRest, byGraphQL]) {
      const answer = await door(server, operation, call);
      const id = answer.headers.get("x-request-id") ?? "?";
      const message = `Something went wrong; the request id is ${id}`;
      const refusal = (door === byGraphQL ? refusalOf : restRefusalOf)(answer);
      expect(refusal).toEqual({ code: "InternalServerError", status: 500, message });
      expect(JSON.stringify(answer.body).replace(message, "")).not.toMatch(LEAK);
      const line = () => server.output.split("\n").find((each) => each.includes(`"request_id":"${id}"`));
      while (!line()?.endsWith("}")) await Bun.sleep(5);
      expect(JSON.parse(line() ?? "{}")).toMatchObject({
        level: "error",
        cause: expect.stringContaining(why),
      });
    }
  }

  test("in a read is bland, and told to the operator", async () => {
    const user = await guarded(server);
    write(server, `UPDATE two_factor SET enabled_at = 9000000000000000 WHERE user_id = '${user.id}'`);
    await expectBland("twoFactorStatus", { token: user.token }, "Invalid Date");
  });

  test("in a change is bland, and changes nothing", async () => {
    const user = await guarded(server);
    const args = { code: user.backupCodes[0] };
    const changes = await changesBy(server, () =>
      withoutAudit(server, "2fa_disabled", () =>
        expectBland("disableTwoFactor", { token: user.token, args }, "refused by the test"),
      ),
    );
    expect(changes).toEqual({});
    expect(dataOf(await byGraphQL(server, "disableTwoFactor", { token: user.token, args }))).toEqual({
      disableTwoFactor: true,
    });
  });

  test("of the store is bland, and leaves what else was asked for", async () => {
    write(server, "ALTER TABLE platform_accounts RENAME TO platform_accounts_elsewhere");
    const args = { platformSlug: "discord", platformUserId: "x" };
    const answer = await byGraphQL(server, "findUserByPlatform", { token: server.systemKey, args });
    write(server, "ALTER TABLE platform_accounts_elsewhere RENAME TO platform_accounts");
    expectError(answer, 500, "InternalServerError");
    expect(JSON.stringify(answer.body)).not.toMatch(LEAK);
    const again = await byGraphQL(server, "findUserByPlatform", { token: server.systemKey, args });
    expect(dataOf(again)).toEqual({ findUserByPlatform: null });
  });
});
