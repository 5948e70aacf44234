import type { Fix, Reading } from "../ingest/fix";

/** Values of a position as files write them. */

/** A decimal number; `Number` alone takes `0x10`, `Infinity` and an empty text. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** A number, null if there is none, or NaN for a text that is no number. */
export function numberOf(text: string | null | undefined): number | null {
  const trimmed = text?.trim();
  if (!trimmed) return null;
  return NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** ISO 8601 as GPX writes it (XML Schema's dateTime); also with a space, and without a zone, which is UTC. */
const TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)([.,]\d{1,12})?)?(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Unix seconds of a time, with fractions; null for an empty text and NaN for one that is no time. */
export function timeOf(text: string | null | undefined): number | null {
  const trimmed = text?.trim();
  if (!trimmed) return null;
  const match = TIME.exec(trimmed);
  if (!match) return Number.NaN;
  const [, year, month, day, hour, minute, second = 0, fraction, sign, zoneHours = 0, zoneMinutes = 0] = match;
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // A day that its month lacks became one of the next month.
  const isDay = new Date(date).getUTCDate() === Number(day);
  if (!isDay || Number(month) > 12 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60)
    return Number.NaN;
  const local = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const ahead = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -60 : 60);
  const part = fraction === undefined ? 0 : Number(`0.${fraction.slice(1)}`);
  return date / 1000 + local - ahead + part;
}

/** Values of a fix beside place and time, as they were read: null where there is none. */
export type Details = Omit<Fix, "latitude" | "longitude" | "time">;

/** Bounds of each; one outside of them is unknown, and no reason to lose the fix. */
const BOUNDS: { [K in keyof Required<Details>]: readonly [least: number, most: number] } = {
  altitude: [-1e6, 1e9],
  heading: [0, 360],
  speed_mps: [0, 1e9],
  speed_kmh: [0, 1e9],
  speed_mph: [0, 1e9],
  speed_knots: [0, 1e9],
  pdop: [0, 1e9],
  hdop: [0, 1e9],
  vdop: [0, 1e9],
  accuracy_m: [0, 1e9],
  battery_percent: [0, 100],
};
export const DETAILS = Object.keys(BOUNDS) as (keyof Details)[];

/** A value if it is a possible one of its kind, else null. */
export function possible(name: keyof Details, value: number | null): number | null {
  const [least, most] = BOUNDS[name];
  return value !== null && value >= least && value <= most ? value : null;
}

/** A fix, unless place or time are no such: then the reason. */
export function readingOf(
  latitude: number | null,
  longitude: number | null,
  time: number | null,
  details: Details,
): Reading {
  if (latitude === null || longitude === null) return { rejected: "no_fix" };
  if (Number.isNaN(latitude) || Number.isNaN(longitude) || Number.isNaN(time)) return { rejected: "malformed" };
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return { rejected: "no_fix" };
  return { latitude, longitude, time, ...details };
}
