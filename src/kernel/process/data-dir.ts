import { randomBytes } from "node:crypto";
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, config } from "../../configuration/config";
import type { Bilingual } from "../values/bilingual";
import { isLeftover, type Owner, reason, reasonIn, UNFINISHED, unfinishedOf, writeWhole } from "./disk";
import { OperatorError, trouble } from "./operator";

/** Contents of the data directory. */
export const dataPath = {
  database: () => join(config["data.dir"], "fairlead.db"),
  lock: () => join(config["data.dir"], "server.lock"),
  key: () => config["security.encryption_key_file"] ?? join(config["data.dir"], "master.key"),
  /** The former master key, while a rotation goes on. */
  formerKey: () => `${dataPath.key()}.old`,
  /** Keeps two rotations from running at once. */
  rotationLock: () => join(config["data.dir"], "key-rotation.lock"),
  /** Keeps two processes from making the database at once. */
  makingLock: () => join(config["data.dir"], "fairlead.db.new.lock"),
  outbox: () => join(config["data.dir"], "outbox"),
  /** The code for the first administrator, while there is none. */
  firstStartCode: () => join(config["data.dir"], "first-start-code"),
  exports: () => join(config["data.dir"], "exports"),
  /** Directory of scheduled backups; may be outside of the data directory. */
  backups: () => config["backup.dir"] ?? join(config["data.dir"], "backups"),
  /** Directory of the operator's charts; may be outside of the data directory. */
  charts: () => config["map.charts"] ?? join(config["data.dir"], "charts"),
};

/** Directories that this process has made for its data, the innermost first. */
let made: string[] = [];

/** Attempts to make a directory that a refused process removes again. */
const TRIES = 10;

/**
 * Makes the data directory and checks that it can be written. Returns the undo, for a command that is
 * refused: a mistyped directory must not stay behind.
 */
export function prepareDataDirectory(): () => void {
  const directory = config["data.dir"];
  const undo = () => removeEmpty(made);
  for (let tries = 1; ; tries++) {
    made = [...new Set([...missingOf(directory), ...made])];
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
      return undo;
    } catch (error) {
      if (tries < TRIES && (error as { code?: string }).code === "ENOENT") continue;
      undo();
      throw new OperatorError(`the data directory ${directory} ${whyUnusable(directory, error)}`);
    }
  }
}

/** The directory and those above it that don't exist, the innermost first. */
function missingOf(directory: string): string[] {
  const missing: string[] = [];
  for (let path = directory; !existsSync(path) && path !== dirname(path); path = dirname(path))
    missing.push(path);
  return missing;
}

/** Milliseconds for which a directory is not empty because of other commands that are about to be refused. */
const LONGEST_PASSING = 5_000;
const PAUSE = 20;

/** Removes directories, the innermost first, as long as they are empty. */
function removeEmpty(directories: string[]): void {
  const end = performance.now() + LONGEST_PASSING;
  for (const directory of directories)
    for (; ; Bun.sleepSync(PAUSE)) {
      try {
        rmdirSync(directory);
        break;
      } catch (error) {
        // It was not made, or another process has put something there, which it may remove again.
        const isFull = (error as { code?: string }).code === "ENOTEMPTY";
        if (!isFull || !holdsPassing(directory) || performance.now() > end) break;
      }
    }
}

/** True if all that a directory holds are files of commands that wait for, or make, a database. */
function holdsPassing(directory: string): boolean {
  const isPassing = (name: string) =>
    join(directory, name) === dataPath.makingLock() || NEW_DATABASE.test(name);
  try {
    return readdirSync(directory).every(isPassing);
  } catch {
    // Another process has removed it.
    return false;
  }
}

/** The reason why a data directory can't be used, and who could use it. */
function whyUnusable(directory: string, error: unknown): string {
  const { code } = error as { code?: string };
  // `mkdir` says so of a name that is taken by anything other than a directory.
  if (code === "EEXIST") return "is a file, not a directory";
  return `cannot be written: ${code === "EACCES" ? closedTo(directory, error, "700") : trouble(error)}`;
}

/** Words for a path that this user may not use, and the remedy: its owner runs the program, or gives it this mode. */
function closedTo(path: string, error: unknown, mode: string): string {
  const owner = ownerOf(path);
  if (owner === null) return trouble(error);
  return owner === process.geteuid?.()
    ? `${reason(error)}; call chmod ${mode} ${path}`
    : `${reason(error)}; run this as its owner (uid ${owner})`;
}

/** Words for a file of the data directory that can't be used, and the remedy. SQLite doesn't say that its owner is another user. */
export function fileTrouble(path: string, error: unknown): string {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (denied) {
    if ((denied as { code?: string }).code === "EACCES") return closedTo(path, denied, "600");
  }
  return trouble(error);
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
  const former = readFormerKey();
  return former ? [key, former] : [key];
}

/** The former master key, while a rotation goes on; else null. */
const readFormerKey = (): Buffer | null =>
  config["security.encryption_key"] === null ? readKeyFile(dataPath.formerKey()) : null;

