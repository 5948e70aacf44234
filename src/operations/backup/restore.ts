import { Database } from "bun:sqlite";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { now } from "../../kernel/clock";
import {
  claimDataDirectory,
  dataPath,
  OperatorError,
  prepareDataDirectory,
  readMasterKey,
} from "../../kernel/data-dir";
import { flushDirectory, flushToDisk, reason, UNFINISHED } from "../../kernel/disk";
import { useMasterKey } from "../../kernel/encryption";
import { unreadable } from "./key-check";
import { backupName } from "./names";
import { checkSoundness, UnsoundDatabase } from "./soundness";

export interface Restored {
  /** Bytes. */
  size: number;
  /** Where the former database is now; null when there was none. */
  former: string | null;
  /** Migrations that the next start applies. */
  pending: string[];
  /** What the backup holds that the master key here can't open, as words. */
  unreadable: string[];
}

/**
 * Puts a backup in place of the database, at once and as a whole: killed at any moment, there is the former one or the
 * restored one. Throws OperatorError, and then nothing has changed.
 */
export function restoreBackup(file: string): Restored {
  const database = dataPath.database();
  const from = statSync(file, { throwIfNoEntry: false });
  if (!from?.isFile()) throw new OperatorError(`there is no file ${file}`);
  prepareDataDirectory();
  const there = statSync(database, { throwIfNoEntry: false });
  if (there && there.ino === from.ino && there.dev === from.dev)
    throw new OperatorError(`${file} is the database itself, not a backup`);
  const release = claimDataDirectory();
  const partial = `${database}.${process.pid}${UNFINISHED}`;
  try {
    removeUnfinished();
    const checked = takeCopy(file, partial);
    const former = there ? keepFormer(database) : null;
    for (const beside of ["-wal", "-shm"]) rmSync(database + beside, { force: true });
    renameSync(partial, database);
    flushDirectory(dirname(database));
    return { size: statSync(database).size, former, ...checked };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`restoring ${file} to ${database} failed: ${reason(error)}`);
  } finally {
    removeUnfinished();
    release();
  }
}

/** Removes what a restore left that was killed. */
function removeUnfinished(): void {
  const directory = dirname(dataPath.database());
  for (const name of readdirSync(directory))
    if (name.startsWith("fairlead.db.") && name.includes(UNFINISHED))
      rmSync(join(directory, name), { force: true });
}

/** Copies a backup into the data directory, and checks the copy, with what a log beside the file adds to it. */
function takeCopy(file: string, partial: string): Pick<Restored, "pending" | "unreadable"> {
  for (const beside of ["", "-wal"])
    if (beside === "" || existsSync(file + beside))
      copyFileSync(file + beside, partial + beside, constants.COPYFILE_FICLONE);
  chmodSync(partial, 0o600);
  const key = readMasterKey();
  if (key) useMasterKey(key);
  try {
    const copy = new Database(partial, { readwrite: true, create: false });
    try {
      copy.run("PRAGMA wal_checkpoint(TRUNCATE)");
      const { unknown, pending } = checkSoundness(copy, "whole");
      if (unknown.length > 0)
        throw new OperatorError(
          `${file} was written by a newer version of Fairlead (it holds migration ${unknown.at(-1)}); install that version to restore it`,
        );
      return { pending, unreadable: unreadable(copy) };
    } finally {
      copy.close();
      flushToDisk(partial);
    }
  } catch (error) {
    const isNone = (error as { code?: string }).code === "SQLITE_NOTADB";
    if (isNone || error instanceof UnsoundDatabase)
      throw new OperatorError(`${file} ${isNone ? "is no database" : (error as Error).message}`);
    throw error;
  }
}

/** Gives the database another name beside its own, with all that its log holds, and returns that. */
function keepFormer(database: string): string {
  const former = join(dirname(database), backupName(now()).replace("fairlead-", "fairlead-before-restore-"));
  try {
    // The last one to close a database writes its log into it.
    const closing = new Database(database, { readwrite: true, create: false });
    closing.run("PRAGMA wal_checkpoint(TRUNCATE)");
    closing.close();
  } catch {
    // It is damaged, perhaps why it is replaced: then it is kept as it is, with its log.
  }
  try {
    linkSync(database, former);
  } catch {
    // A file system without links to files, such as that of a USB stick.
    copyFileSync(database, former, constants.COPYFILE_EXCL);
    flushToDisk(former);
  }
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${former}-wal`);
  return former;
}
