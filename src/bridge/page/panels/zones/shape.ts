import type { ApiError, Schemas } from "../../api";
import { bearingDeg, destination, distanceKm } from "../../map/geometry";

/** The shape of a zone while it is drawn. Each change makes another shape, so that it can be undone. */

export type Kind = Schemas["Geofence"]["kind"];
type Geometry = NonNullable<Schemas["NewGeofence"]["geometry"]>;

/** Longitude and latitude in degrees. */
export type Corner = readonly [longitude: number, latitude: number];

/** Corners in order, without one that closes the ring. A hole lies in the ring before it that is none. */
export interface Ring {
  isHole: boolean;
  corners: readonly Corner[];
}

/** All kinds at once: what was drawn as one kind is there when another is looked at. */
export interface Shape {
  kind: Kind;
  /** Of a circle; null until it is set. */
  centre: Corner | null;
  radius_km: number | null;
  /** Of a polygon; the first one is a corridor's line too. At least one. */
  rings: readonly Ring[];
  width_m: number | null;
}

/** The place of a corner in a shape. */
export interface At {
  ring: number;
  corner: number;
}

export const EMPTY: Shape = {
  kind: "polygon",
  centre: null,
  radius_km: null,
  rings: [{ isHole: false, corners: [] }],
  width_m: 50,
};

/** A tenth of a metre: what a finger or a mouse means is never so exact. */
const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

/** A place of the map, whose longitude may lie some turns of the Earth away, as a corner. */
export const cornerAt = (longitude: number, latitude: number): Corner => [
  rounded(longitude - 360 * Math.round(longitude / 360)),
  rounded(Math.max(-90, Math.min(90, latitude))),
];

// --- From and to the API ----------------------------------------------------------------------------------

type Sent = Pick<
  Schemas["NewGeofence"],
  "kind" | "geometry" | "width_m" | "latitude" | "longitude" | "radius_km"
>;

const corners = (coordinates: readonly number[][]): Corner[] =>
  coordinates.map(([longitude = 0, latitude = 0]) => [longitude, latitude]);

export function shapeOf(zone: Schemas["Geofence"]): Shape {
  const { kind, geometry, latitude, longitude, radius_km, width_m } = zone;
  if (kind === "circle") return { ...EMPTY, kind, centre: [longitude, latitude], radius_km };
  const { type, coordinates } = geometry as Geometry;
  if (type === "LineString") {
    const line = { isHole: false, corners: corners(coordinates as number[][]) };
    return { ...EMPTY, kind, rings: [line], width_m };
  }
  const polygons = (type === "Polygon" ? [coordinates] : coordinates) as number[][][][];
  const rings = polygons.flatMap((of) =>
    of.map((ring, at) => ({ isHole: at > 0, corners: corners(ring.slice(0, -1)) })),
  );
  return { ...EMPTY, kind, rings };
}

/** The rings that are sent, by polygon, each with its number in the shape. Rings without corners are none. */
function polygonsOf({ rings }: Shape): { at: number; corners: readonly Corner[] }[][] {
  const made: { at: number; corners: readonly Corner[] }[][] = [];
  for (const [at, { isHole, corners }] of rings.entries()) {
    if (corners.length === 0) continue;
    const polygon = isHole ? made.at(-1) : undefined;
    if (polygon) polygon.push({ at, corners });
    else made.push([{ at, corners }]);
  }
  return made;
}

const closed = (ring: readonly Corner[]): number[][] =>
  [...ring, ...ring.slice(0, 1)].map(([longitude, latitude]) => [longitude, latitude]);

/** The GeoJSON of a polygon or a corridor. */
export function geometryOf(shape: Shape): Geometry {
  if (shape.kind === "corridor")
    return { type: "LineString", coordinates: (shape.rings[0]?.corners ?? []).map((at) => [...at]) };
  const polygons = polygonsOf(shape).map((rings) => rings.map((ring) => closed(ring.corners)));
  const [first = [], ...others] = polygons;
  return others.length === 0
    ? { type: "Polygon", coordinates: first }
    : { type: "MultiPolygon", coordinates: polygons };
}

/** The fields of a zone of this shape; null while something is missing. */
export function sentOf(shape: Shape): Sent | null {
  const { kind, centre, radius_km, width_m, rings } = shape;
  if (kind === "circle") {
    if (!centre || !radius_km) return null;
    return { kind, longitude: centre[0], latitude: centre[1], radius_km, geometry: null, width_m: null };
  }
  const least = kind === "polygon" ? 3 : 2;
  const drawn = kind === "polygon" ? rings.filter((ring) => ring.corners.length > 0) : rings.slice(0, 1);
  if (drawn.length === 0 || drawn.some((ring) => ring.corners.length < least)) return null;
  if (kind === "corridor" && !width_m) return null;
  return { kind, geometry: geometryOf(shape), width_m: kind === "corridor" ? width_m : null };
}

