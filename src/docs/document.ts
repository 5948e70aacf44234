import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import { VERSION } from "../configuration/version";
import type { AccessNote } from "../identity/access/guard";
import { PERMISSIONS } from "../identity/access/permissions";
import { countsAsWrite } from "../identity/access/write-limit";
import { ErrorBody } from "../kernel/http/answers";
import { EXAMPLE_UUID } from "../kernel/http/schema";
import { CLIENT_MESSAGES, SERVER_MESSAGES } from "../realtime/schema";
import type { Json } from "./schemas";
import { exampleOf, finishSchema } from "./schemas";
import { DESCRIPTION, ERRORS, NAMES, TAG_GROUPS } from "./texts";

/**
 * The OpenAPI document. @elysiajs/swagger collects the routes and their schemas; this file repairs and
 * completes its output: version 3.1 (whose schemas are those of TypeBox), named components, one content type,
 * the errors that follow from a route's marks, security, examples.
 */

interface Operation extends Json {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Json[];
  requestBody?: Json;
  responses: Record<string, Json>;
  "x-access": AccessNote["x-access"];
  /** The body of an operation that reads it by itself. */
  "x-body"?: { types: readonly string[]; schema: Json; required?: boolean };
  /** Headers that an operation reads, beside the parameters of its schemas: `parameters` would take their place. */
  "x-header-parameters"?: Json[];
}

const RATE_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

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
      finishedOperations[method] = withExampleLinks(
        finishOperation(operation, isLimited(method, path, operation), schemas),
        method,
        path,
      );
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

/** Swagger UI offers them in this order. */
const SECURITY = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "A session token (`ses_` and 43 characters, from `POST /v1/auth/login`) or an API key (`flk_` and 43 characters, from `POST /v1/api-keys`), or an access token of an application (`fla_` and 43 characters, from `POST /oauth/token`); at the doors for apps a tracker's token (`flt_` and 43 characters, from `POST /v1/devices/{id}/trackers`), or the API key of a device with `gps:write`",
  },
  // No second scheme of type http and bearer: Swagger UI gives the fields of both the same identifier.
  boxToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "`Bearer ` and a box's token (`flb_` and 43 characters, from `POST /v1/sync/boxes`); for what boxes send and fetch alone",
  },
  idAppKey: {
    type: "apiKey",
    in: "header",
    name: "X-ID-App-Key",
    description: "`security.id_app_key` of the configuration; for writing audit events alone",
  },
  trackerPassword: {
    type: "http",
    scheme: "basic",
    description: "A tracker's token as the password, with any user name; for the doors for apps alone",
  },
  trackerKey: {
    type: "apiKey",
    in: "query",
    name: "api_key",
    description: "A tracker's token; for the door of GPSLogger's Dawarich mode alone",
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
};

