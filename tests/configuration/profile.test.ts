import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/configuration/config";
import { type ProfileName, profile } from "../../src/configuration/profile";
import { openDatabase, sqlite } from "../../src/kernel/db/connection";
import { closeDatabase } from "../../src/kernel/db/transactions";
import { semaphore } from "../../src/kernel/limits/semaphore";
import { BoundedMap } from "../../src/kernel/values/bounded-map";
import { connectionsFor } from "../../src/realtime/capacity";
import {
  ADMIN,
  command,
  environment,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../support/server";

const MEBIBYTE = 1024 * 1024;
const NAMES = ["standard", "small"] as const;
const COLUMNS: Record<ProfileName, number> = { standard: 1, small: 2 };

/** The table of the documentation: the cells of a row by its first one. */
const rows = new Map(
  readFileSync(join(import.meta.dir, "../../docs/operation.md"), "utf8")
    .split("## Small machines")[1]
    ?.split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .map((cells) => [cells[0] ?? "", cells]),
);
const told = (row: string, name: ProfileName): string => {
  const cell = rows.get(row)?.[COLUMNS[name]];
  if (cell === undefined) throw new Error(`docs/operation.md has no row "${row}"`);
  return cell;
};

const choose = (name: ProfileName) =>
  loadConfig({ environment: environment({ "performance.profile": name }) });
afterAll(() => choose("standard"));

/** A pragma of the connection that the program opens. */
const pragma = (name: string): unknown => Object.values(sqlite.query(`PRAGMA ${name}`).get() as object)[0];

/** SQLite's words for PRAGMA temp_store. */
const STORES: Record<string, number> = { "in files of the data directory": 1, "in memory": 2 };

describe.each(NAMES)("the profile %s", (name) => {
  test("opens the database with the pragmas that the documentation tells", () => {
    choose(name);
    openDatabase(join(temporaryDirectory(), "test.db"), "normal");
    try {
      expect(pragma("cache_size")).toBe(-1_024 * Number.parseInt(told("SQLite's page cache", name), 10));
      expect(pragma("temp_store")).toBe(STORES[told("what SQLite sorts", name)]);
      expect(pragma("mmap_size")).toBe(0);
    } finally {
      closeDatabase();
    }
  });

  test("has the bounds that the documentation tells", () => {
    choose(name);
    const mebibytes = (bytes: number) => `${bytes / MEBIBYTE} MiB`;
    expect(mebibytes(profile.unsentAnswers.inAll)).toBe(
      told("large answers that wait for their clients", name),
    );
    expect(mebibytes(profile.unsentMessages)).toBe(told("messages that wait for slow sockets", name));
    expect(mebibytes(profile.waitingFrames)).toBe(told("frames of a bot that wait for their turn", name));
    expect(mebibytes(profile.largeBodies.inAll)).toBe(
      told("large bodies of requests that are arriving", name),
    );
    expect(mebibytes(profile.smallBodies.inAll)).toBe(
      told("small bodies of requests that are arriving", name),
    );
    expect(profile.sockets.toLocaleString("en")).toBe(told("open sockets", name));
    expect(connectionsFor(1_000_000)).toBe(profile.sockets);
    expect(String(profile.tracksAtOnce)).toBe(told("tracks read at once", name));
    expect(profile.trackPositions.toLocaleString("en")).toBe(
      told("positions of a track that are held at once", name),
    );
    expect(`${profile.importsAtOnce} (${profile.importsOfUser})`).toBe(
      told("imports at once (of one user)", name),
    );
    expect(String(profile.exportsAtOnce)).toBe(told("exports of personal data at once", name));
    expect(String(profile.largePushesAtOnce)).toBe(told("large batches of boxes at once", name));
  });
});

test("a bound that depends on the profile is that of the moment", async () => {
  let most = 1;
  const kept = new BoundedMap<number, number>(() => most);
  kept.set(1, 1).set(2, 2);
  expect([...kept.keys()]).toEqual([2]);
  most = 2;
  kept.set(3, 3);
  expect([...kept.keys()]).toEqual([2, 3]);

  const runs = semaphore({ atOnce: () => most });
  const ends: (() => void)[] = [];
  const work = () => runs.run("anybody", () => new Promise<void>((end) => ends.push(end)));
  const all = [work(), work(), work()];
  expect([ends.length, runs.waiting()]).toEqual([2, 1]);
  for (let at = 0; at < all.length; at++) {
    ends[at]?.();
    await all[at];
    await Bun.sleep(0);
  }
});

// --- The program ------------------------------------------------------------------------------------------

const VARIABLE = "BUN_JSC_forceRAMSize";

/** The environment with which a process was started, or started itself anew. */
const environmentOf = (pid: number): Record<string, string> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );

