import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getIntrospectionQuery } from "graphql";
import type { Answer } from "../support/api";
import { unchanged } from "../support/changes";
import { newUser } from "../support/people";
import { TestServer } from "../support/server";
import { ask, askByGet, byGraphQL, DOCUMENTS, dataOf, expectError, PATH, refusalOf } from "./support";

/**
 * Bounds on the GraphQL requests of strangers, on their number, and on the parts of the schema that are told.
 */

const MAX_BYTES = 16 * 1024;

/** Expects that a request isn't carried out, with this status of HTTP too. */
function expectRefused(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expectError(answer, status, code);
  expect(answer.body.data).toBeUndefined();
}

describe("a request", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const padded = (padding: string, bytes: number) => `${padding.repeat(bytes)}\n{ __typename }`;
  const END = "\n{ __typename }".length;

  test("may have a query of 16 KiB, of comments, blanks and commas as well, and not a byte more", async () => {
    for (const padding of ["#", " ", ","]) {
      const largest = padded(padding, MAX_BYTES - END);
      expect(dataOf(await ask(server, largest))).toEqual({ __typename: "Query" });
      const refused = await unchanged(server, () => ask(server, padding + largest));
      expectRefused(refused, 413, "PayloadTooLarge");
      expect(refusalOf(refused).message).toBe("query may have 16384 bytes at most");
    }
  });

  test("is measured in bytes, not in characters", async () => {
    expectRefused(await ask(server, padded("#€€€", MAX_BYTES / 9)), 413, "PayloadTooLarge");
  });

  test("has a URL of 16 KiB at most", async () => {
    const url = (bytes: number) => `${PATH}?query=${"+".repeat(bytes)}{+__typename+}`;
    expect(dataOf(await server.get(url(MAX_BYTES - 1_000)))).toEqual({ __typename: "Query" });
    const { status } = await fetch(server.url + url(MAX_BYTES));
    expect(status).toBe(431);
  });

  test("has variables and a name of 16 KiB at most", async () => {
    const call = (name: string) =>
      byGraphQL(server, "oauthSignin", {
        token: server.systemKey,
        args: { name, oauthProvider: "discord", oauthProviderId: "4711" },
      });
    expectError(await call("x".repeat(16_000)), 400, "ValidationError");
    expectRefused(await unchanged(server, () => call("x".repeat(MAX_BYTES))), 413, "PayloadTooLarge");
    const named = await ask(server, "query A { __typename }", { operationName: "A".repeat(MAX_BYTES) });
    expectRefused(named, 413, "PayloadTooLarge");
  });

  test("may be written as JSON in whatever way, and isn't read where it is longer than that", async () => {
    const escaped = (bytes: number) => `{"query":"${"\\u0023".repeat(bytes)}\\n{__typename}","variables":{}}`;
    const send = (raw: string) => server.post(PATH, { raw, headers: { "content-type": "application/json" } });
    expect(dataOf(await send(escaped(16_000)))).toEqual({ __typename: "Query" });
    const refused = await send(escaped(40_000));
    expectRefused(refused, 413, "PayloadTooLarge");
    expect(refusalOf(refused).message).toStartWith("The request body is larger than");
  });

  test("is answered shortly, however many of its variables are wrong", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown${at}`, 1]));
    const { body } = await byGraphQL(server, "oauthSignin", {
      token: server.systemKey,
      args: { name: "x".repeat(10_000), ...unknown },
    });
    expect(body.errors).toHaveLength(6);
    expect(body.errors[5].message).toContain("Too many errors");
    for (const { message } of body.errors) expect(message.length).toBeLessThanOrEqual(501);
  });

  test("is answered shortly, however many of its fields are wrong", async () => {
    const { body } = await ask(server, `{ ${Array.from({ length: 100 }, (_, at) => `f${at}`).join(" ")} }`);
    expect(body.errors).toHaveLength(6);
    expect(body.errors[5].message).toContain("Too many validation errors");
  });

  test("has at most a hundred values in its variables, at whatever depth", async () => {
    const tree = (leaves: number) => [[{ a: Array.from({ length: leaves }, () => 0) }]];
    const send = (variables: object) => ask(server, "{ __typename }", { variables });
    const byUrl = (variables: object) =>
      askByGet(server, { query: "{ __typename }", variables: JSON.stringify(variables) });
    for (const call of [send, byUrl]) {
      expect((await call({ tree: tree(96) })).status).toBe(200);
      const refused = await unchanged(server, () => call({ tree: tree(97) }));
      expectRefused(refused, 400, "BadRequest");
      expect(refusalOf(refused).message).toBe("variables may have 100 values at most");
    }
    const extended = { query: "{ __typename }", extensions: { tree: tree(97) } };
    expectRefused(await server.post(PATH, { body: extended }), 400, "BadRequest");
  });

  test("that many send is answered alike each time, with its own variables", async () => {
    for (const platformUserId of ["admin@example.org", "nobody@example.org"]) {
      const args = { platformSlug: "email", platformUserId };
      const { findUserByPlatform } = dataOf(
        await byGraphQL(server, "findUserByPlatform", { token: server.systemKey, args }),
      );
      expect(typeof findUserByPlatform).toBe(platformUserId.startsWith("admin") ? "string" : "object");
      const missing = await ask(server, DOCUMENTS.findUserByPlatform, { token: server.systemKey });
      expect(missing.body.errors.map(({ message }: { message: string }) => message)).toEqual([
        expect.stringContaining("$platformSlug"),
        expect.stringContaining("$platformUserId"),
      ]);
    }
    // A mutation that was parsed before isn't allowed by GET either.
    for (const _ of [1, 2]) {
      expectError(await ask(server, DOCUMENTS.logout), 401, "Unauthorized");
      expect((await askByGet(server, { query: DOCUMENTS.logout })).status).toBe(405);
    }
  });
});

describe("requests", () => {
  const RATE = 5;
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      clock: "movable",
      settings: {
        "rate_limit.enabled": "true",
        "rate_limit.graphql": `${RATE}/60`,
        "server.trusted_proxies": "127.0.0.1",
      },
    });
  });
  afterAll(() => server.stop());

  let used = 0;
  const newAddress = () => ({ "x-forwarded-for": `203.0.113.${++used}` });
  const typename = (headers: Record<string, string>) => ask(server, "{ __typename }", { headers });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test("of an address are limited, whatever they ask for, and are answered again once the time is over", async () => {
    const headers = newAddress();
    const kinds = [
      () => typename(headers),
      () => askByGet(server, { query: "{ __typename }" }, { headers }),
      () => ask(server, "{ broken", { headers }),
      () =>
        server.post(PATH, { raw: "no JSON", headers: { ...headers, "content-type": "application/json" } }),
      () => ask(server, "#".repeat(MAX_BYTES + 1), { headers }),
    ];
    for (const [at, kind] of kinds.entries())
      expect((await kind()).headers.get("ratelimit-remaining")).toBe(String(RATE - 1 - at));
    for (const kind of kinds) {
      const refused = await kind();
      expectRefused(refused, 429, "TooManyRequests");
      expect(refusalOf(refused).message).toMatch(/^Too many requests; try again in \d+ s$/);
      expect(refused.headers.get("ratelimit-limit")).toBe(String(RATE));
      expect(refused.headers.get("ratelimit-remaining")).toBe("0");
      expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"));
    }
    expect((await typename(newAddress())).status).toBe(200);
    await server.advance(61_000);
    expect((await typename(headers)).status).toBe(200);
  });

  test("with a credential count for it alone, wherever they come from", async () => {
    const address = newAddress();
    const { token } = await newUser(server);
    for (let sent = 0; sent < RATE; sent++) {
      expect((await typename({ ...(sent % 2 ? address : newAddress()), ...bearer(token) })).status).toBe(200);
    }
    expectRefused(await typename({ ...newAddress(), ...bearer(token) }), 429, "TooManyRequests");
    // Other clients are served.
    expect((await typename({ ...address, ...bearer(server.systemKey) })).status).toBe(200);
    expect((await typename(address)).headers.get("ratelimit-remaining")).toBe(String(RATE - 1));
  });

  test("with a credential that isn't valid count for the address", async () => {
    const headers = newAddress();
    for (let sent = 0; sent < RATE; sent++)
      expect((await typename({ ...headers, ...bearer(`ses_${sent}`) })).status).toBe(200);
    const others: Record<string, string>[] = [
      bearer("ses_x"),
      { authorization: "Basic x" },
      { "x-id-app-key": "x" },
      {},
    ];
    for (const other of others)
      expectRefused(await typename({ ...headers, ...other }), 429, "TooManyRequests");
  });

  test("aren't limited where rate_limit.enabled is false", async () => {
    const unlimited = await TestServer.start({ settings: { "rate_limit.graphql": "1/60" } });
    try {
      for (const _ of [1, 2, 3]) {
        const { status, headers } = await ask(unlimited, "{ __typename }");
        expect(status).toBe(200);
        expect(headers.get("ratelimit-limit")).toBeNull();
      }
    } finally {
      await unlimited.stop();
    }
  });
});

describe("mutations", () => {
  test("count as writes of their caller, each of those in one request, but for the end of a credential", async () => {
    const server = await TestServer.start({
      settings: { "rate_limit.enabled": "true", "rate_limit.write": "4/60" },
    });
    try {
      const { token, username, password } = await newUser(server);
      const setUp = (count: number) =>
        ask(
          server,
          `mutation { ${Array.from({ length: count }, (_, at) => `a${at}: setupTwoFactor { secret }`).join(" ")} }`,
          { token },
        );
      expect((await setUp(1)).headers.get("ratelimit-remaining")).toBe("3");
      const refused = await setUp(5);
      const { data, errors } = refused.body;
      expect(Object.values(data).map((setUp) => setUp !== null)).toEqual([true, true, true, false, false]);
      expect(errors.map(({ path }: { path: string[] }) => path)).toEqual([["a3"], ["a4"]]);
      for (const { message, extensions } of errors) {
        expect(extensions).toMatchObject({ code: "TooManyRequests", status: 429 });
        expect(message).toMatch(/^Too many requests; try again in \d+ s$/);
      }
      expect(refused.headers.get("ratelimit-limit")).toBe("4");
      expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"));
      for (const operation of [
        "setupTwoFactor",
        "verifyTwoFactor",
        "disableTwoFactor",
        "regenerateBackupCodes",
      ] as const)
        expectError(
          await byGraphQL(server, operation, {
            token,
            ...(operation !== "setupTwoFactor" && { args: { code: "000000" } }),
          }),
          429,
          "TooManyRequests",
        );
      expect((await server.post("/v1/users/me/2fa/setup", { token, body: {} })).status).toBe(429);
      expect(
        dataOf(await ask(server, "{ platforms { slug } twoFactorStatus { enabled } }", { token })),
      ).toBeDefined();
      expect(dataOf(await byGraphQL(server, "logout", { token }))).toEqual({ logout: true });
      const signedIn = await server.post("/v1/auth/login", { body: { identifier: username, password } });
      expect(signedIn.status).toBe(200);
    } finally {
      await server.stop();
    }
  });

  test("of a set-up answer the same picture under each name that asks for it", async () => {
    const server = await TestServer.start();
    try {
      const { token } = await newUser(server);
      const { setupTwoFactor } = dataOf(
        await ask(server, "mutation { setupTwoFactor { qrCodeUrl a: qrCodeImage b: qrCodeImage } }", {
          token,
        }),
      );
      expect(setupTwoFactor.a).toStartWith("data:image/png;base64,");
      expect(setupTwoFactor.b).toBe(setupTwoFactor.a);
    } finally {
      await server.stop();
    }
  });
});

describe("the schema", () => {
  const WRONG = [
    "{ platform { slug } }",
    "{ platforms { nam } }",
    "query ($input: OauthSigninInputs!) { __typename @skip(if: true) }",
    "{ findUserByPlatform(platformSlag: 1) }",
  ];

  test("is read by tools, which are helped with names, where docs.enabled is true", async () => {
    const server = await TestServer.start();
    try {
      expect(dataOf(await ask(server, getIntrospectionQuery())).__schema.queryType.name).toBe("Query");
      for (const query of WRONG)
        expect(JSON.stringify((await ask(server, query)).body.errors)).toContain("Did you mean");
    } finally {
      await server.stop();
    }
  });

  test("is told to nobody where docs.enabled is false, and no name of it by a suggestion", async () => {
    const server = await TestServer.start({ settings: { "docs.enabled": "false" } });
    try {
      const queries = [
        getIntrospectionQuery(),
        "{ __schema { types { name } } }",
        '{ __type(name: "Query") { fields { name } } }',
        "query A { ...F } fragment F on Query { a: __schema { queryType { name } } }",
      ];
      // Twice: a query that is in the cache of parsed queries is refused as well.
      for (const query of [...queries, ...queries]) {
        const { body } = await ask(server, query, { token: await server.admin() });
        expect(body.data).toBeUndefined();
        expect(body.errors[0]).toMatchObject({ extensions: { code: "BadRequest", status: 400 } });
        expect(body.errors[0].message).toStartWith("GraphQL introspection has been disabled");
      }
      for (const query of WRONG) {
        const { body } = await ask(server, query);
        expect(body.errors[0].extensions.code).toBe("BadRequest");
        expect(JSON.stringify(body)).not.toContain("Did you mean");
      }
      const misspelt = await byGraphQL(server, "oauthSignin", {
        token: server.systemKey,
        args: { nam: "x", oauthProvider: "discord", oauthProviderId: "1" },
      });
      expect(JSON.stringify(misspelt.body)).toContain("is not defined by type");
      expect(JSON.stringify(misspelt.body)).not.toContain("Did you mean");
      // A message that is cut holds no beginning of a suggestion either.
      for (let length = 250; length < 400; length += 10) {
        const { body } = await byGraphQL(server, "oauthSignin", {
          token: server.systemKey,
          args: { nam: "x".repeat(length), oauthProvider: "discord", oauthProviderId: "1" },
        });
        expect(JSON.stringify(body)).not.toContain("Did you mean");
      }
      expect(dataOf(await ask(server, "{ __typename platforms { __typename } }")).__typename).toBe("Query");
    } finally {
      await server.stop();
    }
  });
});