/** A corner, and what is wrong with it in the words of the API. */
export interface Fault extends At {
  message: string;
}

const COORDINATES = "/geometry/coordinates/";

/** The corner that a refusal names; null if it names none. */
export function faultOf(shape: Shape, { details }: Pick<ApiError, "details">): Fault | null {
  const detail = details.find(({ path }) => path.startsWith(COORDINATES));
  if (!detail) return null;
  const numbers = detail.path.slice(COORDINATES.length).split("/").map(Number);
  const { message } = detail;
  if (shape.kind === "corridor") return { ring: 0, corner: numbers[0] ?? 0, message };
  const polygons = polygonsOf(shape);
  const [polygon = 0, ring = 0, corner = 0] = polygons.length === 1 ? [0, ...numbers] : numbers;
  const found = polygons[polygon]?.[ring];
  if (!found) return null;
  // The corner that closes a ring is its first one.
  return { ring: found.at, corner: corner % found.corners.length, message };
}

// --- Changes ----------------------------------------------------------------------------------------------

const changed = (
  shape: Shape,
  ring: number,
  change: (corners: readonly Corner[]) => readonly Corner[],
): Shape => ({
  ...shape,
  rings: shape.rings.map((each, at) => (at === ring ? { ...each, corners: change(each.corners) } : each)),
});

/** Puts a corner into a ring, so that it has this number. */
export const withCorner = (shape: Shape, { ring, corner }: At, place: Corner): Shape =>
  changed(shape, ring, (all) => all.toSpliced(corner, 0, place));

export const movedCorner = (shape: Shape, { ring, corner }: At, place: Corner): Shape =>
  changed(shape, ring, (all) => all.with(corner, place));

export const withoutCorner = (shape: Shape, { ring, corner }: At): Shape =>
  changed(shape, ring, (all) => all.toSpliced(corner, 1));

/** Begins another ring: a hole in the last area, or a further area. */
export const withRing = (shape: Shape, isHole: boolean): Shape => ({
  ...shape,
  rings: [...shape.rings, { isHole, corners: [] }],
});

/** Takes a ring away; the first one only loses its corners. With an area go its holes. */
export function withoutRing(shape: Shape, ring: number): Shape {
  const next = shape.rings.findIndex((each, at) => at > ring && !each.isHole);
  const behind = shape.rings[ring]?.isHole ? ring + 1 : next === -1 ? shape.rings.length : next;
  const left = shape.rings.toSpliced(ring, behind - ring);
  return { ...shape, rings: left.length > 0 ? left : EMPTY.rings };
}

// --- Handles ----------------------------------------------------------------------------------------------

/** A sign by which the shape is drawn. A `middle` becomes a corner with its number in its ring. */
export interface Handle extends At {
  role: "corner" | "middle" | "centre" | "radius";
  place: Corner;
}

/** The direction in which the handle of a radius lies. */
const EAST = 90;

/** The handles of a shape, those that are hit first in front. */
export function handlesOf({ kind, centre, radius_km, rings }: Shape): Handle[] {
  if (kind === "circle") {
    if (!centre) return [];
    const at = { ring: 0, corner: 0 };
    const rim = radius_km ? destination(centre, EAST, radius_km) : null;
    return [
      ...(rim ? [{ ...at, role: "radius" as const, place: cornerAt(...rim) }] : []),
      { ...at, role: "centre", place: centre },
    ];
  }
  const drawn = kind === "corridor" ? rings.slice(0, 1) : rings;
  return [
    ...drawn.flatMap(({ corners }, ring) =>
      corners.map((place, corner): Handle => ({ role: "corner", ring, corner, place })),
    ),
    ...drawn.flatMap(({ corners }, ring) =>
      edgesOf(corners, kind === "polygon").map(
        ([from, to], at): Handle => ({ role: "middle", ring, corner: at + 1, place: middleOf(from, to) }),
      ),
    ),
  ];
}

/** The edges between corners; of a ring, with the one that closes it. */
function edgesOf(corners: readonly Corner[], isRing: boolean): [Corner, Corner][] {
  const edges = corners.slice(1).map((to, at): [Corner, Corner] => [corners[at] as Corner, to]);
  const isClosed = isRing && corners.length > 2;
  return isClosed ? [...edges, [corners.at(-1) as Corner, corners[0] as Corner]] : edges;
}

/** The middle of the shortest way between two corners. */
const middleOf = (from: Corner, to: Corner): Corner =>
  cornerAt(...destination(from, bearingDeg(from, to), distanceKm(from, to) / 2));
