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
import { ConfigError } from "../../configuration/config";
import { VERSION } from "../../configuration/version";
import { logsOf, placeOf } from "../../kernel/db/database-file";
import { begunUpgrade, versionOf } from "../../kernel/db/program-record";
import {
  dataPath,
  giveToOwner,
  readMasterKeys,
  removeUnfinishedRestores,
} from "../../kernel/process/data-dir";
import { claimDataDirectory } from "../../kernel/process/data-lock";
import { flushDirectory, flushToDisk, reason, UNFINISHED } from "../../kernel/process/disk";
import { OperatorError, trouble } from "../../kernel/process/operator";
import { now } from "../../kernel/time/clock";
import { judgeKeys, listed } from "../keys/check";
import { beforesAmong, freeName, versionIn } from "./names";
import { checkSoundness, schemaState, UnsoundDatabase } from "./soundness";

export interface Restored {
  /** Bytes. */
  size: number;
  /** Path of the former database; null if there was none. */
  former: string | null;
  /** Migrations that the next start applies. */
  pending: string[];
  /** Kinds of secrets in the backup that the master key here can't open, as words. */
  unreadable: string;
  /** True if the server does not start with the backup and this key. */
  isRefused: boolean;
  /** The version of the program that used the backed-up database last; null if unknown. */
  writtenBy: string | null;
}

/**
 * Puts a backup in place of the database, at once and as a whole: if it is killed, either the former database
 * or the restored one is there. `begin` gets the bytes of the backup before they are read, which may take a while. Throws
 * OperatorError, and then nothing has changed.
 */
export function restoreBackup(file: string, begin: (size: number) => void = () => {}): Restored {
  const database = dataPath.database();
  const from = statSync(file, { throwIfNoEntry: false });
  if (!from?.isFile()) throw new OperatorError(`${file} does not exist or is not a file`);
  const there = statSync(database, { throwIfNoEntry: false });
  if (there && there.ino === from.ino && there.dev === from.dev)
    throw new OperatorError(`${file} is the database itself, not a backup`);
  const lock = claimDataDirectory();
  const partial = `${database}.${process.pid}${UNFINISHED}`;
  let isDone = false;
  try {
    removeUnfinishedRestores();
    begin(from.size);
    const checked = takeCopy(file, partial);
    const former = there ? keepFormer(database) : null;
    for (const beside of ["-wal", "-shm", "-journal"]) rmSync(database + beside, { force: true });
    renameSync(partial, database);
    flushDirectory(dirname(database));
    isDone = true;
    return { size: statSync(database).size, former, ...checked };
  } catch (error) {
    if (error instanceof OperatorError || error instanceof ConfigError) throw error;
    throw new OperatorError(`restoring ${file} to ${database} failed: ${trouble(error)}`);
  } finally {
    removeUnfinishedRestores();
    if (isDone) lock.release();
    else lock.undo();
  }
}

/**
 * The reason why the newest copy is not that of the last upgrade; null if it is. A damaged database may be anything: a copy
 * takes its place.
 */
function whyNotOf(copy: string, file: string): string | null {
  const inDatabase = lastUpgrade(file);
  if (inDatabase?.isUnmigrated)
    return "this version has not migrated the database: install and start the former version";
  if (inDatabase?.begun === copy) return null;
  if (inDatabase?.unknown !== undefined)
    return `the database was written by a newer version of Fairlead (it holds migration ${inDatabase.unknown}), and the newest copy may be from an earlier upgrade: call fairlead rollback with that version`;
  const version = versionIn(copy);
  return version === VERSION
    ? null
    : `the newest copy is from the upgrade to version ${version}, and none was made by this one (${VERSION}): if it has migrated nothing, install and start the former version`;
}

interface LastUpgrade {
  /** True for a database as a former version left it. */
  isUnmigrated: boolean;
  /** The name of the copy that an upgrade made which is not done; null if there is none. */
  begun: string | null;
  /** The newest migration of a newer version, if there is one. */
  unknown: string | undefined;
}

/** Null for a damaged database. */
function lastUpgrade(file: string): LastUpgrade | null {
  try {
    const database = new Database(file, { readwrite: true, create: false });
    try {
      const { applied, unknown, pending } = schemaState(database);
      const begun = begunUpgrade(database);
      const isUnmigrated = pending.length > 0 && (begun === null || begun.from === applied.at(-1));
      return { isUnmigrated, begun: begun?.copy ?? null, unknown: unknown.at(-1) };
    } finally {
      database.close();
    }
  } catch (error) {
    if (whyUnsound(error) === null) throw openElsewhere(file, error) ?? error;
    return null;
  }
}

