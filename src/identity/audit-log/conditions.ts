import type { SQLQueryBindings } from "bun:sqlite";
import { sqlite } from "../../kernel/db/connection";
import type { SORT_FIELDS, SOURCES, STATUSES } from "../audit/words";

/**
 * A search of events, and its conditions, for events and their counts alike. Raw SQL: the statements choose
 * between indexes by name (INDEXED BY), which tests/identity/audit-log/plans.test.ts holds the plans to.
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

export type Way = "asc" | "desc";

export interface EventOrder {
  field: (typeof SORT_FIELDS)[number];
  direction: Way;
}

/** SQL and its parameters. */
export interface Part {
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
export function kindConditions(filters: EventFilters): Part[] {
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
export interface Period {
  from: number;
  until: number;
}

/** Those of a period, by a column that counts in a unit of so many milliseconds. */
export function timeConditions({ from, until }: Period, column = "created_at", unit = 1): Part[] {
  const parts: Part[] = [];
  if (from > Number.NEGATIVE_INFINITY) parts.push({ sql: `${column} >= ?`, values: [from / unit] });
  if (until < Number.POSITIVE_INFINITY) parts.push({ sql: `${column} < ?`, values: [until / unit] });
  return parts;
}

export const periodOf = ({ from, to }: EventFilters): Period => ({
  from: from ?? Number.NEGATIVE_INFINITY,
  // Times are whole milliseconds.
  until: to === undefined ? Number.POSITIVE_INFINITY : to + 1,
});

/** Conditions that each begin with a column, which two tables of a statement have. */
export const inTable = (table: string, parts: Part[]): Part[] =>
  parts.map(({ sql, values }) => ({ sql: `${table}.${sql}`, values }));

export const where = (parts: Part[]): Part =>
  parts.length === 0
    ? { sql: "", values: [] }
    : { ...join(parts, " AND "), sql: `WHERE ${join(parts, " AND ").sql}` };

export const conditionsOf = (whose: Part[], filters: EventFilters): Part =>
  where([...whose, ...timeConditions(periodOf(filters)), ...kindConditions(filters)]);

export const all = <T>({ sql, values }: Part): T[] => sqlite.query<T, SQLQueryBindings[]>(sql).all(...values);
