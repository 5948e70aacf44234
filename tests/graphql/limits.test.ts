import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getIntrospectionQuery } from "graphql";
import {
  disable,
  type Guarded,
  guarded,
  nextCode,
  stored,
  verifyLogin,
  wrongCode,
} from "../identity/two-factor/support";
import type { Answer } from "../support/api";
import { unchanged } from "../support/changes";
import { createKey } from "../support/credentials";
import { done } from "../support/expectations";
import { newUser } from "../support/people";
import { newRole } from "../support/roles";
import { rows, write } from "../support/rows";
import { TestServer } from "../support/server";
import { ask, askByGet, byGraphQL, dataOf, expectError, refusalOf } from "./support";

/** The size of one request by GraphQL is bounded (rule G2), and so are the tries of codes (rule H10). */

const times = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(" ");

let server: TestServer;
beforeAll(async () => {
  const many = "1000/60";
  server = await TestServer.start({
    clock: "movable",
    settings: {
      "rate_limit.enabled": "true",
      "rate_limit.register": many,
      "rate_limit.login": many,
      "server.trusted_proxies": "127.0.0.1",
    },
  });
});
afterAll(() => server.stop());

describe("a document", () => {
  /** Expects a refusal by GraphQL itself: nothing is carried out. */
  async function expectTooMuch(query: string): Promise<string> {
    const answer = await unchanged(server, () => ask(server, query));
    expectError(
      { ...answer, body: { ...answer.body, errors: answer.body.errors.slice(0, 1) } },
      400,
      "BadRequest",
    );
    expect(answer.body.data).toBeUndefined();
    for (const { extensions } of answer.body.errors) expect(extensions.code).toBe("BadRequest");
    return answer.body.errors[0].message;
  }

  const LEVELS = (count: number) => `${"... { ".repeat(count)}__typename${" }".repeat(count)}`;
  /** Fragments that each use the next one twice: 2 to the power of their number. */
  const bomb = (count: number) =>
    `{ ...F0 } ${times(count, (at) => `fragment F${at} on Query { a${at}: platforms { slug } ...F${at + 1} ...F${at + 1} }`)}
     fragment F${count} on Query { b: platforms { slug } }`;
  const multiplied = (width: number) =>
    `{ __schema { ${times(width, (at) => `t${at}: types { ...T }`)} } }
     fragment T on __Type { ${times(width, (at) => `f${at}: fields { ...F }`)} }
     fragment F on __Field { ${times(width, (at) => `y${at}: type { ...N }`)} }
     fragment N on __Type { ${times(width, (at) => `n${at}: name`)} }`;

  test.each([
    ["more than 1,000 tokens", `{ ${times(334, (at) => `a${at}: __typename`)} }`, "Token limit of 1000"],
    ["eight thousand tokens", "{ a ".repeat(4_000), "limit"],
    [
      "too many aliases",
      `{ ${times(100, (at) => `a${at}: platforms { slug }`)} }`,
      "120 fields and fragments",
    ],
    ["121 fields", `{ ${times(121, (at) => `a${at}: __typename`)} }`, "120 fields and fragments"],
    [
      "300 fields that contradict each other",
      `{ ${times(300, (at) => `a: f${at}`)} }`,
      "120 fields and fragments",
    ],
    [
      "fewer fields, further inside",
      `{ platforms { ... { ... { ${"slug ".repeat(100)} } } } }`,
      "Cost limit of 300",
    ],
    [
      "too many mutations",
      `mutation { ${times(6, (at) => `a${at}: setupTwoFactor { secret }`)} }`,
      "carry out 5 mutations",
    ],
    [
      "too many mutations in fragments",
      `mutation { ...F ... { ...F c: logout } }
       fragment F on Mutation { ...G d: logout } fragment G on Mutation { ${times(4, (at) => `a${at}: logout`)} ...F }`,
      "carry out 5 mutations",
    ],
    ["too many fields of one name", `{ platforms { ${"slug ".repeat(220)} } }`, "120 fields and fragments"],
    ["too many levels", `{ platforms ${"{ slug ".repeat(9)}${"} ".repeat(9)}}`, "depth limit of 8"],
    ["too many inline fragments", `{ ${LEVELS(9)} }`, "depth limit of 8"],
    [
      "nested fragments",
      `{ ...F0 } ${times(5, (at) => `fragment F${at} on Query { ...F${at + 1} }`)} fragment F5 on Query { __typename }`,
      "depth limit of 8",
    ],
    ["a fragment within itself", "{ ...A } fragment A on Query { __typename ...A }", "within itself"],
    [
      "a cycle of fragments",
      "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
      "within itself",
    ],
    ["a small fragment bomb", bomb(3), "limit"],
    ["a large fragment bomb", bomb(30), "120 fields and fragments"],
    ["hundreds of unknown directives", `{ __typename ${"@a ".repeat(450)} }`, "Unknown directive"],
    ["hundreds of directives", `{ __typename ${"@skip(if: false) ".repeat(120)} }`, "only be used once"],
    [
      "hundreds of unknown arguments",
      `{ findUserByPlatform(${times(240, (at) => `a${at}: 1`)}) }`,
      "Unknown argument",
    ],
    [
      "a deep literal",
      `{ findUserByPlatform(platformSlug: ${"[".repeat(480)}${"]".repeat(480)}, platformUserId: "x") }`,
      "String cannot represent",
    ],
    ["a deep type", `query ($a: ${"[".repeat(480)}String${"]".repeat(480)}) { __typename }`, "never used"],
    [
      "introspection without end",
      `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`,
      "introspection depth",
    ],
    [
      "a type without end",
      `{ __type(name: "Query") { fields { type { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } }`,
      "limit",
    ],
    ["multiplied introspection", multiplied(10), "Cost limit of 500"],
    ["widely multiplied introspection", multiplied(40), "120 fields and fragments"],
    [
      "introspection many times over",
      `{ ${times(110, (at) => `s${at}: __schema { types { name } }`)} }`,
      "120 fields and fragments",
    ],
    [
      "multiplied introspection of one type",
      `{ ${times(29, (at) => `t${at}: __type(name: "Query") { fields { type { name } } }`)} }`,
      "Cost limit of 300",
    ],
  ])("of %s is refused before anything is done", async (_, query, why) => {
    expect(await expectTooMuch(query)).toContain(why);
    expect(dataOf(await ask(server, "{ __typename }"))).toEqual({ __typename: "Query" });
  });

  test("is bounded alike in the URL", async () => {
    const answer = await askByGet(server, {
      query: `{ ${times(100, (at) => `a${at}: platforms { slug }`)} }`,
    });
    expect(refusalOf(answer).message).toContain("120 fields and fragments");
  });

  test("may ask for what tools ask for: the usual introspection, and all operations at once", async () => {
    const all = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    expect(dataOf(await ask(server, getIntrospectionQuery())).__schema.queryType.name).toBe("Query");
    expect(dataOf(await ask(server, all)).__schema.types.length).toBeGreaterThan(10);
    const every = `{
      twoFactorStatus { enabled enabledAt setupPlatform backupCodesRemaining }
      userRequiresTwoFactor { required requiredByRoles enabled canEnable reason }
      platforms { id name slug twoFactorSupported twoFactorRequired }
      roles { id name requiresTwoFactor }
      findUserByPlatform(platformSlug: "email", platformUserId: "admin@example.org")
    }`;
    const data = dataOf(await ask(server, every, { token: await server.admin() }));
    expect(Object.keys(data)).toHaveLength(5);
  });
});

