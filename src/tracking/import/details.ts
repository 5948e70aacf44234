import type { Fix } from "../ingest/fix";
import { toAccuracy, toAltitude, toDilution, toHeading, toPercent, toSpeed } from "../ingest/formats/values";

/** The measurements of a fix beside its place and time. */
export type Details = Omit<Fix, "latitude" | "longitude" | "time">;

/** Reads a measurement as it is written; null for one that is missing, unreadable or impossible. */
export const readDetail: { [K in keyof Required<Details>]: (written: string | null) => number | null } = {
  altitude: toAltitude,
  heading: toHeading,
  speed_mps: toSpeed,
  speed_kmh: toSpeed,
  speed_mph: toSpeed,
  speed_knots: toSpeed,
  pdop: toDilution,
  hdop: toDilution,
  vdop: toDilution,
  accuracy_m: toAccuracy,
  battery_percent: toPercent,
};
export const DETAILS = Object.keys(readDetail) as (keyof Details)[];
