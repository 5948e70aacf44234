import { Database, type SQLQueryBindings } from "bun:sqlite";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "./server";

/** The stored state of a running server, read and changed beside it. */

const fileOf = (dataDir: string) => join(dataDir, "fairlead.db");

/** Milliseconds that a change waits for the server's own; a busy machine makes one wait long. */
const BUSY_TIMEOUT = 10_000;

function openToRead(dataDir: string): Database {
  return new Database(fileOf(dataDir), { readonly: true });
}

/** A connection that waits for the server's changes. Nothing of what is deleted stays in the file. */
export function openToWrite(dataDir: string): Database {
  const database = new Database(fileOf(dataDir), { readwrite: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  database.run("PRAGMA secure_delete = ON");
  return database;
}

/**
 * Connections to the databases of running servers, by data directory. They are kept because a new one reads the whole schema
 * before its first statement, which takes far longer than the statement.
 */
const readers = new Map<string, Database>();
const writers = new Map<string, Database>();

/**
 * Closes what is kept of a data directory. A server that stops or starts must not meet it: the last one to close the database
 * takes its log into the file.
 */
export function closeKept(dataDir: string): void {
  for (const kept of [readers, writers]) {
    kept.get(dataDir)?.close();
    kept.delete(dataDir);
  }
}

/** Lets `use` have a connection to the server's database: a kept one while the server runs, else one of its own. */
function withDatabase<T>(
  { dataDir, isRunning }: TestServer,
  kept: Map<string, Database>,
  open: (dataDir: string) => Database,
  use: (database: Database) => T,
): T {
  if (isRunning) {
    const database = kept.get(dataDir) ?? open(dataDir);
    kept.set(dataDir, database);
    return use(database);
  }
  const database = open(dataDir);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Rows of the server's database. */
export function rows<T>(server: TestServer, sql: string, ...values: SQLQueryBindings[]): T[] {
  return reading(server, (database) => database.query<T, SQLQueryBindings[]>(sql).all(...values));
}

/** Reads the server's database, all queries at the same point in its history. */
export function reading<T>(server: TestServer, read: (database: Database) => T): T {
  return withDatabase(server, readers, openToRead, (database) => database.transaction(read)(database));
}

/** Changes the server's database in one transaction. Nothing of what is deleted stays in the file. */
export function onDatabase<T>(server: TestServer, work: (database: Database) => T): T {
  return withDatabase(server, writers, openToWrite, (database) =>
    database.transaction(work).immediate(database),
  );
}

/** Runs statements on the server's database in one transaction. */
export const write = (server: TestServer, ...statements: string[]): void =>
  onDatabase(server, (database) => {
    for (const sql of statements) database.run(sql);
  });

/** Keeps the server from committing until the returned function is called; reads are still answered. */
export function holdCommits(server: TestServer): () => void {
  const database = openToWrite(server.dataDir);
  database.run("BEGIN IMMEDIATE");
  return () => {
    database.run("ROLLBACK");
    database.close();
  };
}

/** The bytes of a file: none of a directory, and of a file that has gone since it was listed. */
function contentOf(file: string): Buffer {
  try {
    return statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

/** The files of the data directory, at any depth, that contain the text. */
export function filesWith(server: TestServer, text: string): string[] {
  const needle = Buffer.from(text);
  return (
    readdirSync(server.dataDir, { recursive: true, encoding: "utf8" })
      // A file with this ending is about to be renamed: the email is found under its own name.
      .filter((name) => !name.endsWith(".partial"))
      .map((name) => join(server.dataDir, name))
      .filter((file) => contentOf(file).includes(needle))
  );
}
