import { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { config } from "../../configuration/config";
import { dataPath, giveToOwner, prepareDataDirectory } from "./data-dir";
import { reason } from "./disk";
import { OperatorError } from "./operator";

/** The lock that a serving process holds on its data directory (rule P4). */

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
export function takeLock(): Lock | null {
  try {
    return lockFile(dataPath.lock());
  } catch (error) {
    throw unusable(error);
  }
}

/** Takes the lock of a rotation of the master key; null if another process has it. */
export function takeRotationLock(): Lock | null {
  const file = dataPath.rotationLock();
  try {
    return lockFile(file);
  } catch (error) {
    throw new OperatorError(`the lock ${file} cannot be taken: ${reason(error)}`);
  }
}

/**
 * Attempts to take a lock whose file was removed meanwhile: a file system may keep changing its file
 * identities.
 */
const TRIES = 10;

function lockFile(file: string, tries = TRIES): Lock | null {
  const isNew = !existsSync(file);
  const lock = new Database(file, { create: true });
  try {
    giveToOwner(file);
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    const isBusy = (error as { code?: string }).code === "SQLITE_BUSY";
    // A full disk, for one. Before the closing, which lets go of what was locked: another process may take the lock then.
    if (isNew && !isBusy) rmSync(file, { force: true });
    lock.close();
    if (isBusy) return null;
    throw error;
  }
  // The former holder may have removed the file between the opening and the locking: that lock keeps nobody
  // out.
  if (tries > 1 && !isLocked(file)) {
    lock.close();
    return lockFile(file, tries - 1);
  }
  return {
    release: () => lock.close(),
    undo: () => {
      if (isNew) rmSync(file, { force: true });
      lock.close();
    },
  };
}

const unusable = (error: unknown) =>
  new OperatorError(`the lock ${dataPath.lock()} cannot be taken: ${reason(error)}`);

/**
 * True if any process, this one included, holds the lock of this name. Throws SQLite's error for one that
 * can't be read.
 */
function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const lock = new Database(file, { readonly: true });
  try {
    lock.run("PRAGMA schema_version");
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    lock.close();
  }
}

/**
 * True if a server runs on the data directory. Writes nothing. Throws SQLite's error for a lock that can't be
 * read.
 */
export const isServed = (): boolean => isLocked(dataPath.lock());

const served = () =>
  new OperatorError(
    `another Fairlead server is using the data directory ${config["data.dir"]}; stop it, or choose another --data-dir`,
  );

/** Throws OperatorError if a server runs on the data directory. Writes nothing. */
export function requireUnserved(): void {
  let runs: boolean;
  try {
    runs = isServed();
  } catch (error) {
    throw unusable(error);
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
