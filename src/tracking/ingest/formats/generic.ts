import { isObject, type Json } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import {
  firstOf,
  MALFORMED,
  NO_FIX,
  type Place,
  toAccuracy,
  toAltitude,
  toDilution,
  toHeading,
  toPercent,
  toPlace,
  toReading,
  toSpeed,
  toTime,
} from "./values";

/**
 * Our own format: an object with `latitude`, `longitude` and `timestamp`, a Point of GeoJSON (RFC 7946) with
 * `timestamp` among its properties, an array of either, or a FeatureCollection. A bare number is a time in seconds.
 */
export function readGeneric(body: unknown): Reading[] {
  if (Array.isArray(body)) return body.map(readElement);
  if (!isObject(body) || body.type !== "FeatureCollection") return [readElement(body)];
  return Array.isArray(body.features) ? body.features.map(readElement) : [MALFORMED];
}

function readElement(element: unknown): Reading {
  if (!isObject(element)) return MALFORMED;
  if (element.type === "Feature") return readFeature(element);
  return readFields(toPlace(element.latitude, element.longitude), element);
}

function readFeature({ geometry, properties, timestamp }: Json): Reading {
  const fields = isObject(properties) ? properties : {};
  if (geometry === undefined || geometry === null) return NO_FIX;
  if (!isObject(geometry) || geometry.type !== "Point" || !Array.isArray(geometry.coordinates))
    return MALFORMED;
  const [longitude, latitude, altitude] = geometry.coordinates;
  return readFields(toPlace(latitude, longitude), {
    ...fields,
    altitude: firstOf(fields.altitude, altitude),
    timestamp: firstOf(fields.timestamp, timestamp),
  });
}

const readFields = (place: Place | null, fields: Json): Reading =>
  toReading(place, toTime(fields.timestamp, "seconds"), {
    altitude: toAltitude(fields.altitude),
    heading: toHeading(fields.heading),
    speed_kmh: toSpeed(fields.speed_kmh),
    speed_mps: toSpeed(fields.speed_mps),
    speed_mph: toSpeed(fields.speed_mph),
    speed_knots: toSpeed(fields.speed_knots),
    pdop: toDilution(fields.pdop),
    hdop: toDilution(fields.hdop),
    vdop: toDilution(fields.vdop),
    accuracy_m: toAccuracy(fields.accuracy_m),
    battery_percent: toPercent(fields.battery_percent),
  });
