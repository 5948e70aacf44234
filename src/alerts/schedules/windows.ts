import { invalid } from "../../kernel/errors/errors";
import { DAY, HOUR, MINUTE, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { DAYS } from "./days";
import type { Schedule } from "./schema";

/** The windows of a schedule, by a clock that may be changed twice a year. */

/** A span in epoch milliseconds; `until` is no longer part of it. */
export interface Span {
  from: number;
  until: number;
}

/** Making a format takes longer than using it. */
const formats = new BoundedMap<string, Intl.DateTimeFormat>(100);

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, hourCycle: "h23", era: "short" },
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Refuses a schedule whose time zone nobody knows; `path` is that of the schedule. Throws 400. */
export function checkSchedule(path: string, { timezone }: Schedule): void {
  try {
    formatOf(timezone);
  } catch {
    throw invalid(`${path}/timezone`, "must be a time zone of the IANA database, such as Europe/Berlin");
  }
}

/** The local clock of a zone at a time, as if it were UTC (epoch milliseconds). */
function localClock(timeZone: string, time: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (time % SECOND);
}

/**
 * The moment at which the local clock shows a time (given as if it were UTC): the first where the clock is set back and
 * shows it twice, and as long after the change as the time is beyond it where the clock is set forward and skips it.
 */
function momentOf(timeZone: string, local: number): number {
  const offsetAt = (time: number) => localClock(timeZone, time) - time;
  const candidates = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)];
  const shown = candidates.filter((moment) => localClock(timeZone, moment) === local);
  return shown.length > 0 ? Math.min(...shown) : Math.max(...candidates);
}

/** More than a clock is ever changed by at once, but for a place that crosses the date line. */
const LARGEST_CHANGE = 3 * HOUR;

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** The window of a schedule that a time is in, the one that ends last; null outside of all. */
export function windowAt({ timezone, windows }: Schedule, time: number): Span | null {
  const local = localClock(timezone, time);
  const today = Math.floor(local / DAY) * DAY;
  let found: Span | null = null;
  for (const { days, from, to } of windows)
    for (const day of [today - DAY, today]) {
      // 1970-01-01 was a Thursday, the fourth day.
      const name = DAYS[(day / DAY + 3) % 7];
      if (name === undefined || !days.includes(name)) continue;
      const begin = day + minutesOf(from) * MINUTE;
      const end = day + minutesOf(to) * MINUTE + (minutesOf(to) <= minutesOf(from) ? DAY : 0);
      // Finding the moments takes time, and is needed only near the window.
      if (local < begin - LARGEST_CHANGE || local > end + LARGEST_CHANGE) continue;
      const span = { from: momentOf(timezone, begin), until: momentOf(timezone, end) };
      if (span.from <= time && time < span.until && span.until > (found?.until ?? 0)) found = span;
    }
  return found;
}
