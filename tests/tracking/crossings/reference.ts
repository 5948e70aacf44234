import type { Coordinate, Geometry } from "../../../src/tracking/geofences/kinds";
import { greatCircleKm, type Place } from "../support";

/**
 * The crossings of a track by the rules alone, in one orderly pass, with the formulas of navigation instead of the server's
 * vectors: bearings, distances across and along a track.
 */

const RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

// --- Navigation -------------------------------------------------------------------------------------------

/** The initial bearing from one place to another, in radians from north to the east. */
export function bearing(from: Place, to: Place): number {
  const [f, t] = [from.latitude * RADIANS, to.latitude * RADIANS];
  const by = (to.longitude - from.longitude) * RADIANS;
  return Math.atan2(
    Math.sin(by) * Math.cos(t),
    Math.cos(f) * Math.sin(t) - Math.sin(f) * Math.cos(t) * Math.cos(by),
  );
}

/** The place at a distance (km) and a bearing (radians) from another. */
export function away(from: Place, km: number, direction: number): Place {
  const [d, f] = [km / RADIUS_KM, from.latitude * RADIANS];
  const latitude = Math.asin(Math.sin(f) * Math.cos(d) + Math.cos(f) * Math.sin(d) * Math.cos(direction));
  const turn = Math.atan2(
    Math.sin(direction) * Math.sin(d) * Math.cos(f),
    Math.cos(d) - Math.sin(f) * Math.sin(latitude),
  );
  const longitude = from.longitude + turn / RADIANS;
  return { latitude: latitude / RADIANS, longitude: ((longitude + 540) % 360) - 180 };
}

/** The place of a way that is nearest to another one. */
function nearestOf(from: Place, to: Place, at: Place): Place {
  const length = greatCircleKm(from, to);
  if (length === 0) return from;
  const distance = greatCircleKm(from, at) / RADIUS_KM;
  const angle = bearing(from, at) - bearing(from, to);
  const along = Math.atan2(Math.cos(angle) * Math.sin(distance), Math.cos(distance)) * RADIUS_KM;
  return away(from, Math.min(length, Math.max(0, along)), bearing(from, to));
}

/** Positive to the right of the great circle from one place to another. */
const side = (from: Place, to: Place, at: Place): number =>
  Math.sin(greatCircleKm(from, at) / RADIUS_KM) * Math.sin(bearing(from, at) - bearing(from, to));

const doCross = (a: Place, b: Place, c: Place, d: Place): boolean =>
  side(a, b, c) > 0 !== side(a, b, d) > 0 && side(c, d, a) > 0 !== side(c, d, b) > 0;

const place = ([longitude = 0, latitude = 0]: Coordinate): Place => ({ latitude, longitude });

type Edge = [Place, Place];

const edgesOf = (line: readonly Coordinate[]): Edge[] =>
  line.slice(1).map((to, at) => [place(line[at] as Coordinate), place(to)]);

// --- Zones ------------------------------------------------------------------------------------------------

/** A zone as the API shows it. */
export interface RecordedZone extends Place {
  id: string;
  kind: "circle" | "polygon" | "corridor";
  geometry: Geometry | null;
  width_m: number | null;
  radius_km: number;
  enter_after_s: number;
  exit_after_s: number;
  confirm_fixes: number;
  exit_margin_m: number | null;
  max_accuracy_m: number | null;
  dwell_seconds: number | null;
}

/** The distance from a place to the border of a zone in kilometres, below 0 inside, and the ways that cut the zone. */
interface Outline {
  beyond: (at: Place) => number;
  isCut: (from: Place, to: Place) => boolean;
}

function circle({ radius_km, ...centre }: RecordedZone): Outline {
  return {
    beyond: (at) => greatCircleKm(centre, at) - radius_km,
    isCut: (from, to) => greatCircleKm(centre, nearestOf(from, to, centre)) <= radius_km,
  };
}

/** The number of times that a ring turns around a place. */
function winding(edges: Edge[], at: Place): number {
  let turned = 0;
  for (const [from, to] of edges) {
    const by = bearing(at, to) - bearing(at, from);
    turned += by > Math.PI ? by - 2 * Math.PI : by < -Math.PI ? by + 2 * Math.PI : by;
  }
  return Math.round(turned / (2 * Math.PI));
}

const distance = (edges: Edge[], at: Place): number =>
  Math.min(...edges.map(([from, to]) => greatCircleKm(nearestOf(from, to, at), at)));

function polygon({ geometry }: RecordedZone): Outline {
  if (geometry === null || geometry.type === "LineString") throw new Error("a polygon has rings");
  const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const polygons = parts.map((rings) => rings.map(edgesOf));
  const all = polygons.flat(2);
  const isIn = (at: Place) =>
    polygons.some((rings) => rings.filter((ring) => winding(ring, at) !== 0).length % 2 === 1);
  return {
    beyond: (at) => (isIn(at) ? -1 : 1) * distance(all, at),
    isCut: (from, to) => all.some(([a, b]) => doCross(a, b, from, to)),
  };
}

function corridor({ geometry, width_m }: RecordedZone): Outline {
  if (geometry?.type !== "LineString") throw new Error("a corridor is a line");
  const edges = edgesOf(geometry.coordinates);
  const width = (width_m ?? 0) / 1_000;
  return {
    beyond: (at) => distance(edges, at) - width,
    isCut: (from, to) =>
      edges.some(
        ([a, b]) =>
          doCross(a, b, from, to) ||
          [a, b].some((end) => greatCircleKm(nearestOf(from, to, end), end) <= width) ||
          [from, to].some((end) => greatCircleKm(nearestOf(a, b, end), end) <= width),
      ),
  };
}

