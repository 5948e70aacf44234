import type { Fix, Rejected } from "../fix";
import { isoTime } from "./iso-time";

/**
 * Values as apps write them: numbers that may be texts, and stand-ins for "unknown". An optional value that is
 * unknown or impossible becomes null; only the place and the time decide about the fix.
 */

const rejected = (reason: Rejected["rejected"]): Rejected => Object.freeze({ rejected: reason });

export const MALFORMED = rejected("malformed");
export const NO_FIX = rejected("no_fix");
export const NO_TIME = rejected("no_time");
export const NOT_DECRYPTED = rejected("not_decrypted");

/** The longest text that is read as a number or a time. */
const MAX_TEXT = 40;

/** Decimal notation alone: no hexadecimal, no Infinity, no comma. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** A finite number, or a text that is one; else null. Never −0. */
export function toNumber(value: unknown): number | null {
  let number = value;
  if (typeof value === "string") {
    if (value.length > MAX_TEXT || !DECIMAL.test(value.trim())) return null;
    number = Number(value);
  }
  return typeof number === "number" && Number.isFinite(number) ? number + 0 : null;
}

/** A number from `low` to `high`, both allowed; else null. */
export function within(value: unknown, low: number, high: number): number | null {
  const number = toNumber(value);
  return number !== null && number >= low && number <= high ? number : null;
}

// --- Optional values ---------------------------------------------------------------------------------------

/** Metres, from the deepest trench to the edge of space. */
export const toAltitude = (value: unknown): number | null => within(value, -12_000, 100_000);

/** Degrees, 0 to 360 as given. */
export const toHeading = (value: unknown): number | null => within(value, 0, 360);

/** A speed in any unit. The upper bound keeps conversions finite. */
export const toSpeed = (value: unknown): number | null => within(value, 0, 100_000);

export const toDilution = (value: unknown): number | null => within(value, 0, 100);

/** Metres, at most half way round the Earth. */
export const toAccuracy = (value: unknown): number | null => within(value, 0, 20_040_000);

/** 0 to 100. */
export const toPercent = (value: unknown): number | null => within(value, 0, 100);

/** A share of one as a percentage; two decimals, since many apps send a rounded 32-bit number. */
export function percentOfShare(value: unknown): number | null {
  const share = within(value, 0, 1);
  return share === null ? null : Math.round(share * 10_000) / 100;
}

/** For sources that write 0 for what they don't know. */
export const unlessZero = (value: number | null): number | null => (value === 0 ? null : value);

/** A value whose own accuracy is negative is invalid (Core Location, CLLocation); without an accuracy it counts. */
export function unlessInvalid(accuracy: unknown, value: number | null): number | null {
  const known = toNumber(accuracy);
  return known !== null && known < 0 ? null : value;
}

// --- Place and time ----------------------------------------------------------------------------------------

export type Place = Pick<Fix, "latitude" | "longitude">;

/** Null if either is missing or no place on Earth. */
export function toPlace(latitude: unknown, longitude: unknown): Place | null {
  const place = { latitude: within(latitude, -90, 90), longitude: within(longitude, -180, 180) };
  return place.latitude === null || place.longitude === null ? null : (place as Place);
}

/** Seconds beyond these bounds are no date that this runtime can tell (ECMA-262, section 21.4.1.1). */
const MAX_SECONDS = 8.64e12;

/** As seconds the year 5138, as milliseconds March 1973: nothing that is sent lies on the wrong side of it. */
const LEAST_MILLISECONDS = 1e11;

/** Units of a time that is a bare number. */
type Unit = "seconds" | "seconds or milliseconds";

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

/**
 * Unix seconds of a number, a text that is one, or a date and time of ISO 8601. One without a zone is taken as
 * UTC. Rejected as `no_time` if there is none, as `malformed` if it can't be read.
 */
export function toTime(value: unknown, unit: Unit): number | Rejected {
  if (isBlank(value)) return NO_TIME;
  const number = toNumber(value);
  if (number === null)
    return (
      (typeof value === "string" && value.length <= MAX_TEXT ? isoTime(value.trim()) : null) ?? MALFORMED
    );
  const inMilliseconds = unit === "seconds or milliseconds" && Math.abs(number) >= LEAST_MILLISECONDS;
  const seconds = inMilliseconds ? number / 1_000 : number;
  return Math.abs(seconds) <= MAX_SECONDS ? seconds : MALFORMED;
}

/** The first of several values that is there. */
export const firstOf = (...values: unknown[]): unknown => values.find((value) => !isBlank(value));

/** A fix, or the reason why there is none. The place comes first: a message without one often lacks a time too. */
export function toReading(
  place: Place | null,
  time: number | Rejected,
  details: Omit<Fix, keyof Place | "time">,
): Fix | Rejected {
  if (place === null) return NO_FIX;
  return typeof time === "number" ? { ...place, time, ...details } : time;
}
