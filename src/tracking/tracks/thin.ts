import { toVector } from "../geofences/geometry";
import { type Fix, seconds } from "./fixes";
import type { PieceFinder } from "./pieces";
import { fitting, type Way, withinTolerance } from "./simplify";

/** Tracks with fewer points. */

// --- As many points as fit --------------------------------------------------------------------------------

/** A point as JSON shows it. */
export type TrackPoint = [
  longitude: number,
  latitude: number,
  unixSeconds: number,
  speedMps: number | null,
  altitude: number | null,
];

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Positions in columns: a million of them are 73 MB. */
class Columns implements Way {
  length = 0;
  readonly #capacity: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  readonly #latitude: Float64Array;
  readonly #longitude: Float64Array;
  readonly #seconds: Float64Array;
  readonly #speed: Float64Array;
  readonly #altitude: Float64Array;
  readonly #begins: Uint8Array;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const column = () => new Float64Array(capacity);
    [this.x, this.y, this.z] = [column(), column(), column()];
    [this.#latitude, this.#longitude] = [column(), column()];
    [this.#seconds, this.#speed, this.#altitude] = [column(), column(), column()];
    this.#begins = new Uint8Array(capacity);
  }

  get isFull(): boolean {
    return this.length === this.#capacity;
  }

  /** The same with room for more. */
  wider(capacity: number): Columns {
    const wide = new Columns(capacity);
    for (let at = 0; at < this.length; at++) this.#copy(at, wide);
    return wide;
  }

  push([, timestamp, latitude, longitude, altitude, , speedMps]: Fix, begins: boolean): void {
    const at = this.length++;
    [this.x[at], this.y[at], this.z[at]] = toVector({ latitude, longitude });
    this.#latitude[at] = latitude;
    this.#longitude[at] = longitude;
    this.#seconds[at] = seconds(timestamp);
    this.#speed[at] = speedMps ?? Number.NaN;
    this.#altitude[at] = altitude ?? Number.NaN;
    this.#begins[at] = begins ? 1 : 0;
  }

  #copy(from: number, into: Columns): void {
    const at = into.length++;
    const pairs = [
      ...[this.x, into.x, this.y, into.y, this.z, into.z, this.#latitude, into.#latitude],
      ...[this.#longitude, into.#longitude, this.#seconds, into.#seconds, this.#speed, into.#speed],
      ...[this.#altitude, into.#altitude],
    ];
    for (let pair = 0; pair < pairs.length; pair += 2)
      (pairs[pair + 1] as Float64Array)[at] = (pairs[pair] as Float64Array)[from] as number;
    into.#begins[at] = this.#begins[from] as number;
  }

  /** Goes on with some of the points alone. */
  keep(points: readonly number[]): void {
    this.length = 0;
    // Each goes to its own place or to one before it.
    for (const point of points) this.#copy(point, this);
  }

  get pieces(): [first: number, last: number][] {
    const pieces: [number, number][] = [];
    for (let at = 0; at < this.length; at++)
      if (this.#begins[at] === 1 || at === 0) pieces.push([at, at]);
      else (pieces.at(-1) as [number, number])[1] = at;
    return pieces;
  }

  point(at: number): TrackPoint {
    return [
      ...([this.#longitude[at], this.#latitude[at], this.#seconds[at]] as [number, number, number]),
      orNull(this.#speed[at] as number),
      orNull(this.#altitude[at] as number),
    ];
  }
}

/** Points of a track in pieces, and the tolerance that it took. */
export interface Thinned {
  pieces: TrackPoint[][];
  /** Metres, within which all lies that was left out. */
  tolerance: number;
}

/** Positions that are held at once. A longer track is reduced to its shape each time they are so many. */
const MOST_HELD = 1_100_000;
/** Points of that shape. */
const OF_PART = 100_000;
const AT_FIRST = 16_384;

/** The points of a track that stay at the smallest tolerance which leaves at most so many. */
export async function thinToFit(
  pages: AsyncIterable<Fix[]>,
  finder: PieceFinder,
  most: number,
): Promise<Thinned> {
  let columns = new Columns(AT_FIRST);
  let tolerance = 0;
  const shape = async (points: number) => {
    const { kept, tolerance: needed } = await fitting(columns, columns.pieces, points);
    columns.keep(kept);
    return needed;
  };
  for await (const page of pages)
    for (const fix of page) {
      if (columns.isFull && columns.length < MOST_HELD)
        columns = columns.wider(Math.min(MOST_HELD, columns.length * 2));
      else if (columns.isFull) {
        tolerance += await shape(OF_PART);
      }
      columns.push(fix, finder.begins(fix));
    }
  tolerance += await shape(most);
  const pieces = columns.pieces.map(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => columns.point(first + at)),
  );
  return { pieces, tolerance };
}

// --- A tolerance ------------------------------------------------------------------------------------------

/** A position, and true if it begins a piece. */
export type Point = [fix: Fix, begins: boolean];

/** Positions that a tolerance is applied to at once; the ends of such a part stay. */
const PART = 50_000;

/** The points of a track that stay at a tolerance in metres, in parts; null for all. */
export async function* thinTo(
  pages: AsyncIterable<Fix[]>,
  finder: PieceFinder,
  metres: number | null,
): AsyncGenerator<Point[]> {
  let points: Point[] = [];
  for await (const page of pages) {
    for (const fix of page) points.push([fix, finder.begins(fix)]);
    if (metres !== null && points.length < PART) continue;
    // The next part goes on where this one ends.
    yield metres === null ? points : (await steady(points, metres)).slice(0, -1);
    points = metres === null ? [] : points.slice(-1);
  }
  if (points.length > 0) yield metres === null ? points : await steady(points, metres);
}

async function steady(points: Point[], metres: number): Promise<Point[]> {
  const columns = new Columns(points.length);
  for (const [fix, begins] of points) columns.push(fix, begins);
  const kept: Point[] = [];
  for (const [first, last] of columns.pieces)
    for (const at of await withinTolerance(columns, first, last, metres)) kept.push(points[at] as Point);
  return kept;
}

export const toTrackPoint = ([, timestamp, latitude, longitude, altitude, , speedMps]: Fix): TrackPoint => [
  ...([longitude, latitude, seconds(timestamp)] as [number, number, number]),
  ...([speedMps, altitude] as [number | null, number | null]),
];
