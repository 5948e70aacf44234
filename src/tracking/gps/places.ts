import { sqlite, statement } from "../../kernel/db/connection";
import { adjustCounter, removeParts } from "../../kernel/db/counters";
import { DAY, MINUTE } from "../../kernel/time/clock";

/**
 * Finds the beginning of a page in a long list of positions. SQLite walks over the rows that OFFSET skips,
 * which takes a quarter of a second in the middle of ten million. So each list also counts its positions by
 * spans of the receiver's time, each of which divides the one before it: no more than a quarter of an hour is
 * walked over, and no more than some hundred counters, however many years a list covers. Those counters are
 * parts of the list's own: `gps_points day 00020514`. Raw SQL: each request for a page deep in a list runs
 * these statements.
 */

/** The list of all positions, and that of a trip's: the names of their counters. */
export const ALL = "gps_points";
export const tripPoints = (tripId: string): string => `trip_points ${tripId}`;

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
  parts: string[];
}

/** The names that each list used last: the next position mostly falls in the same quarter of an hour. */
const lastNames = new Map<string, Names>();
const MAX_LISTS = 1_000;

function partsFor(list: string, timestamp: number): string[] {
  const quarter = Math.floor(timestamp / QUARTER);
  const last = lastNames.get(list);
  if (last?.quarter === quarter) return last.parts;
  const parts = SPANS.map(({ name, length }) => partName(list, name, Math.floor(timestamp / length)));
  if (lastNames.size >= MAX_LISTS) lastNames.clear();
  lastNames.set(list, { quarter, parts });
  return parts;
}

/** Adds a position to the counters of a list in the current transaction, or with -1 takes it out. */
export function countPoint(list: string, timestamp: number, by: 1 | -1): void {
  adjustCounter(list, by);
  for (const part of partsFor(list, timestamp)) adjustCounter(part, by);
}

/** Removes the counters of so many positions of a list that is gone, in the current transaction. */
export const forgetPlaces = (list: string, positions: number): void =>
  removeParts(list, positions * SPANS.length);

type Part = { name: string; value: number };
const PARTS = "SELECT name, value FROM counters WHERE name BETWEEN ? AND ? ORDER BY name";
const oldestParts = statement(() => sqlite.prepare<Part, [string, string]>(PARTS));
const newestParts = statement(() => sqlite.prepare<Part, [string, string]>(`${PARTS} DESC`));

export type Order = "oldest first" | "newest first";

/** A place in a list: `skip` positions after a time, at which the reading begins. */
export interface Place {
  /** Epoch milliseconds: positions from then on, oldest first, or positions before, newest first. */
  bound: number;
  skip: number;
}

/** Skipping fewer rows than this is faster than reading the counters. */
const WORTH_SEEKING = 500;

/** The place of the position that has `skip` others of the list before it. */
export function findPlace(list: string, order: Order, skip: number): Place {
  const isAscending = order === "oldest first";
  if (skip < WORTH_SEEKING) return { bound: isAscending ? 0 : Number.MAX_SAFE_INTEGER, skip };
  let stretch: Stretch = { from: 0, until: Number.MAX_SAFE_INTEGER, skip };
  for (const span of SPANS) stretch = narrow(list, span, stretch, order);
  return { bound: isAscending ? stretch.from : stretch.until, skip: stretch.skip };
}

/**
 * The time span of a list that is searched, from `from` (inclusive) to `until` (exclusive), and the number of
 * positions to skip in it.
 */
interface Stretch {
  /** Epoch milliseconds. */
  from: number;
  until: number;
  skip: number;
}

/** The one span of a stretch that holds the list's position with `skip` before it there. */
function narrow(list: string, { name, length }: Span, { from, until, skip }: Stretch, order: Order): Stretch {
  const parts = order === "oldest first" ? oldestParts() : newestParts();
  const last = Math.min(until / length - 1, LAST);
  let left = skip;
  for (const part of parts.all(partName(list, name, from / length), partName(list, name, last))) {
    const number = Number(part.name.slice(-DIGITS));
    if (left < part.value) return { from: number * length, until: (number + 1) * length, skip: left };
    left -= part.value;
  }
  throw new Error(`the counters of ${list} hold less than ${skip} positions by ${name}`);
}
