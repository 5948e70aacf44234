import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { deleteOldPoints } from "../../../src/tracking/gps/retention";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { courseOfDevice, courseOfTrip, etagOf } from "../../../src/tracking/tracks/service";
import { startVersions } from "../../../src/tracking/tracks/version";
import { createTrip, updateTrip } from "../../../src/tracking/trips/service";
import { move, newDevice, openTracking, SERVICE, setSystemConfig } from "../in-process";

/** The versions of tracks: another one for whatever their answers show. */

beforeAll(async () => {
  await openTracking();
  startVersions();
});
afterAll(() => {
  setClock();
  closeDatabase();
});

const NOW = Date.UTC(2026, 4, 4, 12) / 1_000;
const DAY = 86_400;
const fixesFrom = (begin: number, count = 6) =>
  Array.from({ length: count }, (_, n) => ({ latitude: 54 + n / 1e3, longitude: 13, time: begin + n * 600 }));

test("as many new positions as were deleted by age make another one", async () => {
  setClock(() => NOW * 1_000);
  const device = newDevice();
  const ALL = { from: "2026-01-01", to: "2026-12-31" };
  const version = () => etagOf(courseOfDevice(device, ALL), ALL, "json");
  await recordPositions("batch", device, fixesFrom(NOW - 40 * DAY));
  await recordPositions("batch", device, fixesFrom(NOW - 7_200));
  const before = version();
  expect(version()).toBe(before);
  await setSystemConfig("gps.retention_days", 30);
  await deleteOldPoints();
  const purged = version();
  await recordPositions("batch", device, fixesFrom(NOW - 3_599));
  expect(new Set([before, purged, version()]).size).toBe(3);
});

test("a trip has another one when it begins, ends, and gets another device", async () => {
  setClock(() => NOW * 1_000);
  const device = newDevice();
  const trip = await createTrip(SERVICE, { name: "Rund Rügen", gps_logging_enabled: true });
  const version = () => etagOf(courseOfTrip(trip.id, {}, "all"), {}, "json");
  const versions = [version()];
  for (const change of [
    () => updateTrip(SERVICE, trip.id, { device_id: device }),
    () => move(trip.id, "active"),
    () => move(trip.id, "completed"),
  ]) {
    setClock(() => NOW * 1_000 + versions.length * 60_000);
    await change();
    versions.push(version());
    // While nothing changes, time alone makes none.
    setClock(() => NOW * 1_000 + versions.length * 60_000 - 1);
    expect(version()).toBe(versions.at(-1) as string);
  }
  expect(new Set(versions).size).toBe(versions.length);
});
