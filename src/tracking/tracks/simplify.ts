import { EARTH_RADIUS_KM } from "../../kernel/values/great-circle";

/**
 * Simplifies tracks by the algorithm of Douglas and Peucker (1973), on great circles: each point that is left out lies within a
 * tolerance of the arc between those around it that stay.
 */

/** Points in their order, as vectors of the unit sphere. */
export interface Way {
  length: number;
  x: Float64Array;
  y: Float64Array;
  z: Float64Array;
}

/** Arcs and ways shorter than this (radians, a tenth of a millimetre) are points. */
const SHORTEST = 1.6e-11;

/** Deviations are compared as squared chords, which grow with the angle; in metres: */
const toMetres = (squaredChord: number): number =>
  2_000 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(squaredChord) / 2));
const toSquaredChord = (metres: number): number => {
  const half = Math.sin(Math.min(Math.PI / 2, metres / 2_000 / EARTH_RADIUS_KM));
  return 4 * half * half;
};

/** A stretch of points between two that stay, and the one of them that deviates most from their arc. */
interface Stretch {
  first: number;
  last: number;
  /** Number of the point; -1 where there is none between. */
  farthest: number;
  /** Squared chord. Where points have to fit, at most that of the stretch which it is part of: it appears no sooner. */
  deviation: number;
}

/**
 * Looks at the points from one to before another, and notes the farthest one from the arc of a stretch. Of several that are
 * equally far, the one nearest to the middle: split at the first one, a route that is run again and again would lose one run
 * at a time, and each time all that is left would be looked at.
 */
function look({ x, y, z }: Way, stretch: Stretch, from: number, to: number): void {
  const { first, last } = stretch;
  let { farthest, deviation } = stretch;
  const middle = (first + last) / 2;
  // Number by number: taken from arrays, these would cost more than the few points of most stretches.
  const ax = x[first] as number;
  const ay = y[first] as number;
  const az = z[first] as number;
  const bx = x[last] as number;
  const by = y[last] as number;
  const bz = z[last] as number;
  let nx = ay * bz - az * by;
  let ny = az * bx - ax * bz;
  let nz = ax * by - ay * bx;
  const size = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const isArc = size >= SHORTEST;
  if (isArc) {
    nx /= size;
    ny /= size;
    nz /= size;
  }
  // Towards the inside of the arc, from its beginning and from its end.
  const ux = ny * az - nz * ay;
  const uy = nz * ax - nx * az;
  const uz = nx * ay - ny * ax;
  const vx = by * nz - bz * ny;
  const vy = bz * nx - bx * nz;
  const vz = bx * ny - by * nx;
  // The normal of near ends is rounded: what that does to a point it does to the beginning too, and the difference is exact.
  const rounded = ax * nx + ay * ny + az * nz;
  for (let at = from; at < to; at++) {
    const px = x[at] as number;
    const py = y[at] as number;
    const pz = z[at] as number;
    let chord: number;
    if (isArc && px * ux + py * uy + pz * uz >= 0 && px * vx + py * vy + pz * vz >= 0) {
      const sine = px * nx + py * ny + pz * nz - rounded;
      const squared = sine * sine;
      // The squared chord is no more than this: the root and the division are spared for most points.
      if (squared * (1 + squared) < deviation) continue;
      chord = (2 * squared) / (1 + Math.sqrt(Math.max(0, 1 - squared)));
    } else {
      const dx = px - ax;
      const dy = py - ay;
      const dz = pz - az;
      chord = dx * dx + dy * dy + dz * dz;
      const ex = px - bx;
      const ey = py - by;
      const ez = pz - bz;
      chord = Math.min(chord, ex * ex + ey * ey + ez * ez);
    }
    if (chord > deviation || (chord === deviation && Math.abs(at - middle) < Math.abs(farthest - middle))) {
      farthest = at;
      deviation = chord;
    }
  }
  stretch.farthest = farthest;
  stretch.deviation = deviation;
}

/** Points looked at in one go: a few milliseconds. */
const IN_ONE_GO = 100_000;

/** Finds the farthest points of stretches, with others in between. */
class Finder {
  readonly #way: Way;
  /** One for all: thousands of them would have to be collected. */
  readonly #stretch: Stretch = { first: 0, last: 0, farthest: -1, deviation: -1 };
  #left = IN_ONE_GO;

  constructor(way: Way) {
    this.#way = way;
  }

