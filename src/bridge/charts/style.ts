import { ChartFault } from "./chart";

/**
 * Styles of charts: of NAME.style.json the layers alone. Sources, fonts and pictures are the page's, so that a style can
 * make it ask nobody.
 */

export const MAX_STYLE = 512 * 1024;
const MAX_LAYERS = 1_000;

const LAYER_TYPES = [
  ...["background", "fill", "line", "symbol", "circle", "raster"],
  ...["heatmap", "fill-extrusion", "hillshade", "color-relief"],
];

/** A layer of a MapLibre style, without its source. */
export type StyleLayer = Record<string, unknown> & { id: string; type: string };

/** The fields of a layer that are taken, and their types. */
const FIELDS: Record<string, (value: unknown) => boolean> = {
  id: (value) => typeof value === "string" && value.length > 0 && value.length <= 200,
  type: (value) => LAYER_TYPES.includes(value as string),
  "source-layer": (value) => typeof value === "string" && value.length <= 200,
  minzoom: isZoom,
  maxzoom: isZoom,
  filter: (value) => Array.isArray(value) || typeof value === "boolean",
  layout: isObject,
  paint: isObject,
};

function isZoom(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 24;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The layers of a style. Throws ChartFault for a text that is none. */
export function layersOf(text: string): StyleLayer[] {
  const { layers } = parsed(text);
  if (!Array.isArray(layers))
    throw new ChartFault({
      en: "is no MapLibre style: it has no layers",
      de: "ist kein Stil von MapLibre: Es fehlen die Ebenen (layers)",
    });
  if (layers.length > MAX_LAYERS)
    throw new ChartFault({
      en: `has more than ${MAX_LAYERS} layers`,
      de: `hat mehr als ${MAX_LAYERS} Ebenen`,
    });
  const ids = new Set<string>();
  return layers.map((layer: unknown, at) => {
    const taken = layerOf(layer, at);
    if (ids.has(taken.id))
      throw new ChartFault({
        en: `has two layers ${JSON.stringify(taken.id)}`,
        de: `hat zwei Ebenen ${JSON.stringify(taken.id)}`,
      });
    ids.add(taken.id);
    return taken;
  });
}

function parsed(text: string): { layers?: unknown } {
  try {
    const style: unknown = JSON.parse(text);
    return isObject(style) ? (style as object) : {};
  } catch {
    throw new ChartFault({ en: "is no JSON", de: "ist kein JSON" });
  }
}

function layerOf(layer: unknown, at: number): StyleLayer {
  if (!isObject(layer))
    throw new ChartFault({
      en: `has a layer that is no object, at index ${at}`,
      de: `hat eine Ebene, die kein Objekt ist, an Stelle ${at}`,
    });
  const given = layer as Record<string, unknown>;
  const taken: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(FIELDS)) {
    const value = given[name];
    if (value === undefined && name !== "id" && name !== "type") continue;
    if (!isValid(value))
      throw new ChartFault({
        en: `has a layer whose ${name} is missing or wrong, at index ${at}`,
        de: `hat eine Ebene, deren ${name} fehlt oder falsch ist, an Stelle ${at}`,
      });
    taken[name] = value;
  }
  return taken as StyleLayer;
}
