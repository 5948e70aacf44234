import type { Database } from "bun:sqlite";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { config } from "../../configuration/config";
import { VERSION } from "../../configuration/version";
import { chainBacklog } from "../../identity/audit/backlog";
import { sqlite } from "../../kernel/db/connection";
import { newestApplied } from "../../kernel/db/migrate";
import { type Extent, roomFor } from "../../kernel/db/migration-extent";
import { type AfterMigration, openData } from "../../kernel/db/open-data";
import { begunUpgrade, recordUpgrade } from "../../kernel/db/program-record";
import { rows } from "../../kernel/db/rows";
import { closeDatabase } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { dataPath, giveToOwner, prepareDataDirectory } from "../../kernel/process/data-dir";
import { reason } from "../../kernel/process/disk";
import { OperatorError } from "../../kernel/process/operator";
import { print, sizeInWords } from "../../kernel/process/print";
import { now, SECOND } from "../../kernel/time/clock";
import { startCopy } from "./copy";
import { describeMigration, tellMigration, watchMigration } from "./migration-watch";
import { beforeName, beforesAmong, surplus } from "./names";
import { logProgress, showProgress, sizeOf } from "./progress";

/**
 * The checked copy of a database that is made before a migration changes it, so that an upgrade can be taken
 * back.
 */

export interface MadeCopy {
  file: string;
  /** Bytes. */
  size: number;
  seconds: number;
}

/** Number of such copies that are kept. */
const KEPT = 3;

const WAY_OUT =
  "free some space, set backup.dir to another disk, or continue without a copy (--no-backup), which cannot be undone";

/**
 * Copies the open database, if it holds data, and reads the copy through. Throws OperatorError if that fails, or if there is no
 * room for the migration; then nothing has changed. The caller must hold the lock of the data directory.
 */
export async function backUpBeforeMigration(
  extents: Extent[],
  wanted: boolean,
  tell: (copy: MadeCopy) => void,
): Promise<AfterMigration> {
  if (!wanted || !holdsData(sqlite)) {
    requireRoom(extents);
    return () => {};
  }
  const directory = dataPath.backups();
  const removeDirectory = prepareDirectory(directory);
  try {
    removeUnfinishedBefores();
    const begun = begunUpgrade(sqlite);
    const former = begun && existsSync(join(directory, begun.copy)) ? join(directory, begun.copy) : null;
    const from = newestApplied();
    // Once a migration is applied, the former version opens the copy from before alone, and only this upgrade goes on
    // with the database.
    if (former !== null && begun?.from !== from) {
      requireRoom(extents);
      return (_, isWhole) => {
        if (isWhole) removeSurplus(directory, former);
      };
    }
    requireRoom(extents, directory);
    const file = join(directory, nextName(directory));
    tell(await copyTo(file));
    noteUpgrade(from, file);
    // A start that was killed before its first migration left it.
    if (former !== null) rmSync(former, { force: true });
    return (applied, isWhole) => {
      // Nothing was migrated: a start that fails again and again must not push older copies out, nor fill the
      // disk.
      if (applied === 0 && !isWhole) {
        rmSync(file, { force: true });
        removeDirectory();
      } else removeSurplus(directory, file);
    };
  } catch (error) {
    removeDirectory();
    throw error;
  }
}

/**
 * Makes the default directory, not a configured one: while a disk is not mounted, the copy would go beside
 * the database.
 */
function prepareDirectory(directory: string): () => void {
  const there = statSync(directory, { throwIfNoEntry: false });
  if (there?.isDirectory()) return () => {};
  const isLink = lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink();
  if (there || isLink)
    throw new OperatorError(
      `${directory}, where the copy is made before the migration, ${there ? "is not a directory" : "is a link to a place that does not exist"}; ${WAY_OUT}`,
    );
  if (config["backup.dir"] !== null)
    throw new OperatorError(
      `backup.dir (${directory}), where the copy is made before the migration, does not exist; mount or create it, or continue without a copy (--no-backup), which cannot be undone`,
    );
  mkdirSync(directory, { mode: 0o700 });
  giveToOwner(directory);
  return () => rmdirSync(directory);
}

/**
 * Tables that hold rows in any installation, even an unused one, and those that SQLite keeps for virtual
 * tables.
 */
const NO_DATA =
  /^(sqlite_|__|(permissions|roles|role_permissions|platforms|community_settings|counters|audit_chain)$|geofence_index|community_member_(trigrams|roles)_)/;

