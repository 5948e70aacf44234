import { afterEach, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../src/kernel/db/connection";
import { migrate } from "../../src/kernel/db/migrate";
import { migrations } from "../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../src/kernel/db/transactions";
import { temporaryDirectory } from "../support/server";

/** The counters of lists by device, category and status, made for a database of 0.2.0 that had none. */

const OWN = "0022_lists_by_time";
const DAY = 86_400_000;
const SPANS = { quarter: 900_000, day: DAY, season: 128 * DAY };

/** Positions of the largest device: more than one step holds. */
const MANY = 101_000;
const DEVICES = ["00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"] as const;
const [LARGE, SMALL] = DEVICES;
/** A device that is gone, though positions name it still. */
const GONE = "00000000-0000-7000-8000-00000000000c";
const CATEGORY = "00000000-0000-7000-8000-00000000000d";

/** For a machine that others load too. */
const TIMEOUT = 240_000;

const directory = temporaryDirectory();
const template = join(directory, "template.db");

/** Makes a database as 0.2.0 left it. Every third position shares its second with the one before it. */
beforeAll(() => {
  openDatabase(template, "normal");
  sqlite.run("PRAGMA journal_mode = DELETE");
  sqlite.run(
    "CREATE TABLE __migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  for (const { tag, sql } of migrations.slice(
    0,
    migrations.findIndex((migration) => migration.tag === OWN),
  )) {
    for (const part of sql.split("--> statement-breakpoint")) sqlite.run(part);
    const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
    sqlite.run("INSERT INTO __migrations VALUES (?, ?, 0)", [tag, hash]);
  }
  for (const id of DEVICES)
    sqlite.run("INSERT INTO devices (id, name, created_at, updated_at) VALUES (?, 'boat', 0, 0)", [id]);
  sqlite.run(
    "INSERT INTO trip_categories (id, name, is_active, created_at, updated_at) VALUES (?, 'x', 1, 0, 0)",
    [CATEGORY],
  );
  addPoints("large", LARGE, MANY);
  addPoints("small", SMALL, 1_000);
  addPoints("gone", GONE, 700);
  addPoints("none", null, 50);
  sqlite.run("INSERT INTO gps_detachments VALUES ('device', ?), ('trip', 'some trip')", [GONE]);
  for (const [at, [device, category, status, started]] of (
    [
      [null, null, "draft", null],
      [LARGE, null, "active", 40 * DAY],
      [LARGE, CATEGORY, "completed", 300 * DAY],
      [SMALL, CATEGORY, "completed", 300 * DAY + 1],
      [null, CATEGORY, "draft", null],
    ] as const
  ).entries())
    sqlite.run(
      "INSERT INTO trips (id, name, tags, status, device_id, category_id, started_at, created_at, updated_at) VALUES (?, 'trip', '[]', ?, ?, ?, ?, ?, 0)",
      [`trip ${at}`, status, device, category, started, at * DAY],
    );
  closeDatabase();
}, TIMEOUT);

/** Opens a fresh copy of that database. */
function olderData(): void {
  const file = join(directory, `${Bun.randomUUIDv7()}.db`);
  copyFileSync(template, file);
  openDatabase(file, "normal");
}

