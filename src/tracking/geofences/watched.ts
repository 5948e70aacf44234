import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { distanceKm, type Position } from "../../kernel/values/great-circle";
import { systemValue } from "../../runtime-settings/service";
import { type Area, areaOf } from "./area";
import type { Box } from "./geometry";
import type { Geometry, Kind } from "./kinds";
import type { Place, SideRules } from "./sides";
import {
  type Arc,
  angle,
  angleToArc,
  arcBetween,
  cross,
  dot,
  toKm,
  toRadians,
  unit,
  type Vector,
  vectorOf,
} from "./sphere";

/** Active zones as positions are compared with them. Raw SQL: each position runs these, and Drizzle knows no R-Tree. */
export interface Zone extends Position, SideRules {
  seq: number;
  id: string;
  kind: Kind;
  radius_km: number;
  exit_margin_m: number | null;
  max_accuracy_m: number | null;
  /** See table.ts. */
  watch_from: number;
  watch_row: number;
}

/** The columns of a zone that `g` names. */
export const ZONE_COLUMNS = `g.seq, g.id, g.kind, g.latitude, g.longitude, g.radius_km, g.exit_margin_m, g.max_accuracy_m,
  g.watch_from, g.watch_row, g.confirm_fixes AS confirmFixes, g.enter_after_s AS enterAfterS, g.exit_after_s AS exitAfterS,
  g.dwell_seconds AS dwellS`;

// --- Areas ------------------------------------------------------------------------------------------------

const shapeOf = statement(() =>
  sqlite.prepare<{ geometry: string; width_m: number | null }, [number]>(
    "SELECT geometry, width_m FROM geofences WHERE seq = ?",
  ),
);

/** Bytes of areas that are kept in memory. */
const MOST_BYTES = 32 * 1024 * 1024;
/** By the zone's identifier. An entry holds for one stretch of watching, since a zone with another shape begins anew. */
const areas = new Map<string, { watchFrom: number; area: Area }>();
let bytes = 0;

/** The area of a polygon or a corridor. */
function areaOfZone(zone: Zone): Area {
  const known = areas.get(zone.id);
  if (known?.watchFrom === zone.watch_from) return known.area;
  const row = shapeOf().get(zone.seq);
  if (!row) throw new Error(`zone ${zone.seq} is compared and not there`);
  const cap = { centre: vectorOf(zone), radius: toRadians(zone.radius_km) };
  const area = areaOf(JSON.parse(row.geometry) as Geometry, row.width_m, cap);
  bytes += area.size - (known?.area.size ?? 0);
  areas.delete(zone.id);
  for (const [id, { area: oldest }] of areas) {
    if (bytes <= MOST_BYTES) break;
    areas.delete(id);
    bytes -= oldest.size;
  }
  areas.set(zone.id, { watchFrom: zone.watch_from, area });
  return area;
}

// --- Places -----------------------------------------------------------------------------------------------

/** True if a position lies in a zone. */
export const contains = (zone: Zone, position: Position): boolean =>
  zone.kind === "circle"
    ? distanceKm(zone, position) <= zone.radius_km
    : areaOfZone(zone).contains(vectorOf(position));

/** Kilometres from a position to a zone; 0 inside. */
const distanceTo = (zone: Zone, position: Position): number =>
  zone.kind === "circle"
    ? Math.max(0, distanceKm(zone, position) - zone.radius_km)
    : areaOfZone(zone).distanceKm(vectorOf(position));

/** True if a way touches a zone. Ways that miss its circle are most: they cost no look at its shape. */
export const isCutBy = (zone: Zone, arc: Arc): boolean =>
  angleToArc(arc, vectorOf(zone)) <= toRadians(zone.radius_km) &&
  (zone.kind === "circle" || areaOfZone(zone).isCutBy(arc));

