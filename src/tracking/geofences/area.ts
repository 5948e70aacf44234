import type { Coordinate, Geometry, RingCoordinates } from "./kinds";
import {
  type Arc,
  angle,
  angleToArc,
  arcsCross,
  type Cap,
  capAround,
  cross,
  length,
  projector,
  SHORTEST,
  toKm,
  toRadians,
  unit,
  type Vector,
  vectorOf,
} from "./sphere";

/** Polygons and corridors on a sphere, whose edges are great circles. Coordinates are [longitude, latitude] in degrees. */

/** The part of the Earth that a zone covers. */
export interface Area {
  /** True on the border too, as far as numbers tell. */
  contains: (point: Vector) => boolean;
  /** The distance from a point to it in kilometres; 0 inside. */
  distanceKm: (point: Vector) => number;
  /** True if an arc whose ends lie outside touches it. */
  isCutBy: (arc: Arc) => boolean;
  /** Bytes that it takes in memory. */
  size: number;
}

export const vectorAt = ([longitude = 0, latitude = 0]: Coordinate): Vector =>
  vectorOf({ latitude, longitude });

export const polygonsOf = (geometry: Geometry): readonly (readonly RingCoordinates[])[] => {
  if (geometry.type === "LineString") return [];
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
};

// --- Edges ------------------------------------------------------------------------------------------------

/** Consecutive great-circle arcs in flat arrays: a zone has up to 2,000, and many zones are kept in memory. */
class Edges {
  readonly #count: number;
  /** The ends of the arcs, three numbers each: arc n goes from point n to point n + 1. */
  readonly #points: Float64Array;
  /** The unit vectors perpendicular to their planes; zeros for an arc of no length. */
  readonly #normals: Float64Array;

  constructor(vectors: readonly Vector[]) {
    this.#count = vectors.length - 1;
    this.#points = new Float64Array(vectors.flat());
    this.#normals = new Float64Array(3 * this.#count);
    for (let at = 0; at < this.#count; at++) {
      const normal = cross(vectors[at] as Vector, vectors[at + 1] as Vector);
      if (length(normal) >= SHORTEST) this.#normals.set(unit(normal), 3 * at);
    }
  }

  get size(): number {
    return this.#points.byteLength + this.#normals.byteLength;
  }

  /** The angle from a vector to the nearest of the arcs, in radians. */
  angleTo([x, y, z]: Vector): number {
    const [p, n] = [this.#points, this.#normals];
    // The least sine of the angle to an arc's inside, and the least chord to an end.
    let leastSine = 2;
    let leastSquare = 4;
    for (let at = 0; at < p.length; at += 3) {
      const [ax, ay, az] = [p[at] as number, p[at + 1] as number, p[at + 2] as number];
      const square = (x - ax) ** 2 + (y - ay) ** 2 + (z - az) ** 2;
      if (square < leastSquare) leastSquare = square;
      if (at === n.length) break;
      const [nx, ny, nz] = [n[at] as number, n[at + 1] as number, n[at + 2] as number];
      const sine = Math.abs(x * nx + y * ny + z * nz);
      if (sine >= leastSine || (nx === 0 && ny === 0 && nz === 0)) continue;
      const [bx, by, bz] = [p[at + 3] as number, p[at + 4] as number, p[at + 5] as number];
      const isPastBeginning =
        x * (ny * az - nz * ay) + y * (nz * ax - nx * az) + z * (nx * ay - ny * ax) >= 0;
      const isBeforeEnd = x * (by * nz - bz * ny) + y * (bz * nx - bx * nz) + z * (bx * ny - by * nx) >= 0;
      if (isPastBeginning && isBeforeEnd) leastSine = sine;
    }
    const toEnd = 2 * Math.asin(Math.min(1, Math.sqrt(leastSquare) / 2));
    return leastSine > 1 ? toEnd : Math.min(toEnd, Math.asin(leastSine));
  }

  #vector(at: number): Vector {
    return [
      this.#points[3 * at] as number,
      this.#points[3 * at + 1] as number,
      this.#points[3 * at + 2] as number,
    ];
  }

