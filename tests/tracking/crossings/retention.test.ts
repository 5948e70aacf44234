import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { DAY, setClock } from "../../../src/kernel/time/clock";
import { recomputeCrossings } from "../../../src/tracking/crossings/recompute";
import { deleteOldCrossings } from "../../../src/tracking/crossings/retention";
import { listEvents, listVisits } from "../../../src/tracking/crossings/service";
import { createGeofence } from "../../../src/tracking/geofences/service";
import { deleteOldPoints } from "../../../src/tracking/gps/retention";
import { storedCounter } from "../../support/in-process";
import { newDevice, openTracking, record, SERVICE, setSystemConfig } from "../in-process";
import { fix, northOf } from "../support";

/** Ageing of crossings, and what stays of them where positions have aged. */

const NOW = Date.UTC(2026, 4, 4);
const HERE = { latitude: fix().latitude, longitude: fix().longitude };
const FAR = northOf(HERE, 50);
const PAGE = { page: 1, limit: 100 };

beforeAll(openTracking);
afterAll(() => {
  setClock();
  closeDatabase();
});

const brief = (device_id: string) => {
  const { rows, total } = listEvents(PAGE, { device_id });
  expect(rows).toHaveLength(total);
  return rows.map(({ event, occurred_at }) => `${event} ${(Date.parse(occurred_at) - NOW) / DAY}`);
};

test("old crossings go, but for the beginning of a stay that went on; late positions find it", async () => {
  setClock(() => NOW - 100 * DAY);
  const zone = await createGeofence(SERVICE, { name: "zone", ...HERE, radius_km: 1 });
  setClock(() => NOW);
  const device = newDevice();
  const at = (days: number, place: typeof HERE) => record(device, (NOW + days * DAY) / 1_000, place);
  await at(-60, HERE);
  await at(-50, FAR);
  await at(-40, HERE);
  await at(-10, HERE);
  expect(brief(device)).toEqual(["enter -40", "exit -50", "enter -60"]);
  await deleteOldCrossings();
  expect(brief(device)).toHaveLength(3);
  await setSystemConfig("geofence.event_retention_days", 30);
  await deleteOldCrossings();
  expect(brief(device)).toEqual(["enter -40"]);
  expect(listVisits(zone.id, PAGE).total).toBe(1);
  expect(storedCounter(`zone_crossings ${zone.id}`)).toBe(1);
  // The device was inside all the time: a late position there changes nothing.
  await at(-20, HERE);
  await recomputeCrossings();
  expect(brief(device)).toEqual(["enter -40"]);
  await at(-15, FAR);
  await recomputeCrossings();
  expect(brief(device)).toEqual(["enter -10", "exit -15", "enter -40"]);
  await at(1, FAR);
  setClock(() => NOW + 40 * DAY);
  await deleteOldCrossings();
  expect(brief(device)).toEqual([]);
  await setSystemConfig("geofence.event_retention_days", 0);
});

test("crossings whose positions have aged stay as they are", async () => {
  setClock(() => NOW - 100 * DAY);
  await createGeofence(SERVICE, { name: "other", ...FAR, radius_km: 1 });
  setClock(() => NOW);
  const device = newDevice();
  const at = (days: number, place: typeof HERE) => record(device, (NOW + days * DAY) / 1_000, place);
  for (const [days, place] of [
    [-60, FAR],
    [-50, northOf(FAR, 9)],
    [-5, northOf(FAR, 9)],
  ] as const)
    await at(days, place);
  const before = brief(device);
  expect(before).toEqual(["exit -50", "enter -60"]);
  await setSystemConfig("gps.retention_days", 30);
  await deleteOldPoints();
  await at(-58, northOf(FAR, 5));
  await at(-4, northOf(FAR, 7));
  await recomputeCrossings();
  expect(brief(device)).toEqual(before);
});
