import { isObject, type Json } from "../../kernel/values/json";
import type { Station } from "./schema";

/**
 * Reads the answers of a source of water levels: missing values and values of another type become null. No
 * network.
 */

export interface SourceStation extends Station {
  /** True if the source has a series of levels for it. */
  hasLevel: boolean;
  /** Centimetres in one of the series' units; null if the unit is no length. */
  centimetres: number | null;
}

const textOr = (value: unknown, fallback: string): string => (typeof value === "string" ? value : fallback);

const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const within = (value: unknown, limit: number): number | null => {
  const number = finite(value);
  return number !== null && Math.abs(number) <= limit ? number : null;
};

/** ISO 8601 with an offset: `Date.parse` takes "5" for a time as well, and one without offset for the machine's own. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

const parseTime = (value: unknown): number =>
  typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;

/** A time with its offset, in UTC. */
export function readTime(value: unknown): string | null {
  const time = parseTime(value);
  const text = Number.isNaN(time) ? "" : new Date(time).toISOString();
  // In UTC it may fall into a year that RFC 3339 can't write.
  return /^\d/.test(text) ? text : null;
}

/** A length, perhaps above a datum: `cm`; `m`, `m+NN`, `m. ü. NN`, `mSL`; `mm`. But not `m/s`, `m³/s`, `mg/l`, `mS/cm`. */
const LENGTH = /^(cm|mm|m|CM|MM|M)(?=$|[\s.+_(ü-]|\/?[A-Z]{2}|eter)/;
const CENTIMETRES: Record<string, number> = { cm: 1, m: 100, mm: 0.1 };

export function centimetresPer(unit: unknown): number | null {
  const word = typeof unit === "string" ? LENGTH.exec(unit.trim())?.[1] : undefined;
  return CENTIMETRES[word?.toLowerCase() ?? ""] ?? null;
}

/** True for an identifier that may stand in the path of a request to the source. */
export const isNameable = (stationId: string): boolean => /^[\w-]{1,64}$/.test(stationId);

/** The stations in an answer; null if it is no list of stations. Invalid entries are skipped. */
export function readStations(answer: unknown): SourceStation[] | null {
  if (!Array.isArray(answer)) return null;
  const stations = answer.flatMap((entry) => readStation(entry) ?? []);
  return stations.length === 0 ? null : stations;
}

function readStation(entry: unknown): SourceStation | null {
  if (!isObject(entry) || typeof entry.uuid !== "string" || entry.uuid === "") return null;
  const shortname = textOr(entry.shortname, "");
  const water = isObject(entry.water) ? entry.water : {};
  const waterShortname = textOr(water.shortname, "");
  const [latitude, longitude] = [within(entry.latitude, 90), within(entry.longitude, 180)];
  const hasPlace = latitude !== null && longitude !== null;
  const series = (Array.isArray(entry.timeseries) ? entry.timeseries : []).find(
    (one) => isObject(one) && one.shortname === "W",
  ) as Json | undefined;
  const current = isObject(series?.currentMeasurement) ? series.currentMeasurement : {};
  const centimetres = centimetresPer(series?.unit);
  return {
    station_id: entry.uuid,
    shortname,
    longname: textOr(entry.longname, shortname),
    water_shortname: waterShortname,
    water_longname: textOr(water.longname, waterShortname),
    latitude: hasPlace ? latitude : null,
    longitude: hasPlace ? longitude : null,
    km: finite(entry.km),
    agency: textOr(entry.agency, ""),
    level_cm: inCentimetres(finite(current.value), centimetres),
    trend: readTrend(current.trend),
    measured_at: readTime(current.timestamp),
    state: typeof current.stateMnwMhw === "string" ? current.stateMnwMhw : null,
    hasLevel: series !== undefined,
    centimetres,
  };
}

/** To the tenth of a millimetre: multiplying must not leave 56.00000000000001. */
export const toHundredths = (centimetres: number): number => Math.round(centimetres * 100) / 100;

const inCentimetres = (value: number | null, factor: number | null): number | null =>
  value === null || factor === null ? null : finite(toHundredths(value * factor));

const readTrend = (value: unknown): number | null =>
  value === -1 || value === 0 || value === 1 ? value : null;

/** Time span of a trend, and the least change that counts as one, in milliseconds and centimetres. */
const SPAN = 3_600_000;
const DEADBAND = 1;

/** A level in centimetres, and when it was measured in epoch milliseconds. */
export interface Measured {
  at: number;
  level_cm: number;
}

/** The levels in an answer with a series of measurements, by time; what is no measurement is skipped. */
export function readMeasurements(answer: unknown, centimetres: number): Measured[] {
  if (!Array.isArray(answer)) return [];
  return answer
    .filter(isObject)
    .map(({ timestamp, value }) => ({
      at: parseTime(timestamp),
      level_cm: inCentimetres(finite(value), centimetres),
    }))
    .filter((one): one is Measured => !Number.isNaN(one.at) && one.level_cm !== null)
    .sort((a, b) => a.at - b.at);
}

/**
 * The trend of levels by time: the newest one against the newest one at least an hour older, or the oldest if they don't reach
 * back so far. Null for fewer than two.
 */
export function trendOf(levels: readonly Measured[]): number | null {
  const newest = levels.at(-1);
  if (!newest || levels.length < 2) return null;
  const earlier = levels.findLast(({ at }) => at <= newest.at - SPAN) ?? levels[0];
  const change = toHundredths(newest.level_cm - (earlier?.level_cm ?? newest.level_cm));
  return Math.abs(change) <= DEADBAND ? 0 : Math.sign(change);
}
