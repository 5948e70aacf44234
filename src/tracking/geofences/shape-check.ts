import { invalid } from "../../kernel/errors/errors";
import { areaOf, type FlatRing, flatten, isInRing, polygonsOf, vectorAt } from "./area";
import type { Coordinate, Geometry } from "./kinds";
import { cornersOf, findFault } from "./ring-faults";
import { angle, type Cap, capAround, projector, toRadians, unit, type Vector } from "./sphere";

/** Checks of a zone's geometry. Each error names the corner in the path of its detail. */

/** Corners of all rings of a zone together, without those that close a ring. */
const MOST_CORNERS = 2_000;
const FEWEST_CORNERS = 3;
const MOST_POINTS = 500;
/** Degrees from the middle of a polygon: beyond, no plane shows it well. */
const FARTHEST = 80;

const PATH = "/geometry";
const DEGREES = 180 / Math.PI;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The list at a path. Throws 400 for anything else, and for one that is empty. */
function listAt(value: unknown, path: string, what: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(path, `must be a list of ${what}`);
  return value;
}

/** A position of RFC 7946, section 3.1.1; its height is left out. */
function coordinateAt(value: unknown, path: string): Coordinate {
  const numbers = Array.isArray(value) && value.length >= 2 && value.length <= 3 ? (value as unknown[]) : [];
  const [longitude, latitude] = numbers;
  const isPlace =
    numbers.every((number) => typeof number === "number") &&
    Math.abs(longitude as number) <= 180 &&
    Math.abs(latitude as number) <= 90;
  if (numbers.length === 0 || !isPlace)
    throw invalid(path, "must be [longitude, latitude] in degrees, from -180 to 180 and from -90 to 90");
  return [longitude as number, latitude as number];
}

const isSame = (a: Coordinate, b: Coordinate): boolean => a[0] === b[0] && a[1] === b[1];

/** Counts corners, and throws 400 for the first one that is too many. */
type CountCorner = (path: string) => void;

function ringAt(value: unknown, path: string, countCorner: CountCorner): Coordinate[] {
  const ring: Coordinate[] = [];
  const given = listAt(value, path, "corners");
  for (const [at, corner] of given.entries()) {
    if (at < given.length - 1) countCorner(`${path}/${at}`);
    ring.push(coordinateAt(corner, `${path}/${at}`));
  }
  const [first, last] = [ring[0] as Coordinate, ring.at(-1) as Coordinate];
  if (ring.length < 2 || !isSame(first, last))
    throw invalid(
      `${path}/${ring.length - 1}`,
      "must be the same as the first corner, so that the ring is closed",
    );
  const different = new Set(ring.map(([longitude, latitude]) => `${longitude} ${latitude}`));
  if (different.size < FEWEST_CORNERS)
    throw invalid(
      `${path}/${ring.length - 1}`,
      `must close a ring of at least ${FEWEST_CORNERS} different corners`,
    );
  return ring;
}

const ringsAt = (value: unknown, path: string, countCorner: CountCorner): Coordinate[][] =>
  listAt(value, path, "rings").map((ring, at) => ringAt(ring, `${path}/${at}`, countCorner));

/** The geometry that a client sent for a polygon, with a circle around it. Throws 400 for one that is none. */
export function checkPolygon(value: unknown): { geometry: Geometry; cap: Cap } {
  if (!isObject(value) || (value.type !== "Polygon" && value.type !== "MultiPolygon"))
    throw invalid(PATH, "must be a Polygon or a MultiPolygon in GeoJSON");
  let corners = 0;
  const countCorner: CountCorner = (path) => {
    if (++corners > MOST_CORNERS)
      throw invalid(path, `is one corner more than ${MOST_CORNERS.toLocaleString("en")}`);
  };
  const path = `${PATH}/coordinates`;
  const geometry: Geometry =
    value.type === "Polygon"
      ? { type: "Polygon", coordinates: ringsAt(value.coordinates, path, countCorner) }
      : {
          type: "MultiPolygon",
          coordinates: listAt(value.coordinates, path, "polygons").map((rings, at) =>
            ringsAt(rings, `${path}/${at}`, countCorner),
          ),
        };
  const polygons = polygonsOf(geometry);
  const [cap] = polygons.map((rings, at) =>
    checkRings(rings, geometry.type === "Polygon" ? path : `${path}/${at}`),
  );
  const whole = cap && polygons.length === 1 ? cap : capAround(polygons.flat(2).map(vectorAt));
  return { geometry, cap: capOf(geometry, whole, 0) };
}

