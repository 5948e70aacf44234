import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";

/** More than SQLite keeps in memory, so that the database's file holds a part of the change already. */
const SPILL = `
  CREATE TABLE spilled AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  SELECT zeroblob(1000) AS content FROM n`;

/** Copies a database in the midst of a change, and the journal that undoes it, as a power cut leaves both. */
export function leaveCutShort(from: string, to: string, change: string): void {
  const database = new Database(from);
  try {
    database.run("PRAGMA journal_mode = DELETE");
    database.run("PRAGMA cache_size = 1");
    database.run("BEGIN");
    database.run(change);
    database.run(SPILL);
    for (const end of ["", "-journal"]) copyFileSync(from + end, to + end);
    database.run("ROLLBACK");
  } finally {
    database.close();
  }
}
