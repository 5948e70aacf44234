import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import type { AccessNote } from "../identity/access/guard";
import { PERMISSIONS } from "../identity/access/permissions";
import { countsAsWrite } from "../identity/access/write-limit";
import { ErrorBody, EXAMPLE_UUID } from "../kernel/schema";
import { VERSION } from "../version";
import { DESCRIPTION, ERRORS, NAMES, TAGS } from "./texts";

/**
 * The OpenAPI document. @elysiajs/swagger collects the routes and their schemas; this file repairs and
 * completes its output: version 3.1 (whose schemas are those of TypeBox), named components, one content type,
 * the errors that follow from a route's marks, security, examples.
 */

type Json = { [key: string]: unknown };

interface Operation extends Json {
  summary: string;
  description: string;
  parameters?: Json[];
  requestBody?: Json;
  responses: Record<string, Json>;
  "x-access": AccessNote["x-access"];
}

const RATE_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Builds the document of an application's routes. */
export async function buildDocument(app: AnyElysia): Promise<Json> {
  const collector = new Elysia()
    .use(swagger({ path: "/ui", specPath: "/json", excludeStaticFile: false }))
    .use(app);
  const collected = await collector.handle(new Request("http://localhost/json"));
  const { paths } = (await collected.json()) as { paths: Record<string, Record<string, Operation>> };

  const schemas: Json = {};
  const finished: Json = {};
  for (const [path, operations] of Object.entries(paths)) {
    const finishedOperations: Json = {};
    for (const [method, operation] of Object.entries(operations))
      finishedOperations[method] = withExampleLinks(
        finishOperation(operation, isLimited(method, path, operation), schemas),
        method,
        path,
      );
    finished[path] = finishedOperations;
  }
  finishSchema({ ...ErrorBody }, schemas);

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
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths: finished,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
      responses: {
        ...Object.fromEntries(Object.keys(ERRORS).map((status) => [NAMES[status], errorResponse(status)])),
        HeadersTooLong: { description: "The address or the headers pass 16 KiB; the body is empty" },
        OtherError: {
          description: "Any other answer is an error",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
      headers: HEADERS,
      securitySchemes: SECURITY,
    },
  };
}

/** Swagger UI puts the cursor into the last one. */
const SECURITY = {
  idAppKey: {
    type: "apiKey",
    in: "header",
    name: "X-ID-App-Key",
    description: "`security.id_app_key` of the configuration; for writing audit events alone",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "fairlead_session",
    description: "A session token; for the WebSocket alone",
  },
  sessionToken: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "A session token; for the WebSocket alone",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "A session token (`ses_…`) or an API key (`flk_…`)",
  },
};

const header = (description: string, schema: Json) => ({ description, schema });
const HEADERS = {
  "X-Request-Id": header(
    "The request's own `X-Request-Id` when it is a sane token, else one of the server's",
    {
      type: "string",
      examples: ["k3v9a1-2f"],
    },
  ),
  "RateLimit-Limit": header("Requests in a window", { type: "integer", examples: [30] }),
  "RateLimit-Remaining": header("Requests left in this window", { type: "integer", examples: [29] }),
  "RateLimit-Reset": header("Seconds until the window ends", { type: "integer", examples: [60] }),
  "WWW-Authenticate": header("The challenge of RFC 9110, section 11.6.1", {
    type: "string",
    examples: ["Bearer"],
  }),
  Upgrade: header("The protocol to ask for", { type: "string", examples: ["websocket"] }),
  "Content-Disposition": header("The file's name", {
    type: "string",
    examples: ['attachment; filename="fairlead-data-export-2026-05-04.zip"'],
  }),
  Accept: header("The types of body that are taken", { type: "string", examples: ["application/json"] }),
  "Accept-Patch": header("The types of body that are taken, of a PATCH", {
    type: "string",
    examples: ["application/json"],
  }),
  Location: header("Where the record is that was created, or where to go on", {
    type: "string",
    examples: ["http://localhost:3000/settings?status=connected"],
  }),
  Warning: header("110 when the answer is older than it should be, because its source does not answer", {
    type: "string",
    examples: ['110 fairlead "Response is Stale"'],
  }),
  "Retry-After": header("Seconds to wait", { type: "integer", examples: [17] }),
};

const headersOf = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of one kind of error, beside the request id. */
const ERROR_HEADERS: Record<string, string[]> = {
  401: ["WWW-Authenticate"],
  415: ["Accept", "Accept-Patch"],
  426: ["Upgrade"],
  429: ["Retry-After", ...RATE_HEADERS],
  503: ["Retry-After"],
};

function errorResponse(status: string): Json {
  const names = ["X-Request-Id", ...(ERROR_HEADERS[status] ?? [])];
  const example: Json = { error: NAMES[status], message: ERRORS[status] };
  if (status === "400") example.details = [{ path: "/name", message: "is required" }];
  return {
    description: ERRORS[status],
    headers: headersOf(names),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, example } },
  };
}