const header = (description: string, schema: Json) => ({ description, schema });
const HEADERS = {
  "X-Request-Id": header(
    "The request's own `X-Request-Id` if it is a well-formed token, otherwise one made by the server",
    {
      type: "string",
      examples: ["k3v9a1-2f"],
    },
  ),
  "RateLimit-Limit": header("Requests in a window", { type: "integer", format: "int32", examples: [30] }),
  "RateLimit-Remaining": header("Requests left in this window", {
    type: "integer",
    format: "int32",
    examples: [29],
  }),
  "RateLimit-Reset": header("Seconds until the window ends", {
    type: "integer",
    format: "int32",
    examples: [60],
  }),
  "WWW-Authenticate": header("The challenge of RFC 9110, section 11.6.1", {
    type: "string",
    examples: ["Bearer"],
  }),
  Upgrade: header("The protocol to ask for", { type: "string", examples: ["websocket"] }),
  "Sec-WebSocket-Version": header("The version of the protocol", { type: "string", examples: ["13"] }),
  "Content-Disposition": header("The file's name", {
    type: "string",
    examples: ['attachment; filename="fairlead-data-export-2026-05-04.zip"'],
  }),
  "X-Accel-Buffering": header("Tells proxies to pass on each event as it comes", {
    type: "string",
    examples: ["no"],
  }),
  ETag: header("Names this version of the page: send it back as `If-None-Match`", {
    type: "string",
    examples: ['"YWJjZGVmZ2hpamtsbW5vcA"'],
  }),
  "Set-Cookie": header("The session's token (RFC 6265, section 4.1), which no script can read", {
    type: "string",
    examples: ["fairlead_session=…; HttpOnly; SameSite=Strict; Path=/"],
  }),
  Pragma: header("Keeps the tokens out of old caches", { type: "string", examples: ["no-cache"] }),
  "Clear-Site-Data": header("Over https: the browser forgets what the page has stored", {
    type: "string",
    examples: ['"cache", "storage"'],
  }),
  Allow: header("The methods that this path accepts", { type: "string", examples: ["GET, POST"] }),
  Accept: header("Media types accepted for the body", { type: "string", examples: ["application/json"] }),
  "Accept-Patch": header("Media types accepted for the body of a PATCH", {
    type: "string",
    examples: ["application/json"],
  }),
  Location: header("Address of the record that was created, or of the page to go to next", {
    type: "string",
    examples: ["http://localhost:3000/settings?status=connected"],
  }),
  "Referrer-Policy": header("Keeps the address, which holds the state, from the page that comes next", {
    type: "string",
    examples: ["no-referrer"],
  }),
  Warning: header("110 when the answer is older than it should be, because its source does not answer", {
    type: "string",
    examples: ['110 fairlead "Response is Stale"'],
  }),
  "Accept-Encoding": header("The codings that are accepted, when the body has another one", {
    type: "string",
    examples: ["gzip, deflate, zstd"],
  }),
  "Retry-After": header("Seconds to wait", { type: "integer", format: "int32", examples: [17] }),
};

const headersOf = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of one kind of error, beside the request id. */
const ERROR_HEADERS: Record<string, string[]> = {
  401: ["WWW-Authenticate"],
  415: ["Accept", "Accept-Patch", "Accept-Encoding"],
  426: ["Upgrade", "Sec-WebSocket-Version"],
  429: ["Retry-After", ...RATE_HEADERS],
  503: ["Retry-After"],
};

/** The component of an error; a limited operation's tells how much of the limit is left. */
const responseName = (status: string, limited: boolean): string =>
  `${NAMES[status]}${limited && status !== "429" ? "WithLimit" : ""}`;

/** The components of the errors that the operations name. */
function errorResponses(paths: Json): Json {
  const text = JSON.stringify(paths);
  const all = Object.keys(ERRORS).flatMap((status) =>
    [false, true].map((limited) => [responseName(status, limited), errorResponse(status, limited)] as const),
  );
  return Object.fromEntries(all.filter(([name]) => text.includes(`"#/components/responses/${name}"`)));
}

function errorResponse(status: string, limited: boolean): Json {
  const names = [
    ...new Set(["X-Request-Id", ...(ERROR_HEADERS[status] ?? []), ...(limited ? RATE_HEADERS : [])]),
  ];
  const example: Json = { error: NAMES[status], message: ERRORS[status] };
  if (status === "400") example.details = [{ path: "/name", message: "is required" }];
  return {
    description: ERRORS[status],
    headers: headersOf(names),
    content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" }, example } },
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
  const { operationId, summary, description, tags, deprecated, requestBody, responses } = operation;
  const parameters = [...(operation.parameters ?? []), ...(operation["x-header-parameters"] ?? [])];
  const { requires, also, and, share } = operation["x-access"];
  const open = also === "credential" ? "Open to anyone; some requests need a credential." : undefined;
  const needed = and ? `permissions \`${requires}\` and \`${and}\`` : `permission \`${requires}\``;
  const shared = share ? `, or a session with a share of the level \`${share}\` or more` : "";
  const access = open ?? ACCESS[requires] ?? `Needs the ${needed}${also ? ALSO[also] : ""}${shared}.`;
  const isPermission = Object.hasOwn(PERMISSIONS, requires);
  return {
    operationId,
    summary,
    description: `${description}\n\n${access}`,
    ...(deprecated === true && { deprecated }),
    tags,
    ...(isPermission && { "x-permission": requires }),
    ...(and && { "x-further-permission": and }),
    ...(share && { "x-share": share }),
    security: securityOf(operation),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => finishParameter(parameter, schemas)),
    }),
    ...(requestBody && { requestBody: finishBody(requestBody, schemas) }),
    ...(operation["x-body"] && { requestBody: freeBody(operation["x-body"], schemas) }),
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
  authenticated: "Open to any session token, API key or access token.",
  "session or key": "Open to any session token or API key.",
  session: "Needs a session token.",
  openid: "Needs an access token with the scope `openid`.",
  system: "Needs a system API key.",
  admin: "Needs an administrator: a holder of `*:*`.",
  handshake: "Open to any session token, API key or access token.",
  box: "Needs a box's token.",
  tracker: "Needs a tracker's token, or the API key of a device with `gps:write` as Bearer.",
};

