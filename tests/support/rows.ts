import { Database, type SQLQueryBindings } from "bun:sqlite";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "./server";

/** The stored state of a running server, read and changed beside it. */

const fileOf = ({ dataDir }: TestServer) => join(dataDir, "fairlead.db");

/** Milliseconds that a change waits for the server's own; a busy machine makes one wait long. */
const BUSY_TIMEOUT = 10_000;

function openToWrite(server: TestServer): Database {
  const database = new Database(fileOf(server), { readwrite: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  return database;
}

/** Rows of the server's database. */
export function rows<T>(server: TestServer, sql: string, ...values: SQLQueryBindings[]): T[] {
  return reading(server, (database) => database.query<T, SQLQueryBindings[]>(sql).all(...values));
}

/** Reads the server's database, all queries at the same point in its history. */
export function reading<T>(server: TestServer, read: (database: Database) => T): T {
  const database = new Database(fileOf(server), { readonly: true });
  try {
    return database.transaction(read)(database);
  } finally {
    database.close();
  }
}

/** Changes the server's database in one transaction. Nothing of what is deleted stays in the file. */
export function onDatabase<T>(server: TestServer, work: (database: Database) => T): T {
  const database = openToWrite(server);
  try {
    database.run("PRAGMA secure_delete = ON");
    return database.transaction(work).immediate(database);
  } finally {
    database.close();
  }
}

/** Runs statements on the server's database in one transaction. */
export const write = (server: TestServer, ...statements: string[]): void =>
  onDatabase(server, (database) => {
    for (const sql of statements) database.run(sql);
  });

/** Keeps the server from committing until the returned function is called; reads are still answered. */
export function holdCommits(server: TestServer): () => void {
  const database = openToWrite(server);
  database.run("BEGIN IMMEDIATE");
  return () => {
    database.run("ROLLBACK");
    database.close();
  };
}

/** The files of the data directory, at any depth, that contain the text. */
export function filesWith(server: TestServer, text: string): string[] {
  const needle = Buffer.from(text);
  return (
    readdirSync(server.dataDir, { recursive: true, encoding: "utf8" })
      // A file with this ending is about to be renamed: the email is found under its own name.
      .filter((name) => !name.endsWith(".partial"))
      .map((name) => join(server.dataDir, name))
      .filter((file) => statSync(file).isFile() && readFileSync(file).includes(needle))
  );
}
