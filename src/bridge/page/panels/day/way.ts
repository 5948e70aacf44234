import type { Schemas } from "../../api";
import { bearingDeg, distanceKm } from "../../map/geometry";

/** The way of a device as it is replayed: its points in the order of time, and where a device is in between. */

export interface Point {
  longitude: number;
  latitude: number;
  /** Unix seconds. */
  time: number;
  /** Metres a second; null where it isn't known. */
  speed: number | null;
  /** True for the first point of a piece: between it and the one before nothing is known. */
  begins: boolean;
}

/** Oldest first. */
export type Way = readonly Point[];

type Pieces = Schemas["Track"]["pieces"];
type Stop = Pick<Schemas["TimelineSegment"], "from" | "to" | "start" | "end">;

/** The points of a track's pieces. */
export const wayOf = (pieces: Pieces): Point[] =>
  pieces.flatMap((piece) =>
    piece.map(([longitude, latitude, time, speed], at) => ({
      longitude: longitude ?? 0,
      latitude: latitude ?? 0,
      time: time ?? 0,
      speed: speed ?? null,
      begins: at === 0,
    })),
  );

/** The number of the last point that isn't after a time; -1 before the first one. */
export function indexAt(way: Way, time: number): number {
  let [low, high] = [0, way.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((way[middle] as Point).time <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The way with the beginnings and the ends of its stops. A track keeps the shape of a way, not its pace: without them, a device
 * that stopped on a straight line would seem to creep along it.
 */
export function withStops(way: Way, stops: readonly Stop[]): Way {
  const added = stops.flatMap(({ from, to, start, end }) =>
    [
      { ...start, time: Date.parse(from) / 1_000 },
      { ...end, time: Date.parse(to) / 1_000 },
    ].filter(({ time }) => {
      const at = indexAt(way, time);
      const next = way[at + 1];
      return at >= 0 && way[at]?.time !== time && next !== undefined && !next.begins;
    }),
  );
  if (added.length === 0) return way;
  return [...way, ...added.map((point) => ({ ...point, speed: 0, begins: false }))].sort(
    (one, other) => one.time - other.time,
  );
}

/** The place of a device at a moment, and how it moves there. */
export interface Moment {
  longitude: number;
  latitude: number;
  /** Degrees from true north; null for a device that hasn't moved yet. */
  heading: number | null;
  /** Metres a second; null while nothing is known. */
  speed: number | null;
  /** True between two pieces and after the end: the place is the last one that is known. */
  isWaiting: boolean;
}

/** The longitude that is meant, from -180 to 180. */
const turned = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;

const METRES = 1_000;
/** A shorter leg (metres) has no direction. */
const SHORT = 1;

const metres = (from: Point, to: Point): number =>
  METRES * distanceKm([from.longitude, from.latitude], [to.longitude, to.latitude]);

/** The direction of the last leg up to a point that had one. */
function headingAt(way: Way, index: number): number | null {
  for (let at = index; at > 0 && !way[at]?.begins; at--) {
    const [from, to] = [way[at - 1] as Point, way[at] as Point];
    if (metres(from, to) > SHORT)
      return bearingDeg([from.longitude, from.latitude], [to.longitude, to.latitude]);
  }
  return null;
}

/** The moment of a device at a time in Unix seconds; null before its way begins. */
export function momentAt(way: Way, time: number): Moment | null {
  const index = indexAt(way, time);
  const from = way[index];
  if (!from) return null;
  const to = way[index + 1];
  const { longitude, latitude } = from;
  if (!to || to.begins) {
    const isWaiting = time > from.time;
    return {
      ...{ longitude, latitude, isWaiting, heading: headingAt(way, index) },
      speed: isWaiting ? null : from.speed,
    };
  }
  const part = (time - from.time) / (to.time - from.time);
  const between = (one: number, other: number) => one + (other - one) * part;
  // The short way, also across the 180th meridian.
  const east = turned(to.longitude - longitude);
  return {
    longitude: turned(longitude + east * part),
    latitude: between(latitude, to.latitude),
    heading: headingAt(way, index + 1),
    speed:
      from.speed !== null && to.speed !== null
        ? between(from.speed, to.speed)
        : metres(from, to) / (to.time - from.time),
    isWaiting: false,
  };
}

/** Stretches of which nothing is known, each from its last point before to its first point after. */
export const gapsOf = (way: Way): [from: Point, to: Point][] =>
  way.flatMap((to, at) => {
    const from = way[at - 1];
    return from && to.begins ? [[from, to] as [Point, Point]] : [];
  });

/**
 * The speeds of a way in equal steps of time, in metres a second: of each step the highest. Null where nothing is known.
 */
export function speedsOf(way: Way, from: number, to: number, steps: number): (number | null)[] {
  const size = (to - from) / steps;
  let at = indexAt(way, from - 1e-6) + 1;
  return Array.from({ length: steps }, (_, step) => {
    const end = from + (step + 1) * size;
    let most: number | null = null;
    for (; at < way.length && (way[at] as Point).time <= end; at++) {
      const { speed } = way[at] as Point;
      if (speed !== null) most = Math.max(most ?? 0, speed);
    }
    return most ?? momentAt(way, from + (step + 0.5) * size)?.speed ?? null;
  });
}

/** The time at which a way comes nearest to a place; null for an empty one. */
export function nearestTime(way: Way, [longitude, latitude]: readonly [number, number]): number | null {
  const narrow = Math.cos((latitude * Math.PI) / 180);
  const flat = (point: Point): [number, number] => [
    turned(point.longitude - longitude) * narrow,
    point.latitude - latitude,
  ];
  let found: number | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  for (const [at, point] of way.entries()) {
    const [x, y] = flat(point);
    const next = way[at + 1];
    const [toX, toY] = next && !next.begins ? flat(next) : [x, y];
    const [dx, dy] = [toX - x, toY - y];
    const along = Math.max(0, Math.min(1, -(x * dx + y * dy) / (dx * dx + dy * dy || 1)));
    const far = Math.hypot(x + along * dx, y + along * dy);
    if (far >= nearest) continue;
    nearest = far;
    found = point.time + along * ((next?.time ?? point.time) - point.time);
  }
  return found;
}
