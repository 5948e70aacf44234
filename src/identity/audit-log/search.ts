import type { SQLQueryBindings } from "bun:sqlite";
import { sqlite, statement } from "../../kernel/db/connection";
import { type PageOf, type PageRequest, readAt, readPage } from "../../kernel/http/paging";
import { DAY, MINUTE } from "../../kernel/time/clock";
import { type EventRow, type StoredRow, toRow } from "../audit/service";
import type { SORT_FIELDS, SOURCES, STATUSES } from "../audit/words";

/**
 * Finding events. Triggers count them (migrations 0006, 0019 and 0023): everybody's by days and by quarters of
 * an hour, those of each user by days and by minutes. The counts tell how long a list is and in which spans a
 * page lies. Only these are read, and of the events only those of one span are ever walked over, whatever the
 * filters exclude and however far back the page is. Raw SQL: the filters choose between indexes by name
 * (INDEXED BY), which tests/identity/audit-log/plans.test.ts holds the plans to.
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
  const { userIds } = filters;
  if (!userIds) {
    return order.field === "user_id"
      ? walk(conditionsOf([], filters), countOf(count(EVERYBODY, filters, "created_at")), order, request)
      : findBySpan(EVERYBODY, filters, order, request);
  }
  const scope = scopeOf(userIds);
  if (hasMany(scope)) return findBySpan(scope, filters, order, request);
  const conditions = conditionsOf(scope.whose, filters);
  return walk(conditions, countByWalk(conditions), order, request);
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
 * Conditions on the columns that events share with their counts. Enumerated values stand in the SQL: partial
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

/** At or after `from`, before `until`: epoch milliseconds. */
interface Period {
  from: number;
  until: number;
}

/** Those of a period, by a column that counts in a unit of so many milliseconds. */
function timeConditions({ from, until }: Period, column = "created_at", unit = 1): Part[] {
  const parts: Part[] = [];
  if (from > Number.NEGATIVE_INFINITY) parts.push({ sql: `${column} >= ?`, values: [from / unit] });
  if (until < Number.POSITIVE_INFINITY) parts.push({ sql: `${column} < ?`, values: [until / unit] });
  return parts;
}

const periodOf = ({ from, to }: EventFilters): Period => ({
  from: from ?? Number.NEGATIVE_INFINITY,
  // Times are whole milliseconds.
  until: to === undefined ? Number.POSITIVE_INFINITY : to + 1,
});

const where = (parts: Part[]): Part =>
  parts.length === 0
    ? { sql: "", values: [] }
    : { ...join(parts, " AND "), sql: `WHERE ${join(parts, " AND ").sql}` };

const conditionsOf = (whose: Part[], filters: EventFilters): Part =>
  where([...whose, ...timeConditions(periodOf(filters)), ...kindConditions(filters)]);

const all = <T>({ sql, values }: Part): T[] => sqlite.query<T, SQLQueryBindings[]>(sql).all(...values);

const opposite = { asc: "desc", desc: "asc" } as const;

const BY_USER = "audit_events INDEXED BY audit_events_user";
const BY_TIME = "audit_events INDEXED BY audit_events_time";

/** A table of counts by spans of so many milliseconds, and its column that numbers the spans. */
interface Level {
  table: string;
  span: string;
  length: number;
}

/** The users that a list covers, with the sources of their events and of the counts, which get finer. */
interface Scope {
  whose: Part[];
  levels: Level[];
  events: string;
  /** For counting a part of the finest span: the index alone. */
  edges: string;
}

const EVERYBODY: Scope = {
  whose: [],
  levels: [
    { table: "audit_days", span: "day", length: DAY },
    { table: "audit_quarters", span: "quarter", length: 15 * MINUTE },
  ],
  events: "audit_events",
  edges: BY_TIME,
};

/** Of these users. A minute of theirs is read without an index of its filters, as no more than one user's writes. */
const scopeOf = (userIds: string[]): Scope => ({
  whose: [
    userIds.length === 1
      ? { sql: "user_id = ?", values: userIds }
      : { sql: "user_id IN (SELECT value FROM json_each(?))", values: [JSON.stringify(userIds)] },
  ],
  levels: [
    { table: "audit_user_days", span: "day", length: DAY },
    { table: "audit_user_minutes", span: "minute", length: MINUTE },
  ],
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

// --- Few events ---------------------------------------------------------------------------------------------

/** Events from which on finding a page by the counts is faster than walking over them all. */
const MANY = 1_000;

const hasMany = ({ whose }: Scope): boolean => {
  const { sql, values } = where(whose);
  const [found] = all<{ n: number | null }>({
    sql: `SELECT sum(n) AS n FROM audit_user_days ${sql}`,
    values,
  });
  return (found?.n ?? 0) > MANY;
};

const countByWalk = ({ sql, values }: Part): number =>
  all<{ n: number }>({ sql: `SELECT count(*) AS n FROM ${BY_USER} ${sql}`, values })[0]?.n ?? 0;

/** Finds a page by walking over the events of the users from the list's nearer end. */
function walk(
  conditions: Part,
  total: number,
  { field, direction }: EventOrder,
  request: PageRequest,
): PageOf<EventRow> {
  const fields = field === "created_at" ? ["created_at", "rowid"] : [field, "created_at", "rowid"];
  return readPage(request, total, (fromEnd, offset, limit) => {
    const way = fromEnd ? opposite[direction] : direction;
    return readEvents(BY_USER, conditions, fields.map((name) => `${name} ${way}`).join(", "), limit, offset);
  });
}

// --- Events by spans of time --------------------------------------------------------------------------------

/** Events between two times with one value of the field that is sorted by. */
interface Segment extends Period {
  /** Empty in the order of time. */
  key: string;
  n: number;
}

function findBySpan(
  scope: Scope,
  filters: EventFilters,
  { field, direction }: EventOrder,
  { page, limit }: PageRequest,
): PageOf<EventRow> {
  const sign = direction === "asc" ? 1 : -1;
  const inOrder = (segments: Segment[]) =>
    segments.sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.from - b.from));

  const list = inOrder(count(scope, filters, field));
  const days = cut(list, (page - 1) * limit, limit);
  const [, ...finer] = scope.levels;
  const spans = inOrder(
    days.segments.flatMap((day) =>
      isSpan(day, scope)
        ? day
        : count(...withKey(scope, filters, field, day.key), "created_at", day, finer).map((span) => ({
            ...span,
            key: day.key,
          })),
    ),
  );
  const { segments, skip } = cut(spans, days.skip, limit);
  const rows: EventRow[] = [];
  for (const [at, segment] of segments.entries()) {
    const skipped = at === 0 ? skip : 0;
    const wanted = Math.min(segment.n - skipped, limit - rows.length);
    rows.push(
      ...readSegment(...withKey(scope, filters, field, segment.key), direction, segment, skipped, wanted),
    );
  }
  return { rows, total: countOf(list) };
}

