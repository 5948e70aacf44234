import type { FlatRing } from "./area";

/** Faults of a polygon's rings on the plane. Rings may touch themselves and each other in single points, and never cross. */

type Point = readonly [x: number, y: number];

/** A ring with a fault. */
export interface Fault {
  ring: number;
  /** The number of the corner in its ring. */
  corner: number;
  message: string;
}

/** An edge, with its bounds. */
interface Edge {
  ring: number;
  corner: number;
  a: Point;
  b: Point;
  /** The corner after `b`. */
  next: Point;
  left: number;
  right: number;
  low: number;
  high: number;
}

/** Points that are nearer to each other than this are the same: half a micrometre, far above what rounding does. */
const TOUCH = 1e-13;

export const cornersOf = (flat: FlatRing): Point[] =>
  Array.from(
    { length: flat.length / 2 },
    (_, at): Point => [flat[2 * at] as number, flat[2 * at + 1] as number],
  );

const isSame = ([ax, ay]: Point, [bx, by]: Point): boolean =>
  Math.abs(ax - bx) <= TOUCH && Math.abs(ay - by) <= TOUCH;

/** The first fault that is found in the rings of a polygon; null if there is none. */
export function findFault(rings: readonly FlatRing[]): Fault | null {
  const edges = rings.flatMap(edgesOf).sort((one, two) => one.left - two.left);
  const meetings = new Meetings(edges);
  for (const [at, edge] of edges.entries())
    for (let next = meetings.after(at, at); next !== -1; next = meetings.after(at, next)) {
      const other = edges[next] as Edge;
      const message = faultOf(edge, other);
      if (message === null) continue;
      const isFirst = edge.ring < other.ring || (edge.ring === other.ring && edge.corner < other.corner);
      const { ring, corner } = isFirst ? edge : other;
      return { ring, corner, message };
    }
  const thin = rings.findIndex(isThin);
  return thin === -1 ? null : { ring: thin, corner: 0, message: "belongs to a ring that encloses no area" };
}

/** True for a ring that is nowhere wider than a touch. */
function isThin(flat: FlatRing): boolean {
  const corners = cornersOf(flat);
  const [x0, y0] = corners[0] as Point;
  let twice = 0;
  let extent = 0;
  for (const [at, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[(at + 1) % corners.length] as Point;
    twice += (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
    extent = Math.max(extent, Math.abs(x - x0), Math.abs(y - y0));
  }
  return Math.abs(twice) <= TOUCH * extent;
}

/** The edges of a ring, without those of no length. */
function edgesOf(flat: FlatRing, ring: number): Edge[] {
  const all = cornersOf(flat).map((point, corner) => ({ point, corner }));
  const corners = all.filter(({ point }, at) => !isSame(point, (all[at - 1] ?? all.at(-1))?.point as Point));
  const at = (index: number) => corners[index % corners.length] as { point: Point; corner: number };
  return corners.map(({ point: a, corner }, index) => {
    const b = at(index + 1).point;
    const [left, right] = a[0] < b[0] ? [a[0], b[0]] : [b[0], a[0]];
    const [low, high] = a[1] < b[1] ? [a[1], b[1]] : [b[1], a[1]];
    return { ring, corner, a, b, next: at(index + 2).point, left, right, low, high };
  });
}

/**
 * Finds the edges that may meet others: none of both lies whole on one side of the other. In flat arrays, since there may be
 * two million pairs.
 */
class Meetings {
  /** The bounds, the ends, and the distance that counts as a touch, times the length. */
  readonly #edges: Float64Array;

  /** The edges must be in order of their left bounds. */
  constructor(edges: readonly Edge[]) {
    this.#edges = new Float64Array(
      edges.flatMap(({ left, right, low, high, a: [ax, ay], b: [bx, by] }) => [
        ...[left, right, low, high, ax, ay, bx - ax, by - ay],
        TOUCH * Math.hypot(bx - ax, by - ay),
      ]),
    );
  }

  /** The next edge after another one that may meet an edge; -1 if there is none. */
  after(edge: number, last: number): number {
    const e = this.#edges;
    const at = SIZE * edge;
    const right = (e[at + 1] as number) + TOUCH;
    const low = (e[at + 2] as number) - TOUCH;
    const high = (e[at + 3] as number) + TOUCH;
    // From left to right: an edge can meet those alone that begin before it ends.
    for (let other = SIZE * (last + 1); other < e.length && (e[other] as number) <= right; other += SIZE) {
      if ((e[other + 2] as number) > high || (e[other + 3] as number) < low) continue;
      if (!this.#isBeside(at, other) && !this.#isBeside(other, at)) return other / SIZE;
    }
    return -1;
  }

  /** True if an edge lies on one side of another one's line, and doesn't touch the line. */
  #isBeside(other: number, line: number): boolean {
    const e = this.#edges;
    const [x, y] = [e[line + 6] as number, e[line + 7] as number];
    const fromA =
      x * ((e[other + 5] as number) - (e[line + 5] as number)) -
      y * ((e[other + 4] as number) - (e[line + 4] as number));
    const fromB = fromA + x * (e[other + 7] as number) - y * (e[other + 6] as number);
    const touch = e[line + 8] as number;
    return (fromA > touch && fromB > touch) || (fromA < -touch && fromB < -touch);
  }
}

/** Numbers of an edge. */
const SIZE = 9;

const CROSSING = "begins an edge that crosses another edge of the polygon";
const TWICE = "begins an edge that is there twice";

function faultOf(one: Edge, two: Edge): string | null {
  if ((isSame(one.a, two.a) && isSame(one.b, two.b)) || (isSame(one.a, two.b) && isSame(one.b, two.a)))
    return TWICE;
  const crosses =
    (side(one, two.a) * side(one, two.b) < 0 && side(two, one.a) * side(two, one.b) < 0) ||
    passesThrough(one, two) ||
    passesThrough(two, one) ||
    (isSame(one.b, two.b) && areIntertwined(one, two));
  return crosses ? CROSSING : null;
}

/** The side of an edge's line on which a point lies: 1 to the left, 0 on it. */
function side({ a: [ax, ay], b: [bx, by] }: Edge, [x, y]: Point): -1 | 0 | 1 {
  const twice = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  const distance = twice / Math.hypot(bx - ax, by - ay);
  return Math.abs(distance) <= TOUCH ? 0 : distance > 0 ? 1 : -1;
}

/** True if the end of one edge lies inside of another, which the ring crosses there. */
function passesThrough(line: Edge, { a, b, next }: Edge): boolean {
  if (side(line, b) !== 0 || isSame(b, line.a) || isSame(b, line.b)) return false;
  const [x, y] = [line.b[0] - line.a[0], line.b[1] - line.a[1]];
  const along = (b[0] - line.a[0]) * x + (b[1] - line.a[1]) * y;
  return along > 0 && along < x * x + y * y && side(line, a) * side(line, next) < 0;
}

/** True if two ways through the same corner cross there. */
function areIntertwined(one: Edge, two: Edge): boolean {
  const [x, y] = one.b;
  const direction = ([toX, toY]: Point): number => Math.atan2(toY - y, toX - x);
  const from = direction(one.a);
  const turn = (to: Point): number => (direction(to) - from + 4 * Math.PI) % (2 * Math.PI);
  const [out, ...others] = [turn(one.next), turn(two.a), turn(two.next)] as [number, number, number];
  // Ways that run together for a while touch.
  if (others.some((each) => isNear(each, 0) || isNear(each, out) || isNear(each, 2 * Math.PI))) return false;
  return others.filter((each) => each < out).length === 1;
}

/** Radians between directions that are the same. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9;
