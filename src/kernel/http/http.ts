import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { AppError, badRequest, toAppError } from "../errors/errors";
import { logFailure } from "../errors/trouble";
import { type LogFields, log, logs } from "../logs/log";
import { SECOND } from "../time/clock";
import { clientAddress, isLoopback } from "./client";
import { compressed } from "./compress";
import { JsonText } from "./envelopes";
import { noteLargeRead } from "./large-reads";
import { countInTurn } from "./pipelining";
import { countRequest } from "./request-metrics";
import { countUnsent, LARGE } from "./unsent";
import { validationError } from "./validation";

/** The part of Elysia's context that this program's hooks read. */
export interface HookContext {
  request: Request;
  set: { headers: Record<string, string | number>; status?: number | string };
}

/** A request id that a client may choose: it is copied into a header and the log. */
const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

const METHODS = "GET, POST, PUT, PATCH, DELETE";
const EXPOSED = "Location, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After";

/** A record or a list, which is answered as JSON. */
const isJson = (value: unknown): value is object =>
  typeof value === "object" && (Array.isArray(value) || value?.constructor === Object);

/** The address of a record that was created; undefined where the answer has no link, and its route sets it. */
const selfOf = (created: { _links?: { self?: string } }): string | undefined => created._links?.self;

/**
 * The policy of every answer that isn't a page: if a browser takes it for one, nothing in it runs, and nobody
 * frames it. Pages send a policy of their own.
 */
const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Tells browsers to use TLS alone for a year (RFC 6797), if the public address does. Subdomains are left to
 * their owners, and `localhost` to the other programs of this machine. Null if nothing is to be sent.
 */
function strictTransport(): string | null {
  const url = URL.parse(config["server.public_url"] ?? "");
  return url?.protocol === "https:" && !isLoopback(url.hostname) ? "max-age=31536000" : null;
}

let requestCount = 0;
const instance = Math.floor(Math.random() * 0x7fffffff).toString(36);

function requestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && SANE_ID.test(given) ? given : `${instance}-${(++requestCount).toString(36)}`;
}

/** A host name or an address, and a port. No name in use has other characters. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Throws 400 for a request with two Host headers, which the runtime joins by a comma, or with one that names no host (RFC
 * 9112, section 3.2). HTTP/1.0 needs none, and the runtime refuses HTTP/1.1 without one.
 */
function requireHost(request: Request): void {
  const host = request.headers.get("host");
  if (host !== null && !HOST.test(host)) throw badRequest("Send one Host header, with the name of a host");
}

/** Characters that are the same encoded or not (RFC 3986, section 2.3): letters, digits, `-`, `.`, `_` and `~`. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The same path with fewer escapes. */
const simplerPath = (path: string): string =>
  path.replace(ENCODED_UNRESERVED, (encoded) => String.fromCharCode(Number.parseInt(encoded.slice(1), 16)));

function allowedOrigin(origin: string): string | null {
  const origins = config["server.cors_origins"];
  if (origins.includes("*")) return "*";
  return origins.includes(origin) ? origin : null;
}

/**
 * Addresses that applications in browsers call to sign users in. Pages of any origin may: no cookie counts there, and all
 * that they show is public, or is for whoever has the code or the token.
 */
const FOR_ALL_PAGES =
  /^\/(?:oauth\/(?:token|userinfo|jwks|revoke)|\.well-known\/(?:openid-configuration|oauth-authorization-server))\/?$/;

/** CORS headers for a request with an Origin; the answer itself when the request is a preflight. */
function cors(request: Request, headers: HookContext["set"]["headers"]): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  headers.vary = "Origin";
  const isForAll = FOR_ALL_PAGES.test(pathOf(request));
  const allowed = isForAll ? "*" : allowedOrigin(origin);
  if (allowed !== null) {
    headers["access-control-allow-origin"] = allowed;
    headers["access-control-expose-headers"] = isForAll ? `${EXPOSED}, WWW-Authenticate` : EXPOSED;
  }
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return;
  if (allowed !== null) {
    headers["access-control-allow-methods"] = METHODS;
    headers["access-control-allow-headers"] = "Authorization, Content-Type, X-Request-Id";
    headers["access-control-max-age"] = "600";
  }
  return new Response(null, { status: 204, headers: headers as Record<string, string> });
}

/** Time and peer of each request: once it is answered, the server no longer knows its peer. */
const arrivals = new WeakMap<Request, { at: number; address: string | undefined }>();

