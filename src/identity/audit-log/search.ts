import type { SQLQueryBindings } from "bun:sqlite";
import { sqlite, statement } from "../../kernel/db/connection";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { type EventRow, type StoredRow, toRow } from "../audit/service";
import type { SORT_FIELDS, SOURCES, STATUSES } from "../audit/words";

/**
 * Finding events. `audit_days` counts everybody's events for a list, `audit_user_days` those of one user.
 * They also tell on which days a page lies: only these days are read, whatever the filters exclude and
 * however far back the page is. Raw SQL: the filters choose between indexes by name (INDEXED BY), which
 * tests/identity/audit-log/plans.test.ts holds the plans to.
 */

export interface EventFilters {
  /** The users concerned; all users when left out. */
  userIds?: string[];
  event_type?: string | undefined;
  resource_type?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
  source_service?: (typeof SOURCES)[number] | undefined;
  is_reported?: boolean | undefined;
  /** Epoch milliseconds: at or after. */
  from?: number | undefined;
  /** Epoch milliseconds: at or before. */
  to?: number | undefined;
}

export interface EventOrder {
  field: (typeof SORT_FIELDS)[number];
  direction: "asc" | "desc";
}

export const NEWEST_FIRST: EventOrder = { field: "created_at", direction: "desc" };

/** Events that pass the filters, a page of them. Ties are ordered by time, in the same direction. */
export function findEvents(filters: EventFilters, order: EventOrder, request: PageRequest): PageOf<EventRow> {
  if (filters.userIds) return findOfUsers(filters, filters.userIds, order, request);
  return order.field === "user_id"
    ? findByUser(filters, order, request)
    : findByDay(EVERYBODY, filters, order.field, order.direction, request);
}

// --- Conditions ---------------------------------------------------------------------------------------------

/** SQL and its parameters. */
interface Part {
  sql: string;
  values: SQLQueryBindings[];
}

const join = (parts: Part[], separator: string): Part => ({
  sql: parts.map((part) => part.sql).join(separator),
  values: parts.flatMap((part) => part.values),
});

/**
 * Conditions on the columns that events share with `audit_days`. Enumerated values stand in the SQL: partial
 * indexes need them.
 */
function kindConditions(filters: EventFilters): Part[] {
  const parts: Part[] = [];
  if (filters.event_type !== undefined) parts.push({ sql: "event_type = ?", values: [filters.event_type] });
  if (filters.resource_type !== undefined)
    parts.push({ sql: "resource_type = ?", values: [filters.resource_type] });
  if (filters.source_service !== undefined)
    parts.push({ sql: "source_service = ?", values: [filters.source_service] });
  if (filters.status !== undefined) parts.push({ sql: `status = '${filters.status}'`, values: [] });
  if (filters.is_reported !== undefined)
    parts.push({ sql: `is_reported = ${filters.is_reported ? 1 : 0}`, values: [] });
  return parts;
}

/** At or after `from`, before `end`: epoch milliseconds. */
function timeConditions(from: number, end: number): Part[] {
  const parts: Part[] = [];
  if (from > Number.NEGATIVE_INFINITY) parts.push({ sql: "created_at >= ?", values: [from] });
  if (end < Number.POSITIVE_INFINITY) parts.push({ sql: "created_at < ?", values: [end] });
  return parts;
}

const bounds = ({ from, to }: EventFilters) => ({
  start: from ?? Number.NEGATIVE_INFINITY,
  // Times are whole milliseconds.
  end: to === undefined ? Number.POSITIVE_INFINITY : to + 1,
});

const where = (parts: Part[]): Part =>
  parts.length === 0
    ? { sql: "", values: [] }
    : { ...join(parts, " AND "), sql: `WHERE ${join(parts, " AND ").sql}` };

const all = <T>({ sql, values }: Part): T[] => sqlite.query<T, SQLQueryBindings[]>(sql).all(...values);

const opposite = { asc: "desc", desc: "asc" } as const;

const BY_USER = "audit_events INDEXED BY audit_events_user";
const BY_TIME = "audit_events INDEXED BY audit_events_time";

/** The users that a list covers, with the sources of their whole days, events and partial days. */
interface Scope {
  days: "audit_days" | "audit_user_days";
  whose: Part[];
  events: string;
  edges: string;
}

