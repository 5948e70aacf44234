import { isObject, type Json } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import {
  MALFORMED,
  NO_FIX,
  toAccuracy,
  toAltitude,
  toDilution,
  toHeading,
  toPercent,
  toPlace,
  toReading,
  toSpeed,
  toTime,
  unlessZero,
} from "./values";

/** A position that a Traccar server forwards. `uniqueId` names the device there, null if the message doesn't. */
export interface ForwardedPosition {
  uniqueId: string | null;
  reading: Reading;
}

/** One message of Traccar's position forwarding as JSON: `position` and `device`. */
export function readTraccarForward(body: unknown): ForwardedPosition {
  if (!isObject(body)) return { uniqueId: null, reading: MALFORMED };
  const { position, device } = body;
  return {
    uniqueId: isObject(device) ? nameOf(device.uniqueId) : null,
    reading: isObject(position) ? readPosition(position) : MALFORMED,
  };
}

const nameOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/**
 * A message without a fix repeats place and time of the last one, unmarked: its `fixTime` makes it a duplicate, which
 * the newer `deviceTime` would not.
 */
function readPosition(position: Json): Reading {
  if (position.valid !== undefined && position.valid !== true) return NO_FIX;
  const attributes = isObject(position.attributes) ? position.attributes : {};
  const place = toPlace(position.latitude, position.longitude);
  return toReading(place, toTime(position.fixTime, "seconds or milliseconds"), {
    altitude: toAltitude(position.altitude),
    heading: toHeading(position.course),
    speed_knots: toSpeed(position.speed),
    pdop: toDilution(attributes.pdop),
    hdop: toDilution(attributes.hdop),
    vdop: toDilution(attributes.vdop),
    accuracy_m: unlessZero(toAccuracy(position.accuracy)),
    battery_percent: toPercent(attributes.batteryLevel),
  });
}
