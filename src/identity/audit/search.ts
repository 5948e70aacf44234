import type { SQLQueryBindings } from "bun:sqlite";
import { sqlite } from "../../kernel/db";
import { type PageOf, type PageRequest, readPage } from "../../kernel/paging";
import type { auditEvents } from "./table";
import type { SORT_FIELDS, SOURCES, STATUSES } from "./words";

/**
 * Finding events. A list of somebody's events is counted and read by that user's index. A list of everybody's is
 * counted by `audit_days`, which also tells on which days its page lies: only these are read, whatever the filters
 * leave out and however far back the page is. tests/identity/audit/plans.test.ts holds the plans to their indexes.
 */

export type EventRow = typeof auditEvents.$inferSelect;

export interface EventFilters {
  /** Whose events; all users' when left out. */
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
    : findByDay(filters, order.field, order.direction, request);
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

/** What an event and a row of `audit_days` have in common. Words of ours stand in the SQL: partial indexes need them. */
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

/** Stored rows keep JSON as text and flags as numbers. */
type StoredRow = Omit<EventRow, "metadata" | "is_reported"> & {
  metadata: string | null;
  is_reported: number;
};

export const toRow = (row: StoredRow): EventRow => ({
  ...row,
  metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  is_reported: row.is_reported === 1,
});

const BY_USER = "audit_events INDEXED BY audit_events_user";
const BY_TIME = "audit_events INDEXED BY audit_events_time";

/** Reads events in an order. Which they are is found first, by the index alone where it holds what is asked for. */
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

/** The events at some rowids, in the order of these. */
export const readPlaces = (rowids: number[]): EventRow[] =>
  all<StoredRow>({
    sql: "SELECT e.* FROM json_each(?) AS place CROSS JOIN audit_events AS e ON e.rowid = place.value ORDER BY place.key",
    values: [JSON.stringify(rowids)],
  }).map(toRow);

// --- Of some users ------------------------------------------------------------------------------------------

function findOfUsers(filters: EventFilters, userIds: string[], order: EventOrder, request: PageRequest) {
  const { start, end } = bounds(filters);
  const whose: Part =
    userIds.length === 1
      ? { sql: "user_id = ?", values: userIds }
      : { sql: "user_id IN (SELECT value FROM json_each(?))", values: [JSON.stringify(userIds)] };
  const conditions = where([whose, ...timeConditions(start, end), ...kindConditions(filters)]);
  const counted = all<{ n: number }>({
    sql: `SELECT count(*) AS n FROM ${BY_USER} ${conditions.sql}`,
    values: conditions.values,
  });
  const total = counted[0]?.n ?? 0;
  const byTime = userIds.length > 1 && order.field === "created_at" && total > MANY;
  return pageOf(byTime ? BY_TIME : BY_USER, conditions, total, order, request);
}

/** From so many events of several users on, walking through time finds a page sooner than sorting what they have. */
const MANY = 5_000;

/** Everybody's, ordered by user. */
function findByUser(filters: EventFilters, order: EventOrder, request: PageRequest) {
  const { start, end } = bounds(filters);
  const conditions = where([...timeConditions(start, end), ...kindConditions(filters)]);
  return pageOf(BY_USER, conditions, countOf(segments(filters, "created_at", "asc")), order, request);
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

// --- Everybody's --------------------------------------------------------------------------------------------

const DAY = 86_400_000;

/** Events of one day with one value of the field that is sorted by. */
interface Segment {
  key: string;
  day: number;
  n: number;
}

function findByDay(
  filters: EventFilters,
  field: "event_type" | "status" | "created_at",
  direction: "asc" | "desc",
  request: PageRequest,
): PageOf<EventRow> {
  const found = segments(filters, field, direction);
  const total = countOf(found);
  const { start, end } = bounds(filters);
  const orderBy = `created_at ${direction}, rowid ${direction}`;
  const rows: EventRow[] = [];
  let skip = (request.page - 1) * request.limit;
  for (const { key, day, n } of found) {
    const wanted = Math.min(n - skip, request.limit - rows.length);
    if (wanted > 0) {
      const conditions = where([
        ...kindConditions(field === "created_at" ? filters : { ...filters, [field]: key }),
        ...timeConditions(Math.max(start, day * DAY), Math.min(end, (day + 1) * DAY)),
      ]);
      // From whichever end of the day is nearer.
      const fromEnd = skip > n - skip - wanted;
      const part = fromEnd
        ? readEvents("audit_events", conditions, reversed(direction), wanted, n - skip - wanted).reverse()
        : readEvents("audit_events", conditions, orderBy, wanted, skip);
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

/** What passes the filters, by day and by the value that is sorted by, in the list's order. */
function segments(
  filters: EventFilters,
  field: "event_type" | "status" | "created_at",
  direction: "asc" | "desc",
): Segment[] {
  const { start, end } = bounds(filters);
  if (start >= end) return [];
  const key = field === "created_at" ? "''" : field;
  const [first, last] = [Math.ceil(start / DAY), Math.floor(end / DAY)];
  const wholeDays: Part[] = [...kindConditions(filters)];
  if (Number.isFinite(first)) wholeDays.push({ sql: "day >= ?", values: [first] });
  if (Number.isFinite(last)) wholeDays.push({ sql: "day < ?", values: [last] });
  const kept = where(wholeDays);
  const found = all<Segment>({
    sql: `SELECT ${key} AS key, day, sum(n) AS n FROM audit_days ${kept.sql} GROUP BY 1, 2`,
    values: kept.values,
  });
  for (const edge of edges(start, end)) {
    const some = where([...kindConditions(filters), ...timeConditions(edge.start, edge.end)]);
    found.push(
      ...all<Segment>({
        sql: `SELECT ${key} AS key, ${Math.floor(edge.start / DAY)} AS day, count(*) AS n FROM ${BY_TIME} ${some.sql} GROUP BY 1`,
        values: some.values,
      }),
    );
  }
  const sign = direction === "asc" ? 1 : -1;
  return found
    .filter((segment) => segment.n > 0)
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.day - b.day));
}

/** The parts of days at the ends of a time, which `audit_days` can't count. */
function edges(start: number, end: number): { start: number; end: number }[] {
  const [first, last] = [Math.ceil(start / DAY) * DAY, Math.floor(end / DAY) * DAY];
  if (first > last) return [{ start, end }];
  return [
    { start, end: first },
    { start: last, end },
  ].filter((edge) => edge.start < edge.end);
}
