import { sqlite, statement } from "../../kernel/db/connection";
import { adjustCounters, counter } from "../../kernel/db/counters";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { DAY, MINUTE, spanOf } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";

/**
 * Finds the beginning of a page in a long list that is ordered by time, and counts the records between two
 * times. SQLite walks over the rows that OFFSET skips, which takes a quarter of a second in the middle of ten
 * million positions. So each list also counts its records by spans of their time, each of which divides the
 * one before it: no more than a quarter of an hour is walked over, and no more than some hundred counters,
 * however many years a list covers. Those counters are parts of the list's own: `gps_points day 00020514`.
 * Raw SQL: each request for a page deep in a list runs these statements.
 */

/** Lists whose names are remembered. */
const MOST_NAMES = 1_000;

/** Names of lists by the identifiers of their records: a text that is made anew for each position has to be hashed anew. */
function namedBy(kind: string): (id: string) => string {
  const names = new BoundedMap<string, string>(MOST_NAMES);
  return (id) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = `${kind} ${id}`;
    names.set(id, name);
    return name;
  };
}

/** The names of the lists' counters: all positions, those of a device, those of a trip. */
export const ALL = "gps_points";
export const devicePoints = namedBy("device_points");
export const tripPoints = namedBy("trip_points");

/** The trips of a device, those of a category, and those of both; trips/lists.ts has the others. */
export const deviceTrips = (deviceId: string): string => `device_trips ${deviceId}`;
export const categoryTrips = (categoryId: string): string => `category_trips ${categoryId}`;
export const categoryTripsOf = (categoryId: string, deviceId: string): string =>
  `${categoryTrips(categoryId)} device ${deviceId}`;

const categoriesOf = statement(() =>
  sqlite.prepare<{ id: string }, [string]>(
    "SELECT id FROM trip_categories WHERE EXISTS (SELECT 1 FROM counters WHERE name = 'category_trips ' || id || ' device ' || ?)",
  ),
);

/** The lists of a device's trips in each category. */
export const categoryListsOf = (deviceId: string): string[] =>
  categoriesOf()
    .all(deviceId)
    .map(({ id }) => categoryTripsOf(id, deviceId));

interface Span {
  name: string;
  /** Milliseconds. */
  length: number;
}

const QUARTER = 15 * MINUTE;
const SPANS: Span[] = [
  { name: "season", length: 128 * DAY },
  { name: "day", length: DAY },
  { name: "quarter", length: QUARTER },
];

/** Digits of a span's number, so that the names sort as the numbers do: enough until the year 4800. */
const DIGITS = 8;
const LAST = 10 ** DIGITS - 1;

const partName = (list: string, span: string, number: number): string =>
  `${list} ${span} ${String(number).padStart(DIGITS, "0")}`;

interface Names {
  quarter: number;
  /** The list's own counter, and those of its parts. */
  names: readonly string[];
}

/** The names that each list used last: the next record mostly falls in the same quarter of an hour. */
const lastNames = new BoundedMap<string, Names>(MOST_NAMES);

function countersFor(list: string, timestamp: number): readonly string[] {
  const quarter = Math.floor(timestamp / QUARTER);
  const last = lastNames.get(list);
  if (last?.quarter === quarter) return last.names;
  const parts = SPANS.map(({ name, length }) => partName(list, name, Math.floor(timestamp / length)));
  const names = [list, ...parts];
  lastNames.renew(list, { quarter, names });
  return names;
}

/** Adds a record to the counters of a list in the current transaction, or with -1 takes it out. */
export function countAt(list: string, timestamp: number, by: 1 | -1): void {
  adjustCounters(countersFor(list, timestamp), by);
}

type Part = { name: string; value: number };
const PARTS = "SELECT name, value FROM counters WHERE name BETWEEN ? AND ? ORDER BY name";
const oldestParts = statement(() => sqlite.prepare<Part, [string, string]>(PARTS));
const newestParts = statement(() => sqlite.prepare<Part, [string, string]>(`${PARTS} DESC`));

export type Order = "oldest first" | "newest first";

const REVERSED: Record<Order, Order> = { "oldest first": "newest first", "newest first": "oldest first" };

/** The beginning of a page: `skip` records after a time, at which the reading begins. */
export interface SeekOffset {
  /** Epoch milliseconds: records from then on, oldest first, or records before, newest first. */
  bound: number;
  skip: number;
}

/** One end of a list, or of a stretch of it: the time where it lies, and the records beyond it. */
interface End {
  bound: number;
  beyond: number;
}

const ENDS: Record<Order, End> = {
  "oldest first": { bound: 0, beyond: 0 },
  "newest first": { bound: Number.MAX_SAFE_INTEGER, beyond: 0 },
};

