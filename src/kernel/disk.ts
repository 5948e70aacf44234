import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files that survive a power cut, and what the disk says when it doesn't. */

/** How files end that are not whole yet. */
export const UNFINISHED = ".partial";

/** Writes a file so that it appears whole or not at all, and is on the disk when this returns. */
export function writeWhole(path: string, content: string, mode: number): void {
  const directory = dirname(path);
  const partial = join(directory, `.${randomBytes(8).toString("hex")}${UNFINISHED}`);
  try {
    writeFileSync(partial, content, { flag: "wx", mode });
    flushToDisk(partial);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  flushDirectory(directory);
}

/** Puts the names in a directory on the disk. */
export function flushDirectory(directory: string): void {
  try {
    flushToDisk(directory);
  } catch {
    // Some file systems can't flush a directory, and keep its names by other means.
  }
}

/** Puts what was written of a file on the disk. */
export function flushToDisk(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What the machine or SQLite says, where that is not the program's own doing. */
const MACHINE_CODES =
  /^(E(ACCES|DQUOT|FBIG|IO|ISDIR|MFILE|NFILE|NOENT|NOSPC|NOTDIR|PERM|ROFS)|SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)(_\w+)?)$/;

/** The error of the machine in a thrown value or, as Drizzle wraps SQLite's errors, in its cause. */
export function machineError(thrown: unknown): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (MACHINE_CODES.test(String((error as { code?: unknown }).code))) return error;
  return null;
}

/** The short reason in an error: "EACCES: permission denied", "database or disk is full", without the SQL around it. */
export function reason(thrown: unknown): string {
  const machine = machineError(thrown);
  if (machine) return machine.message.split(",")[0] ?? machine.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
