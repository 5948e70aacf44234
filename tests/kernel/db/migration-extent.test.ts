import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { extentsOf, tablesIn } from "../../../src/kernel/db/migration-extent";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { manyUsers, olderDatabase } from "../../support/older-database";
import { temporaryDirectory } from "../../support/server";

/** The rows that migrations touch, told before them. */

describe("the tables whose rows a migration touches", () => {
  test.each([
    ["UPDATE `trips` SET a = 1;", ["trips"]],
    ["INSERT INTO counters SELECT 'n', count(*) FROM trips JOIN devices USING (id);", ["devices", "trips"]],
    ["DELETE FROM users WHERE 1;", ["users"]],
    ["CREATE UNIQUE INDEX `one` ON `trips` (`a`);", ["trips"]],
    ["ALTER TABLE `trips` DROP COLUMN `a`;", ["trips"]],
    ["-- FROM users\nALTER TABLE `trips` ADD `a` text;", []],
    ["CREATE TABLE `new` (`a` text REFERENCES trips(id));", []],
    ["CREATE TRIGGER t AFTER INSERT ON trips BEGIN DELETE FROM users; END;", []],
    ["SELECT 1;\n--> step\nSELECT count(*) FROM a;\n--> finally\nDELETE FROM b;", ["a", "b"]],
    // One row each, by an index.
    ["INSERT INTO new SELECT id FROM devices WHERE EXISTS (SELECT 1 FROM gps WHERE d = id);", ["devices"]],
    ["UPDATE zones SET a = (SELECT t FROM gps WHERE d = id ORDER BY t DESC LIMIT 1);", ["zones"]],
  ])("by %p", (sql, tables) => {
    expect(tablesIn(sql)).toEqual(tables);
  });

  test("are the positions, for those migrations alone that look at each", () => {
    const all = migrations
      .filter(({ tag }) => tag > "0016")
      .filter(({ sql }) => tablesIn(sql).includes("gps_points"));
    expect(all.map(({ tag }) => tag)).toEqual(["0022_lists_by_time", "0024_data_in", "0038_sync"]);
  });
});

describe("the extents of the migrations of a database", () => {
  const file = join(temporaryDirectory(), "fairlead.db");
  beforeAll(() => {
    olderDatabase(file, manyUsers(1_000), "DELETE FROM users WHERE rowid % 2 = 0 OR rowid < 100");
    openDatabase(file, "full");
  });
  afterAll(() => closeDatabase());

  test("are upper bounds, by the numbers of the first and the last row", () => {
    const [extent, ...others] = extentsOf(["0017_who_wrote_it"]);
    expect(others).toEqual([]);
    expect(extent?.migration).toBe("0017_who_wrote_it");
    const rows = sqlite.query<{ n: number }, []>("SELECT count(*) AS n FROM users").get()?.n ?? 0;
    expect(rows).toBe(450);
    expect(extent?.rows).toBe(899);
  });

  test("are in the order of the migrations, and 0 for what isn't there yet", () => {
    const tags = ["0044_elsewhere", "0043_passkeys"];
    expect(extentsOf(tags)).toEqual([
      { migration: "0043_passkeys", rows: 0 },
      { migration: "0044_elsewhere", rows: 0 },
    ]);
  });

  test("hold the audit log where its events are chained afterwards", () => {
    const other = new Database(file);
    other.run(
      "INSERT INTO audit_events (id, event_type, status, source_service, created_at) VALUES ('a', 'x', 'success', 'api', 1), ('b', 'x', 'success', 'api', 2)",
    );
    other.close();
    expect(extentsOf(["0045_audit_chain"])).toEqual([{ migration: "0045_audit_chain", rows: 2 }]);
  });
});
