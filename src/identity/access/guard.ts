import { Elysia } from "elysia";
import { shareReadTransaction } from "../../kernel/db/reads";
import { AppError, forbidden, unauthorized } from "../../kernel/errors/errors";
import { announcesLittle, type BodyBounds, dropBody, readJson } from "../../kernel/http/body";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import type { HookContext } from "../../kernel/http/http";
import { requireReadable } from "../../kernel/http/large-reads";
import { isTurnCostly, isTurnLong, requireConnected } from "../../kernel/http/pipelining";
import { canonicalUuids } from "../../kernel/http/schema";
import { inTurns } from "../../kernel/limits/turns";
import { type Actor, actorOf } from "./actor";
import { APP_KEY, appOf } from "./app-key";
import { type Caller, isAdmin, isSystemKey, isUnchanged } from "./caller";
import { type RateRule, takeFromLimit } from "./limit";
import type { Permission } from "./permissions";
import { callerOf } from "./request-caller";
import type { ShareLevel } from "./share-levels";
import { type AdmittedBy, requireDevice, type VisibleDevices, visibleDevices } from "./visible-devices";
import { countOpenWrite, countsAsWrite, countWrite } from "./write-limit";

export { type RateRule, takeFromLimit };

/**
 * Requirement of a route: a permission, or
 * - `authenticated`: any session, API key or access token,
 * - `session or key`: any session or API key (an access token gets 403: consent to it is not asked for),
 * - `session`: a session token (anything else gets 401),
 * - `openid`: an access token with this scope (anything else gets 401, one without the scope 403),
 * - `system`: a system key (anything else gets 403),
 * - `admin`: a caller who holds everything.
 */
export type Requirement =
  | Permission
  | "authenticated"
  | "session or key"
  | "session"
  | "openid"
  | "system"
  | "admin";

interface Mark {
  requires: Requirement;
  /** A further permission that is needed. */
  and?: Permission;
  /** Beside those who hold the permission: a session of the user whom `{id}` names (rule C5). */
  orSelf?: true;
  /** Beside those who hold the permission: any session, on a route about the caller itself. */
  orSession?: true;
  /**
   * Beside those who hold the permission: a session of a user with whom a device is shared at this level or more. On a route
   * below a device it has to be that one; anywhere else `visible` tells the devices that may be shown.
   */
  orShare?: ShareLevel;
  /** Beside those who hold the permission: a service that sends `security.id_app_key` as X-ID-App-Key. */
  orAppKey?: true;
  limit?: RateRule;
  /** Bounds of the body of a batch, which needs more values than other bodies. */
  body?: BodyBounds;
}

interface OpenMark {
  limit?: RateRule;
  /** Set where a credential permits more: the operation then asks for one, and checks it. */
  someNeedCredential?: true;
  /** Set where the answer costs less than waiting for a turn. */
  atOnce?: true;
}

/** A route's access as the document shows it: see src/docs/operation.ts. */
export interface AccessNote {
  "x-access": {
    requires: Requirement | "public" | "handshake" | "tracker" | "box";
    also?: "self" | "session" | "app key" | "credential" | "api_key";
    /** A share of this level admits too. */
    share?: ShareLevel;
    /** A further permission that is needed. */
    and?: Permission;
    limited: boolean;
  };
}

/**
 * Requests that came in a turn of the event loop which has taken long already: of them, 8 begin in each of the
 * next turns, which takes 10 ms at worst.
 */
const nextTurn = inTurns({ ofTurn: 8 });

interface GuardedContext extends HookContext {
  params: Record<string, unknown>;
  /** The route's path as declared. */
  route: string;
  caller?: Caller;
  admitted?: boolean;
  visible?: VisibleDevices;
}

