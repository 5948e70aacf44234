import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";
import { createZone, fix, northOf } from "../../tracking/support";
import { ALERTS, alertsOf, briefOf, newRule, send } from "../support";

const HERE = { latitude: fix().latitude, longitude: fix().longitude };
const AWAY = northOf(HERE, 5);

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

/** A new zone around HERE with a rule on a crossing, and a device. */
async function watched(event: string, fields: object = {}, zoneFields: object = {}) {
  const device = await server.device();
  const zone = await createZone(server, { name: "Depot", ...HERE, ...zoneFields });
  const condition = { type: "zone", event, geofence_ids: [zone.id] };
  const rule = await newRule(server, condition, { device_ids: [device.id], ...fields });
  return { device, zone, rule };
}

describe("a rule on zones", () => {
  test("raises one alert for an exit, and the next enter clears it", async () => {
    const { device, zone, rule } = await watched("exit");
    await send(server, device, HERE);
    expect(await briefOf(server, device.id)).toEqual([]);
    await server.advance(MINUTE);
    await send(server, device, AWAY);
    await server.advance(MINUTE);
    await send(server, device, AWAY);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({
      ...{ rule_id: rule.id, condition: "zone", event: "exit", status: "open", severity: "alarm" },
      ...{ device_id: device.id, device_name: "device", geofence_id: zone.id, geofence_name: "Depot" },
      ...{ message: "device left Depot", count: 1, latitude: AWAY.latitude, subject: null },
    });
    await server.advance(10 * MINUTE);
    await send(server, device, HERE);
    expect(await briefOf(server, device.id)).toEqual(["cleared exit Depot"]);
  });

  test("opens it again silently within the cooldown, and raises another one after it", async () => {
    const { device } = await watched("enter", { cooldown_seconds: 300 });
    for (const place of [AWAY, HERE, AWAY, HERE]) {
      await server.advance(MINUTE);
      await send(server, device, place);
    }
    expect(await briefOf(server, device.id)).toEqual(["open enter Depot ×2"]);
    await send(server, device, AWAY);
    await server.advance(6 * MINUTE);
    await send(server, device, HERE);
    expect(await briefOf(server, device.id)).toEqual(["cleared enter Depot ×2", "open enter Depot"]);
  });

  test("without a cooldown raises another one each time, also within one batch", async () => {
    const { device } = await watched("enter", { cooldown_seconds: 0 });
    const second = Math.floor(server.time / 1_000);
    const positions = [AWAY, HERE, AWAY, HERE, AWAY, HERE].map((place, at) => ({
      ...{ ...place, timestamp: second - 10 + at },
    }));
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions } }));
    expect(await briefOf(server, device.id)).toEqual([
      ...["cleared enter Depot", "cleared enter Depot", "open enter Depot"],
    ]);
  });

  test("raises nothing for late or old crossings, and once what they have changed for good", async () => {
    const { device } = await watched("exit");
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    // A buffer from a dead zone: out, in and out again, all of it old.
    for (const [place, age] of [
      [AWAY, 7_200],
      [HERE, 6_000],
      [AWAY, 5_000],
    ] as const)
      await send(server, device, place, age);
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
    await server.advance(MINUTE);
    await send(server, device, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });

  test("raises nothing for an excursion that is over", async () => {
    const { device } = await watched("exit");
    await send(server, device, HERE);
    await server.advance(3 * HOUR);
    for (const [place, age] of [
      [AWAY, 7_200],
      [HERE, 6_000],
    ] as const)
      await send(server, device, place, age);
    await send(server, device, HERE);
    expect(await briefOf(server, device.id)).toEqual([]);
  });

  test("tells of a passing once, as over", async () => {
    const { device } = await watched("passed");
    await send(server, device, northOf(HERE, -3));
    await server.advance(MINUTE);
    await send(server, device, northOf(HERE, 3));
    expect(await briefOf(server, device.id)).toEqual(["cleared passed Depot"]);
  });

  test("waits for the time to hold", async () => {
    const { device } = await watched("exit", { hold_seconds: 600 });
    await send(server, device, HERE);
    await server.advance(MINUTE);
    await send(server, device, AWAY);
    expect(await briefOf(server, device.id)).toEqual([]);
    await server.advance(10 * MINUTE);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
  });

  test("counts inside its windows alone", async () => {
    const hour = (time: number) => `${String(new Date(time).getUTCHours()).padStart(2, "0")}:00`;
    const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    // Two hours long: it began up to an hour before the clock comes there, and goes on beyond the minute that follows.
    const windows = [{ days, from: hour(server.time + 2 * HOUR), to: hour(server.time + 4 * HOUR) }];
    const { device } = await watched("exit", { schedule: { timezone: "UTC", windows } });
    await send(server, device, HERE);
    await send(server, device, AWAY, -1);
    await server.advance(2 * HOUR);
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device, HERE);
    await server.advance(MINUTE);
    await send(server, device, AWAY);
    expect(await briefOf(server, device.id)).toEqual(["open exit Depot"]);
    await server.advance(-2 * HOUR);
  });
});

test("an alert can be acknowledged, and stays so", async () => {
  const { device } = await watched("exit");
  await send(server, device, HERE);
  await server.advance(MINUTE);
  await send(server, device, AWAY);
  const [alert] = await alertsOf(server, `&device_id=${device.id}&status=open`);
  const token = await server.admin();
  const path = `${ALERTS}/${alert.id}/acknowledge`;
  const { data } = done(await server.post(path, { token, body: { note: "On my way" } }));
  expect(data).toMatchObject({ status: "acknowledged", acknowledge_note: "On my way" });
  expect(done(await server.post(path, { token })).data).toEqual(data);
  expect(done(await server.get(`${ALERTS}/${alert.id}`, { token })).data).toEqual({
    ...data,
    deliveries: [],
  });
});
