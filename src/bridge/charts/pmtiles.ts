import { Compression, type Header, PMTiles, ResolvedValueCache, type Source, TileType } from "pmtiles";
import { numberInGerman } from "../../kernel/values/bilingual";
import {
  type Archive,
  boundsOr,
  ChartFault,
  type ChartInfo,
  layerNamesIn,
  MAX_TILE,
  otherTiles,
  plainText,
  tileSizeBy,
  zoomsOr,
} from "./chart";
import { type ChartCoding, decode } from "./decode";
import type { TileFormat } from "./formats";

/** Charts as PMTiles archives, version 3. The package knows the form; what a file may cost is bounded here. */

/** Bytes of a directory and of the metadata, decoded. A directory of this size leads to a hundred thousand tiles. */
const MAX_PART = 512 * 1024;

/** Directories on the way to a tile, as the package has it. */
const MAX_DEPTH = 4;

/** Directories of all charts that are kept decoded: mostly a quarter of a megabyte each. */
const directories = new ResolvedValueCache(32, true, (bytes, compression) =>
  decode(new Uint8Array(bytes), codingOf(compression), MAX_PART, {
    en: "a directory",
    de: "Verzeichnis",
  }).then(bufferOf),
);

const METADATA = { en: "metadata", de: "Metadaten" };

const bufferOf = (bytes: Uint8Array<ArrayBuffer>): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

const FORMATS: Partial<Record<TileType, TileFormat>> = {
  [TileType.Mvt]: "mvt",
  [TileType.Png]: "png",
  [TileType.Jpeg]: "jpeg",
  [TileType.Webp]: "webp",
  [TileType.Mlt]: "mlt",
};

/** Throws ChartFault for a compression that isn't read. */
function codingOf(compression: Compression): ChartCoding | null {
  switch (compression) {
    case Compression.Unknown:
    case Compression.None:
      return null;
    case Compression.Gzip:
      return "gzip";
    case Compression.Brotli:
      return "br";
    default:
      throw new ChartFault({
        en: `is compressed by ${Compression[compression] ?? "an unknown way"}; gzip and Brotli are read`,
        de: `ist mit ${Compression[compression] ?? "einem unbekannten Verfahren"} gepackt; gelesen werden gzip und Brotli`,
      });
  }
}

/** The bytes of an archive, on the disk or inside the executable. */
class Bytes implements Source {
  readonly #file: Bun.BunFile;
  readonly #key: string;

  constructor(path: string, key: string) {
    this.#file = Bun.file(path);
    this.#key = key;
  }

  getKey(): string {
    return this.#key;
  }

  async getBytes(offset: number, length: number): Promise<{ data: ArrayBuffer }> {
    if (length > MAX_TILE)
      throw new ChartFault({
        en: `has a part of ${length} bytes`,
        de: `hat einen Teil von ${numberInGerman(length)} Byte`,
      });
    // The first part is asked for before anybody knows how long the file is. Far beyond the end, the runtime would give that.
    if (offset > 0 && offset + length > this.#file.size)
      throw new ChartFault({ en: "ends before its contents do", de: "endet vor ihrem Inhalt" });
    return { data: await this.#file.slice(offset, offset + length).arrayBuffer() };
  }
}

/** Opens an archive. `version` tells files apart that have the path at different times. Throws ChartFault and errors of the machine. */
export async function openPmtiles(path: string, version: string): Promise<Archive> {
  const source = new Bytes(path, `${path} ${version}`);
  // A tile stays as it is stored: the client may take it so.
  const archive = new PMTiles(source, directories, async (bytes) => bytes);
  const header = await reading(() => archive.getHeader());
  if (header.specVersion !== 3)
    throw new ChartFault({
      en: `is of version ${header.specVersion} of PMTiles, not 3`,
      de: `hat Version ${header.specVersion} von PMTiles, nicht 3`,
    });
  const coding = codingOf(header.tileCompression);
  const [metadata, tile] = await reading(() =>
    Promise.all([metadataOf(source, header), anyTile(source, header)]),
  );
  return {
    info: infoOf(header, metadata, tile),
    tile: async (z, x, y) => {
      const found = await reading(() => archive.getZxy(z, x, y));
      return found ? { bytes: new Uint8Array(found.data), coding } : null;
    },
    close: () => {},
  };
}

/** Runs a reading of the package, whose own errors mean that the file is damaged. */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // Errors of the machine have a code.
    if (error instanceof ChartFault || (error as { code?: unknown }).code !== undefined) throw error;
    throw new ChartFault({
      en: `is no PMTiles archive, or a damaged one (${(error as Error).message})`,
      de: `ist kein PMTiles-Archiv oder ein beschädigtes (${(error as Error).message})`,
    });
  }
}

async function metadataOf(source: Source, header: Header): Promise<Record<string, unknown>> {
  const { jsonMetadataOffset: offset, jsonMetadataLength: length } = header;
  if (length === 0) return {};
  const { data } = await source.getBytes(offset, length);
  const text = await decode(new Uint8Array(data), codingOf(header.internalCompression), MAX_PART, METADATA);
  const metadata: unknown = JSON.parse(new TextDecoder().decode(text));
  return typeof metadata === "object" && metadata !== null ? (metadata as Record<string, unknown>) : {};
}

/** The first tile; null in an archive without one, and for one that is too large to be shown. */
async function anyTile(source: Source, header: Header): Promise<Uint8Array | null> {
  let [offset, length] = [header.rootDirectoryOffset, header.rootDirectoryLength];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const [first] = await directories.getDirectory(source, offset, length, header);
    if (!first) return null;
    if (first.runLength > 0 && first.length > MAX_TILE) return null;
    if (first.runLength > 0)
      return new Uint8Array((await source.getBytes(header.tileDataOffset + first.offset, first.length)).data);
    [offset, length] = [header.leafDirectoryOffset + first.offset, first.length];
  }
  throw new ChartFault({
    en: `has more than ${MAX_DEPTH} levels of directories`,
    de: `hat mehr als ${MAX_DEPTH} Ebenen von Verzeichnissen`,
  });
}

function infoOf(header: Header, metadata: Record<string, unknown>, tile: Uint8Array | null): ChartInfo {
  const format = FORMATS[header.tileType];
  if (!format) throw otherTiles();
  return {
    title: plainText(metadata.name),
    description: plainText(metadata.description),
    attribution: plainText(metadata.attribution),
    ...{ format, tileSize: tileSizeBy(format, tile) },
    ...zoomsOr(header.minZoom, header.maxZoom),
    bounds: boundsOr([header.minLon, header.minLat, header.maxLon, header.maxLat]),
    layerNames: layerNamesIn(metadata.vector_layers),
  };
}
