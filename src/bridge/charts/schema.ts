import { binary, List } from "../../kernel/http/answers";
import { characters, json, nullable, oneOf, out, queryInteger, record, t } from "../../kernel/http/schema";
import { MAX_ZOOM, MEDIA_TYPES, TILE_FORMATS } from "./formats";

const coordinate = (description: string, example: number) =>
  queryInteger({ minimum: 0, maximum: 2 ** MAX_ZOOM - 1, description, examples: [example] });

export const TileParams = t.Object({
  name: t.String({
    pattern: "^[A-Za-z0-9._-]{1,64}$",
    description: "The chart's `name`",
    examples: ["coast"],
    "x-expected": "must have 1 to 64 letters, digits, dots, hyphens and underscores",
  }),
  z: queryInteger({ minimum: 0, maximum: MAX_ZOOM, description: "Zoom", examples: [7] }),
  x: coordinate("Column, counted from the 180th meridian eastward; below 2 to the power of `z`", 68),
  y: coordinate("Row, counted from the north; below 2 to the power of `z`", 41),
});

export const TileQuery = t.Object({
  v: t.Optional(
    characters({
      maxLength: 64,
      description:
        "The version in the address that the list gives: a tile of the present one is kept for good",
      examples: ["k3Tq0ZxYb2Nd"],
    }),
  ),
});

const VectorLayer = record(
  "ChartVectorLayer",
  { id: out.string("Name of the layer: a style's `source-layer`", "land") },
  "A layer of vector tiles",
);

export const ListedChart = record(
  "Chart",
  {
    name: out.string("Name of the file without its ending; `coast` is the built-in map", "coast"),
    title: nullable(out.string("Name that the file gives itself", "Coast")),
    description: nullable(
      out.string("What the file says of itself", "Coastlines, lakes and towns of the world"),
    ),
    attribution: nullable(
      out.string("Whom to name beside the map, as plain text", "GSHHG (LGPL 3.0), GeoNames (CC BY 4.0)"),
    ),
    built_in: out.boolean("True for the map that comes with the program"),
    type: oneOf(["vector", "raster"], "Kind of a MapLibre source"),
    format: oneOf(TILE_FORMATS, "Form of the tiles", "mvt"),
    tile_size: nullable(out.integer("Width of an image in pixels; null for vector tiles", 256)),
    minzoom: out.integer("Least zoom that has tiles", 0),
    maxzoom: out.integer("Greatest zoom that has tiles", 7),
    bounds: t.Array(t.Number(), {
      minItems: 4,
      maxItems: 4,
      description: "West, south, east and north, in degrees",
      examples: [[-180, -85.0511, 180, 85.0511]],
    }),
    tiles: t.Array(t.String(), {
      description: "Root-relative address of the tiles, with the version of the file",
      examples: [["/v1/charts/coast/{z}/{x}/{y}?v=k3Tq0ZxYb2Nd"]],
    }),
    vector_layers: t.Array(VectorLayer, {
      description: "The layers of vector tiles, as far as the file tells; empty for images",
    }),
    layers: nullable(
      t.Array(json({ description: "A layer of a MapLibre style, without its source" }), {
        description: "The layers of the style beside the file (`NAME.style.json`); null without one",
        examples: [[{ id: "depth", type: "fill", "source-layer": "DEPARE" }]],
      }),
    ),
  },
  "A map in tiles, as TileJSON describes it",
);
export type ListedChart = (typeof ListedChart)["static"];

export const ChartList = List("ChartListing", ListedChart);

export const Tile = {
  ...binary("*/*", "The tile, in its own type", "ETag"),
  "x-content-types": Object.values(MEDIA_TYPES),
};
