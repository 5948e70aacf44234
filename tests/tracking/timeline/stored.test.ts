import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { configureLog } from "../../../src/kernel/logs/log";
import { setClock } from "../../../src/kernel/time/clock";
import { updateDevice } from "../../../src/tracking/devices/service";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { recordPosition, recordPositions } from "../../../src/tracking/ingest/record";
import { forgetLive } from "../../../src/tracking/timeline/live";
import { recomputeStep, recomputeTimelines } from "../../../src/tracking/timeline/recompute";
import { listTimeline } from "../../../src/tracking/timeline/service";
import { randomFrom } from "../../support/random";
import { type Random, shuffle } from "../crossings/support";
import { keyOf, newDevice, openTracking, reopen, SERVICE } from "../in-process";
import { DEFAULTS, type Expected, type Fix, type Measures, timelineOf } from "./reference";
import { anyMeasures, isUndecided, pieceOf, recordings } from "./tracks";

/** Stored timelines are those of a computation from scratch, in whatever order the fixes came. */

let tracks: Fix[][];
beforeAll(async () => {
  configureLog("error", "json");
  await openTracking();
  tracks = await recordings();
});
afterAll(() => {
  setClock();
  closeDatabase();
});

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** All segments of a device, as the list gives them. */
function listed(device: string) {
  const window = { from: "1990-01-01", to: "1990-01-02" };
  const first = listTimeline(device, { page: 1, limit: 1 }, window);
  expect(first.total).toBe(0);
  const all = sqlite
    .query<{ from: number; to: number }, [string]>(
      "SELECT min(timestamp) AS 'from', max(timestamp) AS 'to' FROM gps_points WHERE device_id = ?",
    )
    .get(device);
  if (!all) return [];
  const span = { from: new Date(all.from).toISOString(), to: new Date(all.to).toISOString() };
  const { total } = listTimeline(device, { page: 1, limit: 1 }, span);
  const pages = [];
  for (let page = 1; page <= Math.ceil(total / 7); page++)
    pages.push(...listTimeline(device, { page, limit: 7 }, span).rows);
  expect(pages.length).toBe(total);
  return pages;
}

function expectTimeline(device: string, expected: Expected[], context: object): void {
  const rows = listed(device);
  const shown = rows.map(({ kind, from, to, points, distance_km, max_speed_kmh }) => ({
    ...{ kind, from, to, points },
    metres: distance_km * 1_000,
    max_speed_kmh: max_speed_kmh === null ? null : Math.round(max_speed_kmh * 100),
  }));
  const wanted = expected.map(({ kind, from, to, points, distanceKm, speeds }) => ({
    ...{ kind, from: iso(from), to: iso(to), points },
    metres: distanceKm * 1_000,
    max_speed_kmh: Math.round((speeds[1] ?? speeds[0] ?? 0) * 100),
  }));
  expect({ ...context, rows: shown.length }).toEqual({ ...context, rows: wanted.length });
  for (const [at, row] of shown.entries()) {
    const want = wanted[at] as (typeof wanted)[number];
    expect({ ...context, at, ...row }).toEqual({
      ...{ ...context, at, ...want },
      // Sums by two formulas, of which the program's are in whole millimetres.
      metres: expect.closeTo(want.metres, 0),
      max_speed_kmh: expect.closeTo(want.max_speed_kmh, -1),
    });
  }
}

const asReading = ({ speed_kmh = null, ...fix }: Fix) => ({ ...fix, speed_kmh });

async function deviceWith(measures: Measures): Promise<string> {
  const device = newDevice();
  const { radiusM, stopMinutes, gapMinutes } = measures;
  await updateDevice(SERVICE, device, {
    ...{ stop_radius_m: radiusM, stop_minutes: stopMinutes, gap_minutes: gapMinutes },
  });
  return device;
}

