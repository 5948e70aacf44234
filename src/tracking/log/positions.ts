import { and, asc, eq, gt, isNotNull, isNull } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { MINUTE, now } from "../../kernel/time/clock";
import { newestPositionOfTrip } from "../gps/service";
import { tripDistanceKm } from "../ingest/distance";
import { tripSpans, trips } from "../trips/table";
import { append, lastAutomatic } from "./stored";

/**
 * The positions that logs get by themselves. The time since a device began to log for a trip is cut into slots of the
 * trip's interval, and each but the first gets one entry at most. Whether a slot has one is read from the log itself: a
 * restart makes no second one, an outage leaves no backlog, and a clock that was set merely begins another slot.
 */

interface Logging {
  id: string;
  /** Milliseconds. */
  interval: number;
  /** Epoch milliseconds at which the device began to log. */
  since: number;
}

const slotAt = ({ since, interval }: Logging, time: number): number => Math.floor((time - since) / interval);

/** Trips that are looked at between two turns of the event loop. */
const PART = 50;

/** The trips that log and want positions, in parts. */
function* loggingTrips(): Generator<Logging[]> {
  for (let after = ""; ; ) {
    const part = db
      .select({ id: trips.id, minutes: trips.log_interval_minutes, since: tripSpans.from_time })
      .from(trips)
      .innerJoin(tripSpans, and(eq(tripSpans.trip_id, trips.id), isNull(tripSpans.until_time)))
      .where(and(isLogging, gt(trips.id, after)))
      .orderBy(asc(trips.id))
      .limit(PART)
      .all();
    yield part.map(({ id, minutes, since }) => ({ id, interval: minutes * MINUTE, since }));
    const last = part.at(-1);
    if (!last) return;
    after = last.id;
  }
}

const isLogging = and(
  // A box writes the logs of its trips itself.
  isNull(trips.box_id),
  eq(trips.status, "active"),
  eq(trips.gps_logging_enabled, true),
  isNotNull(trips.device_id),
  gt(trips.log_interval_minutes, 0),
);

/** The time from which on the trips are looked at again, and that of the last look. */
let next = 0;
let looked = 0;

/**
 * Writes the positions that are due. Called each second; it looks when a slot begins and once a minute, for trips that log
 * since then and for fixes that a slot still waits for.
 */
export async function logPositions(): Promise<void> {
  const time = now();
  if (time >= looked && time < next) return;
  looked = time;
  next = time + MINUTE;
  for (const part of loggingTrips()) {
    for (const trip of part) {
      next = Math.min(next, trip.since + (slotAt(trip, time) + 1) * trip.interval);
      if (isDue(trip)) await transact(() => logPosition(trip));
    }
    await new Promise((resume) => setImmediate(resume));
  }
}

function isDue(trip: Logging): boolean {
  const slot = slotAt(trip, now());
  if (slot === 0) return false;
  const last = lastAutomatic(trip.id);
  if (last && slotAt(trip, last.recorded_at) === slot) return false;
  const fix = newestPositionOfTrip(trip.id);
  return fix !== null && (!last || Date.parse(fix.timestamp) > last.occurred_at);
}

/** Writes the position of a trip, in the current transaction, if it still logs and nobody else has written it. */
function logPosition(trip: Logging): void {
  const still = db
    .select({ id: trips.id })
    .from(trips)
    .where(and(isLogging, eq(trips.id, trip.id)))
    .get();
  const fix = newestPositionOfTrip(trip.id);
  if (!still || !fix || !isDue(trip)) return;
  const { latitude, longitude, heading, speed_knots, speed_kmh } = fix;
  const total = metres(tripDistanceKm(trip.id));
  append({
    trip_id: trip.id,
    kind: "position",
    occurred_at: Date.parse(fix.timestamp),
    text: null,
    data: {
      ...{ latitude, longitude, heading, speed_knots, speed_kmh },
      // Positions that are marked as outliers make the way shorter.
      distance_km: Math.max(0, metres(total - loggedTotal(trip.id))),
      total_distance_km: total,
    },
  });
}

/** Kilometres to the metre. */
const metres = (km: number): number => Math.round(km * 1_000) / 1_000;

/** The length of the way at the last position that was written, in kilometres. */
function loggedTotal(tripId: string): number {
  const data = lastAutomatic(tripId)?.data;
  return data ? Number(JSON.parse(data).total_distance_km) : 0;
}
