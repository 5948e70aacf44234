import { isObject } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import {
  firstOf,
  MALFORMED,
  toAccuracy,
  toAltitude,
  toHeading,
  toPercent,
  toPlace,
  toReading,
  toSpeed,
  toTime,
  unlessZero,
  within,
} from "./values";

/** Longer names of parameters mean nothing here. */
const MAX_NAME = 20;

/**
 * GPSLogger's custom URL: the parameters of its query or form, or a JSON object with the same names, in any case. Known
 * are the names of our template and those of the app's own `%ALL`. A missing number is 0.0, a missing dilution empty.
 * Nothing is left of a message without parameters.
 */
export function readGpsLogger(message: unknown): Reading[] {
  const isParams = message instanceof URLSearchParams;
  if (!isParams && !isObject(message)) return [MALFORMED];
  const values = new Map<string, unknown>();
  for (const [name, value] of isParams ? message : Object.entries(message))
    if (name.length <= MAX_NAME) values.set(name.toLowerCase(), value);
  if (values.size === 0) return [];
  const get = (...names: string[]) => firstOf(...names.map((name) => values.get(name)));
  const time = unescaped(get("timestamp", "time"));
  return [
    toReading(toPlace(get("lat"), get("lon")), toTime(time, "seconds or milliseconds"), {
      altitude: unlessZero(toAltitude(get("altitude", "alt"))),
      heading: unlessZero(toHeading(get("heading", "dir"))),
      ...speedOf(get),
      pdop: dilution(get("pdop")),
      hdop: dilution(get("hdop")),
      vdop: dilution(get("vdop")),
      accuracy_m: unlessZero(toAccuracy(get("accuracy", "acc"))),
      battery_percent: unlessZero(toPercent(get("battery", "batt"))),
    }),
  ];
}

/** The app encodes `%TIME` as for a URL in a body of JSON too. */
const unescaped = (time: unknown): unknown =>
  typeof time === "string" ? time.replaceAll(/%3a/gi, ":").replaceAll(/%2b/gi, "+") : time;

/** A speed of 0 is kept: a receiver at rest tells it far more often than one without a speed. */
function speedOf(get: (...names: string[]) => unknown) {
  const metres = toSpeed(get("speed_mps", "spd"));
  return metres === null ? { speed_kmh: toSpeed(get("speed_kmh", "spd_kph")) } : { speed_mps: metres };
}

/** As receivers write it in NMEA 0183: 0, 99 and 99.99 stand for unknown. */
const dilution = (value: unknown): number | null => within(value, 0.01, 89.99);
