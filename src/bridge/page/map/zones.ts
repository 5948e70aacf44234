import { effect } from "@preact/signals";
import type { Feature, FeatureCollection, Geometry, Position } from "geojson";
import type { GeoJSONSource } from "maplibre-gl";
import { type Zone, zones } from "../zones";
import { alongGround, circle, corridor } from "./geometry";
import type { Palette } from "./palette";
import type { Stage } from "./stage";
import { FONT } from "./style";

/** Zones of all kinds: their areas, their borders and their names. Those that aren't watched have broken borders. */

const SOURCE = "zones";

/** The ground that a zone covers: its area, and its border as lines. */
export interface Ground {
  area: Geometry;
  edge: Position[][];
}

/** The ground that a zone of these fields covers; null while they make none. */
export function groundOf(
  zone: Pick<Zone, "kind" | "geometry" | "width_m" | "latitude" | "longitude" | "radius_km">,
): Ground | null {
  if (zone.kind === "circle") {
    const rings = circle([zone.longitude, zone.latitude], zone.radius_km);
    return { area: { type: "Polygon", coordinates: rings }, edge: rings };
  }
  const geometry = zone.geometry as { type: string; coordinates: unknown } | null;
  if (!geometry) return null;
  if (geometry.type === "LineString")
    return corridor(geometry.coordinates as Position[], (zone.width_m ?? 0) / 1_000);
  const polygons =
    geometry.type === "Polygon"
      ? [geometry.coordinates as Position[][]]
      : (geometry.coordinates as Position[][][]);
  const coordinates = polygons.map((rings) => besideFirst(rings.map(alongGround)));
  return { area: { type: "MultiPolygon", coordinates }, edge: coordinates.flat() };
}

/** Holes on the same turn of the Earth as the ring around them. */
function besideFirst(rings: (readonly [number, number])[][]): Position[][] {
  const west = rings[0]?.[0]?.[0] ?? 0;
  return rings.map((ring) => {
    const shift = 360 * Math.round((west - (ring[0]?.[0] ?? west)) / 360);
    return ring.map(([longitude, latitude]) => [longitude + shift, latitude]);
  });
}

/** Geometry is worked out once for each state of a zone. */
const known = new WeakMap<Zone, Feature[]>();

function featuresOf(zone: Zone): Feature[] {
  const found = known.get(zone);
  if (found) return found;
  const ground = groundOf(zone);
  const properties = { id: zone.id, name: zone.name, color: zone.color ?? "", isActive: zone.is_active };
  const feature = (geometry: Geometry): Feature => ({ type: "Feature", geometry, properties });
  const made = ground
    ? [
        feature(ground.area),
        feature({ type: "MultiLineString", coordinates: ground.edge }),
        feature({ type: "Point", coordinates: [zone.longitude, zone.latitude] }),
      ]
    : [];
  known.set(zone, made);
  return made;
}

/** A zone's own colour, where the map knows it; by night red alone. */
const colourIn = ({ zone, isRed }: Palette) =>
  isRed ? zone : (["to-color", ["get", "color"], zone] as ["to-color", ["get", string], string]);

const EMPTY: FeatureCollection = { type: "FeatureCollection", features: [] };

/** Draws the zones. Returns the function that takes them away. `hides` names one that a panel draws itself. */
export function drawZones({ map, add }: Stage, hides: () => string | null = () => null): () => void {
  const fill = () => {
    const hidden = hides();
    const features = zones.value.filter(({ id }) => id !== hidden).flatMap(featuresOf);
    map.getSource<GeoJSONSource>(SOURCE)?.setData({ type: "FeatureCollection", features });
  };
  const remove = add({
    name: SOURCE,
    order: 10,
    sources: () => ({ [SOURCE]: { type: "geojson", data: EMPTY } }),
    layers: (palette) => {
      const color = colourIn(palette);
      const border = (id: string, isActive: boolean, dashes?: [number, number]) => ({
        id,
        type: "line" as const,
        source: SOURCE,
        filter: ["all", ["==", ["geometry-type"], "LineString"], ["==", ["get", "isActive"], isActive]] as [
          "all",
          ["==", ["geometry-type"], string],
          ["==", ["get", string], boolean],
        ],
        layout: { "line-join": "round" as const },
        paint: {
          "line-color": color,
          "line-width": 1.6,
          ...(dashes && { "line-dasharray": dashes, "line-opacity": 0.8 }),
        },
      });
      return [
        {
          id: `${SOURCE}-areas`,
          type: "fill",
          source: SOURCE,
          filter: ["==", ["geometry-type"], "Polygon"],
          paint: {
            "fill-color": color,
            "fill-opacity": ["case", ["get", "isActive"], 0.12, 0.04],
            // Pieces of a corridor lie side by side: smoothed edges would show between them.
            "fill-antialias": false,
          },
        },
        border(`${SOURCE}-edges`, true),
        border(`${SOURCE}-idle`, false, [3, 3]),
        {
          id: `${SOURCE}-names`,
          type: "symbol",
          source: SOURCE,
          filter: ["==", ["geometry-type"], "Point"],
          minzoom: 8,
          layout: { "text-field": ["get", "name"], "text-font": FONT, "text-size": 12, "text-max-width": 9 },
          paint: { "text-color": palette.zone, "text-halo-color": palette.halo, "text-halo-width": 1.6 },
        },
      ];
    },
    fill,
  });
  const end = effect(fill);
  return () => {
    end();
    remove();
  };
}

/** Marks the border of one ground, above all zones. Returns the function that takes the mark away. */
export function drawGround({ add }: Stage, name: string, { edge }: Ground): () => void {
  return add({
    name,
    order: 11,
    sources: () => ({
      [name]: {
        type: "geojson",
        data: {
          type: "Feature",
          geometry: { type: "MultiLineString", coordinates: edge },
          properties: {},
        },
      },
    }),
    layers: ({ chosen }) => [
      {
        id: name,
        type: "line",
        source: name,
        layout: { "line-join": "round" },
        paint: { "line-color": chosen, "line-width": 3 },
      },
    ],
    fill: () => {},
  });
}