function addPoints(prefix: string, device: string | null, count: number): void {
  sqlite.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO gps_points (id, device_id, latitude, longitude, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, created_at)
     SELECT ?2 || i, ?3, 0, 0, (i - i % 3 / 2) * 77000, 0, 0, 0, 0, 0 FROM n`,
    [count, prefix, device],
  );
}

const made = () =>
  Object.fromEntries(
    sqlite
      .query<{ name: string; value: number }, []>(
        "SELECT name, value FROM counters WHERE name GLOB 'device_*' OR name GLOB 'category_*' OR name GLOB 'trips *day*' ORDER BY name",
      )
      .all()
      .map(({ name, value }) => [name, value]),
  );

/** The counters of a device's positions, added up one by one. */
function expectedOf(device: string): Record<string, number> {
  const counters: Record<string, number> = {};
  const add = (name: string) => {
    counters[name] = (counters[name] ?? 0) + 1;
  };
  const times = sqlite.query<{ timestamp: number }, [string]>(
    "SELECT timestamp FROM gps_points WHERE device_id = ?",
  );
  for (const { timestamp } of times.all(device)) {
    add(`device_points ${device}`);
    for (const [span, length] of Object.entries(SPANS))
      add(`device_points ${device} ${span} ${String(Math.floor(timestamp / length)).padStart(8, "0")}`);
  }
  return counters;
}

function expectCounted(): void {
  const counters = made();
  const points = Object.entries(counters).filter(([name]) => name.startsWith("device_points "));
  expect(Object.fromEntries(points)).toEqual({ ...expectedOf(LARGE), ...expectedOf(SMALL) });
  expect(sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = '__device_points'").get()).toBeNull();
}

/** Stops after so many steps: what a kill between two commits leaves. */
function migrateUntil(steps: number): void {
  let made = 0;
  const kill = () => {
    if (++made === steps) throw new Error("killed");
  };
  expect(() => migrate(kill)).toThrow("killed");
}

afterEach(closeDatabase);

test(
  "positions are counted in steps, which tell how far they are",
  () => {
    olderData();
    const told: [number, number][] = [];
    expect(migrate((tag, done, total) => tag === OWN && told.push([done, total]))).toContain(OWN);
    expectCounted();
    expect(told).toHaveLength(3);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
    expect(told.at(-1)).toEqual([MANY + 1_000, MANY + 1_000 + 700]);
    expect(migrate()).toEqual([]);
  },
  TIMEOUT,
);

test.each([1, 2])(
  "a start that is killed after step %i goes on where it was",
  (steps) => {
    olderData();
    migrateUntil(steps);
    const told: number[] = [];
    migrate((tag, done) => tag === OWN && told.push(done));
    expect(told[0]).toBeGreaterThan(100_000);
    expect(told).toHaveLength(3 - steps);
    expectCounted();
  },
  TIMEOUT,
);

test.each([
  ["stored", () => addPoints("more", LARGE, 3)],
  ["deleted", () => sqlite.run("DELETE FROM gps_points WHERE id = 'large7'")],
  [
    "replaced",
    () => {
      sqlite.run("DELETE FROM gps_points WHERE id = 'large9'");
      addPoints("instead", LARGE, 1);
    },
  ],
] as const)(
  "counting begins anew if an older version has %s positions since",
  (_, change) => {
    olderData();
    migrateUntil(2);
    change();
    migrate();
    expectCounted();
  },
  TIMEOUT,
);

test("trips are counted in each of their lists, by when they began", () => {
  olderData();
  migrate();
  const trips = made();
  const ofCategory = `category_trips ${CATEGORY}`;
  expect(trips).toMatchObject({
    [`device_trips ${LARGE}`]: 2,
    [`device_trips ${LARGE} active`]: 1,
    [`device_trips ${LARGE} day 00000040`]: 1,
    [`device_trips ${LARGE} completed season 00000002`]: 1,
    [ofCategory]: 3,
    [`${ofCategory} draft`]: 1,
    [`${ofCategory} draft day 00000004`]: 1,
    [`${ofCategory} completed day 00000300`]: 2,
    [`${ofCategory} device ${SMALL} completed`]: 1,
    "trips day 00000300": 2,
    "trips draft day 00000000": 1,
  });
  expect(trips).not.toHaveProperty([`device_trips ${SMALL} draft`]);
});

test("the counters of a trip that was being deleted are still removed", () => {
  olderData();
  migrate();
  expect(sqlite.query("SELECT kind, reference FROM gps_detachments ORDER BY 1, 2").values()).toEqual([
    ["device", GONE],
    ["list", "trip_points some trip"],
    ["trip", "some trip"],
  ]);
});
