import { Database } from "bun:sqlite";
import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { config } from "../../configuration/config";
import { dataPath, fileTrouble, giveToOwner, prepareDataDirectory } from "./data-dir";
import { OperatorError } from "./operator";

/** Locks on the data directory: of the serving process (rule P4), of a rotation of the master key, and of making the database. */

/** A lock that is held. */
export interface Lock {
  release: () => void;
  /** Releases the lock, and removes the file and directory that were made to take it. */
  undo: () => void;
}

/**
 * Takes the lock; null if another process has it. It is SQLite's own on a file beside the database, so the
 * kernel drops it when the process ends, however it ends.
 */
export const takeLock = (): Lock | null => lockOf(dataPath.lock());

/** Takes the lock of a rotation of the master key; null if another process has it. */
export const takeRotationLock = (): PassingLock | null => passingLock(dataPath.rotationLock());

/** Takes the lock of making a database; null if another process has it. */
export const takeMakingLock = (): PassingLock | null => passingLock(dataPath.makingLock());

/** Its release removes the file, also one that a killed process left. */
type PassingLock = Pick<Lock, "release">;

function passingLock(file: string): PassingLock | null {
  const lock = lockOf(file);
  return (
    lock && {
      release: () => {
        rmSync(file, { force: true });
        lock.release();
      },
    }
  );
}

function lockOf(file: string): Lock | null {
  try {
    return lockFile(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/**
 * Attempts to take a lock whose file or directory is removed meanwhile. They end, since a file system may keep
 * changing its file identities.
 */
const TRIES = 10;

/** Milliseconds for which a lock is waited for: somebody may only be looking if it is held. */
const PATIENCE = 200;

function lockFile(file: string): Lock | null {
  for (let left = TRIES; ; left--)
    try {
      const lock = lockOnce(file, left === 1);
      if (lock !== "removed") return lock;
    } catch (error) {
      if (left === 1 || !isMissing(error)) throw error;
      // A command that is refused removes the directory that it made, if nothing is in it.
      prepareDataDirectory();
    }
}

/** Lock files of which this process holds the lock. */
const held = new Set<string>();

/** Null if the lock is held. A file that was removed meanwhile is locked all the same if `anyFile`. */
function lockOnce(file: string, anyFile: boolean): Lock | null | "removed" {
  // The kernel drops all locks of a process on a file when that closes any descriptor of it.
  if (held.has(file)) return null;
  const isNew = !existsSync(file);
  // SQLite doesn't tell which file it opened. While this one is open, no other can have its number.
  const witness = openSync(file, "a+", 0o644);
  const isNamed = () => fstatSync(witness).ino === statSync(file, { throwIfNoEntry: false })?.ino;
  let lock: Database | null = null;
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    held.delete(file);
    lock?.close();
    closeSync(witness);
  };
  try {
    lock = new Database(file, { create: true });
    giveToOwner(file);
    lock.run(`PRAGMA busy_timeout = ${PATIENCE}`);
    // A journal on the disk would need room on it, and a full disk must not keep commands from mending it.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    // The former holder may have removed the file before it was locked: that lock keeps nobody out.
    if (!anyFile && !isNamed()) {
      close();
      return "removed";
    }
  } catch (error) {
    const isBusy = (error as { code?: string }).code === "SQLITE_BUSY";
    // A full disk, for one. Before the closing, which lets go of what was locked: another process may take the
    // lock then.
    if (isNew && !isBusy && isNamed()) rmSync(file, { force: true });
    close();
    if (isBusy) return null;
    throw error;
  }
  held.add(file);
  return {
    release: close,
    undo: () => {
      if (isNew && isOpen) rmSync(file, { force: true });
      close();
    },
  };
}

/** True if a file is missing, or can't be opened for a reason that SQLite doesn't tell. */
const isMissing = (error: unknown): boolean =>
  ["ENOENT", "SQLITE_CANTOPEN"].includes(String((error as { code?: unknown }).code));

const unusable = (file: string, error: unknown) =>
  new OperatorError(`the lock ${file} cannot be taken: ${fileTrouble(file, error)}`);

/**
 * True if any process, this one included, holds the lock of this name. Throws SQLite's error for one that
 * can't be read.
 */
function isLocked(file: string, patience = 0): boolean {
  if (!existsSync(file)) return false;
  let lock: Database | null = null;
  try {
    lock = new Database(file, { readonly: true });
    lock.run(`PRAGMA busy_timeout = ${patience}`);
    lock.run("PRAGMA schema_version");
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") return true;
    // Its holder let go of it, and removed it.
    if (!existsSync(file)) return false;
    throw error;
  } finally {
    lock?.close();
  }
}

/**
 * True if a server runs on the data directory. Writes nothing. Throws SQLite's error for a lock that can't be
 * read.
 */
export const isServed = (): boolean => isLocked(dataPath.lock());

const served = () =>
  new OperatorError(
    `another Fairlead process is using the data directory ${config["data.dir"]}, a server or a command such as restore; stop it, wait for its end, or choose another --data-dir`,
  );

/** Throws OperatorError if a server runs on the data directory. Writes nothing. */
export function requireUnserved(): void {
  let runs: boolean;
  try {
    // A command may hold it for a moment, to see if a server runs.
    runs = isLocked(dataPath.lock(), PATIENCE);
  } catch (error) {
    throw unusable(dataPath.lock(), error);
  }
  if (runs) throw served();
}

/** Locks the data directory for this server, making it if needed. */
export function claimDataDirectory(): Lock {
  const removeDirectory = prepareDataDirectory();
  let lock: Lock | null;
  try {
    lock = takeLock();
  } catch (error) {
    removeDirectory();
    throw error;
  }
  if (!lock) throw served();
  const { release, undo } = lock;
  return {
    release,
    undo: () => {
      undo();
      removeDirectory();
    },
  };
}
