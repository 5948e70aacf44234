import { sqlite, statement } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import { COUNTS } from "../../tracking/gps/table";

/** The times at which positions of devices last arrived, by this server's clock. */

const newest = statement(() =>
  sqlite.prepare<{ created_at: number }, [string]>(
    `SELECT created_at FROM gps_points WHERE device_id = ? AND ${COUNTS} ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);

const arrivals = new Map<string, number>();

/** Watches devices for somebody. */
export function watchArrivals(_by: string, _devices: "all" | readonly string[]): void {}

/** Notes that a position of a device has arrived. */
export function noteArrival(deviceId: string): void {
  arrivals.set(deviceId, now());
}

/** The time since which a device is silent (epoch milliseconds); null before its first position. */
export const silentSince = (deviceId: string, _longestGrace: number): number | null =>
  arrivals.get(deviceId) ?? newest().get(deviceId)?.created_at ?? null;
