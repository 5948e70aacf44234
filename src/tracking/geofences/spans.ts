import { isVisible, type VisibleDevices } from "../../identity/access/visible-devices";
import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { isoOrNull } from "../../kernel/time/clock";

/** Stretches of tracks whose crossings are to be computed anew. Raw SQL: late positions come by the thousand. */

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A device's track has changed in the past. */
    "track.changed": { device_id: string };
  }
}

const widen = statement(() =>
  sqlite.prepare<unknown, [string, number, number]>(
    `INSERT INTO geofence_spans (device_id, begun_from, from_time, to_time) SELECT id, ?2, ?2, ?3 FROM devices WHERE id = ?1
     ON CONFLICT (device_id) DO UPDATE SET begun_from = min(begun_from, ?2), from_time = min(from_time, ?2), to_time = max(to_time, ?3)`,
  ),
);

/**
 * Notes, in the current transaction, that fixes of a device with these times (epoch milliseconds) came late, count from now
 * on, or don't any more.
 */
export function noteSpan(deviceId: string, from: number, to: number): void {
  widen().run(deviceId, from, to);
  publish("track.changed", { device_id: deviceId });
}

const oldestSpan = statement(() =>
  sqlite.prepare<{ begun: number | null }, []>("SELECT min(begun_from) AS begun FROM geofence_spans"),
);
const spanOfDevice = statement(() =>
  sqlite.prepare<{ begun: number | null }, [string]>(
    "SELECT begun_from AS begun FROM geofence_spans WHERE device_id = ?",
  ),
);

/** The fix time from which crossings, of a device or of all, are being computed anew, in ISO 8601; null if none are. */
export function recomputingFrom(deviceId?: string): string | null {
  const span = deviceId === undefined ? oldestSpan().get() : spanOfDevice().get(deviceId);
  return isoOrNull(span?.begun ?? null);
}

/** The same for one device, or for all that a caller sees. */
export function recomputingOf(visible: VisibleDevices, deviceId?: string): string | null {
  if (visible === "all" || deviceId !== undefined)
    return deviceId !== undefined && !isVisible(visible, deviceId) ? null : recomputingFrom(deviceId);
  const times = [...visible].map((id) => recomputingFrom(id)).filter((time) => time !== null);
  return times.sort()[0] ?? null;
}
