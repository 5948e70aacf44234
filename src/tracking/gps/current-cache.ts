import { now, SECOND } from "../../kernel/clock";
import { systemValue } from "../../operations/system-config/service";
import type { GpsPoint } from "./schema";

/**
 * The newest points, by device and of all, in memory for `gps.current_cache_seconds`. Whoever adds or removes
 * points drops the entries concerned after the commit, so nobody reads a stale position (decisions 4.3).
 */
const entries = new Map<string, { point: GpsPoint | null; readAt: number }>();
const OF_ALL = "";
const MAX_ENTRIES = 10_000;

/** The newest point of a device (of all for null), from memory or by `read`. */
export function cachedCurrent(deviceId: string | null, read: () => GpsPoint | null): GpsPoint | null {
  const key = deviceId ?? OF_ALL;
  const known = entries.get(key);
  // Not a negative age either: the clock may have been set back.
  if (known && Math.abs(now() - known.readAt) < systemValue("gps.current_cache_seconds") * SECOND)
    return known.point;
  const point = read();
  if (entries.size >= MAX_ENTRIES) entries.clear();
  entries.set(key, { point, readAt: now() });
  return point;
}

/** Drops the newest point of a device (if it has one) and that of all. */
export function forgetCurrent(deviceId: string | null): void {
  entries.delete(OF_ALL);
  if (deviceId !== null) entries.delete(deviceId);
}

export function forgetAllCurrent(): void {
  entries.clear();
}