/** The key in a file; null if there is no such file. Throws OperatorError if it can't be read, and ConfigError if it holds no key. */
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
    throw new ConfigError({
      en: `${path} does not contain a key of 32 bytes in base64: give it another name or remove it, unless a rotation of the key was interrupted; then restore your copy of the former key`,
      de: `${path} enthält keinen Schlüssel aus 32 Byte in Base64: benenne sie um oder entferne sie, außer wenn ein Wechsel des Schlüssels unterbrochen wurde; dann stelle deine Kopie des früheren Schlüssels wieder her`,
    });
  if (key.length !== KEY_BYTES)
    throw new ConfigError({
      en: `${path} does not contain a key of 32 bytes in base64; restore your copy of it (backups don't contain it)`,
      de: `${path} enthält keinen Schlüssel aus 32 Byte in Base64; stelle deine Kopie davon wieder her (Sicherungen enthalten sie nicht)`,
    });
  return key;
}

/**
 * Reads every key file, and makes none. Throws ConfigError if the configuration, or a link, names one that is missing: whoever
 * does so has made it, or must mount it first.
 */
export function requireKeyFiles(): void {
  const missing = missingKeyFile();
  if (missing) throw new ConfigError(missing);
  readFormerKey();
}

/** The master key, made at the first start with mode 0600. Throws as `requireKeyFiles` does. */
export function loadMasterKey(): Buffer {
  requireKeyFiles();
  const known = readMasterKey();
  if (known) return known;
  const key = newMasterKey();
  writeMasterKey(dataPath.key(), key);
  return key;
}

/**
 * The trouble if there is no master key although the configuration, or a link, names its file, and the remedy; null if all is
 * well, or the start makes one.
 */
export function missingKeyFile(): Bilingual | null {
  if (readMasterKey()) return null;
  const file = config["security.encryption_key_file"];
  if (file === null) return brokenLink(dataPath.key());
  return {
    en: `security.encryption_key_file (${file}) does not exist; mount it, or create it with 32 random bytes in base64 (openssl rand -base64 32)`,
    de: `security.encryption_key_file (${file}) gibt es nicht; hänge die Datei ein, oder lege sie mit 32 zufälligen Byte in Base64 an (openssl rand -base64 32)`,
  };
}

/** The trouble with a key file that is a link to nothing, and the remedy; null if it is none. */
export function brokenLink(path: string): Bilingual | null {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
  const target = resolve(dirname(path), readlinkSync(path));
  return {
    en: `the key file ${path} is a link to ${target}, which leads to nothing; mount it, or restore your copy of the key`,
    de: `die Schlüsseldatei ${path} verweist auf ${target}, und das führt ins Leere; hänge das Ziel ein, oder stelle deine Kopie des Schlüssels wieder her`,
  };
}

export const newMasterKey = (): Buffer => randomBytes(KEY_BYTES);

/** The file of a key, where a link may lead to it: the file is what is in use. */
const fileOfKey = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/**
 * Writes a key file, whole or not at all. One that takes the place of another keeps its mode, its owner and its group as far as
 * this user may give them, since the server may read it by them; a new one is for its owner alone. A link stays.
 */
export function writeMasterKey(path: string, key: Buffer): void {
  const file = fileOfKey(path);
  const former = statSync(file, { throwIfNoEntry: false });
  const { mode, owner } = rightsOfNew(former);
  try {
    writeWhole(file, `${key.toString("base64")}\n`, mode, owner);
  } catch (error) {
    throw new OperatorError(
      `the key file ${path}${file === path ? "" : ` (which leads to ${file})`} cannot be ${former ? "replaced" : "made"}: ${reason(error)}`,
    );
  }
}

/** The mode of a key file that is written now, and its owner where that is not this process's. */
function rightsOfNew(former: Stats | undefined): { mode: number; owner?: Owner } {
  const mode = former ? (former.mode & 0o777) | 0o600 : 0o600;
  const uid = process.geteuid?.();
  if (uid === 0) return { mode, owner: former ?? statSync(config["data.dir"]) };
  if (uid === undefined || !former || former.gid === process.getegid?.()) return { mode };
  // Bits for a group that can't be kept would open the key to this user's own group.
  return process.getgroups?.().includes(former.gid)
    ? { mode, owner: { uid, gid: former.gid } }
    : { mode: 0o600 };
}

/**
 * Removes key files that a killed process left unfinished: each holds a key that is in use, or was. The caller must hold the
 * lock of the rotation, and there must be a master key: a first one is made without that lock. Throws OperatorError for one that
 * can't be removed.
 */
export function removeUnfinishedKeys(): void {
  for (const path of unfinishedKeys())
    try {
      rmSync(path, { force: true });
    } catch (error) {
      throw new OperatorError(
        `${path}, which a killed rotation of the key has left, cannot be removed: ${reason(error)}; remove it as its owner`,
      );
    }
}

/** Key files that a process left unfinished, or is writing. */
export const unfinishedKeys = (): string[] =>
  [dataPath.key(), dataPath.formerKey()].flatMap((path) => unfinishedOf(fileOfKey(path)));
