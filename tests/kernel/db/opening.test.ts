import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { configure } from "../../support/in-process";
import { temporaryDirectory } from "../../support/server";

test("a new database is opened while another process writes to it for the first time", async () => {
  configure();
  const file = join(temporaryDirectory(), "fairlead.db");
  const made = new Database(file, { create: true });
  made.run("CREATE TABLE boats (name TEXT)");
  made.close();
  const other = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { Database } from "bun:sqlite";
       const database = new Database(${JSON.stringify(file)});
       database.run("BEGIN IMMEDIATE");
       console.log("held");
       await Bun.sleep(200);
       database.run("INSERT INTO boats VALUES ('Greif')");
       database.run("COMMIT");
       database.close();`,
    ],
    { stdout: "pipe" },
  );
  await other.stdout.getReader().read();
  openDatabase(file, "full");
  expect(sqlite.query("PRAGMA journal_mode").values()).toEqual([["wal"]]);
  expect(sqlite.query("SELECT name FROM boats").values()).toEqual([["Greif"]]);
  expect(await other.exited).toBe(0);
  closeDatabase();
});
