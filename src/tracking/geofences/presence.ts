import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { isBlank, type SideState } from "./sides";
import { ZONE_COLUMNS, type Zone } from "./watched";

/** The states of devices at zones, in memory from one fix to the next. Raw SQL: each position reads them. */

/** A zone at which a device isn't as if it had never come near, and its state there. */
export interface Presence {
  zone: Zone;
  state: SideState;
}

/** The states of a device, by the zone's row number. */
export type Presences = ReadonlyMap<number, Presence>;

interface Stored {
  is_inside: 0 | 1;
  since: number | null;
  has_dwelled: 0 | 1;
  pending_count: number;
  pending_point: string;
  pending_trip: string | null;
  pending_time: number;
  pending_latitude: number;
  pending_longitude: number;
}

/** `+?`: SQLite would plan this join anew at each execution for a bare `?`. */
const stored = statement(() =>
  sqlite.prepare<Zone & Stored, [string]>(
    `SELECT ${ZONE_COLUMNS}, p.is_inside, p.since, p.has_dwelled, p.pending_count, p.pending_point, p.pending_trip,
       p.pending_time, p.pending_latitude, p.pending_longitude
     FROM geofence_presence p JOIN geofences g ON g.seq = p.geofence_seq WHERE p.device_id = +?`,
  ),
);
const put = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT OR REPLACE INTO geofence_presence (device_id, geofence_seq, is_inside, since, has_dwelled, pending_count,
       pending_point, pending_trip, pending_time, pending_latitude, pending_longitude)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
);
const remove = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "DELETE FROM geofence_presence WHERE device_id = ? AND geofence_seq = ?",
  ),
);

/** Presences kept in memory, each about 200 bytes. */
const MAX_REMEMBERED = 50_000;
const presences = new TransactionCache<string, Presences>(MAX_REMEMBERED, (zones) => 1 + zones.size);

/** The states of a device that aren't blank. */
export const presencesOf = (deviceId: string): Presences => presences.get(deviceId, () => read(deviceId));

/** The zones in which a device is. */
export function sidesOf(deviceId: string): { zoneId: string; hasDwelled: boolean }[] {
  const inside = [...presencesOf(deviceId).values()].filter(({ state }) => state.isInside);
  return inside.map(({ zone, state }) => ({ zoneId: zone.id, hasDwelled: state.hasDwelled }));
}

function read(deviceId: string): Presences {
  const found = new Map<number, Presence>();
  for (const row of stored().all(deviceId)) {
    const { is_inside, since, has_dwelled, pending_count, pending_point, pending_trip, ...rest } = row;
    const { pending_time, pending_latitude, pending_longitude, ...zone } = rest;
    const first = {
      id: pending_point,
      trip_id: pending_trip,
      timestamp: pending_time,
      latitude: pending_latitude,
      longitude: pending_longitude,
    };
    const pending = pending_count === 0 ? null : { first, count: pending_count };
    const state = { isInside: is_inside === 1, since, hasDwelled: has_dwelled === 1, pending };
    found.set(zone.seq, { zone, state });
  }
  return found;
}

/** Stores the states of a device that have changed, in the current transaction; those that are blank now go. */
export function storePresences(deviceId: string, changed: Iterable<Presence>): void {
  const after = new Map(presencesOf(deviceId));
  for (const { zone, state } of changed) {
    if (isBlank(state)) {
      remove().run(deviceId, zone.seq);
      after.delete(zone.seq);
    } else {
      store(deviceId, zone.seq, state);
      after.set(zone.seq, { zone, state });
    }
  }
  presences.set(deviceId, after);
}

/** Stores one state in the current transaction, which must not be a retryable one. */
export function store(
  deviceId: string,
  seq: number,
  { isInside, since, hasDwelled, pending }: SideState,
): void {
  const { first, count } = pending ?? { first: null, count: 0 };
  put().run(
    deviceId,
    seq,
    Number(isInside),
    since,
    Number(hasDwelled),
    count,
    first?.id ?? null,
    first?.trip_id ?? null,
    first?.timestamp ?? null,
    first?.latitude ?? null,
    first?.longitude ?? null,
  );
}
