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

/** The width of an image in pixels; null for anything else, and where it isn't told in the first bytes. */
export function widthOf(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (formatOf(bytes)) {
      case "png":
        return view.getUint32(16);
      case "jpeg":
        return widthOfJpeg(view);
      case "webp":
        return widthOfWebp(view, text(bytes, 12, 16));
      default:
        return null;
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Walks from segment to segment up to the one with the frame (ITU T.81, annex B). */
function widthOfJpeg(view: DataView): number | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return view.getUint16(at + 7);
  }
  return null;
}

/** The first chunk tells it (RFC 9649, section 2). */
function widthOfWebp(view: DataView, chunk: string): number | null {
  if (chunk === "VP8 ") return view.getUint16(26, true) & 0x3fff;
  if (chunk === "VP8L") return (view.getUint16(21, true) & 0x3fff) + 1;
  return chunk === "VP8X" ? (view.getUint32(24, true) & 0xffffff) + 1 : null;
}
