import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { makeTrips } from "../../../src/tracking/auto-trips/service";
import { updateDevice } from "../../../src/tracking/devices/service";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { createLocation } from "../../../src/tracking/locations/service";
import { createTrip, listPointsOfTrip, listTrips } from "../../../src/tracking/trips/service";
import { move, newDevice, openTracking, SERVICE } from "../in-process";
import type { Place } from "../support";
import type { Fix } from "../timeline/reference";

/** Trips that devices make by themselves, of made-up voyages: one fix each 30 s. */

beforeAll(openTracking);
afterAll(() => {
  setClock();
  closeDatabase();
});

const BEGIN = Date.UTC(2026, 4, 4, 9, 30) / 1_000;
const HARBOUR = { latitude: 54.0967, longitude: 13.4553 };
const STEP = 30;

/** A voyage from the harbour: minutes at rest, minutes northward at 18 km/h, and so on. */
function voyage(...minutes: number[]): Fix[] {
  const fixes: Fix[] = [];
  let place: Place = HARBOUR;
  let time = BEGIN;
  for (const [at, duration] of minutes.entries())
    for (let n = 0; n < (duration * 60) / STEP; n++) {
      if (at % 2 === 1) place = { ...place, latitude: place.latitude + (5 * STEP) / 111_195 };
      fixes.push({ ...place, time });
      time += STEP;
    }
  return fixes;
}

let device: string;
const RULES = { is_enabled: true, start_after_minutes: 3, end_after_minutes: 20, min_distance_km: 0.5 };
beforeEach(async () => {
  device = newDevice();
  await updateDevice(SERVICE, device, {
    auto_trip: { ...RULES, name_template: "{device}: {origin} {date} {time}" },
  });
});

async function make(): Promise<void> {
  while (await transact(() => makeTrips(device)));
}

async function sail(fixes: Fix[], by = 1): Promise<void> {
  for (let at = 0; at < fixes.length; at += by) {
    const some = fixes.slice(at, at + by);
    setClock(() => Number(some.at(-1)?.time) * 1_000);
    await recordPositions("batch", device, some);
    await make();
  }
}

const tripsOf = () => listTrips({ page: 1, limit: 20 }, { device_id: device }).rows.toReversed();
const minute = (text: string | null) => (text === null ? null : (Date.parse(text) / 1_000 - BEGIN) / 60);
const pointsOf = (id: string) => listPointsOfTrip(id, { page: 1, limit: 1 }).total;

test("a trip begins at the beginning of a move, and ends where the stop began that lasts", async () => {
  const { id: location } = await createLocation(SERVICE, { name: "Wieck", ...HARBOUR });
  const fixes = voyage(10, 30, 40);
  await sail(fixes.slice(0, 24));
  // Two minutes under way.
  expect(tripsOf()).toEqual([]);
  await sail(fixes.slice(24, 30));
  const [begun] = tripsOf();
  expect(begun).toMatchObject({
    name: "device: Wieck 2026-05-04 09:39",
    ...{ status: "active", origin_id: location, gps_logging_enabled: true, destination_id: null },
  });
  await sail(fixes.slice(30));
  const [trip, ...others] = tripsOf();
  expect(others).toEqual([]);
  expect(trip).toMatchObject({ id: begun?.id, status: "completed" });
  const began = minute(trip?.started_at ?? null) as number;
  const ended = minute(trip?.ended_at ?? null) as number;
  expect([began > 9, began < 11, ended > 39, ended < 41]).toEqual([true, true, true, true]);
  // Five metres a second for half an hour, and exactly the positions from one end to the other.
  expect(trip?.distance_km).toBeCloseTo(9, 0);
  const within = fixes.filter(({ time }) => {
    const at = (time - BEGIN) / 60;
    return at >= began && at <= ended;
  });
  expect(pointsOf(trip?.id ?? "")).toBe(within.length);
});

test("buffers that come at once make the same trips as one position at a time", async () => {
  const fixes = voyage(10, 30, 25, 15, 10, 20, 40);
  await sail(fixes);
  const one = tripsOf().map(({ started_at, ended_at, distance_km, id }) => ({
    ...{ started_at, ended_at, distance_km },
    points: pointsOf(id),
  }));
  expect(one.map(({ started_at }) => Math.round((minute(started_at) as number) / 5) * 5)).toEqual([10, 65]);
  for (const by of [7, 60, fixes.length]) {
    device = newDevice();
    await updateDevice(SERVICE, device, { auto_trip: RULES });
    // The first position is from before the buffer: a device has been looked at.
    await sail(fixes.slice(0, 1));
    await sail(fixes.slice(1), by);
    const some = tripsOf().map(({ started_at, ended_at, distance_km, id }) => ({
      ...{ started_at, ended_at, distance_km },
      points: pointsOf(id),
    }));
    expect({ by, some }).toEqual({ by, some: one });
  }
});

test("a short trip is removed again, and its positions stay", async () => {
  await updateDevice(SERVICE, device, { auto_trip: { ...RULES, min_distance_km: 2 } });
  const fixes = voyage(10, 5, 30);
  await sail(fixes.slice(0, 31));
  expect(tripsOf().length).toBe(1);
  await sail(fixes.slice(31));
  expect(tripsOf()).toEqual([]);
  const left = sqlite
    .query<{ n: number; loose: number }, [string]>(
      "SELECT count(*) AS n, sum(trip_id IS NULL) AS loose FROM gps_points WHERE device_id = ?",
    )
    .get(device);
  expect(left).toEqual({ n: fixes.length, loose: fixes.length });
});

test("a trip that was begun by hand is left alone, and its time makes none", async () => {
  const fixes = voyage(10, 30, 40, 20, 40);
  await sail(fixes.slice(0, 10));
  const { id } = await createTrip(SERVICE, { name: "by hand", device_id: device, gps_logging_enabled: true });
  await move(id, "active");
  await sail(fixes.slice(10, 140));
  expect(tripsOf().map(({ name, status }) => [name, status])).toEqual([["by hand", "active"]]);
  await move(id, "completed");
  await sail(fixes.slice(140));
  expect(tripsOf().map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("an automatic trip that someone ends stays ended", async () => {
  const fixes = voyage(10, 30, 40);
  await sail(fixes.slice(0, 50));
  const [trip] = tripsOf();
  await move(trip?.id ?? "", "completed");
  await sail(fixes.slice(50));
  expect(tripsOf().map(({ id }) => id)).toEqual([trip?.id as string]);
});

test("late positions and a device without rules make none", async () => {
  const fixes = voyage(10, 30, 40);
  await updateDevice(SERVICE, device, { auto_trip: { is_enabled: false } });
  await sail(fixes);
  await updateDevice(SERVICE, device, { auto_trip: null });
  await sail(voyage(10, 30, 40).map((fix) => ({ ...fix, time: fix.time - 86_400 })));
  expect(tripsOf()).toEqual([]);
});
