import { noteSpan as noteCrossingSpan } from "../geofences/spans";
import { noteTimelineSpan } from "../timeline/live";

/**
 * Notes, in the current transaction, that fixes of a device with these times (epoch milliseconds) came late, count from now
 * on, or don't any more: crossings and the timeline are computed anew there.
 */
export function noteSpan(deviceId: string, from: number, to: number): void {
  noteCrossingSpan(deviceId, from, to);
  noteTimelineSpan(deviceId, from, to);
}
