import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { done, expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { newTracker, ownTracks } from "../../tracking/doors/support";
import { createZone, fix, northOf, type Place } from "../../tracking/support";
import {
  alertsOf,
  briefOf,
  clockWatched,
  corrected,
  newRule,
  newZoneWatch,
  RULES,
  type Sender,
  send,
} from "../support";

/** Late and old positions: they raise nothing by themselves, and what they have changed for good is raised once. */

const HERE: Place = { latitude: fix().latitude, longitude: fix().longitude };
const AWAY = northOf(HERE, 5);

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

/** Posts positions of a device, a minute after each other. */
async function go(device: Sender, ...places: Place[]): Promise<void> {
  for (const place of places) {
    await server.advance(MINUTE);
    await send(server, device, place);
  }
}

/** Posts positions that are so many seconds old. */
async function bring(device: Sender, ...positions: [place: Place, age: number][]): Promise<void> {
  for (const [place, age] of positions) await send(server, device, place, age);
}

const batch = async (device: Sender, ...positions: [place: Place, age: number][]) => {
  const second = Math.floor(server.time / 1_000);
  const body = { positions: positions.map(([place, age]) => ({ ...place, timestamp: second - age })) };
  return done(await server.post("/v1/gps/batch", { token: device.key, body }));
};

describe("old positions", () => {
  test("that show a stay in a zone raise it at the next younger one, once", async () => {
    const { device } = await newZoneWatch(server, "dwell", {}, { dwell_seconds: 600 });
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    await bring(device, [AWAY, 9_000], [HERE, 8_000], [HERE, 5_000]);
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device, HERE);
    await go(device, HERE);
    expect(await briefOf(server, device.id)).toEqual(["open dwell Depot"]);
  });

  test("after which the stay in a zone has begun anew end its alert at the next younger one", async () => {
    const { device } = await newZoneWatch(server, "dwell", {}, { dwell_seconds: 600 });
    await send(server, device, HERE);
    await server.advance(11 * MINUTE);
    await send(server, device, HERE);
    expect(await briefOf(server, device.id)).toEqual(["open dwell Depot"]);
    await server.advance(3 * HOUR);
    await bring(device, [AWAY, 9_000], [HERE, 650]);
    expect(await briefOf(server, device.id)).toEqual(["open dwell Depot"]);
    await send(server, device, HERE, 590);
    expect(await briefOf(server, device.id)).toEqual(["cleared dwell Depot"]);
  });

  test("that tell of a return let no crossing be raised that has been held back", async () => {
    const { device } = await newZoneWatch(server, "exit", { hold_seconds: 7_200 });
    await go(device, HERE, AWAY);
    await server.advance(HOUR);
    await bring(device, [HERE, 1_800]);
    await server.advance(2 * HOUR);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device, HERE);
    await server.advance(MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual([]);
  });

  test("that tell of a return let the crossing be raised if the next younger one denies it", async () => {
    const { device } = await newZoneWatch(server, "exit", { hold_seconds: 7_200 });
    await go(device, HERE, AWAY);
    await server.advance(HOUR);
    await bring(device, [HERE, 1_800]);
    await server.advance(2 * HOUR);
    await clockWatched(server);
    await send(server, device, AWAY);
    await server.advance(MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });

  test("in a batch raise nothing, and its last one, which is young, raises once what they have changed", async () => {
    const { device } = await newZoneWatch(server, "exit");
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    await batch(device, [AWAY, 9_000], [HERE, 7_000], [AWAY, 5_000], [HERE, 3_000], [AWAY, 2_000]);
    expect(await briefOf(server, device.id)).toEqual([]);
    await batch(device, [AWAY, 1_500], [AWAY, 0]);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });

  test("in a batch that is out of order raise what those in order do", async () => {
    const { device } = await newZoneWatch(server, "exit");
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    await batch(device, [AWAY, 0], [HERE, 7_000], [AWAY, 9_000], [AWAY, 100]);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });

  test("survive a restart in between", async () => {
    const { device } = await newZoneWatch(server, "exit");
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    await bring(device, [AWAY, 5_000]);
    const { dataDir, ahead } = server;
    await server.stop("SIGKILL");
    server = await TestServer.start({ clock: "movable", dataDir, ahead });
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });
});

describe("a correction", () => {
  test("marks the alert of the crossing that it overturns, which ends with the next younger position", async () => {
    const { device } = await newZoneWatch(server, "exit", {}, { confirm_fixes: 2 });
    await go(device, HERE, HERE, AWAY, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
    await bring(device, [HERE, 30]);
    await corrected(server, device);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ is_corrected: true, status: "open" });
    await go(device, HERE);
    expect(await briefOf(server, device.id)).toEqual(["cleared exit Depot"]);
  });

  test("lets no crossing be raised that was held back, and is overturned", async () => {
    const { device } = await newZoneWatch(server, "exit", { hold_seconds: 600 }, { confirm_fixes: 2 });
    await go(device, HERE, HERE, AWAY, AWAY);
    await bring(device, [HERE, 30]);
    await corrected(server, device);
    await server.advance(20 * MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual([]);
  });

  test("by which a crossing that is held back happened earlier lets it be raised as it is then", async () => {
    const { device } = await newZoneWatch(server, "exit", { hold_seconds: 600 });
    await go(device, HERE, AWAY);
    await bring(device, [northOf(HERE, 3), 30]);
    await corrected(server, device);
    await server.advance(20 * MINUTE);
    await clockWatched(server);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ status: "open", latitude: northOf(HERE, 3).latitude, is_corrected: false });
  });

  test("by which a device was never in a zone ends at the next younger position what its enter has raised", async () => {
    const { device, zone } = await newZoneWatch(server, "enter", {}, { confirm_fixes: 2 });
    const condition = { type: "zone", event: "exit", geofence_ids: [zone.id] };
    await newRule(server, condition, { device_ids: [device.id] });
    await go(device, HERE, HERE);
    expect(await briefOf(server, device.id)).toEqual(["open enter Depot"]);
    await bring(device, [AWAY, 30]);
    await corrected(server, device);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ is_corrected: true, status: "open" });
    await go(device, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["cleared enter Depot"]);
  });

  test("by which a device was never in a zone lets no exit be raised that was held back", async () => {
    const { device } = await newZoneWatch(server, "exit", { hold_seconds: 600 }, { confirm_fixes: 2 });
    await go(device, HERE, HERE, AWAY, AWAY);
    await bring(device, [AWAY, 150]);
    await corrected(server, device);
    await server.advance(20 * MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual([]);
  });

  test("that puts a device into a zone raises this at the next younger position, once", async () => {
    const { device } = await newZoneWatch(server, "enter", {}, { confirm_fixes: 2 });
    await go(device, AWAY, HERE);
    // The newest one is the second of two inside now.
    await bring(device, [HERE, 30]);
    await corrected(server, device);
    expect(await briefOf(server, device.id)).toEqual([]);
    await go(device, HERE, HERE);
    expect(await briefOf(server, device.id)).toEqual(["open enter Depot"]);
  });
});

