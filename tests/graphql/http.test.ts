import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serverAudits } from "graphql-http";
import { guarded } from "../identity/two-factor/support";
import type { Answer } from "../support/api";
import { unchanged } from "../support/changes";
import { isAccepted } from "../support/credentials";
import { newUser } from "../support/people";
import { TestServer } from "../support/server";
import { ask, askByGet, dataOf, expectError, PATH, refusalOf } from "./support";

/**
 * GraphQL over HTTP: the requests that are read, those that are refused, and the reach of a page of another
 * site (rules G1, G2 and H13).
 */

const FRIEND = "https://friend.example";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "server.cors_origins": FRIEND, "docs.enabled": "false" },
  });
});
afterAll(() => server.stop());

const JSON_TYPE = { "content-type": "application/json" };
const send = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE) =>
  server.post(PATH, { raw, headers });
const sendBody = (body: unknown) => send(JSON.stringify(body));

/** Expects a request that isn't carried out, and its error in GraphQL's own form. */
function expectHttpError(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expectError(answer, status, code);
  expect(answer.body.data).toBeUndefined();
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

const TYPENAME = { query: "{ __typename }" };

describe("a body", () => {
  test("is answered in JSON, with the headers of every answer", async () => {
    const answer = await sendBody(TYPENAME);
    expect(dataOf(answer)).toEqual({ __typename: "Query" });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("server")).toBeNull();
    const named = await server.post(PATH, { body: TYPENAME, headers: { "x-request-id": "mine-1" } });
    expect(named.headers.get("x-request-id")).toBe("mine-1");
  });

  test.each([
    ["nothing", "", "BadRequest"],
    ["half an object", '{"query":', "BadRequest"],
    ["half a character", '{"query":"\\ud800"}', "BadRequest"],
    [
      "half a character in a variable",
      '{"query":"{ __typename }","variables":{"a":["\\udc00"]}}',
      "BadRequest",
    ],
    ["what isn't UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "BadRequest"],
    ["a list of requests", JSON.stringify([TYPENAME, TYPENAME]), "ValidationError"],
    ["an empty list", "[]", "ValidationError"],
    ["null", "null", "ValidationError"],
    ["a string", '"{ __typename }"', "ValidationError"],
    [
      "variables nested without end",
      `{"query":"{ __typename }","variables":${"[".repeat(100_000)}`,
      "BadRequest",
    ],
  ])("of %s is refused with 400", async (_, raw, code) => {
    await unchanged(server, async () => expectHttpError(await send(raw), 400, code));
  });

  test.each([
    ["a query that is a number", { query: 5 }],
    ["variables that are a list", { ...TYPENAME, variables: [] }],
    ["variables that are a string", { ...TYPENAME, variables: '{"a":1}' }],
    ["variables that are a number", { ...TYPENAME, variables: 5 }],
    ["extensions that are a number", { ...TYPENAME, extensions: 5 }],
    ["the name of an operation that isn't there", { ...TYPENAME, operationName: "Other" }],
    ["a number as the name of an operation", { ...TYPENAME, operationName: 5 }],
    ["several operations of which none is named", { query: "query A { __typename } query B { __typename }" }],
    ["no query", {}],
    ["null as the query", { query: null }],
    ["an empty query", { query: "" }],
    ["a persisted query", { extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } }],
    ["a subscription", { query: "subscription { platforms { id } }" }],
    ["half a document", { query: "{ platforms {" }],
    ["an unknown field", { query: "{ users { id } }" }],
    ["an unknown argument", { query: "{ platforms(limit: 5) { id } }" }],
    ["an input of the wrong type", { query: "{ twoFactorStatus(userId: 5) { enabled } }" }],
    ["an input without what it requires", { query: "mutation { disableTwoFactor(input: {}) }" }],
    [
      "half a character in the document",
      { query: '{ findUserByPlatform(platformSlug: "\\uD800", platformUserId: "x") }' },
    ],
  ])("with %s is refused as a bad request", async (_, body) => {
    await unchanged(server, async () => {
      const answer = await sendBody(body);
      expect([200, 400]).toContain(answer.status);
      expectError(answer, 400, "BadRequest");
      expect(answer.body.data).toBeUndefined();
      const strict = await server.post(PATH, {
        body,
        headers: { accept: "application/graphql-response+json" },
      });
      expect([strict.status, strict.body]).toEqual([400, answer.body]);
    });
  });

  const CODE = "mutation ($code: String!) { disableTwoFactor(input: { code: $code }) }";
  test.each([
    ["a number", { code: 424_242 }],
    ["null", { code: null }],
    ["a list", { code: ["424242"] }],
    ["an object", { code: { a: "424242" } }],
    ["nothing", {}],
  ])(
    "with %s for a variable that is a string is a bad request and no mistake of ours",
    async (_, variables) => {
      const answer = await ask(server, CODE, { variables });
      expectError(answer, 400, "BadRequest");
      expect(refusalOf(answer).message).toContain("$code");
      expect(server.output).not.toContain("a GraphQL operation failed");
      expect(server.output).not.toContain("424242");
    },
  );

  test("may name one of several operations, and carry null and fields that nobody knows", async () => {
    const query = "query A { a: __typename } query B { b: __typename }";
    const unknown = { id: "7", doc_id: null, variables: null, extensions: null };
    const answer = await sendBody({ query, operationName: "B", ...unknown });
    expect(dataOf(answer)).toEqual({ b: "Query" });
    expect(dataOf(await sendBody({ ...TYPENAME, operationName: null }))).toEqual({ __typename: "Query" });
    const extensions = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } };
    expect(dataOf(await sendBody({ ...TYPENAME, extensions }))).toEqual({ __typename: "Query" });
  });

  test("larger than server.max_body_bytes is refused with 413, declared or not", async () => {
    const raw = JSON.stringify({ query: `{ __typename } #${"x".repeat(1_048_576)}` });
    expectHttpError(await send(raw), 413, "PayloadTooLarge");
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(raw));
        controller.close();
      },
    });
    const undeclared = await fetch(server.url + PATH, { method: "POST", headers: JSON_TYPE, body: stream });
    expect(undeclared.status).toBe(413);
    expect(await undeclared.json()).toMatchObject({ errors: [{ extensions: { code: "PayloadTooLarge" } }] });
    expect(dataOf(await sendBody(TYPENAME))).toEqual({ __typename: "Query" });
  });
});

