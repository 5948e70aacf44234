import { GeoJSONVT, type GeoJSONVTFeatureNonPoint, type GeoJSONVTTile } from "@maplibre/geojson-vt";
import { fromGeojsonVt } from "@maplibre/vt-pbf";
import type { Tile } from "./archive";
import { type Place, placesAt } from "./places";
import type { Shapes } from "./shapes";

/** Cuts shapes and places into vector tiles. */

export const MAX_ZOOM = 7;

/** Units along the side of a tile, which is as fine as MapLibre draws. At the last zoom one is 38 m at the equator, 19 m in 60° north. */
const EXTENT = 8_192;
/** Units by which shapes reach beyond the side of a tile, so that no shoreline is drawn along it. */
const MARGIN = 128;

/** Units by which a shore may be off below the last zoom, where nobody looks closely. */
const COARSE = 20;

/**
 * Units by which a shore may be off at the last zoom, the first rule that fits the middle of a tile. A unit is shorter the
 * further from the equator; where few sail, that is made up for, and used to save space.
 */
const FINE: { units: number; fits: (latitude: number, longitude: number) => boolean }[] = [
  { units: 12, fits: (latitude) => latitude < -58 },
  { units: 8, fits: (latitude) => latitude > 66 },
  { units: 2.5, fits: (latitude, longitude) => latitude > 48 && longitude > -12 && longitude < 31 },
  { units: 2, fits: (latitude, longitude) => latitude > 34 && longitude > -12 && longitude < 42 },
  { units: 4, fits: (latitude) => latitude > 54 },
  { units: 3, fits: (latitude) => latitude < -40 },
  { units: 2.5, fits: () => true },
];

interface Layers {
  land: Shapes;
  lake: Shapes;
}

/** All tiles that hold anything, compressed. A tile of the open sea is missing. */
export function cut(layers: Layers, places: Place[]): Tile[] {
  const names = Array.from({ length: MAX_ZOOM + 1 }, (_, zoom) => namesOf(places, zoom));
  const tiles: Tile[] = [];
  const cutThose = (units: number, those: (z: number, x: number, y: number) => boolean) => {
    const shapes = { land: indexOf(layers.land, units), lake: indexOf(layers.lake, units) };
    for (const [z, x, y] of everyTile()) {
      if (!those(z, x, y)) continue;
      const found: Record<string, GeoJSONVTTile> = {};
      for (const [name, index] of Object.entries(shapes)) {
        const tile = inOneFeature(index.getTile(z, x, y));
        if (tile) found[name] = tile;
      }
      const place = names[z]?.getTile(z, x, y);
      if (place) found.places = place;
      if (Object.keys(found).length > 0) tiles.push({ z, x, y, data: packed(found) });
    }
  };
  cutThose(COARSE, (z) => z < MAX_ZOOM);
  for (const rule of FINE) cutThose(rule.units, (z, x, y) => z === MAX_ZOOM && ruleOf(x, y) === rule);
  return tiles;
}

function* everyTile(): Generator<[z: number, x: number, y: number]> {
  for (let z = 0; z <= MAX_ZOOM; z++)
    for (let x = 0; x < 2 ** z; x++) for (let y = 0; y < 2 ** z; y++) yield [z, x, y];
}

/** The rule for a tile of the last zoom. */
function ruleOf(x: number, y: number) {
  const side = 2 ** MAX_ZOOM;
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + 0.5)) / side))) * 180) / Math.PI;
  const longitude = ((x + 0.5) / side) * 360 - 180;
  return FINE.find(({ fits }) => fits(latitude, longitude));
}

const indexOf = (shapes: Shapes, tolerance: number) =>
  new GeoJSONVT(shapes, {
    // The library simplifies nothing at its own last zoom.
    ...{ maxZoom: MAX_ZOOM + 1, indexMaxZoom: 5, indexMaxPoints: 0 },
    ...{ tolerance, extent: EXTENT, buffer: MARGIN },
  });

const namesOf = (places: Place[], zoom: number) =>
  new GeoJSONVT(placesAt(places, zoom), { maxZoom: MAX_ZOOM + 1, extent: EXTENT, buffer: 0 });

/** Puts all polygons into one feature, which saves bytes. */
function inOneFeature(tile: GeoJSONVTTile | null): GeoJSONVTTile | null {
  if (!tile || tile.features.length === 0) return null;
  const polygons = tile.features as GeoJSONVTFeatureNonPoint[];
  const merged: GeoJSONVTFeatureNonPoint = {
    type: 3,
    geometry: polygons.flatMap(({ geometry }) => geometry),
    tags: null,
  };
  return { ...tile, features: [merged] as GeoJSONVTTile["features"] };
}

const packed = (layers: Record<string, GeoJSONVTTile>) =>
  Bun.gzipSync(new Uint8Array(fromGeojsonVt(layers, { version: 2, extent: EXTENT })), {
    level: 12,
    library: "libdeflate",
  });
