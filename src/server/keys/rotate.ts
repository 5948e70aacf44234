import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { config } from "../../configuration/config";
import { encryptWith, openWith } from "../../kernel/crypto/encryption";
import type { SealedColumn } from "../../kernel/crypto/sealed";
import { sqlite } from "../../kernel/db/connection";
import { noteKey, takeKeys } from "../../kernel/db/master-key";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import {
  brokenLink,
  dataPath,
  newMasterKey,
  readKeyFile,
  readMasterKey,
  readMasterKeys,
  removeUnfinishedKeys,
  unfinishedKeys,
  writeMasterKey,
} from "../../kernel/process/data-dir";
import { takeRotationLock } from "../../kernel/process/data-lock";
import { flushDirectory, reason } from "../../kernel/process/disk";
import { OperatorError } from "../../kernel/process/operator";
import { acceptKey, foreignKey, isForeign, requireKey } from "./check";
import { itemsIn, SEALED } from "./columns";

/**
 * The rotation of the master key. At each moment the files hold every key that the database needs, so that a process which is
 * killed leaves something to go on with: first the present key is copied to the former one's file, then a new one takes its
 * place, then all values are encrypted anew, and in the end the former one is removed. Raw SQL: the columns are those of a
 * table.
 */

export interface Rotated {
  /** Values that are encrypted under the new key. */
  encrypted: number;
  /** Kinds of values that neither key opens, as words: they were lost before. */
  unreadable: string[];
  /** True if a former key was there, as an earlier call leaves it that was interrupted, and this one went on. */
  isResumed: boolean;
  /** True if the key was made now, and not by the earlier call. */
  isNew: boolean;
}

/** Told how many values were looked at, of how many. */
type Progress = (done: number, total: number) => void;

/** True if a rotation was begun and is not done. */
export const isRotating = (): boolean =>
  config["security.encryption_key"] === null && existsSync(dataPath.formerKey());

/**
 * Makes a new master key and encrypts everything anew, or goes on with a rotation that was interrupted. The database must be
 * open; a server may be running. Throws OperatorError, and ConfigError for another key than that of the database.
 */
export async function rotateMasterKey(progress: Progress = () => {}): Promise<Rotated> {
  const lock = takeRotationLock();
  if (!lock)
    throw new OperatorError("the master key is being rotated by another process; wait until that is done");
  try {
    // A key of another database opens no keys of backup codes, in whose place new ones would be stored.
    requireKey(sqlite, false);
    if (readMasterKey()) removeUnfinishedKeys();
    await transact(() => acceptKey(sqlite, readMasterKeys()));
    takeKeys();
    const isResumed = isRotating();
    const keys = isResumed ? goOn() : begin();
    const { next, isNew } = keys;
    takeKeys();
    await transact(() => {
      noteKey(next);
      acceptKey(sqlite, [next]);
    });
    takeKeys();
    const done = await encryptAnew(keys, progress);
    rmSync(dataPath.formerKey(), { force: true });
    flushDirectory(dirname(dataPath.formerKey()));
    return { ...done, isResumed, isNew };
  } finally {
    lock.release();
  }
}

/**
 * Goes on with a rotation that an earlier process began, and removes what one that was killed left unfinished, if it is not at
 * work: before a server serves.
 */
export async function resumeRotation(): Promise<Rotated | null> {
  if (!isRotating() && unfinishedKeys().length === 0) return null;
  const lock = takeRotationLock();
  if (!lock) return null;
  try {
    if (!isRotating()) removeUnfinishedKeys();
  } catch (error) {
    log.warn(reason(error));
  } finally {
    lock.release();
  }
  return isRotating() ? rotateMasterKey() : null;
}

interface Keys {
  next: Buffer;
  former: Buffer;
  /** True if the next one was made now. */
  isNew: boolean;
}

function begin(): Keys {
  const path = dataPath.key();
  const former = readMasterKey();
  if (!former)
    throw new OperatorError(
      brokenLink(path) ?? `there is no master key in ${path}: start the server once, which makes it`,
    );
  writeMasterKey(dataPath.formerKey(), former);
  return replace(former);
}

