import { EARTH_RADIUS_KM } from "../../kernel/values/great-circle";
import type { Fix, Spot } from "./fixes";

/** The pieces of a track, and its figures, found out as its positions come. */

const RADIANS = Math.PI / 180;

/** West, south, east and north in degrees; west exceeds east across the 180th meridian. */
export type Bbox = [west: number, south: number, east: number, north: number];

/** Longitudes are told apart by tenths of a degree: the widest gap between them is outside of the box. */
const SLOTS = 3_600;

/** The box around positions that come one by one. */
export class BboxFinder {
  #south = 90;
  #north = -90;
  readonly #least = new Float64Array(SLOTS).fill(Number.NaN);
  readonly #most = new Float64Array(SLOTS).fill(Number.NaN);

  add(latitude: number, longitude: number): void {
    if (latitude < this.#south) this.#south = latitude;
    if (latitude > this.#north) this.#north = latitude;
    const slot = Math.min(SLOTS - 1, Math.floor((longitude + 180) * (SLOTS / 360)));
    // Also true for the first one of a slot.
    if (!((this.#least[slot] as number) <= longitude)) this.#least[slot] = longitude;
    if (!((this.#most[slot] as number) >= longitude)) this.#most[slot] = longitude;
  }

  /** Null without any position. */
  get bbox(): Bbox | null {
    const used: number[] = [];
    for (let slot = 0; slot < SLOTS; slot++) if (!Number.isNaN(this.#least[slot])) used.push(slot);
    if (used.length === 0) return null;
    let widest = -1;
    let [west, east] = [0, 0];
    for (const [at, slot] of used.entries()) {
      const next = used[(at + 1) % used.length] as number;
      const [end, begin] = [this.#most[slot] as number, this.#least[next] as number];
      const gap = begin - end + (at === used.length - 1 ? 360 : 0);
      if (gap > widest) [widest, west, east] = [gap, begin, end];
    }
    return [west, this.#south, east, this.#north];
  }
}

/** Follows a track and tells where a new piece begins. */
export class PieceFinder {
  readonly #gap: number;
  readonly #box = new BboxFinder();
  #last: Spot | Fix | null = null;
  #kilometres = 0;
  #total = 0;
  /** The last position on the unit sphere, until the next one. */
  readonly at: Vector = { x: 0, y: 0, z: 0 };

  readonly #beginners: ReadonlySet<number>;

  /** A pause of more than so many milliseconds begins a new piece, and so does a position whose row is among `beginners`. */
  constructor(gap: number, beginners: ReadonlySet<number> = new Set()) {
    this.#gap = gap;
    this.#beginners = beginners;
  }

  /** True if the next position begins a piece. */
  begins(fix: Spot | Fix): boolean {
    const last = this.#last;
    const isNew = last === null || fix[1] - last[1] > this.#gap || this.#beginners.has(fix[0]);
    const { x: lastX, y: lastY, z: lastZ } = this.at;
    placeAt(fix, this.at);
    if (!isNew) this.#kilometres += distanceOf(this.at.x - lastX, this.at.y - lastY, this.at.z - lastZ);
    this.#box.add(fix[2], fix[3]);
    this.#total++;
    this.#last = fix;
    return isNew;
  }

  get figures(): { points_total: number; distance_km: number; bbox: Bbox | null } {
    return { points_total: this.#total, distance_km: this.#kilometres, bbox: this.#box.bbox };
  }
}

/** A point of the unit sphere. */
export interface Vector {
  x: number;
  y: number;
  z: number;
}

/** Makes a vector that of a position: millions of new ones would have to be collected. */
function placeAt(fix: Spot | Fix, vector: Vector): void {
  const latitude = fix[2] * RADIANS;
  const longitude = fix[3] * RADIANS;
  const cosLatitude = Math.cos(latitude);
  vector.x = cosLatitude * Math.cos(longitude);
  vector.y = cosLatitude * Math.sin(longitude);
  vector.z = Math.sin(latitude);
}

export function vectorOf(fix: Spot | Fix): Vector {
  const vector = { x: 0, y: 0, z: 0 };
  placeAt(fix, vector);
  return vector;
}

/** The great-circle distance of two points in kilometres, by their chord: exact to some nanometres where they are near. */
const distanceOf = (x: number, y: number, z: number): number =>
  2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(x * x + y * y + z * z) / 2));