const OUTLINES = { circle, polygon, corridor };

/** A zone with its outline, made once. */
export interface ReferenceZone {
  zone: RecordedZone;
  outline: Outline;
  /** Beyond it nothing of the zone is to be found. */
  reachKm: number;
}

export const referenceZone = (zone: RecordedZone): ReferenceZone => ({
  zone,
  outline: OUTLINES[zone.kind](zone),
  reachKm: zone.radius_km + 1,
});

// --- The pass ---------------------------------------------------------------------------------------------

export interface TrackFix extends Place {
  /** Unix seconds. */
  time: number;
  accuracy_m?: number | null;
}

export interface ExpectedCrossing {
  zone: string;
  event: "enter" | "exit" | "passed" | "dwell";
  /** Epoch milliseconds. */
  at: number;
  /** The time of the fix that it names, Unix seconds. */
  fix: number;
  place: Place;
}

export interface Expected {
  crossings: ExpectedCrossing[];
  /** The zones that the device is inside of at the end, and since when (epoch milliseconds). */
  inside: [zone: string, since: number][];
}

const MARGIN_M = 10;
const LONGEST_LEG = 600;

/** The crossings of a track at a zone. `watchedFrom` is the Unix second before which the zone saw nothing. */
function pass(
  { zone, outline, reachKm }: ReferenceZone,
  track: TrackFix[],
  watchedFrom: number | null,
): Expected {
  const crossings: ExpectedCrossing[] = [];
  // A track in another part of the world.
  if (track.every(({ latitude }) => Math.abs(latitude - zone.latitude) > 1 + reachKm / 50))
    return { crossings, inside: [] };
  const tell = (event: ExpectedCrossing["event"], at: number, fix: TrackFix, where: Place = fix): void => {
    const { latitude, longitude } = where;
    crossings.push({ zone: zone.id, event, at, fix: fix.time, place: { latitude, longitude } });
  };
  const margin = (zone.exit_margin_m ?? MARGIN_M) / 1_000;
  const beyond = (fix: TrackFix) => {
    const far = greatCircleKm(zone, fix) - reachKm;
    return far > 1 ? far : outline.beyond(fix);
  };
  const seen = track.filter(
    ({ accuracy_m }) =>
      accuracy_m == null || zone.max_accuracy_m == null || accuracy_m <= zone.max_accuracy_m,
  );
  const unwatched = watchedFrom === null ? [] : track.filter(({ time }) => time < watchedFrom);
  const baseline = unwatched.at(-1);
  let since: number | null = null;
  if (baseline && watchedFrom !== null && seen.includes(baseline) && beyond(baseline) <= 0)
    since = watchedFrom * 1_000;
  let hasDwelled = false;
  let row: TrackFix[] = [];
  let last: { fix: TrackFix; distance: number } | null = null;
  for (const fix of seen) {
    if (baseline && fix.time <= baseline.time) continue;
    const wasOutside = since === null && row.length === 0;
    const distance = beyond(fix);
    const isOther = since === null ? distance <= 0 : distance > margin;
    row = isOther ? [...row, fix] : [];
    const [first] = row;
    const after = since === null ? zone.enter_after_s : zone.exit_after_s;
    if (first && row.length >= zone.confirm_fixes && fix.time - first.time >= after) {
      if (since === null) {
        since = first.time * 1_000;
        tell("enter", since, first);
      } else {
        since = null;
        tell("exit", first.time * 1_000, first);
      }
      hasDwelled = false;
      row = [];
    }
    // A fix that may be the first one outside shows nothing of a stay.
    if (since !== null && row.length === 0 && !hasDwelled && zone.dwell_seconds !== null) {
      const due = since + zone.dwell_seconds * 1_000;
      if (fix.time * 1_000 >= due) {
        tell("dwell", due, fix);
        hasDwelled = true;
      }
    }
    const isQuick = zone.confirm_fixes === 1 && zone.enter_after_s === 0;
    if (
      isQuick &&
      wasOutside &&
      last &&
      fix.time - last.fix.time <= LONGEST_LEG &&
      distance > 0 &&
      last.distance > 0
    ) {
      const nearest = nearestOf(last.fix, fix, zone);
      if (greatCircleKm(zone, nearest) <= reachKm && outline.isCut(last.fix, fix)) {
        const share = greatCircleKm(last.fix, nearest) / (greatCircleKm(last.fix, fix) || 1);
        tell("passed", 1_000 * (last.fix.time + share * (fix.time - last.fix.time)), fix, nearest);
      }
    }
    last = { fix, distance };
  }
  return { crossings, inside: since === null ? [] : [[zone.id, since]] };
}

/** The crossings of a track (in order, one fix a second at most) at zones. */
export function expectedOf(
  zones: ReferenceZone[],
  track: TrackFix[],
  watchedFrom: (zone: RecordedZone) => number | null = () => null,
): Expected {
  const each = zones.map((zone) => pass(zone, track, watchedFrom(zone.zone)));
  return {
    crossings: each.flatMap(({ crossings }) => crossings),
    inside: each.flatMap(({ inside }) => inside),
  };
}
