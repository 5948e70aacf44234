/** The forms of tiles: their types, and the first bytes by which they are told. */

export const TILE_FORMATS = ["png", "jpeg", "webp", "mvt", "mlt"] as const;
export type TileFormat = (typeof TILE_FORMATS)[number];

export const MEDIA_TYPES: Record<TileFormat, string> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  mvt: "application/vnd.mapbox-vector-tile",
  mlt: "application/vnd.maplibre-tile",
};

/** The deepest zoom of any chart: at the equator a tile of it is 2.4 m wide. */
export const MAX_ZOOM = 24;

export const isVector = (format: TileFormat): boolean => format === "mvt" || format === "mlt";

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

const startsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, at) => bytes[at] === byte);

const text = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

/** The format of an image; null for anything else. */
export function formatOf(bytes: Uint8Array): Extract<TileFormat, "png" | "jpeg" | "webp"> | null {
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "png";
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return "jpeg";
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP") return "webp";
  return null;
}
