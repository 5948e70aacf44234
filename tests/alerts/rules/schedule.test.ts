import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { fix, northOf, type Place } from "../../tracking/support";
import { briefOf, clockWatched, newRule, newZoneWatch, send } from "../support";

/** Schedules, on the night to 28 March 2027: clocks in Germany are set from 02:00 to 03:00, which is 01:00 UTC. */

const HERE: Place = { latitude: fix().latitude, longitude: fix().longitude };
const AWAY = northOf(HERE, 5);
const SATURDAY = Date.parse("2027-03-27T12:00:00Z");
const NIGHT = {
  timezone: "Europe/Berlin",
  windows: [{ days: ["sat"], from: "22:00", to: "06:00" }],
};

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", ahead: SATURDAY - Date.now() });
});
afterAll(() => server.stop());

const until = (time: string) => server.advance(Date.parse(time) - server.time);

test("a window over midnight and the change of clocks begins and ends by the clock of its place", async () => {
  const times = [
    ["2027-03-27T20:59:00Z", "outside"],
    ["2027-03-27T21:01:00Z", "inside"],
    ["2027-03-27T23:30:00Z", "inside"],
    ["2027-03-28T03:59:00Z", "inside"],
    ["2027-03-28T04:01:00Z", "outside"],
    // Sunday's evening: the window is of Saturday alone.
    ["2027-03-28T21:30:00Z", "outside"],
  ] as const;
  const found: [string, string][] = [];
  for (const [time] of times) {
    const { device, rule: _ } = await newZoneWatch(server, "exit", { schedule: NIGHT });
    await send(server, device, HERE);
    await until(time);
    await send(server, device, AWAY);
    const isRaised = (await briefOf(server, device.id)).includes("open exit Depot");
    found.push([time, isRaised ? "inside" : "outside"]);
  }
  expect(found).toEqual(times.map(([time, side]) => [time, side]));
});

test("what is raised inside of a window is cleared outside of it", async () => {
  await until("2027-04-03T21:00:00Z");
  const { device } = await newZoneWatch(server, "exit", { schedule: NIGHT });
  await send(server, device, HERE);
  await server.advance(MINUTE);
  await send(server, device, AWAY);
  await until("2027-04-04T10:00:00Z");
  await send(server, device, AWAY);
  expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  await server.advance(MINUTE);
  await send(server, device, HERE);
  expect(await briefOf(server, device.id)).toEqual(["cleared exit Depot"]);
});

test("speed that lasts is raised by the first position inside of a window", async () => {
  await until("2027-04-10T19:30:00Z");
  const device = await server.device();
  const condition = { type: "speed", above_knots: 5 };
  await newRule(server, condition, { device_ids: [device.id], schedule: NIGHT, hold_seconds: 120 });
  await send(server, device);
  await until("2027-04-10T20:01:00Z");
  await send(server, device);
  // The time to hold begins with the window.
  expect(await briefOf(server, device.id)).toEqual([]);
  await server.advance(2 * MINUTE);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual(["open speed"]);
});
