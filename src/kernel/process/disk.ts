import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MINUTE, now } from "../time/clock";

/** Files that survive a power cut, and the disk's own words for failures. */

/** Suffix of files that are not whole yet. */
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

/** Error codes of a file system without hard links, such as that of a USB stick. */
const NO_LINKS = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/** Gives a whole file its name, flushed to disk. Throws if that name is taken. */
export function nameWithoutReplacing(from: string, to: string): void {
  try {
    // A rename would overwrite a file made meanwhile.
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    const code = String((error as { code?: string }).code);
    if (!NO_LINKS.test(code)) throw error;
    if (existsSync(to)) throw Object.assign(new Error(`${to} exists already`), { code: "EEXIST" });
    renameSync(from, to);
  }
  flushDirectory(dirname(to));
}

/** Processes in two containers may have the same number: a file that still grows belongs to a live one. */
const STALE = 10 * MINUTE;

/** True if an unfinished file was left by a process of this number that was killed. */
export function isLeftover(path: string, pid: number): boolean {
  if (isRunning(pid)) return false;
  const file = statSync(path, { throwIfNoEntry: false });
  return file !== undefined && now() - file.mtimeMs > STALE;
}

/** True if another process has this number. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Flushes the names in a directory to disk. */
export function flushDirectory(directory: string): void {
  try {
    flushToDisk(directory);
  } catch {
    // Some file systems can't flush a directory, and keep its names by other means.
  }
}

/** Flushes a file's content to disk. */
export function flushToDisk(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Error codes of the machine or of SQLite, as opposed to bugs of this program. */
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
