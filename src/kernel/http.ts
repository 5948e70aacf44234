import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import type { Server } from "bun";
import { Elysia } from "elysia";
import ipaddr from "ipaddr.js";
import { config } from "../config";
import { AppError, badRequest, toAppError } from "./errors";
import { describeError, log, logs } from "./log";
import { MAX_LIMIT, type PageOf, type PageRequest } from "./paging";
import { canonicalUuids, explain, isReference, queryInteger, t } from "./schema";

/** What the hooks of this program read of Elysia's context. */
export interface HookContext {
  request: Request;
  set: { headers: Record<string, string | number>; status?: number | string };
}

// --- Who is asking ----------------------------------------------------------------------------------------

type Address = ReturnType<typeof ipaddr.process>;
type Range = [Address, number];

let server: Server<unknown> | null = null;
let trustedProxies: Range[] = [];

/** Tells this module the listening server, which knows the peer of each request. */
export function attachServer(listening: Server<unknown>): void {
  server = listening;
  trustedProxies = config["server.trusted_proxies"].map((entry) =>
    entry.includes("/")
      ? ipaddr.parseCIDR(entry)
      : [ipaddr.process(entry), ipaddr.process(entry).kind() === "ipv4" ? 32 : 128],
  );
}

export function listeningServer(): Server<unknown> | null {
  return server;
}

const isTrusted = (address: Address) =>
  trustedProxies.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

/**
 * The address of the client. `X-Forwarded-For` counts only when the peer is a trusted proxy, and is read from
 * the right, since everything left of the last untrusted hop may be made up.
 */
export function clientAddress(request: Request): string {
  const peer = server?.requestIP(request)?.address;
  if (peer === undefined) return "unknown";
  const forwarded = trustedProxies.length > 0 ? request.headers.get("x-forwarded-for") : null;
  let address = ipaddr.process(peer);
  for (const hop of forwarded?.split(",").reverse() ?? []) {
    if (!isTrusted(address) || !ipaddr.isValid(hop.trim())) break;
    address = ipaddr.process(hop.trim());
  }
  return address.toString();
}

/** The protocol that a trusted proxy was spoken to with; null when there is none or it doesn't say. */
export function forwardedProtocol(request: Request): "http" | "https" | null {
  const peer = trustedProxies.length > 0 ? server?.requestIP(request)?.address : undefined;
  if (peer === undefined || !isTrusted(ipaddr.process(peer))) return null;
  const protocol = request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim();
  return protocol === "https" || protocol === "http" ? protocol : null;
}

/** From where a request came, for audit events and sessions, and the languages that the client prefers. */
export interface Client {
  address: string;
  userAgent: string | null;
  /** The Accept-Language header. */
  acceptLanguage: string | null;
}

/** A user agent is whatever the client claims; more than this is not kept. */
const MAX_USER_AGENT = 512;

export function clientOf(request: Request): Client {
  const userAgent = request.headers.get("user-agent")?.slice(0, MAX_USER_AGENT) ?? null;
  return {
    address: clientAddress(request),
    userAgent,
    acceptLanguage: request.headers.get("accept-language"),
  };
}

// --- Bodies -----------------------------------------------------------------------------------------------

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Nesting that no request of this API needs; deeper JSON would exhaust the stack of whoever walks it. */
const MAX_DEPTH = 64;

/** The JSON object in the body of a request; null when there is no body. Throws 400, 413 or 415. */
export async function readJson(request: Request): Promise<object | null> {
  if (request.body === null) return null;
  const declared = request.headers.get("content-length");
  if (declared === "0") return null;
  const limit = config["server.max_body_bytes"];
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    throw new AppError("UnsupportedMediaType", "Send the body as Content-Type: application/json");
  const text = declared === null ? await readBounded(request.body, limit) : decode(await request.bytes());
  if (text === "") return null;
  if (text.length > MAX_DEPTH && nestsDeeperThan(MAX_DEPTH, text))
    throw badRequest(`The request body is nested deeper than ${MAX_DEPTH} levels`);
  const body = parseJson(text);
  if (SURROGATE_ESCAPE.test(text) && !isWellFormed(body))
    throw badRequest("The request body holds half a character (a lone surrogate)");
  // Elysia would make an object of anything else before it checks the body against its schema.
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("ValidationError", "The body must be an object", {
      details: [{ path: "/", message: "must be an object" }],
    });
  if (text.includes('_id"')) canonicalUuids(body as Record<string, unknown>, isReference);
  return body;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Whether all keys and texts of a parsed body are Unicode: the store would put something else in place of the rest. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("The request body is not valid JSON");
  }
}

