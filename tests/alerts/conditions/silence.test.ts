import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { done, eventually } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY, MINUTE, SECOND } from "../../support/time";
import { createZone, fix, northOf } from "../../tracking/support";
import { alertsOf, briefOf, clockWatched, newRule, RULES, send } from "../support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const { id } of rows<{ id: string }>(server, "SELECT id FROM alert_rules"))
    await server.delete(`${RULES}/${id}`, { token });
});

const raised = async (deviceId: string) =>
  eventually(async () => (await briefOf(server, deviceId)).includes("open silence"));

test("silence is noticed by a clock that was set back since", async () => {
  const device = await server.device();
  await newRule(server, { type: "silence", seconds: 60 }, { device_ids: [device.id] });
  await send(server, device);
  await clockWatched(server);
  await server.advance(-DAY);
  await clockWatched(server);
  await send(server, device);
  await server.advance(50 * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  await server.advance(12 * SECOND);
  await raised(device.id);
  await server.advance(DAY);
});

test("a device that is deleted is not silent, though its positions name it for a while", async () => {
  const device = await server.device();
  await newRule(server, { type: "silence", seconds: 600 });
  const second = Math.floor(server.time / 1_000);
  const { latitude, longitude } = fix();
  for (let part = 0; part < 3; part++) {
    const positions = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ latitude, longitude, timestamp: second - 3_000 + part * 1_000 + at },
    }));
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions } }));
  }
  await clockWatched(server);
  await server.advance(580 * SECOND);
  expect((await server.delete(`/v1/devices/${device.id}`, { token })).status).toBe(204);
  expect(rows(server, "SELECT 1 FROM gps_points WHERE device_id = ?", device.id).length).toBeGreaterThan(0);
  await server.advance(40 * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
});

test("each of many devices that fall silent has its own alert, which its own position ends", async () => {
  const devices = await Promise.all([1, 2, 3].map(() => server.device()));
  await newRule(server, { type: "silence", seconds: 600 }, { device_ids: devices.map(({ id }) => id) });
  for (const device of devices) await send(server, device);
  await server.advance(10 * MINUTE);
  for (const { id } of devices) await raised(id);
  const [first] = devices;
  if (!first) throw new Error("no device");
  await send(server, first);
  const told = await Promise.all(devices.map(({ id }) => briefOf(server, id)));
  expect(told).toEqual([["cleared silence"], ["open silence"], ["open silence"]]);
});

test("counts from the arrival of the last position, whatever its own time", async () => {
  const device = await server.device();
  await newRule(server, { type: "silence", seconds: 600 }, { device_ids: [device.id] });
  await send(server, device, {}, 5_000);
  await server.advance(585 * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  // A late one is a sign of life as well.
  await send(server, device, {}, 9_000);
  await server.advance(590 * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  await server.advance(10 * SECOND);
  await raised(device.id);
});

test("a longer silence raises the rule of a longer time, and each has its own alert", async () => {
  const device = await server.device();
  const ofDevice = { device_ids: [device.id] };
  await newRule(server, { type: "silence", seconds: 60 }, { ...ofDevice, severity: "warning" });
  await newRule(server, { type: "silence", seconds: 600 }, ofDevice);
  await send(server, device);
  await server.advance(MINUTE);
  await raised(device.id);
  expect((await alertsOf(server, `&device_id=${device.id}`)).map(({ severity }) => severity)).toEqual([
    "warning",
  ]);
  await server.advance(9 * MINUTE);
  await eventually(async () => (await briefOf(server, device.id)).length === 2);
  await send(server, device);
  expect(await briefOf(server, device.id)).toEqual(["cleared silence", "cleared silence"]);
});

test("that has to hold waits for so much longer, and a position in between begins it anew", async () => {
  const device = await server.device();
  const rule = { type: "silence", seconds: 60 };
  await newRule(server, rule, { device_ids: [device.id], hold_seconds: 120 });
  await send(server, device);
  await server.advance(61 * SECOND);
  await clockWatched(server);
  await server.advance(110 * SECOND);
  await send(server, device);
  await server.advance(61 * SECOND);
  await clockWatched(server);
  await server.advance(110 * SECOND);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  await server.advance(10 * SECOND);
  await raised(device.id);
});

test("outside of the windows raises nothing, and as they begin what lasts by then", async () => {
  const device = await server.device();
  const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
  const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const [from, to] = [clock(server.time + 30 * MINUTE), clock(server.time + 90 * MINUTE)];
  const schedule = { timezone: "UTC", windows: [{ days, from, to }] };
  await newRule(server, { type: "silence", seconds: 60 }, { device_ids: [device.id], schedule });
  await send(server, device);
  await server.advance(20 * MINUTE);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  await server.advance(12 * MINUTE);
  await raised(device.id);
  // It stays until its end, also after the window.
  await server.advance(2 * 60 * MINUTE);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual(["open silence"]);
});

test("a position that counts for nothing ends the silence all the same", async () => {
  const device = await server.device();
  const body = { max_speed_kmh: 50 };
  done(await server.patch(`/v1/devices/${device.id}`, { token, body }));
  await createZone(server);
  await newRule(server, { type: "silence", seconds: 60 }, { device_ids: [device.id] });
  await send(server, device);
  await server.advance(MINUTE);
  await raised(device.id);
  await send(server, device, northOf(fix(), 500));
  expect(await briefOf(server, device.id)).toEqual(["cleared silence"]);
});