function plan(random: Random): { fixes: Fix[]; measures: Measures } {
  const fixes = pieceOf(tracks, random);
  const measures = anyMeasures(random);
  return isUndecided(fixes, measures) ? plan(random) : { fixes, measures };
}

/** Leaves what the database holds alone. */
function kill(device: string): void {
  reopen();
  forgetLive(device);
}

const spansLeft = () => sqlite.query("SELECT * FROM timeline_spans").all();

const dump = (device: string) => ({
  parts: sqlite
    .query("SELECT * FROM timeline_parts WHERE device_id = ? ORDER BY until_time")
    .all(device)
    .map((row) => ({ ...(row as object), device_id: "" })),
  segments: sqlite
    .query("SELECT * FROM timeline_segments WHERE device_id = ? ORDER BY from_time")
    .all(device)
    .map((row) => ({ ...(row as object), device_id: "" })),
});

describe("stored timelines", () => {
  test("grow with each fix as they would be computed from scratch", async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = randomFrom(seed);
      const { fixes: some, measures } = plan(random);
      // By this door each fix has speeds.
      const fixes = some.map((fix) => ({ ...fix, speed_kmh: fix.speed_kmh ?? 20 * random() }));
      setClock(() => Number(fixes.at(-1)?.time) * 1_000);
      const device = await deviceWith(measures);
      for (const [at, { time, ...fix }] of fixes.entries()) {
        await recordPosition(keyOf(device), {
          ...{ ...fix, timestamp: time },
          ...{ speed_mps: 1, speed_mph: 1, speed_knots: 1 },
        });
        if (random() < 0.05)
          expectTimeline(device, timelineOf(fixes.slice(0, at + 1), measures), { seed, at });
        if (random() < 0.01) kill(device);
      }
      expect(spansLeft()).toEqual([]);
      expectTimeline(device, timelineOf(fixes, measures), { seed });
    }
  });

  test("end as an orderly pass after shuffled, cut, repeated and late requests", async () => {
    for (let seed = 1; seed <= 80; seed++) {
      const random = randomFrom(100 + seed);
      const { fixes, measures } = plan(random);
      setClock(() => Number(fixes.at(-1)?.time) * 1_000);
      const orderly = await deviceWith(measures);
      await recordPositions("batch", orderly, fixes.map(asReading));
      expect(spansLeft()).toEqual([]);
      const shuffled = await deviceWith(measures);
      const milliseconds = seed % 2 === 0 ? 0 : 8;
      for (const request of shuffle(fixes as never, random)) {
        await recordPositions("batch", shuffled, (request.fixes as unknown as Fix[]).map(asReading));
        while (random() < 0.3 && (await transact(() => recomputeStep(shuffled, milliseconds), "retryable")));
      }
      while (await transact(() => recomputeStep(shuffled, milliseconds), "retryable"));
      expectTimeline(orderly, timelineOf(fixes, measures), { seed, pass: "orderly" });
      expectTimeline(shuffled, timelineOf(fixes, measures), { seed, pass: "shuffled" });
      expect(dump(shuffled)).toEqual(dump(orderly));
    }
  });

  test("follow marks, their withdrawal, deletions and other measures", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomFrom(700 + seed);
      const { fixes } = plan(random);
      setClock(() => Number(fixes.at(-1)?.time) * 1_000);
      const device = newDevice();
      await recordPositions("batch", device, fixes.map(asReading));
      const idAt = ({ time }: Fix): string =>
        sqlite
          .query<{ id: string }, [string, number]>(
            "SELECT id FROM gps_points WHERE device_id = ? AND timestamp = ?",
          )
          .get(device, time * 1_000)?.id ?? "";
      const gone = new Set<Fix>();
      const check = async (pass: string, measures = DEFAULTS) => {
        const milliseconds = seed % 2 === 0 ? 0 : 8;
        while (await transact(() => recomputeStep(device, milliseconds), "retryable"));
        const left = fixes.filter((fix) => !gone.has(fix));
        if (!isUndecided(left, measures)) expectTimeline(device, timelineOf(left, measures), { seed, pass });
      };
      for (const fix of fixes.filter(() => random() < 0.1)) {
        await markPoint(SERVICE, idAt(fix), true);
        gone.add(fix);
        if (random() < 0.2) await check("marked, one by one");
      }
      await check("marked");
      for (const fix of gone)
        if (random() < 0.5 && gone.delete(fix)) await markPoint(SERVICE, idAt(fix), false);
      await check("unmarked");
      for (const fix of fixes)
        if (!gone.has(fix) && random() < 0.1 && gone.add(fix)) await deletePoint(SERVICE, idAt(fix));
      await check("deleted");
      const measures = anyMeasures(random);
      const { radiusM, stopMinutes, gapMinutes } = measures;
      await updateDevice(SERVICE, device, {
        ...{ stop_radius_m: radiusM, stop_minutes: stopMinutes, gap_minutes: gapMinutes },
      });
      await check("measured anew", measures);
    }
  });

  test("come for positions from before the upgrade, in steps that survive a kill, with positions in between", async () => {
    const statements = migrations
      .find(({ tag }) => tag.endsWith("_timeline"))
      ?.sql.split("--> statement-breakpoint");
    for (let seed = 1; seed <= 6; seed++) {
      const random = randomFrom(40 + seed);
      const { fixes } = plan(random);
      if (isUndecided(fixes, DEFAULTS)) continue;
      const device = newDevice();
      const old = fixes.slice(0, -10);
      setClock(() => Number(fixes.at(-1)?.time) * 1_000);
      await recordPositions("batch", device, old.map(asReading));
      for (const table of ["parts", "segments", "spans"])
        sqlite.run(`DELETE FROM timeline_${table} WHERE device_id = ?`, [device]);
      sqlite.run("DELETE FROM timeline_spans");
      sqlite.run(`${statements?.at(-1)?.trim().replace(/;$/, "")} AND id = '${device}'`);
      reopen();
      expect(listTimeline(device, { page: 1, limit: 1 }, {}).recomputing_from).not.toBeUndefined();
      const live = fixes.slice(-10);
      for (;;) {
        const [next] = live;
        if (next && random() < 0.5) await recordPositions("batch", device, live.splice(0, 1).map(asReading));
        if (!(await transact(() => recomputeStep(device, 0), "retryable")) && live.length === 0) break;
        if (random() < 0.3) kill(device);
      }
      expectTimeline(device, timelineOf(fixes), { seed });
    }
  });

  test("leave the track behind the next quarter of an hour alone", async () => {
    // A walk of a day without a stop, one fix a minute.
    const fixes: Fix[] = Array.from({ length: 1_440 }, (_, n) => ({
      ...{ time: 1_700_000_000 + n * 60, latitude: 50 + n * 0.002, longitude: 10, speed_kmh: 12 },
    }));
    setClock(() => Number(fixes.at(-1)?.time) * 1_000);
    const device = newDevice();
    const early = fixes[100] as Fix;
    await recordPositions("batch", device, fixes.filter((fix) => fix !== early).map(asReading));
    sqlite.run("UPDATE timeline_parts SET distance_mm = 7 WHERE device_id = ? AND until_time > ?", [
      device,
      (early.time + 7_200) * 1_000,
    ]);
    const before = sqlite.query("SELECT count(*) AS n FROM timeline_parts WHERE distance_mm = 7").get();
    await recordPositions("batch", device, [asReading(early)]);
    await recomputeTimelines();
    expect(sqlite.query("SELECT count(*) AS n FROM timeline_parts WHERE distance_mm = 7").get()).toEqual(
      before,
    );
    expect(listed(device)[0]).toMatchObject({ kind: "move", points: 1_440, from: iso(fixes[0]?.time ?? 0) });
  });
});
