/**
 * Dates and times of ISO 8601 as apps write them: `T` or a space between, seconds and their fraction optional, the
 * zone as `Z`, `+02:00`, `+0200` or `+02`.
 */
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+\- ])(\d\d)(?::?(\d\d))?)?$/i;

/**
 * Unix seconds of a date and time; null if it is none. Without a zone it is taken as UTC, since nobody can tell the
 * sender's. A space before the zone is a `+` that was not encoded in a query.
 */
export function isoTime(text: string): number | null {
  const found = DATE_TIME.exec(text);
  if (!found) return null;
  const [, year, month, day, hour, minute, second = "00", fraction = "", sign, zoneHours, zoneMinutes] =
    found;
  const isLeapSecond = second === "60";
  const date = `${year}-${month}-${day}T${hour}:${minute}:${isLeapSecond ? "59" : second}.000Z`;
  const milliseconds = Date.parse(date);
  // 30 February and 24:00 are read as the day after by some runtimes, and refused by others.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== date) return null;
  const ahead = Number(zoneHours ?? 0) * 3_600 + Number(zoneMinutes ?? 0) * 60;
  const seconds = milliseconds / 1_000 + Number(`0.${fraction}`) + (isLeapSecond ? 1 : 0);
  return sign === "-" ? seconds + ahead : seconds - ahead;
}