// --- One operation ----------------------------------------------------------------------------------------

/**
 * True if an operation has a limit of its own or counts as a write. Operations for system keys alone are not
 * limited.
 */
function isLimited(method: string, path: string, { "x-access": { requires, limited } }: Operation): boolean {
  return limited || (requires !== "system" && countsAsWrite(method, path));
}

function finishOperation(operation: Operation, limited: boolean, schemas: Json): Json {
  const { summary, description, tags, parameters = [], requestBody, responses } = operation;
  const { requires, also } = operation["x-access"];
  const open =
    also === "credential" ? "Open to anyone; what it is asked for may need a credential." : undefined;
  const access = open ?? ACCESS[requires] ?? `Needs the permission \`${requires}\`${also ? ALSO[also] : ""}.`;
  const isPermission = Object.hasOwn(PERMISSIONS, requires);
  return {
    operationId: operationId(summary),
    summary,
    description: `${description}\n\n${access}`,
    tags,
    ...(isPermission && { "x-permission": requires }),
    security: securityOf(requires, also),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => finishParameter(parameter, schemas)),
    }),
    ...(requestBody && { requestBody: finishBody(requestBody, schemas) }),
    responses: finishResponses(operation, responses, limited, schemas),
  };
}

/** Puts the operation's own address into the links of its examples, where the shared schemas have `/v1/…`. */
function withExampleLinks(operation: Json, method: string, path: string): Json {
  const own = path.replaceAll("{role_id}", "role_user").replaceAll(/\{\w+\}/g, EXAMPLE_UUID);
  const isCreation = method === "post" && Object.hasOwn(operation.responses as Json, "201");
  return JSON.parse(
    JSON.stringify(operation).replaceAll('"/v1/…', `"${own}${isCreation ? `/${EXAMPLE_UUID}` : ""}`),
  );
}

const ACCESS: Record<string, string> = {
  public: "Open to anyone.",
  authenticated: "Open to any session token or API key.",
  session: "Needs a session token.",
  system: "Needs a system API key.",
  admin: "Needs an administrator: a holder of `*:*`.",
  handshake: "Open to any session token or API key.",
};

type Also = NonNullable<AccessNote["x-access"]["also"]>;

const ALSO: Record<Also, string> = {
  credential: "",
  self: ", or a session of the user itself",
  session: " with an API key; any session will do",
  "app key": ", or the configured `X-ID-App-Key`",
};

function securityOf(requires: string, also: Also | undefined): Json[] {
  if (also === "credential") return [{}, { bearer: [] }];
  if (also === "app key") return [{ bearer: [] }, { idAppKey: [] }];
  if (requires === "public") return [];
  if (requires === "handshake") return [{ bearer: [] }, { sessionCookie: [] }, { sessionToken: [] }];
  return [{ bearer: [] }];
}

/**
 * The operation's name in generated clients: "Get the current position" is `getCurrentPosition`, "List API keys"
 * `listApiKeys`, "Open the WebSocket" `openWebSocket`.
 */
