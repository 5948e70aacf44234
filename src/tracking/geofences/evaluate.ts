import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { systemValue } from "../../runtime-settings/service";
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

// Raw SQL: each position runs these statements, and Drizzle can't describe an R-Tree.

/** The part of a zone that decides if a position is in it. */
interface Zone extends Position {
  seq: number;
  radius_km: number;
}

const ZONE = "g.seq, g.latitude, g.longitude, g.radius_km";

/** Zones whose box touches a box of space. */
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
const described = statement(() =>
  sqlite.prepare<{ id: string; name: string; metadata: string | null }, [number]>(
    "SELECT id, name, metadata FROM geofences WHERE seq = ?",
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

/** Zones kept in memory, each about 100 bytes. */
const MAX_REMEMBERED = 50_000;

// --- Candidates -------------------------------------------------------------------------------------------

/**
 * Cubes that divide space, along the Earth's radius: 194 m each. A power of two, so that bounds are exact.
 */
const CUBES = 32_768;

/** The zones that touch a cube; null if they are so many that each position queries for its own. */
const touching = new TransactionCache<number, Zone[] | null>(
  MAX_REMEMBERED,
  (zones) => 1 + (zones?.length ?? 0),
);
const CROWD = 64;

/**
 * The zones that may contain a position: a few, whatever the number of zones. They are those of the cube that
 * holds it, in which a ship stays for a while.
 */
function zonesAround(position: Position): Zone[] {
  const vector = toVector(position);
  const cube = vector.map((component) => Math.floor(component * CUBES));
  const key = cube.reduce((number, part) => number * (2 * CUBES + 1) + part + CUBES, 0);
  const ofCube = touching.get(key, () => {
    const zones = zonesTouching().all(...cube.flatMap((part) => [part / CUBES, (part + 1) / CUBES]));
    return zones.length <= CROWD ? zones : null;
  });
  return ofCube ?? zonesTouching().all(...vector.flatMap((component) => [component, component]));
}

// --- Crossings --------------------------------------------------------------------------------------------

/** The zones that each device is inside of, by their row number. */
const insideOf = new TransactionCache<string, Map<number, Zone>>(MAX_REMEMBERED, (zones) => 1 + zones.size);

const readInside = (deviceId: string): Map<number, Zone> =>
  new Map(
    zonesInside()
      .all(deviceId)
      .map((zone) => [zone.seq, zone]),
  );

interface Changes {
  inside: Map<number, Zone>;
  left: Zone[];
  entered: Zone[];
}

/**
 * Compares the active zones that contain a device's position with those that it was inside of. A zone is left
 * once the distance exceeds its radius by `geofence.exit_margin_m`, so that a ship on the border doesn't enter
 * and leave all day (rule T3).
 */
function changesOf(deviceId: string, position: Position): Changes {
  const marginKm = systemValue("geofence.exit_margin_m") / 1_000;
  const reaches = (zone: Zone, margin: number) => distanceKm(zone, position) <= zone.radius_km + margin;
  const inside = insideOf.get(deviceId, () => readInside(deviceId));
  const left = [...inside.values()].filter((zone) => !reaches(zone, marginKm));
  const entered = zonesAround(position).filter((zone) => !inside.has(zone.seq) && reaches(zone, 0));
  return { inside, left, entered };
}

/**
 * The active zones that a device would be inside of at a position, as a text to compare with that of another
 * position. It changes nothing.
 */
export function zonesAt(deviceId: string, position: Position): string {
  const { inside, left, entered } = changesOf(deviceId, position);
  const zones = new Set(inside.keys());
  for (const { seq } of left) zones.delete(seq);
  for (const { seq } of entered) zones.add(seq);
  return [...zones].sort((a, b) => a - b).join();
}

/**
 * Stores, in the current transaction, which active zones a device's new position entered and left, and returns
 * the crossings, exits first.
 */
export function evaluateZones(deviceId: string, position: Position): ZoneCrossing[] {
  const { inside, left, entered } = changesOf(deviceId, position);
  if (left.length + entered.length === 0) return [];

  const after = new Map(inside);
  for (const { seq } of left) {
    noteExit().run(deviceId, seq);
    after.delete(seq);
  }
  for (const zone of entered) {
    noteEntry().run(deviceId, zone.seq);
    after.set(zone.seq, zone);
  }
  insideOf.set(deviceId, after);
  const crossing = (event: ZoneCrossing["event"]) => (zone: Zone) =>
    toCrossing(deviceId, zone, event, position);
  return [...left.map(crossing("exit")), ...entered.map(crossing("enter"))];
}

function toCrossing(
  device_id: string,
  zone: Zone,
  event: ZoneCrossing["event"],
  position: Position,
): ZoneCrossing {
  const row = described().get(zone.seq);
  if (!row) throw new Error(`zone ${zone.seq} is crossed and not there`);
  return {
    geofence_id: row.id,
    geofence_name: row.name,
    event,
    device_id,
    distance_km: distanceKm(zone, position),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  };
}
