import { Database, constants as sqliteConstants } from "bun:sqlite";
import { realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { fullDisk, isDiskFull, whyUnwritable } from "../process/disk";
import type { Bilingual } from "../values/bilingual";
import { rows } from "./rows";

/** The file of a database, on a disk that may be full or read-only. */

/** The file itself: SQLite keeps the logs beside what a link leads to. */
export function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The reason why this user can't write beside a database, where opening it makes files; null if nothing keeps it from that. */
export const whyUnwritableBeside = (path: string): Bilingual | null => whyUnwritable(dirname(placeOf(path)));

/** The endings of the logs that belong to a database. An empty one counts only where this user may fill it. */
export function logsOf(path: string): string[] {
  const isWritable = whyUnwritableBeside(path) === null;
  return ["-wal", "-journal"].filter((end) => {
    const log = statSync(placeOf(path) + end, { throwIfNoEntry: false });
    return log !== undefined && (isWritable || log.size > 0);
  });
}

/**
 * Opens a database for reading without making a log beside it. `logsOf` must find none: they would not be read. What is read
 * is right as long as no process writes to it.
 */
export const openImmutable = (path: string): Database =>
  new Database(
    `${pathToFileURL(path).href}?immutable=1`,
    sqliteConstants.SQLITE_OPEN_READONLY | sqliteConstants.SQLITE_OPEN_URI,
  );

/** The reason around a database for which it can't be read, and the remedy; null if the reason may be the database itself. */
export function troubleAround(path: string, error: unknown): Bilingual | null {
  const directory = dirname(placeOf(path));
  const name = basename(placeOf(path));
  if (isDiskFull(error)) return fullDisk(directory);
  const why = whyUnwritableBeside(path);
  const log = logsOf(path)
    .map((end) => name + end)
    .join(", ");
  const code = String((error as { code?: unknown }).code);
  if (log === "" || !/^SQLITE_(CANTOPEN|READONLY)/.test(code)) return null;
  if (why !== null)
    return {
      en: `${directory} cannot be written (${why.en}), as reading ${log} requires; once no server runs, copy ${name} and ${log} to another disk, where fairlead restore reads them together`,
      de: `in ${directory} lässt sich nicht schreiben, wie es das Lesen von ${log} erfordert: ${why.de}; kopiere ${name} und ${log}, sobald kein Server läuft, auf einen anderen Datenträger, wo fairlead restore sie zusammen liest`,
    };
  return code === "SQLITE_READONLY_ROLLBACK"
    ? {
        en: `${log} holds a change that was cut short; the next start undoes it`,
        de: `${log} enthält eine abgebrochene Änderung; der nächste Start macht sie rückgängig`,
      }
    : null;
}

/** Removes the log and its index that opening a database leaves on a full disk, unless another process has the database open. */
export function removeEmptyLog(path: string): void {
  const place = placeOf(path);
  if (statSync(`${place}-wal`, { throwIfNoEntry: false })?.size !== 0) return;
  try {
    const alone = new Database(place, { readwrite: true, create: false });
    try {
      // It keeps all others out, needs no index on the disk, and removes the log when it closes.
      alone.run("PRAGMA locking_mode = EXCLUSIVE");
      rows(alone, "SELECT count(*) FROM sqlite_schema");
      rmSync(`${place}-shm`, { force: true });
    } finally {
      alone.close();
    }
  } catch {
    // Another process uses them, or the database is gone.
  }
}
