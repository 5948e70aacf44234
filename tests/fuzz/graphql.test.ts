import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
} from "graphql";
import { ask, PATH } from "../graphql/support";
import type { Token } from "../support/api";
import { TestServer } from "../support/server";
import { claimSane } from "./judge";
import { parameters, RUNS, reproducibly, tell } from "./settings";
import { hostile, hostileName, jsonOf } from "./values";

/** Random queries over GraphQL's own schema, and texts that are no query. */
const server = await TestServer.start();
const admin = await server.admin();
const narrow = await server.key("two_factor:read");
afterAll(() => server.stop());
const schema = buildClientSchema((await ask(server, getIntrospectionQuery(), { token: admin })).body.data);
const contract = await server.contract();
let requests = 0;

const credentials = fc.constantFrom<Token | undefined>(undefined, admin, narrow, server.systemKey);

/** Sends a body, and judges the answer: a status below 500 and an answer in GraphQL's own form. */
async function send(token: Token | undefined, body: string): Promise<void> {
  requests++;
  const response = await fetch(server.url + PATH, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
  });
  const text = await response.text();
  claimSane(response.status, response.headers, text);
  const answer = text === "" ? null : JSON.parse(text);
  contract.check("POST", PATH, { status: response.status, headers: response.headers, body: answer });
  if (response.status >= 500) throw new Error(`a failure of the server: ${text}`);
  if (answer.data === undefined && !Array.isArray(answer.errors) && answer.error === undefined)
    throw new Error(text);
  for (const { extensions } of answer.errors ?? [])
    if (typeof extensions?.code !== "string" || !(extensions.status < 500)) throw new Error(text);
}

// --- Queries over the schema ------------------------------------------------------------------------------

const NUMBERS = ["0", "-1", "1.5", "1e400", "9007199254740993", "NaN"];

/** A literal that hardly any argument takes. */
const strangeLiteral = fc.oneof(
  fc.constantFrom(
    ...NUMBERS,
    "null",
    "true",
    "ENUM",
    "$missing",
    "{}",
    "[]",
    "[[null]]",
    '"""block"""',
    '"\\uD800"',
  ),
  fc.string({ unit: "binary" }).map((value) => JSON.stringify(value)),
  fc.constant(`${"[".repeat(200)}${"]".repeat(200)}`),
);

function literal({ type }: GraphQLArgument): fc.Arbitrary<string> {
  const named = getNamedType(type);
  const text = fc.string({ unit: "grapheme" }).map((value) => JSON.stringify(value));
  if (!("getFields" in named))
    return fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: strangeLiteral });
  const fields = Object.values(named.getFields()).map((field) =>
    fc.oneof(text, strangeLiteral).map((value) => `${field.name}: ${value}`),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(...fields).map((members) => `{ ${members.join(", ")} }`) },
    { weight: 1, arbitrary: strangeLiteral },
  );
}

const alias = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.stringMatching(/^[_A-Za-z]\w{0,9}$/).map((name) => `${name}: `) },
);

const directive = fc.constantFrom("", "", "", " @skip(if: true)", " @include(if: $x)", " @unknown", " @skip");

function selection(type: GraphQLNamedType, depth: number): fc.Arbitrary<string> {
  if (!isObjectType(type) || depth === 0) return fc.constantFrom("", "", "{ __typename }", "{}");
  const fields = Object.values(type.getFields()).map((field) => fieldOf(field, depth));
  const stray = fc.constantFrom(
    "__typename",
    "nothing",
    "...F",
    "... on Query { __typename }",
    "...{ __typename }",
    "__schema { types { name } }",
  );
  return fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.oneof(...fields) }, { weight: 1, arbitrary: stray }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => `{ ${parts.join(" ")} }`);
}

function fieldOf(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
  const named = field.args.map((argument) => literal(argument).map((value) => `${argument.name}: ${value}`));
  const given = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(...named).map((parts) => (parts.length > 0 ? `(${parts.join(", ")})` : "")),
    },
    { weight: 1, arbitrary: fc.constantFrom("", "()", "(nothing: 1)") },
  );
  return fc
    .tuple(alias, given, directive, selection(getNamedType(field.type), depth - 1))
    .map(([name, parameters_, mark, inner]) => `${name}${field.name}${parameters_}${mark} ${inner}`);
}

const FRAGMENTS = [
  "",
  "",
  "fragment F on Query { __typename }",
  "fragment F on Query { ...F }",
  "fragment F on Nothing { a } fragment F on Query { b }",
];

const operation = fc
  .constantFrom("query", "mutation", "subscription")
  .chain((kind) =>
    selection(
      (kind === "mutation" ? schema.getMutationType() : schema.getQueryType()) ??
        schema.getTypeMap().Query ??
        fail(),
      3,
    ).map((fields) => ({ kind, fields })),
  );

function fail(): never {
  throw new Error("the schema has no query type");
}

const document = fc
  .tuple(
    fc.array(operation, { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", "Q", "Q($x: Boolean!)", "Q($x: Nothing)"),
    fc.constantFrom(...FRAGMENTS),
  )
  .map(
    ([operations, name, fragment]) =>
      `${operations.map(({ kind, fields }) => `${kind} ${name} ${fields}`).join(" ")} ${fragment}`,
  );

describe("GraphQL answers in its own form and never with a failure of the server:", () => {
  test("random queries over the schema, with variables of any kind", async () => {
    const variables = fc.oneof(
      { weight: 3, arbitrary: fc.dictionary(fc.constantFrom("x", "input", "userId"), hostile) },
      { weight: 1, arbitrary: hostile },
    );
    const property = fc.asyncProperty(
      credentials,
      document,
      variables,
      fc.option(fc.constantFrom("Q", "R", "")),
      (token, query, values, operationName) =>
        send(token, jsonOf({ query, variables: values, operationName })),
    );
    await reproducibly(() => fc.assert(property, parameters(1, RUNS * 10)));
  }, 3_600_000);

  test("texts that are no query, and bodies of any form", async () => {
    const tokens = fc
      .array(
        fc.constantFrom(
          ...'{ } ( ) [ ] : ! = | & @ $ ... query mutation fragment on platforms roles null 1 " # ,'.split(
            " ",
          ),
          "\n",
          "🚢",
          "\0",
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join(" "));
    const query = fc.oneof(
      tokens,
      fc.string({ unit: "binary" }),
      fc.constantFrom("{".repeat(3_000), "{a".repeat(3_000), "#", "\ufeff{platforms{id}}"),
    );
    const body = fc.oneof(
      query.map((text) => jsonOf({ query: text })),
      fc
        .tuple(hostileName, hostile)
        .map(([name, value]) => jsonOf({ query: "{ platforms { id } }", [name]: value })),
      fc
        .tuple(fc.constantFrom("query", "variables", "operationName", "extensions"), hostile)
        .map(([name, value]) => jsonOf({ query: "{ platforms { id } }", [name]: value })),
      hostile.map(jsonOf),
    );
    const property = fc.asyncProperty(credentials, body, send);
    await reproducibly(() => fc.assert(property, parameters(2, RUNS * 10)));
  }, 3_600_000);
});

test("the server lives, and has logged no error", async () => {
  expect((await server.get("/health")).status).toBe(200);
  expect(server.output).not.toContain('"level":"error"');
  tell(`${requests} requests by GraphQL`);
});
