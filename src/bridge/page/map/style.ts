import { namedFlavor, layers as protomapsLayers } from "@protomaps/basemaps";
import type { LayerSpecification, SourceSpecification, StyleSpecification } from "maplibre-gl";
import type { Schemas } from "../api";
import { BASE } from "../base";
import type { Locale } from "../language";
import type { Look } from "../looks";
import { PALETTES, type Palette } from "./palette";

/** The map below everything else: the built-in coast, and the operator's charts over it. */

export type Chart = Schemas["Chart"];

/** Letters are drawn with the browser's own fonts: there are no glyph files. */
export const FONT = ["system-ui", "sans-serif"];

const absolute = (address: string): string => BASE.replace(/\/$/, "") + address;

function sourceOf(chart: Chart): SourceSpecification {
  const common = {
    tiles: chart.tiles.map(absolute),
    minzoom: chart.minzoom,
    maxzoom: chart.maxzoom,
    bounds: chart.bounds as [number, number, number, number],
    ...(chart.attribution !== null && { attribution: chart.attribution }),
  };
  return chart.type === "vector"
    ? { type: "vector", ...common }
    : { type: "raster", tileSize: chart.tile_size ?? 256, ...common };
}

function coastLayers(source: string, palette: Palette): LayerSpecification[] {
  return [
    { id: "land", type: "fill", source, "source-layer": "land", paint: { "fill-color": palette.land } },
    {
      id: "shore",
      type: "line",
      source,
      "source-layer": "land",
      paint: {
        "line-color": palette.shore,
        "line-width": ["interpolate", ["linear"], ["zoom"], 3, 0.4, 10, 1.2],
      },
    },
    { id: "lake", type: "fill", source, "source-layer": "lake", paint: { "fill-color": palette.lake } },
    {
      id: "places",
      type: "symbol",
      source,
      "source-layer": "places",
      layout: {
        "text-field": ["get", "name"],
        "text-font": FONT,
        "text-size": ["interpolate", ["linear"], ["zoom"], 4, 10, 12, 14],
        "text-padding": 8,
        "symbol-sort-key": ["-", 0, ["coalesce", ["get", "population"], 0]],
      },
      paint: { "text-color": palette.text, "text-halo-color": palette.halo, "text-halo-width": 1.2 },
    },
  ];
}

/** Layers of a vector chart without a style of its own: those of Protomaps, where it has them. */
function vectorLayers({ name }: Chart, look: Look, language: Locale): LayerSpecification[] {
  const flavor = namedFlavor(look === "light" ? "light" : "dark");
  return protomapsLayers(name, flavor, { lang: language })
    .filter((layer) => layer.type !== "background")
    .map((layer) => {
      const drawn = { ...layer, id: `${name}-${layer.id}` } as LayerSpecification;
      if (drawn.type !== "symbol" || !drawn.layout) return drawn;
      // Its pictures are on a server elsewhere: words alone are shown.
      const { "icon-image": _, ...layout } = drawn.layout;
      return { ...drawn, layout: { ...layout, "text-font": FONT } };
    });
}

/** Raster charts are shown as they are by day, and dimmed by night. */
function rasterLayer(chart: Chart, look: Look): LayerSpecification {
  const paint = {
    light: {},
    dark: { "raster-brightness-max": 0.6, "raster-saturation": -0.2 },
    night: { "raster-brightness-max": 0.25, "raster-saturation": -0.9, "raster-hue-rotate": 330 },
  }[look];
  return { id: chart.name, type: "raster", source: chart.name, paint };
}

const hasOwnLayers = ({ type, layers }: Chart): boolean => type === "vector" && layers !== null;

/** Layers of a chart that has none of its own. */
function layersOf(chart: Chart, look: Look, language: Locale): LayerSpecification[] {
  if (chart.built_in) return coastLayers(chart.name, PALETTES[look]);
  return chart.type === "vector" ? vectorLayers(chart, look, language) : [rasterLayer(chart, look)];
}

/** The style of the map with the charts that are shown, but for layers that stand beside their files. */
export function mapStyle(charts: readonly Chart[], look: Look, language: Locale): StyleSpecification {
  const sea: LayerSpecification = {
    id: "sea",
    type: "background",
    paint: { "background-color": PALETTES[look].sea },
  };
  return {
    version: 8,
    sources: Object.fromEntries(charts.map((chart) => [chart.name, sourceOf(chart)])),
    layers: [sea, ...charts.flatMap((chart) => (hasOwnLayers(chart) ? [] : layersOf(chart, look, language)))],
  };
}

/**
 * Layers that stand beside the files of charts, each with the layer below which it belongs. They are added one by one: a style in
 * which one is wrong would be drawn by nobody.
 */
export function ownLayers(
  charts: readonly Chart[],
  look: Look,
  language: Locale,
): { chart: string; layer: LayerSpecification; before: string | undefined }[] {
  return charts.flatMap((chart, at) => {
    if (!hasOwnLayers(chart)) return [];
    const above = charts.slice(at + 1).find((other) => !hasOwnLayers(other));
    const before = above && layersOf(above, look, language)[0]?.id;
    return (chart.layers as LayerSpecification[]).map((layer) => {
      const named = { ...layer, id: `${chart.name}-${layer.id}` };
      // A background has no source.
      const drawn = layer.type === "background" ? named : { ...named, source: chart.name };
      return { chart: chart.name, layer: drawn as LayerSpecification, before };
    });
  });
}
