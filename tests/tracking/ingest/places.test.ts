import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import type { PageOf } from "../../../src/kernel/http/paging";
import { deleteOldPoints } from "../../../src/tracking/gps/retention";
import { deletePoint, listPoints, listTripPoints } from "../../../src/tracking/gps/service";
import { finishDetachments } from "../../../src/tracking/ingest/detach";
import { seekOffset } from "../../../src/tracking/ingest/places";
import type { GpsPoint } from "../../../src/tracking/ingest/schema";
import { deleteTrip } from "../../../src/tracking/trips/service";
import { move, openTracking, record, SERVICE, setSystemConfig, voyage } from "../in-process";

/**
 * Pages in the middle of long lists are read from a place that the counters name, and must equal those of a
 * full walk.
 */

const DAY = 86_400;
/** The start of a day, so that the test's spans coincide with those of the counters. */
const START = 1_780_272_000;

/** Times of all sorts: a quiet day, a busy quarter of an hour, many positions of one second, days of one position. */
function times(): number[] {
  const random = (to: number, seed: number) => (seed * 7_919 + 104_729) % to;
  return [
    ...Array.from({ length: 700 }, (_, at) => START + random(DAY, at)),
    ...Array.from({ length: 600 }, (_, at) => START + DAY + 43_000 + random(800, at)),
    ...Array.from({ length: 300 }, () => START + 2 * DAY),
    ...Array.from({ length: 200 }, (_, at) => START - at * 3 * DAY - 1),
    ...Array.from({ length: 100 }, (_, at) => at * 900),
  ].toSorted((a, b) => random(1_009, a) - random(1_009, b));
}

let boat: { device: string; trip: string };
let other: { device: string; trip: string };
beforeAll(async () => {
  await openTracking();
  [boat, other] = [await voyage(), await voyage()];
  await Promise.all(
    times().map((time, at) => record([boat.device, other.device, null][at % 3] ?? null, time)),
  );
});
afterAll(closeDatabase);

const idsOf = (order: string, ...values: string[]) =>
  sqlite
    .query<{ id: string }, string[]>(`SELECT id FROM gps_points ${order}`)
    .all(...values)
    .map(({ id }) => id);

const expected = {
  all: () => idsOf("ORDER BY timestamp DESC, rowid DESC"),
  device: (id: string) => idsOf("WHERE device_id = ? ORDER BY timestamp DESC, rowid DESC", id),
  trip: (id: string) => idsOf("WHERE trip_id = ? ORDER BY timestamp, rowid", id),
};

/** Every page of a list, each asked for by its number alone. */
function pages(
  limit: number,
  read: (request: { page: number; limit: number }) => PageOf<GpsPoint>,
): string[] {
  const count = Math.ceil(read({ page: 1, limit }).total / limit);
  return Array.from({ length: count }, (_, at) =>
    read({ page: at + 1, limit }).rows.map(({ id }) => id),
  ).flat();
}

function expectWhole(): void {
  for (const limit of [1, 7, 100]) {
    expect(pages(limit, listPoints)).toEqual(expected.all());
    for (const { device, trip } of [boat, other]) {
      expect(pages(limit, (request) => listTripPoints(trip, request))).toEqual(expected.trip(trip));
      expect(pages(limit, (request) => listPoints(request, { device_id: device }))).toEqual(
        expected.device(device),
      );
    }
  }
}

const parts = () =>
  sqlite
    .query<{ name: string; value: number }, []>(
      "SELECT name, value FROM counters WHERE name GLOB '* season *' OR name GLOB '* day *' OR name GLOB '* quarter *' ORDER BY name",
    )
    .all();

describe("each page of a long list", () => {
  test("holds what stands there", () => {
    expect(expected.all()).toHaveLength(1_900);
    expect(expected.trip(boat.trip).length).toBeGreaterThan(500);
    expectWhole();
  });

  test("is read from within the quarter of an hour in which it begins", () => {
    const busiest = sqlite
      .query<{ value: number }, []>(
        "SELECT max(value) AS value FROM counters WHERE name LIKE 'gps_points quarter %'",
      )
      .get()?.value as number;
    expect(busiest).toBeLessThan(700);
    for (const order of ["oldest first", "newest first"] as const)
      for (let skip = 0; skip < 1_900; skip += 13)
        expect(seekOffset("gps_points", order, skip).skip).toBeLessThan(Math.max(500, busiest));
  });

  test("counts the same when the counters are made for a database that had none", () => {
    // Those of devices and of lists of trips are made later: tests/tracking/lists-migration.test.ts.
    const counted = () => parts().filter(({ name }) => /^(gps|trip)_points /.test(name));
    const kept = counted();
    expect(kept.length).toBeGreaterThan(1_000);
    for (const { name } of kept) sqlite.run("DELETE FROM counters WHERE name = ?", [name]);
    for (const wanted of ["0014_point_places", "0015_point_seasons"]) {
      const migration = migrations.find(({ tag }) => tag === wanted);
      for (const statement of migration?.sql.split("--> statement-breakpoint") ?? []) sqlite.run(statement);
    }
    expect(counted()).toEqual(kept);
  });

  test("stays right when positions are deleted, by hand and by age", async () => {
    const loose = idsOf("WHERE trip_id IS NULL ORDER BY timestamp DESC");
    for (const id of loose.slice(0, 50)) await deletePoint(SERVICE, id);
    expectWhole();
    await setSystemConfig("gps.retention_days", 3_650);
    await deleteOldPoints();
    expect(expected.all().length).toBeLessThan(1_850);
    expectWhole();
    expect(parts()).not.toContainEqual(expect.objectContaining({ value: 0 }));
  });

  test("stays right when a trip goes, and its counters go with it", async () => {
    await move(other.trip, "completed");
    await deleteTrip(SERVICE, other.trip);
    expect(pages(100, listPoints)).toEqual(expected.all());
    expect(pages(100, (request) => listTripPoints(boat.trip, request))).toEqual(expected.trip(boat.trip));
    expect(parts()).not.toContainEqual(
      expect.objectContaining({ name: expect.stringContaining(other.trip) }),
    );
  });

  test("stays right when a long trip goes, whose counters go step by step", async () => {
    const long = await voyage();
    // Each in a quarter of an hour and on a day of its own: more than two thousand counters.
    await Promise.all(Array.from({ length: 1_050 }, (_, at) => record(long.device, START - at * DAY)));
    const itsParts = () => parts().filter(({ name }) => name.includes(long.trip)).length;
    expect(itsParts()).toBeGreaterThan(2_100);
    await move(long.trip, "completed");
    await deleteTrip(SERVICE, long.trip);
    expect(itsParts()).toBeWithin(1, 2_100);
    await finishDetachments();
    expect(itsParts()).toBe(0);
    expectWhole();
  });
});
