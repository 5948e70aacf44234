import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { recomputeStep } from "../../../src/tracking/timeline/recompute";
import { deviceStatistics, fleetStatistics } from "../../../src/tracking/timeline/statistics";
import { randomFrom } from "../../support/random";
import { below, type Random, shuffle } from "../crossings/support";
import { newDevice, openTracking, SERVICE } from "../in-process";
import { greatCircleKm } from "../support";
import { DEFAULTS, type Fix, firstOfEach, legsOf, speedOf } from "./reference";
import { isUndecided, pieceOf, recordings } from "./tracks";

/** Statistics are those of a computation from scratch, whatever the zone, the span and the order of the fixes. */

let tracks: Fix[][];
beforeAll(async () => {
  await openTracking();
  tracks = await recordings();
});
afterAll(() => {
  setClock();
  closeDatabase();
});

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Auckland"];

/** Pieces of recordings on several days in a row, so that there is something on each. */
function severalDays(random: Random): Fix[] {
  const fixes: Fix[] = [];
  const begin = Date.UTC(2026, 2, 26) / 1_000 + below(random, 86_400);
  for (let day = 0; day < 6; day++) {
    const piece = pieceOf(tracks, random);
    const later = begin + day * 86_400 + below(random, 40_000) - (piece[0]?.time ?? 0);
    for (const fix of piece) fixes.push({ ...fix, time: fix.time + later });
  }
  return firstOfEach(fixes);
}

/** The local day of a time in a zone. */
const dayIn = (timezone: string, time: number): string =>
  new Date(time * 1_000).toLocaleDateString("sv-SE", { timeZone: timezone });

/** The figures of a span (seconds): legs count where they end, seconds where they are. */
function expectedOf(fixes: Fix[], from: number, until: number) {
  const sums = { moving: 0, stopped: 0, moved: 0, gaps: 0, stops: 0 };
  const speeds: number[] = [];
  const places: Fix[] = [];
  const kinds = legsOf(fixes, DEFAULTS);
  for (const [at, kind] of kinds.entries()) {
    const [a, b] = [fixes[at] as Fix, fixes[at + 1] as Fix];
    const seconds = Math.max(0, Math.min(until, b.time) - Math.max(from, a.time));
    if (kind === "move") sums.moving += seconds;
    if (kind === "stop") sums.stopped += seconds;
    if (kind === "stop" && kinds[at - 1] !== "stop" && a.time >= from && a.time < until) sums.stops++;
    if (b.time <= from || b.time > until) continue;
    places.push(a, b);
    if (kind === "gap") sums.gaps += greatCircleKm(a, b);
    if (kind !== "move") continue;
    sums.moved += greatCircleKm(a, b);
    speeds.push(speedOf(a, b));
  }
  speeds.sort((a, b) => b - a);
  const close = (value: number, digits = 3) => expect.closeTo(value, digits);
  const latitudes = places.map(({ latitude }) => latitude);
  const longitudes = places.map(({ longitude }) => longitude);
  return {
    distance_km: close(sums.moved + sums.gaps),
    moving_seconds: close(sums.moving),
    stopped_seconds: close(sums.stopped),
    average_speed_kmh: sums.moving === 0 ? null : close((sums.moved / sums.moving) * 3_600, 2),
    max_speed_kmh: speeds.length === 0 ? null : close(speeds[1] ?? (speeds[0] as number), 2),
    stops: sums.stops,
    bbox:
      places.length === 0
        ? null
        : [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)],
    zone_ids: [],
  };
}

const idOf = (device: string, { time }: Fix): string =>
  sqlite
    .query<{ id: string }, [string, number]>(
      "SELECT id FROM gps_points WHERE device_id = ? AND timestamp = ?",
    )
    .get(device, time * 1_000)?.id ?? "";

const seconds = (text: string) => Date.parse(text) / 1_000;

