/** The way of one device since midnight, as points that the map draws. */

/** Longitude and latitude in degrees, Unix time in seconds. */
export type Point = readonly [longitude: number, latitude: number, time: number];

/** A longer pause (seconds) begins a new piece. */
export const GAP_SECONDS = 600;

/** Nearer points than this (metres) are one, while a device moves on. */
const NEAR_METRES = 12;

/** Points that were added one by one, after which the way is better asked for anew: the server thins it. */
const MANY = 1_500;

const METRES_PER_DEGREE = 111_195;

function metresBetween([lon, lat]: Point, [toLon, toLat]: Point): number {
  const east = ((((toLon - lon + 540) % 360) + 360) % 360) - 180;
  return Math.hypot(east * Math.cos((lat * Math.PI) / 180), toLat - lat) * METRES_PER_DEGREE;
}

export class Trail {
  pieces: Point[][] = [];
  #added = 0;
  /** True while its last point isn't kept yet: the next one may take its place. */
  #isLoose = false;

  /** Puts the way so far before what was added meanwhile. */
  begin(pieces: readonly Point[][]): void {
    const end = pieces.at(-1)?.at(-1)?.[2] ?? Number.NEGATIVE_INFINITY;
    const since = this.pieces.flat().filter(([, , time]) => time > end);
    this.pieces = pieces.map((piece) => [...piece]);
    this.#added = 0;
    this.#isLoose = false;
    for (const point of since) this.add(point);
  }

  /** Adds a newer point. */
  add(point: Point): void {
    const piece = this.pieces.at(-1);
    const last = piece?.at(-1);
    if (last && point[2] <= last[2]) return;
    this.#added++;
    if (!piece || !last || point[2] - last[2] > GAP_SECONDS) {
      this.pieces.push([point]);
      this.#isLoose = false;
      return;
    }
    const kept = piece.at(this.#isLoose ? -2 : -1) as Point;
    if (this.#isLoose && metresBetween(kept, point) < NEAR_METRES) piece[piece.length - 1] = point;
    else {
      piece.push(point);
      this.#isLoose = true;
    }
  }

  get isLong(): boolean {
    return this.#added > MANY;
  }

  /** Forgets what is older than a time in Unix seconds. */
  dropBefore(time: number): void {
    this.pieces = this.pieces
      .map((piece) => piece.filter((point) => point[2] >= time))
      .filter(({ length }) => length > 0);
  }
}

/** Seconds up to which a part of a trail belongs to a band; what is older belongs to the last. */
export const BANDS = [600, 3_600, 10_800, 28_800] as const;

export interface Part {
  /** 0 for the youngest. */
  band: number;
  line: [number, number][];
}

const bandOf = (age: number): number => {
  const at = BANDS.findIndex((most) => age <= most);
  return at === -1 ? BANDS.length : at;
};

/** The lines of pieces, cut where they pass from one band of age to the next. `now` in Unix seconds. */
export function partsOf(pieces: readonly (readonly Point[])[], now: number): Part[] {
  const parts: Part[] = [];
  for (const piece of pieces) {
    let part: Part | null = null;
    let before: [number, number] | null = null;
    for (const [longitude, latitude, time] of piece) {
      // Across the 180th meridian a line goes on, rather than around the Earth.
      const lon: number = before ? longitude + 360 * Math.round((before[0] - longitude) / 360) : longitude;
      const at: [number, number] = [lon, latitude];
      const band = bandOf(now - time);
      if (!part || part.band !== band) {
        part = { band, line: before ? [before, at] : [at] };
        parts.push(part);
      } else part.line.push(at);
      before = at;
    }
  }
  return parts.filter(({ line }) => line.length > 1);
}
