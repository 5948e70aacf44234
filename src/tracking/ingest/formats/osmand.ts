import { isObject, type Json } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import {
  firstOf,
  MALFORMED,
  NO_FIX,
  percentOfShare,
  toAccuracy,
  toAltitude,
  toDilution,
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
 * Two clients write the same parameters with other meanings. `traccar_client` is the protocol as Traccar's server
 * reads it: `speed` in knots. `osmand` is the app of that name: `speed` in m/s, the accuracy in metres as `hdop`, and
 * 0.0 for an unknown altitude or bearing.
 */
export type OsmAndDialect = "traccar_client" | "osmand";

/**
 * The parameters of a query or a form. A message without a place is no fix that failed but a heartbeat, or the token of
 * the app's push service: nothing is left of it.
 */
export function readOsmAnd(params: URLSearchParams, dialect: OsmAndDialect): Reading[] {
  // The last of equal names counts, as in Traccar: a client appends its own to those of the address.
  const get = (name: string) => params.getAll(name).at(-1);
  const [latitude, longitude] = get("location")?.split(",", 2) ?? [get("lat"), get("lon")];
  if (latitude === undefined && longitude === undefined) return [];
  const valid = firstOf(get("valid"));
  if (valid !== undefined && !/^(true|1)$/i.test(String(valid))) return [NO_FIX];
  return [
    toReading(toPlace(latitude, longitude), toTime(get("timestamp"), "seconds or milliseconds"), {
      ...(dialect === "osmand" ? osmAndsOwn(get) : traccars(get)),
      pdop: toDilution(get("pdop")),
      vdop: toDilution(get("vdop")),
      battery_percent: toPercent(firstOf(get("batt"), get("battery"))),
    }),
  ];
}

type Get = (name: string) => string | undefined;

/** A speed, altitude or bearing of 0 may be unknown or true: it is kept, for nothing tells them apart. */
const traccars = (get: Get) => ({
  altitude: toAltitude(get("altitude")),
  heading: toHeading(firstOf(get("bearing"), get("heading"))),
  speed_knots: toSpeed(get("speed")),
  hdop: toDilution(get("hdop")),
  accuracy_m: unlessZero(toAccuracy(get("accuracy"))),
});

/** Its altitudes and bearings have decimals, so that 0 is practically never true; a speed of 0 is one at rest. */
const osmAndsOwn = (get: Get) => ({
  altitude: unlessZero(toAltitude(get("altitude"))),
  heading: unlessZero(toHeading(firstOf(get("bearing"), get("heading")))),
  speed_mps: toSpeed(get("speed")),
  accuracy_m: unlessZero(toAccuracy(firstOf(get("accuracy"), get("hdop")))),
});

/** The JSON body of Traccar Client 9: m/s, a battery from 0 to 1, and −1 for what is unknown. */
export function readTraccarJson(body: unknown): Reading[] {
  if (!isObject(body)) return [MALFORMED];
  const { location, notificationToken } = body;
  if (location === undefined && notificationToken !== undefined) return [];
  if (!isObject(location)) return [MALFORMED];
  // A heartbeat has no coordinates.
  if (location.coords === undefined || location.coords === null) return [];
  return isObject(location.coords) ? [readLocation(location, location.coords)] : [MALFORMED];
}

const readLocation = ({ timestamp, battery }: Json, coords: Json): Reading =>
  toReading(toPlace(coords.latitude, coords.longitude), toTime(timestamp, "seconds or milliseconds"), {
    altitude: unlessInvalid(coords.altitude_accuracy, toAltitude(coords.altitude)),
    heading: unlessInvalid(coords.heading_accuracy, toHeading(coords.heading)),
    speed_mps: unlessInvalid(coords.speed_accuracy, toSpeed(coords.speed)),
    accuracy_m: unlessZero(toAccuracy(coords.accuracy)),
    battery_percent: isObject(battery) ? percentOfShare(battery.level) : null,
  });
