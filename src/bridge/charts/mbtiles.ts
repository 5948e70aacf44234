import { constants, Database } from "bun:sqlite";
import { pathToFileURL } from "node:url";
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
  type StoredTile,
  tileSizeBy,
  zoomsOr,
} from "./chart";
import { formatOf, isGzip, MAX_ZOOM, type TileFormat } from "./formats";

/** Charts as MBTiles, which are SQLite databases: https://github.com/mapbox/mbtiles-spec */

/** A tile, unless it is too large to be one. Rows count from the south. */
const CONTENT = `length(tile_data) AS size, CASE WHEN length(tile_data) <= ${MAX_TILE} THEN tile_data END AS data`;
const TILE = `SELECT ${CONTENT} FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?`;
const ANY_AT = `SELECT ${CONTENT} FROM tiles WHERE zoom_level = ? LIMIT 1`;
/** The rows are bounded before they are chosen from: nobody knows how many there are. */
const METADATA = `SELECT name, value FROM (SELECT name, value FROM metadata LIMIT 1000)
  WHERE name IN ('name', 'description', 'attribution', 'format', 'bounds', 'json') AND length(value) <= 1048576 LIMIT 12`;

interface TileRow {
  size: number | null;
  data: unknown;
}

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
  requireTables(database);
  requireIndex(database, TILE, 3);
  requireIndex(database, ANY_AT, 1);
  const find = database.prepare<TileRow, [number, number, number]>(TILE);
  const info = infoOf(database);
  return {
    info,
    tile: async (z, x, y) => {
      const row = reading(() => find.get(z, x, 2 ** z - 1 - y));
      if (!row?.size) return null;
      if (row.size > MAX_TILE)
        throw new ChartFault({
          en: `has a tile of ${row.size} bytes`,
          de: `hat eine Kachel von ${numberInGerman(row.size)} Byte`,
        });
      if (!(row.data instanceof Uint8Array))
        throw new ChartFault({ en: "has a tile that is text", de: "hat eine Kachel, die Text ist" });
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
    if (code === "SQLITE_NOTADB")
      throw new ChartFault({
        en: "is no MBTiles file: it is no SQLite database",
        de: "ist keine MBTiles-Datei: Sie ist keine Datenbank von SQLite",
      });
    if (/^SQLITE_(CORRUPT|ERROR|MISMATCH|TOOBIG|RANGE|IOERR_SHORT_READ)/.test(code))
      throw new ChartFault({
        en: `is a damaged MBTiles file (${(error as Error).message})`,
        de: `ist eine beschädigte MBTiles-Datei (${(error as Error).message})`,
      });
    throw error;
  }
}

/** Throws ChartFault for a database that holds something else. A view of tiles is usual, one of metadata could take forever. */
function requireTables(database: Database): void {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND type IN (?, 'table')");
  if (!isThere.get("tiles", "view"))
    throw new ChartFault({
      en: "is no MBTiles file: it has no table tiles",
      de: "ist keine MBTiles-Datei: Die Tabelle tiles fehlt",
    });
  if (!isThere.get("metadata", "table"))
    throw new ChartFault({
      en: "is no MBTiles file: it has no table metadata",
      de: "ist keine MBTiles-Datei: Die Tabelle metadata fehlt",
    });
}

const INDEX = "CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)";

/** Throws ChartFault where a statement on tiles is not answered by an index: it would take a walk through the whole file. */
function requireIndex(database: Database, statement: string, columns: number): void {
  const steps = database
    .prepare<{ detail: string }, number[]>(`EXPLAIN QUERY PLAN ${statement}`)
    .all(...Array<number>(columns).fill(0))
    .map(({ detail }) => detail);
  const isSearched = steps.every(
    (step) => step.startsWith("SEARCH ") && !/ AUTOMATIC | VIRTUAL |ANY\(/.test(step),
  );
  const isFound = steps.some((step) => step.split("=?").length > columns);
  if (!isSearched || !isFound)
    throw new ChartFault({
      en: `has no index of its tiles; make one by: ${INDEX}`,
      de: `hat keinen Index seiner Kacheln; lege einen an: ${INDEX}`,
    });
}

function infoOf(database: Database): ChartInfo {
  const rows = database.prepare<{ name: unknown; value: unknown }, []>(METADATA).all();
  const metadata = new Map(rows.map(({ name, value }) => [String(name), String(value ?? "")]));
  const zooms = zoomsIn(database);
  const tile = anyTile(database, zooms.minzoom);
  const format = tileFormat(metadata.get("format"), tile);
  return {
    title: plainText(metadata.get("name")),
    description: plainText(metadata.get("description")),
    attribution: plainText(metadata.get("attribution")),
    ...{ format, tileSize: tileSizeBy(format, tile) },
    ...zooms,
    bounds: boundsOr((metadata.get("bounds") ?? "").split(",").map(Number.parseFloat)),
    layerNames: layerNamesIn(vectorLayers(metadata.get("json"))),
  };
}

/** The zooms that have tiles: what the metadata says of them is often missing, and sometimes wrong. */
function zoomsIn(database: Database): Pick<ChartInfo, "minzoom" | "maxzoom"> {
  const isThere = database.prepare(ANY_AT);
  const zooms = Array.from({ length: MAX_ZOOM + 1 }, (_, zoom) => zoom).filter((zoom) => isThere.get(zoom));
  const [minzoom, maxzoom] = [zooms[0], zooms.at(-1)];
  if (minzoom === undefined || maxzoom === undefined)
    throw new ChartFault({ en: "has no tiles", de: "hat keine Kacheln" });
  return zoomsOr(minzoom, maxzoom);
}

/** A tile of a zoom; null where it is none. */
function anyTile(database: Database, zoom: number): Uint8Array | null {
  const data = database.prepare<TileRow, [number]>(ANY_AT).get(zoom)?.data;
  return data instanceof Uint8Array ? data : null;
}

/** The format that the metadata names, else that of any tile. */
function tileFormat(named: string | undefined, tile: Uint8Array | null): TileFormat {
  const format = named ? FORMATS[named.trim().toLowerCase()] : tile && (formatOf(tile) ?? "mvt");
  if (!format) throw otherTiles();
  return format;
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
