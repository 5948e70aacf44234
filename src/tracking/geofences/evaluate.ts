import { sqlite, statement } from "../../kernel/db";
import { Remembered } from "../../kernel/remembered";
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

/** Zones whose box touches a cube: a few candidates, whatever the number of zones. */
const zonesTouching = statement(() =>
  sqlite.prepare<Zone, number[]>(
    `SELECT ${ZONE} FROM geofence_index i JOIN geofences g ON g.seq = i.seq
     WHERE i.min_x <= ?2 AND i.max_x >= ?1 AND i.min_y <= ?4 AND i.max_y >= ?3 AND i.min_z <= ?6 AND i.max_z >= ?5`,
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

const MAX_REMEMBERED = 50_000;
const insideOf = new Remembered<string, Zone[]>(MAX_REMEMBERED, (zones) => 1 + zones.length);
const touching = new Remembered<number, Zone[]>(MAX_REMEMBERED, (zones) => 1 + zones.length);

/** Cubes that space is divided into, along the Earth's radius: 194 m each. A power of two, so that bounds are exact. */
const CUBES = 32_768;

/** The zones whose box touches the cube that holds a position: those that may contain it, which a ship needs for a while. */
function zonesAround(position: Position): Zone[] {
  const cube = toVector(position).map((component) => Math.floor(component * CUBES));
  const key = cube.reduce((number, part) => number * (2 * CUBES + 1) + part + CUBES, 0);
  const bounds = () => cube.flatMap((part) => [part / CUBES, (part + 1) / CUBES]);
  return touching.get(key, () => zonesTouching().all(...bounds()));
}

/**
 * Compares the active zones that contain a device's new position with those that it was inside of, notes the
 * difference in the current transaction and returns it, exits first. A zone is left once the distance exceeds
 * its radius by `geofence.exit_margin_m`, so that a ship on the border doesn't enter and leave all day.
 */
export function evaluateZones(deviceId: string, position: Position): ZoneCrossing[] {
  const marginKm = systemValue("geofence.exit_margin_m") / 1_000;
  const before = insideOf.get(deviceId, () => zonesInside().all(deviceId));
  const after: Zone[] = [];
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
    if (distance <= zone.radius_km + marginKm) {
      after.push(zone);
      continue;
    }
    noteExit().run(deviceId, zone.seq);
    crossed(zone, "exit", distance);
  }
  for (const zone of zonesAround(position)) {
    const distance = distanceKm(zone, position);
    if (distance > zone.radius_km || before.some(({ seq }) => seq === zone.seq)) continue;
    noteEntry().run(deviceId, zone.seq);
    crossed(zone, "enter", distance);
    after.push(zone);
  }
  if (crossings.length > 0) insideOf.set(deviceId, after);
  return crossings;
}
