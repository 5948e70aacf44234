import { count, eq, getTableColumns } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { deleteAged } from "../../kernel/db/ageing";
import { db, inTransaction, sqlite, statement } from "../../kernel/db/db";
import { badRequest } from "../../kernel/errors/errors";
import type { Client } from "../../kernel/http/client";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { iso, now, spanOf } from "../../kernel/time/clock";
import { LEAST_AUDIT_DAYS } from "../../runtime-settings/catalogue";
import { systemValue } from "../../runtime-settings/service";
import { APP_ID, actingKey, type Caller } from "../access/caller";
import type { AdminAuditQuery, AuditEvent, AuditQuery } from "../audit-log/schema";
import { type EventRow, findEvents, NEWEST_FIRST, readPlaces, toRow } from "../audit-log/search";
import type { AuditEventType } from "./event-types";
import { locate } from "./geoip";
import { auditEvents } from "./table";
import type { RESOURCE_TYPES } from "./words";

// --- Writing ------------------------------------------------------------------------------------------------

export interface AuditEntry {
  event_type: AuditEventType;
  /** The user concerned; null for a system event. */
  user_id: string | null;
  /** The user who acted, if another one. */
  actor_id?: string | null;
  resource_type?: (typeof RESOURCE_TYPES)[number];
  resource_id?: string;
  description?: string;
  /** Never holds a secret, an email address or a person's name (rule E5): these go with an account. */
  metadata?: Record<string, unknown>;
  status?: "success" | "failure";
  error_message?: string;
  client?: Client;
}

/** Writes an audit event in the current transaction: the change and its event commit together. */
export function recordAudit({ client, metadata, ...entry }: AuditEntry): void {
  // A key acts for its owner, or for nobody; the event names the key, since its owner will want to know which
  // one it was.
  const key = actingKey();
  insertEvent({
    status: "success",
    source_service: "api",
    ...entry,
    metadata: key === null ? metadata : { ...metadata, api_key: key },
    ip_address: client?.address ?? null,
    user_agent: client?.userAgent ?? null,
  });
}

type Recorder = NonNullable<AuditEvent["recorded_by"]>;

interface NewEvent
  extends Omit<
    typeof auditEvents.$inferInsert,
    | ("id" | "created_at" | "is_reported" | "country_code" | "country_name" | "city" | "region")
    | ("recorded_by_kind" | "recorded_by_id")
  > {
  /** The writer of an event that Fairlead itself did not write. */
  recorded_by?: Recorder;
}

/** The credential that brings an event from outside, taken from the request, never from the event's text. */
export function recorderOf(caller: Caller): Recorder {
  if (caller.kind === "session") return { kind: "user", id: caller.userId };
  return { kind: caller.id === APP_ID ? "app" : "key", id: caller.id };
}

const storeEvent = statement(() => {
  const columns = Object.keys(getTableColumns(auditEvents));
  return sqlite.prepare<unknown, [Record<string, string | number | null>]>(
    `INSERT INTO audit_events (${columns.join()}) VALUES (${columns.map((column) => `$${column}`)})`,
  );
});

/** Stores an event in the current transaction, with its time and the place of its address. */
export function insertEvent(event: NewEvent): EventRow {
  if (!inTransaction()) throw new Error("an audit event outside transact");
  const metadata = event.metadata ? JSON.stringify(event.metadata) : null;
  const row = {
    id: newId(),
    user_id: event.user_id ?? null,
    event_type: event.event_type,
    resource_type: event.resource_type ?? null,
    resource_id: event.resource_id ?? null,
    actor_id: event.actor_id === event.user_id ? null : (event.actor_id ?? null),
    ip_address: event.ip_address ?? null,
    user_agent: event.user_agent ?? null,
    description: event.description ?? null,
    metadata,
    status: event.status,
    error_message: event.error_message ?? null,
    ...locate(event.ip_address),
    source_service: event.source_service,
    recorded_by_kind: event.recorded_by?.kind ?? null,
    recorded_by_id: event.recorded_by?.id ?? null,
    is_reported: 0,
    created_at: now(),
  };
  storeEvent().run(row);
  return toRow(row);
}

// --- Reading ------------------------------------------------------------------------------------------------

export const toAuditEvent = ({ recorded_by_kind, recorded_by_id, ...row }: EventRow): AuditEvent => ({
  ...row,
  recorded_by:
    recorded_by_kind === null || recorded_by_id === null
      ? null
      : { kind: recorded_by_kind, id: recorded_by_id },
  created_at: iso(row.created_at),
});

const toPage = ({ rows, total }: PageOf<EventRow>): PageOf<AuditEvent> => ({
  rows: rows.map(toAuditEvent),
  total,
});

/**
 * An event as its user may see it. Another user's location is private, so address, agent and place go if
 * somebody else acted. The writer stays visible: a key by its identifier, which opens nothing, or a user,
 * like the one who acted.
 */
const asSubject = (event: AuditEvent): AuditEvent =>
  event.actor_id === null
    ? event
    : {
        ...event,
        ip_address: null,
        user_agent: null,
        country_code: null,
        country_name: null,
        city: null,
        region: null,
      };