type Also = NonNullable<AccessNote["x-access"]["also"]>;

const ALSO: Record<Also, string> = {
  credential: "",
  self: ", or a session of the user itself",
  session: " with an API key; any session will do",
  "app key": ", or the configured `X-ID-App-Key`",
  api_key: "",
};

function securityOf({ "x-access": { requires, also } }: Operation): Json[] {
  if (requires === "tracker")
    return [
      ...[{ bearer: [] }, { trackerPassword: [] }],
      ...(also === "api_key" ? [{ trackerKey: [] }] : []),
    ];
  if (requires === "box") return [{ boxToken: [] }];
  if (also === "credential") return [{}, { bearer: [] }];
  if (also === "app key") return [{ bearer: [] }, { idAppKey: [] }];
  if (requires === "public") return [];
  if (requires === "handshake") return [{ bearer: [] }, { sessionCookie: [] }, { sessionToken: [] }];
  return [{ bearer: [] }];
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

/** The body of an operation: JSON by its schema, or a file, which the route describes itself. */
function finishBody(body: Json, schemas: Json): Json {
  if (!Object.hasOwn(body.content as Json, "application/json")) return body;
  const schema = schemaOf(body.content) ?? {};
  return {
    required: schema["x-optional"] !== true,
    content: { "application/json": mediaType(finishSchema(schema, schemas), schemas) },
  };
}

/** A body that its route reads by itself; that of a door may have any form, of which the document shows the usual one. */
const freeBody = (
  { types, schema, required = false }: NonNullable<Operation["x-body"]>,
  schemas: Json,
): Json => ({
  required,
  content: Object.fromEntries(types.map((type) => [type, mediaType(finishSchema(schema, schemas), schemas)])),
});

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
  if (requires !== "tracker" && (operation.parameters || operation.requestBody)) statuses.add("400");
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
    if (Number(status) >= 400 && (!schema || title === "ErrorBody")) {
      responses[status] = { $ref: `#/components/responses/${responseName(status, limited)}` };
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
  responses[431] = { $ref: "#/components/responses/HeadersTooLong" };
  // An operation without success, or that only redirects: generated clients learn of its errors here.
  if (!Object.keys(responses).some((status) => status.startsWith("2")))
    responses.default = { $ref: "#/components/responses/OtherError" };
  return responses;
}

/** Headers of one kind of answer: a redirect's or a creation's, and those named by a schema. */
const ownHeaders = (status: string, ...told: (Json | undefined)[]): string[] => [
  ...(status === "201" || status === "302" ? ["Location"] : []),
  ...(status === "415" ? (ERROR_HEADERS[415] ?? []) : []),
  ...new Set(told.flatMap((it) => (it?.["x-headers"] as string[] | undefined) ?? [])),
];

/** Other types of an answer are files of their own form. */
const HAS_SCHEMA = /^application\/(?:graphql-response\+)?json$/;

function contentOf(schema: Json, types: unknown, schemas: Json): Json {
  const binary = schema["x-content-type"];
  if (typeof binary === "string") return { [binary]: {} };
  const media = mediaType(finishSchema(schema, schemas), schemas);
  return Object.fromEntries(
    ((types ?? ["application/json"]) as string[]).map((type) => [type, HAS_SCHEMA.test(type) ? media : {}]),
  );
}
