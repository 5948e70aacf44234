import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeEmptyLog } from "../../../src/kernel/db/database-file";
import { temporaryDirectory } from "../../support/server";

/** Opens a database in WAL mode, empties its log, and keeps it open until its input ends. */
const OTHER = `
  const { Database } = require("bun:sqlite");
  const database = new Database(process.argv[1]);
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE numbers (value)");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  console.log("open");
  await Bun.stdin.text();
  database.run("INSERT INTO numbers VALUES (1)");
  database.close();`;

test("an empty log stays as long as the database is open elsewhere, and goes afterwards", async () => {
  const directory = temporaryDirectory();
  const file = join(directory, "fairlead.db");
  const names = () => readdirSync(directory).sort();
  const other = Bun.spawn([process.execPath, "-e", OTHER, file], { stdio: ["pipe", "pipe", "inherit"] });
  await other.stdout.getReader().read();
  removeEmptyLog(file);
  expect(names()).toEqual(["fairlead.db", "fairlead.db-shm", "fairlead.db-wal"]);
  await other.stdin.end();
  expect(await other.exited).toBe(0);
  expect(names()).toEqual(["fairlead.db"]);

  writeFileSync(`${file}-wal`, "");
  writeFileSync(`${file}-shm`, "abc");
  removeEmptyLog(file);
  expect(names()).toEqual(["fairlead.db"]);
});

test("an empty log beside what a link leads to goes", () => {
  const directory = temporaryDirectory();
  const volume = join(directory, "volume");
  mkdirSync(volume);
  const file = join(volume, "fairlead.db");
  const database = new Database(file);
  database.run("PRAGMA journal_mode = WAL");
  database.close();
  symlinkSync(file, join(directory, "fairlead.db"));
  writeFileSync(`${file}-wal`, "");
  removeEmptyLog(join(directory, "fairlead.db"));
  expect(readdirSync(volume)).toEqual(["fairlead.db"]);
});

test("an empty log whose database is gone is no trouble", () => {
  const file = join(temporaryDirectory(), "fairlead.db");
  writeFileSync(`${file}-wal`, "");
  expect(() => removeEmptyLog(file)).not.toThrow();
});
