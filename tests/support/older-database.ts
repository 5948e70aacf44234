import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/kernel/db/migrations.gen";
import { temporaryDirectory } from "./server";

/** Data directories of the first version that was released. */

/** The newest migration of 0.1.0, the first version that was released. */
const RELEASED = "0015_point_seasons";
const released = migrations.findIndex(({ tag }) => tag === RELEASED) + 1;

/** The migrations since then, as the program lists them, and the newest of them. */
export const PENDING: string = migrations
  .slice(released)
  .map(({ tag }) => tag)
  .join(", ");
export const NEWEST: string = migrations.at(-1)?.tag ?? "";

/** A database as 0.1.0 left it, changed by the given statements at the end. */
export function olderDatabase(file: string, ...statements: string[]): void {
  const database = new Database(file);
  database.run("PRAGMA journal_mode = WAL");
  database.run(
    "CREATE TABLE __migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  for (const { tag, sql } of migrations.slice(0, released)) {
    for (const part of sql.split("--> statement-breakpoint")) database.run(part);
    const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
    database.run("INSERT INTO __migrations VALUES (?, ?, 0)", [tag, hash]);
  }
  for (const statement of statements) database.run(statement);
  database.close();
}

export const someUser = (id: string) =>
  `INSERT INTO users (id, username, created_at, updated_at) VALUES ('${id}', '${id}', 1, 1)`;

/** A statement that adds `count` users: 10,000 are some two megabytes. */
export const manyUsers = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   INSERT INTO users (id, username, created_at, updated_at)
   SELECT 'many' || i, printf('%0100d', i), 1, 1 FROM n`;

/** A data directory with such a database, by default one that holds a user. */
export function olderDirectory(...statements: string[]): string {
  const directory = join(temporaryDirectory(), "data");
  mkdirSync(directory);
  olderDatabase(join(directory, "fairlead.db"), ...(statements.length > 0 ? statements : [someUser("anna")]));
  return directory;
}

/**
 * The first value of each row of a query. Leaves nothing beside the database: a reader alone doesn't tidy up,
 * a writer does.
 */
export function ask(file: string, sql: string): unknown[] {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    return database.query(sql).values().flat();
  } finally {
    database.close();
  }
}

export function change(file: string, ...statements: string[]): void {
  const database = new Database(file);
  for (const statement of statements) database.run(statement);
  database.close();
}

/** The newest migration that a database holds. */
export const schemaOf = (file: string) => ask(file, "SELECT max(tag) FROM __migrations")[0];
