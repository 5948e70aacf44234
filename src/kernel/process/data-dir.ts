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
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, config } from "../../configuration/config";
import { isLeftover, reason, reasonIn, UNFINISHED, writeWhole } from "./disk";
import { OperatorError, remedy } from "./operator";

/** Contents of the data directory. */
export const dataPath = {
  database: () => join(config["data.dir"], "fairlead.db"),
  lock: () => join(config["data.dir"], "server.lock"),
  key: () => config["security.encryption_key_file"] ?? join(config["data.dir"], "master.key"),
  /** The former master key, while a rotation goes on. */
  formerKey: () => `${dataPath.key()}.old`,
  /** Keeps two rotations from running at once. */
  rotationLock: () => join(config["data.dir"], "key-rotation.lock"),
  outbox: () => join(config["data.dir"], "outbox"),
  /** The code for the first administrator, while there is none. */
  firstStartCode: () => join(config["data.dir"], "first-start-code"),
  exports: () => join(config["data.dir"], "exports"),
  /** Directory of scheduled backups; may be outside of the data directory. */
  backups: () => config["backup.dir"] ?? join(config["data.dir"], "backups"),
  /** Directory of the operator's charts; may be outside of the data directory. */
  charts: () => config["map.charts"] ?? join(config["data.dir"], "charts"),
};

/**
 * Makes the data directory and checks that it can be written. Returns the undo, for a command that is
 * refused: a mistyped directory must not stay behind.
 */
export function prepareDataDirectory(): () => void {
  const directory = config["data.dir"];
  const missing: string[] = [];
  for (let path = directory; !existsSync(path) && path !== dirname(path); path = dirname(path))
    missing.push(path);
  const undo = () => removeEmpty(missing);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    undo();
    throw new OperatorError(`the data directory ${directory} ${whyUnusable(directory, error)}`);
  }
  return undo;
}

/** Removes directories, the innermost first, as long as they are empty. */
function removeEmpty(directories: string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      // It was not made, or another process has put something there.
    }
  }
}

/** The reason why a data directory can't be used, and who could use it. */
function whyUnusable(directory: string, error: unknown): string {
  const { code } = error as { code?: string };
  // `mkdir` says so of a name that is taken by anything other than a directory.
  if (code === "EEXIST") return "is a file, not a directory";
  const why = `cannot be written: ${reason(error)}`;
  if (code !== "EACCES") return why;
  const owner = ownerOf(directory);
  if (owner === null) return `${why}${remedy(error)}`;
  return owner === process.geteuid?.()
    ? `${why}; call chmod 700 ${directory}`
    : `${why}; run this as its owner (uid ${owner})`;
}

/** The owner's user id; null if the path doesn't exist or can't be seen. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

/**
 * Gives a file of the data directory to the directory's owner. If the server has a user of its own and root
 * calls the commands, the server could not open root's files. SQLite does the same for the files beside a
 * database.
 */
export function giveToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(config["data.dir"]);
  chownSync(path, uid, gid);
}

/** A database that is being made has a name of its own until it is whole (kernel/open-data.ts). */
const NEW_DATABASE = /^fairlead\.db\.(\d+)\.new\.partial/;

/** Removes files that a killed process left unfinished, secrets among them. Called at the start. */
export function removeUnfinished(): void {
  removeUnfinishedRestores();
  for (const name of readdirSync(config["data.dir"])) {
    const pid = NEW_DATABASE.exec(name)?.[1];
    const path = join(config["data.dir"], name);
    if (pid !== undefined && isLeftover(path, Number(pid))) rmSync(path, { force: true });
  }
  for (const directory of [dataPath.exports(), dataPath.outbox()]) {
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory))
      if (name.endsWith(UNFINISHED)) rmSync(join(directory, name), { force: true });
  }
}

/**
 * Removes leftovers of a restore that was killed: its unfinished copy, and the second name of a database that
 * was not replaced after all. The caller must hold the lock.
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

const KEY_BYTES = 32;

/**
 * The key under which secrets are encrypted: `security.encryption_key`, else the key file; null if there is none
 * yet.
 */
export function readMasterKey(): Buffer | null {
  const configured = config["security.encryption_key"];
  return configured === null ? readKeyFile(dataPath.key()) : Buffer.from(configured, "base64");
}

/** The master key and, while a rotation goes on, the former one; empty if there is no master key. */
export function readMasterKeys(): Buffer[] {
  const key = readMasterKey();
  if (!key) return [];
  const former = config["security.encryption_key"] === null ? readKeyFile(dataPath.formerKey()) : null;
  return former ? [key, former] : [key];
}

/** The key in a file; null if there is no such file. */
export function readKeyFile(path: string): Buffer | null {
  let key: Buffer;
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return null;
    key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  } catch (error) {
    // A rotation that ends just now removes the former one.
    if ((error as { code?: string }).code === "ENOENT") return null;
    const why = reasonIn(error);
    throw new OperatorError({
      en: `the key file ${path} cannot be read: ${why.en}`,
      de: `die Schlüsseldatei ${path} lässt sich nicht lesen: ${why.de}`,
    });
  }
  if (key.length !== KEY_BYTES && path === dataPath.formerKey())
    throw new OperatorError({
      en: `${path} does not contain a key of 32 bytes in base64: give it another name or remove it, unless a rotation of the key was interrupted; then restore your copy of the former key`,
      de: `${path} enthält keinen Schlüssel aus 32 Byte in Base64: benenne sie um oder entferne sie, außer wenn ein Wechsel des Schlüssels unterbrochen wurde; dann stelle deine Kopie des früheren Schlüssels wieder her`,
    });
  if (key.length !== KEY_BYTES)
    throw new OperatorError({
      en: `${path} does not contain a key of 32 bytes in base64; restore your copy of it (backups don't contain it)`,
      de: `${path} enthält keinen Schlüssel aus 32 Byte in Base64; stelle deine Kopie davon wieder her (Sicherungen enthalten sie nicht)`,
    });
  return key;
}

/**
 * The master key, made at the first start with mode 0600. Throws ConfigError if it is to be in a file of the configuration that
 * is missing: whoever names one has made it, or must mount it first.
 */
export function loadMasterKey(): Buffer {
  const known = readMasterKey();
  if (known) return known;
  if (config["security.encryption_key_file"] !== null)
    throw new ConfigError(
      `security.encryption_key_file (${dataPath.key()}) does not exist; mount it, or create it with 32 random bytes in base64 (openssl rand -base64 32)`,
    );
  const key = newMasterKey();
  writeMasterKey(dataPath.key(), key);
  return key;
}

export const newMasterKey = (): Buffer => randomBytes(KEY_BYTES);

/** Writes a key file, whole or not at all, for its owner alone. One that takes the place of another keeps its owner. */
export function writeMasterKey(path: string, key: Buffer): void {
  const former = statSync(path, { throwIfNoEntry: false });
  try {
    writeWhole(path, `${key.toString("base64")}\n`, 0o600);
    chmodSync(path, 0o600);
    if (former && process.geteuid?.() === 0) chownSync(path, former.uid, former.gid);
    else giveToOwner(path);
  } catch (error) {
    throw new OperatorError(
      `the key file ${path} cannot be ${former ? "replaced" : "made"}: ${reason(error)}`,
    );
  }
}