/**
 * Masks for the log: paths hold credentials (`/v1/sessions/{token}`) and email addresses, in any
 * percent-encoding. A token is longer than an identifier, which has 36 characters.
 */
const SECRET = /[\w%-]{40,}/g;
const ADDRESS = /\/[^/]*(?:@|%40)[^/]*/gi;

/**
 * Paths in which apps, and invited people, send a token that may be of any length where it was mistyped: the log has
 * the route's pattern alone, and they are never repeated in a redirect.
 */
const TOKEN_PATH = /^\/v1\/(ingest|invitations)(?:\/|$)/i;

/** The section of a path that holds a token, also where its slashes are encoded; undefined for any other. */
const tokenSection = (path: string): string | undefined =>
  TOKEN_PATH.exec(path.includes("%") ? simplerPath(path).replaceAll(/%2f/gi, "/") : path)?.[1]?.toLowerCase();

/** A path without its secrets. `route` is the path as it is declared, if there is one. */
function withoutSecrets(path: string, route: string | undefined): string {
  const section = tokenSection(path);
  if (section !== undefined) return route || `/v1/${section}/…`;
  return path.replace(SECRET, "…").replace(ADDRESS, "/…");
}

/** Paths that monitoring polls: thousands of lines a day that say nothing. */
const PROBE = /^(\/v1)?\/health(\/live|\/ready)?$|^\/metrics$/;

/** Reasons why requests were refused for their credential, as the client was told. */
const refusals = new WeakMap<Request, string>();

/**
 * Makes the log tell that a request was refused for its credential, and why. `why` is the text that the
 * client gets.
 */
export function noteRefusal(request: Request, why: string): void {
  if (logs("info")) refusals.set(request, why);
}

/** Identifies a request's credential by its identifier, never by the token. */
export type Identify = (request: Request) => LogFields;

/** Counts and logs a request that is answered. `route` is the path as it is declared, if there is one. */
function observe(
  request: Request,
  route: string | undefined,
  status: number,
  requestId: string,
  identify: Identify,
): void {
  const arrival = arrivals.get(request);
  const took = arrival && performance.now() - arrival.at;
  if (config["metrics.enabled"]) countRequest(route ?? "", request.method, status, took && took / SECOND);
  const level = status < 400 && PROBE.test(route ?? "") ? "debug" : "info";
  if (!logs(level)) return;
  const refused = refusals.get(request);
  log[level]("request", {
    method: request.method,
    // Without the query: the socket's `token` parameter must not reach a log.
    path: withoutSecrets(pathOf(request), route),
    status,
    ms: took && Math.round(took * 10) / 10,
    request_id: requestId,
    address: arrival?.address,
    ...(refused !== undefined && { refused, ...identify(request) }),
  });
}

/**
 * Rules for every request: its id and headers, CORS, the one error mapping, the access log. Used first, since
 * Elysia's hooks cover only what is registered after them.
 */
