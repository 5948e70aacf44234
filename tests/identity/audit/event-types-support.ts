import type { AuditEventType } from "../../../src/identity/audit/event-types";
import type { Answer, RequestOptions, Token } from "../../support/api";
import { createKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { type ExternalUser, externalUser, newUser, type User } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { rows } from "../../support/rows";
import { ADMIN, type Settings, TestServer } from "../../support/server";
import { type Guarded, guarded } from "../two-factor/support";

/** Shared by the tests of event types: one request at a time, and all that it wrote into the audit log. */

// --- The people -------------------------------------------------------------------------------------------

/** A server, and people whom no case may ban, delete or rename. */
export interface World {
  server: TestServer;
  /** A super admin. */
  admin: { id: string; token: Token };
  /** Has an email address and a password. */
  member: User;
  /** Has two-factor authentication on, too. */
  guarded: Guarded;
  /** May have keys. */
  keeper: { id: string; username: string; token: Token };
  /** The role by which the keeper may. */
  keyRole: string;
}

export async function startWorld(settings: Settings): Promise<World> {
  const server = await TestServer.start({ clock: "movable", settings });
  const { user_id, session_token } = await server.login(ADMIN.username, ADMIN.password);
  const { id: keyRole } = await newRole(server, "api_keys:read", "api_keys:write");
  return {
    server,
    admin: { id: user_id, token: session_token },
    member: await newUser(server),
    guarded: await guarded(server),
    keeper: await newUser(server, keyRole),
    keyRole,
  };
}

/** A user with one session, and two keys without a scope. */
export async function keyOwner({ server, keyRole }: World): Promise<ExternalUser> {
  const user = await externalUser(server);
  await assign(server, user.id, keyRole);
  for (const _ of [1, 2]) await createKey(server, user.token, []);
  return user;
}

/** A key of the keeper's. */
export const newKey = ({ server, keeper }: World) => createKey(server, keeper.token, []);

// --- Operations and their events --------------------------------------------------------------------------

export interface Expected {
  event_type: AuditEventType;
  resource_type: string | null;
  status: "success" | "failure";
  /** True if the event has no actor, whoever made the request. */
  byItself?: true;
  /** True if the event is about another user, on whom this one acts. */
  aboutAnother?: true;
}

/** An event that tells of a success, about a resource. */
export const event = (
  event_type: AuditEventType,
  resource_type: string | null,
  more: Partial<Expected> = {},
): Expected => ({ event_type, resource_type, status: "success", ...more });

/** An event that tells of a failure. */
export const failure = (event_type: AuditEventType, resource_type: string | null = null): Expected =>
  event(event_type, resource_type, { status: "failure" });

export interface Prepared extends Pick<RequestOptions, "token" | "body" | "raw" | "headers"> {
  /** The user of all events: a given one, none, or the one found in the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
  user: string | null | ((body: any) => string);
  /** The actor, if it is somebody else. */
  actor?: string;
  /** The user of the events about another one. */
  another?: string;
  /** Values for the parameters of the path. */
  params?: Record<string, string>;
  query?: string;
  /** The status of a request that is refused. */
  refused?: number;
  /** The answer is a file, which the test client would report as undeclared. */
  isFile?: true;
  /**
   * Runs just before the request, or in place of one for a message of the socket, a command or a job. Returns
   * a command's output.
   */
  run?: () => unknown;
}

export interface Case {
  /** `METHOD /path` as in the table, or a message of the socket, a command or a job by its name. */
  operation: string;
  /** A word that tells apart several cases of one operation. */
  which?: string;
  writes: Expected[];
  prepare: (world: World) => Prepared | Promise<Prepared>;
}

export interface Row {
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  resource_type: string | null;
  status: string;
}

/** Sorts events: the order of those of one request doesn't matter. */
export const sorted = (events: Row[]): Row[] => events.toSorted((a, b) => line(a).localeCompare(line(b)));

const line = (row: Row) => [row.event_type, row.user_id, row.actor_id, row.resource_type, row.status].join();

/** All audit events that are written while `act` runs, and its result. */
export async function writtenBy<T>(server: TestServer, act: () => Promise<T>): Promise<[Row[], T]> {
  const [newest] = rows<{ rowid: number }>(server, "SELECT MAX(rowid) AS rowid FROM audit_events");
  const answer = await act();
  const written = rows<Row>(
    server,
    "SELECT event_type, user_id, actor_id, resource_type, status FROM audit_events WHERE rowid > ?",
    newest?.rowid ?? 0,
  );
  return [sorted(written), answer];
}

/** Makes the request of an operation, with values in place of the parameters of its path. */
export async function ask(
  server: TestServer,
  operation: string,
  { params = {}, query = "", token, isFile, body, raw, headers }: Omit<Prepared, "user">,
): Promise<Answer> {
  const [method = "", template = ""] = operation.split(" ");
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${operation}: there is no value for ${name}`);
    return encodeURIComponent(value);
  });
  const sent = { ...(raw === undefined ? { body } : { raw }), ...(headers && { headers }) };
  if (!isFile) return server.request(method, path + query, { ...(token && { token }), ...sent });
  const response = await fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } });
  const answer = { status: response.status, headers: response.headers, body: await response.bytes() };
  (await server.contract()).check(method, path, answer);
  return answer;
}

/** True for an operation of the REST API. */
export const isRequest = (operation: string): boolean => / \/(?:v1|bridge|oauth)\//.test(operation);

/** Carries a case out. Returns the events that it wrote and those expected. */
export async function carryOut(world: World, { operation, writes, prepare }: Case) {
  const { server } = world;
  const prepared = await prepare(world);
  const { user, actor = null, another = null, refused, run } = prepared;
  const [written, body] = await writtenBy(server, async () => {
    const output = await run?.();
    if (!isRequest(operation)) return output;
    const answer = await ask(server, operation, prepared);
    if (refused === undefined) return done(answer);
    if (answer.status !== refused) throw new Error(`answered ${answer.status} in place of ${refused}`);
    return answer.body;
  });
  const user_id = typeof user === "function" ? user(body) : user;
  const expected = writes.map(({ byItself, aboutAnother, ...rest }) => ({
    ...rest,
    ...(aboutAnother
      ? { user_id: another, actor_id: user_id }
      : { user_id, actor_id: byItself ? null : actor }),
  }));
  return { written, expected: sorted(expected) };
}
