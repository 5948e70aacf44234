/** Douglas and Peucker once more, by recursion and the formulas of navigation: it shares no code with the program. */

export interface Place {
  latitude: number;
  longitude: number;
}

const RADIUS_M = 6_371_008.8;
const rad = (degrees: number) => (degrees * Math.PI) / 180;

function distance(a: Place, b: Place): number {
  const [p, q] = [rad(a.latitude), rad(b.latitude)];
  const h =
    Math.sin((q - p) / 2) ** 2 +
    Math.cos(p) * Math.cos(q) * Math.sin(rad(b.longitude - a.longitude) / 2) ** 2;
  return 2 * RADIUS_M * Math.asin(Math.sqrt(h));
}

function bearing(a: Place, b: Place): number {
  const [p, q, l] = [rad(a.latitude), rad(b.latitude), rad(b.longitude - a.longitude)];
  return Math.atan2(
    Math.sin(l) * Math.cos(q),
    Math.cos(p) * Math.sin(q) - Math.sin(p) * Math.cos(q) * Math.cos(l),
  );
}

/** Metres from a place to the arc between two others: across the track, or to the nearer end. */
export function toArc(place: Place, from: Place, to: Place): number {
  const [along, whole] = [distance(from, place), distance(from, to)];
  const nearerEnd = Math.min(along, distance(to, place));
  if (whole < 1e-4) return nearerEnd;
  const off = bearing(from, place) - bearing(from, to);
  const across = Math.asin(Math.sin(along / RADIUS_M) * Math.sin(off)) * RADIUS_M;
  const back = bearing(to, place) - bearing(to, from);
  const isBeside = Math.cos(off) >= 0 && Math.cos(back) >= 0;
  return isBeside ? Math.abs(across) : nearerEnd;
}

/** The numbers of the places that stay at a tolerance in metres. */
export function simplified(
  places: readonly Place[],
  tolerance: number,
  first = 0,
  last = places.length - 1,
): number[] {
  let [farthest, most] = [-1, tolerance];
  for (let at = first + 1; at < last; at++) {
    const metres = toArc(places[at] as Place, places[first] as Place, places[last] as Place);
    if (metres > most) [farthest, most] = [at, metres];
  }
  if (farthest === -1) return first === last ? [first] : [first, last];
  return [
    ...simplified(places, tolerance, first, farthest),
    ...simplified(places, tolerance, farthest, last).slice(1),
  ];
}
