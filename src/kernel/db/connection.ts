import { Database, type Statement } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { profile } from "../../configuration/profile";
import { BoundedMap } from "../values/bounded-map";

/** The connection of this process, raw and through Drizzle. Set by `openDatabase`. */
export let sqlite: Database;
export let db: BunSQLiteDatabase;

/**
 * SELECTs kept compiled: about as many as the program has. One with a list in it has a text for each length.
 */
const MAX_COMPILED = 200;

/**
 * The connection as Drizzle needs it: Drizzle prepares a query each time it is built, which would be most of
 * its cost. The most recently used SELECTs are kept compiled. An UPDATE has as many texts as there are sets
 * of fields, and a compiled statement keeps the values that it was last given.
 */
function compilingOnce(connection: Database): Database {
  const compiled = new BoundedMap<string, Statement>(MAX_COMPILED);
  const prepare = (text: string): Statement => {
    if (later.length > 0) writePutOff();
    if (!text.startsWith("select ")) return connection.prepare(text);
    const statement = compiled.get(text) ?? connection.prepare(text);
    compiled.renew(text, statement);
    return statement;
  };
  return { prepare } as Pick<Database, "prepare"> as Database;
}

/** Rises with every opened database, so that prepared statements know when they are stale. */
let generation = 0;

type Synchronous = "full" | "normal";

/**
 * Opens (and creates) the database file. WAL lets readers, `backup` and the commands work beside the server;
 * `full` keeps each acknowledged write across a power cut. Throws SQLiteError when the file can't be used.
 */
export function openDatabase(file: string, synchronous: Synchronous): void {
  useConnection(new Database(file, { create: true, strict: true }));
  try {
    useLog();
  } catch (error) {
    sqlite.close();
    throw error;
  }
  sqlite.run(`PRAGMA busy_timeout = ${LONGEST_WAIT}`);
  sqlite.run(`PRAGMA synchronous = ${synchronous}`);
  sqlite.run("PRAGMA foreign_keys = ON");
  // Deleted content is overwritten: a scrubbed account must not stay readable in the file's free pages.
  sqlite.run("PRAGMA secure_delete = ON");
  sqlite.run("PRAGMA journal_size_limit = 67108864");
  sqlite.run(`PRAGMA wal_autocheckpoint = ${profile.pagesInLog}`);
  sqlite.run(`PRAGMA temp_store = ${profile.temporaryStore}`);
  sqlite.run(`PRAGMA cache_size = -${profile.pages}`);
}

/** Milliseconds for which a statement waits while another process holds the database. */
const LONGEST_WAIT = 5_000;
const PAUSE = 10;

/**
 * Turns to WAL mode. SQLite's own waiting would not do: where two processes turn a new database at the same moment, it
 * refuses one of them at once.
 */
function useLog(): void {
  for (const end = performance.now() + LONGEST_WAIT; ; Bun.sleepSync(PAUSE))
    try {
      sqlite.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_BUSY" || performance.now() > end) throw error;
    }
}

/** Has the process's queries go by a connection that is open, such as one that reads alone. */
export function useConnection(connection: Database): void {
  sqlite = connection;
  db = drizzle({ client: compilingOnce(connection) });
  generation++;
}

/** KiB of pages in memory during a long series of reads or writes: few of them are read again. */
const PAGES_IN_SERIES = 2_048;

let series = 0;

/**
 * Keeps few pages in memory until the function that it returns is called, once: a long series of reads or writes would fill it
 * with its own, each page of which costs more to keep than to read again.
 */
export function keepFewPages(): () => void {
  if (++series === 1) sqlite.run(`PRAGMA cache_size = -${PAGES_IN_SERIES}`);
  return () => {
    if (--series === 0) restorePages();
  };
}

/** Keeps few pages in memory until `work` is done. */
export async function withFewPages<T>(work: () => Promise<T>): Promise<T> {
  const done = keepFewPages();
  try {
    return await work();
  } finally {
    done();
  }
}

function restorePages(): void {
  try {
    sqlite.run(`PRAGMA cache_size = -${profile.pages}`);
  } catch {
    // The server has stopped meanwhile, and closed the database.
  }
}

/** Writes that were put off, in order: see `writeLater`. */
let later: (() => void)[] = [];

/** Puts a write off. */
export function putOff(write: () => void): void {
  later.push(write);
}

/** Carries out the writes that were put off. */
export function writePutOff(): void {
  const writes = later;
  later = [];
  for (const write of writes) write();
}

/** Forgets the writes that were put off. */
export function dropPutOff(): void {
  later = [];
}

/**
 * Prepares a statement at its first use, once per opened database: `const find = statement(() => …)`. Call `find` for each use,
 * as in `find().get(…)`: it first carries out what was put off, which the statement may read.
 */
export function statement<T>(prepare: () => T): () => T {
  let prepared: T;
  let preparedFor = 0;
  return () => {
    if (later.length > 0) writePutOff();
    if (preparedFor !== generation) {
      prepared = prepare();
      preparedFor = generation;
    }
    return prepared;
  };
}