function operationId(summary: string): string {
  const words = summary.replaceAll(/'s\b/g, "").match(/[A-Za-z0-9]+/g) ?? [];
  return words
    .filter((word) => !/^(a|an|the)$/i.test(word))
    .map((word) => (/^[A-Z]+$/.test(word) ? word.toLowerCase() : word))
    .map((word, at) => (at === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
}

function finishParameter(
  { name, in: place, required, description, examples, schema }: Json,
  schemas: Json,
): Json {
  return {
    name,
    in: place,
    required: place === "path" ? true : required,
    ...(description !== undefined && { description }),
    schema: finishSchema({ ...(schema as Json), ...(examples !== undefined && { examples }) }, schemas),
  };
}

/** The schema under the first content type: the plugin lists the same one under several. */
const schemaOf = (content: unknown): Json | undefined =>
  Object.values((content ?? {}) as Record<string, { schema: Json }>)[0]?.schema;

function finishBody(body: Json, schemas: Json): Json {
  const schema = schemaOf(body.content) ?? {};
  return {
    required: schema["x-optional"] !== true,
    content: { "application/json": mediaType(finishSchema(schema, schemas), schemas) },
  };
}

function mediaType(schema: Json, schemas: Json): Json {
  const example = exampleOf(schema, schemas);
  return example === undefined ? { schema } : { schema, example };
}

function finishResponses(
  operation: Operation,
  own: Record<string, Json>,
  limited: boolean,
  schemas: Json,
): Json {
  const { requires } = operation["x-access"];
  const statuses = new Set(Object.keys(own));
  // Errors that follow from the route's marks and inputs, so that no route has to repeat them.
  if (operation.parameters || operation.requestBody) statuses.add("400");
  if (operation.requestBody) for (const status of ["413", "415"]) statuses.add(status);
  if (requires !== "public") statuses.add("401");
  if (Object.hasOwn(PERMISSIONS, requires) || requires === "system" || requires === "admin")
    statuses.add("403");
  if (limited) statuses.add("429");
  for (const status of ["500", "503"]) statuses.add(status);

  const responses: Json = {};
  for (const status of [...statuses].sort()) {
    const declared = own[status];
    const { title, description, content } = declared ?? {};
    const schema = schemaOf(content);
    if (Number(status) >= 400 && (!schema || title === "Error")) {
      responses[status] = { $ref: `#/components/responses/${NAMES[status]}` };
      continue;
    }
    // The plugin moves a schema's name and description out to the response.
    const named = schema && title !== undefined ? { ...schema, title, description } : schema;
    responses[status] = {
      description:
        status === "204" ? "Done; the body is empty" : (description ?? (status === "201" ? "Created" : "OK")),
      headers: headersOf([
        "X-Request-Id",
        ...(limited ? RATE_HEADERS : []),
        ...ownHeaders(status, declared, schema),
      ]),
      ...(named && { content: contentOf(named, declared?.["x-content-types"], schemas) }),
    };
  }
  const has = (pattern: RegExp) => Object.keys(responses).some((status) => pattern.test(status));
  // An operation without input can still be refused for its headers.
  if (!has(/^4/)) responses[431] = { $ref: "#/components/responses/HeadersTooLong" };
  // An operation that only redirects: generated clients learn of its errors here.
  if (!has(/^2/)) responses.default = { $ref: "#/components/responses/OtherError" };
  return responses;
}

/** Headers of one kind of answer: a redirect's or a creation's, and those named by a schema. */
const ownHeaders = (status: string, ...told: (Json | undefined)[]): string[] => [
  ...(status === "201" || status === "302" ? ["Location"] : []),
  ...(status === "415" ? (ERROR_HEADERS[415] ?? []) : []),
  ...new Set(told.flatMap((it) => (it?.["x-headers"] as string[] | undefined) ?? [])),
];

function contentOf(schema: Json, types: unknown, schemas: Json): Json {
  const binary = schema["x-content-type"];
  if (typeof binary === "string") return { [binary]: {} };
  const media = mediaType(finishSchema(schema, schemas), schemas);
  return Object.fromEntries(((types ?? ["application/json"]) as string[]).map((type) => [type, media]));
}

// --- Schemas ----------------------------------------------------------------------------------------------

/** A schema as OpenAPI 3.1 writes it; one that has a title becomes a component and is referred to. */
function finishSchema(schema: Json, schemas: Json): Json {
  const { "x-format": format, "x-expected": _, "x-optional": __, "x-headers": ___, title, ...rest } = schema;
  let finished: Json = format === undefined ? rest : { ...rest, format };
  // Elysia writes it into the schemas of a route when it compiles it, at its first request.
  delete finished.additionalProperties;
  if (finished.properties)
    finished.properties = Object.fromEntries(
      Object.entries(finished.properties as Record<string, Json>).map(([key, value]) => [
        key,
        finishSchema(value, schemas),
      ]),
    );
  if (finished.items) finished.items = finishSchema(finished.items as Json, schemas);
  if (finished.anyOf) finished = finishUnion(finished, schemas);
  if (typeof title !== "string") return finished;
  schemas[title] ??= finished;
  // Another schema of the same title is written out in place: a reference would point to the first one.
  if (JSON.stringify(schemas[title]) !== JSON.stringify(finished)) return finished;
  return { $ref: `#/components/schemas/${title}` };
}

/** `string or null` is one schema with two types; a choice of words is an enumeration. */
function finishUnion({ anyOf, ...rest }: Json, schemas: Json): Json {
  const members = (anyOf as Json[]).map((member) => finishSchema(member, schemas));
  const words = members.filter((member) => member.const !== undefined).map((member) => member.const);
  if (words.length === members.length) return { type: "string", enum: words, ...rest };
  const [only, ...others] = members.filter((member) => member.type !== "null");
  if (only && others.length === 0 && typeof only.type === "string")
    return {
      ...only,
      ...rest,
      type: [only.type, "null"],
      ...(only.enum ? { enum: [...(only.enum as unknown[]), null] } : {}),
    };
  return { anyOf: members, ...rest };
}

/** An example made of the examples of a schema's parts; undefined when a required part has none. */
function exampleOf(schema: Json, schemas: Json): unknown {
  if (typeof schema.$ref === "string")
    return exampleOf(schemas[schema.$ref.slice("#/components/schemas/".length)] as Json, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.type === "null") return null;
  if (schema.items) {
    const item = exampleOf(schema.items as Json, schemas);
    return item === undefined ? undefined : [item];
  }
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as Json, schemas);
  if (!schema.properties) return undefined;
  const parts = Object.entries(schema.properties as Record<string, Json>).map(
    ([key, value]) => [key, exampleOf(value, schemas)] as const,
  );
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}
