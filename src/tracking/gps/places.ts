import { DAY, MINUTE } from "../../kernel/clock";
import { adjustCounter, sqlite, statement } from "../../kernel/db";

/**
 * Where a page of a long list of positions begins. SQLite walks over what OFFSET skips, which takes it a quarter of a
 * second in the middle of ten million. So each list counts its positions by day and by quarter of an hour of the
 * receiver's time too, and no more than one quarter is walked over. Those counters are parts of the list's own:
 * `gps_points day 00020514`.
 */

interface Span {
  name: string;
  /** Milliseconds. */
  length: number;
}

const BY_DAY: Span = { name: "day", length: DAY };
const BY_QUARTER: Span = { name: "quarter", length: 15 * MINUTE };

/** Digits of a span's number, so that the names sort as the numbers do: enough until the year 4800. */
const DIGITS = 8;
const LAST = 10 ** DIGITS - 1;

const partName = (list: string, span: Span, number: number): string =>
  `${list} ${span.name} ${String(number).padStart(DIGITS, "0")}`;

interface Names {
  quarter: number;
  ofDay: string;
  ofQuarter: string;
}

/** The names that each list used last: what comes next is mostly of the same quarter. */
const lastNames = new Map<string, Names>();
const MAX_LISTS = 1_000;

function namesFor(list: string, timestamp: number): Names {
  const quarter = Math.floor(timestamp / BY_QUARTER.length);
  const last = lastNames.get(list);
  if (last?.quarter === quarter) return last;
  const day = Math.floor(timestamp / BY_DAY.length);
  const names = {
    quarter,
    ofDay: partName(list, BY_DAY, day),
    ofQuarter: partName(list, BY_QUARTER, quarter),
  };
  if (lastNames.size >= MAX_LISTS) lastNames.clear();
  lastNames.set(list, names);
  return names;
}

/** Adds a position to the counters of a list in the current transaction, or with -1 takes it out. */
export function countPoint(list: string, timestamp: number, by: 1 | -1): void {
  const { ofDay, ofQuarter } = namesFor(list, timestamp);
  adjustCounter(list, by);
  adjustCounter(ofDay, by);
  adjustCounter(ofQuarter, by);
}

type Part = { name: string; value: number };
const PARTS = "SELECT name, value FROM counters WHERE name BETWEEN ? AND ? ORDER BY name";
const oldestParts = statement(() => sqlite.prepare<Part, [string, string]>(PARTS));
const newestParts = statement(() => sqlite.prepare<Part, [string, string]>(`${PARTS} DESC`));

export type Order = "oldest first" | "newest first";

/** A place in a list: what lies `skip` positions behind a time, the bound of the reading. */
export interface Place {
  /** Epoch milliseconds: positions from then on, oldest first, or positions before, newest first. */
  bound: number;
  skip: number;
}

/** To skip less than this is quicker than to ask the counters. */
const WORTH_SEEKING = 500;

/** The place of the position that has `skip` others of the list before it. */
export function findPlace(list: string, order: Order, skip: number): Place {
  const isAscending = order === "oldest first";
  if (skip < WORTH_SEEKING) return { bound: isAscending ? 0 : Number.MAX_SAFE_INTEGER, skip };
  const day = findSpan(list, BY_DAY, [0, LAST], order, skip);
  const perDay = BY_DAY.length / BY_QUARTER.length;
  const quarters: [number, number] = [day.number * perDay, (day.number + 1) * perDay - 1];
  const quarter = findSpan(list, BY_QUARTER, quarters, order, day.skip);
  return { bound: (quarter.number + (isAscending ? 0 : 1)) * BY_QUARTER.length, skip: quarter.skip };
}

/** The span of those numbered `first` to `last` in which the list's position stands that has `skip` before it there. */
function findSpan(list: string, span: Span, [first, last]: [number, number], order: Order, skip: number) {
  const parts = order === "oldest first" ? oldestParts() : newestParts();
  let left = skip;
  for (const { name, value } of parts.all(partName(list, span, first), partName(list, span, last))) {
    if (left < value) return { number: Number(name.slice(-DIGITS)), skip: left };
    left -= value;
  }
  throw new Error(`the counters of ${list} hold less than ${skip} positions by ${span.name}`);
}
