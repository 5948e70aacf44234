import type { FeatureCollection, LineString } from "geojson";
import type { Schemas } from "../api";
import { prefersStillness } from "../looks";
import type { Stage } from "./stage";

/** Tracks on the map. */

export type Piece = Schemas["Track"]["pieces"][number];

/** A west-to-east box whose longitudes may pass 180, so that what lies on both sides of that meridian stays together. */
export type Box = [west: number, south: number, east: number, north: number];

/** The pieces of a track as lines whose longitudes go on beyond 180 where they cross that meridian. */
export function linesOf(pieces: readonly Piece[]): FeatureCollection<LineString> {
  return {
    type: "FeatureCollection",
    features: pieces
      .filter(({ length }) => length > 1)
      .map((piece) => {
        let before = piece[0]?.[0] ?? 0;
        const coordinates = piece.map(([longitude, latitude]) => {
          const turns = Math.round((before - (longitude ?? 0)) / 360);
          before = (longitude ?? 0) + turns * 360;
          return [before, latitude ?? 0];
        });
        return { type: "Feature", geometry: { type: "LineString", coordinates }, properties: {} };
      }),
  };
}

/** A box of the API, whose west may exceed its east across the 180th meridian. */
export function boxOf(bbox: Schemas["Track"]["bbox"]): Box | null {
  if (!bbox) return null;
  const [west = 0, south = 0, east = 0, north = 0] = bbox as number[];
  return [west, south, west > east ? east + 360 : east, north];
}

/** Shows the whole of a box, flying there unless it is to be there at once. */
export function showBox({ map }: Stage, box: Box, flies = !prefersStillness()): void {
  map.fitBounds(box, { padding: 60, maxZoom: 13, animate: flies });
}

/** Draws a track under a name; `color` is that of the look unless it is given. Returns the function that takes it away. */
export function drawTrack(stage: Stage, name: string, pieces: readonly Piece[], color?: string): () => void {
  const data = linesOf(pieces);
  return stage.add({
    name,
    order: 20,
    sources: () => ({ [name]: { type: "geojson", data } }),
    layers: (palette) => [
      {
        id: `${name}-edge`,
        type: "line",
        source: name,
        layout: { "line-join": "round", "line-cap": "round" },
        paint: { "line-color": palette.paper, "line-width": 6, "line-opacity": 0.8 },
      },
      {
        id: `${name}-line`,
        type: "line",
        source: name,
        layout: { "line-join": "round", "line-cap": "round" },
        paint: { "line-color": color ?? palette.trail, "line-width": 3 },
      },
    ],
    fill: () => {},
  });
}
