import { DAY, SECOND } from "../time/clock";
import { BoundedMap } from "./bounded-map";

/** Local clocks of the time zones of the IANA database, which may be changed twice a year. */

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

/** True for the name of a time zone that the IANA database has, and not for an offset such as +02:00. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local clock of a zone at a time, as if it were UTC (epoch milliseconds). */
export function localClock(timeZone: string, time: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (time % SECOND);
}

/**
 * The moment at which the local clock shows a time (given as if it were UTC): the first where the clock is set back and
 * shows it twice, and as long after the change as the time is beyond it where the clock is set forward and skips it.
 */
export function momentOf(timeZone: string, local: number): number {
  const offsetAt = (time: number) => localClock(timeZone, time) - time;
  const candidates = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)];
  const shown = candidates.filter((moment) => localClock(timeZone, moment) === local);
  return shown.length > 0 ? Math.min(...shown) : Math.max(...candidates);
}
