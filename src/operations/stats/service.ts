import { count, isNull } from "drizzle-orm";
import { users } from "../../identity/users/table";
import { db } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import { completedDistanceKm } from "../../tracking/ingest/distance";
import { countTrips } from "../../tracking/trips/lists";
import type { PublicStats } from "./schema";

/** Lifetime of the cached figures (rule O5). */
const LIFETIME = MINUTE;

let kept: { stats: PublicStats; readAt: number } | null = null;

/** The installation in figures, at most a minute old. */
export function publicStats(): PublicStats {
  const age = kept === null ? LIFETIME : now() - kept.readAt;
  // After the clock was set back the age is negative: read anew.
  if (kept === null || age >= LIFETIME || age < 0) kept = { stats: readStats(), readAt: now() };
  return kept.stats;
}

function readStats(): PublicStats {
  const trips = countTrips();
  return {
    users_total: db.select({ n: count() }).from(users).where(isNull(users.deleted_at)).get()?.n ?? 0,
    devices_total: counter("devices"),
    trips_total: trips.total,
    trips_active: trips.active,
    trips_completed: trips.completed,
    gps_points_total: counter("gps_points"),
    distance_km_total: Math.round(completedDistanceKm() * 1_000) / 1_000,
    locations_total: counter("locations"),
    geofences_total: counter("geofences"),
    generated_at: iso(now()),
  };
}