/**
 * Puts the newest backup that was made before a migration back in place of the database. Throws OperatorError, and then
 * nothing has changed.
 */
export function rollBack(): Restored & { file: string } {
  const directory = dataPath.backups();
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  const newest = isThere ? beforesAmong(readdirSync(directory)).at(-1) : undefined;
  if (!newest)
    throw new OperatorError(
      `there is no copy from before a migration in ${directory}; restore another backup with fairlead restore FILE`,
    );
  const file = join(directory, newest.name);
  const why = whyNotOf(newest.name, dataPath.database());
  if (why !== null)
    throw new OperatorError(`${why}. To go back to ${file} all the same, call fairlead restore with it`);
  return { file, ...restoreBackup(file) };
}

/**
 * Copies a backup into the data directory, and checks the copy together with the content of the logs that belong to the file.
 */
function takeCopy(file: string, partial: string): Omit<Restored, "size" | "former"> {
  for (const end of ["", ...logsOf(file)])
    copyFileSync(placeOf(file) + end, partial + end, constants.COPYFILE_FICLONE);
  chmodSync(partial, 0o600);
  giveToOwner(partial);
  try {
    const copy = new Database(partial, { readwrite: true, create: false });
    try {
      copy.run("PRAGMA wal_checkpoint(TRUNCATE)");
      const { unknown, pending } = checkSoundness(copy, "whole");
      if (unknown.length > 0)
        throw new OperatorError(
          `${file} was written by a newer version of Fairlead (migration ${unknown.at(-1)}); install that version to restore it`,
        );
      beginEpoch(copy);
      const { closed, isRefused } = judgeKeys(copy, readMasterKeys());
      return { pending, unreadable: listed(closed).en, isRefused, writtenBy: versionOf(copy) };
    } finally {
      copy.close();
      flushToDisk(partial);
    }
  } catch (error) {
    const why = whyUnsound(error);
    if (why === null) throw error;
    throw new OperatorError(`${file} ${why}; nothing was changed. Choose another backup`);
  }
}

/** Readers of the feed know of changes that the copy lacks, and must not take its next ones for those. */
function beginEpoch(copy: Database): void {
  const table = copy.query("SELECT 1 FROM sqlite_schema WHERE name = 'feed_state'").get();
  if (table) copy.run("DELETE FROM feed_state");
}

/** The reason why a file is no backup to restore; null for an error that is not the file's. */
function whyUnsound(error: unknown): string | null {
  if (error instanceof UnsoundDatabase) return error.message;
  const code = String((error as { code?: unknown }).code);
  if (code === "SQLITE_NOTADB") return "is not a database";
  // If a file is cut off, SQLite may not even read the schema.
  return code.startsWith("SQLITE_CORRUPT") ? `is damaged (${reason(error)})` : null;
}

const FORMER = "fairlead-before-restore";

/** Gives the database, with everything in its log, a second name beside its own, and returns that. */
function keepFormer(database: string): string {
  const directory = dirname(database);
  const former = join(directory, freeName(FORMER, now(), readdirSync(directory)));
  // Closing a database writes its log into it, damaged or not, and removes the log.
  const hasLog = existsSync(`${database}-wal`);
  if (hasLog) linkAs(`${database}-wal`, `${former}-wal`);
  const isWhole = checkpointLog(database);
  linkAs(database, former);
  if (isWhole) rmSync(`${former}-wal`, { force: true });
  return former;
}

/**
 * Writes the log into the database and removes it, so that a single file is all there is to put aside: SQLite
 * does so on leaving WAL mode, and refuses while another process has the database open. False for a damaged
 * database, which may be the reason for the restore: its log is then kept too.
 */
function checkpointLog(database: string): boolean {
  try {
    const closing = new Database(database, { readwrite: true, create: false });
    try {
      closing.run("PRAGMA busy_timeout = 1000");
      closing.query("PRAGMA journal_mode = DELETE").get();
      return true;
    } finally {
      closing.close();
    }
  } catch (error) {
    const refusal = openElsewhere(database, error);
    if (refusal) throw refusal;
    return false;
  }
}

/** The refusal while another process has the database open; null for any other error. */
const openElsewhere = (database: string, error: unknown): OperatorError | null =>
  String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")
    ? new OperatorError(
        `another process, such as Litestream, a backup or a database shell, has ${database} open; stop it first`,
      )
    : null;

/**
 * Gives a file a second name, or copies it if the file system has no hard links, such as that of a USB stick.
 */
function linkAs(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name, constants.COPYFILE_EXCL);
    flushToDisk(name);
    giveToOwner(name);
  }
}