const tooLarge = (limit: number) =>
  new AppError("PayloadTooLarge", `The request body is larger than ${limit} bytes`);

async function readBounded(body: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8 (RFC 8259, section 8.1); what isn't would be stored as something that was never sent. */
function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw badRequest("The request body is not UTF-8");
  }
}

function nestsDeeperThan(depth: number, json: string): boolean {
  let open = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++open > depth) return true;
    } else if (code === 0x5d || code === 0x7d) open--;
  }
  return false;
}

// --- Envelopes --------------------------------------------------------------------------------------------

/** The single-record envelope: `single(trip, "/v1/trips/…")`. */
export function single<T>(data: T, self: string) {
  return { data, _links: { self } };
}

/** `page` and `limit` of every paginated list, with the list's own default limit. */
export const pageQuery = (defaultLimit: number) => ({
  page: t.Optional(
    queryInteger({ minimum: 1, default: 1, description: "Page, counted from 1", examples: [1] }),
  ),
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      default: defaultLimit,
      description: `Records a page; more than ${MAX_LIMIT} is lowered to ${MAX_LIMIT}`,
      examples: [defaultLimit],
    }),
  ),
});

/** The page asked for by a validated query, its limit lowered to the maximum. */
export function pageRequest(query: { page?: number; limit?: number }, defaultLimit: number): PageRequest {
  return {
    page: Math.min(query.page ?? 1, Number.MAX_SAFE_INTEGER),
    limit: Math.min(query.limit ?? defaultLimit, MAX_LIMIT),
  };
}

/** The page envelope. The links keep the request's other query parameters, known ones or not (decisions 2.2). */
export function page<T>(path: string, asked: PageRequest, { rows, total }: PageOf<T>, request: Request) {
  const kept = otherParameters(request.url);
  const to = (number: number) => `${path}?page=${number}&limit=${asked.limit}${kept}`;
  const pages = Math.ceil(total / asked.limit);
  const links: { self: string; first: string; last: string; prev?: string; next?: string } = {
    self: to(asked.page),
    first: to(1),
    last: to(Math.max(1, pages)),
  };
  if (asked.page > 1 && pages > 0) links.prev = to(Math.min(asked.page - 1, pages));
  if (asked.page < pages) links.next = to(asked.page + 1);
  return {
    data: rows,
    pagination: { page: asked.page, limit: asked.limit, total, total_pages: pages },
    _links: links,
  };
}

/** The query parameters of a URL but `page` and `limit`, as they were sent, each behind an ampersand. */
function otherParameters(url: string): string {
  const start = url.indexOf("?");
  if (start === -1) return "";
  let kept = "";
  for (const parameter of url.slice(start + 1).split("&"))
    if (parameter !== "" && !/^(?:page|limit)(?:=|$)/.test(parameter)) kept += `&${parameter}`;
  return kept;
}

// --- Every request ----------------------------------------------------------------------------------------

/** A request id that a client may choose: it goes into a header and the log as it is. */
const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

const METHODS = "GET, POST, PUT, PATCH, DELETE";
const EXPOSED = "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After";

let requestCount = 0;
const instance = Math.floor(Math.random() * 0x7fffffff).toString(36);

function requestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && SANE_ID.test(given) ? given : `${instance}-${(++requestCount).toString(36)}`;
}

function allowedOrigin(origin: string): string | null {
  const origins = config["server.cors_origins"];
  if (origins.includes("*")) return "*";
  return origins.includes(origin) ? origin : null;
}

