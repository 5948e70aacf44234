import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import { distanceKm } from "../../kernel/values/great-circle";
import type { ShownEvent, ZoneEvent } from "./kinds";
import type { SideFix } from "./sides";
import type { Moment } from "./tracks";
import type { Zone } from "./watched";

/** The rows of crossings. Raw SQL: each crossing runs these, and indexes are partial. */

/** A crossing as positions show it. */
export interface Shown {
  zone: Zone;
  event: ShownEvent | "begin";
  /** Epoch milliseconds. */
  occurredAt: number;
  /** The position that it happened at, or the one that showed it. */
  fix: SideFix;
  /** The place, where it isn't that of the position. */
  place?: { latitude: number; longitude: number };
  /** The position that showed it. */
  shownBy: Moment;
}

/** A stored crossing. */
export interface EventRow {
  id: string;
  geofence_id: string;
  geofence_name: string;
  device_id: string;
  device_name: string;
  event: ZoneEvent;
  occurred_at: number;
  recorded_at: number;
  latitude: number;
  longitude: number;
  distance_km: number;
  gps_point_id: string | null;
  trip_id: string | null;
  is_late: 0 | 1;
  superseded_at: number | null;
  watch_from: number;
  shown_at: number;
  shown_row: number;
}

const NAMES = [
  ...[
    "id",
    "geofence_id",
    "geofence_name",
    "device_id",
    "device_name",
    "event",
    "occurred_at",
    "recorded_at",
  ],
  ...["latitude", "longitude", "distance_km", "gps_point_id", "trip_id", "is_late", "superseded_at"],
  ...["watch_from", "shown_at", "shown_row"],
] as const satisfies readonly (keyof EventRow)[];

const insert = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO geofence_events (${NAMES.join(", ")}) VALUES (${NAMES.map(() => "?").join(", ")})`,
  ),
);
const nameOf = statement(() =>
  sqlite.prepare<{ name: string }, [string]>("SELECT name FROM devices WHERE id = ?"),
);

/** Stores a crossing of a device in the current transaction. */
export function insertEvent(deviceId: string, shown: Shown, zoneName: string, isLate: boolean): EventRow {
  const { zone, event, occurredAt, fix, place = fix, shownBy } = shown;
  const row: EventRow = {
    id: newId(),
    geofence_id: zone.id,
    geofence_name: zoneName,
    device_id: deviceId,
    device_name: nameOf().get(deviceId)?.name ?? "",
    event,
    occurred_at: occurredAt,
    recorded_at: now(),
    latitude: place.latitude,
    longitude: place.longitude,
    distance_km: distanceKm(zone, place),
    gps_point_id: fix.id,
    trip_id: fix.trip_id,
    is_late: isLate ? 1 : 0,
    superseded_at: null,
    watch_from: zone.watch_from,
    shown_at: shownBy.timestamp,
    shown_row: shownBy.row,
  };
  insert().run(...NAMES.map((name) => row[name]));
  return row;
}

const described = statement(() =>
  sqlite.prepare<{ name: string; metadata: string | null }, [number]>(
    "SELECT name, metadata FROM geofences WHERE seq = ?",
  ),
);

/** The name and the metadata of a zone as they are now. */
export function describe(zone: Zone): { name: string; metadata: Record<string, unknown> | null } {
  const row = described().get(zone.seq);
  if (!row) throw new Error(`zone ${zone.seq} is crossed and not there`);
  return { name: row.name, metadata: row.metadata === null ? null : JSON.parse(row.metadata) };
}

// --- Devices that are there from the beginning ---------------------------------------------------------------

const supersede = statement(() =>
  sqlite.prepare<unknown, [number, string]>("UPDATE geofence_events SET superseded_at = ? WHERE id = ?"),
);

/** Marks a stored crossing, in the current transaction, as one that didn't happen. */
export const supersedeEvent = (id: string): void => {
  supersede().run(now(), id);
};

const forget = statement(() =>
  sqlite.prepare<unknown, [string, string, number]>(
    "DELETE FROM geofence_events WHERE device_id = ? AND geofence_id = ? AND watch_from = ? AND event = 'begin' AND superseded_at IS NULL",
  ),
);

/** Forgets, in the current transaction, that a device was inside when a zone began to watch. */
export const forgetBegin = (deviceId: string, zone: Zone): void => {
  forget().run(deviceId, zone.id, zone.watch_from);
};

const endStays = (condition: string) =>
  statement(() =>
    sqlite.prepare<unknown, [number, string | number]>(
      `INSERT INTO geofence_events (${NAMES.join(", ")})
       SELECT lower(printf('%08x-%04x-7', ?1 / 65536, ?1 % 65536) || substr(hex(randomblob(2)), 2) || '-8'
           || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
         g.id, g.name, d.id, d.name, 'end', max(?1, p.since), ?1, g.latitude, g.longitude, 0, NULL, NULL, 0, NULL,
         g.watch_from, max(?1, p.since), ${Number.MAX_SAFE_INTEGER}
       FROM geofence_presence p JOIN geofences g ON g.seq = p.geofence_seq JOIN devices d ON d.id = p.device_id
       WHERE p.is_inside = 1 AND ${condition}`,
    ),
  );
const endOfZone = endStays("p.geofence_seq = +?2");
const endOfDevice = endStays("p.device_id = +?2");

/** Ends the stays in a zone that ceases to watch, in the current transaction. Nobody is told. */
export const endStaysIn = (zoneSeq: number): void => {
  endOfZone().run(now(), zoneSeq);
};

/** Ends the stays of a device that is about to be deleted, in the current transaction. */
export const endStaysOf = (deviceId: string): void => {
  endOfDevice().run(now(), deviceId);
};
