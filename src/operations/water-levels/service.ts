import { config } from "../../configuration/config";
import { AppError, notFound } from "../../kernel/errors/errors";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { systemValue } from "../../runtime-settings/service";
import { currentPosition, newestPosition } from "../../tracking/gps/service";
import { measure } from "./measurements";
import type { NearbyLevel, NearestStation, Station } from "./schema";
import { allStations } from "./source";
import { type SourceStation, trendOf } from "./stations";

/** An answer, marked stale if the source could not be asked for a newer one. */
export interface Answer<T> {
  body: T;
  isStale: boolean;
}

/** The stations, of one water body when it is given, as the source orders them. Throws 503. */
export async function listStations(water: string | undefined): Promise<Answer<Station[]>> {
  const { stations, isStale } = await allStations();
  const found = on(water, stations);
  return { body: (await withTrends(found)).map(toStation), isStale };
}

const on = (water: string | undefined, stations: SourceStation[]): SourceStation[] =>
  water === undefined
    ? stations
    : stations.filter(({ water_shortname }) => water_shortname.toLowerCase() === water.toLowerCase());

/**
 * The nearest station with a level, by great circle from the newest position of all (rule O3). Throws 404
 * without a position, or without a station within `radius` kilometres, and 503.
 */
export async function nearestStation(
  water: string | undefined,
  radius = systemValue("pegel.default_radius_km"),
): Promise<Answer<NearestStation>> {
  const { stations, isStale } = await allStations();
  const body = await nearestTo(currentPosition(null), on(water, stations), radius);
  if (!body) throw notFound("Water-level station in this radius");
  return { body, isStale };
}

/** The station with a level that is nearest to a position; null without one within `radius` kilometres. */
async function nearestTo(
  here: Position,
  stations: SourceStation[],
  radius: number,
): Promise<NearestStation | null> {
  let nearest: { station: SourceStation; distance: number } | null = null;
  for (const station of stations) {
    const { latitude, longitude, hasLevel } = station;
    if (latitude === null || longitude === null || !hasLevel) continue;
    const distance = distanceKm(here, { latitude, longitude });
    if (distance <= radius && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { station, distance };
  }
  if (!nearest) return null;
  const [station] = await withTrends([nearest.station]);
  const distance_km = Math.round(nearest.distance * 1_000) / 1_000;
  return { ...toStation(station ?? nearest.station), distance_km };
}

/** The nearest station like `nearestStation`, or why there is none. */
export async function nearbyLevel(
  water: string | undefined,
  radius = systemValue("pegel.default_radius_km"),
): Promise<NearbyLevel> {
  const without = (reason: NearbyLevel["reason"], is_stale = false) => ({ station: null, reason, is_stale });
  if (!config["pegel.enabled"]) return without("off");
  const here = newestPosition();
  if (!here) return without("no_position");
  try {
    const { stations, isStale } = await allStations();
    const station = await nearestTo(here, on(water, stations), radius);
    return station ? { station, reason: null, is_stale: isStale } : without("none_near", isStale);
  } catch (error) {
    if (error instanceof AppError && error.name === "ServiceUnavailable") return without("unreachable");
    throw error;
  }
}

const toStation = ({ hasLevel: _, centimetres: __, ...station }: SourceStation): Station => station;

// --- Trends -------------------------------------------------------------------------------------------------

/** Derived trends, by station and the time of its newest value. */
const derived = new BoundedMap<string, { trend: number | null; readAt: number }>(2_000);

/**
 * A longer list gets only the trends that are known: a request for each of hundreds of stations would be
 * rude.
 */
const MAX_ASKED = 25;
const AT_ONCE = 5;

/** Longest wait for trends in an answer. */
const LONGEST_WAIT = 6 * SECOND;

const lacksTrend = ({ trend, centimetres, measured_at, level_cm }: SourceStation): boolean =>
  trend === null && centimetres !== null && measured_at !== null && level_cm !== null;

/** Adds trends that the source lacks, derived from the last day's measurements (rule O4). */
async function withTrends(stations: SourceStation[]): Promise<SourceStation[]> {
  const lacking = stations.filter(lacksTrend);
  const unknown = lacking.length <= MAX_ASKED ? lacking.filter((station) => !isKnown(station)) : [];
  if (unknown.length > 0) await Promise.race([deriveAll(unknown), Bun.sleep(LONGEST_WAIT)]);
  return stations.map((station) =>
    lacksTrend(station) ? { ...station, trend: derived.get(keyOf(station))?.trend ?? null } : station,
  );
}

const keyOf = ({ station_id, measured_at }: SourceStation): string => `${station_id} ${measured_at}`;

async function deriveAll(stations: SourceStation[]): Promise<void> {
  const waiting = [...stations];
  const worker = async () => {
    for (let station = waiting.shift(); station; station = waiting.shift())
      if (!isKnown(station)) await derive(station);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A trend that couldn't be derived is tried again with the next answer of the source. */
function isKnown(station: SourceStation): boolean {
  const known = derived.get(keyOf(station));
  if (!known) return false;
  return known.trend !== null || Math.abs(now() - known.readAt) < config["pegel.cache_seconds"] * SECOND;
}

/** Trends that are being derived, by the same keys: concurrent requests share the result. */
const pending = new Map<string, Promise<void>>();

function derive(station: SourceStation): Promise<void> {
  const key = keyOf(station);
  const deriving = pending.get(key) ?? askForTrend(station).finally(() => pending.delete(key));
  pending.set(key, deriving);
  return deriving;
}

async function askForTrend(station: SourceStation): Promise<void> {
  const levels = await measure(station, 1);
  const trend = levels === null ? null : trendOf(levels);
  derived.renew(keyOf(station), { trend, readAt: now() });
}
