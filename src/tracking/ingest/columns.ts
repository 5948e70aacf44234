import { getTableColumns } from "drizzle-orm";
import { iso } from "../../kernel/time/clock";
import { gpsPoints } from "../gps/table";
import { isDetached } from "./detach";
import type { Judgement } from "./kinds";
import type { GpsPoint, NewGpsPoint, ToldPoint } from "./schema";

/**
 * Statements follow from the list of columns in table.ts. A new column that `rowOf`, `toGpsPoint` or schema.ts lacks breaks the
 * compilation here.
 */
export type Row = typeof gpsPoints.$inferSelect;

export const NAMES = Object.keys(getTableColumns(gpsPoints)) as (keyof Row)[];

/** The columns for a SELECT or an INSERT, and the parameters of an INSERT for `valuesOf`. */
export const COLUMNS = NAMES.join(", ");
export const PLACEHOLDERS = NAMES.map(() => "?").join(", ");

/** The values of a row in the order of `COLUMNS`. Each fix runs this: a loop would cost several times as much. */
export const valuesOf = (row: Row): Row[keyof Row][] => [
  row.id,
  row.device_id,
  row.trip_id,
  row.latitude,
  row.longitude,
  row.altitude,
  row.heading,
  row.timestamp,
  row.speed_kmh,
  row.speed_mps,
  row.speed_mph,
  row.speed_knots,
  row.pdop,
  row.hdop,
  row.vdop,
  row.created_at,
  row.accuracy_m,
  row.battery_percent,
  row.source,
  row.judgement,
  row.box_id,
];

/** Columns that the server fills. */
type Own =
  | ("id" | "device_id" | "trip_id" | "timestamp")
  | ("created_at" | "source" | "judgement" | "box_id");

/** The columns that a fix brings as they are stored. */
export type Measured = Omit<Row, Own>;

/** A fix that brings measurements; what is missing is not known. */
export type Measures = Pick<Measured, "latitude" | "longitude"> & {
  [K in keyof Measured]?: Measured[K] | undefined;
};

/**
 * A row with the measured columns of a fix, null where the fix has none, and the server's own. Each fix runs this: filling an
 * object in a loop would cost several times as much.
 */
export const rowOf = (own: Pick<Row, Own>, fix: Measures): Row => ({
  id: own.id,
  device_id: own.device_id,
  trip_id: own.trip_id,
  latitude: fix.latitude,
  longitude: fix.longitude,
  altitude: fix.altitude ?? null,
  heading: fix.heading ?? null,
  timestamp: own.timestamp,
  speed_kmh: fix.speed_kmh ?? null,
  speed_mps: fix.speed_mps ?? null,
  speed_mph: fix.speed_mph ?? null,
  speed_knots: fix.speed_knots ?? null,
  pdop: fix.pdop ?? null,
  hdop: fix.hdop ?? null,
  vdop: fix.vdop ?? null,
  created_at: own.created_at,
  accuracy_m: fix.accuracy_m ?? null,
  battery_percent: fix.battery_percent ?? null,
  source: own.source,
  judgement: own.judgement,
  box_id: own.box_id,
});

/** True for a fix that counts: for a track, a distance, a zone or the current position. */
export const counts = (judgement: Judgement | null): boolean => judgement === null || judgement === "cleared";

export function toGpsPoint(row: Row): GpsPoint {
  const { judgement } = row;
  const isMarked = judgement === "speed" || judgement === "hand";
  return {
    id: row.id,
    device_id: row.device_id !== null && isDetached(row.device_id) ? null : row.device_id,
    trip_id: row.trip_id !== null && isDetached(row.trip_id) ? null : row.trip_id,
    latitude: row.latitude,
    longitude: row.longitude,
    altitude: row.altitude,
    heading: row.heading,
    timestamp: iso(row.timestamp),
    speed_kmh: row.speed_kmh,
    speed_mps: row.speed_mps,
    speed_mph: row.speed_mph,
    speed_knots: row.speed_knots,
    pdop: row.pdop,
    hdop: row.hdop,
    vdop: row.vdop,
    created_at: iso(row.created_at),
    accuracy_m: row.accuracy_m,
    battery_percent: row.battery_percent,
    source: row.source,
    is_outlier: isMarked,
    outlier_reason: isMarked ? judgement : null,
    box_id: row.box_id,
  };
}

/**
 * A position without the fields that came after the first version, which `gpsUpdate` doesn't carry. Each fix runs this:
 * taking the rest of an object would cost several times as much.
 */
export const toldPoint = (point: GpsPoint): ToldPoint => ({
  id: point.id,
  device_id: point.device_id,
  trip_id: point.trip_id,
  latitude: point.latitude,
  longitude: point.longitude,
  altitude: point.altitude,
  heading: point.heading,
  timestamp: point.timestamp,
  speed_kmh: point.speed_kmh,
  speed_mps: point.speed_mps,
  speed_mph: point.speed_mph,
  speed_knots: point.speed_knots,
  pdop: point.pdop,
  hdop: point.hdop,
  vdop: point.vdop,
  created_at: point.created_at,
});

/** A position that was stored, with its JSON text, which its broadcast and its answer share. */
export class RecordedPoint {
  #json: string | undefined;

  constructor(readonly point: GpsPoint) {}

  /** `GpsPoint` as JSON. */
  get json(): string {
    this.#json ??= JSON.stringify(this.point);
    return this.#json;
  }

  /** `ToldPoint` as JSON: the fields of the first version, which come first. */
  get toldJson(): string {
    return `${this.json.slice(0, this.json.indexOf(',"accuracy_m":'))}}`;
  }
}

type Nothing<T extends never> = T;
/** Columns that no answer shows. */
export type Unshown = Nothing<Exclude<keyof Row, keyof GpsPoint | "judgement">>;
/** Measured columns that POST /v1/gps doesn't take. */
export type Untaken = Nothing<Exclude<keyof Measured, keyof NewGpsPoint>>;