/** The geometry that a client sent for a corridor, with a circle around it. Throws 400 for one that is none. */
export function checkCorridor(value: unknown, widthM: number): { geometry: Geometry; cap: Cap } {
  if (!isObject(value) || value.type !== "LineString") throw invalid(PATH, "must be a LineString in GeoJSON");
  const path = `${PATH}/coordinates`;
  const given = listAt(value.coordinates, path, "points");
  if (given.length < 2) throw invalid(`${path}/0`, "must be followed by another point");
  if (given.length > MOST_POINTS)
    throw invalid(`${path}/${MOST_POINTS}`, `is one point more than ${MOST_POINTS}`);
  const coordinates = given.map((point, at) => coordinateAt(point, `${path}/${at}`));
  for (const [at, coordinate] of coordinates.slice(1).entries())
    if (angle(vectorAt(coordinates[at] as Coordinate), vectorAt(coordinate)) > Math.PI - OPPOSITE)
      throw invalid(`${path}/${at + 1}`, "is opposite to the point before: there is no shortest way to it");
  const geometry: Geometry = { type: "LineString", coordinates };
  return { geometry, cap: capOf(geometry, capAround(coordinates.map(vectorAt)), widthM) };
}

/** The angle from opposite points within which the way between two isn't known. */
const OPPOSITE = 1e-6;

/** Radians by which the circle is wider, to make up for rounding: less than a tenth of a millimetre. */
const SLACK = 1e-11;

/** A circle around a zone; `cap` holds its corners, if they lie on one half of the Earth. */
function capOf(geometry: Geometry, { centre, radius }: Cap, widthM: number): Cap {
  const width = toRadians(widthM / 1_000);
  if (radius * DEGREES <= FARTHEST) return { centre, radius: radius + width + SLACK };
  // Beyond a half of the Earth it is the circle around the farthest point outside of the zone that counts.
  const area = areaOf(geometry, widthM, { centre, radius: Math.PI });
  let widest = { centre, away: -1 };
  for (const direction of [...DIRECTIONS, centre]) {
    const away = area.distanceKm([-direction[0], -direction[1], -direction[2]]);
    if (away > widest.away) widest = { centre: direction, away };
  }
  return { centre: widest.centre, radius: Math.min(Math.PI, Math.PI - toRadians(widest.away) + SLACK) };
}

/** Directions all around, none farther than 28 degrees from any other one. */
const DIRECTIONS: Vector[] = [-1, 0, 1].flatMap((x) =>
  [-1, 0, 1].flatMap((y) =>
    [-1, 0, 1].flatMap((z): Vector[] => (x === 0 && y === 0 && z === 0 ? [] : [unit([x, y, z])])),
  ),
);

// --- Rings ------------------------------------------------------------------------------------------------

const POLES: [name: string, vector: Vector][] = [
  ["North", [0, 0, 1]],
  ["South", [0, 0, -1]],
];

/**
 * A circle around the rings of a polygon. Throws 400 for rings that surround a pole, enclose nothing, or cross themselves or
 * each other.
 */
function checkRings(rings: readonly (readonly Coordinate[])[], path: string): Cap {
  const cap = capAround(rings.flat().map(vectorAt));
  const { centre } = cap;
  for (const [at, ring] of rings.entries())
    for (const [corner, coordinate] of ring.entries())
      if (angle(vectorAt(coordinate), centre) * DEGREES > FARTHEST)
        throw invalid(
          `${path}/${at}/${corner}`,
          `is more than ${FARTHEST} degrees from the middle of its polygon, which is too large`,
        );
  const project = projector(centre);
  const flat = rings.map((ring) => flatten(ring, project));
  for (const [at, ring] of flat.entries())
    for (const [name, pole] of POLES) {
      const place = project(pole);
      if (place !== null && isInRing(ring, place))
        throw invalid(
          `${path}/${at}/0`,
          `belongs to a ring around the ${name} Pole, which no zone may have: use a circle`,
        );
    }
  const fault = findFault(flat);
  if (fault) throw invalid(`${path}/${fault.ring}/${fault.corner}`, fault.message);
  const [outer, ...holes] = flat as [FlatRing, ...FlatRing[]];
  for (const [at, hole] of holes.entries()) {
    const outside = cornersOf(hole).findIndex((corner) => !isInRing(outer, corner));
    // Corners on the border itself may count for either side.
    if (outside !== -1 && !cornersOf(hole).some((corner) => isInRing(outer, corner)))
      throw invalid(`${path}/${at + 1}/${outside}`, "belongs to a hole that lies outside of the first ring");
  }
  return cap;
}