describe("a page of another site", () => {
  const MUTATION = "mutation { logout }";

  /**
   * Requests that a browser sends without a preflight, with whatever it has stored: Fetch, "CORS-safelisted
   * request-header".
   */
  test.each([
    ["a form", "application/x-www-form-urlencoded", new URLSearchParams({ query: MUTATION }).toString()],
    [
      "a form with files",
      "multipart/form-data; boundary=x",
      `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query: MUTATION })}\r\n--x\r\nContent-Disposition: form-data; name="map"\r\n\r\n{}\r\n--x--\r\n`,
    ],
    ["text", "text/plain", JSON.stringify({ query: MUTATION })],
    ["text that claims more", "text/plain; application/json", JSON.stringify({ query: MUTATION })],
    ["bytes without a type", "", JSON.stringify({ query: MUTATION })],
  ])("can send %s, which is refused and changes nothing", async (_, type, raw) => {
    const { token } = await newUser(server);
    await unchanged(server, async () => {
      // Even with the credential, which no browser adds by itself.
      const headers = {
        origin: "https://evil.example",
        "content-type": type,
        authorization: `Bearer ${token}`,
      };
      const answer = await send(raw, headers);
      expectHttpError(answer, 415, "UnsupportedMediaType");
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    });
    expect(await isAccepted(server, token)).toBe(true);
  });

  test.each(["application/graphql", "text/html", "application/xml", "application/jsonp"])(
    "gets 415 for %s as for every type that isn't JSON",
    async (type) => {
      expectHttpError(
        await send(JSON.stringify(TYPENAME), { "content-type": type }),
        415,
        "UnsupportedMediaType",
      );
    },
  );

  test("has no credential in a cookie or in the URL", async () => {
    const { token } = await newUser(server);
    const query = "{ twoFactorStatus { enabled } }";
    const body = { query };
    const cookies = ["session", "fairlead_session", "token"].map((name) => `${name}=${token}`).join("; ");
    const answers = [
      await server.post(PATH, { body, headers: { cookie: cookies } }),
      await server.post(`${PATH}?token=${token}&access_token=${token}&authorization=Bearer+${token}`, {
        body,
      }),
      await server.get(`${PATH}?${new URLSearchParams({ query, token, access_token: token })}`, {
        headers: { cookie: cookies },
      }),
      await sendBody({
        query,
        extensions: { authorization: `Bearer ${token}`, headers: { authorization: token } },
      }),
    ];
    for (const answer of answers) expectError(answer, 401, "Unauthorized");
    expect(dataOf(await ask(server, query, { token })).twoFactorStatus).toEqual({ enabled: false });
  });

  test("can't put a query into the URL of a POST", async () => {
    const { token } = await newUser(server);
    const path = `${PATH}?${new URLSearchParams({ query: "mutation { logout }" })}`;
    expectHttpError(await server.post(path, { token }), 400, "BadRequest");
    const both = await server.post(path, { token, body: TYPENAME });
    expect(dataOf(both)).toEqual({ __typename: "Query" });
    expect(await isAccepted(server, token)).toBe(true);
  });
});

