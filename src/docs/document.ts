import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import { VERSION } from "../configuration/version";
import { ErrorBody } from "../kernel/http/answers";
import { CLIENT_MESSAGES, SERVER_MESSAGES } from "../realtime/schema";
import { errorResponses, HEADERS, SECURITY } from "./components";
import { finishOperation, type Operation } from "./operation";
import type { Json } from "./schemas";
import { finishSchema } from "./schemas";
import { DESCRIPTION, TAG_GROUPS } from "./texts";

/**
 * The OpenAPI document. @elysiajs/swagger collects the routes and their schemas; this room repairs and completes its output:
 * version 3.1 (whose schemas are those of TypeBox), named components (schemas.ts, components.ts) and, of each operation, one
 * content type, the errors that follow from its marks, security, examples (operation.ts).
 */

/** Builds the document of an application's routes. */
export async function buildDocument(app: AnyElysia): Promise<Json> {
  const collector = new Elysia()
    .use(swagger({ path: "/ui", specPath: "/json", excludeStaticFile: false }))
    .use(app);
  const collected = await collector.handle(new Request("http://localhost/json"));
  const { paths } = (await collected.json()) as { paths: Record<string, Record<string, Operation>> };

  requireNames(app);
  const schemas: Json = {};
  const finished: Json = {};
  for (const [path, operations] of Object.entries(paths).sort(byUse)) {
    const finishedOperations: Json = {};
    for (const [method, operation] of Object.entries(operations))
      finishedOperations[method] = finishOperation(method, path, operation, schemas);
    finished[path] = finishedOperations;
  }
  finishSchema({ ...ErrorBody }, schemas);
  (finished["/v1/ws"] as { get: Json }).get["x-messages"] = {
    sent: union(CLIENT_MESSAGES, schemas),
    received: union(SERVER_MESSAGES, schemas),
  };

  return {
    openapi: "3.1.0",
    info: {
      title: "Fairlead",
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: "Whoever runs this installation" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This server" }],
    tags: TAG_GROUPS.flatMap(({ tags }) => tags.map(([name, description]) => ({ name, description }))),
    "x-tagGroups": TAG_GROUPS.map(({ name, tags }) => ({ name, tags: tags.map(([tag]) => tag) })),
    paths: finished,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
      responses: {
        ...errorResponses(finished),
        HeadersTooLong: { description: "The address or the headers pass 16 KiB; the body is empty" },
        OtherError: {
          description: "Any other answer is an error",
          content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
        },
      },
      headers: HEADERS,
      securitySchemes: SECURITY,
    },
  };
}

/** Any of the WebSocket's messages, each a component. */
const union = (messages: object, schemas: Json): Json => ({
  oneOf: Object.values(messages).map((schema) => finishSchema(schema, schemas)),
});

/**
 * Throws if a route has no name of its own: the plugin would make one of the path, which changes with it, and
 * with it the clients that were generated.
 */
function requireNames(app: AnyElysia): void {
  for (const { method, path, hooks } of app.routes)
    if (!hooks.detail?.hide && !hooks.detail?.operationId)
      throw new Error(`${method} ${path} has no operationId`);
}

const isKept = (operations: Record<string, Operation>) =>
  Object.values(operations).some(({ deprecated }) => !deprecated);

/** Puts the paths last of which every operation is deprecated. */
const byUse = ([, a]: [string, Record<string, Operation>], [, b]: [string, Record<string, Operation>]) =>
  Number(isKept(b)) - Number(isKept(a));