function authorize(caller: Caller, requires: Requirement): void {
  switch (requires) {
    case "authenticated":
      return;
    case "session or key":
      if (caller.kind === "token") throw forbidden("No application may do this in a user's name");
      return;
    case "session":
      if (caller.kind !== "session")
        throw unauthorized("This needs a session token; an API key or an access token won't do");
      return;
    case "openid":
      requireIdentity(caller);
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

/** Throws 401 for a caller without an access token, and 403 for one without the scope `openid` (RFC 6750, section 3.1). */
function requireIdentity(caller: Caller): void {
  const challenge = (error: string) => ({
    headers: { "www-authenticate": `Bearer error="${error}", scope="openid"` },
  });
  if (caller.kind !== "token")
    throw new AppError("Unauthorized", "This needs an access token", challenge("invalid_token"));
  if (!caller.scopes.includes("openid"))
    throw new AppError("Forbidden", "This needs the scope openid", challenge("insufficient_scope"));
}

/** In place of a user's identifier: the user whose session this is. */
const ME = "me";

/** True if `{id}` of the path names the user whose session this is. */
const isSelf = (caller: Caller, id: unknown): boolean =>
  caller.kind === "session" && (id === ME || (typeof id === "string" && id.toLowerCase() === caller.userId));

const OF_USER = /^\/v1\/(?:admin\/)?users\/:id(?:\/|$)/;

/** Makes the parameters of a request canonical; `me` becomes the identifier that it stands for. */
function canonicalParams(params: Record<string, unknown> | undefined, caller: Caller, route: string): void {
  if (params === undefined) return;
  if (params.id === ME && caller.kind === "session" && OF_USER.test(route)) params.id = caller.userId;
  canonicalUuids(params, anyParameter);
}

const OF_DEVICE = /^\/v1\/devices\/:id(?:\/|$)/;

/** The devices that a request may show. On a route below a device, throws 404 and 403 for one that isn't among them. */
function shown(caller: Caller, id: unknown, route: string, { requires, orShare }: Mark): VisibleDevices {
  const visible = visibleDevices(caller, requires as Permission, orShare as ShareLevel);
  if (OF_DEVICE.test(route)) requireDevice(caller, visible, String(id).toLowerCase());
  return visible;
}

/** The share that admits a request to a route below a device. */
const shareThat = (route: string, id: unknown, { orShare }: Mark): AdmittedBy | undefined =>
  orShare && OF_DEVICE.test(route) ? { deviceId: String(id), least: orShare } : undefined;

/** The caller of a request, admitted. Throws 401, 403, and 429 for one wrong app key too many. */
function admittedCaller(
  request: Request,
  headers: HookContext["set"]["headers"],
  id: unknown,
  mark: Mark,
): Caller {
  const appKey = mark.orAppKey ? request.headers.get(APP_KEY) : null;
  if (appKey !== null) return appOf(appKey, request, headers);
  const caller = callerOf(request);
  const isOwn = (mark.orSelf && isSelf(caller, id)) || (mark.orSession && caller.kind === "session");
  if (!isOwn && mark.orShare) visibleDevices(caller, mark.requires as Permission, mark.orShare);
  else if (!isOwn) authorize(caller, mark.requires);
  if (mark.and) authorize(caller, mark.and);
  return caller;
}

/** The actor of a request that is no REST route, admitted. Throws 401 and 403. */
export const requireActor = (request: Request, requires: Requirement): Actor =>
  actorOf(admittedCaller(request, {}, undefined, { requires }), request);

/** Checks identity, rights and rate, in this order and before the body is looked at (rule H14). */
function admit(request: Request, set: HookContext["set"], id: unknown, mark: Mark, isWrite: boolean): Caller {
  const caller = admittedCaller(request, set.headers, id, mark);
  requireReadable(caller.id);
  if (isWrite) countWrite(caller, set.headers);
  if (mark.limit) takeFromLimit(mark.limit, caller.id, set.headers);
  return caller;
}

/**
 * The caller once the body has been read. Reading takes as long as the client likes, and the credential may
 * have ended or lost its rights meanwhile.
 */
const readmit = (
  caller: Caller,
  request: Request,
  set: HookContext["set"],
  id: unknown,
  mark: Mark,
): Caller => (isUnchanged(caller) ? caller : admittedCaller(request, set.headers, id, mark));

/** A write without a limit of its own counts against the general one. */
function admitAnyone(
  request: Request,
  set: HookContext["set"],
  limit: RateRule | undefined,
  isWrite: boolean,
): true {
  if (limit) takeFromLimit(limit, addressBlock(clientAddress(request)), set.headers);
  else if (isWrite) countOpenWrite(addressBlock(clientAddress(request)), set.headers);
  return true;
}

const note = (requires: AccessNote["x-access"]["requires"], mark: Partial<Mark> = {}): AccessNote => ({
  "x-access": {
    requires,
    ...(mark.and && { and: mark.and }),
    ...(mark.orSelf && { also: "self" }),
    ...(mark.orSession && { also: "session" }),
    ...(mark.orAppKey && { also: "app key" }),
    ...(mark.orShare && { share: mark.orShare }),
    limited: mark.limit !== undefined,
  },
});

const anyParameter = () => true;

/** The routes that take a body, by their reader: `guard`, or the route itself. */
const bodied = new Map<string, "guard" | "route">();

interface BodyMarks {
  body?: unknown;
  detail?: { requestBody?: unknown; "x-body"?: unknown; hide?: boolean };
}

/** Registers the routes that take a body. One sent to any other route does no harm. Hidden are pages, which read their forms. */
export function noteBodies(routes: { method: string; path: string; hooks: BodyMarks }[]): void {
  for (const { method, path, hooks } of routes) {
    const { requestBody, "x-body": free, hide } = hooks.detail ?? {};
    const isOwn = requestBody !== undefined || free !== undefined || hide === true;
    if (hooks.body || isOwn) bodied.set(`${method} ${path}`, hooks.body ? "guard" : "route");
  }
}

/** Reads the body on a route that takes one, and returns once the request may act (rule H15). Throws 413 on any other, too. */
function bodyReader(bounds?: BodyBounds) {
  let reader: "guard" | "route" | "nobody" | undefined;
  return async (request: Request, route: string) => {
    reader ??= bodied.get(`${request.method} ${route}`) ?? "nobody";
    const body = reader === "guard" ? await readJson(request, bounds) : null;
    if (reader === "nobody" && !announcesLittle(request)) await dropBody(request);
    // The runtime would keep what comes of a large body that is still to be read.
    if (reader !== "route" || announcesLittle(request)) await requireConnected(request);
    return body;
  };
}

/** Tells whether one route's requests are writes; its first request decides. */
function writeFinder() {
  let isWrite: boolean | undefined;
  return (request: Request, route: string): boolean => {
    isWrite ??= countsAsWrite(request.method, route);
    return isWrite;
  };
}

/**
 * The one mark that every route carries, as a macro: `access: "gps:read"`, `access: { requires: "users:read",
 * orSelf: true }` or `open: true`. A route without one doesn't start (see app.ts). The hooks are `parse` and
 * `transform` because Elysia validates before `beforeHandle`: a stranger would learn the schema otherwise.
 * They never pass the context on as a whole: Elysia reads their source, and would then parse cookies, headers
 * and the query for every route.
 */
export const guard = new Elysia({ name: "guard" }).macro({
  access(mark: Requirement | Mark) {
    const rule: Mark = typeof mark === "string" ? { requires: mark } : mark;
    const readBody = bodyReader(rule.body);
    const isWrite = writeFinder();
    return {
      detail: note(rule.requires, rule) as object,
      parse(context: GuardedContext) {
        context.caller = admit(
          context.request,
          context.set,
          context.params?.id,
          rule,
          isWrite(context.request, context.route),
        );
        if (rule.orShare) shown(context.caller, context.params?.id, context.route, rule);
        return readBody(context.request, context.route);
      },
      async transform(context: GuardedContext) {
        // One with a body had its turn when that was read, and was admitted before.
        if (!context.caller && isTurnLong())
          await nextTurn(() => addressBlock(clientAddress(context.request)));
        shareReadTransaction();
        context.caller = context.caller
          ? readmit(context.caller, context.request, context.set, context.params?.id, rule)
          : admit(
              context.request,
              context.set,
              context.params?.id,
              rule,
              isWrite(context.request, context.route),
            );
        canonicalParams(context.params, context.caller, context.route);
        if (rule.orShare) context.visible = shown(context.caller, context.params?.id, context.route, rule);
      },
      resolve({ caller, request, params, route, visible = "all" }: GuardedContext): {
        actor: Actor;
        visible: VisibleDevices;
      } {
        const admittedBy = visible === "all" ? undefined : shareThat(route, params?.id, rule);
        return { actor: actorOf(caller as Caller, request, admittedBy), visible };
      },
    };
  },
  /** The WebSocket's address, which takes credentials in more ways and reads them itself. */
  handshake(_: true) {
    return { detail: note("handshake") as object };
  },
  open(mark: true | OpenMark) {
    const { limit, someNeedCredential, atOnce } = mark === true ? ({} as OpenMark) : mark;
    const readBody = bodyReader();
    const isWrite = writeFinder();
    return {
      detail: {
        "x-access": {
          requires: "public",
          ...(someNeedCredential && { also: "credential" }),
          limited: limit !== undefined,
        },
      } satisfies AccessNote as object,
      parse(context: GuardedContext) {
        context.admitted = admitAnyone(
          context.request,
          context.set,
          limit,
          isWrite(context.request, context.route),
        );
        return readBody(context.request, context.route);
      },
      async transform(context: GuardedContext) {
        if (!context.admitted && !atOnce && isTurnCostly())
          await nextTurn(() => addressBlock(clientAddress(context.request)));
        context.admitted ??= admitAnyone(
          context.request,
          context.set,
          limit,
          isWrite(context.request, context.route),
        );
        canonicalUuids(context.params, anyParameter);
      },
      resolve({ request }: GuardedContext): { actor: Actor<null> } {
        return { actor: actorOf(null, request) };
      },
    };
  },
});
