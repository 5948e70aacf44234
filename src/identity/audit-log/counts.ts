import { DAY, MINUTE } from "../../kernel/time/clock";
import {
  all,
  type EventFilters,
  type EventOrder,
  kindConditions,
  type Part,
  type Period,
  periodOf,
  timeConditions,
  where,
} from "./conditions";

/**
 * Counts of events by spans of time, which triggers keep (migrations 0006, 0019 and 0023): everybody's by days
 * and by quarters of an hour, those of each user by days and by minutes. They tell how long a list is, and in
 * which spans a page of it lies.
 */

/** A table of counts by spans of so many milliseconds, and its column that numbers the spans. */
interface Level {
  table: string;
  span: string;
  length: number;
}

/** The users that a list covers. */
export interface Scope {
  /** Empty for everybody. */
  whose: Part[];
  /** Their counts, from the longest spans to the shortest. */
  levels: [Level, Level];
  /** Their events by an index that alone counts a part of the shortest span. */
  events: string;
}

export const BY_USER = "audit_events INDEXED BY audit_events_user";
const BY_TIME = "audit_events INDEXED BY audit_events_time";

export const EVERYBODY: Scope = {
  whose: [],
  levels: [
    { table: "audit_days", span: "day", length: DAY },
    { table: "audit_quarters", span: "quarter", length: 15 * MINUTE },
  ],
  events: BY_TIME,
};

export const scopeOf = (userIds: string[]): Scope => ({
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
});

/** Number of events that concern users. */
export function countEventsOf(userIds: string[]): number {
  const { sql, values } = where(scopeOf(userIds).whose);
  return (
    all<{ n: number | null }>({ sql: `SELECT sum(n) AS n FROM audit_user_days ${sql}`, values })[0]?.n ?? 0
  );
}

/** Events to skip, and the most to read. */
export interface Slice {
  offset: number;
  limit: number;
}

/** Events between two times with one value of the field that is sorted by. */
export interface Segment extends Period {
  /** Empty in the order of time. */
  key: string;
  n: number;
}

/** The field whose values are counted apart, the parts of the list, and the lengths of the spans. */
interface CountOptions {
  /** Counts the events of each value of this field apart. */
  field?: EventOrder["field"];
  /** Counts events with these values of the field alone. */
  keys?: string[];
  period?: Period;
  levels?: Level[];
  /** Counts all days of a value together: the log holds thousands of days, and a page lies in few of them. */
  together?: boolean;
}

/**
 * The numbers of matching events in a period, by the value that is sorted by and by spans as long as fit into
 * it: whole days by their counts, what is left at either end by finer ones, less than the finest by the index.
 */
export function count(scope: Scope, filters: EventFilters, options: CountOptions = {}): Segment[] {
  const { field = "created_at", keys, period = periodOf(filters), together = false } = options;
  const { from, until } = period;
  if (from >= until) return [];
  const key = field === "created_at" ? "''" : field;
  const conditions = [...scope.whose, ...kindConditions(filters)];
  if (keys)
    conditions.push({ sql: `${key} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(keys)] });
  const [level, ...finer] = options.levels ?? scope.levels;
  if (!level) {
    const { sql, values } = where([...conditions, ...timeConditions(period)]);
    const found = all<{ key: string; n: number }>({
      sql: `SELECT ${key} AS key, count(*) AS n FROM ${scope.events} ${sql} GROUP BY 1`,
      values,
    });
    return found.map((segment) => ({ ...segment, from, until }));
  }
  const { table, span, length } = level;
  const part = (period: Period) =>
    count(scope, filters, { ...options, period, levels: finer, together: false });
  const whole = { from: Math.ceil(from / length) * length, until: Math.floor(until / length) * length };
  if (whole.from >= whole.until) return part(period);
  const { sql, values } = where([...conditions, ...timeConditions(whole, span, length)]);
  const groups = [...(field === "created_at" ? [] : ["key"]), ...(together ? [] : ["span"])];
  const found = all<{ key: string; span: number; n: number }>({
    sql: `SELECT ${key} AS key, ${together ? "0" : span} AS span, sum(n) AS n FROM ${table} ${sql} GROUP BY ${groups}`,
    values,
  });
  return [
    ...part({ from, until: whole.from }),
    ...found.map(({ key, span, n }) => ({
      ...(together ? whole : { from: span * length, until: (span + 1) * length }),
      key,
      n,
    })),
    ...part({ from: whole.until, until }),
  ];
}

export const countOf = (segments: Segment[]): number => segments.reduce((sum, { n }) => sum + n, 0);

/** The segments that a page lies in, and the number of events to skip there. */
export function cut(segments: Segment[], { offset, limit }: Slice): { segments: Segment[]; slice: Slice } {
  const found: Segment[] = [];
  let skip = offset;
  let left = limit;
  for (const segment of segments) {
    if (left <= 0) break;
    if (found.length === 0 && skip >= segment.n) {
      skip -= segment.n;
      continue;
    }
    left -= found.length === 0 ? segment.n - skip : segment.n;
    found.push(segment);
  }
  return { segments: found, slice: { offset: skip, limit } };
}