const start = (settings: Settings, own: string[] = []) =>
  TestServer.start({
    settings,
    memory: "as shipped",
    under: (words) => (own.length > 0 ? ["env", ...own, ...words] : words),
  });

/** The options of the allocator that a process was started with. */
const allocatorOf = (pid: number) => {
  const { MIMALLOC_PURGE_DELAY: delay, MIMALLOC_PURGE_HOLES: holes } = environmentOf(pid);
  return { delay, holes };
};

describe("a server with the profile small", () => {
  test("starts itself anew with a bound for the garbage collector, and serves", async () => {
    const server = await start({ "performance.profile": "small" });
    const { [VARIABLE]: bound, SQLITE_TMPDIR: temporary } = environmentOf(server.pid);
    expect(bound).toBe(String(192 * MEBIBYTE));
    expect(temporary).toBe(server.dataDir);
    expect(allocatorOf(server.pid)).toEqual({ delay: undefined, holes: undefined });
    const token = await server.admin();
    const { id, key } = await server.device();
    const speed = { speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 };
    const fix = { latitude: 54.1, longitude: 13.4, timestamp: Math.floor(Date.now() / 1_000), ...speed };
    expect((await server.post("/v1/gps", { token: key, body: fix })).status).toBe(201);
    const track = await server.get(`/v1/devices/${id}/track`, { token });
    expect(track.body.data.points_total).toBe(1);
    const signIns = Array.from({ length: 4 }, () => server.login(ADMIN.username, ADMIN.password));
    expect(await Promise.all(signIns)).toHaveLength(4);
    expect((await server.post("/v1/admin/backups", { token })).status).toBe(202);
    await server.stop();
  });

  test("of a configuration file gives freed memory back too", async () => {
    const file = join(temporaryDirectory(), "fairlead.toml");
    writeFileSync(file, '[performance]\nprofile = "small"\n');
    const server = await TestServer.start({
      memory: "as shipped",
      under: (words) => [...words, "--config", file],
    });
    expect(environmentOf(server.pid)[VARIABLE]).toBe(String(192 * MEBIBYTE));
    expect(allocatorOf(server.pid)).toEqual({ delay: "100", holes: "1" });
    await server.stop();
  });

  test("leaves a bound of the operator's alone", async () => {
    const server = await start({ "performance.profile": "small" }, [`${VARIABLE}=300000000`]);
    expect(environmentOf(server.pid)[VARIABLE]).toBe("300000000");
    expect(allocatorOf(server.pid)).toEqual({ delay: undefined, holes: undefined });
    await server.stop();
  });

  test("leaves the operator's options for the allocator alone", async () => {
    const server = await start({ "performance.profile": "small" }, ["MIMALLOC_PURGE_DELAY=500"]);
    expect(allocatorOf(server.pid)).toEqual({ delay: "500", holes: undefined });
    await server.stop();
  });

  test("takes what it was called with along", async () => {
    const { stderr, status } = await command(["import", "no such file.csv", "--device", Bun.randomUUIDv7()], {
      settings: { "performance.profile": "small" },
    });
    expect({ status, lines: stderr.trim().split("\n").length }).toEqual({ status: 1, lines: 1 });
    expect(stderr).toContain("no such file.csv");
  });
});

describe("a server with the profile standard", () => {
  test("starts itself anew to keep freed memory for a second, without a bound for the garbage collector", async () => {
    const server = await start({});
    expect(environmentOf(server.pid)[VARIABLE]).toBeUndefined();
    expect(allocatorOf(server.pid)).toEqual({ delay: "1000", holes: "0" });
    await server.admin();
    await server.stop();
  });

  test("leaves the operator's options for the allocator alone", async () => {
    const server = await start({}, ["MIMALLOC_PURGE_HOLES=1"]);
    expect(allocatorOf(server.pid)).toEqual({ delay: undefined, holes: "1" });
    await server.stop();
  });
});

test("another profile is refused", async () => {
  const { stderr, status } = await command(["config"], { settings: { "performance.profile": "tiny" } });
  expect(status).toBe(2);
  expect(stderr).toContain("must be one of standard, small");
});