function holdsData(database: Database): boolean {
  return rows(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    .map(([name]) => String(name))
    .filter((name) => !NO_DATA.test(name))
    .some((name) => rows(database, `SELECT 1 FROM "${name}" LIMIT 1`).length > 0);
}

/** Throws OperatorError if the migration would not fit, or with it the copy that is to be made before, in a directory. */
function requireRoom(extents: Extent[], forCopy?: string): void {
  const copy = databaseSize();
  const migration = roomFor(extents, copy);
  const dataDir = config["data.dir"];
  if (forCopy !== undefined && statSync(forCopy).dev === statSync(dataDir).dev) {
    const both = "the migration and the copy that is made before it may need";
    requireFree(dataDir, migration + copy, both, WAY_OUT);
    return;
  }
  requireFree(dataDir, migration, "the migration may need", "free some space there");
  if (forCopy !== undefined)
    requireFree(forCopy, copy, "the copy that is made before the migration needs", WAY_OUT);
}

function requireFree(directory: string, needed: number, what: string, wayOut: string): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free < needed)
    throw new OperatorError(
      `${what} ${sizeInWords(needed)}, but ${directory} has only ${sizeInWords(free)} free (${sizeInWords(needed - free)} too little); ${wayOut}`,
    );
}

/** Bytes of the database, including those still in the write-ahead log alone. */
function databaseSize(): number {
  const [[pages] = []] = rows(sqlite, "PRAGMA page_count");
  const [[size] = []] = rows(sqlite, "PRAGMA page_size");
  return Number(pages) * Number(size);
}

/** The newest is found by its name, so it gets a later time than all others, even if a clock was set back. */
function nextName(directory: string): string {
  const newest = beforesAmong(readdirSync(directory)).at(-1)?.time ?? 0;
  return beforeName(VERSION, Math.max(now(), newest + SECOND));
}

async function copyTo(file: string): Promise<MadeCopy> {
  const started = performance.now();
  const copying = startCopy(dataPath.database(), file);
  const stopTelling = (process.stderr.isTTY ? showProgress : logProgress)(copying, databaseSize());
  try {
    await copying.done;
    giveToOwner(file);
  } catch (error) {
    throw new OperatorError(
      `copying the database to ${file} before the migration failed: ${reason(error)}; ${WAY_OUT}`,
    );
  } finally {
    stopTelling();
  }
  return { file, size: sizeOf(file), seconds: Math.round((performance.now() - started) / 100) / 10 };
}

/** Records for what the copy was made, so that a start that goes on with the upgrade finds it. */
function noteUpgrade(from: string, file: string): void {
  try {
    recordUpgrade(sqlite, { from, copy: basename(file) });
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** The database is migrated: failing to remove an old copy is no reason to stop. */
function removeSurplus(directory: string, made: string): void {
  try {
    const befores = beforesAmong(readdirSync(directory));
    for (const { name } of surplus(befores, KEPT, basename(made)))
      rmSync(join(directory, name), { force: true });
  } catch (error) {
    log.warn("old copies from before migrations could not be removed", { directory, why: reason(error) });
  }
}

const UNFINISHED_BEFORE = /^before-.*\.\d+\.fairlead\.partial(-journal)?$/;

/**
 * Removes leftovers of a start that was killed while it copied. The caller must hold the lock of the data
 * directory. A directory that can't be read now keeps them until the next start.
 */
export function removeUnfinishedBefores(): void {
  const directory = dataPath.backups();
  try {
    for (const name of readdirSync(directory))
      if (UNFINISHED_BEFORE.test(name)) rmSync(join(directory, name), { force: true });
  } catch (error) {
    log.debug("unfinished copies were not looked for", { directory, why: reason(error) });
  }
}

/** The command `migrate`. Nothing but log lines and a terminal tell of it before it has succeeded (rule P1). */
export async function migrateData(backup: boolean): Promise<void> {
  const removeDirectory = prepareDataDirectory();
  const lines: string[] = [];
  const tell = ({ file, size }: MadeCopy) =>
    lines.push(`Copied the database to ${file} (${sizeInWords(size)}) and checked the copy.`);
  const watch = watchMigration((extents, isLong) => {
    if (process.stderr.isTTY) process.stderr.write(`${describeMigration(extents)}\n`);
    else if (isLong) tellMigration(extents);
  });
  try {
    const applied = await openData({
      holdsLock: false,
      beforeMigration: (extents) => backUpBeforeMigration(extents, backup, tell),
      watch,
    });
    chainBacklog(watch.progress);
    closeDatabase();
    lines.push(applied.length === 0 ? "The database is up to date" : `Applied ${applied.join(", ")}`);
    watch.end();
    await print(lines.join("\n"));
  } catch (error) {
    removeDirectory();
    throw error;
  } finally {
    watch.end();
  }
}
