import { dayName, spanOfDay } from "../../days";
import type { Route } from "../../route";

/** The choice that the view's address makes: devices, and a span of the reader's calendar. */

export const KINDS = ["day", "week", "month", "year", "own"] as const;
export type Kind = (typeof KINDS)[number];

export interface Choice {
  /** Identifiers: the first one's is the day, the others are shown with it. */
  devices: readonly string[];
  /** A trip that is shown instead of a span. */
  trip: string | null;
  kind: Kind;
  /** The day, or one in the span: YYYY-MM-DD. */
  date: string;
  /** Epoch milliseconds; `to` is no longer part of it. */
  from: number;
  to: number;
}

/** The beginning and the end of what a date lies in. Weeks begin on Monday. */
function spanAround(kind: Exclude<Kind, "own">, date: string): { from: number; to: number } | null {
  const day = spanOfDay(date);
  if (!day || kind === "day") return day;
  const at = new Date(day.from);
  const [year, month] = [at.getFullYear(), at.getMonth()];
  const between = (from: Date, until: Date) => ({ from: from.getTime(), to: until.getTime() });
  if (kind === "year") return between(new Date(year, 0), new Date(year + 1, 0));
  if (kind === "month") return between(new Date(year, month), new Date(year, month + 1));
  const monday = at.getDate() - ((at.getDay() + 6) % 7);
  return between(new Date(year, month, monday), new Date(year, month, monday + 7));
}

/** A date, or a time as ISO 8601 has it, as the first moment of what it names and the first one after it. */
function named(text: string | null): { from: number; to: number } | null {
  if (text === null) return null;
  const day = spanOfDay(text);
  if (day) return day;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : { from: time, to: time };
}

/** Reads an address. `today` is the date that is meant where none is named. */
export function choiceOf({ path, query }: Route, today: string): Choice {
  const [, first, given = ""] = path;
  const others = (query.get("also") ?? "").split(",").filter((id) => id !== "" && id !== first);
  const devices = first === undefined ? [] : [first, ...new Set(others)];
  const trip = query.get("trip");
  const date = spanOfDay(given) ? given : today;
  const [from, until] = [named(query.get("from")), named(query.get("to"))];
  if (from && until && from.from < until.to)
    return { devices, trip, kind: "own", date: dayName(from.from), from: from.from, to: until.to };
  const kind = KINDS.find((each) => each === query.get("span")) ?? "day";
  const span = spanAround(kind === "own" ? "day" : kind, date) as { from: number; to: number };
  return { devices, trip, kind: kind === "own" ? "day" : kind, date, ...span };
}

/** The last date of a choice's span. */
export const lastDate = ({ to: until }: Choice): string => dayName(until - 1);

/** The choice of another kind of span around the same date. */
export function inKind(choice: Choice, kind: Kind): Choice {
  if (kind === "own") return { ...choice, kind };
  return { ...choice, kind, ...(spanAround(kind, choice.date) ?? choice) };
}

/** The choice of the date that a reader has typed; null for one that makes no sense yet. */
export function onDate(choice: Choice, date: string): Choice | null {
  // While a year is typed, it begins with the years of the Romans.
  if (!spanOfDay(date) || date < "1970-01-02") return null;
  return inKind({ ...choice, date }, choice.kind === "own" ? "day" : choice.kind);
}

/** The choice of a span from one date to another, both part of it; null for one that makes no sense. */
export function between(choice: Choice, first: string, last: string): Choice | null {
  const [from, until] = [spanOfDay(first), spanOfDay(last)];
  if (!from || !until || from.from >= until.to || first < "1970-01-02") return null;
  return { ...choice, kind: "own", date: first, from: from.from, to: until.to };
}

/** The choice of the span before (-1) or after (1). */
export function moved(choice: Choice, by: -1 | 1): Choice {
  const { kind, from, to: until } = choice;
  if (kind === "own") {
    const days = Math.max(1, Math.round((until - from) / 86_400_000));
    const shifted = (time: number) => {
      const at = new Date(time);
      at.setDate(at.getDate() + by * days);
      return at.getTime();
    };
    return { ...choice, from: shifted(from), to: shifted(until), date: dayName(shifted(from)) };
  }
  // The moment after the end, or before the beginning, lies in the neighbour, however long that is.
  return inKind({ ...choice, date: dayName(by === 1 ? until : from - 1) }, kind);
}

type Query = Record<string, string | undefined>;

/** The address of a choice: its path, and its query. */
export function addressOf({ devices, trip, kind, date, ...span }: Choice): [string[], Query] {
  const [first, ...others] = devices;
  const path = first === undefined ? ["day"] : ["day", first, date];
  const query = {
    ...(trip !== null && { trip }),
    ...(others.length > 0 && { also: others.join(",") }),
    ...(kind !== "day" && kind !== "own" && { span: kind }),
    ...(kind === "own" && { from: dayName(span.from), to: dayName(span.to - 1) }),
  };
  return [path, query];
}
