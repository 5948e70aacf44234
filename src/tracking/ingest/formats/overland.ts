import { isObject, type Json } from "../../../kernel/values/json";
import type { Reading } from "../fix";
import {
  MALFORMED,
  percentOfShare,
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
 * Overland writes −1 for what is unknown, and the battery from 0 to 1. `dawarich` is the same batch as GPSLogger sends
 * it to a Dawarich server: 0.0 for what is unknown, and the battery in percent.
 */
export type OverlandDialect = "overland" | "dawarich";

/**
 * The fixes of a batch, `current` behind them: it is the newest one of a longer buffer and comes again in a later
 * batch. Events of the app and summaries of trips are left out.
 */
export function readOverland(body: unknown, dialect: OverlandDialect): Reading[] {
  if (!isObject(body)) return [MALFORMED];
  const { locations, current } = body;
  const hasCurrent = current !== undefined && current !== null;
  if (!Array.isArray(locations) && !(locations === undefined && hasCurrent)) return [MALFORMED];
  const readings: Reading[] = [];
  for (const element of [...(locations ?? []), ...(hasCurrent ? [current] : [])]) {
    const reading = readFeature(element, dialect);
    if (reading !== null) readings.push(reading);
  }
  return readings;
}

/** Null for what isn't meant to be a fix. */
function readFeature(feature: unknown, dialect: OverlandDialect): Reading | null {
  if (!isObject(feature)) return MALFORMED;
  const { geometry } = feature;
  const properties = isObject(feature.properties) ? feature.properties : {};
  if (geometry === undefined || geometry === null) return null;
  if (isSet(properties.action) || isSet(properties.type)) return null;
  if (!isObject(geometry) || !Array.isArray(geometry.coordinates)) return MALFORMED;
  const [longitude, latitude] = geometry.coordinates;
  return toReading(toPlace(latitude, longitude), toTime(properties.timestamp, "seconds or milliseconds"), {
    ...(dialect === "dawarich" ? dawarichs(properties) : overlands(properties)),
    accuracy_m: unlessZero(toAccuracy(properties.horizontal_accuracy)),
  });
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const overlands = (properties: Json) => ({
  altitude: unlessInvalid(properties.vertical_accuracy, toAltitude(properties.altitude)),
  heading: unlessInvalid(properties.course_accuracy, toHeading(properties.course)),
  speed_mps: unlessInvalid(properties.speed_accuracy, toSpeed(properties.speed)),
  battery_percent: percentOfShare(properties.battery_level),
});

/** A speed of 0 is kept: a receiver at rest tells it far more often than one without a speed. */
const dawarichs = (properties: Json) => ({
  altitude: unlessZero(unlessInvalid(properties.vertical_accuracy, toAltitude(properties.altitude))),
  heading: unlessZero(toHeading(properties.course)),
  speed_mps: toSpeed(properties.speed),
  battery_percent: unlessZero(toPercent(properties.battery_level)),
});
