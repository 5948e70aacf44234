import { EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";
import { toVector } from "./geometry";

/** Vectors of the unit sphere. Distances along it are angles, in radians, but where kilometres are named. */
export type Vector = readonly [x: number, y: number, z: number];

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);

/** The vector of length 1 in a direction. */
export const unit = (a: Vector): Vector => {
  const by = 1 / length(a);
  return [a[0] * by, a[1] * by, a[2] * by];
};

/** The angle between two vectors: exact for near, far and opposite ones. */
export const angle = (a: Vector, b: Vector): number => Math.atan2(length(cross(a, b)), dot(a, b));

const DEGREES = 180 / Math.PI;

/** The position of a vector. */
export const toPosition = ([x, y, z]: Vector): Position => ({
  latitude: Math.atan2(z, Math.hypot(x, y)) * DEGREES,
  longitude: Math.atan2(y, x) * DEGREES,
});

export const vectorOf = (position: Position): Vector => toVector(position);

export const toKm = (radians: number): number => radians * EARTH_RADIUS_KM;
export const toRadians = (km: number): number => km / EARTH_RADIUS_KM;

/** A piece of a great circle, the shorter way from one point to another. */
export interface Arc {
  from: Vector;
  to: Vector;
  /** Perpendicular to the plane of its great circle; null for an arc of no length. */
  normal: Vector | null;
}

/** Shorter arcs than a tenth of a millimetre are points. */
export const SHORTEST = 1.6e-11;

export function arcBetween(from: Vector, to: Vector): Arc {
  const normal = cross(from, to);
  return { from, to, normal: length(normal) < SHORTEST ? null : unit(normal) };
}

/** The point of an arc that is nearest to a vector. */
export function nearestOnArc({ from, to, normal }: Arc, point: Vector): Vector {
  if (normal) {
    const along = dot(point, normal);
    const foot: Vector = [
      point[0] - along * normal[0],
      point[1] - along * normal[1],
      point[2] - along * normal[2],
    ];
    // The foot lies on the arc if it is past its beginning and before its end.
    if (length(foot) > SHORTEST && dot(cross(normal, from), foot) >= 0 && dot(cross(to, normal), foot) >= 0)
      return unit(foot);
  }
  return dot(point, from) >= dot(point, to) ? from : to;
}

/** The angle from a vector to the nearest point of an arc. */
export const angleToArc = (arc: Arc, point: Vector): number => angle(point, nearestOnArc(arc, point));

/** True if two arcs cross: the ends of each lie on different sides of the other. */
export function arcsCross(a: Arc, b: Arc): boolean {
  if (a.normal === null || b.normal === null) return false;
  const fromB = dot(a.normal, b.from) > 0;
  if (dot(a.normal, b.to) > 0 === fromB) return false;
  const fromA = dot(b.normal, a.from) > 0;
  // Opposite turns: else one arc crosses the circle of the other on the far side of the sphere.
  return dot(b.normal, a.to) > 0 !== fromA && fromA !== fromB;
}

/** A part of the sphere around a point. */
export interface Cap {
  centre: Vector;
  /** Radians. */
  radius: number;
}

/** Steps of the search for the smallest cap: the radius is then within a few per cent of the smallest. */
const STEPS = 200;

/**
 * A cap that holds all vectors, hardly larger than the smallest (Bădoiu and Clarkson: Optimal core-sets for balls, 2008). They
 * must lie on one half of the sphere.
 */
export function capAround(vectors: readonly Vector[]): Cap {
  let sum: Vector = [0, 0, 0];
  for (const vector of vectors) sum = [sum[0] + vector[0], sum[1] + vector[1], sum[2] + vector[2]];
  let centre = length(sum) < SHORTEST ? (vectors[0] as Vector) : unit(sum);
  let best: Cap | null = null;
  for (let step = 1; step <= STEPS; step++) {
    const [x, y, z] = centre;
    let farthest = centre;
    let most = 0;
    for (const vector of vectors) {
      // The chord: cosines of small angles are all the same.
      const byX = vector[0] - x;
      const byY = vector[1] - y;
      const byZ = vector[2] - z;
      const square = byX * byX + byY * byY + byZ * byZ;
      if (square <= most) continue;
      most = square;
      farthest = vector;
    }
    const radius = angle(centre, farthest);
    if (best === null || radius < best.radius) best = { centre, radius };
    const part = 1 / (step + 1);
    centre = unit([
      centre[0] + (farthest[0] - centre[0]) * part,
      centre[1] + (farthest[1] - centre[1]) * part,
      centre[2] + (farthest[2] - centre[2]) * part,
    ]);
  }
  return best as Cap;
}

/**
 * Puts a vector on the plane that touches the sphere at another one, from the sphere's centre: great circles become straight
 * lines (the gnomonic projection). Null for one that is a quarter of the sphere away or more.
 */
export function projector(centre: Vector): (vector: Vector) => [x: number, y: number] | null {
  const away: Vector = Math.abs(centre[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const east = unit(cross(away, centre));
  const north = cross(centre, east);
  return (vector) => {
    const depth = dot(vector, centre);
    return depth <= 1e-6 ? null : [dot(vector, east) / depth, dot(vector, north) / depth];
  };
}