export function everyRequest(paths: PathTable, identify: Identify) {
  const observes = logs("info") || config["metrics.enabled"];
  const transport = strictTransport();
  const app = new Elysia({ name: "every-request" })
    .onRequest(({ request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = requestId(request);
      headers["x-request-id"] = id;
      headers["x-content-type-options"] = "nosniff";
      headers["content-security-policy"] = NO_PAGE;
      if (transport !== null) headers["strict-transport-security"] = transport;
      // Nearly every answer holds personal data or a token; a cacheable one sets its own header.
      headers["cache-control"] = "no-store";
      if (observes)
        arrivals.set(request, {
          at: performance.now(),
          address: logs("info") ? clientAddress(request) : undefined,
        });
      countInTurn(request);
      requireHost(request);
      const preflight = cors(request, headers);
      if (!preflight) return;
      if (observes) observe(request, "", preflight.status, id, identify);
      return preflight;
    })
    .mapResponse({ as: "global" }, ({ request, responseValue, set }) => {
      const isText = responseValue instanceof JsonText;
      if (!isText && !isJson(responseValue)) return;
      // Elysia would do the same, without telling the length.
      const text = isText ? responseValue.text : JSON.stringify(responseValue);
      if (text.length > LARGE) {
        const bytes = Buffer.byteLength(text);
        countUnsent(request, bytes);
        noteLargeRead(String(identify(request).credential_id), bytes);
      }
      const headers = set.headers as HookContext["set"]["headers"];
      headers["content-type"] ??= "application/json;charset=utf-8";
      const self = set.status === 201 ? selfOf(responseValue) : undefined;
      if (self !== undefined) headers.location ??= self;
      return compressed(text, request, headers) as unknown as Response;
    })
    .onError({ as: "global" }, ({ error, code, request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = String(headers["x-request-id"]);
      const answer = mapError(error, code, request, id, paths);
      // Any other 5xx without a cause is a deliberate answer: the code that throws it logs the reason.
      if (answer.status === 500 || (answer.status > 500 && answer.cause !== undefined))
        logFailure("a request failed", answer.cause ?? answer, { request_id: id });
      if (answer.status === 401 || answer.status === 403) noteRefusal(request, answer.message);
      if (tokenSection(pathOf(request)) !== undefined) headers["referrer-policy"] = "no-referrer";
      const moved = answer.status === 404 ? movedTo(request, code, paths) : null;
      if (moved !== null) {
        set.status = 308;
        return new Response(null, {
          status: 308,
          headers: { ...headers, location: moved } as Record<string, string>,
        });
      }
      set.status = answer.status;
      Object.assign(headers, answer.headers);
      if (answer.status !== 405 || request.method !== "OPTIONS") return answer.body();
      // An OPTIONS request that is no preflight asks which methods there are: `Allow` says it.
      set.status = 204;
      return new Response(null, { status: 204, headers: headers as Record<string, string> });
    });
  // Elysia pays for the hook with a timer on each request.
  if (!observes) return app;
  return app.onAfterResponse({ as: "global" }, ({ request, route, set, responseValue }) => {
    const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200);
    observe(request, route, status, String(set.headers["x-request-id"]), identify);
  });
}

/** The methods of each path: tells an unknown path from a wrong method. */
export class PathTable {
  readonly #paths: { segments: string[]; methods: string[] }[] = [];

  /** Adds the routes of an Elysia application. */
  fill(routes: { method: string; path: string }[]): void {
    const methodsByPath = Map.groupBy(routes, ({ path }) => segmentsOf(path).join("/"));
    for (const same of methodsByPath.values())
      this.#paths.push({
        segments: segmentsOf(same[0]?.path ?? ""),
        methods: same.map(({ method }) => method),
      });
  }

  methodsOf(path: string): string[] {
    const wanted = segmentsOf(path);
    const matching = this.#paths.filter(
      ({ segments }) =>
        segments.length === wanted.length &&
        segments.every((segment, at) => segment.startsWith(":") || segment === wanted[at]),
    );
    const methods = new Set(matching.flatMap((entry) => entry.methods));
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].sort();
  }
}

/** A trailing slash makes no difference, an empty segment does. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  return segments;
}

/**
 * The address of a route of which a request wrote letters as escapes: `/v1/%68ealth` is `/v1/health`. Null if there is no
 * such route.
 */
function movedTo(request: Request, code: unknown, paths: PathTable): string | null {
  if (code !== "NOT_FOUND") return null;
  const path = pathOf(request);
  const simpler = simplerPath(path);
  if (simpler === path || TOKEN_PATH.test(simpler) || paths.methodsOf(simpler).length === 0) return null;
  return simpler + request.url.slice(request.url.indexOf(path) + path.length);
}

/** The path of a request's URL, without its query. */
export function pathOf(request: Request): string {
  const start = request.url.indexOf("/", request.url.indexOf("//") + 2);
  const end = request.url.indexOf("?", start);
  return end === -1 ? request.url.slice(start) : request.url.slice(start, end);
}

interface ElysiaValidationError {
  type: string;
  value: unknown;
  validator: { Errors(value: unknown): Iterable<ValueError>; schema?: TSchema };
}

/** Maps Elysia's errors and this program's to the one answer that the client gets. */
function mapError(error: unknown, code: unknown, request: Request, id: string, paths: PathTable): AppError {
  if (code === "NOT_FOUND") {
    const methods = paths.methodsOf(pathOf(request));
    if (methods.length === 0) return new AppError("NotFound", "No such path");
    const allow = methods.join(", ");
    return new AppError("MethodNotAllowed", `This path takes ${allow}`, { headers: { allow } });
  }
  if (code === "PARSE") {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof AppError
      ? cause
      : new AppError("BadRequest", "The request cannot be read", { cause });
  }
  if (code === "VALIDATION") {
    const { type, value, validator } = error as unknown as ElysiaValidationError;
    // An answer that breaks its own schema is our mistake, not the client's.
    if (type === "response") return toAppError(error, id);
    const where = type === "body" ? "body" : type === "query" ? "query" : "path";
    return validationError(validator.Errors(value), `The ${where}`);
  }
  return toAppError(error, id);
}
