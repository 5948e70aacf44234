import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { config } from "../config";
import { lockDataDirectory, migrate, openDatabase, pendingMigrations } from "./db";

/** Something about the machine stops the program; it ends with status 1 and this line. */
export class OperatorError extends Error {}

/** What the data directory holds. */
export const dataPath = {
  database: () => join(config["data.dir"], "fairlead.db"),
  lock: () => join(config["data.dir"], "server.lock"),
  key: () => join(config["data.dir"], "master.key"),
  outbox: () => join(config["data.dir"], "outbox"),
  exports: () => join(config["data.dir"], "exports"),
};

/** Makes the data directory and checks that it can be written. */
export function prepareDataDirectory(): void {
  const directory = config["data.dir"];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(`the data directory ${directory} cannot be written: ${reason(error)}`);
  }
}

/** What the machine or SQLite says, where that is not the program's own doing. */
const MACHINE_CODES =
  /^(E(ACCES|DQUOT|FBIG|IO|ISDIR|MFILE|NFILE|NOENT|NOSPC|NOTDIR|PERM|ROFS)|SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)(_\w+)?)$/;

/** The error of the machine in a thrown value or, as Drizzle wraps SQLite's errors, in its cause. */
function machineError(thrown: unknown): Error | null {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (MACHINE_CODES.test(String((error as { code?: unknown }).code))) return error;
  return null;
}

/** The short reason in an error: "EACCES: permission denied", "database or disk is full", without the SQL around it. */
export function reason(thrown: unknown): string {
  const error = machineError(thrown) ?? thrown;
  return error instanceof Error ? (error.message.split(",")[0] ?? error.message) : String(error);
}

/** What to tell the operator where the machine failed under the data directory; null for any other error. */
export function dataTrouble(thrown: unknown): OperatorError | null {
  const error = machineError(thrown) as (Error & { path?: string }) | null;
  if (!error || !(error.path ?? config["data.dir"]).startsWith(config["data.dir"])) return null;
  return new OperatorError(`the data directory ${config["data.dir"]} cannot be used: ${reason(error)}`);
}

/** Writes a file so that it appears whole or not at all, and is on the disk when this returns. */
export function writeWhole(path: string, content: string, mode: number): void {
  const directory = dirname(path);
  const partial = join(directory, `.${randomBytes(8).toString("hex")}.partial`);
  try {
    writeFileSync(partial, content, { flag: "wx", mode });
    flushToDisk(partial);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  try {
    flushToDisk(directory);
  } catch {
    // Some file systems can't flush a directory, and keep its names by other means.
  }
}

/** Puts what was written of a file, or the names in a directory, on the disk. */
export function flushToDisk(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Opens the database of the data directory with the newest schema. A serving process holds the lock already;
 * any other takes it while it migrates, so that no server runs on a schema that changes under it.
 */
export function openData(holdsLock: boolean): string[] {
  try {
    openDatabase(dataPath.database(), config["data.synchronous"]);
  } catch (error) {
    throw new OperatorError(`the database ${dataPath.database()} cannot be opened: ${reason(error)}`);
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

function lock(): (() => void) | null {
  try {
    return lockDataDirectory(dataPath.lock());
  } catch (error) {
    throw new OperatorError(`the lock ${dataPath.lock()} cannot be taken: ${reason(error)}`);
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
 * The key under which secrets are encrypted: `security.encryption_key`, else `master.key` in the data
 * directory, made at the first start with mode 0600.
 */
export function loadMasterKey(): Buffer {
  const configured = config["security.encryption_key"];
  if (configured !== null) return Buffer.from(configured, "base64");
  const path = dataPath.key();
  let key: Buffer;
  try {
    if (!existsSync(path)) {
      writeWhole(path, `${randomBytes(KEY_BYTES).toString("base64")}\n`, 0o600);
      chmodSync(path, 0o600);
    }
    key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  } catch (error) {
    throw new OperatorError(`the key file ${path} cannot be read or made: ${reason(error)}`);
  }
  if (key.length !== KEY_BYTES)
    throw new OperatorError(`${path} does not hold a key of 32 bytes in base64; restore it from a backup`);
  return key;
}
