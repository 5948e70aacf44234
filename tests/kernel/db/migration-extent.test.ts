import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { chainBacklog } from "../../../src/identity/audit/backlog";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate, pendingMigrations } from "../../../src/kernel/db/migrate";
import { extentsOf, roomFor, tablesIn } from "../../../src/kernel/db/migration-extent";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { rows } from "../../../src/kernel/db/rows";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { databaseOf } from "../../releases/releases";
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

describe("the room for migrations", () => {
  /** A release's database in which each event and trip comes `times` as often, quarters of an hour apart. */
  async function database(release: string, times: number): Promise<string> {
    const file = join(temporaryDirectory(), "fairlead.db");
    await Bun.write(file, await databaseOf(release));
    const made = new Database(file);
    made.run("PRAGMA foreign_keys = OFF");
    for (const [table, time] of [
      ["audit_events", "created_at"],
      ["trips", "started_at"],
    ] as const) {
      const columns = rows(made, `SELECT name FROM pragma_table_info('${table}')`).map(([name]) =>
        String(name),
      );
      const others = { id: "lower(hex(randomblob(16)))", [time]: `${time} - n.i * 900000` };
      made.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
         INSERT INTO ${table} (${columns.join(", ")}) SELECT ${columns.map((name) => others[name as "id"] ?? name).join(", ")}
         FROM n, (SELECT * FROM ${table} WHERE ${times} > 1)`,
      );
    }
    made.close();
    return file;
  }

  test.each([
    ["0.1.0", 1],
    ["0.1.0", 300],
    ["0.2.0", 1],
    ["0.2.0", 300],
  ])("suffices for a database of %s, with its rows %d times", async (release, times) => {
    const file = await database(release, times);
    openDatabase(file, "full");
    try {
      const { size } = statSync(file);
      const room = roomFor(extentsOf(pendingMigrations()), size);
      migrate();
      chainBacklog();
      sqlite.run("PRAGMA wal_checkpoint");
      // The log keeps the size that it had at most.
      const taken = statSync(file).size + statSync(`${file}-wal`).size - size;
      expect(taken).toBeLessThan(room);
      expect(taken).toBeGreaterThan(room / 5);
    } finally {
      closeDatabase();
    }
  });

  test("is little for many positions, which are looked at alone", async () => {
    const file = join(temporaryDirectory(), "fairlead.db");
    await Bun.write(file, await databaseOf("0.1.0"));
    openDatabase(file, "full");
    try {
      sqlite.run("UPDATE gps_points SET rowid = 10000000 WHERE rowid = (SELECT max(rowid) FROM gps_points)");
      expect(roomFor(extentsOf(pendingMigrations()), 3_500_000_000)).toBeLessThan(30_000_000);
    } finally {
      closeDatabase();
    }
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
      { migration: "0043_passkeys", rows: 0, bytes: expect.any(Number) },
      { migration: "0044_elsewhere", rows: 0, bytes: expect.any(Number) },
    ]);
  });

  test("hold the audit log where its events are chained afterwards", () => {
    const other = new Database(file);
    other.run(
      "INSERT INTO audit_events (id, event_type, status, source_service, created_at) VALUES ('a', 'x', 'success', 'api', 1), ('b', 'x', 'success', 'api', 2)",
    );
    other.close();
    expect(extentsOf(["0045_audit_chain"])).toMatchObject([{ migration: "0045_audit_chain", rows: 2 }]);
  });
});