/** The largest `accuracy_m` that counts for a zone, in metres. */
export function accuracyLimit(zone: Pick<Zone, "max_accuracy_m">): number {
  const limit = zone.max_accuracy_m ?? systemValue("geofence.max_accuracy_m");
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

/** True if a position with this accuracy counts for a zone. */
export const isAccurate = (zone: Zone, accuracyM: number | null): boolean =>
  accuracyM === null || accuracyM <= accuracyLimit(zone);

const leastLimit = statement(() =>
  sqlite.prepare<{ least: number | null }, []>(
    "SELECT min(max_accuracy_m) AS least FROM geofences WHERE max_accuracy_m > 0 AND max_accuracy_m IS NOT NULL",
  ),
);
const leastLimits = new TransactionCache<"least", number>(1);

/** A position with this accuracy, or a better one, counts for all zones, in metres. */
export const leastAccuracyLimit = (): number =>
  Math.min(
    accuracyLimit({ max_accuracy_m: null }),
    leastLimits.get("least", () => leastLimit().get()?.least ?? Number.POSITIVE_INFINITY),
  );

/** The place of a position at a zone: beyond the border, but within the margin, it counts for the side where the device is. */
export function placeAt(
  zone: Zone,
  position: Position & { accuracy_m: number | null },
  isInside: boolean,
): Place {
  if (!isAccurate(zone, position.accuracy_m)) return "unknown";
  if (!isInside) return contains(zone, position) ? "inside" : "outside";
  const beyond = distanceTo(zone, position);
  if (beyond === 0) return "inside";
  const marginM = zone.exit_margin_m ?? systemValue("geofence.exit_margin_m");
  return beyond <= marginM / 1_000 ? "near" : "outside";
}

// --- Zones near a place -----------------------------------------------------------------------------------

const zonesTouching = statement(() =>
  sqlite.prepare<Zone, number[]>(
    `SELECT ${ZONE_COLUMNS} FROM geofence_index i JOIN geofences g ON g.seq = i.seq
     WHERE i.min_x <= ?2 AND i.max_x >= ?1 AND i.min_y <= ?4 AND i.max_y >= ?3 AND i.min_z <= ?6 AND i.max_z >= ?5`,
  ),
);

/** Cubes that divide space, along the Earth's radius: 194 m each. A power of two, so that bounds are exact. */
const CUBES = 32_768;
/** Widens boxes by some centimetres: a way between two places of a box bulges out of it by less than one. */
const SLACK = 1e-8;
/** The angle from the middle of a cube to the farthest place in it. */
const HALF_DIAGONAL = (Math.sqrt(3) / 2 / CUBES) * 1.001 + SLACK;

/** Zones kept in memory, each about 200 bytes. */
const MAX_REMEMBERED = 50_000;
/** The zones that come near a cube; null if they are so many that each position queries for its own. */
const near = new TransactionCache<number, readonly Zone[] | null>(
  MAX_REMEMBERED,
  (zones) => 1 + (zones?.length ?? 0),
);
const CROWD = 64;
/** Beyond so many, looking at the shape of each would take longer than a turn should. */
const MOST_CHECKED = 1_000;

/** A place on the sphere, and the zones near it. */
export interface Surroundings {
  vector: Vector;
  /** The cube that holds it, by three whole numbers. */
  x: number;
  y: number;
  z: number;
  /** The zones that come near the cube; null if they are many. */
  zones: readonly Zone[] | null;
}

/**
 * The surroundings of a position: it finds out in memory, as a rule, since a ship stays in a cube for a while. `before` are those
 * of the position before, as this use case knows them.
 */
export function surroundingsOf(position: Position, before: Surroundings | null = null): Surroundings {
  const vector = vectorOf(position);
  const x = Math.floor(vector[0] * CUBES);
  const y = Math.floor(vector[1] * CUBES);
  const z = Math.floor(vector[2] * CUBES);
  if (before !== null && before.x === x && before.y === y && before.z === z)
    return { vector, x, y, z, zones: before.zones };
  const key = ((x + CUBES) * (2 * CUBES + 1) + y + CUBES) * (2 * CUBES + 1) + z + CUBES;
  return { vector, x, y, z, zones: near.get(key, () => zonesOfCube([x, y, z])) };
}

function zonesOfCube(cube: Vector): readonly Zone[] | null {
  const box = cube.flatMap((part) => [part / CUBES - SLACK, (part + 1) / CUBES + SLACK]);
  const zones = zonesTouching().all(...box);
  if (zones.length > MOST_CHECKED) return null;
  const middle = unit([(cube[0] + 0.5) / CUBES, (cube[1] + 0.5) / CUBES, (cube[2] + 0.5) / CUBES]);
  const found = zones.filter((zone) => comesNear(zone, middle));
  return found.length <= CROWD ? found : null;
}

/** True if a zone comes near enough to the middle of a cube to touch the cube. */
function comesNear(zone: Zone, middle: Vector): boolean {
  if (angle(vectorOf(zone), middle) > toRadians(zone.radius_km) + HALF_DIAGONAL) return false;
  return zone.kind === "circle" || areaOfZone(zone).distanceKm(middle) <= toKm(HALF_DIAGONAL);
}

const zonesInBox = ([minX, maxX, minY, maxY, minZ, maxZ]: Box): Zone[] =>
  zonesTouching().all(minX - SLACK, maxX + SLACK, minY - SLACK, maxY + SLACK, minZ - SLACK, maxZ + SLACK);

/** The zones that may contain a place: a few, whatever the number of zones. */
export function zonesAt({ zones, vector: [x, y, z] }: Surroundings): readonly Zone[] {
  return zones ?? zonesInBox([x, x, y, y, z, z]);
}

/** The zones that a way between two places may cut. */
export function zonesBetween(one: Surroundings, two: Surroundings): readonly Zone[] {
  const steps = Math.abs(one.x - two.x) + Math.abs(one.y - two.y) + Math.abs(one.z - two.z);
  // Two cubes side by side make a box, which holds the way whole.
  if (steps <= 1 && one.zones && two.zones) {
    if (steps === 0 || two.zones.length === 0) return one.zones;
    if (one.zones.length === 0) return two.zones;
    const known = new Set(one.zones.map(({ seq }) => seq));
    return [...one.zones, ...two.zones.filter(({ seq }) => !known.has(seq))];
  }
  const found = new Map<number, Zone>();
  for (const [from, to] of piecesOf(arcBetween(one.vector, two.vector)))
    for (const zone of zonesAlong(from, to)) found.set(zone.seq, zone);
  return [...found.values()];
}

/** Zones along a piece of a way, which is short. */
function zonesAlong(from: Vector, to: Vector): Zone[] {
  const bulge = 1 - Math.sqrt((1 + dot(from, to)) / 2);
  const range = (a: number, b: number): [number, number] => [Math.min(a, b) - bulge, Math.max(a, b) + bulge];
  return zonesInBox([...range(from[0], to[0]), ...range(from[1], to[1]), ...range(from[2], to[2])]);
}

/** A way is looked at in pieces, since the box around a long one holds a country: of 6 km, or as many as these. */
const PIECE = 1 / 1_024;
const MOST_PIECES = 256;

/** The pieces of a way. Of one between opposite places, which has no direction, they are the two ends. */
function piecesOf({ from, to, normal }: Arc): [from: Vector, to: Vector][] {
  if (normal === null)
    return [
      [from, from],
      [to, to],
    ];
  const whole = angle(from, to);
  const ahead = cross(normal, from);
  const count = Math.min(MOST_PIECES, Math.ceil(whole / PIECE));
  const at = (piece: number): Vector => {
    const [cosine, sine] = [Math.cos((whole * piece) / count), Math.sin((whole * piece) / count)];
    return [
      cosine * from[0] + sine * ahead[0],
      cosine * from[1] + sine * ahead[1],
      cosine * from[2] + sine * ahead[2],
    ];
  };
  return Array.from({ length: count }, (_, piece) => [at(piece), at(piece + 1)]);
}
