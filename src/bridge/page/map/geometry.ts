import type { MultiPolygon, Position } from "geojson";

/**
 * Shapes on the ground, as lines and areas of a map. Distances are kilometres along the sphere, directions degrees from true
 * north. Longitudes run on past 180° rather than jump, so that a shape across the 180th meridian stays in one piece.
 */

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** A place: longitude and latitude. */
type Place = readonly [longitude: number, latitude: number];

const place = (at: Position): Place => [at[0] ?? 0, at[1] ?? 0];

/** Kilometres between two places. */
export function distanceKm([lon, lat]: Place, [toLon, toLat]: Place): number {
  const north = Math.sin(((toLat - lat) * RADIANS) / 2);
  const east = Math.sin(((toLon - lon) * RADIANS) / 2);
  const h = north * north + Math.cos(lat * RADIANS) * Math.cos(toLat * RADIANS) * east * east;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The direction in which the shortest way to another place begins. */
export function bearingDeg([lon, lat]: Place, [toLon, toLat]: Place): number {
  const [a, b, along] = [lat * RADIANS, toLat * RADIANS, (toLon - lon) * RADIANS];
  const east = Math.sin(along) * Math.cos(b);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(along);
  return (Math.atan2(east, north) / RADIANS + 360) % 360;
}

/** The place in a direction at a distance. Its longitude lies within 180° of that of the first. */
export function destination([lon, lat]: Place, bearing: number, km: number): [number, number] {
  const [angle, a, towards] = [km / EARTH_RADIUS_KM, lat * RADIANS, bearing * RADIANS];
  const up = Math.sin(a) * Math.cos(angle) + Math.cos(a) * Math.sin(angle) * Math.cos(towards);
  const east = Math.sin(towards) * Math.sin(angle) * Math.cos(a);
  const along = Math.atan2(east, Math.cos(angle) - Math.sin(a) * up);
  return [lon + along / RADIANS, Math.asin(Math.max(-1, Math.min(1, up))) / RADIANS];
}

/** The longitude that is another one's neighbour, not a turn of the Earth away from it. */
const beside = (longitude: number, neighbour: number): number =>
  longitude + 360 * Math.round((neighbour - longitude) / 360);

/** The same places, each within 180° of the one before. */
export function unwrapped(line: readonly Position[]): Place[] {
  const made: Place[] = [];
  for (const at of line) {
    const [longitude, latitude] = place(at);
    made.push([beside(longitude, made.at(-1)?.[0] ?? longitude), latitude]);
  }
  return made;
}

/** Longer edges than this are bent: a straight line on the map isn't the shortest way. */
const STRAIGHT_KM = 50;

/** The places of a line whose edges are great circles, close enough to each other for straight lines between them. */
export function alongGround(line: readonly Position[]): Place[] {
  const corners = unwrapped(line);
  const made = corners.slice(0, 1);
  for (const [at, to] of corners.slice(1).entries()) {
    const from = corners[at] as Place;
    const km = distanceKm(from, to);
    const steps = Math.ceil(km / STRAIGHT_KM);
    for (let step = 1; step < steps; step++) {
      const before = made.at(-1) as Place;
      const [longitude, latitude] = destination(before, bearingDeg(before, to), km / steps);
      made.push([beside(longitude, before[0]), latitude]);
    }
    made.push([beside(to[0], (made.at(-1) as Place)[0]), to[1]]);
  }
  return made;
}

/** The highest latitude that the map shows, and a little more. */
const EDGE = 86;

/** A band around the whole Earth, from one latitude to another. */
const band = (west: number, from: number, to: number): Place[] => [
  [west, from],
  [west + 360, from],
  [west + 360, to],
  [west, to],
  [west, from],
];

const closed = (ring: readonly Place[]): Position[] => {
  const [first, last] = [ring[0] as Place, ring.at(-1) as Place];
  const ends = first[0] === last[0] && first[1] === last[1];
  return (ends ? ring : [...ring, first]).map(([longitude, latitude]) => [longitude, latitude]);
};

/** The line at a distance around a place; closed, unless it runs around a pole. */
function circleLine(centre: Place, km: number, steps = 72): Place[] {
  const turn = Array.from({ length: steps + 1 }, (_, step) => destination(centre, (360 * step) / steps, km));
  return unwrapped(turn);
}

/** Circles of a radius on the ground as rings of an area; around a pole, whatever lies beyond the circle up to the map's edge. */
export function circle(centre: Position, km: number): Position[][] {
  const at = place(centre);
  const line = circleLine(at, km);
  const toPole = ((90 - Math.abs(at[1])) * RADIANS * EARTH_RADIUS_KM) / 1;
  const toOtherPole = Math.PI * EARTH_RADIUS_KM - toPole;
  if (km < toPole) return [closed(line)];
  if (km >= Math.PI * EARTH_RADIUS_KM) return [closed(band(at[0] - 180, -EDGE, EDGE))];
  // Both poles lie inside: all but a hole around the place on the other side.
  if (km >= toOtherPole) {
    const west = Math.min(...line.map(([longitude]) => longitude)) - 1;
    return [closed(band(west, -EDGE, EDGE)), closed(line)];
  }
  const pole = at[1] >= 0 ? EDGE : -EDGE;
  const [first, last] = [line[0] as Place, line.at(-1) as Place];
  return [closed([...line, [last[0], pole], [first[0], pole]])];
}

/** Points of a quarter of a round corner. */
const CORNER = 6;

/** Places at a distance around a place, from one direction to another, clockwise where `turn` is positive. */
function corner(around: Place, from: number, turn: number, km: number): Place[] {
  const steps = Math.max(1, Math.ceil((Math.abs(turn) / 90) * CORNER));
  return Array.from({ length: steps + 1 }, (_, step) =>
    destination(around, from + (turn * step) / steps, km),
  );
}

/** The angle from one direction to another, from -180 to 180. */
const turnOf = (from: number, to: number): number => ((((to - from) % 360) + 540) % 360) - 180;

export interface Corridor {
  /** Pieces that cover it, side by side. */
  area: MultiPolygon;
  /** Its border. */
  edge: Position[][];
}

/**
 * The ground within a distance of a line. The area is cut along the bisectors of the line's corners, so that its pieces hardly
 * overlap; the border is that of the whole.
 */
export function corridor(line: readonly Position[], km: number): Corridor {
  const spine = alongGround(line).filter(
    (at, index, all) => index === 0 || distanceKm(all[index - 1] as Place, at) > 1e-6,
  );
  const first = spine[0];
  if (!first) return { area: { type: "MultiPolygon", coordinates: [] }, edge: [] };
  if (spine.length === 1) {
    const rings = circle([...first], km);
    return { area: { type: "MultiPolygon", coordinates: [rings] }, edge: rings };
  }
  const legs = spine.slice(1).map((to, at) => {
    const from = spine[at] as Place;
    return {
      length: distanceKm(from, to),
      out: bearingDeg(from, to),
      in: (bearingDeg(to, from) + 180) % 360,
    };
  });
  // For each place of the line: what lies left and right of it, at the end of the leg before and at the beginning of the next.
  const sides = spine.map((at, index) => {
    const [before, after] = [legs[index - 1], legs[index]];
    if (!before || !after) {
      const course = (before?.in ?? after?.out) as number;
      const [left, right] = [[destination(at, course - 90, km)], [destination(at, course + 90, km)]];
      return { left, right };
    }
    const turn = turnOf(before.in, after.out);
    const [left, right] = [-90, 90].map((side): Place[] => {
      if (Math.abs(turn) < 1e-6) return [destination(at, before.in + side, km)];
      const isOuter = side > 0 === turn < 0;
      if (isOuter) return corner(at, before.in + side, turn, km);
      const half = (Math.abs(turn) / 2) * RADIANS;
      if (km * Math.tan(half) < Math.min(before.length, after.length))
        return [destination(at, before.in + side + turn / 2, km / Math.cos(half))];
      return [destination(at, before.in + side, km), at, destination(at, after.out + side, km)];
    }) as [Place[], Place[]];
    return { left, right };
  });
  const pieces = legs.map((_, at): Position[][] => {
    const [begin, end] = [sides[at], sides[at + 1]] as [(typeof sides)[0], (typeof sides)[0]];
    const isLast = at === legs.length - 1;
    // A round corner belongs to the leg before it.
    const [left, right] = [
      isLast ? end.left.slice(0, 1) : end.left,
      isLast ? end.right.slice(0, 1) : end.right,
    ];
    return [
      closed([
        begin.left.at(-1) as Place,
        ...left,
        spine[at + 1] as Place,
        ...right.toReversed(),
        begin.right.at(-1) as Place,
        spine[at] as Place,
      ]),
    ];
  });
  const last = spine.at(-1) as Place;
  const [firstLeg, lastLeg] = [legs[0], legs.at(-1)] as [(typeof legs)[0], (typeof legs)[0]];
  const head = corner(last, lastLeg.in - 90, 180, km);
  const tail = corner(first, firstLeg.out + 90, 180, km);
  const around = [
    ...sides.flatMap(({ left }) => left),
    ...head,
    ...sides.toReversed().flatMap(({ right }) => right.toReversed()),
    ...tail,
  ];
  return {
    area: { type: "MultiPolygon", coordinates: [...pieces, [closed(head)], [closed(tail)]] },
    edge: outside(closed(around), spine, km),
  };
}

/** The parts of a line that lie no nearer to another one than a distance. */
function outside(line: readonly Position[], spine: readonly Place[], km: number): Position[][] {
  const parts: Position[][] = [];
  let part: Position[] = [];
  for (const at of line) {
    if (nearestKm(place(at), spine) >= km * 0.99) part.push(at);
    else if (part.length > 0) {
      parts.push(part);
      part = [];
    }
  }
  parts.push(part);
  return parts.filter(({ length }) => length > 1);
}

/** Kilometres from a place to a line of short edges. */
function nearestKm(at: Place, line: readonly Place[]): number {
  const [lon, lat] = at;
  const [perDegree, narrow] = [RADIANS * EARTH_RADIUS_KM, Math.cos(lat * RADIANS)];
  const flat = ([longitude, latitude]: Place): [number, number] => [
    (longitude - lon) * narrow * perDegree,
    (latitude - lat) * perDegree,
  ];
  let nearest = Number.POSITIVE_INFINITY;
  let [x, y] = flat(line[0] as Place);
  for (const next of line.slice(1)) {
    const [toX, toY] = flat(next);
    const [dx, dy] = [toX - x, toY - y];
    const along = Math.max(0, Math.min(1, -(x * dx + y * dy) / (dx * dx + dy * dy || 1)));
    nearest = Math.min(nearest, Math.hypot(x + along * dx, y + along * dy));
    [x, y] = [toX, toY];
  }
  return nearest;
}

/** West, south, east and north of places; the narrower way around where they lie on both sides of the 180th meridian. */
export function boundsOf(places: readonly Position[]): [number, number, number, number] | null {
  if (places.length === 0) return null;
  const latitudes = places.map((at) => place(at)[1]);
  const span = (longitudes: number[]): [number, number] => [Math.min(...longitudes), Math.max(...longitudes)];
  const plain = span(places.map((at) => place(at)[0]));
  const across = span(places.map((at) => (place(at)[0] + 360) % 360));
  const [west, east] = across[1] - across[0] < plain[1] - plain[0] ? across : plain;
  return [west, Math.min(...latitudes), east, Math.max(...latitudes)];
}
