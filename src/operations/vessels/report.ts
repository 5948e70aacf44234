import type { Position } from "../../kernel/values/great-circle";

/**
 * One AIS message about a vessel, from either source. Null means that the vessel calls the value not
 * available (ITU-R M.1371, Annex 8); a missing field is one that the message doesn't carry.
 */
export interface Report {
  mmsi: number;
  position?: Position | null;
  /** Knots; 102.2 is that or more. */
  speed?: number | null;
  /** Degrees over ground, below 360. */
  course?: number | null;
  /** Whole degrees, true. */
  heading?: number | null;
  nav_status?: number | null;
  /** Empty for not available. */
  name?: string;
  ship_type?: number | null;
  /** Metres. */
  length?: number | null;
  beam?: number | null;
  /** The feed's own name for the vessel, beside the message; used only until the vessel tells its name. */
  known_as?: string;
}

/**
 * Readers of single values of any type: undefined stays, and an unavailable or impossible value becomes null.
 */
type Reading<T> = T | null | undefined;

const whole = (value: unknown, lowest: number, highest: number): number | null =>
  Number.isInteger(value) && (value as number) >= lowest && (value as number) <= highest
    ? (value as number)
    : null;

/** To the resolution in which AIS sends it: a tenth. */
const tenths = (value: unknown, highest: number): number | null => {
  const count = typeof value === "number" ? whole(Math.round(value * 10), 0, highest) : null;
  return count === null ? null : count / 10;
};

const unlessAbsent =
  <T>(read: (value: unknown) => T | null) =>
  (value: unknown): Reading<T> =>
    value === undefined ? undefined : read(value);

export const readMmsi = (value: unknown): number | null => whole(value, 1, 999_999_999);
export const readSpeed = unlessAbsent((value) => tenths(value, 1_022));
export const readCourse = unlessAbsent((value) => tenths(value, 3_599));
export const readHeading = unlessAbsent((value) => whole(value, 0, 359));
/** 15 is "undefined". */
export const readNavStatus = unlessAbsent((value) => whole(value, 0, 14));
/** 0 is "not available", as is any code without an entry in the tables. */
export const readShipType = unlessAbsent((value) => whole(value, 1, 99));

const degrees = (value: unknown, limit: number): number | null =>
  typeof value === "number" && Math.abs(value) <= limit ? Math.round(value * 1e6) / 1e6 : null;

/** A place in degrees; AIS has 1/10,000 of a minute, which six decimals tell apart. 91° and 181° are "not available". */
export function readPosition(latitude: unknown, longitude: unknown): Reading<Position> {
  if (latitude === undefined || longitude === undefined) return undefined;
  const place = { latitude: degrees(latitude, 90), longitude: degrees(longitude, 180) };
  return place.latitude === null || place.longitude === null ? null : (place as Position);
}

/** Characters of a name in AIS. */
const NAME_LENGTH = 20;

/** A name up to its end: `@` ends it, and characters that 6-bit text can't hold are left out. */
export const readName = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
        .slice(0, 4 * NAME_LENGTH)
        .replace(/@.*/s, "")
        .replaceAll(/[^ -~]/g, "")
        .trim()
        .slice(0, NAME_LENGTH)
    : undefined;

/** Distances from the antenna to bow, stern, port and starboard, in metres. */
export interface Dimension {
  a: unknown;
  b: unknown;
  c: unknown;
  d: unknown;
}

/** Length and beam; a sum of 0 is "not available". */
export function readDimension({ a, b, c, d }: Dimension): Pick<Report, "length" | "beam"> {
  return { length: sum(a, b, 511), beam: sum(c, d, 63) };
}

function sum(one: unknown, other: unknown, highest: number): Reading<number> {
  if (one === undefined || other === undefined) return undefined;
  const [first, second] = [whole(one, 0, highest), whole(other, 0, highest)];
  return first === null || second === null ? null : first + second || null;
}

/**
 * True for a craft of a mother ship (M.1371, Annex 8, message 24): its part B names the mother ship in place
 * of its size.
 */
export const isAuxiliary = (mmsi: number): boolean => Math.floor(mmsi / 10_000_000) === 98;
