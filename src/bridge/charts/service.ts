import type { Caller } from "../../identity/access/caller";
import { AppError, invalid, notFound } from "../../kernel/errors/errors";
import { preferredCoding } from "../../kernel/http/compress";
import { semaphore } from "../../kernel/limits/semaphore";
import { log } from "../../kernel/logs/log";
import { reason } from "../../kernel/process/disk";
import { SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { ChartFault, MAX_DECODED, type StoredTile } from "./chart";
import { COAST, coast } from "./coast";
import { type ChartCoding, decode } from "./decode";
import { type Chart, type Folder, isBeingReplaced, isUnchanged, readFolder, unread } from "./folder";
import { formatOf, isGzip, isVector, type TileFormat } from "./formats";
import type { ListedChart } from "./schema";

/** The charts: the list of them, and their tiles. */

/** A folder that was read this long ago is read again: files come and go while the server runs. */
const FRESH = SECOND;

let folder = unread();
let readAt = Number.NEGATIVE_INFINITY;
let reading: Promise<Folder> | null = null;

/** The operator's charts as they are now. `isStale` says that a file has changed since the folder was read. */
function operatorsCharts(isStale = false): Promise<Folder> {
  // Not the clock that a user may set: it could keep the folder from being read for years.
  if (!isStale && performance.now() - readAt < FRESH) return Promise.resolve(folder);
  reading ??= readFolder(folder)
    .then((found) => {
      tellFaults(found);
      folder = found;
      readAt = performance.now();
      return found;
    })
    .finally(() => {
      reading = null;
    });
  return reading;
}

/** Faults that were logged: each is told once, and again when it comes back. */
let told = new Set<string>();

function tellFaults({ faults }: Folder): void {
  const lines = new Set(faults.map(({ file, reason }) => `${file} ${reason.en}`));
  for (const fault of faults)
    if (!told.has(`${fault.file} ${fault.reason.en}`))
      log.warn("a chart can't be shown", { file: fault.file, reason: fault.reason.en });
  told = lines;
}

async function builtIn(): Promise<Chart> {
  const { archive, version } = await coast();
  return { name: COAST, archive, version, layers: null, path: null };
}

/** True for a chart that anybody may see: it holds no secret, and visitors with a link need a map too. */
export const isOpen = (name: string): boolean => name === COAST;

/** The charts that a caller may see, the built-in map first; that alone without a caller. */
export async function listCharts(caller: Caller | null): Promise<ListedChart[]> {
  const own = caller ? [...(await operatorsCharts()).charts.values()] : [];
  return [await builtIn(), ...own].map(toListed);
}

function toListed({ name, archive: { info }, version, layers, path }: Chart): ListedChart {
  const { title, description, attribution, format, tileSize, minzoom, maxzoom, bounds, layerNames } = info;
  return {
    ...{ name, title, description, attribution },
    built_in: path === null,
    type: isVector(format) ? "vector" : "raster",
    ...{ format, tile_size: tileSize, minzoom, maxzoom, bounds },
    tiles: [`/v1/charts/${name}/{z}/{x}/{y}?v=${version}`],
    vector_layers: layerNames.map((id) => ({ id })),
    layers,
  };
}

/** Tries to read a tile of a file that changes. */
const TRIES = 3;

const busy = (message: string) =>
  new AppError("ServiceUnavailable", message, { headers: { "retry-after": "1" } });

/** Tiles that are read at once: one may take 12 MB. */
const reader = semaphore({
  atOnce: 4,
  line: { most: 1_000, refusal: () => busy("Too many tiles are being read; try again in a moment") },
});

export interface Place {
  z: number;
  x: number;
  y: number;
}

export interface Tile {
  /** The version of the chart that it is from. */
  version: string;
  /** Null for a place of the chart where nothing is. */
  content: { bytes: Uint8Array<ArrayBuffer>; format: TileFormat; coding: ChartCoding | null } | null;
}

/**
 * A tile of a chart, in a coding that the client takes. Throws 400 for a place beyond the world, 404 for an unknown chart, for a
 * place outside of the chart, and for a tile that can't be read; 503 where too many are read. The addresses of clients take turns.
 */
export async function tileOf(
  name: string,
  place: Place,
  acceptEncoding: string | null,
  client: string,
): Promise<Tile> {
  requireInWorld(place);
  for (let tries = 0; tries < TRIES; tries++) {
    const chart = isOpen(name) ? await builtIn() : await operatorsChart(name, tries > 0);
    if (chart === "replaced") continue;
    if (!chart) throw notFound("Chart");
    const read = await reader.run(client, () => readTile(chart, place, acceptEncoding));
    // A file that was replaced meanwhile may have given parts of both.
    if (!(await isUnchanged(chart))) continue;
    if (read instanceof Error) throw unreadable(chart, place, read);
    if (read === null && !isWithin(chart, place))
      throw new AppError("NotFound", "The chart doesn't reach there");
    return { version: chart.version, content: read };
  }
  throw busy("The chart is being replaced; try again in a moment");
}

/** A chart of the operator's; undefined if there is none of that name. */
async function operatorsChart(name: string, isStale: boolean): Promise<Chart | "replaced" | undefined> {
  const found = await operatorsCharts(isStale);
  return found.charts.get(name) ?? (isBeingReplaced(found, name) ? "replaced" : undefined);
}

function requireInWorld({ z, x, y }: Place): void {
  for (const [name, value] of Object.entries({ x, y }))
    if (value >= 2 ** z) throw invalid(`/${name}`, `must be below ${2 ** z} at zoom ${z}`);
}

/** The content of a tile, or the error that came of reading it. */
async function readTile(
  { archive }: Chart,
  { z, x, y }: Place,
  acceptEncoding: string | null,
): Promise<Tile["content"] | Error> {
  try {
    const stored = await archive.tile(z, x, y);
    return stored && (await served(stored, archive.info.format, acceptEncoding));
  } catch (error) {
    return error as Error;
  }
}

/** A stored tile as it is sent. Images go as they are, whatever image they are; nothing else passes for one. */
async function served(
  { bytes, coding }: StoredTile,
  format: TileFormat,
  acceptEncoding: string | null,
): Promise<NonNullable<Tile["content"]>> {
  if (coding === "gzip" && !isGzip(bytes))
    throw new ChartFault({
      en: "has a tile that is not compressed as it says",
      de: "hat eine Kachel, die anders gepackt ist als angegeben",
    });
  if (isVector(format) && coding !== null && preferredCoding(acceptEncoding, [coding]) !== null)
    return { bytes, format, coding };
  const decoded = await decode(bytes, coding, MAX_DECODED, { en: "a tile", de: "Kachel" });
  if (isVector(format)) return { bytes: decoded, format, coding: null };
  const image = formatOf(decoded);
  if (image === null)
    throw new ChartFault({ en: "has a tile that is no image", de: "hat eine Kachel, die kein Bild ist" });
  return { bytes: decoded, format: image, coding: null };
}

/** Tiles that can't be read, each of which is logged once. */
const toldTiles = new BoundedMap<string, true>(1_000);

function unreadable({ name, version }: Chart, { z, x, y }: Place, error: Error): AppError {
  const tile = `${z}/${x}/${y}`;
  const key = `${name} ${version} ${tile}`;
  if (!toldTiles.has(key))
    log.warn("a tile of a chart can't be read", {
      ...{ chart: name, tile },
      reason: error instanceof ChartFault ? error.message : reason(error),
    });
  toldTiles.set(key, true);
  return new AppError("NotFound", "This tile of the chart can't be read; the server's log says why");
}

/** True if a place is one that the chart says to show: nothing there is sea, or nothing of interest. */
function isWithin({ archive }: Chart, { z, x, y }: Place): boolean {
  const { minzoom, maxzoom, bounds } = archive.info;
  const [west, south, east, north] = bounds;
  const side = 2 ** z;
  const longitudeAt = (column: number) => (column / side) * 360 - 180;
  const latitudeAt = (row: number) =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / side))) * 180) / Math.PI;
  const isZoom = z >= minzoom && z <= maxzoom;
  const isAcross = longitudeAt(x) < east && longitudeAt(x + 1) > west;
  return isZoom && isAcross && latitudeAt(y) > south && latitudeAt(y + 1) < north;
}
