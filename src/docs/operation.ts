import type { AccessNote } from "../identity/access/guard";
import { PERMISSIONS } from "../identity/access/permissions";
import { countsAsWrite } from "../identity/access/write-limit";
import { EXAMPLE_UUID } from "../kernel/http/schema";
import { ERROR_HEADERS, headersOf, RATE_HEADERS, responseName } from "./components";
import type { Json } from "./schemas";
import { exampleOf, finishSchema } from "./schemas";

/** One operation of the document, with all that follows from its marks. */

/** An operation as the plugin has collected it. */
export interface Operation extends Json {
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

/**
 * True if an operation has a limit of its own or counts as a write. Operations for system keys alone are not
 * limited.
 */
function isLimited(method: string, path: string, { "x-access": { requires, limited } }: Operation): boolean {
  return limited || (requires !== "system" && countsAsWrite(method, path));
}

/** An operation as the document shows it. What has a title among its schemas goes to `schemas`. */
export function finishOperation(method: string, path: string, operation: Operation, schemas: Json): Json {
  const finished = describeOperation(method, operation, isLimited(method, path, operation), schemas);
  return withExampleLinks(finished, method, path);
}

function describeOperation(method: string, operation: Operation, limited: boolean, schemas: Json): Json {
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
    responses: finishResponses(method, operation, responses, limited, schemas),
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
  method: string,
  operation: Operation,
  own: Record<string, Json>,
  limited: boolean,
  schemas: Json,
): Json {
  const { requires } = operation["x-access"];
  const statuses = new Set(Object.keys(own));
  // Errors that follow from the route's marks and inputs, so that no route has to repeat them.
  if (requires !== "tracker" && (operation.parameters || operation.requestBody)) statuses.add("400");
  if (operation.requestBody) statuses.add("415");
  // A body that nobody reads is refused too, if it is too large. One of GET does no harm.
  if (operation.requestBody || (method !== "get" && !operation["x-body"])) statuses.add("413");
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
