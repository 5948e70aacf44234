import type { Database } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { config } from "../../configuration/config";
import { dataPath, fileTrouble, giveToOwner, prepareDataDirectory } from "../process/data-dir";
import { takeLock, takeMakingLock } from "../process/data-lock";
import { flushToDisk, isDiskFull, nameWithoutReplacing, UNFINISHED } from "../process/disk";
import { OperatorError } from "../process/operator";
import { openDatabase, sqlite } from "./connection";
import { removeEmptyLog } from "./database-file";
import { type MigrationProgress, migrate, pendingMigrations } from "./migrate";
import { type Extent, extentsOf } from "./migration-extent";
import { recordVersion } from "./program-record";
import { closeDatabase, emptyWriteAheadLog } from "./transactions";

/** The database of the data directory, with the newest schema. */

export interface Opening {
  /** True if this process holds the lock of the data directory already. */
  holdsLock: boolean;
  /** Inspects the database, null if there is none, before anything is made or changed; throws to leave all alone. */
  check?: (existing: Database | null) => void;
  /** Called before an existing database is migrated; the function that it returns is called afterwards. */
  beforeMigration?: (extents: Extent[]) => Promise<AfterMigration>;
  /** Told of the migrations of an existing database. */
  watch?: MigrationWatch;
}

export interface MigrationWatch {
  /** Called before the first migration. */
  announce: (extents: Extent[]) => void;
  /** Called before each migration, with its tag. */
  begin: (tag: string) => void;
  progress: MigrationProgress;
}

/** Gets the number of migrations applied: all pending ones, or those before one that failed. */
export type AfterMigration = (applied: number, isWhole: boolean) => void;

/**
 * Opens the database, makes it if there is none, and applies pending migrations; returns their tags.
 * Migrating needs the lock of the data directory, so that no server runs on a schema that changes under it.
 */
export async function openData(opening: Opening): Promise<string[]> {
  const isThere = existsSync(dataPath.database());
  if (!isThere) opening.check?.(null);
  const made = isThere ? null : await makeDatabase(async () => {});
  open(dataPath.database());
  try {
    if (made) return made.applied;
    opening.check?.(sqlite);
    const pending = pendingMigrations();
    if (pending.length > 0) return await bringUp(opening, pending);
    recordVersion(sqlite);
    return [];
  } catch (error) {
    closeDatabase();
    throw error;
  }
}

async function bringUp({ holdsLock, beforeMigration, watch }: Opening, pending: string[]): Promise<string[]> {
  const lock = holdsLock ? null : takeLock();
  if (!holdsLock && !lock) throw olderServer();
  let isDone = false;
  try {
    const extents = extentsOf(pending);
    const after = await beforeMigration?.(extents);
    try {
      watch?.announce(extents);
      const applied = migrate(watch?.progress, watch?.begin);
      recordVersion(sqlite);
      after?.(applied.length, true);
      isDone = true;
      return applied;
    } catch (error) {
      after?.(pending.length - pendingMigrations().length, false);
      if (!isDiskFull(error)) throw error;
      throw new OperatorError(
        `the migration is not done, since the disk of ${config["data.dir"]} is full; free some space, then run this again, which goes on where it was`,
      );
    }
  } finally {
    if (isDone) lock?.release();
    else lock?.undo();
  }
}

const olderServer = () =>
  new OperatorError(
    `another process uses ${config["data.dir"]}, such as a server of an older version; stop it, or wait for its end, before this version changes the database`,
  );

/**
 * Runs a command's work on the database, beside a server that may be running. A missing database is made
 * together with the content that the work puts into it, or not at all; one of an older version is left to the
 * server.
 */
export async function withData<T>(work: () => Promise<T>): Promise<T> {
  const removeDirectory = prepareDataDirectory();
  try {
    while (!existsSync(dataPath.database())) {
      const made = await makeDatabase(work);
      if (made) return made.result;
    }
  } catch (error) {
    removeDirectory();
    throw error;
  }
  open(dataPath.database());
  try {
    const pending = pendingMigrations();
    if (pending.length > 0) throw olderDatabase(pending);
    return await work();
  } finally {
    closeDatabase();
  }
}

function olderDatabase(pending: string[]): OperatorError {
  const lock = takeLock();
  if (!lock) return olderServer();
  lock.undo();
  return new OperatorError(
    `the database is of an older version (it lacks ${pending.join(", ")}): start the server or call fairlead migrate first, which copies it before it changes it`,
  );
}

/** Milliseconds until a process looks again if another one has made the database. */
const PAUSE = 20;

/**
 * Makes the database with the content that `work` puts into it, as a whole: until then it has another name,
 * and a failure leaves nothing. Null if another process was faster: then `work` was not done, so that nothing
 * is printed that isn't kept. Afterwards it is closed.
 */
async function makeDatabase<T>(work: () => Promise<T>): Promise<Made<T> | null> {
  let lock = takeMakingLock();
  while (!lock) {
    await Bun.sleep(PAUSE);
    lock = takeMakingLock();
  }
  try {
    return existsSync(dataPath.database()) ? null : await makeAlone(work);
  } finally {
    lock.release();
  }
}

interface Made<T> {
  /** Tags of the migrations. */
  applied: string[];
  result: T;
}

async function makeAlone<T>(work: () => Promise<T>): Promise<Made<T> | null> {
  const path = dataPath.database();
  const partial = `${path}.${process.pid}.new${UNFINISHED}`;
  const removePartial = () => {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(partial + end, { force: true });
  };
  removePartial();
  try {
    // One flush at the end is enough.
    open(partial, "normal");
    let made: Made<T>;
    try {
      const applied = migrate();
      recordVersion(sqlite);
      made = { applied, result: await work() };
      emptyWriteAheadLog();
      // Leaves WAL mode: its shared memory would keep the other name as long as any statement of this
      // connection lives.
      sqlite.query("PRAGMA journal_mode = DELETE").get();
    } finally {
      closeDatabase();
    }
    flushToDisk(partial);
    nameWithoutReplacing(partial, path);
    return made;
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return null;
    throw error;
  } finally {
    removePartial();
  }
}

function open(file: string, synchronous = config["data.synchronous"]): void {
  try {
    openDatabase(file, synchronous);
    giveToOwner(file);
  } catch (error) {
    if (isDiskFull(error)) removeEmptyLog(file);
    throw new OperatorError(
      `the database ${dataPath.database()} cannot be opened: ${fileTrouble(dataPath.database(), error)}`,
    );
  }
}
