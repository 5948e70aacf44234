import { markCorrected } from "../../alerts/alerts/register";
import { note } from "../../feed/journal";
import { publish } from "../../kernel/db/events";
import { describe, type EventRow, insertEvent, type Shown, supersedeEvent } from "../geofences/events";
import { countAt } from "./places";

/** A device crossed the border of a zone. */
export interface ZoneCrossing {
  geofence_id: string;
  geofence_name: string;
  event: "enter" | "exit";
  device_id: string;
  /** Distance of the position to the zone's centre. */
  distance_km: number;
  metadata: Record<string, unknown> | null;
}

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A device entered or left a zone. */
    "geofence.crossed": ZoneCrossing;
  }
}

/** The names of the lists' counters: all crossings that hold, those of a device, those of a zone. */
export const ALL_CROSSINGS = "crossings";
export const deviceCrossings = (deviceId: string): string => `device_crossings ${deviceId}`;
export const zoneCrossings = (zoneId: string): string => `zone_crossings ${zoneId}`;

type Countable = Pick<EventRow, "event" | "device_id" | "geofence_id" | "occurred_at">;

/** Counts a crossing in its lists, in the current transaction, or with -1 takes it out. */
export function countCrossing({ event, device_id, geofence_id, occurred_at }: Countable, by: 1 | -1): void {
  if (event === "begin" || event === "end") return;
  for (const list of [ALL_CROSSINGS, deviceCrossings(device_id), zoneCrossings(geofence_id)])
    countAt(list, occurred_at, by);
}

const NONE: readonly EventRow[] = [];

/** Keeps the crossings that the newest fix of a device showed, tells of them, in the current transaction, and returns them. */
export function keepCrossings(deviceId: string, crossings: readonly Shown[]): readonly EventRow[] {
  if (crossings.length === 0) return NONE;
  return crossings.map((shown) => {
    const { name, metadata } = describe(shown.zone);
    const row = insertEvent(deviceId, shown, name, false);
    countCrossing(row, 1);
    if (shown.event !== "enter" && shown.event !== "exit") {
      note("crossing", row.id, deviceId);
      return row;
    }
    const crossing: ZoneCrossing = {
      geofence_id: row.geofence_id,
      geofence_name: name,
      event: shown.event,
      device_id: deviceId,
      distance_km: row.distance_km,
      metadata,
    };
    note("geofenceEvent", row.id, deviceId, crossing);
    publish("geofence.crossed", crossing);
    return row;
  });
}

/** Keeps a crossing that late fixes showed, in the current transaction. */
export function keepLate(deviceId: string, shown: Shown): void {
  const row = insertEvent(deviceId, shown, describe(shown.zone).name, true);
  countCrossing(row, 1);
  note("crossing", row.id, deviceId);
}

/** Supersedes a crossing that late fixes overturned, in the current transaction. */
export function supersede(row: Countable & { id: string }): void {
  supersedeEvent(row.id);
  note("crossing", row.id, row.device_id);
  markCorrected(row.id);
  countCrossing(row, -1);
}
