import { BilingualError } from "../../kernel/values/bilingual";
import type { ChartCoding } from "./decode";
import { isVector, MAX_ZOOM, type TileFormat, widthOf } from "./formats";

/** The parts that charts of all forms have in common. */

/** West, south, east and north, in degrees. */
export type Bounds = [west: number, south: number, east: number, north: number];

export interface ChartInfo {
  title: string | null;
  description: string | null;
  attribution: string | null;
  format: TileFormat;
  /** Width of an image in pixels; null for vector tiles. */
  tileSize: number | null;
  minzoom: number;
  maxzoom: number;
  bounds: Bounds;
  /** The names of the layers in vector tiles; empty where the file doesn't tell, and for images. */
  layerNames: string[];
}

export interface StoredTile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Null for bytes that aren't compressed. */
  coding: ChartCoding | null;
}

/** An open file of tiles. */
export interface Archive {
  info: ChartInfo;
  /** A tile as it is stored; null where there is none. Throws ChartFault, and errors of the machine. */
  tile: (z: number, x: number, y: number) => Promise<StoredTile | null>;
  close: () => void;
}

/** A file that is no chart, or a damaged one. The message is for the operator, and follows the file's name. */
export class ChartFault extends BilingualError {}

/** Bytes of a tile as it is stored, and as it is decoded. Large ones have 300 kB, and a megabyte. */
export const MAX_TILE = 4 * 1024 * 1024;
export const MAX_DECODED = 8 * 1024 * 1024;

const MAX_TEXT = 500;
const MAX_LAYERS = 500;

/** The world as web maps show it. */
export const WORLD: Bounds = [-180, -85.0511, 180, 85.0511];

/**
 * The text of a value that may hold HTML, as attributions do: without tags, and without the characters that could make some.
 * Null where nothing is left.
 */
export function plainText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value
    .slice(0, 10 * MAX_TEXT)
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&copy;|&#169;/g, "©")
    .replaceAll("&amp;", "&")
    .replaceAll(/[<>]/g, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT);
  return text === "" ? null : text;
}

/** The bounds if they hold an area, else those of the world: files often say nothing, or nonsense. */
export function boundsOr(values: number[]): Bounds {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = values;
  const isArea = west < east && south < north && west >= -180 && east <= 180 && south >= -90 && north <= 90;
  return isArea ? [west, south, east, north] : WORLD;
}

/** The size of images by one of them: that of most charts where it tells none. Null for vector tiles. */
export function tileSizeBy(format: TileFormat, tile: Uint8Array | null): number | null {
  if (isVector(format)) return null;
  const width = tile && widthOf(tile);
  return width !== null && width >= 64 && width <= 4_096 ? width : 256;
}

/** The fault of a chart whose tiles no map can draw. */
export const otherTiles = () =>
  new ChartFault({
    en: "has tiles of another kind than PNG, JPEG, WebP, MVT and MLT",
    de: "hat Kacheln einer anderen Art als PNG, JPEG, WebP, MVT und MLT",
  });

/** The zooms of a chart. Throws ChartFault for those that no map has. */
export function zoomsOr(minzoom: number, maxzoom: number): Pick<ChartInfo, "minzoom" | "maxzoom"> {
  const isRange =
    Number.isInteger(minzoom) && Number.isInteger(maxzoom) && minzoom >= 0 && minzoom <= maxzoom;
  if (!isRange || maxzoom > MAX_ZOOM)
    throw new ChartFault({
      en: `has the zoom levels ${minzoom} to ${maxzoom}`,
      de: `hat die Zoomstufen ${minzoom} bis ${maxzoom}`,
    });
  return { minzoom, maxzoom };
}

/** The names in `vector_layers` of TileJSON. */
export function layerNamesIn(layers: unknown): string[] {
  if (!Array.isArray(layers)) return [];
  return layers
    .slice(0, MAX_LAYERS)
    .map((layer: unknown) => (layer as { id?: unknown } | null)?.id)
    .filter((id) => typeof id === "string" && id.length <= MAX_TEXT) as string[];
}
