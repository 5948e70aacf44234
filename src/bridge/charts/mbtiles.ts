import { constants, Database } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import {
  type Archive,
  boundsOr,
  ChartFault,
  type ChartInfo,
  layerNamesIn,
  MAX_TILE,
  plainText,
  type StoredTile,
  zoomsOr,
} from "./chart";
import { formatOf, isGzip, MAX_ZOOM, type TileFormat } from "./formats";

/** Charts as MBTiles, which are SQLite databases: https://github.com/mapbox/mbtiles-spec */

/** Rows that count from the south. */
const TILE = `SELECT length(tile_data) AS size, CASE WHEN length(tile_data) <= ${MAX_TILE} THEN tile_data END AS data
  FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?`;
const AT_ZOOM = "SELECT 1 FROM tiles WHERE zoom_level = ? LIMIT 1";
const ANY_AT = "SELECT tile_data AS data FROM tiles WHERE zoom_level = ? AND length(tile_data) <= ? LIMIT 1";
const METADATA = "SELECT name, value FROM metadata WHERE length(value) <= 1048576 LIMIT 1000";

const FORMATS: Record<string, TileFormat> = {
  ...{ png: "png", jpg: "jpeg", jpeg: "jpeg", webp: "webp" },
  ...{ pbf: "mvt", mvt: "mvt", mlt: "mlt" },
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/webp": "webp",
};

/** Kilobytes of pages that are kept of one chart: there may be many. */
const CACHE = 256;

/** Opens a database of tiles. Throws ChartFault and errors of the machine. */
export async function openMbtiles(path: string): Promise<Archive> {
  const database = reading(
    () =>
      // As immutable it is read without making a log beside it: a chart that is written to has another time.
      new Database(
        `${pathToFileURL(path).href}?immutable=1`,
        constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
      ),
  );
  try {
    return reading(() => archiveOf(database));
  } catch (error) {
    database.close();
    throw error;
  }
}

function archiveOf(database: Database): Archive {
  database.run(`PRAGMA cache_size = -${CACHE}`);
  requireTable(database, "tiles");
  requireTable(database, "metadata");
  requireIndex(database);
  const find = database.prepare<{ size: number | null; data: unknown }, [number, number, number]>(TILE);
  const info = infoOf(database);
  return {
    info,
    tile: async (z, x, y) => {
      const row = reading(() => find.get(z, x, 2 ** z - 1 - y));
      if (!row?.size) return null;
      if (row.size > MAX_TILE) throw new ChartFault(`has a tile of ${row.size} bytes`);
      if (!(row.data instanceof Uint8Array)) throw new ChartFault("has a tile that is text");
      return stored(row.data);
    },
    close: () => {
      find.finalize();
      database.close();
    },
  };
}

const stored = (data: Uint8Array): StoredTile => ({
  bytes: data as Uint8Array<ArrayBuffer>,
  coding: isGzip(data) ? "gzip" : null,
});

/** Runs a reading, in which errors of SQLite itself mean that the file is damaged. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (code === "SQLITE_NOTADB") throw new ChartFault("is no MBTiles file: it is no SQLite database");
    if (/^SQLITE_(CORRUPT|ERROR|MISMATCH|TOOBIG|RANGE|IOERR_SHORT_READ)/.test(code))
      throw new ChartFault(`is a damaged MBTiles file (${(error as Error).message})`);
    throw error;
  }
}

function requireTable(database: Database, name: string): void {
  const found = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')")
    .get(name);
  if (!found) throw new ChartFault(`is no MBTiles file: it has no table ${name}`);
}

/** Throws ChartFault where a tile is not found by an index: each would take a walk through the whole file. */
function requireIndex(database: Database): void {
  const steps = database
    .prepare<{ detail: string }, [number, number, number]>(`EXPLAIN QUERY PLAN ${TILE}`)
    .all(0, 0, 0)
    .map(({ detail }) => detail);
  const isSearched = steps.every((step) => step.startsWith("SEARCH ") && !step.includes(" AUTOMATIC "));
  const isByPlace = steps.some((step) => step.split("=?").length > 3);
  if (!isSearched || !isByPlace)
    throw new ChartFault(
      "has no index of its tiles; make one by: CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)",
    );
}

function infoOf(database: Database): ChartInfo {
  const rows = database.prepare<{ name: unknown; value: unknown }, []>(METADATA).all();
  const metadata = new Map(rows.map(({ name, value }) => [String(name), String(value ?? "")]));
  const zooms = zoomsIn(database);
  return {
    title: plainText(metadata.get("name")),
    description: plainText(metadata.get("description")),
    attribution: plainText(metadata.get("attribution")),
    format: tileFormat(database, metadata.get("format"), zooms.minzoom),
    ...zooms,
    bounds: boundsOr((metadata.get("bounds") ?? "").split(",").map(Number.parseFloat)),
    layerNames: layerNamesIn(vectorLayers(metadata.get("json"))),
  };
}

/** The zooms that have tiles: what the metadata says of them is often missing, and sometimes wrong. */
function zoomsIn(database: Database): Pick<ChartInfo, "minzoom" | "maxzoom"> {
  const isThere = database.prepare(AT_ZOOM);
  const zooms = Array.from({ length: MAX_ZOOM + 1 }, (_, zoom) => zoom).filter((zoom) => isThere.get(zoom));
  const [minzoom, maxzoom] = [zooms[0], zooms.at(-1)];
  if (minzoom === undefined || maxzoom === undefined) throw new ChartFault("has no tiles");
  return zoomsOr(minzoom, maxzoom);
}

/** The format that the metadata names, else that of any tile. */
function tileFormat(database: Database, named: string | undefined, zoom: number): TileFormat {
  if (named) {
    const format = FORMATS[named.trim().toLowerCase()];
    if (format) return format;
  } else {
    const row = database.prepare<{ data: unknown }, [number, number]>(ANY_AT).get(zoom, MAX_TILE);
    const data = row?.data;
    if (data instanceof Uint8Array) return formatOf(data) ?? "mvt";
  }
  throw new ChartFault("has tiles of another kind than PNG, JPEG, WebP, MVT and MLT");
}

function vectorLayers(json: string | undefined): unknown {
  if (!json) return null;
  try {
    return (JSON.parse(json) as { vector_layers?: unknown } | null)?.vector_layers;
  } catch {
    // Only names are lost, which a style has too.
    return null;
  }
}