/** CORS headers for a request with an Origin; the answer itself when the request is a preflight. */
function cors(request: Request, headers: HookContext["set"]["headers"]): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  headers.vary = "Origin";
  const allowed = allowedOrigin(origin);
  if (allowed !== null) {
    headers["access-control-allow-origin"] = allowed;
    headers["access-control-expose-headers"] = EXPOSED;
  }
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return;
  if (allowed !== null) {
    headers["access-control-allow-methods"] = METHODS;
    headers["access-control-allow-headers"] = "Authorization, Content-Type, X-Request-Id";
    headers["access-control-max-age"] = "600";
  }
  return new Response(null, { status: 204, headers: headers as Record<string, string> });
}

/** When and from where a request came: once it is answered, the server no longer knows its peer. */
const arrivals = new WeakMap<Request, { at: number; address: string }>();

/**
 * Paths hold credentials (`/v1/sessions/{token}`) and email addresses, percent-encoded in whatever way: the log doesn't.
 * A token is longer than an identifier, which has 36 characters.
 */
const SECRET = /[\w%-]{40,}/g;
const ADDRESS = /\/[^/]*(?:@|%40)[^/]*/gi;

function logRequest(request: Request, status: number, requestId: string): void {
  const arrival = arrivals.get(request);
  log.info("request", {
    method: request.method,
    // Without the query: the socket's `token` parameter must not reach a log.
    path: pathOf(request).replace(SECRET, "…").replace(ADDRESS, "/…"),
    status,
    ms: arrival && Math.round((performance.now() - arrival.at) * 10) / 10,
    request_id: requestId,
    address: arrival?.address,
  });
}

/**
 * What holds for every request: its id and headers, CORS, the one error mapping, the access log. Used first,
 * since Elysia's hooks cover only what is registered after them.
 */
export function everyRequest(paths: PathTable) {
  const app = new Elysia({ name: "every-request" })
    .onRequest(({ request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = requestId(request);
      headers["x-request-id"] = id;
      headers["x-content-type-options"] = "nosniff";
      // Nearly every answer holds personal data or a token; what may be cached says so itself.
      headers["cache-control"] = "no-store";
      if (logs("info")) arrivals.set(request, { at: performance.now(), address: clientAddress(request) });
      const preflight = cors(request, headers);
      if (!preflight) return;
      logRequest(request, preflight.status, id);
      return preflight;
    })
    .onError({ as: "global" }, ({ error, code, request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = String(headers["x-request-id"]);
      const answer = mapError(error, code, request, id, paths);
      if (answer.status >= 500 && answer.name !== "NotImplemented")
        log.error("a request failed", { request_id: id, ...describeError(answer.cause ?? answer) });
      set.status = answer.status;
      Object.assign(headers, answer.headers);
      if (answer.status !== 405 || request.method !== "OPTIONS") return answer.body();
      // An OPTIONS request that is no preflight asks which methods there are: `Allow` says it.
      set.status = 204;
      return new Response(null, { status: 204, headers: headers as Record<string, string> });
    });
  // Elysia pays for the hook with a timer on each request.
  if (!logs("info")) return app;
  return app.onAfterResponse({ as: "global" }, ({ request, set, responseValue }) => {
    const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200);
    logRequest(request, status, String(set.headers["x-request-id"]));
  });
}

/** Which methods each path takes: tells an unknown path from a wrong method. */
export class PathTable {
  readonly #paths: { segments: string[]; methods: string[] }[] = [];

  /** Adds the routes of an Elysia application. */
  fill(routes: { method: string; path: string }[]): void {
    for (const { method, path } of routes) {
      const known = this.#paths.find((entry) => entry.segments.join("/") === segmentsOf(path).join("/"));
      if (known) known.methods.push(method);
      else this.#paths.push({ segments: segmentsOf(path), methods: [method] });
    }
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

/** A slash at the end makes no difference, an empty segment does. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  return segments;
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

/** Elysia's errors and ours, as the one answer that the client gets. */
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
    const details = explain(validator.Errors(value));
    const first = details[0];
    const where = type === "body" ? "body" : type === "query" ? "query" : "path";
    const subject = !first || first.path === "/" ? `The ${where}` : first.path.slice(1).replaceAll("/", ".");
    return new AppError("ValidationError", `${subject} ${first?.message ?? "is not valid"}`, { details });
  }
  return toAppError(error, id);
}