describe("an app", () => {
  const report = async (token: Token, place: Place, age: number, fields: object = {}) => {
    const message = ownTracks(Math.floor(server.time / 1_000) - age, { lat: place.latitude, ...fields });
    expectStatus(await server.post("/v1/ingest/owntracks", { token, body: message }), 200);
  };

  test("raises by a young position, and nothing by a buffer of old and late ones", async () => {
    const { deviceId, token } = await newTracker(server, "owntracks");
    const zone = await createZone(server, { name: "Depot" });
    const condition = { type: "zone", event: "exit", geofence_ids: [zone.id] };
    await newRule(server, condition, { device_ids: [deviceId] });
    await newRule(server, { type: "speed", above_knots: 5 }, { device_ids: [deviceId] });
    await newRule(server, { type: "battery", below_percent: 90 }, { device_ids: [deviceId] });
    await report(token, HERE, 9_000);
    expect(await briefOf(server, deviceId)).toEqual([]);
    // In time, and slow.
    await report(token, HERE, 0, { vel: 0, batt: 95 });
    await server.advance(3 * HOUR);
    for (const [place, age] of [
      [AWAY, 8_000],
      [HERE, 7_000],
    ] as const)
      await report(token, place, age);
    expect(await briefOf(server, deviceId)).toEqual([]);
    await report(token, AWAY, 5);
    await report(token, HERE, 4_000);
    expect((await briefOf(server, deviceId)).toSorted()).toEqual([
      "open battery",
      "open exit Depot",
      "open speed",
    ]);
  });
});

test("what has gone untold is forgotten with the last rule: the next one begins with what comes", async () => {
  const others = rows<{ id: string }>(server, "SELECT id FROM alert_rules");
  const { device, zone, rule } = await newZoneWatch(server, "exit");
  await send(server, device, HERE);
  await server.advance(3 * HOUR);
  await bring(device, [AWAY, 5_000]);
  const token = await server.admin();
  for (const { id } of [...others, rule]) await server.delete(`${RULES}/${id}`, { token });
  await go(device, AWAY);
  await server.advance(3 * HOUR);
  const condition = { type: "zone", event: "exit", geofence_ids: [zone.id] };
  await newRule(server, condition, { device_ids: [device.id] });
  await go(device, AWAY);
  expect(await briefOf(server, device.id)).toEqual([]);
  await go(device, HERE, AWAY);
  expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
});