  /** The stretch between two points, until the next one is asked for; a promise if others go first. */
  find(first: number, last: number): Stretch | Promise<Stretch> {
    const stretch = this.#stretch;
    stretch.first = first;
    stretch.last = last;
    stretch.farthest = -1;
    stretch.deviation = -1;
    const points = last - first - 1;
    if (points > this.#left) return this.#findSlowly(stretch);
    this.#left -= points;
    look(this.#way, stretch, first + 1, last);
    return stretch;
  }

  async #findSlowly(stretch: Stretch): Promise<Stretch> {
    for (let from = stretch.first + 1; from < stretch.last; from += IN_ONE_GO) {
      await new Promise<void>((go) => setImmediate(go));
      look(this.#way, stretch, from, Math.min(from + IN_ONE_GO, stretch.last));
    }
    this.#left = IN_ONE_GO;
    return stretch;
  }
}

/** The points of a stretch of a way that stay at a tolerance (metres), its ends among them, in order. */
export async function withinTolerance(
  way: Way,
  first: number,
  last: number,
  metres: number,
): Promise<number[]> {
  const least = toSquaredChord(metres);
  const finder = new Finder(way);
  const kept = [first];
  const open = [{ first, last }];
  for (let next = open.pop(); next; next = open.pop()) {
    const found = finder.find(next.first, next.last);
    const stretch = found instanceof Promise ? await found : found;
    if (stretch.farthest === -1 || stretch.deviation <= least) {
      if (next.last > next.first) kept.push(next.last);
      continue;
    }
    // The first half is the next one, so that the ends come in order.
    open.push({ first: stretch.farthest, last: next.last }, { first: next.first, last: stretch.farthest });
  }
  return kept;
}

/** Stretches, the one that deviates most on top (Williams: Heapsort, 1964). */
class Heap {
  readonly #stretches: Stretch[] = [];

  get top(): Stretch | undefined {
    return this.#stretches[0];
  }

  push(stretch: Stretch): void {
    const heap = this.#stretches;
    let at = heap.push(stretch) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((heap[above] as Stretch).deviation >= stretch.deviation) break;
      heap[at] = heap[above] as Stretch;
      at = above;
    }
    heap[at] = stretch;
  }

  pop(): Stretch | undefined {
    const heap = this.#stretches;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const right = heap[below + 1];
      if (right && right.deviation > (heap[below] as Stretch).deviation) below++;
      if ((heap[below] as Stretch).deviation <= last.deviation) break;
      heap[at] = heap[below] as Stretch;
      at = below;
    }
    heap[at] = last;
    return top;
  }
}

export interface Fitted {
  /** The points that stay, in order. */
  kept: number[];
  /** The smallest tolerance in metres at which no more of them stay than fit; 0 where all do. */
  tolerance: number;
}

/** Of so few points for each that fits, most appear: looking at all of them takes less time than keeping an order. */
const FEW = 4;

/**
 * The points of pieces of a way that stay at the smallest tolerance which leaves at most so many. The ends of each piece stay,
 * also where they are more than fit.
 */
export const fitting = (
  way: Way,
  pieces: readonly [first: number, last: number][],
  most: number,
): Promise<Fitted> =>
  way.length <= most * FEW ? amongAll(way, pieces, most) : amongFarthest(way, pieces, most);

/** Finds the tolerance at which each point appears. */
async function amongAll(
  way: Way,
  pieces: readonly [first: number, last: number][],
  most: number,
): Promise<Fitted> {
  const finder = new Finder(way);
  const appears = new Float64Array(way.length);
  const open: number[] = [];
  const add = (first: number, last: number, limit: number) => {
    if (last - first > 1) open.push(first, last, limit);
  };
  for (const [first, last] of pieces) {
    appears[first] = Number.POSITIVE_INFINITY;
    appears[last] = Number.POSITIVE_INFINITY;
    add(first, last, Number.POSITIVE_INFINITY);
  }
  while (open.length > 0) {
    const limit = open.pop() as number;
    const last = open.pop() as number;
    const first = open.pop() as number;
    const found = finder.find(first, last);
    const { farthest, deviation } = found instanceof Promise ? await found : found;
    const least = Math.min(deviation, limit);
    appears[farthest] = least;
    add(first, farthest, least);
    add(farthest, last, least);
  }
  const ordered = appears.slice().sort();
  // The first one that doesn't fit is the limit, unless it is an end.
  const beyond = ordered[way.length - most - 1] ?? -1;
  const limit = Number.isFinite(beyond) ? beyond : (ordered.findLast(Number.isFinite) ?? -1);
  const kept: number[] = [];
  for (let at = 0; at < way.length; at++) if ((appears[at] as number) > limit) kept.push(at);
  return { kept, tolerance: limit < 0 ? 0 : toMetres(limit) };
}

/** Adds points in the order in which they appear, until no more fit. */
async function amongFarthest(
  way: Way,
  pieces: readonly [first: number, last: number][],
  most: number,
): Promise<Fitted> {
  const heap = new Heap();
  const finder = new Finder(way);
  const kept = new Set<number>();
  const add = (first: number, last: number, limit: number): Promise<void> | undefined => {
    if (last - first < 2) return;
    const push = (stretch: Stretch) =>
      heap.push({ ...stretch, deviation: Math.min(stretch.deviation, limit) });
    const found = finder.find(first, last);
    if (found instanceof Promise) return found.then(push);
    push(found);
  };
  for (const [first, last] of pieces) {
    kept.add(first).add(last);
    const adding = add(first, last, Number.POSITIVE_INFINITY);
    if (adding) await adding;
  }
  /** In the order in which they appear as the tolerance shrinks. */
  const added: Stretch[] = [];
  for (let next = heap.top; next && kept.size + added.length < most; next = heap.top) {
    heap.pop();
    added.push(next);
    const adding = add(next.first, next.farthest, next.deviation);
    if (adding) await adding;
    const other = add(next.farthest, next.last, next.deviation);
    if (other) await other;
  }
  // Points of the same deviation appear together, or not at all.
  const limit = heap.top?.deviation ?? -1;
  for (const { farthest, deviation } of added) if (deviation > limit) kept.add(farthest);
  return { kept: [...kept].sort((a, b) => a - b), tolerance: limit < 0 ? 0 : toMetres(limit) };
}
