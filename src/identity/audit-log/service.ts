import { sqlite, statement } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { badRequest } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { iso, now, spanOf } from "../../kernel/time/clock";
import { LEAST_AUDIT_DAYS } from "../../runtime-settings/catalogue";
import { systemValue } from "../../runtime-settings/service";
import { anchorChain } from "../audit/chain";
import type { EventRow } from "../audit/service";
import { forgetKinds } from "./kinds";
import type { AdminAuditQuery, AuditEvent, AuditQuery } from "./schema";
import { eventsByRowid, findEvents, NEWEST_FIRST } from "./search";

/**
 * The audit log as it is read, and its ageing. Raw SQL: a long list goes on from a row by the row values of
 * its index.
 */

// --- Reading ------------------------------------------------------------------------------------------------

export const toAuditEvent = ({
  recorded_by_kind,
  recorded_by_id,
  number: _number,
  personal_hash: _personalHash,
  salt: _salt,
  hash,
  ...row
}: EventRow): AuditEvent => ({
  ...row,
  hash: hash?.toHex() ?? null,
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
    yield eventsByRowid(places.map(({ at }) => at)).map((row) => asSubject(toAuditEvent(row)));
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
    yield eventsByRowid(places).map(toAuditEvent);
    before = places.length === size ? places.at(-1) : undefined;
  }
}

const actionCount = statement(() =>
  sqlite.prepare<{ n: number }, [string]>("SELECT count(*) AS n FROM audit_events WHERE actor_id = ?"),
);

export const countActionsOf = (userId: string): number => actionCount().get(userId)?.n ?? 0;

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

const readFirst = statement(() =>
  sqlite.prepare<Pick<EventRow, "created_at"> & { at: number }, [number, number]>(
    `SELECT rowid AS at, created_at FROM audit_events NOT INDEXED
     WHERE created_at <= ? ORDER BY rowid LIMIT +?`,
  ),
);
const deleteFirst = statement(() =>
  sqlite.prepare<Pick<EventRow, "number" | "hash">, [number, number]>(
    `DELETE FROM audit_events WHERE rowid IN
       (SELECT rowid FROM audit_events WHERE rowid <= ? ORDER BY rowid LIMIT +?) RETURNING number, hash`,
  ),
);

/**
 * Deletes events from before a time (epoch milliseconds), at most `limit`; returns how many. They go in the order in which they were
 * written, so that the chain loses its beginning and nothing else. Where a clock was wrong for a while, an event that claims to be
 * older than those before it stays as long as they do, and one from the future goes with the next one that isn't.
 */
function deleteSome(before: number, limit: number): number {
  const first = readFirst().all(now(), limit);
  const kept = first.findIndex(({ created_at }) => created_at >= before);
  const last = first.at(kept === -1 ? -1 : kept - 1);
  if (kept === 0 || last === undefined) return 0;
  const deleted = deleteFirst().all(last.at, limit);
  const newest = deleted.reduce((a, b) => ((b.number ?? 0) > (a.number ?? 0) ? b : a));
  if (newest.number !== null && newest.hash !== null)
    anchorChain({ number: newest.number, hash: newest.hash });
  return deleted.length;
}

/** Days for which events are kept; 0 keeps all. An earlier version could store fewer than the minimum. */
function retentionDays(): number {
  const days = systemValue("audit.retention_days");
  return days === 0 ? 0 : Math.max(days, LEAST_AUDIT_DAYS);
}

/** The job: deletes events older than `audit.retention_days`. */
export async function deleteOldEvents(): Promise<void> {
  await deleteOlderThan(retentionDays, deleteSome);
  await forgetKinds();
}
