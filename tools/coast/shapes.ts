import { extremes, type Point, type Ring } from "./shore";

/** Makes the shapes of land and water out of shorelines. */

const LAND = 1;
const LAKE = 2;
const ISLAND_IN_LAKE = 3;

interface Lake {
  shore: Ring;
  islands: Ring[];
}

export type Shapes = GeoJSON.FeatureCollection<GeoJSON.Polygon>;

/** Land, and the lakes on it. A lake has its islands as holes, which show the land beneath. Throws Error for an island in no lake. */
export function shapesOf(rings: Ring[]): { land: Shapes; lake: Shapes } {
  const land = rings.filter(({ level }) => level === LAND);
  return {
    land: collection(land.map((shore) => [shore])),
    lake: collection(lakesOf(rings).map(({ shore, islands }) => [shore, ...islands])),
  };
}

const collection = (polygons: Ring[][]): Shapes => ({
  type: "FeatureCollection",
  features: polygons.map((rings) => ({
    type: "Feature",
    properties: {},
    geometry: { type: "Polygon", coordinates: rings.map(({ points }) => [...points, ...points.slice(0, 1)]) },
  })),
});

function lakesOf(rings: Ring[]): Lake[] {
  const lakes = rings
    .filter(({ level }) => level === LAKE)
    .map((shore) => ({ shore, islands: [] as Ring[], box: boxOf(shore.points) }))
    .sort((a, b) => a.box.area - b.box.area);
  for (const island of rings.filter(({ level }) => level === ISLAND_IN_LAKE)) {
    const [point] = island.points;
    // The smallest lake around an island is its own.
    const own = point && lakes.find(({ shore, box }) => box.holds(point) && isInside(point, shore.points));
    if (!own) throw new Error(`an island lies in no lake, at ${point}`);
    own.islands.push(island);
  }
  return lakes;
}

function boxOf(points: Point[]) {
  const [west, east] = extremes(points.map(([longitude]) => longitude));
  const [south, north] = extremes(points.map(([, latitude]) => latitude));
  return {
    area: (east - west) * (north - south),
    holds: ([x, y]: Point) => x >= west && x <= east && y >= south && y <= north,
  };
}

/** True if a ray from the point crosses the ring an odd number of times. */
function isInside([x, y]: Point, ring: Point[]): boolean {
  let isIn = false;
  for (const [at, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring[(at + 1) % ring.length] as Point;
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isIn = !isIn;
  }
  return isIn;
}