/** Reads events of a segment behind its first `skip`, from the nearer end. */
function readSegment(
  { whose, events }: Scope,
  filters: EventFilters,
  direction: "asc" | "desc",
  segment: Segment,
  skip: number,
  wanted: number,
): EventRow[] {
  const conditions = where([...whose, ...kindConditions(filters), ...timeConditions(segment)]);
  return readAt(skip, wanted, segment.n, (fromEnd, offset, limit) => {
    const way = fromEnd ? opposite[direction] : direction;
    return readEvents(events, conditions, `created_at ${way}, rowid ${way}`, limit, offset);
  });
}

const countOf = (segments: Segment[]): number => segments.reduce((sum, { n }) => sum + n, 0);

/** The segments with the events of a page, and the number of the first one's events to skip. */
function cut(segments: Segment[], before: number, limit: number): { segments: Segment[]; skip: number } {
  let skip = before;
  const first = segments.findIndex(({ n }) => {
    if (skip < n) return true;
    skip -= n;
    return false;
  });
  if (first === -1) return { segments: [], skip: 0 };
  let left = skip + limit;
  const last = segments.findIndex(({ n }, at) => {
    if (at >= first) left -= n;
    return left <= 0;
  });
  return { segments: segments.slice(first, last === -1 ? undefined : last + 1), skip };
}

/** True for a segment that the counts can't divide further. */
const isSpan = ({ from, until }: Segment, { levels }: Scope): boolean =>
  until - from <= (levels.at(-1)?.length ?? 0);

/** The part of a list that has one value in the field that is sorted by. */
function withKey(
  scope: Scope,
  filters: EventFilters,
  field: EventOrder["field"],
  key: string,
): [Scope, EventFilters] {
  if (field === "created_at") return [scope, filters];
  return field === "user_id" ? [scopeOf([key]), filters] : [scope, { ...filters, [field]: key }];
}

/**
 * The numbers of matching events in a period, by the value that is sorted by and by spans as long as fit into
 * it: whole days by their counts, what is left at either end by finer ones, less than the finest by the index.
 */
function count(
  scope: Scope,
  filters: EventFilters,
  field: EventOrder["field"],
  period = periodOf(filters),
  levels = scope.levels,
): Segment[] {
  const { from, until } = period;
  if (from >= until) return [];
  const key = field === "created_at" ? "''" : field;
  const conditions = [...scope.whose, ...kindConditions(filters)];
  const [level, ...finer] = levels;
  if (!level) {
    const { sql, values } = where([...conditions, ...timeConditions(period)]);
    const found = all<{ key: string; n: number }>({
      sql: `SELECT ${key} AS key, count(*) AS n FROM ${scope.edges} ${sql} GROUP BY 1`,
      values,
    });
    return found.map((segment) => ({ ...segment, from, until }));
  }
  const { table, span, length } = level;
  const whole = { from: Math.ceil(from / length) * length, until: Math.floor(until / length) * length };
  if (whole.from >= whole.until) return count(scope, filters, field, period, finer);
  const { sql, values } = where([...conditions, ...timeConditions(whole, span, length)]);
  const found = all<{ key: string; span: number; n: number }>({
    sql: `SELECT ${key} AS key, ${span} AS span, sum(n) AS n FROM ${table} ${sql} GROUP BY 1, 2`,
    values,
  });
  return [
    ...count(scope, filters, field, { from, until: whole.from }, finer),
    ...found.map(({ key, span, n }) => ({ key, n, from: span * length, until: (span + 1) * length })),
    ...count(scope, filters, field, { from: whole.until, until }, finer),
  ];
}

const eventsOfUser = statement(() =>
  sqlite.prepare<{ n: number | null }, [string]>("SELECT sum(n) AS n FROM audit_user_days WHERE user_id = ?"),
);

/** Number of events that concern a user. */
export const countEventsOf = (userId: string): number => eventsOfUser().get(userId)?.n ?? 0;
