import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { config } from "../config";
import { openDatabase } from "./db";
import { reason, UNFINISHED, writeWhole } from "./disk";
import { migrate, pendingMigrations } from "./migrate";
import { OperatorError, remedy } from "./operator";

/** What the data directory holds. */
export const dataPath = {
  database: () => join(config["data.dir"], "fairlead.db"),
  lock: () => join(config["data.dir"], "server.lock"),
  key: () => join(config["data.dir"], "master.key"),
  outbox: () => join(config["data.dir"], "outbox"),
  exports: () => join(config["data.dir"], "exports"),
  /** Of scheduled backups, perhaps elsewhere. */
  backups: () => config["backup.dir"] ?? join(config["data.dir"], "backups"),
};

/** Makes the data directory and checks that it can be written. */
export function prepareDataDirectory(): void {
  const directory = config["data.dir"];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(`the data directory ${directory} ${whyUnusable(directory, error)}`);
  }
}

/** Why a data directory cannot be used, and who could. */
function whyUnusable(directory: string, error: unknown): string {
  const { code } = error as { code?: string };
  // What `mkdir` says of a name that is taken by anything else than a directory.
  if (code === "EEXIST") return "is a file, not a directory";
  const why = `cannot be written: ${reason(error)}`;
  if (code !== "EACCES") return why;
  const owner = ownerOf(directory);
  if (owner === null) return `${why}${remedy(error)}`;
  return owner === process.geteuid?.()
    ? `${why}; call chmod 700 ${directory}`
    : `${why}; run this as its owner (uid ${owner})`;
}

/** The user whose file or directory this is; null where there is none, or none that may be seen. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

/**
 * Gives a file of the data directory to the directory's owner. Where the server has a user of its own, root calls the
 * commands, and the server could not open what root made. SQLite does the same for the files beside a database.
 */
export function giveToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(config["data.dir"]);
  chownSync(path, uid, gid);
}

/** Removes what a process that was killed in the middle of a file left behind, secrets among it: at the start. */
export function removeUnfinished(): void {
  removeUnfinishedRestores();
  for (const directory of [dataPath.exports(), dataPath.outbox()]) {
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory))
      if (name.endsWith(UNFINISHED)) rmSync(join(directory, name), { force: true });
  }
}

/**
 * Removes what a restore left that was killed: the copy that it was making, and the other name of a database that was
 * not replaced after all. Only for whoever holds the lock.
 */
export function removeUnfinishedRestores(): void {
  const database = statSync(dataPath.database(), { throwIfNoEntry: false });
  const names = readdirSync(config["data.dir"]);
  for (const name of names) {
    const path = join(config["data.dir"], name);
    const isCopy = /^fairlead\.db\.\d+\.partial/.test(name);
    const isFormer = name.startsWith("fairlead-before-restore-");
    const isOtherName = isFormer && statSync(path).ino === database?.ino;
    const isLogOfNone = isFormer && name.endsWith("-wal") && !names.includes(name.slice(0, -"-wal".length));
    if (isCopy || isOtherName || isLogOfNone) rmSync(path, { force: true });
  }
}

/**
 * Opens the database of the data directory with the newest schema. A serving process holds the lock already;
 * any other takes it while it migrates, so that no server runs on a schema that changes under it.
 */
export function openData(holdsLock: boolean): string[] {
  try {
    openDatabase(dataPath.database(), config["data.synchronous"]);
    giveToOwner(dataPath.database());
  } catch (error) {
    throw new OperatorError(
      `the database ${dataPath.database()} cannot be opened: ${reason(error)}${remedy(error)}`,
    );
  }
  if (pendingMigrations().length === 0) return [];
  const release = holdsLock ? () => {} : lock();
  if (!release)
    throw new OperatorError(
      `a server of an older version runs on ${config["data.dir"]}; stop it before this version changes its database`,
    );
  try {
    return migrate();
  } finally {
    release();
  }
}

/**
 * Takes the lock that a serving process holds on its data directory, and returns its release; null when
 * another process has it. The lock is SQLite's own on a file beside the database, so the kernel drops it
 * when the process ends, however it ends.
 */
function lockDataDirectory(file: string): (() => void) | null {
  const lock = new Database(file, { create: true });
  giveToOwner(file);
  try {
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null;
    throw error;
  }
  return () => lock.close();
}

function lock(): (() => void) | null {
  try {
    return lockDataDirectory(dataPath.lock());
  } catch (error) {
    throw new OperatorError(`the lock ${dataPath.lock()} cannot be taken: ${reason(error)}`);
  }
}

/**
 * Whether a server runs on the data directory, found out without writing. Throws what SQLite says of a lock that can't be
 * read.
 */
export function isServed(): boolean {
  if (!existsSync(dataPath.lock())) return false;
  const lock = new Database(dataPath.lock(), { readonly: true });
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

/** Takes the data directory for this server; its release ends it. */
export function claimDataDirectory(): () => void {
  const release = lock();
  if (!release)
    throw new OperatorError(
      `another Fairlead server runs on the data directory ${config["data.dir"]}; stop it, or choose another --data-dir`,
    );
  return release;
}

const KEY_BYTES = 32;

/**
 * The key under which secrets are encrypted: `security.encryption_key`, else `master.key` in the data directory; null
 * when there is none yet.
 */
export function readMasterKey(): Buffer | null {
  const configured = config["security.encryption_key"];
  if (configured !== null) return Buffer.from(configured, "base64");
  const path = dataPath.key();
  let key: Buffer;
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return null;
    key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  } catch (error) {
    throw new OperatorError(`the key file ${path} cannot be read: ${reason(error)}`);
  }
  if (key.length !== KEY_BYTES)
    throw new OperatorError(
      `${path} does not hold a key of 32 bytes in base64: put your copy of it back (backups don't hold it)`,
    );
  return key;
}

/** The same, made at the first start with mode 0600. */
export function loadMasterKey(): Buffer {
  const known = readMasterKey();
  if (known) return known;
  const path = dataPath.key();
  const key = randomBytes(KEY_BYTES);
  try {
    writeWhole(path, `${key.toString("base64")}\n`, 0o600);
    chmodSync(path, 0o600);
    giveToOwner(path);
  } catch (error) {
    throw new OperatorError(`the key file ${path} cannot be made: ${reason(error)}`);
  }
  return key;
}
