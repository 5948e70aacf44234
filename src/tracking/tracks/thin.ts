import { profile } from "../../configuration/profile";
import { type Fix, type Spot, seconds } from "./fixes";
import { type PieceFinder, type Vector, vectorOf } from "./pieces";
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

/** Lets others go. */
const pause = (): Promise<void> => new Promise((go) => setImmediate(go));

const column = (capacity: number) => new Float64Array(capacity);

/** Positions in columns: a million of them are 65 MB. */
class Columns implements Way {
  length = 0;
  #capacity: number;
  x: Float64Array;
  y: Float64Array;
  z: Float64Array;
  #latitude: Float64Array;
  #longitude: Float64Array;
  #seconds: Float64Array;
  #speed: Float64Array;
  #altitude: Float64Array;
  #begins: Uint8Array;
  pieces: [first: number, last: number][] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    [this.x, this.y, this.z] = [column(capacity), column(capacity), column(capacity)];
    [this.#latitude, this.#longitude] = [column(capacity), column(capacity)];
    [this.#seconds, this.#speed, this.#altitude] = [column(capacity), column(capacity), column(capacity)];
    this.#begins = new Uint8Array(capacity);
  }

  get isFull(): boolean {
    return this.length === this.#capacity;
  }

  /** Makes room for more, a column in each turn of the event loop. */
  async widen(capacity: number): Promise<void> {
    const wider = async (before: Float64Array) => {
      const after = column(capacity);
      after.set(before);
      await pause();
      return after;
    };
    this.x = await wider(this.x);
    this.y = await wider(this.y);
    this.z = await wider(this.z);
    this.#latitude = await wider(this.#latitude);
    this.#longitude = await wider(this.#longitude);
    this.#seconds = await wider(this.#seconds);
    this.#speed = await wider(this.#speed);
    this.#altitude = await wider(this.#altitude);
    const begins = new Uint8Array(capacity);
    begins.set(this.#begins);
    this.#begins = begins;
    this.#capacity = capacity;
  }

  /** Takes a position, and what it is on the unit sphere. */
  push(fix: Spot | Fix, begins: boolean, vector: Vector): void {
    const at = this.length++;
    this.x[at] = vector.x;
    this.y[at] = vector.y;
    this.z[at] = vector.z;
    // By index: taken apart by a pattern, each array would be iterated.
    this.#seconds[at] = seconds(fix[1]);
    this.#latitude[at] = fix[2];
    this.#longitude[at] = fix[3];
    this.#altitude[at] = fix[4] ?? Number.NaN;
    this.#speed[at] = fix[5] ?? Number.NaN;
    this.#begins[at] = begins ? 1 : 0;
    this.#note(at);
  }

  #note(at: number): void {
    const last = this.pieces[this.pieces.length - 1];
    if (last && this.#begins[at] === 0) last[1] = at;
    else this.pieces.push([at, at]);
  }

  /** Goes on with some of the points alone, in their order. */
  keep(points: readonly number[]): void {
    // Each goes to its own place or to one before it.
    const columns = [this.x, this.y, this.z, this.#latitude, this.#longitude, this.#seconds, this.#speed];
    this.length = points.length;
    for (const values of [...columns, this.#altitude, this.#begins])
      for (let at = 0; at < this.length; at++) values[at] = values[points[at] as number] as number;
    this.pieces = [];
    for (let at = 0; at < this.length; at++) this.#note(at);
  }

  emptied(): this {
    this.length = 0;
    this.pieces = [];
    return this;
  }

  /** Some of the points in their order, the first of each piece among them, in pieces. */
  pointsOf(kept: readonly number[]): TrackPoint[][] {
    const pieces: TrackPoint[][] = [];
    let piece: TrackPoint[] = [];
    for (const at of kept) {
      if (this.#begins[at] === 1) {
        piece = [];
        pieces.push(piece);
      }
      const [longitude, latitude] = [this.#longitude[at] as number, this.#latitude[at] as number];
      const [speed, altitude] = [orNull(this.#speed[at] as number), orNull(this.#altitude[at] as number)];
      piece.push([longitude, latitude, this.#seconds[at] as number, speed, altitude]);
    }
    return pieces;
  }
}

/** Points of a track in pieces, and the tolerance that it took. */
export interface Thinned {
  pieces: TrackPoint[][];
  /** Metres, within which all lies that was left out. */
  tolerance: number;
}

/** Points of the shape to which a track is reduced each time as many positions are held as the profile lets. */
const OF_PART = 100_000;
const AT_FIRST = 16_384;

/** Columns of a short track that was drawn, for the next one: a megabyte that the system need not give and clear anew. */
let spare: Columns | null = null;

/** The points of a track that stay at the smallest tolerance which leaves at most so many. */
export async function thinToFit(
  pages: AsyncIterable<Spot[]>,
  finder: PieceFinder,
  most: number,
): Promise<Thinned> {
  const columns = spare ?? new Columns(AT_FIRST);
  spare = null;
  let capacity = AT_FIRST;
  let tolerance = 0;
  const shape = (points: number) => fitting(columns, columns.pieces, points);
  for await (const page of pages)
    for (const fix of page) {
      if (columns.isFull && capacity < profile.trackPositions) {
        capacity = Math.min(profile.trackPositions, capacity * 2);
        await columns.widen(capacity);
      } else if (columns.isFull) {
        const part = await shape(OF_PART);
        columns.keep(part.kept);
        tolerance += part.tolerance;
      }
      columns.push(fix, finder.begins(fix), finder.at);
    }
  await pause();
  const whole = await shape(most);
  const pieces = columns.pointsOf(whole.kept);
  if (capacity === AT_FIRST) spare = columns.emptied();
  return { pieces, tolerance: tolerance + whole.tolerance };
}

// --- A tolerance ------------------------------------------------------------------------------------------

/** A position, and true if it begins a piece. */
export type Point<Read extends Spot | Fix = Fix> = [fix: Read, begins: boolean];

/** Positions that a tolerance is applied to at once; the ends of such a part stay. */
const PART = 50_000;

/** The points of a track that stay at a tolerance in metres, in parts; null for all. */
export async function* thinTo<Read extends Spot | Fix>(
  pages: AsyncIterable<Read[]>,
  finder: PieceFinder,
  metres: number | null,
): AsyncGenerator<Point<Read>[]> {
  let points: Point<Read>[] = [];
  for await (const page of pages) {
    for (const fix of page) points.push([fix, finder.begins(fix)]);
    if (metres !== null && points.length < PART) continue;
    // The next part goes on where this one ends.
    yield metres === null ? points : (await steady(points, metres)).slice(0, -1);
    points = metres === null ? [] : points.slice(-1);
  }
  if (points.length > 0) yield metres === null ? points : await steady(points, metres);
}

async function steady<Read extends Spot | Fix>(
  points: Point<Read>[],
  metres: number,
): Promise<Point<Read>[]> {
  const columns = new Columns(points.length);
  for (const [fix, begins] of points) columns.push(fix, begins, vectorOf(fix));
  const kept: Point<Read>[] = [];
  for (const [first, last] of columns.pieces)
    for (const at of await withinTolerance(columns, first, last, metres))
      kept.push(points[at] as Point<Read>);
  return kept;
}

export const toTrackPoint = ([, timestamp, latitude, longitude, altitude, speedMps]:
  | Spot
  | Fix): TrackPoint => [
  ...([longitude, latitude, seconds(timestamp)] as [number, number, number]),
  ...([speedMps, altitude] as [number | null, number | null]),
];