/** A user's own events, newest first. */
export function listOwnEvents(
  userId: string,
  filters: Pick<AuditQuery, "event_type" | "resource_type" | "status">,
  request: PageRequest,
): PageOf<AuditEvent> {
  const { rows, total } = listEventsOf(userId, filters, request);
  return { rows: rows.map(asSubject), total };
}

/** A user's events, newest first. */
export function listEventsOf(
  userId: string,
  filters: Pick<AuditQuery, "event_type" | "resource_type" | "status">,
  request: PageRequest,
): PageOf<AuditEvent> {
  const { event_type, resource_type, status } = filters;
  return toPage(findEvents({ userIds: [userId], event_type, resource_type, status }, NEWEST_FIRST, request));
}

const eventsBefore = statement(() =>
  sqlite.prepare<{ at: number; created_at: number }, [string, number, number, number]>(
    `SELECT rowid AS at, created_at FROM audit_events WHERE user_id = ? AND (created_at, rowid) < (?, ?)
     ORDER BY created_at DESC, rowid DESC LIMIT +?`,
  ),
);

/** All events of a user, as the user may see them, newest first, in parts of `size`: there may be many. */
export function* eventsOf(userId: string, size: number): Generator<AuditEvent[]> {
  let before: { at: number; created_at: number } | undefined = {
    at: Number.MAX_SAFE_INTEGER,
    created_at: Number.MAX_SAFE_INTEGER,
  };
  while (before) {
    const places = eventsBefore().all(userId, before.created_at, before.at, size);
    yield readPlaces(places.map(({ at }) => at)).map((row) => asSubject(toAuditEvent(row)));
    before = places.length === size ? places.at(-1) : undefined;
  }
}

const actionsBefore = statement(() =>
  sqlite.prepare<{ at: number }, [string, number, number]>(
    "SELECT rowid AS at FROM audit_events WHERE actor_id = ? AND rowid < ? ORDER BY rowid DESC LIMIT +?",
  ),
);

/** All events that a user caused for others, newest first, in parts of `size`. */
export function* actionsOf(userId: string, size: number): Generator<AuditEvent[]> {
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const places: number[] = actionsBefore()
      .all(userId, before, size)
      .map(({ at }) => at);
    yield readPlaces(places).map(toAuditEvent);
    before = places.length === size ? places.at(-1) : undefined;
  }
}

export const countActionsOf = (userId: string): number =>
  db.select({ n: count() }).from(auditEvents).where(eq(auditEvents.actor_id, userId)).get()?.n ?? 0;

/** Everybody's events that pass the filters. Throws 400 for a search that matches too many users. */
export function listEvents(query: AdminAuditQuery, request: PageRequest): PageOf<AuditEvent> {
  const { user_id, user_search, start_date, end_date, sort_field, sort_direction, ...filters } = query;
  const userIds = usersMeant(user_id, user_search);
  const { event_type, resource_type, status, source_service, is_reported } = filters;
  return toPage(
    findEvents(
      {
        ...(userIds && { userIds }),
        event_type,
        resource_type,
        status,
        source_service,
        is_reported,
        from: start_date === undefined ? undefined : spanOf(start_date)[0],
        to: end_date === undefined ? undefined : spanOf(end_date)[1],
      },
      { field: sort_field ?? "created_at", direction: sort_direction ?? "desc" },
      request,
    ),
  );
}

/** Most users that a search may match: more are no useful answer, and their events take long to read. */
const MAX_USERS_FOUND = 500;

const searchUsers = statement(() =>
  sqlite.prepare<{ id: string }, { text: string; limit: number }>(
    `SELECT id FROM users WHERE instr(username, $text)
     UNION SELECT user_id FROM platform_accounts WHERE instr(lower(email), $text)
     LIMIT $limit`,
  ),
);

/**
 * The users that a query covers: `user_id`, and all whom `user_search` finds by identifier or by a part of
 * the username or an address. Undefined for everybody. Throws 400.
 */
function usersMeant(userId: string | undefined, search: string | undefined): string[] | undefined {
  if (search === undefined) return userId === undefined ? undefined : [userId];
  const text = search.toLowerCase();
  const found = searchUsers()
    .all({ text, limit: MAX_USERS_FOUND + 1 })
    .map(({ id }) => id);
  if (found.length > MAX_USERS_FOUND)
    throw badRequest(
      `The search finds more than ${MAX_USERS_FOUND} users; give more of the name or the address`,
    );
  // Other services write events about identifiers of their own.
  const meant = new Set([...found, search, text]);
  if (userId === undefined) return [...meant];
  return meant.has(userId) ? [userId] : [];
}

// --- Ageing -------------------------------------------------------------------------------------------------

const deleteOldest = statement(() =>
  sqlite.prepare<unknown, [number, number]>(
    `DELETE FROM audit_events WHERE rowid IN
       (SELECT rowid FROM audit_events WHERE created_at < ? ORDER BY created_at LIMIT +?) RETURNING 1`,
  ),
);

/** Days for which events are kept; 0 keeps all. An earlier version could store fewer than the minimum. */
function retentionDays(): number {
  const days = systemValue("audit.retention_days");
  return days === 0 ? 0 : Math.max(days, LEAST_AUDIT_DAYS);
}

/** The job: deletes events older than `audit.retention_days`. */
export const deleteOldEvents = (): Promise<void> =>
  deleteAged(retentionDays, (before, limit) => deleteOldest().all(before, limit).length);
