import { sqlite, statement } from "../../kernel/db";
import { systemValue } from "../../operations/system-config/service";
import { distanceKm, type Position, toVector } from "./geometry";

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

interface Zone extends Position {
  seq: number;
  id: string;
  name: string;
  radius_km: number;
  metadata: string | null;
}

const ZONE = "g.seq, g.id, g.name, g.latitude, g.longitude, g.radius_km, g.metadata";

/** Zones whose box holds a point: a few candidates, whatever the number of zones. */
const zonesAround = statement(() =>
  sqlite.prepare<Zone, [number, number, number]>(
    `SELECT ${ZONE} FROM geofence_index i JOIN geofences g ON g.seq = i.seq
     WHERE i.min_x <= ?1 AND i.max_x >= ?1 AND i.min_y <= ?2 AND i.max_y >= ?2 AND i.min_z <= ?3 AND i.max_z >= ?3`,
  ),
);
/** `+?`: SQLite would plan this join anew at each execution for a bare `?`. */
const zonesInside = statement(() =>
  sqlite.prepare<Zone, [string]>(
    `SELECT ${ZONE} FROM geofence_presence p JOIN geofences g ON g.seq = p.geofence_seq WHERE p.device_id = +?`,
  ),
);
const noteEntry = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "INSERT INTO geofence_presence (device_id, geofence_seq) VALUES (?, ?)",
  ),
);
const noteExit = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "DELETE FROM geofence_presence WHERE device_id = ? AND geofence_seq = ?",
  ),
);

/**
 * Compares the active zones that contain a device's new position with those that it was inside of, notes the
 * difference in the current transaction and returns it, exits first. A zone is left once the distance exceeds
 * its radius by `geofence.exit_margin_m`, so that a ship on the border doesn't enter and leave all day.
 */
export function evaluateZones(deviceId: string, position: Position): ZoneCrossing[] {
  const marginKm = systemValue("geofence.exit_margin_m") / 1_000;
  const before = zonesInside().all(deviceId);
  const known = new Set(before.map((zone) => zone.seq));
  const crossings: ZoneCrossing[] = [];
  const crossed = (zone: Zone, event: "enter" | "exit", distance: number) =>
    crossings.push({
      geofence_id: zone.id,
      geofence_name: zone.name,
      event,
      device_id: deviceId,
      distance_km: distance,
      metadata: zone.metadata === null ? null : JSON.parse(zone.metadata),
    });

  for (const zone of before) {
    const distance = distanceKm(zone, position);
    if (distance <= zone.radius_km + marginKm) continue;
    noteExit().run(deviceId, zone.seq);
    crossed(zone, "exit", distance);
  }
  for (const zone of zonesAround().all(...toVector(position))) {
    const distance = distanceKm(zone, position);
    if (distance > zone.radius_km || known.has(zone.seq)) continue;
    noteEntry().run(deviceId, zone.seq);
    crossed(zone, "enter", distance);
  }
  return crossings;
}
