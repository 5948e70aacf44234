import { Elysia } from "elysia";
import { config } from "../../config";
import { readJson } from "../../kernel/body";
import { addressBlock, clientAddress } from "../../kernel/client";
import { HOUR, SECOND } from "../../kernel/clock";
import { sameSecret } from "../../kernel/crypto";
import { readTogether } from "../../kernel/db";
import { AppError, forbidden, unauthorized } from "../../kernel/errors";
import type { HookContext } from "../../kernel/http";
import { type Rate, type RateVerdict, takeToken } from "../../kernel/rate-limit";
import { canonicalUuids } from "../../kernel/schema";
import { authenticate, type Caller, isAdmin, isSystemKey, isUnchanged } from "./caller";
import { type Permission, PermissionSet } from "./permissions";

/**
 * Who may use a route. A permission; or
 * - `authenticated`: any session or API key,
 * - `session`: a session token (an API key gets 401),
 * - `system`: a system key (anything else gets 403),
 * - `admin`: whoever holds everything.
 */
export type Requirement = Permission | "authenticated" | "session" | "system" | "admin";

/** A limit of its own for a route, counted per credential, or per address where there is none. */
export interface RateRule {
  name: string;
  /** The rate as configured now. */
  rate: () => Rate;
}

interface Mark {
  requires: Requirement;
  /** Beside those who hold the permission: a session of the user whom `{id}` names (decisions 3.5). */
  orSelf?: true;
  /** Beside those who hold the permission: any session, on a route about the caller itself. */
  orSession?: true;
  /** Beside those who hold the permission: whoever sends `security.id_app_key` as X-ID-App-Key. */
  orAppKey?: true;
  limit?: RateRule;
}

interface OpenMark {
  limit?: RateRule;
  /** Whether a credential permits more: what it asks for then needs one, and checks it. */
  someNeedCredential?: true;
}

/** What the document is told of a route's access: see docs/document.ts. */
export interface AccessNote {
  "x-access": {
    requires: Requirement | "public" | "handshake";
    also?: "self" | "session" | "app key" | "credential";
    limited: boolean;
  };
}

interface GuardedContext extends HookContext {
  params: Record<string, unknown>;
  /** The route's path, as it is declared. */
  route: string;
  caller?: Caller;
  admitted?: boolean;
}

const BEARER = /^Bearer +([!-~]+)$/i;

