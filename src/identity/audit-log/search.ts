import { type PageOf, type PageRequest, readAt, readPage } from "../../kernel/http/paging";
import { MINUTE } from "../../kernel/time/clock";
import { type EventRow, type StoredRow, toRow } from "../audit/service";
import {
  all,
  conditionsOf,
  type EventFilters,
  type EventOrder,
  inTable,
  kindConditions,
  type Part,
  timeConditions,
  type Way,
  where,
} from "./conditions";
import {
  BY_USER,
  count,
  countEventsOf,
  countOf,
  cut,
  EVERYBODY,
  type Scope,
  type Segment,
  type Slice,
  scopeOf,
} from "./counts";

/**
 * Finding events. The counts tell in which spans of time a page lies: only these are read, and no more events
 * than a span holds are walked over, whatever the filters exclude and however far back the page is. Everybody's events in the order of users are
 * the exception: they are walked over from the nearer end.
 */

export const NEWEST_FIRST: EventOrder = { field: "created_at", direction: "desc" };

/** Number of users' events from which on finding a page by the counts is faster than walking over them all. */
const MANY = 1_000;

/** Events that pass the filters, a page of them. Ties are ordered by time, in the same direction. */
export function findEvents(filters: EventFilters, order: EventOrder, request: PageRequest): PageOf<EventRow> {
  const { userIds } = filters;
  if (!userIds && order.field === "user_id")
    return walk(conditionsOf([], filters), countOf(count(EVERYBODY, filters)), order, request);
  if (!userIds) return findBySpan(EVERYBODY, filters, order, request);
  if (countEventsOf(userIds) > MANY) return findBySpan(scopeOf(userIds), filters, order, request);
  const conditions = conditionsOf(scopeOf(userIds).whose, filters);
  return walk(conditions, countByWalk(conditions), order, request);
}

const opposite = { asc: "desc", desc: "asc" } as const;

const byTime = (way: Way): string => `created_at ${way}, audit_events.rowid ${way}`;

/** Reads events in an order. Finds their rowids first, if possible by the index alone. */
function readEvents(from: string, conditions: Part, orderBy: string, { offset, limit }: Slice): EventRow[] {
  return all<StoredRow>({
    sql: `SELECT e.* FROM (SELECT audit_events.rowid AS at FROM ${from} ${conditions.sql} ORDER BY ${orderBy} LIMIT +? OFFSET +?) AS page
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

const countByWalk = ({ sql, values }: Part): number =>
  all<{ n: number }>({ sql: `SELECT count(*) AS n FROM ${BY_USER} ${sql}`, values })[0]?.n ?? 0;

/** Finds a page by walking over the events of the users from the list's nearer end. */
function walk(
  conditions: Part,
  total: number,
  { field, direction }: EventOrder,
  request: PageRequest,
): PageOf<EventRow> {
  return readPage(request, total, (fromEnd, offset, limit) => {
    const way = fromEnd ? opposite[direction] : direction;
    const orderBy = field === "created_at" ? byTime(way) : `${field} ${way}, ${byTime(way)}`;
    return readEvents(BY_USER, conditions, orderBy, { offset, limit });
  });
}

// --- Events by spans of time --------------------------------------------------------------------------------

function findBySpan(
  scope: Scope,
  filters: EventFilters,
  { field, direction }: EventOrder,
  { page, limit }: PageRequest,
): PageOf<EventRow> {
  const sign = direction === "asc" ? 1 : -1;
  const inOrder = (segments: Segment[]) =>
    segments.sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.from - b.from));

  const list = count(scope, filters, { field, together: field !== "created_at" });
  const part = cut(inOrder(list), { offset: (page - 1) * limit, limit });
  const days = cut(inOrder(intoDays(scope, filters, field, part.segments)), part.slice);
  const spans = days.segments.flatMap((day) => divide(scope, filters, field, day));
  const { segments, slice } = cut(inOrder(spans), days.slice);
  const rows: EventRow[] = [];
  for (const [key, part] of Map.groupBy(segments, (segment) => segment.key)) {
    const left = { offset: rows.length === 0 ? slice.offset : 0, limit: limit - rows.length };
    const read = scope === EVERYBODY ? readEach : readTogether;
    rows.push(...read(...withKey(scope, filters, field, key), part, direction, left));
  }
  return { rows, total: countOf(list) };
}

/** The segments with those of several days, which have their period in common, divided into days. */
function intoDays(
  scope: Scope,
  filters: EventFilters,
  field: EventOrder["field"],
  segments: Segment[],
): Segment[] {
  const [days] = scope.levels;
  const [short, long] = [false, true].map((isLong) =>
    segments.filter(({ from, until }) => until - from > days.length === isLong),
  ) as [Segment[], Segment[]];
  const [period] = long;
  if (!period) return segments;
  const keys = long.map(({ key }) => key);
  return [...short, ...count(scope, filters, { field, keys, period, levels: [days] })];
}

/** A day as the shorter spans that hold its events. */
function divide(scope: Scope, filters: EventFilters, field: EventOrder["field"], day: Segment): Segment[] {
  const [, shorter] = scope.levels;
  if (day.until - day.from <= shorter.length) return [day];
  const spans = count(...withKey(scope, filters, field, day.key), { period: day, levels: [shorter] });
  return spans.map((span) => ({ ...span, key: day.key }));
}

/** Reads everybody's events: each segment from its nearer end, by the index of a filter. */
function readEach(
  _: Scope,
  filters: EventFilters,
  segments: Segment[],
  direction: Way,
  { offset, limit }: Slice,
) {
  const rows: EventRow[] = [];
  for (const [at, segment] of segments.entries()) {
    const conditions = where([...kindConditions(filters), ...timeConditions(segment)]);
    const part = readAt(at === 0 ? offset : 0, limit - rows.length, segment.n, (fromEnd, skip, wanted) => {
      const way = fromEnd ? opposite[direction] : direction;
      return readEvents("audit_events", conditions, byTime(way), { offset: skip, limit: wanted });
    });
    rows.push(...part);
  }
  return rows;
}

const KIND = ["user_id", "event_type", "status", "source_service", "is_reported"];

/**
 * Reads events of users: those of the kinds that the counts of the segments' minutes name, so that what the
 * filters exclude is not walked over. No more of one user's are sorted than a page and two minutes hold.
 */
function readTogether(
  { whose }: Scope,
  filters: EventFilters,
  segments: Segment[],
  way: Way,
  slice: Slice,
): EventRow[] {
  const spans = JSON.stringify(segments.map(({ from, until }) => [Math.floor(from / MINUTE), from, until]));
  const { sql, values } = where([
    { sql: "minute = part.value ->> 0", values: [] },
    ...inTable("kind", [...whose, ...kindConditions(filters)]),
    ...KIND.map((name) => ({ sql: `audit_events.${name} = kind.${name}`, values: [] })),
    { sql: "coalesce(audit_events.resource_type, '') = kind.resource_type", values: [] },
    { sql: "created_at >= part.value ->> 1 AND created_at < part.value ->> 2", values: [] },
  ]);
  return readEvents(
    "json_each(?) AS part CROSS JOIN audit_user_minutes AS kind CROSS JOIN audit_events INDEXED BY audit_events_user_kind",
    { sql, values: [spans, ...values] },
    byTime(way),
    slice,
  );
}

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
