import { profile } from "../../configuration/profile";
import { afterOthersWrote } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { systemValue } from "../../runtime-settings/service";
import type { GpsPoint } from "../ingest/schema";

/**
 * The newest points, by device and of all, in memory for `gps.current_cache_seconds`. Adding a point must
 * renew its entries after the commit, and removing one must drop them, so that nobody reads a stale position
 * (rule T5).
 */
const entries = new BoundedMap<string, { point: GpsPoint | null; readAt: number }>(
  () => 50_000 * profile.remembered,
);
const OF_ALL = "";

/** The newest point of a device (of all for null), from memory or by `read`. */
export function cachedCurrent(deviceId: string | null, read: () => GpsPoint | null): GpsPoint | null {
  const key = deviceId ?? OF_ALL;
  const known = entries.get(key);
  // No negative age either: the clock may have been set back.
  if (known && Math.abs(now() - known.readAt) < systemValue("gps.current_cache_seconds") * SECOND)
    return known.point;
  const point = read();
  entries.set(key, { point, readAt: now() });
  return point;
}

/** Notes a point that was just stored: it is the newest one unless a newer one is known. */
export function renewCurrent(point: GpsPoint): void {
  renew(OF_ALL, point);
  if (point.device_id !== null) renew(point.device_id, point);
}

function renew(key: string, point: GpsPoint): void {
  const known = entries.get(key);
  // Of equal times the point that was stored last counts. ISO 8601 in UTC sorts as text.
  if (!known || (known.point && known.point.timestamp > point.timestamp)) return;
  entries.set(key, { point, readAt: now() });
}

/** Drops the newest point of a device (if it has one) and that of all. */
export function forgetCurrent(deviceId: string | null): void {
  entries.delete(OF_ALL);
  if (deviceId !== null) entries.delete(deviceId);
}

export function forgetAllCurrent(): void {
  entries.clear();
}

// `fairlead import` stores positions beside the server.
afterOthersWrote(forgetAllCurrent);
