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
  /** Squared chord, at most that of the stretch which it is part of: it appears no sooner. */
  deviation: number;
}

function stretchOf({ x, y, z }: Way, first: number, last: number, most: number): Stretch {
  let farthest = -1;
  let deviation = -1;
  const [ax, ay, az] = [x[first] as number, y[first] as number, z[first] as number];
  const [bx, by, bz] = [x[last] as number, y[last] as number, z[last] as number];
  let [nx, ny, nz] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
  const size = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const isArc = size >= SHORTEST;
  if (isArc) [nx, ny, nz] = [nx / size, ny / size, nz / size];
  // Towards the inside of the arc, from its beginning and from its end.
  const [ux, uy, uz] = [ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax];
  const [vx, vy, vz] = [by * nz - bz * ny, bz * nx - bx * nz, bx * ny - by * nx];
  for (let at = first + 1; at < last; at++) {
    const [px, py, pz] = [x[at] as number, y[at] as number, z[at] as number];
    // Differences, since products of near vectors would lose the millimetres.
    const [dx, dy, dz] = [px - ax, py - ay, pz - az];
    let chord = dx * dx + dy * dy + dz * dz;
    if (isArc && px * ux + py * uy + pz * uz >= 0 && px * vx + py * vy + pz * vz >= 0) {
      const sine = Math.min(1, Math.abs(dx * nx + dy * ny + dz * nz));
      chord = (2 * sine * sine) / (1 + Math.sqrt(1 - sine * sine));
    } else {
      const [ex, ey, ez] = [px - bx, py - by, pz - bz];
      chord = Math.min(chord, ex * ex + ey * ey + ez * ez);
    }
    if (chord > deviation) [farthest, deviation] = [at, chord];
  }
  return { first, last, farthest, deviation: Math.min(deviation, most) };
}

/** Points looked at in one go: a few milliseconds. */
const IN_ONE_GO = 200_000;

/** Lets others go between two goes of at most so many points. */
class Breath {
  #left = IN_ONE_GO;

  async after(points: number): Promise<void> {
    this.#left -= points;
    if (this.#left > 0) return;
    this.#left = IN_ONE_GO;
    await new Promise<void>((go) => setImmediate(go));
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
  const breath = new Breath();
  const kept = [first];
  const open = [{ first, last }];
  for (let next = open.pop(); next; next = open.pop()) {
    const stretch = stretchOf(way, next.first, next.last, Number.POSITIVE_INFINITY);
    await breath.after(next.last - next.first);
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

/**
 * The points of pieces of a way that stay at the smallest tolerance which leaves at most so many. The ends of each piece stay,
 * also where they are more than fit.
 */
export async function fitting(
  way: Way,
  pieces: readonly [first: number, last: number][],
  most: number,
): Promise<Fitted> {
  const heap = new Heap();
  const breath = new Breath();
  const kept = new Set<number>();
  const add = async (first: number, last: number, limit: number) => {
    const stretch = stretchOf(way, first, last, limit);
    if (stretch.farthest !== -1) heap.push(stretch);
    await breath.after(last - first);
  };
  for (const [first, last] of pieces) {
    kept.add(first).add(last);
    await add(first, last, Number.POSITIVE_INFINITY);
  }
  /** In the order in which they appear as the tolerance shrinks. */
  const added: Stretch[] = [];
  for (let next = heap.top; next && kept.size + added.length < most; next = heap.top) {
    heap.pop();
    added.push(next);
    await add(next.first, next.farthest, next.deviation);
    await add(next.farthest, next.last, next.deviation);
  }
  // Points of the same deviation appear together, or not at all.
  const limit = heap.top?.deviation ?? -1;
  for (const { farthest, deviation } of added) if (deviation > limit) kept.add(farthest);
  return { kept: [...kept].sort((a, b) => a - b), tolerance: limit < 0 ? 0 : toMetres(limit) };
}
