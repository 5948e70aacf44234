import type { Json } from "./schemas";
import { ERRORS, NAMES } from "./texts";

/** Parts that the operations of the document share, beside their schemas: ways to sign in, headers, errors. */

/** Swagger UI offers them in this order. */
export const SECURITY = {
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
export const HEADERS = {
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

/** References to headers by their names. */
export const headersOf = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const RATE_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Headers of one kind of error, beside the request id. */
export const ERROR_HEADERS: Record<string, string[]> = {
  401: ["WWW-Authenticate"],
  415: ["Accept", "Accept-Patch", "Accept-Encoding"],
  426: ["Upgrade", "Sec-WebSocket-Version"],
  429: ["Retry-After", ...RATE_HEADERS],
  503: ["Retry-After"],
};

/** The component of an error; a limited operation's tells how much of the limit is left. */
export const responseName = (status: string, limited: boolean): string =>
  `${NAMES[status]}${limited && status !== "429" ? "WithLimit" : ""}`;

/** The components of the errors that the operations name. */
export function errorResponses(paths: Json): Json {
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
