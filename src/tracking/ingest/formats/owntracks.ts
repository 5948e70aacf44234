import { holdsMore, isObject, type Json } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import { openSecretBox } from "./secret-box";
import {
  MALFORMED,
  NOT_DECRYPTED,
  type Place,
  toAccuracy,
  toAltitude,
  toHeading,
  toPercent,
  toPlace,
  toReading,
  toSpeed,
  toTime,
  unlessInvalid,
  unlessZero,
} from "./values";

/**
 * A message of OwnTracks. Only a `location` is a fix: of other and unknown types, and of an empty body, nothing is
 * left. `key` is the secret of the payload encryption as the user types it, null if there is none.
 */
export function readOwnTracks(message: unknown, key: string | null): Reading[] {
  if (message === undefined || message === null || message === "") return [];
  if (!isObject(message)) return [MALFORMED];
  return message._type === "encrypted" ? readEncrypted(message, key) : readPlain(message);
}

function readEncrypted({ data }: Json, key: string | null): Reading[] {
  const text = key === null || typeof data !== "string" ? null : openSecretBox(data, key);
  if (text === null) return [NOT_DECRYPTED];
  const message = parse(text);
  return isObject(message) ? readPlain(message) : [MALFORMED];
}

/** Values of one message; a location has some thirty, and an image in it is one. */
const MAX_VALUES = 10_000;

function parse(text: string): unknown {
  if (holdsMore(text, MAX_VALUES)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readPlain(message: Json): Reading[] {
  if (message._type !== "location") return [];
  const { tst, alt, vac, cog, vel, acc, batt } = message;
  return [
    toReading(placeOf(message), timeOf(tst), {
      altitude: unlessInvalid(vac, toAltitude(alt)),
      heading: toHeading(cog),
      speed_kmh: toSpeed(vel),
      accuracy_m: unlessZero(toAccuracy(acc)),
      battery_percent: toPercent(batt),
    }),
  ];
}

/** Android leaves out whatever is exactly 0: a place on the equator or on the prime meridian lacks one of the two. */
function placeOf({ lat, lon }: Json): Place | null {
  if (lat === undefined && lon === undefined) return null;
  return toPlace(lat === undefined ? 0 : lat, lon === undefined ? 0 : lon);
}

/** Unix seconds of the years 1990 and 2010. OwnTracks is younger than that. */
const YEAR_1990 = 631_152_000;
const YEAR_2010 = 1_262_304_000;

/** Seconds from 1970 to 2001, where Apple's clocks begin. */
const APPLE_EPOCH = 978_307_200;

/** Overland counts `tst` from 2001 in its mode for OwnTracks: a fix of 2026 would be stored in 1995. */
function timeOf(tst: unknown) {
  const time = toTime(tst, "seconds");
  const isApples = typeof time === "number" && time >= YEAR_1990 && time < YEAR_2010;
  return isApples ? time + APPLE_EPOCH : time;
}
