import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { deleteOldEvents } from "../src/identity/audit-log/service";
import { sqlite } from "../src/kernel/db/connection";
import { closeDatabase, transact } from "../src/kernel/db/transactions";
import { setClock } from "../src/kernel/time/clock";
import { deleteOldLogs } from "../src/personal-data/export-logs/service";
import { systemValue } from "../src/runtime-settings/service";
import { deleteOldPoints } from "../src/tracking/gps/retention";
import { currentPosition, currentPositions, listPoints, listTripPoints } from "../src/tracking/gps/service";
import { finishDetachments } from "../src/tracking/ingest/detach";
import { deleteTrip } from "../src/tracking/trips/service";
import { insertEvents, sortByTime, storedEvent, writeEvents } from "./identity/audit-log/support";
import { done, eventually } from "./support/expectations";
import { storedCounter } from "./support/in-process";
import { onDatabase, rows } from "./support/rows";
import { TestServer } from "./support/server";
import { DAY } from "./support/time";
import {
  move,
  newDevice,
  openTracking,
  record,
  SERVICE,
  setSystemConfig,
  voyage,
} from "./tracking/in-process";
import { northOf, type Place, postPoint } from "./tracking/support";

/**
 * Ageing of positions, audit events and export logs by the retention keys of the system config. An event's
 * reports and counts: tests/identity/audit-log/ageing.test.ts.
 */
const NOW = Date.UTC(2026, 4, 4);
/** The server's time in seconds. */
const SECONDS = NOW / 1_000;
const DAY_SECONDS = 86_400;
const STEP = 500;
const HERE: Place = { latitude: 54, longitude: 13 };
const PAGE = { page: 1, limit: 100 };

const count = (table: string): number =>
  sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;

/**
 * The number of rows in a table after each step of a job: a step shares its commit with other work, which
 * counts them.
 */
async function seenDuring(table: string, job: () => Promise<void>): Promise<number[]> {
  const seen = new Set<number>();
  let isRunning = true;
  const ended = job().then(() => {
    isRunning = false;
  });
  while (isRunning) seen.add(await transact(() => count(table)));
  await ended;
  return [...seen];
}

/** Records `number` positions of a device, one each second from a time on. */
const recordMany = (device: string | null, number: number, from: number) =>
  Promise.all(Array.from({ length: number }, (_, n) => record(device, from + n, northOf(HERE, n / 10))));

