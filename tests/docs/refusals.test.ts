import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Answer, RequestOptions } from "../support/api";
import type { OperationDocument } from "../support/contract";
import { TestServer } from "../support/server";

/** Refusals that all operations share, over all that the document names; the contract checks each answer. */

let server: TestServer;
let operations: Operation[];

interface Operation {
  name: string;
  method: string;
  path: string;
  document: OperationDocument;
}

beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.max_body_bytes": "1024" } });
  const { paths } = (await server.contract()).document;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, document]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      document,
    })),
  );
});
afterAll(() => server.stop());

const NOTHING = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";

/**
 * Makes the request of an operation with sufficient rights, about records that don't exist unless the options
 * say so.
 */
async function ask(
  { method, path, document }: Operation,
  options: RequestOptions,
  parameter = NOTHING,
): Promise<Answer> {
  const isForSystem = document.description.includes("Needs a system API key");
  const token = isForSystem ? server.systemKey : await server.admin();
  return server.request(method, path.replaceAll(/\{\w+\}/g, parameter), { token, ...options });
}

/** The name of the error; GraphQL has a form of its own. */
const errorOf = ({ body }: Answer): string => body.error ?? body.errors[0].extensions.code;

/** The doors of apps take any body, and they and that of boxes refuse the credentials of all else. */
const isDoor = ({ document }: Operation) =>
  document.security.some((each) => "trackerPassword" in each || "boxToken" in each);

const withBody = () => operations.filter((each) => each.document.requestBody && !isDoor(each));

test("a body that isn't JSON is 415", async () => {
  expect(withBody().length).toBeGreaterThan(50);
  for (const operation of withBody()) {
    const answer = await ask(operation, { raw: "name=x", headers: { "content-type": "text/plain" } });
    expect([operation.name, answer.status, errorOf(answer)]).toEqual([
      operation.name,
      415,
      "UnsupportedMediaType",
    ]);
  }
});

/** A file has a bound of its own. */
const takesFile = ({ document: { requestBody } }: Operation) =>
  requestBody !== undefined && !("application/json" in requestBody.content);

test("a body above server.max_body_bytes is 413, also where none is taken", async () => {
  const bounded = operations.filter((each) => each.method !== "GET" && !isDoor(each) && !takesFile(each));
  expect(bounded.filter(({ document }) => !document.requestBody).length).toBeGreaterThan(50);
  const others: [string, number][] = [];
  for (const operation of bounded) {
    const answer = await ask(operation, { body: { name: "x".repeat(2_000) } });
    if (answer.status !== 413 || errorOf(answer) !== "PayloadTooLarge")
      others.push([operation.name, answer.status]);
  }
  // It takes access tokens alone.
  expect(others).toEqual([["POST /oauth/userinfo", 401]]);
});

/** A value that a parameter of the operation's path can't have; undefined where any value fits. */
function misfit({ document }: Operation): string | undefined {
  for (const { in: place, schema } of document.parameters ?? []) {
    if (place !== "path") continue;
    if ("format" in schema && schema.format === "uuid") return "none";
    if ("maxLength" in schema) return "x".repeat(Number(schema.maxLength) + 1);
  }
  return undefined;
}

test("a parameter of the path that is no identifier, or too long, is 400", async () => {
  const identified = operations.filter((operation) => misfit(operation) !== undefined);
  expect(identified.length).toBeGreaterThan(50);
  for (const operation of identified) {
    const { example } = operation.document.requestBody?.content["application/json"] ?? {};
    const answer = await ask(operation, example === undefined ? {} : { body: example }, misfit(operation));
    expect([operation.name, answer.status]).toEqual([operation.name, 400]);
  }
});

interface Body {
  minProperties?: number;
  required?: string[];
}

/** The schema of each operation's body. */
async function bodies(): Promise<Map<Operation, Body>> {
  const { schemas } = (await server.contract()).document.components;
  const bodyOf = ({ document }: Operation) => {
    const { schema } = document.requestBody?.content["application/json"] ?? {};
    const name = (schema as { $ref?: string } | undefined)?.$ref?.split("/").at(-1) ?? "";
    return (schemas[name] ?? schema ?? {}) as Body;
  };
  return new Map(operations.map((operation) => [operation, bodyOf(operation)]));
}

test("an empty change is fine where the document asks for no field", async () => {
  const create = async (path: string, fields: object = {}): Promise<string> => {
    const { body } = await server.post(path, { token: await server.admin(), body: { name: "x", ...fields } });
    return body.data?.id ?? body.client?.id ?? body.id;
  };
  // Reports come from users; the one that is missing here shows that the body was taken.
  const expected: Record<string, [parameter: string, status: number]> = {
    "/admin/audit/reports/{report_id}": [NOTHING, 404],
    "/api-keys/{id}": [await create("/v1/api-keys", { scopes: [] }), 200],
    "/oauth/clients/{id}": [
      await create("/v1/oauth/clients", { redirect_uris: ["https://app.example/"] }),
      200,
    ],
    "/platforms/{id_or_slug}/settings": ["email", 200],
    "/roles/{id}": ["role_user", 200],
    "/trip-templates/{id}": [await create("/v1/trip-templates"), 200],
    "/trips/{id}": [await create("/v1/trips"), 200],
    "/users/{id}": ["me", 200],
  };
  const statuses: Record<string, [parameter: string, status: number]> = {};
  for (const [operation, { required = [], minProperties }] of await bodies()) {
    if (operation.method !== "PATCH" || required.length > 0 || minProperties !== undefined) continue;
    const path = operation.path.replace(/^\/v1/, "");
    const parameter = expected[path]?.[0] ?? NOTHING;
    statuses[path] = [parameter, (await ask(operation, { body: {} }, parameter)).status];
  }
  expect(statuses).toEqual(expected);
});

test("an empty change is 400 where the document says that it must hold a field", async () => {
  const bounded = [...(await bodies())].flatMap(([operation, { minProperties }]) =>
    minProperties === 1 ? [operation] : [],
  );
  expect(bounded).toHaveLength(12);
  for (const operation of bounded) {
    const answer = await ask(operation, { body: {} });
    expect([operation.name, answer.status, errorOf(answer)]).toEqual([
      operation.name,
      400,
      "ValidationError",
    ]);
  }
});

test("headers that are too long are 431, even where there is no input to refuse", async () => {
  const inputless = operations.filter(({ document }) => "431" in document.responses);
  expect(inputless.map(({ name }) => name)).toContain("GET /health");
  for (const operation of inputless) {
    const answer = await ask(operation, { headers: { "x-long": "x".repeat(20_000) } });
    expect([operation.name, answer.status, answer.body]).toEqual([operation.name, 431, null]);
  }
});