const EVERYBODY: Scope = { days: "audit_days", whose: [], events: "audit_events", edges: BY_TIME };

const scopeOf = (whose: Part): Scope => ({
  days: "audit_user_days",
  whose: [whose],
  events: BY_USER,
  edges: BY_USER,
});

/** Reads events in an order. Finds their rowids first, if possible by the index alone. */
function readEvents(
  from: string,
  conditions: Part,
  orderBy: string,
  limit: number,
  offset: number,
): EventRow[] {
  return all<StoredRow>({
    sql: `SELECT e.* FROM (SELECT rowid AS at FROM ${from} ${conditions.sql} ORDER BY ${orderBy} LIMIT +? OFFSET +?) AS page
      CROSS JOIN audit_events AS e ON e.rowid = page.at`,
    values: [...conditions.values, limit, offset],
  }).map(toRow);
}

/** The events at the given rowids, in the same order. */
export const eventsByRowid = (rowids: number[]): EventRow[] =>
  all<StoredRow>({
    sql: "SELECT e.* FROM json_each(?) AS place CROSS JOIN audit_events AS e ON e.rowid = place.value ORDER BY place.key",
    values: [JSON.stringify(rowids)],
  }).map(toRow);

// --- Events of some users -----------------------------------------------------------------------------------

function findOfUsers(filters: EventFilters, userIds: string[], order: EventOrder, request: PageRequest) {
  if (userIds.length === 1) return findOfUser(filters, userIds, order, request);
  const { start, end } = bounds(filters);
  const whose: Part = {
    sql: "user_id IN (SELECT value FROM json_each(?))",
    values: [JSON.stringify(userIds)],
  };
  const conditions = where([whose, ...timeConditions(start, end), ...kindConditions(filters)]);
  const total = countOf(segments(scopeOf(whose), filters, "created_at", "asc"));
  const byTime = order.field === "created_at" && total > MANY;
  return pageOf(byTime ? BY_TIME : BY_USER, conditions, total, order, request);
}

function findOfUser(
  filters: EventFilters,
  values: string[],
  { field, direction }: EventOrder,
  request: PageRequest,
): PageOf<EventRow> {
  const whose: Part = { sql: "user_id = ?", values };
  const scope = scopeOf(whose);
  if (field === "event_type" || field === "status")
    return findByDay(scope, filters, field, direction, request);
  const days = segments(scope, filters, "created_at", direction);
  const { start, end } = bounds(filters);
  return readPage(request, countOf(days), (fromEnd, offset, limit) => {
    const way = fromEnd ? opposite[direction] : direction;
    const { day, skip } = placeOf(fromEnd ? days.toReversed() : days, offset);
    const time =
      way === "asc"
        ? timeConditions(Math.max(start, day * DAY), end)
        : timeConditions(start, Math.min(end, (day + 1) * DAY));
    const conditions = where([whose, ...time, ...kindConditions(filters)]);
    return readEvents(BY_USER, conditions, `created_at ${way}, rowid ${way}`, limit, skip);
  });
}

/** The day of the event at an offset of `before`, and the number of that day's events to skip. */
function placeOf(days: Segment[], before: number): { day: number; skip: number } {
  let skip = before;
  for (const { day, n } of days) {
    if (skip < n) return { day, skip };
    skip -= n;
  }
  throw new Error(`the days of a list hold no more than ${before - skip} events`);
}

/** Number of several users' events from which on walking through time is faster than sorting them all. */
const MANY = 5_000;

/** Finds everybody's events, ordered by user. */
function findByUser(filters: EventFilters, order: EventOrder, request: PageRequest) {
  const { start, end } = bounds(filters);
  const conditions = where([...timeConditions(start, end), ...kindConditions(filters)]);
  return pageOf(
    BY_USER,
    conditions,
    countOf(segments(EVERYBODY, filters, "created_at", "asc")),
    order,
    request,
  );
}

function pageOf(
  from: string,
  conditions: Part,
  total: number,
  { field, direction }: EventOrder,
  request: PageRequest,
): PageOf<EventRow> {
  const fields = field === "created_at" ? ["created_at", "rowid"] : [field, "created_at", "rowid"];
  return readPage(request, total, (fromEnd, offset, limit) => {
    const way = fromEnd ? opposite[direction] : direction;
    return readEvents(from, conditions, fields.map((name) => `${name} ${way}`).join(", "), limit, offset);
  });
}

