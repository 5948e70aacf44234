import { Compression, type TileType, zxyToTileId } from "pmtiles";

/** Writes PMTiles archives, version 3: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */

export interface Tile {
  z: number;
  x: number;
  y: number;
  /** As it is stored: compressed where the archive says so. */
  data: Uint8Array;
}

export interface ArchiveOptions {
  tileType: TileType;
  /** How the tiles are compressed already. */
  tileCompression: Compression;
  /** How the writer compresses directories and metadata. */
  internalCompression?: Compression.None | Compression.Gzip;
  minZoom: number;
  maxZoom: number;
  /** West, south, east, north, in degrees. */
  bounds?: [number, number, number, number];
  metadata: object;
}

interface Entry {
  tileId: number;
  offset: number;
  length: number;
  /** Tiles in a row with this content; 0 in an entry that leads to a leaf directory. */
  runLength: number;
}

const HEADER_LENGTH = 127;
/** Readers fetch this much first: header and root directory have to be in it. */
const HEAD_LENGTH = 16_384;
const LEAF_ENTRIES = 4_096;

/** The bytes of an archive. Equal tiles are stored once. */
export function writeArchive(tiles: Iterable<Tile>, options: ArchiveOptions): Uint8Array<ArrayBuffer> {
  const { internalCompression = Compression.Gzip } = options;
  const compressed = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
    internalCompression === Compression.Gzip ? Bun.gzipSync(bytes, { level: 9 }) : bytes;
  const { entries, contents, addressed } = laidOut(tiles);
  const { root, leaves } = directoriesOf(entries, compressed);
  const metadata = compressed(new TextEncoder().encode(JSON.stringify(options.metadata)));
  const parts = [root, metadata, leaves, joined(contents)];

  const header = new DataView(new ArrayBuffer(HEADER_LENGTH));
  for (const [at, character] of [..."PMTiles"].entries()) header.setUint8(at, character.charCodeAt(0));
  header.setUint8(7, 3);
  let offset = HEADER_LENGTH;
  for (const [at, part] of parts.entries()) {
    header.setBigUint64(8 + 16 * at, BigInt(offset), true);
    header.setBigUint64(16 + 16 * at, BigInt(part.length), true);
    offset += part.length;
  }
  for (const [at, count] of [addressed, entries.length, contents.length].entries())
    header.setBigUint64(72 + 8 * at, BigInt(count), true);
  const { tileType, tileCompression, minZoom, maxZoom, bounds = [-180, -85.05113, 180, 85.05113] } = options;
  // The last one is the zoom of the centre, which is 0, 0.
  const bytes = [1, internalCompression, tileCompression, tileType, minZoom, maxZoom];
  for (const [at, byte] of bytes.entries()) header.setUint8(96 + at, byte);
  for (const [at, degrees] of bounds.entries())
    header.setInt32(102 + 4 * at, Math.round(degrees * 10_000_000), true);
  header.setUint8(118, minZoom);
  return joined([new Uint8Array(header.buffer), ...parts]);
}

/** Tiles in the order of the archive, and the place of each content. */
function laidOut(tiles: Iterable<Tile>) {
  const sorted = [...tiles]
    .map(({ z, x, y, data }) => ({ tileId: zxyToTileId(z, x, y), data }))
    .sort((a, b) => a.tileId - b.tileId);
  const places = new Map<string, Pick<Entry, "offset" | "length">>();
  const contents: Uint8Array[] = [];
  const entries: Entry[] = [];
  let end = 0;
  for (const { tileId, data } of sorted) {
    const hash = new Bun.CryptoHasher("sha256").update(data).digest("base64");
    let place = places.get(hash);
    if (!place) {
      place = { offset: end, length: data.length };
      places.set(hash, place);
      contents.push(data);
      end += data.length;
    }
    const last = entries.at(-1);
    if (last && last.offset === place.offset && last.tileId + last.runLength === tileId) last.runLength++;
    else entries.push({ tileId, ...place, runLength: 1 });
  }
  return { entries, contents, addressed: sorted.length };
}

function directoriesOf(
  entries: Entry[],
  compressed: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
) {
  const whole = compressed(directory(entries));
  if (whole.length <= HEAD_LENGTH - HEADER_LENGTH) return { root: whole, leaves: new Uint8Array() };
  const leaves: Uint8Array[] = [];
  const root: Entry[] = [];
  let offset = 0;
  for (let at = 0; at < entries.length; at += LEAF_ENTRIES) {
    const part = entries.slice(at, at + LEAF_ENTRIES);
    const leaf = compressed(directory(part));
    leaves.push(leaf);
    root.push({ tileId: part[0]?.tileId ?? 0, offset, length: leaf.length, runLength: 0 });
    offset += leaf.length;
  }
  return { root: compressed(directory(root)), leaves: joined(leaves) };
}

/** A directory as it is written: column by column, in varints. */
function directory(entries: Entry[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  const put = (value: number) => {
    let rest = value;
    // No shifts: offsets are longer than 32 bits.
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  };
  put(entries.length);
  let before = 0;
  for (const { tileId } of entries) {
    put(tileId - before);
    before = tileId;
  }
  for (const { runLength } of entries) put(runLength);
  for (const { length } of entries) put(length);
  let end = -1;
  for (const { offset, length } of entries) {
    put(offset === end ? 0 : offset + 1);
    end = offset + length;
  }
  return new Uint8Array(bytes);
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
