import { isRejected, type Reading } from "../../../src/tracking/ingest/fix";
import type { Reader } from "../../../src/tracking/receiver/reader";

/** A sentence of NMEA 0183 with its checksum; `body` is the part between `$` and `*`. */
export function nmea(body: string): string {
  const sum = Buffer.from(body, "latin1").reduce((all, byte) => all ^ byte, 0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** hhmmss of a time in Unix seconds. */
export const clockOf = (time: number): string => {
  const date = new Date(time * 1_000);
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join("");
};

/** ddmmyy of a time in Unix seconds. */
export const dayOf = (time: number): string => {
  const date = new Date(time * 1_000);
  return [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100].map(two).join("");
};

/** ddmm.mmmmmm,N and the like. */
function angle(degrees: number, digits: number, letters: string): string {
  const size = Math.abs(degrees);
  const whole = Math.floor(size);
  const minutes = ((size - whole) * 60).toFixed(6).padStart(9, "0");
  return `${String(whole).padStart(digits, "0")}${minutes},${letters[degrees < 0 ? 1 : 0]}`;
}

export interface OwnFix {
  latitude: number;
  longitude: number;
  /** Unix seconds. */
  time: number;
  knots?: number;
  course?: number;
}

export const placeOf = ({ latitude, longitude }: OwnFix): string =>
  `${angle(latitude, 2, "NS")},${angle(longitude, 3, "EW")}`;

/** The RMC of a fix, or of none. */
export const rmc = (fix: OwnFix, { status = "A", mode = "A", talker = "GP" } = {}): string =>
  nmea(
    `${talker}RMC,${clockOf(fix.time)},${status},${placeOf(fix)},${fix.knots ?? 0},${fix.course ?? ""},${dayOf(fix.time)},,,${mode}`,
  );

/** The readings of lines or messages, the last one included. */
export const read = (reader: Reader, ...texts: string[]): Reading[] => [
  ...texts.flatMap((text) => reader.take(text).readings),
  ...reader.flush(),
];

/** What was told of a fix, without the values that are null. */
export const told = (reading: Reading): object =>
  isRejected(reading)
    ? reading
    : Object.fromEntries(Object.entries(reading).filter(([, value]) => value !== null));