describe("statistics", () => {
  test("equal those from scratch, by days of any zone and of any span, without marked and deleted fixes", async () => {
    let periods = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const random = randomFrom(seed);
      const all = severalDays(random);
      const gone = new Set(seed % 3 === 0 ? all.filter(() => random() < 0.05) : []);
      const fixes = all.filter((fix) => !gone.has(fix));
      if (isUndecided(fixes, DEFAULTS)) continue;
      const [first, last] = [(fixes[0] as Fix).time, (fixes.at(-1) as Fix).time];
      setClock(() => last * 1_000);
      const device = newDevice();
      if (seed % 2 === 0) await recordPositions("batch", device, all);
      else
        for (const request of shuffle(all as never, random))
          await recordPositions("batch", device, request.fixes);
      for (const fix of gone)
        if (random() < 0.5) await markPoint(SERVICE, idOf(device, fix), true);
        else await deletePoint(SERVICE, idOf(device, fix));
      while (await transact(() => recomputeStep(device, 8), "retryable"));
      for (const timezone of ZONES) {
        const [a, b] = [0, 0].map(() => first + below(random, last - first)).sort((x, y) => x - y);
        for (const [from = 0, to = 0] of [
          [first, last],
          [a, b],
        ]) {
          const query = {
            from: new Date(from * 1_000).toISOString(),
            to: new Date(to * 1_000).toISOString(),
          };
          const { data, recomputing_from } = await deviceStatistics(device, { ...query, timezone });
          expect(recomputing_from).toBeNull();
          expect({ seed, timezone, ...data.total }).toEqual({
            ...{ seed, timezone },
            ...expectedOf(fixes, from, to + 0.001),
          });
          for (const [at, period] of data.periods.entries()) {
            const { from: begin, to: end, ...figures } = period;
            expect({ seed, timezone, at, ...figures }).toEqual({
              ...{ seed, timezone, at },
              ...expectedOf(fixes, seconds(begin), seconds(end)),
            });
            expect(dayIn(timezone, seconds(begin))).toBe(dayIn(timezone, seconds(end) - 0.001));
            if (at > 0) expect(data.periods[at - 1]?.to).toBe(begin);
            if (at > 0) expect(dayIn(timezone, seconds(begin) - 1)).not.toBe(dayIn(timezone, seconds(begin)));
            periods++;
          }
        }
      }
    }
    expect(periods).toBeGreaterThan(500);
  });

  test("come by weeks from Monday on and by months, with the changes of a clock", async () => {
    setClock(() => Date.UTC(2026, 5, 1));
    const device = newDevice();
    const query = { from: "2026-02-27T23:00:00Z", to: "2026-04-01T21:59:59.999Z", timezone: "Europe/Berlin" };
    const beginnings = async (by: "week" | "month") =>
      (await deviceStatistics(device, { ...query, by })).data.periods.map(({ from }) => from);
    expect(await beginnings("month")).toEqual([
      "2026-02-27T23:00:00.000Z",
      "2026-02-28T23:00:00.000Z",
      "2026-03-31T22:00:00.000Z",
    ]);
    expect(await beginnings("week")).toEqual([
      "2026-02-27T23:00:00.000Z",
      "2026-03-01T23:00:00.000Z",
      "2026-03-08T23:00:00.000Z",
      "2026-03-15T23:00:00.000Z",
      "2026-03-22T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
  });

  test("give a fleet a row for each device, and a box across the 180th meridian", async () => {
    setClock(() => 2_000_000_000_000);
    const [fiji, idle] = [newDevice(), newDevice()];
    const fixes = Array.from({ length: 40 }, (_, n) => {
      const east = 179.9 + n * 0.01;
      return { time: 1_900_000_000 + n * 60, latitude: -17, longitude: east > 180 ? east - 360 : east };
    });
    await recordPositions("batch", fiji, fixes);
    const { data } = await fleetStatistics([fiji, idle], { from: "2030-03-17", to: "2030-03-17" });
    expect(data.map(({ device_id }) => device_id)).toEqual([fiji, idle]);
    expect(data[1]?.total).toEqual({
      ...{ distance_km: 0, moving_seconds: 0, stopped_seconds: 0, average_speed_kmh: null },
      ...{ max_speed_kmh: null, stops: 0, zone_ids: [], bbox: null },
    });
    const [west, south, east, north] = data[0]?.total.bbox ?? [];
    expect([west, south, east, north]).toEqual([
      ...[expect.closeTo(179.9, 6), -17, expect.closeTo(-179.71, 6), -17],
    ]);
    expect(data[0]?.total.moving_seconds).toBe(39 * 60);
  });
});