describe("old positions", () => {
  beforeAll(() => setClock(() => NOW));
  beforeEach(openTracking);
  afterAll(() => {
    closeDatabase();
    setClock();
  });

  const times = () => listPoints(PAGE).rows.map(({ timestamp }) => (Date.parse(timestamp) - NOW) / 1_000);

  test("go once they are older than the days of retention, to the second, whoever reported them", async () => {
    const bound = SECONDS - 30 * DAY_SECONDS;
    const device = newDevice();
    for (const at of [0, bound - DAY_SECONDS, bound - 1, bound, bound + 1, SECONDS, SECONDS + 60]) {
      await record(null, at);
      await record(device, at);
    }
    await setSystemConfig("gps.retention_days", 30);
    await deleteOldPoints();
    const kept = [SECONDS + 60, SECONDS, bound + 1, bound].map((at) => at - SECONDS);
    expect(times()).toEqual(kept.flatMap((at) => [at, at]));
  });

  test("go in steps with other work between, and none is left", async () => {
    await recordMany(null, 3 * STEP + 20, 1_000);
    await recordMany(newDevice(), 30, SECONDS - 100);
    await setSystemConfig("gps.retention_days", 1);
    expect(await seenDuring("gps_points", deleteOldPoints)).toEqual([2 * STEP + 50, STEP + 50, 50, 30]);
    expect(listPoints(PAGE).total).toBe(30);
  });

  test("end when the last step is a full one", async () => {
    await recordMany(null, 2 * STEP, 1_000);
    await setSystemConfig("gps.retention_days", 1);
    await deleteOldPoints();
    expect([count("gps_points"), storedCounter("gps_points")]).toEqual([0, null]);
  });

  test("stay with 0 days, of whatever age", async () => {
    await recordMany(null, 3, 0);
    expect(systemValue("gps.retention_days")).toBe(0);
    await deleteOldPoints();
    expect(count("gps_points")).toBe(3);
    await setSystemConfig("gps.retention_days", 3_650);
    await setSystemConfig("gps.retention_days", 0);
    await deleteOldPoints();
    expect([count("gps_points"), listPoints(PAGE).total]).toEqual([3, 3]);
  });

  test("stay from the moment on that the retention is switched off, in the middle of the job too", async () => {
    await recordMany(null, 3 * STEP, 1_000);
    await setSystemConfig("gps.retention_days", 1);
    const job = deleteOldPoints();
    await setSystemConfig("gps.retention_days", 0);
    await job;
    expect(count("gps_points")).toBe(2 * STEP);
  });

  test("of a trip stay, however old they are, and the others are no longer counted", async () => {
    const [ended, running] = [await voyage(), await voyage()];
    await recordMany(ended.device, 30, 1_000);
    await move(ended.trip, "completed");
    await recordMany(running.device, 40, 1_000);
    await recordMany(null, STEP + 10, 1_000);
    await recordMany(null, 5, SECONDS - 100);
    await setSystemConfig("gps.retention_days", 1);
    await deleteOldPoints();
    expect([count("gps_points"), storedCounter("gps_points")]).toEqual([75, 75]);
    expect(listPoints(PAGE).total).toBe(75);
    expect(listTripPoints(ended.trip, PAGE).total).toBe(30);
    expect(listTripPoints(running.trip, PAGE).total).toBe(40);
    // Later distances are measured from the remaining points.
    await record(running.device, SECONDS);
    expect(listTripPoints(running.trip, PAGE).total).toBe(41);
  });

  test("are current positions no more; younger ones are", async () => {
    const [gone, mixed] = [newDevice(), newDevice()];
    await recordMany(gone, 3, SECONDS - 40 * DAY_SECONDS);
    await recordMany(mixed, 3, SECONDS - 50 * DAY_SECONDS);
    const young = await record(mixed, SECONDS - 5 * DAY_SECONDS);
    // Read before, so that they are in the cache.
    expect([currentPosition(gone), currentPosition(null)].length).toBe(2);
    await setSystemConfig("gps.retention_days", 30);
    await deleteOldPoints();
    expect(() => currentPosition(gone)).toThrow("not found");
    expect([currentPosition(mixed), currentPosition(null)]).toEqual([young, young]);
    expect(currentPositions()).toEqual([young]);
    await setSystemConfig("gps.retention_days", 1);
    await deleteOldPoints();
    for (const device of [mixed, null]) expect(() => currentPosition(device)).toThrow("not found");
    expect(currentPositions()).toEqual([]);
    const next = await record(gone, 1_000);
    expect(currentPosition(null)).toEqual(next);
  });

  test("of a trip that is deleted go like the others, and no count of it is left behind", async () => {
    const { device, trip } = await voyage();
    await recordMany(device, 2 * STEP + 10, 1_000);
    await move(trip, "completed");
    await setSystemConfig("gps.retention_days", 1);
    await Promise.all([deleteOldPoints(), deleteTrip(SERVICE, trip), deleteOldPoints()]);
    // The rest is taken from the trip step by step: until then it is not loose.
    await finishDetachments();
    await deleteOldPoints();
    expect([count("gps_points"), storedCounter("gps_points")]).toEqual([0, null]);
    expect(storedCounter(`trip_points ${trip}`)).toBeNull();
  });

  test("are found by an index of their own, past those of trips", () => {
    const [plan] = sqlite
      .query<{ detail: string }, []>(
        "EXPLAIN QUERY PLAN SELECT rowid FROM gps_points WHERE trip_id IS NULL AND timestamp < 1 ORDER BY timestamp LIMIT 500",
      )
      .all();
    expect(plan?.detail).toContain("gps_points_loose");
  });
});

