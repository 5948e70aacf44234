import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { MINUTE, now } from "../time/clock";
import { alike, type Bilingual, BilingualError } from "../values/bilingual";

/** Files that survive a power cut, and the disk's own words for failures. */

/** Suffix of files that are not whole yet. */
export const UNFINISHED = ".partial";

/** The user and the group that a file belongs to. */
export type Owner = Pick<Stats, "uid" | "gid">;

/**
 * Writes a file so that it appears whole or not at all, with its mode and owner, and is on the disk when this returns. Without an
 * owner it is this process's.
 */
export function writeWhole(path: string, content: string, mode: number, owner?: Owner): void {
  const directory = dirname(path);
  const partial = join(directory, `.${basename(path)}.${randomBytes(8).toString("hex")}${UNFINISHED}`);
  try {
    writeFileSync(partial, content, { flag: "wx", mode: mode & 0o700 });
    const made = statSync(partial);
    if (owner && (made.uid !== owner.uid || made.gid !== owner.gid)) chownSync(partial, owner.uid, owner.gid);
    if ((made.mode & 0o777) !== mode) chmodSync(partial, mode);
    flushToDisk(partial);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  flushDirectory(directory);
}

/**
 * The files that `writeWhole` left unfinished beside a path, in processes that were killed or still write; none in a directory
 * that this user may not list.
 */
export function unfinishedOf(path: string): string[] {
  const start = `.${basename(path)}.`;
  return namesIn(dirname(path))
    .filter((name) => name.startsWith(start) && /^[0-9a-f]{16}\.partial$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (machineError(error)) return [];
    throw error;
  }
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
  /^(E(ACCES|DQUOT|FBIG|IO|ISDIR|LOOP|MFILE|NFILE|NOENT|NOSPC|NOTDIR|PERM|ROFS)|SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)(_\w+)?)$/;

/** The error of the machine in a thrown value or, as Drizzle wraps SQLite's errors, in its cause. */
export function machineError(thrown: unknown): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (MACHINE_CODES.test(String((error as { code?: unknown }).code))) return error;
  return null;
}

/** True for the error of a disk that has no room left. */
export const isDiskFull = (thrown: unknown): boolean =>
  /^(ENOSPC|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(
    String((machineError(thrown) as { code?: unknown } | null)?.code),
  );

/** Words for a full disk, and the remedy. */
export const fullDisk = (directory: string): Bilingual => ({
  en: `the disk of ${directory} is full; free some space, then run this again`,
  de: `der Datenträger von ${directory} ist voll; schaffe Platz und versuche es dann noch einmal`,
});

/** The reason why this user can't write to a directory; null if nothing keeps it from that. */
export function whyUnwritable(directory: string): Bilingual | null {
  try {
    accessSync(directory, constants.W_OK);
    return null;
  } catch (error) {
    return reasonIn(error);
  }
}

/** The machine's own words in German, by its code; codes of SQLite without what follows their second word. */
const GERMAN: Record<string, string> = {
  EACCES: "keine Berechtigung",
  EDQUOT: "das Kontingent des Benutzers ist aufgebraucht",
  EFBIG: "die Datei wird zu groß",
  EIO: "Lese- oder Schreibfehler",
  EISDIR: "das ist ein Ordner",
  ELOOP: "die Verweise führen im Kreis",
  EMFILE: "zu viele Dateien sind offen",
  ENFILE: "zu viele Dateien sind auf diesem Rechner offen",
  ENOENT: "die Datei oder der Ordner fehlt",
  ENOSPC: "kein Platz mehr auf dem Datenträger",
  ENOTDIR: "das ist kein Ordner",
  EPERM: "nicht erlaubt",
  EROFS: "das Dateisystem lässt sich nur lesen",
  SQLITE_BUSY: "die Datenbank ist gesperrt",
  SQLITE_CANTOPEN: "die Datei lässt sich nicht öffnen",
  SQLITE_CORRUPT: "die Datenbank ist beschädigt",
  SQLITE_FULL: "die Datenbank oder der Datenträger ist voll",
  SQLITE_IOERR: "Lese- oder Schreibfehler",
  SQLITE_NOTADB: "die Datei ist keine Datenbank",
  SQLITE_PERM: "keine Berechtigung",
  SQLITE_READONLY: "die Datenbank lässt sich nur lesen",
};

/**
 * The short reason in an error, without the SQL around it: "EACCES: permission denied", "database or disk is full". An error that
 * has no German words is quoted in its own.
 */
export function reasonIn(thrown: unknown): Bilingual {
  const machine = machineError(thrown);
  if (!machine) {
    if (thrown instanceof BilingualError) return thrown.words;
    return alike(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const en = machine.message.split(",")[0] ?? machine.message;
  const code = String((machine as { code?: unknown }).code);
  const de = GERMAN[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code];
  return { en, de: de === undefined ? en : `${de} (${code})` };
}

/** The same in English, for the log and the terminal. */
export const reason = (thrown: unknown): string => reasonIn(thrown).en;
