import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { completedDistanceKm } from "../../../src/tracking/ingest/distance";
import { createTrip, deleteTrip } from "../../../src/tracking/trips/service";
import { planOf, preparedBy, storedCounter } from "../../support/in-process";
import { randomFrom } from "../../support/random";
import { lengthKm, move, newDevice, openTracking, record, reopen, SERVICE, voyage } from "../in-process";
import { northOf, type Place, randomPlace } from "../support";

/** The distance of completed trips, `distance_km_total` of the public statistics (rule O5). */
const HERE: Place = { latitude: 54, longitude: 13 };
const north = (km: number) => northOf(HERE, km);

beforeAll(openTracking);
afterAll(() => closeDatabase());

/** The distance counted before the test. */
let before = 0;
beforeEach(() => {
  before = completedDistanceKm();
});
/** Millimetres are counted. */
const counted = () => Math.round((completedDistanceKm() - before) * 1e6) / 1e6;

describe("the distance of completed trips", () => {
  test("is along the positions by the receiver's time, several trips at once, late and double ones among them", async () => {
    const random = randomFrom(9);
    const ships = await Promise.all([
      voyage(),
      voyage(),
      voyage(),
      // Never completed.
      voyage(),
    ]);
    const logs: { time: number; place: Place }[][] = ships.map(() => []);
    const recorded: Promise<unknown>[] = [];
    for (let n = 0; n < 1_200; n++) {
      const at = Math.floor(random() * ships.length);
      // From few times, so that many come twice, in no order.
      const point = { time: 1_000 + Math.floor(random() * 250), place: randomPlace(random) };
      logs[at]?.push(point);
      recorded.push(record(ships[at]?.device ?? null, point.time, point.place));
      // Commits now and then.
      if (random() < 0.02) await Promise.all(recorded);
    }
    await Promise.all(recorded);
    expect(counted()).toBe(0);
    let expected = 0;
    for (const [at, { trip }] of ships.slice(0, 3).entries()) {
      await move(trip, at === 1 ? "paused" : "completed");
      if (at === 1) await move(trip, "completed");
      const inOrder = logs[at]?.toSorted((a, b) => a.time - b.time) ?? [];
      expected += lengthKm(inOrder.map(({ place }) => place));
      // Up to half a millimetre is lost with each position.
      expect(Math.abs(counted() - expected)).toBeLessThan(0.001);
    }
    expect(expected).toBeGreaterThan(1_000_000);
  });

  test.each([
    ["no position", []],
    ["one position", [north(0)]],
    ["one place", [north(0), north(0), north(0)]],
  ])("is 0 for a trip of %s", async (_, places) => {
    const { device, trip } = await voyage();
    for (const [at, place] of places.entries()) await record(device, 1_000 + at, place);
    await move(trip, "completed");
    expect(counted()).toBe(0);
    await deleteTrip(SERVICE, trip);
    expect(counted()).toBe(0);
  });

  test("leaves out positions before, between and after, and those of no trip", async () => {
    const { device, trip } = await voyage();
    await record(newDevice(), 1_000, north(5));
    await record(device, 1_000, north(0));
    await move(trip, "paused");
    await record(device, 1_100, north(400));
    await move(trip, "active");
    await record(device, 1_200, north(3));
    await move(trip, "completed");
    await record(device, 1_300, north(900));
    await record(device, 1_150, north(900));
    expect(counted()).toBeCloseTo(3, 5);
  });

  test("grows with a trip that goes back over its way, and is not shortened by a late position on it", async () => {
    const { device, trip } = await voyage();
    for (const [time, km] of [
      [1_000, 0],
      [1_200, 10],
      [1_300, 0],
      [1_100, 4],
      [1_250, 20],
      [900, -1],
    ] as const)
      await record(device, time, north(km));
    await move(trip, "completed");
    expect(counted()).toBeCloseTo(41, 5);
  });

  test("loses that of a completed trip that is deleted, and nothing for another", async () => {
    const ships = [await voyage(), await voyage()];
    for (const [at, { device, trip }] of ships.entries()) {
      await record(device, 1_000, north(0));
      await record(device, 1_100, north(at + 1));
      await move(trip, "completed");
    }
    const { id: draft } = await createTrip(SERVICE, { name: "draft" });
    await deleteTrip(SERVICE, draft);
    expect(counted()).toBeCloseTo(3, 5);
    await deleteTrip(SERVICE, ships[1]?.trip ?? "");
    expect(counted()).toBeCloseTo(1, 5);
    expect(storedCounter(`trip_mm ${ships[1]?.trip}`)).toBeNull();
    await deleteTrip(SERVICE, ships[0]?.trip ?? "");
    expect(counted()).toBe(0);
  });
});

