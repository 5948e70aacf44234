import { count, eq, getTableColumns } from "drizzle-orm";
import { deleteAged } from "../../kernel/ageing";
import type { Client } from "../../kernel/client";
import { iso, now, spanOf } from "../../kernel/clock";
import { db, inTransaction, sqlite, statement } from "../../kernel/db";
import { badRequest } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import type { PageOf, PageRequest } from "../../kernel/paging";
import { systemValue } from "../../operations/system-config/service";
import { actingKey } from "../access/caller";
import type { AuditEventType } from "./event-types";
import { locate } from "./geoip";
import type { AdminAuditQuery, AuditEvent, AuditQuery } from "./schema";
import { type EventRow, findEvents, NEWEST_FIRST, readPlaces, toRow } from "./search";
import { auditEvents } from "./table";

// --- Writing ------------------------------------------------------------------------------------------------

export interface AuditEntry {
  event_type: AuditEventType;
  /** Whom it concerns; null for a system event. */
  user_id: string | null;
  /** Who did it, when that is somebody else. */
  actor_id?: string | null;
  resource_type?: string;
  resource_id?: string;
  description?: string;
  /** Never holds a secret, nor an email address or a name of a person: these go when an account is deleted. */
  metadata?: Record<string, unknown>;
  status?: "success" | "failure";
  error_message?: string;
  client?: Client;
}

/** Writes an audit event in the current transaction: the change and its event commit together. */
export function recordAudit({ client, metadata, ...entry }: AuditEntry): void {
  // A key acts for its owner, or for nobody: which one it was, its owner wants to know.
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

type NewEvent = Omit<
  typeof auditEvents.$inferInsert,
  "id" | "created_at" | "is_reported" | "country_code" | "country_name" | "city" | "region"
>;

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
    is_reported: 0,
    created_at: now(),
  };
  storeEvent().run(row);
  return toRow(row);
}

// --- Reading ------------------------------------------------------------------------------------------------

export const toAuditEvent = (row: EventRow): AuditEvent => ({ ...row, created_at: iso(row.created_at) });

const toPage = ({ rows, total }: PageOf<EventRow>): PageOf<AuditEvent> => ({
  rows: rows.map(toAuditEvent),
  total,
});

/**
 * An event as its user may see it: where somebody else was, who did it, is that one's own affair.
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

/** All events of a user, as the user may see them, newest first, in parts of `size`: there may be any number. */
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

export const countEventsOf = (userId: string): number =>
  db.select({ n: count() }).from(auditEvents).where(eq(auditEvents.user_id, userId)).get()?.n ?? 0;

/** Everybody's events that pass the filters. Throws 400 for a search that means too many users. */
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

/** More users than this are no answer to a search, and would take long to read the events of. */
const MAX_USERS_FOUND = 500;

const searchUsers = statement(() =>
  sqlite.prepare<{ id: string }, { text: string; limit: number }>(
    `SELECT id FROM users WHERE instr(username, $text)
     UNION SELECT user_id FROM platform_accounts WHERE instr(lower(email), $text)
     LIMIT $limit`,
  ),
);

/**
 * Whose events a query is about: `user_id`, and whoever `user_search` finds by identifier or by a part of the username
 * or an address. Undefined for everybody. Throws 400.
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

/** The job: deletes events older than `audit.retention_days`; 0 keeps all. */
export const deleteOldEvents = (): Promise<void> =>
  deleteAged(
    () => systemValue("audit.retention_days"),
    (before, limit) => deleteOldest().all(before, limit).length,
  );
