import { invalid } from "../../kernel/errors/errors";
import { DAY, HOUR, MINUTE } from "../../kernel/time/clock";
import { isTimeZone, localClock, momentOf } from "../../kernel/values/time-zones";
import { DAYS } from "./days";
import type { Schedule } from "./schema";

/** The windows of a schedule, by a clock that may be changed twice a year. */

/** A span in epoch milliseconds; `until` is no longer part of it. */
export interface Span {
  from: number;
  until: number;
}

/** Refuses a schedule whose time zone nobody knows; `path` is that of the schedule. Throws 400. */
export function checkSchedule(path: string, { timezone }: Schedule): void {
  if (!isTimeZone(timezone))
    throw invalid(`${path}/timezone`, "must be a time zone of the IANA database, such as Europe/Berlin");
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
