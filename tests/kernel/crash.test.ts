import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../support/program";
import { TestServer, temporaryDirectory } from "../support/server";
import { fix } from "../tracking/support";
import { faultsOf } from "./inspection";
import { prepareCast, startWriters } from "./mixed-load";

/** Number of times that the server is killed; many more by hand. */
const CRASHES = Number(process.env.CRASHES ?? 4);

/**
 * The fewest changes that are acknowledged before a kill; the number varies, so that the kill hits different
 * moments.
 */
const LEAST = 40;
const MOST = 160;

test(
  "kill -9 under mixed load loses nothing that was acknowledged and leaves no half change, again and again",
  async () => {
    const first = await TestServer.start();
    const { dataDir } = first;
    const cast = await prepareCast(first);
    const { acknowledged, admin } = cast;
    await first.patch("/v1/system-config/gps.retention_days", { token: admin, body: { value: 30 } });
    await first.stop("SIGKILL");

    for (let crash = 0; crash < CRASHES; crash++) {
      const server = await TestServer.start({ dataDir });
      const goal = acknowledged.changes + LEAST + Math.floor(Math.random() * (MOST - LEAST));
      const writers = startWriters(server.url, cast);
      while (acknowledged.changes < goal) await Bun.sleep(1);
      await server.stop("SIGKILL");
      await writers;
      expect(acknowledged.unexpected).toEqual([]);
      expect(faultsOf(dataDir, acknowledged)).toEqual([]);
      expect(server.output).not.toContain('"level":"error"');
    }

    const last = await TestServer.start({ dataDir });
    try {
      // At its start, retention has deleted the positions older than 30 days.
      let page = await last.get("/v1/gps", { token: admin });
      while (page.body.pagination.total > acknowledged.points.length + CRASHES * cast.trackers.length) {
        await Bun.sleep(20);
        page = await last.get("/v1/gps", { token: admin });
      }
      expect(page.body.pagination.total).toBeGreaterThanOrEqual(acknowledged.points.length);
      expect(faultsOf(dataDir, acknowledged)).toEqual([]);
    } finally {
      await last.stop();
    }
    if (process.env.CRASHES !== undefined)
      process.stdout.write(`${CRASHES} kills, ${acknowledged.changes} changes acknowledged, all found\n`);
  },
  60_000 + CRASHES * 20_000,
);

test("kill -9 during the first starts leaves a directory on which the next one succeeds", async () => {
  const dataDir = temporaryDirectory();
  for (const milliseconds of [70, 100, 130, 160, 190]) {
    const starting = start(["serve"], { "data.dir": dataDir, "server.port": "0" });
    await Bun.sleep(milliseconds);
    await starting.stop("SIGKILL");
  }
  const server = await TestServer.start({ dataDir });
  expect((await server.get("/health")).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("what a kill left of an archive or an email is gone after the next start, and nothing else", async () => {
  const first = await TestServer.start();
  await first.stop("SIGKILL");
  const directories = ["exports", "outbox"].map((name) => join(first.dataDir, name));
  for (const directory of directories) {
    mkdirSync(directory);
    for (const name of [
      ".01a1ff9e621d7075.partial",
      "01a1ff9e-621d-7075-8423-fe052caa1929.partial",
      "note.json",
    ])
      writeFileSync(join(directory, name), "{}");
  }
  const second = await TestServer.start({ dataDir: first.dataDir });
  for (const directory of directories) expect(readdirSync(directory)).toEqual(["note.json"]);
  await second.stop();
});

/**
 * A power cut takes more than the process: pages of the write-ahead log that were not flushed yet. With
 * `full` SQLite flushes the log before a commit returns (sqlite.org/pragma.html#pragma_synchronous), so an
 * acknowledged write lies before the end that the log had at the acknowledgement, and only later pages can be
 * lost.
 */
describe("a write-ahead log whose end was lost", () => {
  const POINTS = 40;
  const CUTS = 12;

  test("opens, sound, with every point that was acknowledged before the cut", async () => {
    const server = await TestServer.start();
    const log = join(server.dataDir, "fairlead.db-wal");
    const acknowledged: { id: string; end: number }[] = [];
    for (let count = 0; count < POINTS; count++) {
      const { body } = await server.post("/v1/gps", { token: server.systemKey, body: fix() });
      acknowledged.push({ id: body.data.id, end: statSync(log).size });
    }
    await server.stop("SIGKILL");
    const whole = statSync(log).size;

    for (let cut = 0; cut < CUTS; cut++) {
      const kept = Math.floor(Math.random() * POINTS);
      const safe = acknowledged[kept]?.end ?? 0;
      const at = safe + Math.floor(Math.random() * (whole - safe));
      const copy = temporaryDirectory();
      for (const name of ["fairlead.db", "fairlead.db-wal"])
        cpSync(join(server.dataDir, name), join(copy, name));
      // Half of the time the end is cut off, else it is overwritten with noise.
      if (cut % 2 === 0) truncateSync(join(copy, "fairlead.db-wal"), at);
      else {
        const bytes = Buffer.from(await Bun.file(join(copy, "fairlead.db-wal")).arrayBuffer());
        crypto.getRandomValues(bytes.subarray(at, Math.min(at + 60_000, bytes.length)));
        writeFileSync(join(copy, "fairlead.db-wal"), bytes);
      }
      const database = new Database(join(copy, "fairlead.db"));
      const rows = <T>(sql: string) => database.query<T, []>(sql).all();
      const ids = new Set(rows<{ id: string }>("SELECT id FROM gps_points").map(({ id }) => id));
      const lost = acknowledged.slice(0, kept + 1).filter(({ id }) => !ids.has(id));
      expect({ cut, kept, at, lost }).toEqual({ cut, kept, at, lost: [] });
      expect(rows("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
      expect(rows("SELECT value n FROM counters WHERE name = 'gps_points'")).toEqual([{ n: ids.size }]);
      database.close();
    }
  });
});
