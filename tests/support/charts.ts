import { Database } from "bun:sqlite";
import { rmSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { Compression, TileType } from "pmtiles";
import { type ArchiveOptions, type Tile, writeArchive } from "../../tools/coast/archive";
import { done } from "./expectations";
import type { TestServer } from "./server";

/** Small charts, in both forms. */

/** A picture of one colour, with sides of so many pixels. */
export function png(side = 256): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, data: Uint8Array): Uint8Array => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(Bun.hash.crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  // One bit a pixel, grey.
  head.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (1 + side / 8), 0);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk("IHDR", head),
      chunk("IDAT", deflateSync(rows)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

/** The head of a JPEG picture: an application segment, then the frame with its sizes. */
export const jpeg = (side = 256): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2],
    ...[0xff, 0xc0, 0, 11, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0, 0xff, 0xd9],
  ]);

/** The head of a lossless WebP picture. */
export const webp = (side = 256): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...Buffer.from("RIFF\x11\0\0\0WEBPVP8L\x05\0\0\0\x2f"),
    ...[(side - 1) & 255, (side - 1) >> 8, 0, 0, 0],
  ]);

/** A vector tile with one layer that has no feature (Mapbox Vector Tile 2.1, section 4.1). */
export function mvt(layer: string): Uint8Array<ArrayBuffer> {
  const body = [0x0a, layer.length, ...Buffer.from(layer), 0x78, 0x02];
  return new Uint8Array([0x1a, body.length, ...body]);
}

export const gzipped = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => Bun.gzipSync(bytes);

/** The bytes of a PMTiles archive with zooms 0 to 2, of vector tiles unless `options` say otherwise. */
export const pmtiles = (tiles: Tile[], options: Partial<ArchiveOptions> = {}): Uint8Array<ArrayBuffer> =>
  writeArchive(tiles, {
    tileType: TileType.Mvt,
    tileCompression: Compression.Gzip,
    ...{ minZoom: 0, maxZoom: 2, metadata: {} },
    ...options,
  });

/** The tile at zoom 0, and one at zoom 2. */
export const twoTiles = (data: Uint8Array): Tile[] => [
  { z: 0, x: 0, y: 0, data },
  { z: 2, x: 1, y: 1, data },
];

export interface MbtilesOptions {
  tiles?: Tile[];
  metadata?: Record<string, string>;
  /** In place of the usual tables. */
  schema?: string;
}

export const MBTILES_SCHEMA = `
  CREATE TABLE metadata (name TEXT, value TEXT);
  CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
  CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);`;

/** Writes an MBTiles file, whose rows count from the south. */
export function writeMbtiles(path: string, options: MbtilesOptions = {}): void {
  const { tiles = twoTiles(png()), metadata = { format: "png" }, schema = MBTILES_SCHEMA } = options;
  rmSync(path, { force: true });
  const database = new Database(path);
  database.run(schema);
  const insert = database.prepare("INSERT INTO tiles VALUES (?, ?, ?, ?)");
  for (const { z, x, y, data } of tiles) insert.run(z, x, 2 ** z - 1 - y, data);
  for (const [name, value] of Object.entries(metadata))
    database.prepare("INSERT INTO metadata VALUES (?, ?)").run(name, value);
  insert.finalize();
  database.close();
}

export const writePmtiles = (path: string, tiles: Tile[], options: Partial<ArchiveOptions> = {}): void =>
  writeFileSync(path, pmtiles(tiles, options));

/** The charts as a server lists them, by name. */
export async function chartsOf(server: TestServer, token = server.systemKey) {
  const charts = done(await server.get("/v1/charts", { token })).data;
  // biome-ignore lint/suspicious/noExplicitAny: as the bodies of all answers in tests
  return new Map<string, any>(charts.map((chart: { name: string }) => [chart.name, chart]));
}

/** Waits until the server has read the folder of charts once more: it looks after a second. */
export const folderRead = (): Promise<void> => Bun.sleep(1_100);