/** Skipping fewer rows than this is faster than reading the counters. */
const WORTH_SEEKING = 500;

/** The place of the record that has `skip` others before it, counted from an end of the list. */
export function seekOffset(list: string, order: Order, skip: number, end = ENDS[order]): SeekOffset {
  if (skip < WORTH_SEEKING) return { bound: end.bound, skip };
  let stretch: Stretch = { from: 0, until: Number.MAX_SAFE_INTEGER, skip: end.beyond + skip };
  for (const span of SPANS) stretch = narrow(list, span, stretch, order);
  return { bound: order === "oldest first" ? stretch.from : stretch.until, skip: stretch.skip };
}

/**
 * The time span of a list that is searched, from `from` (inclusive) to `until` (exclusive), and the number of
 * records to skip in it.
 */
interface Stretch {
  /** Epoch milliseconds. */
  from: number;
  until: number;
  skip: number;
}

/** The one span of a stretch that holds the list's record with `skip` before it there. */
function narrow(list: string, { name, length }: Span, { from, until, skip }: Stretch, order: Order): Stretch {
  const parts = order === "oldest first" ? oldestParts() : newestParts();
  const last = Math.min(until / length - 1, LAST);
  let left = skip;
  for (const part of parts.all(partName(list, name, from / length), partName(list, name, last))) {
    const number = Number(part.name.slice(-DIGITS));
    if (left < part.value) return { from: number * length, until: (number + 1) * length, skip: left };
    left -= part.value;
  }
  throw new Error(`the counters of ${list} hold less than ${skip} records by ${name}`);
}

// --- Between two times ------------------------------------------------------------------------------------

/** A list whose records are ordered by time, and the ways to its rows. */
export interface TimedList<T> {
  /** The name of its counters. */
  name: string;
  /** Counts the rows from a time (inclusive) until another (exclusive), in epoch milliseconds, by an index. */
  count: (from: number, until: number) => number;
  /** Reads rows in an order, from a place on, up to a limit. */
  read: (order: Order, place: SeekOffset, limit: number) => T[];
}

/** From a time (inclusive) until another (exclusive), in epoch milliseconds. */
export interface Window {
  from: number;
  until: number;
}

/** The window of a query's `from` and `to`, each a time or a day; null where it has neither. */
export function windowOf({ from, to }: { from?: string; to?: string }): Window | null {
  if (from === undefined && to === undefined) return null;
  return {
    from: from === undefined ? 0 : Math.max(0, spanOf(from)[0]),
    until: to === undefined ? Number.MAX_SAFE_INTEGER : spanOf(to)[1] + 1,
  };
}

const sumOfParts = statement(() =>
  sqlite.prepare<{ n: number }, [string, string]>(
    "SELECT coalesce(sum(value), 0) AS n FROM counters WHERE name >= ? AND name < ?",
  ),
);

/** Counts the records of a list before a time: whole spans by their counters, the last piece by the index. */
function countBefore({ name: list, count }: TimedList<unknown>, time: number): number {
  if (time >= LAST * QUARTER) return counter(list);
  let counted = 0;
  let from = 0;
  for (const { name, length } of SPANS) {
    const number = Math.floor(time / length);
    counted += sumOfParts().get(partName(list, name, from / length), partName(list, name, number))?.n ?? 0;
    from = number * length;
  }
  return from < time ? counted + count(from, time) : counted;
}

/** The numbers of records before the beginning of a window and before its end, at a cost that doesn't grow with the list. */
export const countsIn = (
  list: TimedList<unknown>,
  { from, until }: Window,
): { older: number; upTo: number } => ({
  older: countBefore(list, from),
  upTo: countBefore(list, until),
});

/** A page of a list, or of the part of it in a window, at a cost that doesn't grow with the list. */
export function readTimed<T>(
  request: PageRequest,
  list: TimedList<T>,
  listOrder: Order,
  window: Window | null = null,
): PageOf<T> {
  const { total, ends } = measure(list, window);
  return readPage(request, total, (fromEnd, offset, limit) => {
    const order = fromEnd ? REVERSED[listOrder] : listOrder;
    return list.read(order, seekOffset(list.name, order, offset, ends[order]), limit);
  });
}

/** The number of a list's records in a window, and the ends of that part. */
function measure(
  list: TimedList<unknown>,
  window: Window | null,
): { total: number; ends: Record<Order, End> } {
  const whole = counter(list.name);
  // The counters of a deleted device's list go in steps, its total at once.
  if (whole === 0 || window === null) return { total: whole, ends: ENDS };
  const { older, upTo } = countsIn(list, window);
  return {
    total: Math.max(0, upTo - older),
    ends: {
      "oldest first": { bound: window.from, beyond: older },
      "newest first": { bound: window.until, beyond: whole - upTo },
    },
  };
}
