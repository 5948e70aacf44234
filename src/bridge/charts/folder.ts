import type { Stats } from "node:fs";
import { exists, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { dataPath } from "../../kernel/process/data-dir";
import { reasonIn } from "../../kernel/process/disk";
import { type Bilingual, numberInGerman } from "../../kernel/values/bilingual";
import { type Archive, ChartFault } from "./chart";
import { COAST } from "./coast";
import { openMbtiles } from "./mbtiles";
import { openPmtiles } from "./pmtiles";
import { layersOf, MAX_STYLE, type StyleLayer } from "./style";

/** The operator's folder of charts, and the files of it that are open. */

/** Charts that are open at once, each a file. */
const MAX_CHARTS = 200;

const FILE = /^([^.].*)\.(pmtiles|mbtiles)$/i;
/** A name of a chart, which stands in addresses. */
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The fault of a file that was another one each time it was read. */
const REPLACED = { en: "is being replaced", de: "wird gerade ersetzt" };

export interface Chart {
  name: string;
  archive: Archive;
  /** Changes with the file. */
  version: string;
  /** The layers of its style, if it has one. */
  layers: StyleLayer[] | null;
  /** The path that was opened; null for the built-in chart, which never changes. */
  path: string | null;
}

/** A file that can't be shown, and why. */
export interface Fault {
  file: string;
  reason: Bilingual;
}

/** The outcome of reading a file: its content, or the reason why there is none. */
interface Reading<T> {
  path: string;
  version: string;
  content: T | null;
  reason: Bilingual | null;
}

export interface Folder {
  /** False where there is no folder. */
  exists: boolean;
  charts: Map<string, Chart>;
  faults: Fault[];
  /** By name of the file. */
  archives: Map<string, Reading<Archive>>;
  styles: Map<string, Reading<StyleLayer[]>>;
}

/** A folder that has not been read yet. */
export const unread = (): Folder => ({
  exists: false,
  charts: new Map(),
  faults: [],
  archives: new Map(),
  styles: new Map(),
});

/** True if the file of a chart was replaced again and again while the folder was read. */
export const isBeingReplaced = ({ faults }: Folder, name: string): boolean =>
  faults.some(({ file, reason }) => reason === REPLACED && FILE.exec(file)?.[1] === name);

/** True while a chart's file is the one that was opened. */
export async function isUnchanged({ path, version }: Pick<Chart, "path" | "version">): Promise<boolean> {
  if (path === null) return true;
  try {
    return versionOf(await stat(path)) === version;
  } catch {
    return false;
  }
}

/** Reads the folder. A file that is as it was `before` is not read again, and stays open; one that is no more is closed. */
export async function readFolder(before: Folder): Promise<Folder> {
  const folder = unread();
  const directory = dataPath.charts();
  for (const file of await filesIn(directory, folder)) {
    const name = FILE.exec(file)?.[1] ?? "";
    const refusal = refusalOf(name, folder);
    if (refusal !== null) {
      folder.faults.push({ file, reason: refusal });
      continue;
    }
    const archive = await readAgain(directory, file, before.archives, folder.archives, (path, version) =>
      openArchive(file, path, version),
    );
    const style = await readAgain(directory, `${name}.style.json`, before.styles, folder.styles, readStyle);
    for (const [of, read] of [[file, archive] as const, [`${name}.style.json`, style] as const])
      if (read?.reason) folder.faults.push({ file: of, reason: read.reason });
    if (archive?.content)
      folder.charts.set(name, {
        ...{ name, path: archive.path, version: archive.version },
        ...{ archive: archive.content, layers: style?.content ?? null },
      });
  }
  const open = new Set([...folder.archives.values()].map(({ content }) => content));
  for (const { content } of before.archives.values()) if (!open.has(content)) content?.close();
  return folder;
}

/** The files that may be charts, in the order of their names. */
async function filesIn(directory: string, folder: Folder): Promise<string[]> {
  folder.exists = true;
  try {
    return (await readdir(directory)).filter((file) => FILE.test(file)).sort();
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") folder.exists = false;
    else folder.faults.push({ file: directory, reason: unreadable(error) });
    return [];
  }
}

function unreadable(error: unknown): Bilingual {
  const why = reasonIn(error);
  return { en: `can't be read: ${why.en}`, de: `lässt sich nicht lesen: ${why.de}` };
}

/** The reason why there can be no chart of this name; null if there can. */
function refusalOf(name: string, { charts }: Folder): Bilingual | null {
  if (!NAME.test(name))
    return {
      en: "needs a name of at most 64 letters, digits, dots, hyphens and underscores",
      de: "braucht einen Namen aus höchstens 64 Buchstaben, Ziffern, Punkten, Binde- und Unterstrichen",
    };
  if (name === COAST)
    return {
      en: "has the name of the built-in map; give it another",
      de: "heißt wie die eingebaute Karte; gib der Datei einen anderen Namen",
    };
  if (charts.has(name))
    return {
      en: "has the name of another chart; give it another",
      de: "heißt wie eine andere Karte; gib der Datei einen anderen Namen",
    };
  return charts.size < MAX_CHARTS
    ? null
    : {
        en: `is left out: only ${MAX_CHARTS} charts are shown`,
        de: `bleibt weg: Es werden nur ${MAX_CHARTS} Karten gezeigt`,
      };
}

/** Reads a file unless it is the same as before, and keeps what came of it in `after`. Null where there is no such file. */
async function readAgain<T>(
  directory: string,
  file: string,
  before: Map<string, Reading<T>>,
  after: Map<string, Reading<T>>,
  read: (path: string, version: string) => Promise<T>,
  tries = 3,
): Promise<Reading<T> | null> {
  const known = before.get(file);
  let reading: Reading<T> = { path: "", version: "", content: null, reason: null };
  try {
    const { path, stats } = await placeOf(directory, file);
    const version = versionOf(stats);
    reading = known?.path === path && known.version === version ? known : { ...reading, path, version };
    if (reading !== known) reading.content = await read(path, version);
  } catch (error) {
    // Bun's `realpath` throws ENOENT also for a file that is replaced while it looks.
    const isMissed = (error as { code?: string }).code === "ENOENT";
    if (isMissed && !(await exists(join(directory, file)))) return null;
    const isReplaced = isMissed || (reading.path !== "" && !(await isUnchanged(reading)));
    if (isReplaced && tries > 1) return readAgain(directory, file, before, after, read, tries - 1);
    if (isReplaced) reading.reason = REPLACED;
    else reading.reason = error instanceof ChartFault ? error.words : unreadable(error);
  }
  after.set(file, reading);
  return reading;
}

/** The place of a file of the folder. Throws ChartFault for a link that leads out of it, and for no file. */
async function placeOf(directory: string, file: string): Promise<{ path: string; stats: Stats }> {
  const [folder, path] = await Promise.all([realpath(directory), realpath(join(directory, file))]);
  if (!path.startsWith(folder + sep))
    throw new ChartFault({
      en: "is a link that leads out of the folder",
      de: "ist ein Link, der aus dem Ordner hinausführt",
    });
  const stats = await stat(path);
  if (!stats.isFile()) throw new ChartFault({ en: "is no file", de: "ist keine Datei" });
  return { path, stats };
}

/** Names a file's content: another file, or another content, has another one. */
function versionOf({ ino, size, mtimeMs }: Stats): string {
  const text = `${ino} ${size} ${mtimeMs}`;
  return new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 12);
}

async function openArchive(file: string, path: string, version: string): Promise<Archive> {
  const archive = /\.pmtiles$/i.test(file) ? await openPmtiles(path, version) : await openMbtiles(path);
  if (await isUnchanged({ path, version })) return archive;
  archive.close();
  throw new ChartFault(REPLACED);
}

async function readStyle(path: string): Promise<StyleLayer[]> {
  const { size } = await stat(path);
  if (size > MAX_STYLE)
    throw new ChartFault({
      en: `has more than ${MAX_STYLE} bytes`,
      de: `hat mehr als ${numberInGerman(MAX_STYLE)} Byte`,
    });
  return layersOf(await readFile(path, "utf8"));
}