describe("CORS", () => {
  test("lets a configured origin ask, and read the answer and its headers", async () => {
    const preflight = await server.request("OPTIONS", PATH, {
      headers: {
        origin: FRIEND,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(FRIEND);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "Authorization, Content-Type, X-Request-Id",
    );
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    // A small answer, like those of GraphQL below: a large one varies by Accept-Encoding too.
    const rest = await server.get("/health/live", { headers: { origin: FRIEND } });
    const answers = [
      await server.post(PATH, { body: TYPENAME, headers: { origin: FRIEND } }),
      await server.post(PATH, { body: { query: "{" }, headers: { origin: FRIEND } }),
      await server.post(PATH, { raw: "[]", headers: { ...JSON_TYPE, origin: FRIEND } }),
      await askByGet(server, TYPENAME, { headers: { origin: FRIEND } }),
    ];
    for (const { headers } of answers)
      for (const name of ["access-control-allow-origin", "access-control-expose-headers", "vary"]) {
        expect([name, headers.get(name)]).toEqual([name, rest.headers.get(name)]);
        expect(headers.get(name)).not.toBeNull();
      }
  });

  test("gives nothing to any other origin", async () => {
    const origin = "https://evil.example";
    for (const answer of [
      await server.post(PATH, { body: TYPENAME, headers: { origin } }),
      await askByGet(server, TYPENAME, { headers: { origin } }),
      await server.request("OPTIONS", PATH, { headers: { origin, "access-control-request-method": "POST" } }),
    ])
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("GET", () => {
  const STATUS = "query ($id: String) { twoFactorStatus(userId: $id) { enabled } }";

  test("answers a query, with variables in JSON and the name of an operation", async () => {
    const user = await guarded(server);
    const variables = JSON.stringify({ id: user.id });
    const extras: Record<string, string>[] = [
      {},
      { variables: "" },
      { variables: "null" },
      { variables: "{}" },
      { variables },
    ];
    for (const extra of extras)
      expect(dataOf(await askByGet(server, { query: STATUS, ...extra }, { token: user.token }))).toEqual({
        twoFactorStatus: { enabled: true },
      });
    const query = "query A { a: __typename } query B { b: __typename }";
    expect(dataOf(await askByGet(server, { query, operationName: "A" }))).toEqual({ a: "Query" });
    expect(dataOf(await askByGet(server, { query: "{ __typename }", unknown: "5" }))).toEqual({
      __typename: "Query",
    });
  });

  test("refuses as POST does", async () => {
    expectError(await askByGet(server, { query: STATUS }), 401, "Unauthorized");
    expectError(
      await askByGet(server, { query: STATUS }, { token: server.systemKey }),
      400,
      "ValidationError",
    );
    expectError(
      await askByGet(server, { query: "{ roles { id } }" }, { token: await server.key() }),
      403,
      "Forbidden",
    );
  });

  test.each([
    ["a mutation", { query: "mutation { logout }" }],
    ["a named mutation", { query: "mutation Out { logout }", operationName: "Out" }],
    [
      "a mutation among queries",
      { query: "query A { __typename } mutation B { logout }", operationName: "B" },
    ],
    ["a mutation of nothing", { query: "mutation { __typename }" }],
  ] as const)("refuses %s with 405, which changes nothing", async (_, parameters) => {
    const { token } = await newUser(server);
    await unchanged(server, async () => {
      for (const method of ["GET", "HEAD"]) {
        const path = `${PATH}?${new URLSearchParams(parameters)}`;
        const answer = await server.request(method, path, { token });
        expect(answer.status).toBe(405);
        expect(answer.headers.get("allow")).toContain("POST");
        if (method === "GET") expectError(answer, 405, "MethodNotAllowed");
      }
    });
    expect(await isAccepted(server, token)).toBe(true);
  });

  test.each([
    ["no query", {}],
    ["an empty query", { query: "" }],
    ["half a query", { query: "{" }],
    ["a subscription", { query: "subscription { platforms { id } }" }],
    ["variables that aren't JSON", { query: STATUS, variables: "{id" }],
    ["variables that are a list", { query: STATUS, variables: "[]" }],
    ["variables that are a string", { query: STATUS, variables: '"x"' }],
    ["variables of the wrong type", { query: STATUS, variables: '{"id":5}' }],
    ["variables nested without end", { query: STATUS, variables: "[".repeat(5_000) }],
    ["extensions that aren't JSON", { query: STATUS, extensions: "{" }],
    ["the name of an operation that isn't there", { query: STATUS, operationName: "Other" }],
  ])("with %s is a bad request and no mistake of ours", async (_, parameters) => {
    const answer = await askByGet(server, parameters);
    expect([200, 400]).toContain(answer.status);
    expectError(answer, 400, "BadRequest");
    expect(server.output).not.toContain("a GraphQL operation failed");
  });

  test("has a HEAD that says what it would answer, without a body", async () => {
    const path = `${PATH}?${new URLSearchParams(TYPENAME)}`;
    const head = await server.request("HEAD", path);
    const get = await server.get(path);
    expect([head.status, head.body]).toEqual([200, null]);
    for (const name of ["content-type", "cache-control", "content-length"])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });

  test("in a browser is GraphQL as well where docs.enabled is false", async () => {
    const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const page = await server.get(PATH, { headers });
    expectError(page, 400, "BadRequest");
    expect(page.headers.get("content-type")).toStartWith("application/json");
    expect(dataOf(await askByGet(server, TYPENAME, { headers }))).toEqual({ __typename: "Query" });
  });

  test("and POST are all that the address takes", async () => {
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const answer = await server.request(method, PATH, { body: TYPENAME });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
    const options = await server.request("OPTIONS", PATH);
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, POST"]);
    expect(dataOf(await server.post(`${PATH}/`, { body: TYPENAME }))).toEqual({ __typename: "Query" });
  });
});

describe("the type of the answer", () => {
  const NEW = "application/graphql-response+json; charset=utf-8";
  const OLD = "application/json; charset=utf-8";
  const ACCEPTS: [accept: string, type: string][] = [
    ["application/graphql-response+json", NEW],
    ["application/graphql-response+json, application/json;q=0.9", NEW],
    ["application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", NEW],
    ["APPLICATION/GRAPHQL-RESPONSE+JSON", NEW],
    ["multipart/mixed, application/graphql-response+json", NEW],
    ["application/json", OLD],
    ["application/json, application/graphql-response+json", OLD],
    ["*/*", OLD],
    ["application/*", OLD],
    ["text/html, */*;q=0.8", OLD],
    // REST ignores the Accept header as well: its answers are JSON.
    ["text/event-stream", OLD],
    ["multipart/mixed", OLD],
    ["multipart/mixed, text/event-stream", OLD],
    ["application/json; charset=latin1", OLD],
    ["image/png", OLD],
    ["nonsense", OLD],
    [",;,", OLD],
  ];

  test.each(ACCEPTS)("for Accept: %s is JSON", async (accept, type) => {
    const headers = { accept };
    const bad = type === NEW ? 400 : 200;
    for (const [query, status] of [
      ["{ __typename }", 200],
      ["{ roles { id } }", 200],
      ["{", bad],
      ["{ users }", bad],
    ] as const)
      for (const answer of [
        await server.post(PATH, { body: { query }, headers }),
        await askByGet(server, { query }, { headers }),
      ]) {
        expect([query, answer.status, answer.headers.get("content-type")]).toEqual([query, status, type]);
        expect(Object.keys(answer.body).length).toBeGreaterThan(0);
      }
  });
});

/** The audits of GraphQL over HTTP: none may fail, be it a MUST or a MAY. */
const audits = serverAudits({ url: () => documented.url + PATH });
let documented: TestServer;

describe("the audits of graphql-http", () => {
  // They read the schema.
  beforeAll(async () => {
    documented = await TestServer.start();
  });
  afterAll(() => documented.stop());

  test("are there", () => {
    expect(audits.length).toBeGreaterThan(50);
  });

  test.each(audits.map(({ name, fn }) => [name, fn] as const))("%s", async (_, audit) => {
    const result = await audit();
    expect("reason" in result ? result.reason : result.status).toBe("ok");
  });
});
