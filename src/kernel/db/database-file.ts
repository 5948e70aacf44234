import { Database, constants as sqliteConstants } from "bun:sqlite";
import { rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { fullDisk, isDiskFull, whyUnwritable } from "../process/disk";
import type { Bilingual } from "../values/bilingual";
import { rows } from "./rows";

/** The file of a database, on a disk that may be full or read-only. */

/**
 * Opens a database for reading without making a log beside it. There must be none, so no process has the database open; what is
 * read is right as long as none writes to it.
 */
export const openImmutable = (path: string): Database =>
  new Database(
    `${pathToFileURL(path).href}?immutable=1`,
    sqliteConstants.SQLITE_OPEN_READONLY | sqliteConstants.SQLITE_OPEN_URI,
  );

/** The reason around a database for which it can't be read, and the remedy; null if the reason may be the database itself. */
export function troubleAround(path: string, error: unknown): Bilingual | null {
  const directory = dirname(path);
  if (isDiskFull(error)) return fullDisk(directory);
  const why = whyUnwritable(directory);
  if (why === null || !/^SQLITE_(CANTOPEN|READONLY)/.test(String((error as { code?: unknown }).code)))
    return null;
  const name = basename(path);
  return {
    en: `${directory} cannot be written (${why.en}), as reading ${name}-wal requires; copy ${name} and ${name}-wal to another disk, where fairlead restore reads both`,
    de: `in ${directory} lässt sich nicht schreiben (${why.de}), was zum Lesen von ${name}-wal nötig ist; kopiere ${name} und ${name}-wal auf einen anderen Datenträger, wo fairlead restore beide liest`,
  };
}

/** Removes the log and its index that opening a database leaves on a full disk, unless another process has the database open. */
export function removeEmptyLog(path: string): void {
  if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size !== 0) return;
  const alone = new Database(path, { readwrite: true, create: false });
  try {
    // It keeps all others out, needs no index on the disk, and removes the log when it closes.
    alone.run("PRAGMA locking_mode = EXCLUSIVE");
    rows(alone, "SELECT count(*) FROM sqlite_schema");
    rmSync(`${path}-shm`, { force: true });
  } catch {
    // Another process uses them.
  } finally {
    alone.close();
  }
}
