import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { now, SECOND } from "../../kernel/time/clock";

/**
 * The state of devices that their next fix needs, in memory from one fix to the next. Raw SQL: each fix runs these.
 */
export interface Journey {
  /** The device. */
  id: string;
  /** The trip that is active and logs now. */
  activeTrip: string | null;
  /** Time of the newest position, marked or not, in epoch milliseconds. */
  newest: number | null;
  /** The box whose own the device is: its fixes come from there alone. Null for one of this server. */
  box_id: string | null;
  /** Fixes that imply a higher speed are judged; null for no check. */
  maxSpeedKmh: number | null;
}

const journey = statement(() =>
  sqlite.prepare<Journey, [string]>(
    `SELECT d.id, d.box_id, d.max_speed_kmh AS maxSpeedKmh,
       (SELECT id FROM trips WHERE device_id = d.id AND status = 'active' AND gps_logging_enabled = 1 AND box_id IS NULL) AS activeTrip,
       (SELECT timestamp FROM gps_points WHERE device_id = d.id ORDER BY timestamp DESC LIMIT 1) AS newest
     FROM devices d WHERE d.id = ?`,
  ),
);
const journeys = new TransactionCache<string, Journey | null>(50_000);

/** The state of a device in a retryable use case; null for one that was deleted. */
export const journeyOf = (deviceId: string): Journey | null =>
  journeys.get(deviceId, () => journey().get(deviceId));

/** True if there is such a device. */
export const isDevice = (deviceId: string): boolean => journey().get(deviceId) !== null;

/** Notes a position that was stored. */
export function noteNewest(journey: Journey, timestamp: number): void {
  if (journey.newest === null || journey.newest < timestamp)
    journeys.set(journey.id, { ...journey, newest: timestamp });
}

/** A stretch of time in which a device logged for a trip, in epoch milliseconds. */
interface Span {
  tripId: string;
  from: number;
  /** Null while it goes on. */
  until: number | null;
  isCompleted: 0 | 1;
}

/** The trip that a fix belongs to. */
export interface JoinedTrip {
  id: string;
  isCompleted: boolean;
}

const spanBefore = statement(() =>
  sqlite.prepare<Span, [string, number]>(
    `SELECT s.trip_id AS tripId, s.from_time AS "from", s.until_time AS until, t.status = 'completed' AS isCompleted
     FROM trip_spans s JOIN trips t ON t.id = s.trip_id
     WHERE s.device_id = +?1 AND s.from_time < ?2 ORDER BY s.from_time DESC, s.rowid DESC LIMIT 1`,
  ),
);
const lastSpans = new TransactionCache<string, Span | null>(50_000);

/**
 * The trip for which a device logged at a time, in whole seconds of epoch milliseconds: a fix from the second in which the
 * trip began belongs to it already.
 */
export function tripAt(deviceId: string, time: number): JoinedTrip | null {
  const holds = (span: Span | null, until = time + 1) =>
    span !== null && span.from < time + SECOND && (span.until === null || span.until >= until);
  let span = lastSpans.get(deviceId, () => spanBefore().get(deviceId, time + SECOND));
  // Another span may begin in the second in which this one ends.
  if (!holds(span, time + SECOND)) {
    span = spanBefore().get(deviceId, time + SECOND);
    lastSpans.set(deviceId, span);
  }
  return span !== null && holds(span) ? { id: span.tripId, isCompleted: span.isCompleted === 1 } : null;
}

const endOpen = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "UPDATE trip_spans SET until_time = max(?2, from_time) WHERE device_id = ?1 AND until_time IS NULL",
  ),
);

/** Ends, in the current transaction, what a device that is about to be deleted logs. Its spans stay, without it. */
export function endSpansOf(deviceId: string): void {
  endOpen().run(deviceId, now());
}
