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
  writeSync,
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

/** The short reason in a system error: "EACCES: permission denied". */
export function reason(error: unknown): string {
  return error instanceof Error ? (error.message.split(",")[0] ?? error.message) : String(error);
}

/** Writes a file so that it appears whole or not at all, and is on the disk when this returns. */
export function writeWhole(path: string, content: string, mode: number): void {
  const partial = join(dirname(path), `.${randomBytes(8).toString("hex")}.partial`);
  const file = openSync(partial, "wx", mode);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(partial, path);
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
  const release = holdsLock ? () => {} : lockDataDirectory(dataPath.lock());
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

/** Takes the data directory for this server; its release ends it. */
export function claimDataDirectory(): () => void {
  const release = lockDataDirectory(dataPath.lock());
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
  if (!existsSync(path)) {
    writeWhole(path, `${randomBytes(KEY_BYTES).toString("base64")}\n`, 0o600);
    chmodSync(path, 0o600);
  }
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (key.length !== KEY_BYTES)
    throw new OperatorError(`${path} does not hold a key of 32 bytes in base64; restore it from a backup`);
  return key;
}
