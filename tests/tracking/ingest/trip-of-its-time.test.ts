import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { createTrip, updateTrip } from "../../../src/tracking/trips/service";
import { move, newDevice, openTracking, SERVICE } from "../in-process";

beforeAll(openTracking);
afterAll(() => {
  setClock();
  closeDatabase();
});

const START = 1_777_887_000;
const at = (seconds: number) => setClock(() => (START + seconds) * 1_000);

const trip = async (device: string) =>
  (await createTrip(SERVICE, { name: "trip", device_id: device, gps_logging_enabled: true })).id;

/** Records fixes of these seconds, each by itself, and tells their trips by second. */
async function tripsOf(device: string, seconds: number[], latitude = 54) {
  for (const second of seconds)
    await recordPositions("batch", device, [{ latitude, longitude: 13, time: START + second }]);
  const rows = sqlite
    .query<{ second: number; trip_id: string | null }, [number, string]>(
      "SELECT timestamp / 1000 - ? AS second, trip_id FROM gps_points WHERE device_id = ? ORDER BY timestamp",
    )
    .all(START, device);
  return Object.fromEntries(rows.map(({ second, trip_id }) => [second, trip_id]));
}

test.each([[[9, 10, 11]], [[10, 9, 11]], [[11, 10, 9]]])(
  "a fix of the second in which one trip ends and another begins joins the later one, in the order %p",
  async (seconds) => {
    const device = newDevice();
    at(0);
    const [one, two] = [await trip(device), await trip(device)];
    at(1);
    await move(one, "active");
    at(10.3);
    await move(one, "completed");
    at(10.6);
    await move(two, "active");
    at(60);
    expect(await tripsOf(device, seconds)).toEqual({ 9: one, 10: two, 11: two });
  },
);

test("fixes of any time join the trip that logged then: with logging off, on another device, paused or not begun, none", async () => {
  const [device, other] = [newDevice(), newDevice()];
  at(0);
  const id = await trip(device);
  const steps: [number, () => Promise<unknown>][] = [
    [10, () => move(id, "active")],
    [20, () => updateTrip(SERVICE, id, { gps_logging_enabled: false })],
    [30, () => updateTrip(SERVICE, id, { gps_logging_enabled: true })],
    [40, () => updateTrip(SERVICE, id, { device_id: other })],
    [50, () => updateTrip(SERVICE, id, { device_id: device })],
    [60, () => move(id, "paused")],
    [70, () => move(id, "active")],
    [80, () => move(id, "completed")],
  ];
  for (const [second, step] of steps) {
    at(second);
    await step();
  }
  at(100);
  const seconds = [85, 5, 75, 15, 65, 25, 55, 35, 45];
  expect(await tripsOf(device, seconds)).toEqual({
    ...{ 5: null, 15: id, 25: null, 35: id, 45: null },
    ...{ 55: id, 65: null, 75: id, 85: null },
  });
  expect(await tripsOf(other, seconds)).toMatchObject({ 35: null, 45: id, 55: null });
});
