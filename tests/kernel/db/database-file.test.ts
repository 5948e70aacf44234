import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeEmptyLog } from "../../../src/kernel/db/database-file";
import { temporaryDirectory } from "../../support/server";

test("an empty log stays as long as the database is open elsewhere, and goes afterwards", () => {
  const directory = temporaryDirectory();
  const file = join(directory, "fairlead.db");
  const names = () => readdirSync(directory).sort();
  const other = new Database(file);
  other.run("PRAGMA journal_mode = WAL");
  other.run("CREATE TABLE numbers (value)");
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  removeEmptyLog(file);
  expect(names()).toEqual(["fairlead.db", "fairlead.db-shm", "fairlead.db-wal"]);
  other.run("INSERT INTO numbers VALUES (1)");
  other.close();

  writeFileSync(`${file}-wal`, "");
  writeFileSync(`${file}-shm`, "abc");
  removeEmptyLog(file);
  expect(names()).toEqual(["fairlead.db"]);
});
