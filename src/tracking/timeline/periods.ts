import { invalid } from "../../kernel/errors/errors";
import { DAY } from "../../kernel/time/clock";
import { isTimeZone, localClock, momentOf } from "../../kernel/values/time-zones";
import type { Period } from "./kinds";
import type { Window } from "./window";

/** Days, weeks and months by the calendar of a time zone. */

/** 1970-01-01 was a Thursday, the fourth day of a week from Monday on. */
const THURSDAY = 3;

/** The first day of the period that a day is in. Days are local midnights as if they were UTC, in epoch milliseconds. */
function firstDay(period: Period, day: number): number {
  if (period === "day") return day;
  if (period === "week") return day - ((day / DAY + THURSDAY) % 7) * DAY;
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function nextDay(period: Period, day: number): number {
  if (period !== "month") return day + (period === "day" ? 1 : 7) * DAY;
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The periods of a window in order, the first and the last one cut by it. Throws 400 for a time zone that nobody knows. */
export function periodsOf({ from, until }: Window, period: Period, timeZone: string): Window[] {
  if (!isTimeZone(timeZone))
    throw invalid("/timezone", "must be a time zone of the IANA database, such as Europe/Berlin");
  const today = Math.floor(localClock(timeZone, from) / DAY) * DAY;
  const periods: Window[] = [];
  let begin = from;
  for (let day = nextDay(period, firstDay(period, today)); begin < until; day = nextDay(period, day)) {
    const end = Math.min(until, Math.max(begin, beginningOf(day, timeZone)));
    if (end > begin) periods.push({ from: begin, until: end });
    begin = end;
  }
  return periods;
}

const beginningOf = (day: number, timeZone: string): number =>
  timeZone === "UTC" ? day : momentOf(timeZone, day);
