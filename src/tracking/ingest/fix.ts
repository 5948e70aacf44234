/** A fix as a translator reads it out of a message, before anything is decided about it. */

/** Reasons why something that a source sent becomes no position. */
export const REJECTIONS = [
  /** It isn't what its format asks for: broken JSON, a missing field, a number that is none. */
  "malformed",
  /** The receiver had no fix, or the place is missing or no place on Earth. */
  "no_fix",
  /** It has no time of its own; the time of arrival is no substitute. */
  "no_time",
  "in_the_future",
  "implausible_time",
  "too_large",
  /** An encrypted message that the tracker's key doesn't open. */
  "not_decrypted",
  /** A server that forwards many devices sent one that this installation doesn't know, or may not write. */
  "unknown_device",
] as const;
export type Rejection = (typeof REJECTIONS)[number];

/** A value that the source doesn't tell is left out or null. */
export interface Fix {
  /** Degrees, WGS 84. */
  latitude: number;
  longitude: number;
  /** Unix seconds, fractions allowed; null where the source gave none. */
  time: number | null;
  /** Metres above sea level. */
  altitude?: number | null | undefined;
  /** Course over ground, degrees true, 0 to 360. */
  heading?: number | null | undefined;
  /** Speed over ground, at least 0. One known speed gives the others. */
  speed_mps?: number | null | undefined;
  speed_kmh?: number | null | undefined;
  speed_mph?: number | null | undefined;
  speed_knots?: number | null | undefined;
  pdop?: number | null | undefined;
  hdop?: number | null | undefined;
  vdop?: number | null | undefined;
  /** Radius of 68 %, metres, at least 0. */
  accuracy_m?: number | null | undefined;
  /** 0 to 100. */
  battery_percent?: number | null | undefined;
}

export interface Rejected {
  rejected: Rejection;
}

/** One element of a message that was meant to be a position. */
export type Reading = Fix | Rejected;

export const isRejected = (reading: Reading): reading is Rejected => "rejected" in reading;

/** The fate of one reading. A duplicate has the identifier of the position that came first. */
export type Outcome =
  | { status: "stored" | "duplicate"; id: string }
  | { status: "rejected"; reason: Rejection };