// --- Events by day ------------------------------------------------------------------------------------------

const DAY = 86_400_000;

/** Events of one day with one value of the field that is sorted by. */
interface Segment {
  key: string;
  day: number;
  n: number;
}

function findByDay(
  scope: Scope,
  filters: EventFilters,
  field: "event_type" | "status" | "created_at",
  direction: "asc" | "desc",
  request: PageRequest,
): PageOf<EventRow> {
  const found = segments(scope, filters, field, direction);
  const total = countOf(found);
  const { start, end } = bounds(filters);
  const orderBy = `created_at ${direction}, rowid ${direction}`;
  const rows: EventRow[] = [];
  let skip = (request.page - 1) * request.limit;
  for (const { key, day, n } of found) {
    const wanted = Math.min(n - skip, request.limit - rows.length);
    if (wanted > 0) {
      const conditions = where([
        ...scope.whose,
        ...kindConditions(field === "created_at" ? filters : { ...filters, [field]: key }),
        ...timeConditions(Math.max(start, day * DAY), Math.min(end, (day + 1) * DAY)),
      ]);
      // Read from the nearer end of the day.
      const fromEnd = skip > n - skip - wanted;
      const part = fromEnd
        ? readEvents(scope.events, conditions, reversed(direction), wanted, n - skip - wanted).reverse()
        : readEvents(scope.events, conditions, orderBy, wanted, skip);
      rows.push(...part);
    }
    if (rows.length === request.limit) break;
    skip = Math.max(0, skip - n);
  }
  return { rows, total };
}

const countOf = (found: Segment[]): number => found.reduce((sum, { n }) => sum + n, 0);

const reversed = (direction: "asc" | "desc") =>
  `created_at ${opposite[direction]}, rowid ${opposite[direction]}`;

/** The numbers of matching events by day and by the value that is sorted by, in the list's order. */
function segments(
  { days, whose, edges: cut }: Scope,
  filters: EventFilters,
  field: "event_type" | "status" | "created_at",
  direction: "asc" | "desc",
): Segment[] {
  const { start, end } = bounds(filters);
  if (start >= end) return [];
  const key = field === "created_at" ? "''" : field;
  const [first, last] = [Math.ceil(start / DAY), Math.floor(end / DAY)];
  const wholeDays: Part[] = [...whose, ...kindConditions(filters)];
  if (Number.isFinite(first)) wholeDays.push({ sql: "day >= ?", values: [first] });
  if (Number.isFinite(last)) wholeDays.push({ sql: "day < ?", values: [last] });
  const kept = where(wholeDays);
  const found = all<Segment>({
    sql: `SELECT ${key} AS key, day, sum(n) AS n FROM ${days} ${kept.sql} GROUP BY 1, 2`,
    values: kept.values,
  });
  for (const edge of edges(start, end)) {
    const some = where([...whose, ...kindConditions(filters), ...timeConditions(edge.start, edge.end)]);
    found.push(
      ...all<Segment>({
        sql: `SELECT ${key} AS key, ${Math.floor(edge.start / DAY)} AS day, count(*) AS n FROM ${cut} ${some.sql} GROUP BY 1`,
        values: some.values,
      }),
    );
  }
  const sign = direction === "asc" ? 1 : -1;
  return found
    .filter((segment) => segment.n > 0)
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.day - b.day));
}

/** The partial days at both ends of a period, which `audit_days` can't count. */
function edges(start: number, end: number): { start: number; end: number }[] {
  const [first, last] = [Math.ceil(start / DAY) * DAY, Math.floor(end / DAY) * DAY];
  if (first > last) return [{ start, end }];
  return [
    { start, end: first },
    { start: last, end },
  ].filter((edge) => edge.start < edge.end);
}

const eventsOfUser = statement(() =>
  sqlite.prepare<{ n: number | null }, [string]>("SELECT sum(n) AS n FROM audit_user_days WHERE user_id = ?"),
);

/** Number of events that concern a user. */
export const countEventsOf = (userId: string): number => eventsOfUser().get(userId)?.n ?? 0;
