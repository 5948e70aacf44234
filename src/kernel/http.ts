import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { Elysia } from "elysia";
import { config } from "../config";
import { clientAddress } from "./client";
import { SECOND } from "./clock";
import { AppError, toAppError } from "./errors";
import { log, logs } from "./log";
import { countRequest } from "./request-metrics";
import { logFailure } from "./trouble";
import { validationError } from "./validation";

/** What the hooks of this program read of Elysia's context. */
export interface HookContext {
  request: Request;
  set: { headers: Record<string, string | number>; status?: number | string };
}

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
const arrivals = new WeakMap<Request, { at: number; address: string | undefined }>();

/**
 * Paths hold credentials (`/v1/sessions/{token}`) and email addresses, percent-encoded in whatever way: the log doesn't.
 * A token is longer than an identifier, which has 36 characters.
 */
const SECRET = /[\w%-]{40,}/g;
const ADDRESS = /\/[^/]*(?:@|%40)[^/]*/gi;

/** What programs ask again and again to learn that all is well: thousands of lines a day that say nothing. */
const PROBE = /^(\/v1)?\/health(\/live|\/ready)?$|^\/metrics$/;

/** Counts and logs a request that is answered. `route` is the path as it is declared, if there is one. */
function observe(request: Request, route: string | undefined, status: number, requestId: string): void {
  const arrival = arrivals.get(request);
  const took = arrival && performance.now() - arrival.at;
  if (config["metrics.enabled"]) countRequest(route ?? "", request.method, status, took && took / SECOND);
  const level = status < 400 && PROBE.test(route ?? "") ? "debug" : "info";
  if (!logs(level)) return;
  log[level]("request", {
    method: request.method,
    // Without the query: the socket's `token` parameter must not reach a log.
    path: pathOf(request).replace(SECRET, "…").replace(ADDRESS, "/…"),
    status,
    ms: took && Math.round(took * 10) / 10,
    request_id: requestId,
    address: arrival?.address,
  });
}

/**
 * What holds for every request: its id and headers, CORS, the one error mapping, the access log. Used first,
 * since Elysia's hooks cover only what is registered after them.
 */
export function everyRequest(paths: PathTable) {
  const observes = logs("info") || config["metrics.enabled"];
  const app = new Elysia({ name: "every-request" })
    .onRequest(({ request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = requestId(request);
      headers["x-request-id"] = id;
      headers["x-content-type-options"] = "nosniff";
      // Nearly every answer holds personal data or a token; what may be cached says so itself.
      headers["cache-control"] = "no-store";
      if (observes)
        arrivals.set(request, {
          at: performance.now(),
          address: logs("info") ? clientAddress(request) : undefined,
        });
      const preflight = cors(request, headers);
      if (!preflight) return;
      if (observes) observe(request, "", preflight.status, id);
      return preflight;
    })
    .onError({ as: "global" }, ({ error, code, request, set }) => {
      const headers = set.headers as HookContext["set"]["headers"];
      const id = String(headers["x-request-id"]);
      const answer = mapError(error, code, request, id, paths);
      // Another 5xx without a cause is an answer that was meant, and whoever gave it has said why.
      if (answer.status === 500 || (answer.status > 500 && answer.cause !== undefined))
        logFailure("a request failed", answer.cause ?? answer, { request_id: id });
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
    observe(request, route, status, String(set.headers["x-request-id"]));
  });
}

/** Which methods each path takes: tells an unknown path from a wrong method. */
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
    const where = type === "body" ? "body" : type === "query" ? "query" : "path";
    return validationError(validator.Errors(value), `The ${where}`);
  }
  return toAppError(error, id);
}