  /** True if an arc crosses one of them. */
  cross(arc: Arc): boolean {
    for (let at = 0; at < this.#count; at++) {
      const normal: Vector = [
        this.#normals[3 * at] as number,
        this.#normals[3 * at + 1] as number,
        this.#normals[3 * at + 2] as number,
      ];
      if (arcsCross(arc, { from: this.#vector(at), to: this.#vector(at + 1), normal })) return true;
    }
    return false;
  }

  /** True if one of the points is within an angle of an arc. */
  hasPointWithin(angleOf: number, arc: Arc): boolean {
    for (let at = 0; at <= this.#count; at++) if (angleToArc(arc, this.#vector(at)) <= angleOf) return true;
    return false;
  }
}

// --- Polygons ---------------------------------------------------------------------------------------------

/** The corners of a ring on the plane, x and y in turn. */
export type FlatRing = Float64Array;

/**
 * The corners of a ring on the plane that touches the sphere at a vector: great circles become straight lines there. Corners
 * must be less than a quarter of the sphere away.
 */
export function flatten(ring: RingCoordinates, project: ReturnType<typeof projector>): FlatRing {
  const flat = new Float64Array(2 * (ring.length - 1));
  for (let at = 0; at < ring.length - 1; at++)
    flat.set(project(vectorAt(ring[at] as Coordinate)) ?? [0, 0], 2 * at);
  return flat;
}

/** True if a point of the plane lies in a ring: a ray from it crosses the ring an odd number of times. */
export function isInRing(flat: FlatRing, [x, y]: readonly [number, number]): boolean {
  let isInside = false;
  let [bx, by] = [flat[flat.length - 2] as number, flat[flat.length - 1] as number];
  for (let at = 0; at < flat.length; at += 2) {
    const [ax, ay] = [flat[at] as number, flat[at + 1] as number];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
    [bx, by] = [ax, ay];
  }
  return isInside;
}

/** True if a point of the plane lies in the first of some rings, and in none of the others, which are holes. */
const isInRings = ([outer, ...holes]: readonly FlatRing[], point: readonly [number, number]): boolean =>
  outer !== undefined && isInRing(outer, point) && !holes.some((hole) => isInRing(hole, point));

/** Some hundred bytes for what isn't in the arrays. */
const OVERHEAD = 400;

/** Caps up to this radius (83 degrees) are shown well by one plane. */
const WIDEST = 1.45;

/** The rings of polygons on a plane: of all on one, or where they lie too far apart, of each on its own. */
function planesOf(polygons: readonly (readonly RingCoordinates[])[], cap: Cap) {
  const onPlane = (centre: Vector, some: typeof polygons) => {
    const project = projector(centre);
    return { project, made: some.map((rings) => rings.map((ring) => flatten(ring, project))) };
  };
  if (cap.radius <= WIDEST) return [onPlane(cap.centre, polygons)];
  return polygons.map((rings) => onPlane(capAround(rings.flat().map(vectorAt)).centre, [rings]));
}

/** The area of polygons with holes inside a cap that holds them. They must be valid, see shape-check.ts. */
function polygonArea(polygons: readonly (readonly RingCoordinates[])[], cap: Cap): Area {
  const planes = planesOf(polygons, cap);
  const edges = polygons.flat().map((ring) => new Edges(ring.map(vectorAt)));
  const contains = (point: Vector): boolean => {
    if (angle(point, cap.centre) > cap.radius) return false;
    return planes.some(({ project, made }) => {
      const flat = project(point);
      return flat !== null && made.some((rings) => isInRings(rings, flat));
    });
  };
  return {
    contains,
    distanceKm: (point) =>
      contains(point) ? 0 : toKm(Math.min(...edges.map((some) => some.angleTo(point)))),
    isCutBy: (arc) => edges.some((some) => some.cross(arc)),
    size:
      OVERHEAD +
      [
        ...edges,
        ...planes.flatMap(({ made }) => made.flat()).map((flat) => ({ size: flat.byteLength })),
      ].reduce((sum, { size }) => sum + size, 0),
  };
}

/** The area within so many metres of a line, inside a cap that holds it. */
function corridorArea(line: readonly Coordinate[], widthM: number, cap: Cap): Area {
  const width = toRadians(widthM / 1_000);
  const edges = new Edges(line.map(vectorAt));
  const contains = (point: Vector) => angle(point, cap.centre) <= cap.radius && edges.angleTo(point) <= width;
  return {
    contains,
    distanceKm: (point) => toKm(Math.max(0, edges.angleTo(point) - width)),
    // Of two arcs that don't cross, the nearest points are an end of one of them and a point of the other.
    isCutBy: (arc) =>
      edges.cross(arc) || edges.hasPointWithin(width, arc) || contains(arc.from) || contains(arc.to),
    size: OVERHEAD + edges.size,
  };
}

/** The area of a zone that is no circle, and lies inside a cap. */
export const areaOf = (geometry: Geometry, widthM: number | null, cap: Cap): Area =>
  geometry.type === "LineString"
    ? corridorArea(geometry.coordinates, widthM ?? 0, cap)
    : polygonArea(polygonsOf(geometry), cap);