describe("old audit events and export logs", () => {
  beforeAll(async () => {
    setClock(() => NOW);
    await openTracking();
  });
  afterAll(() => {
    closeDatabase();
    setClock();
  });

  const insertLogs = (times: number[]) => {
    sqlite.run(
      "INSERT OR IGNORE INTO users (id, username, created_at, updated_at) VALUES ('user', 'user', 0, 0)",
    );
    const insert = sqlite.prepare(
      `INSERT INTO export_logs (id, user_id, exported_at, export_format, file_size_bytes, locale, created_at)
       VALUES (?, 'user', ?2, 'json', 1, 'en', ?2)`,
    );
    for (const time of times) insert.run(Bun.randomUUIDv7(), time);
  };

  test.each([
    [
      "events",
      "audit_events",
      "audit.retention_days",
      deleteOldEvents,
      (times: number[]) =>
        writeEvents(
          sqlite,
          times.map((created_at) => storedEvent({ created_at })),
        ),
    ],
    ["export logs", "export_logs", "export.log_retention_days", deleteOldLogs, insertLogs],
  ] as const)(
    "%s go in steps, by the days that are in force, to the millisecond; 0 keeps all",
    async (_, table, key, job, insert) => {
      const bound = NOW - 40 * DAY;
      insert([...Array.from({ length: 2 * STEP + 7 }, (_, n) => bound - 1 - n), bound, bound + 1, NOW]);
      await setSystemConfig(key, 0);
      await job();
      expect(count(table)).toBe(2 * STEP + 10);
      await setSystemConfig(key, 3_650);
      await job();
      expect(count(table)).toBe(2 * STEP + 10);
      await setSystemConfig(key, 40);
      expect(await seenDuring(table, job)).toEqual([STEP + 10, 10, 3]);
      await setSystemConfig(key, 39);
      await job();
      expect(count(table)).toBe(1);
    },
  );
});

test("a server deletes by the days that were set through the API, and answers right afterwards", async () => {
  const first = await TestServer.start();
  const token = await first.admin();
  const device = await first.device();
  const seconds = Math.floor(Date.now() / 1_000);
  const young = await postPoint(first, device.key, { timestamp: seconds });
  for (const day of [2, 3, 40])
    await postPoint(first, device.key, { timestamp: seconds - day * DAY_SECONDS });
  insertEvents(first, [{ event_type: "ancient", created_at: Date.now() - 40 * DAY }]);
  sortByTime(first);
  const { id } = done(await first.get("/v1/users/me", { token })).data;
  onDatabase(first, (database) =>
    database.run(
      `INSERT INTO export_logs (id, user_id, exported_at, export_format, file_size_bytes, locale, created_at)
       VALUES (?, ?, 0, 'json', 1, 'en', 0)`,
      [Bun.randomUUIDv7(), id],
    ),
  );
  for (const [key, value] of [
    ["gps.retention_days", 1],
    ["audit.retention_days", 30],
    ["export.log_retention_days", 3_650],
  ])
    done(await first.patch(`/v1/system-config/${key}`, { token, body: { value } }));
  await first.stop();

  const server = await TestServer.start({ dataDir: first.dataDir });
  const left = () =>
    rows(
      server,
      `SELECT id FROM gps_points WHERE timestamp < ?1 UNION ALL SELECT id FROM export_logs WHERE exported_at = 0
       UNION ALL SELECT id FROM audit_events WHERE event_type = 'ancient'`,
      (seconds - DAY_SECONDS) * 1_000,
    );
  await eventually(() => left().length === 0);
  const { body } = await server.get("/v1/gps", { token });
  expect([body.data, body.pagination.total]).toEqual([[young], 1]);
  expect((await server.get(`/v1/gps/current?device_id=${device.id}`, { token })).body.data).toEqual(young);
  expect((await server.get("/v1/stats/public")).body.gps_points_total).toBe(1);
  await server.stop();
});
