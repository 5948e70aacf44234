import { invalid } from "../../kernel/errors/errors";
import { type FlatRing, flatten, isInRing, polygonsOf, vectorAt } from "./area";
import type { Coordinate, Geometry } from "./kinds";
import { angle, type Cap, capAround, projector, toRadians, type Vector } from "./sphere";

/** Checks of a zone's geometry. Each error names the corner in the path of its detail. */

/** Corners of all rings of a zone together, without those that close a ring. */
const MOST_CORNERS = 2_000;
const FEWEST_CORNERS = 3;
const MOST_POINTS = 500;
/** Degrees from the centre of the smallest circle around a zone: beyond, no plane shows the zone well. */
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
  const cap = capOf(polygons.flat(2), 0);
  for (const [at, rings] of polygons.entries())
    checkRings(rings, geometry.type === "Polygon" ? path : `${path}/${at}`, cap);
  return { geometry, cap };
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
  const cap = capOf(coordinates, toRadians(widthM / 1_000));
  for (const [at, coordinate] of coordinates.entries()) checkDistance(coordinate, `${path}/${at}`, cap);
  return { geometry: { type: "LineString", coordinates }, cap };
}

/** Radians by which the circle is wider, to make up for rounding: some millimetres. */
const SLACK = 1e-9;

function capOf(coordinates: readonly Coordinate[], margin: number): Cap {
  const { centre, radius } = capAround(coordinates.map(vectorAt));
  return { centre, radius: Math.min(Math.PI, radius + margin + SLACK) };
}

function checkDistance(coordinate: Coordinate, path: string, { centre }: Cap): void {
  if (angle(vectorAt(coordinate), centre) * DEGREES > FARTHEST)
    throw invalid(path, `is more than ${FARTHEST} degrees from the middle of the zone, which is too large`);
}

// --- Rings ------------------------------------------------------------------------------------------------

const POLES: [name: string, vector: Vector][] = [
  ["North", [0, 0, 1]],
  ["South", [0, 0, -1]],
];

/** Throws 400 for the rings of a polygon that surround a pole, or cross themselves or each other. */
function checkRings(rings: readonly (readonly Coordinate[])[], path: string, cap: Cap): void {
  for (const [at, ring] of rings.entries())
    for (const [corner, coordinate] of ring.entries())
      checkDistance(coordinate, `${path}/${at}/${corner}`, cap);
  const project = projector(cap.centre);
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
  const crossing = findCrossing(flat);
  if (crossing)
    throw invalid(
      `${path}/${crossing.ring}/${crossing.corner}`,
      "begins an edge that crosses another edge of the polygon",
    );
  const [outer, ...holes] = flat as [FlatRing, ...FlatRing[]];
  for (const [at, hole] of holes.entries()) {
    const outside = cornersOf(hole).findIndex((corner) => !isInRing(outer, corner));
    // Corners on the border itself may count for either side.
    if (outside !== -1 && !cornersOf(hole).some((corner) => isInRing(outer, corner)))
      throw invalid(`${path}/${at + 1}/${outside}`, "belongs to a hole that lies outside of the first ring");
  }
}

function cornersOf(flat: FlatRing): [number, number][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    flat[2 * at] as number,
    flat[2 * at + 1] as number,
  ]);
}

/** An edge on the plane, with its bounds. */
interface Edge {
  ring: number;
  corner: number;
  a: readonly [number, number];
  b: readonly [number, number];
  left: number;
  right: number;
  low: number;
  high: number;
}

function edgesOf(flat: FlatRing, ring: number): Edge[] {
  const corners = cornersOf(flat);
  return corners.map((a, corner) => {
    const b = corners[(corner + 1) % corners.length] as [number, number];
    const [left, right] = a[0] < b[0] ? [a[0], b[0]] : [b[0], a[0]];
    const [low, high] = a[1] < b[1] ? [a[1], b[1]] : [b[1], a[1]];
    return { ring, corner, a, b, left, right, low, high };
  });
}

/** An edge that crosses another one; null if none does. */
function findCrossing(rings: FlatRing[]): Edge | null {
  const edges = rings.flatMap(edgesOf).sort((one, two) => one.left - two.left);
  // From left to right: an edge can cross those alone that begin before it ends.
  for (const [at, edge] of edges.entries())
    for (let next = at + 1; next < edges.length; next++) {
      const other = edges[next] as Edge;
      if (other.left > edge.right) break;
      if (other.low > edge.high || other.high < edge.low || !doCross(edge, other)) continue;
      return edge.ring < other.ring || (edge.ring === other.ring && edge.corner < other.corner)
        ? edge
        : other;
    }
  return null;
}

/** The side of the line from `a` to `b` on which a point lies: positive to the left. */
const side = (
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
  [x, y]: readonly [number, number],
): number => (bx - ax) * (y - ay) - (by - ay) * (x - ax);

/** True if two edges cross in a point that is no end of either: rings may touch themselves and each other. */
function doCross(one: Edge, two: Edge): boolean {
  return (
    side(one.a, one.b, two.a) * side(one.a, one.b, two.b) < 0 &&
    side(two.a, two.b, one.a) * side(two.a, two.b, one.b) < 0
  );
}
