import { eq } from "drizzle-orm";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { db } from "../../kernel/db/connection";
import { notFound } from "../../kernel/errors/errors";
import { tripSpans, trips } from "../trips/table";

/**
 * True if a caller who sees some devices sees a trip: it sees the trip's own, and each other one that logged for it. One that is
 * gone is seen by nobody, and its positions are still in the trip.
 */
export function isTripShown(tripId: string, visible: VisibleDevices): boolean {
  if (visible === "all") return true;
  const own = db.select({ device: trips.device_id }).from(trips).where(eq(trips.id, tripId)).all();
  const logged = db
    .select({ device: tripSpans.device_id })
    .from(tripSpans)
    .where(eq(tripSpans.trip_id, tripId))
    .all();
  return own.length > 0 && [...own, ...logged].every(({ device }) => device !== null && visible.has(device));
}

/** Refuses a trip that a caller who sees some devices doesn't see. Throws 404. */
export function requireTrip(tripId: string, visible: VisibleDevices): void {
  if (!isTripShown(tripId, visible)) throw notFound("Trip");
}