describe("codes", () => {
  let used = 0;
  /** An address that nobody used before (TEST-NET-3). */
  const newAddress = () => ({ "x-forwarded-for": `203.0.113.${++used}` });

  const codesOf = (answer: Answer | undefined): string[] =>
    (answer?.body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

  const login = (at: number, tempToken: string, code: string) =>
    `a${at}: verifyTwoFactorLogin(input: { tempToken: "${tempToken}", code: "${code}" }) { userId }`;

  const failures = (user: Guarded) =>
    rows(
      server,
      "SELECT id FROM audit_events WHERE user_id = ? AND event_type = '2fa_verified' AND status = 'failure'",
      user.id,
    ).length;

  /**
   * Removes the pauses after wrong codes, which come before the limit:
   * tests/identity/two-factor-codes/patience.test.ts.
   */
  const forget = ({ id }: Guarded) =>
    write(
      server,
      `UPDATE two_factor SET stranger_failures = 0 WHERE user_id = '${id}'`,
      `UPDATE sign_in_addresses SET code_failures = 0 WHERE user_id = '${id}'`,
    );

  const signIn = async (user: Guarded) =>
    done(
      await server.post("/v1/auth/login", {
        body: { identifier: user.username, password: user.password },
        headers: newAddress(),
      }),
    ).temp_token as string;

  /** Expects the headers of a limit of which nothing is left. */
  function expectSpent({ headers }: Answer): void {
    expect(headers.get("ratelimit-limit")).toBe("10");
    expect(headers.get("ratelimit-remaining")).toBe("0");
    expect(Number(headers.get("ratelimit-reset"))).toBeGreaterThan(0);
    expect(Number(headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
  }

  test("of a sign-in are counted for the address: by five aliases each no more than ten are tried", async () => {
    const headers = newAddress();
    const query = `mutation { ${times(5, (at) => login(at, `2fa_${at}`, "000000"))} }`;
    const tries = () =>
      rows(
        server,
        "SELECT id FROM audit_events WHERE event_type = '2fa_verified' AND ip_address = ?",
        headers["x-forwarded-for"],
      ).length;
    const answers: Answer[] = [];
    for (let request = 0; request < 11; request++) {
      answers.push(await ask(server, query, { headers }));
      expect(answers.at(-1)?.headers.get("ratelimit-remaining")).toBe(String(10 - tries()));
      expect(Object.values(answers.at(-1)?.body.data)).toEqual([null, null, null, null, null]);
    }
    expect(tries()).toBe(10);
    expect(codesOf(answers[0])).toEqual(Array(5).fill("Unauthorized"));
    expect(codesOf(answers.at(-1))).toEqual(Array(5).fill("TooManyRequests"));
    expect((await verifyLogin(server, "2fa_x", "000000", headers)).status).toBe(429);
    expect((await verifyLogin(server, "2fa_x", "000000", newAddress())).status).toBe(401);
  });

  test("of a sign-in are counted for the user, whatever challenge and address they come by", async () => {
    const user = await guarded(server);
    const code = wrongCode(server, user.secret);
    // Turning it on came from an address of the user, which has a count of its own.
    const challenges = [await signIn(user), await signIn(user), await signIn(user)];
    for (let tried = 0; tried < 10; tried++) {
      const [tempToken = "", byRest] = [challenges[tried % 3], tried % 2];
      const answer = byRest
        ? await verifyLogin(server, tempToken, code, newAddress())
        : await ask(server, `mutation { ${login(0, tempToken, code)} }`, { headers: newAddress() });
      expect(byRest ? answer.status : refusalOf(answer).status).toBe(401);
      forget(user);
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(9 - tried));
    }
    const before = stored(server, user.id);
    const right = await nextCode(server, user.secret);
    const refused = await ask(server, `mutation { ${login(0, challenges[0] ?? "", right)} }`, {
      headers: newAddress(),
    });
    expectError(refused, 429, "TooManyRequests");
    expect(refusalOf(refused).message).toMatch(/^Too many requests; try again in \d+ s$/);
    expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"));
    expectSpent(refused);
    expect((await verifyLogin(server, challenges[0], right, newAddress())).status).toBe(429);
    expect(stored(server, user.id)).toEqual(before);
    expect(failures(user)).toBe(10);
  });

  test("of one's own are counted for the user, through both doors and every credential", async () => {
    const user = await guarded(server, (await newRole(server, "api_keys:write")).id);
    const code = wrongCode(server, user.secret);
    const { key } = await createKey(server, user.token, ["two_factor:write"]);
    const args = { code };
    const tries: [token: string, args: object][] = [
      [user.token, args],
      [key, args],
      [server.systemKey, { ...args, userId: user.id }],
    ];
    for (let tried = 0; tried < 9; tried++) {
      const [token = "", input = {}] = tries[tried % 3] ?? [];
      const operation = tried % 2 ? "disableTwoFactor" : "regenerateBackupCodes";
      const answer =
        tried === 4
          ? await disable(server, user.token, { code })
          : await byGraphQL(server, operation, { token, args: { ...input } });
      if (tried !== 4) expectError(answer, 400, "ValidationError");
      forget(user);
      expect(answer.headers.get("ratelimit-limit")).toBe("10");
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(8 - tried));
    }
    const right = { code: await nextCode(server, user.secret) };
    await unchanged(server, async () => {
      for (const operation of ["verifyTwoFactor", "disableTwoFactor", "regenerateBackupCodes"] as const) {
        const refused = await byGraphQL(server, operation, { token: user.token, args: right });
        expectError(refused, 429, "TooManyRequests");
        expectSpent(refused);
      }
      expect((await disable(server, user.token, right)).status).toBe(429);
    });
    expect(failures(user)).toBe(9);
    // Another user is served.
    const other = await guarded(server);
    const answer = await byGraphQL(server, "disableTwoFactor", {
      token: other.token,
      args: { code: other.backupCodes[0] },
    });
    expect(dataOf(answer)).toEqual({ disableTwoFactor: true });
  });

  test("of one's own are counted each where a request tries many by aliases", async () => {
    const user = await guarded(server);
    const code = wrongCode(server, user.secret);
    const query = `mutation { ${times(5, (at) => `a${at}: disableTwoFactor(input: { code: "${code}" })`)} }`;
    for (let request = 0; request < 11; request++) {
      const { headers, body } = await ask(server, query, { token: user.token });
      expect(Object.values(body.data)).toEqual([null, null, null, null, null]);
      expect(headers.get("ratelimit-remaining")).toBe(String(9 - failures(user)));
      forget(user);
    }
    // Turning it on counted as the first.
    expect(failures(user)).toBe(9);
  });

  test("are not counted where none is tried: reads and set-ups count as requests alone", async () => {
    const user = await newUser(server);
    for (let count = 0; count < 12; count++) {
      const answer = await ask(server, "mutation { setupTwoFactor { platformSlug } }", { token: user.token });
      expect(dataOf(answer).setupTwoFactor.platformSlug).toBe("email");
      expect(answer.headers.get("ratelimit-limit")).toBe("600");
    }
  });
});