function goOn(): Keys {
  const path = dataPath.key();
  const [next, former] = [readKeyFile(path), readKeyFile(dataPath.formerKey())];
  if (!next || !former)
    throw new OperatorError(
      `the key file ${path} is missing, and a rotation of the key is not done; restore your copy of it`,
    );
  if (isForeign(sqlite, next, former)) throw new OperatorError(foreignKey());
  // Killed before the new key took its place.
  return next.equals(former) ? replace(former) : { next, former, isNew: false };
}

/** Puts a new key in the place of the present one, whose copy is there. */
function replace(former: Buffer): Keys {
  const next = newMasterKey();
  try {
    writeMasterKey(dataPath.key(), next);
  } catch (error) {
    // The new key may be in its place all the same, as where a network drops the answer to a rename.
    if (readMasterKey()?.equals(former)) rmSync(dataPath.formerKey(), { force: true });
    throw error;
  }
  return { next, former, isNew: true };
}

/** Rows looked at in one transaction: some milliseconds. */
const ROWS = 100;
/** Milliseconds between two steps at least, in which a server that runs gets at the database. */
const PAUSE = 5;

async function encryptAnew(
  keys: Keys,
  progress: Progress,
): Promise<Pick<Rotated, "encrypted" | "unreadable">> {
  const total = SEALED.reduce((sum, column) => sum + countOf(column), 0);
  const unreadable = new Set<string>();
  let [encrypted, looked] = [0, 0];
  for (const column of SEALED)
    for (let after: string | null = ""; after !== null; ) {
      const from: string = after;
      const started = performance.now();
      const step = await transact(() => encryptSome(column, from, keys));
      encrypted += step.encrypted;
      looked += step.looked;
      if (step.hasUnreadable) unreadable.add(column.what.en);
      progress(looked, Math.max(looked, total));
      after = step.last;
      await Bun.sleep(Math.max(PAUSE, performance.now() - started));
    }
  return { encrypted, unreadable: [...unreadable] };
}

const holding = ({ table, column, where = "1" }: SealedColumn): string =>
  `FROM ${table} WHERE ${column} IS NOT NULL AND ${where}`;

const countOf = (column: SealedColumn): number =>
  sqlite.query<{ n: number }, []>(`SELECT count(*) AS n ${holding(column)}`).get()?.n ?? 0;

/** Encrypts the values of the next rows after an identifier anew, in the current transaction. */
function encryptSome(column: SealedColumn, after: string, keys: Keys) {
  const { table, id, column: name } = column;
  const found = sqlite
    .query<{ id: string | number; stored: string }, [string, number]>(
      `SELECT ${id} AS id, ${name} AS stored ${holding(column)} AND CAST(${id} AS TEXT) > ? ORDER BY CAST(${id} AS TEXT) LIMIT ?`,
    )
    .all(after, ROWS);
  const store = sqlite.query<unknown, [string, string | number]>(
    `UPDATE ${table} SET ${name} = ? WHERE ${id} = ?`,
  );
  let [encrypted, hasUnreadable] = [0, false];
  for (const row of found) {
    const anew = (sealed: string): string => {
      const boundTo = column.boundTo(String(row.id));
      if (openWith(keys.next, sealed, boundTo) !== null) return sealed;
      const plain = openWith(keys.former, sealed, boundTo);
      if (plain === null) {
        hasUnreadable = true;
        return sealed;
      }
      encrypted++;
      return encryptWith(keys.next, plain, boundTo);
    };
    const items = itemsIn(column, row.stored);
    const stored = items
      ? JSON.stringify(items.map((item) => ({ ...item, secret: anew(item.secret) })))
      : anew(row.stored);
    if (stored !== row.stored) store.run(stored, row.id);
  }
  const last = found.length === ROWS ? String(found.at(-1)?.id) : null;
  return { encrypted, hasUnreadable, looked: found.length, last };
}
