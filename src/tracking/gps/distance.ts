import { sqlite, statement } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow, removeCounter } from "../../kernel/db/counters";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { inTransaction } from "../../kernel/db/transactions";
import { distanceKm, type Position } from "../geofences/geometry";

/**
 * Distances of trips, along their recorded positions. Each position adds its part as it comes, so that
 * nothing has to walk over the points: the counters `trip_mm <id>` hold millimetres, and `completed_trip_mm`
 * the sum over the completed trips. Raw SQL: each position of a trip runs these statements.
 */

const ofTrip = (tripId: string): string => `trip_mm ${tripId}`;
const OF_COMPLETED = "completed_trip_mm";

const MM_PER_KM = 1_000_000;

type Fix = Position & { timestamp: number };

const newest = statement(() =>
  sqlite.prepare<Fix, [string]>(
    `SELECT latitude, longitude, timestamp FROM gps_points WHERE trip_id = +?
     ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);
const before = statement(() =>
  sqlite.prepare<Position, [string, number]>(
    `SELECT latitude, longitude FROM gps_points WHERE trip_id = +? AND timestamp <= +?
     ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);
const after = statement(() =>
  sqlite.prepare<Position, [string, number]>(
    `SELECT latitude, longitude FROM gps_points WHERE trip_id = +? AND timestamp > +?
     ORDER BY timestamp, rowid LIMIT 1`,
  ),
);

/** The newest position of each trip under way. */
const lastOf = new TransactionCache<string, Fix | null>(50_000);

const leg = (from: Position | null, to: Position | null): number =>
  from && to ? distanceKm(from, to) * MM_PER_KM : 0;

/**
 * Adds the distance that a new position gives a trip, in the current transaction, before the position is
 * stored. `timestamp` is in epoch milliseconds; a position that comes late goes between those before and
 * after it.
 */
export function lengthenTrip(tripId: string, position: Position, timestamp: number): void {
  const last = lastOf.get(tripId, () => newest().get(tripId));
  const isLate = last !== null && last.timestamp > timestamp;
  const from = isLate ? before().get(tripId, timestamp) : last;
  const to = isLate ? after().get(tripId, timestamp) : null;
  const added = Math.round(leg(from, position) + leg(position, to) - leg(from, to));
  if (added !== 0) adjustCounter(ofTrip(tripId), added);
  if (!isLate) lastOf.set(tripId, { latitude: position.latitude, longitude: position.longitude, timestamp });
}

/**
 * Counts the distance of a trip that was just completed, in the current transaction: no position can join it
 * any more.
 */
export const countCompleted = (tripId: string): void =>
  adjustCounter(OF_COMPLETED, counterNow(ofTrip(tripId)));

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
    "SELECT latitude, longitude FROM gps_points WHERE trip_id = +? ORDER BY timestamp, rowid LIMIT 1",
  ),
);

/** The oldest position of a trip by the receiver's time; null without any. */
export const firstPosition = (tripId: string): Position | null => oldest().get(tripId);

/** The newest position of a trip by the receiver's time; null without any. */
export const lastPosition = (tripId: string): Position | null => newest().get(tripId);

/** Distance of all completed trips, in kilometres. */
export const completedDistanceKm = (): number => counter(OF_COMPLETED) / MM_PER_KM;