/** The caller of a request by its Authorization header. Throws 401. */
export function callerOf(request: Request): Caller {
  const header = request.headers.get("authorization");
  if (header === null) throw unauthorized();
  const token = BEARER.exec(header)?.[1];
  const caller = token === undefined ? null : authenticate(token);
  if (!caller)
    throw new AppError("Unauthorized", "The token is not valid, or has ended", {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
  return caller;
}

function authorize(caller: Caller, requires: Requirement): void {
  switch (requires) {
    case "authenticated":
      return;
    case "session":
      if (caller.kind !== "session") throw unauthorized("This needs a session token; an API key won't do");
      return;
    case "system":
      if (!isSystemKey(caller)) throw forbidden("This needs a system API key");
      return;
    case "admin":
      if (!isAdmin(caller)) throw forbidden("This needs an administrator");
      return;
    default:
      if (!caller.isSuperAdmin && !caller.permissions.has(requires))
        throw forbidden(`This needs the permission ${requires}`);
  }
}

/** Counts a request against a limit, answers the RateLimit headers, and throws 429 beyond it. */
export function takeFromLimit(rule: RateRule, subject: string, headers: HookContext["set"]["headers"]): void {
  if (!config["rate_limit.enabled"]) return;
  const verdict: RateVerdict = takeToken(`${rule.name} ${subject}`, rule.rate());
  // A request may count against two limits: the headers tell of the tighter one.
  if (verdict.remaining <= Number(headers["ratelimit-remaining"] ?? verdict.remaining)) {
    headers["ratelimit-limit"] = verdict.limit;
    headers["ratelimit-remaining"] = verdict.remaining;
    headers["ratelimit-reset"] = verdict.resetSeconds;
  }
  if (!verdict.allowed)
    throw new AppError("TooManyRequests", `Too many requests; try again in ${verdict.resetSeconds} s`, {
      headers: { "retry-after": String(verdict.resetSeconds) },
    });
}

/** Whether `{id}` of the path names the user whose session this is. */
const isSelf = (caller: Caller, id: unknown): boolean =>
  caller.kind === "session" && typeof id === "string" && id.toLowerCase() === caller.userId;

/** Passwords that one session may try: as many as a stranger at the login. */
export const passwordLimit: RateRule = { name: "password", rate: () => config["rate_limit.login"] };

const twoFactorCodes: RateRule = { name: "two-factor", rate: () => config["rate_limit.two_factor"] };

/**
 * Counts a second factor that is tried for a user, through whatever credential: a session could make itself any number
 * of keys, and whoever has the password any number of challenges. Throws 429.
 */
export function countTwoFactorCode(userId: string, headers: HookContext["set"]["headers"]): void {
  takeFromLimit(twoFactorCodes, `user ${userId}`, headers);
}

/** Emails that a user may have sent to addresses of its choice, in whatever number of sessions. */
const verificationEmails: RateRule = {
  name: "verification-email",
  rate: () => ({ requests: 30, seconds: HOUR / SECOND }),
};

/**
 * Counts an email to an address of the caller's choice: for the caller, and for a system key, which serves everybody,
 * for the user whom it is about. Throws 429.
 */
export function countVerificationEmail(
  caller: Caller,
  userId: string,
  headers: HookContext["set"]["headers"],
): void {
  const subject = isSystemKey(caller) ? userId : (caller.userId ?? caller.id);
  takeFromLimit(verificationEmails, subject, headers);
}

/** The header of the identity web app, in which it names itself. */
const APP_KEY = "x-id-app-key";

/** Whoever sends the configured X-ID-App-Key: a service of the installation, which may write audit events. */
const APP: Caller = {
  kind: "key",
  id: "id-app",
  tokenHash: "",
  userId: null,
  isSystem: false,
  deviceId: null,
  permissions: new PermissionSet(["audit:write"]),
  isSuperAdmin: false,
  expiresAt: null,
};

function appOf(given: string): Caller {
  const expected = config["security.id_app_key"];
  if (expected === null || !sameSecret(given, expected)) throw unauthorized("The X-ID-App-Key is not valid");
  return APP;
}

/** Who makes a request, if they may. Throws 401 and 403. */
function admittedCaller(request: Request, id: unknown, mark: Mark): Caller {
  const appKey = mark.orAppKey ? request.headers.get(APP_KEY) : null;
  if (appKey !== null) return appOf(appKey);
  const caller = callerOf(request);
  const isOwn = (mark.orSelf && isSelf(caller, id)) || (mark.orSession && caller.kind === "session");
  if (!isOwn) authorize(caller, mark.requires);
  return caller;
}

/** Who makes a request that is no REST route, where it may. Throws 401 and 403. */
export const callerWho = (request: Request, requires: Requirement): Caller =>
  admittedCaller(request, undefined, { requires });

/** Who is it, may they, and how often: in this order, and before the body is looked at. */
function admit(request: Request, set: HookContext["set"], id: unknown, mark: Mark): Caller {
  const caller = admittedCaller(request, id, mark);
  if (mark.limit) takeFromLimit(mark.limit, caller.id, set.headers);
  return caller;
}

/**
 * Who it still is once the body has been read: that takes as long as the client likes, and the credential may have
 * ended or lost its rights meanwhile.
 */
const admitAgain = (caller: Caller, request: Request, id: unknown, mark: Mark): Caller =>
  isUnchanged(caller) ? caller : admittedCaller(request, id, mark);

function admitAnyone(request: Request, set: HookContext["set"], limit: RateRule | undefined): true {
  if (limit) takeFromLimit(limit, addressBlock(clientAddress(request)), set.headers);
  return true;
}

const note = (requires: AccessNote["x-access"]["requires"], mark: Partial<Mark> = {}): AccessNote => ({
  "x-access": {
    requires,
    ...(mark.orSelf && { also: "self" }),
    ...(mark.orSession && { also: "session" }),
    ...(mark.orAppKey && { also: "app key" }),
    limited: mark.limit !== undefined,
  },
});

const anyParameter = () => true;

const bodied = new Set<string>();

/** Tells the guard which routes take a body: what is sent to another one is not read, and does no harm. */
export function noteBodies(routes: { method: string; path: string; hooks: { body?: unknown } }[]): void {
  for (const { method, path, hooks } of routes) if (hooks.body) bodied.add(`${method} ${path}`);
}

/** The reader of one route's bodies. */
function bodyReader() {
  let takesBody: boolean | undefined;
  return (request: Request, route: string) => {
    takesBody ??= bodied.has(`${request.method} ${route}`);
    return takesBody ? readJson(request) : null;
  };
}

/**
 * The one mark that every route carries, as a macro: `access: "gps:read"`, `access: { requires: "users:read",
 * orSelf: true }` or `open: true`. A route without one doesn't start (see app.ts). The hooks are `parse` and `transform` because Elysia validates before
 * `beforeHandle`: a stranger would learn the schema otherwise. They never pass the context on as a whole: Elysia
 * reads their source, and would then parse cookies, headers and the query for every route.
 */
export const guard = new Elysia({ name: "guard" }).macro({
  access(mark: Requirement | Mark) {
    const rule: Mark = typeof mark === "string" ? { requires: mark } : mark;
    const readBody = bodyReader();
    return {
      detail: note(rule.requires, rule) as object,
      async parse(context: GuardedContext) {
        const caller = admit(context.request, context.set, context.params?.id, rule);
        const body = await readBody(context.request, context.route);
        context.caller = admitAgain(caller, context.request, context.params?.id, rule);
        return body;
      },
      transform(context: GuardedContext) {
        readTogether();
        context.caller ??= admit(context.request, context.set, context.params?.id, rule);
        canonicalUuids(context.params, anyParameter);
      },
      resolve(context: GuardedContext) {
        const caller = context.caller as Caller;
        return { caller };
      },
    };
  },
  /** The WebSocket's address, which takes credentials in more ways and reads them itself. */
  handshake(_: true) {
    return { detail: note("handshake") as object };
  },
  open(mark: true | OpenMark) {
    const { limit, someNeedCredential } = mark === true ? ({} as OpenMark) : mark;
    const readBody = bodyReader();
    return {
      detail: {
        "x-access": {
          requires: "public",
          ...(someNeedCredential && { also: "credential" }),
          limited: limit !== undefined,
        },
      } satisfies AccessNote as object,
      parse(context: GuardedContext) {
        context.admitted = admitAnyone(context.request, context.set, limit);
        return readBody(context.request, context.route);
      },
      transform(context: GuardedContext) {
        context.admitted ??= admitAnyone(context.request, context.set, limit);
        canonicalUuids(context.params, anyParameter);
      },
    };
  },
});