describe("in one commit", () => {
  test("a trip's last positions and its completion count together, and later ones don't", async () => {
    const { device, trip } = await voyage();
    await record(device, 1_000, north(0));
    await Promise.all([
      record(device, 1_100, north(2)),
      record(device, 1_050, north(7)),
      move(trip, "completed"),
      record(device, 1_200, north(100)),
    ]);
    expect(counted()).toBeCloseTo(12, 5);
  });

  test("a whole trip and its deletion leave nothing", async () => {
    const { device, trip } = await voyage();
    await record(device, 1_000, north(0));
    await Promise.all([
      record(device, 1_100, north(2)),
      move(trip, "completed"),
      deleteTrip(SERVICE, trip),
      record(device, 1_200, north(100)),
    ]);
    expect(counted()).toBe(0);
    expect([storedCounter(`trip_mm ${trip}`), storedCounter(`trip_points ${trip}`)]).toEqual([null, null]);
  });

  test("changes that are refused count nothing", async () => {
    const { device, trip } = await voyage();
    await record(device, 1_000, north(0));
    const outcomes = await Promise.allSettled([
      record(device, 1_100, north(2)),
      deleteTrip(SERVICE, trip),
      move(trip, "completed"),
      move(trip, "completed"),
      move(trip, "active"),
    ]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, false, false]);
    expect(counted()).toBeCloseTo(2, 5);
  });
});

test("a position of a trip is recorded by steps along indexes: nothing is scanned or sorted", async () => {
  closeDatabase();
  await openTracking();
  const { device } = await voyage();
  // Drops the statements that the answers about the trip have prepared.
  reopen();
  const statements = await preparedBy(async () => {
    await record(device, 1_000);
    // A late position comes between its neighbours.
    await record(device, 900);
  });
  const steps = statements.flatMap(planOf).filter((step) => !step.includes("SCALAR SUBQUERY"));
  // The number of the newest row is the end of the table.
  const onPoints = steps.filter((step) => step.includes("gps_points") && step !== "SEARCH gps_points");
  // Two of them are for the timeline, at the first fix after another change.
  expect(onPoints.length).toBe(7);
  for (const step of onPoints)
    expect(step).toMatch(/^SEARCH gps_points USING (COVERING )?INDEX gps_points_(device|trip) /);
  // The alert rules are read whole, once for all positions; rows of the R-tree are found by its own index.
  expect(steps.filter((step) => step === "SCAN alert_rules")).toHaveLength(1);
  // The highest row that zones know is read once, too.
  const allowed = /^SEARCH |^SCAN i VIRTUAL TABLE INDEX |^SCAN alert_rules$|^SCAN CONSTANT ROW$/;
  for (const step of steps) expect(step).toMatch(allowed);
  expect(steps.filter((step) => step === "SCAN CONSTANT ROW")).toHaveLength(1);
});

test("the migration counts the trips that were recorded before", async () => {
  closeDatabase();
  openDatabase(":memory:", "normal");
  const at = migrations.findIndex(({ tag }) => tag.startsWith("0009"));
  const later = migrations.splice(at);
  expect(later.length).toBeGreaterThan(0);
  migrate();
  const random = randomFrom(5);
  const insertTrip = sqlite.prepare(
    "INSERT INTO trips (id, name, status, tags, created_at, updated_at) VALUES (?, 'trip', ?, '[]', 0, 0)",
  );
  const insertPoint = sqlite.prepare(
    `INSERT INTO gps_points (id, trip_id, latitude, longitude, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, created_at)
     VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
  );
  const expected = new Map<string, number>();
  let completed = 0;
  for (const [n, status] of [
    "completed",
    "active",
    "completed",
    "paused",
    "completed",
    "completed",
  ].entries()) {
    const trip = `trip-${n}`;
    insertTrip.run(trip, status);
    // The last two have one position and none.
    const points = Array.from({ length: n < 4 ? 40 : 5 - n }, () => ({
      time: Math.floor(random() * 30),
      place: randomPlace(random),
    }));
    for (const { time, place } of points)
      insertPoint.run(Bun.randomUUIDv7(), trip, place.latitude, place.longitude, time * 1_000);
    const km = lengthKm(points.toSorted((a, b) => a.time - b.time).map(({ place }) => place));
    expected.set(trip, km);
    if (status === "completed") completed += km;
  }
  // Points of a deleted trip, and of none.
  for (const trip of ["gone", null])
    for (const time of [1, 2]) insertPoint.run(Bun.randomUUIDv7(), trip, time, 0, time);
  migrations.push(...later);
  migrate();
  for (const [trip, km] of expected)
    expect(Math.abs((storedCounter(`trip_mm ${trip}`) ?? 0) / 1e6 - km)).toBeLessThan(0.001);
  expect(Math.abs(completedDistanceKm() - completed)).toBeLessThan(0.001);
  expect(storedCounter("trip_mm gone")).toBeNull();
});
