import {
  type Arc,
  angle,
  angleToArc,
  arcBetween,
  type Cap,
  capAround,
  projector,
  toKm,
  toRadians,
  type Vector,
  vectorOf,
} from "./sphere";

/** Polygons and corridors on a sphere, whose edges are great circles. Coordinates are [longitude, latitude] in degrees. */

export type Coordinate = readonly number[];

/** GeoJSON (RFC 7946) of a zone that is no circle. */
export type Geometry =
  | { type: "Polygon"; coordinates: readonly (readonly Coordinate[])[] }
  | { type: "MultiPolygon"; coordinates: readonly (readonly (readonly Coordinate[])[])[] }
  | { type: "LineString"; coordinates: readonly Coordinate[] };

/** The part of the Earth that a zone covers. */
export interface Area {
  /** A circle that contains it. */
  cap: Cap;
  contains: (point: Vector) => boolean;
  /** The distance from a point to it in kilometres; 0 inside. */
  distanceKm: (point: Vector) => number;
}

const vectorAt = ([longitude = 0, latitude = 0]: Coordinate): Vector => vectorOf({ latitude, longitude });

/** A ring of a polygon, on the plane and on the sphere. */
interface Ring {
  flat: readonly (readonly [x: number, y: number])[];
  arcs: readonly Arc[];
}

/** True if a point of the plane lies in a ring: a ray from it crosses the ring an odd number of times. */
function isIn({ flat }: Ring, [x, y]: readonly [number, number]): boolean {
  let isInside = false;
  for (let at = 0, before = flat.length - 1; at < flat.length; before = at++) {
    const [ax, ay] = flat[at] as [number, number];
    const [bx, by] = flat[before] as [number, number];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside;
}

/** The corners of a ring without the last one, which repeats the first. */
const corners = (ring: readonly Coordinate[]): Vector[] => ring.slice(0, -1).map(vectorAt);

/** The area of polygons with holes. They must be valid, see shape-check.ts. */
export function polygonArea(polygons: readonly (readonly (readonly Coordinate[])[])[]): Area {
  const cap = capAround(polygons.flatMap((rings) => corners(rings[0] ?? [])));
  const project = projector(cap.centre);
  const made = polygons.map((rings) =>
    rings.map((ring): Ring => {
      const vectors = corners(ring);
      return {
        flat: vectors.map((vector) => project(vector) ?? [0, 0]),
        arcs: vectors.map((vector, at) => arcBetween(vector, vectors[(at + 1) % vectors.length] as Vector)),
      };
    }),
  );
  const contains = (point: Vector): boolean => {
    if (angle(point, cap.centre) > cap.radius + 1e-9) return false;
    const flat = project(point);
    return (
      flat !== null &&
      made.some(([outer, ...holes]) => outer !== undefined && isIn(outer, flat) && !holes.some((hole) => isIn(hole, flat)))
    );
  };
  const distanceKm = (point: Vector): number => {
    if (contains(point)) return 0;
    let least = Math.PI;
    for (const { arcs } of made.flat()) for (const arc of arcs) least = Math.min(least, angleToArc(arc, point));
    return toKm(least);
  };
  return { cap, contains, distanceKm };
}

/** The area within so many metres of a line. */
export function corridorArea(line: readonly Coordinate[], widthM: number): Area {
  const vectors = line.map(vectorAt);
  const width = toRadians(widthM / 1_000);
  const arcs = vectors.slice(1).map((vector, at) => arcBetween(vectors[at] as Vector, vector));
  const around = capAround(vectors);
  const cap = { centre: around.centre, radius: around.radius + width };
  const beyond = (point: Vector): number => {
    let least = Math.PI;
    for (const arc of arcs) least = Math.min(least, angleToArc(arc, point));
    return Math.max(0, least - width);
  };
  return {
    cap,
    contains: (point) => angle(point, cap.centre) <= cap.radius + 1e-9 && beyond(point) === 0,
    distanceKm: (point) => toKm(beyond(point)),
  };
}

/** The area of a zone that is no circle. */
export const areaOf = (geometry: Geometry, widthM: number | null): Area =>
  geometry.type === "LineString"
    ? corridorArea(geometry.coordinates, widthM ?? 0)
    : polygonArea(geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates);
