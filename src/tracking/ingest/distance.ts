import { sqlite, statement } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow, removeCounter } from "../../kernel/db/counters";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { inTransaction } from "../../kernel/db/transactions";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { COUNTS } from "../gps/table";
import type { JoinedTrip } from "./journeys";

/**
 * Distances of trips, along their recorded positions. Each position adds its part as it comes, so that
 * nothing has to walk over the points: the counters `trip_mm <id>` hold millimetres, and `completed_trip_mm`
 * the sum over the completed trips. Each leg is rounded by itself, so that the sum is the same in whatever order the
 * positions came. Raw SQL: each position of a trip runs these statements.
 */

const ofTrip = (tripId: string): string => `trip_mm ${tripId}`;
const OF_COMPLETED = "completed_trip_mm";

const MM_PER_KM = 1_000_000;

/** Beyond the number of any row: a position that isn't stored yet comes after all others of its second. */
const LAST_ROW = Number.MAX_SAFE_INTEGER;

type Fix = Position & {
  /** Epoch milliseconds. */
  timestamp: number;
};

const newest = statement(() =>
  sqlite.prepare<Fix, [string]>(
    `SELECT latitude, longitude, timestamp FROM gps_points WHERE trip_id = +? AND ${COUNTS}
     ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);
const before = statement(() =>
  sqlite.prepare<Position, [string, number, number]>(
    `SELECT latitude, longitude FROM gps_points
     WHERE trip_id = +?1 AND timestamp <= ?2 AND (timestamp < ?2 OR rowid < ?3) AND ${COUNTS}
     ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);
const after = statement(() =>
  sqlite.prepare<Position, [string, number, number]>(
    `SELECT latitude, longitude FROM gps_points
     WHERE trip_id = +?1 AND timestamp >= ?2 AND (timestamp > ?2 OR rowid > ?3) AND ${COUNTS}
     ORDER BY timestamp, rowid LIMIT 1`,
  ),
);

/** The newest position of each trip under way. */
const lastOf = new TransactionCache<string, Fix | null>(50_000);

const leg = (from: Position | null, to: Position | null): number =>
  from && to ? Math.round(distanceKm(from, to) * MM_PER_KM) : 0;

function adjust(trip: JoinedTrip, millimetres: number): void {
  if (millimetres === 0) return;
  adjustCounter(ofTrip(trip.id), millimetres);
  if (trip.isCompleted) adjustCounter(OF_COMPLETED, millimetres);
}

/**
 * Adds the distance that a new position gives a trip, in the current transaction, before the position is
 * stored. One that comes late goes between those before and after it.
 */
export function lengthenTrip(trip: JoinedTrip, fix: Fix): void {
  const last = lastOf.get(trip.id, () => newest().get(trip.id));
  if (last !== null && last.timestamp > fix.timestamp) {
    adjust(trip, detour(trip.id, fix, LAST_ROW));
    return;
  }
  adjust(trip, leg(last, fix));
  lastOf.set(trip.id, { latitude: fix.latitude, longitude: fix.longitude, timestamp: fix.timestamp });
}

/** Millimetres that the way by a position is longer than the one past it. */
function detour(tripId: string, fix: Fix, row: number): number {
  const from = before().get(tripId, fix.timestamp, row);
  const to = after().get(tripId, fix.timestamp, row);
  return leg(from, fix) + leg(fix, to) - leg(from, to);
}

/**
 * Adds the distance by a stored position that counts from now on, or with -1 takes it out, in the current transaction.
 * The position must not count in the database at this moment.
 */
export function redraw(trip: JoinedTrip, fix: Fix & { row: number }, by: 1 | -1): void {
  adjust(trip, by * detour(trip.id, fix, fix.row));
}

/** Reads anew which position is a trip's newest, after judgements were changed. */
export const refreshLast = (tripId: string): void => lastOf.set(tripId, newest().get(tripId));

/**
 * Counts the distance of a trip that was just completed, in the current transaction. A position that joins it later adds to
 * both sums.
 */
export const countCompleted = (tripId: string): void =>
  adjustCounter(OF_COMPLETED, counterNow(ofTrip(tripId)));

/** Takes the distance of a trip that is under way again out of the sum, in the current transaction. */
export const uncountCompleted = (tripId: string): void =>
  adjustCounter(OF_COMPLETED, -counterNow(ofTrip(tripId)));

/** Forgets the distance of a trip that is deleted, in the current transaction. */
export function forgetDistance(tripId: string, wasCompleted: boolean): void {
  if (wasCompleted) adjustCounter(OF_COMPLETED, -counterNow(ofTrip(tripId)));
  removeCounter(ofTrip(tripId));
}

/** Distance of a trip so far along its positions, in kilometres; 0 without any. */
export const tripDistanceKm = (tripId: string): number =>
  (inTransaction() ? counterNow(ofTrip(tripId)) : counter(ofTrip(tripId))) / MM_PER_KM;

const oldest = statement(() =>
  sqlite.prepare<Position, [string]>(
    `SELECT latitude, longitude FROM gps_points WHERE trip_id = +? AND ${COUNTS} ORDER BY timestamp, rowid LIMIT 1`,
  ),
);

/** The oldest position of a trip by the receiver's time; null without any. */
export const firstPosition = (tripId: string): Position | null => oldest().get(tripId);

/** The newest position of a trip by the receiver's time; null without any. */
export const lastPosition = (tripId: string): Position | null => newest().get(tripId);

/** Distance of all completed trips, in kilometres. */
export const completedDistanceKm = (): number => counter(OF_COMPLETED) / MM_PER_KM;
