import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { changesSince, getChanges, nowOf } from "../../changes/support";
import { resumed, take } from "../../realtime/feed-support";
import { PegelonlineStandIn } from "../../stand-ins/pegelonline";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { done, eventually, expectRefused, UNKNOWN } from "../../support/expectations";
import { staff } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { DAY, HOUR, MINUTE, SECOND } from "../../support/time";
import { fix } from "../../tracking/support";
import { ALERTS, alertsOf, brief, briefOf, newRule, RULES, send } from "../support";
import { deliveriesTo, newWebhook } from "../targets/support";

const pegel = await PegelonlineStandIn.start();
const hook = new WebhookStandIn();
const settings = { ...pegel.settings(), "notifications.allowed_hosts": hook.host };

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings });
  token = await server.admin();
});
afterAll(async () => {
  await Promise.all([server.stop(), pegel.stop(), hook.stop()]);
});
afterEach(async () => {
  for (const { id } of rows<{ id: string }>(server, "SELECT id FROM alert_rules"))
    await server.delete(`${RULES}/${id}`, { token });
});

describe("a rule on speed", () => {
  test("raises above its limit and clears at it, with the speed and the place", async () => {
    const device = await server.device("Van 3");
    await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
    for (const [speed_knots, expected] of [
      [7, []],
      [7.4, ["open speed"]],
      [9, ["open speed"]],
      [7, ["cleared speed"]],
    ] as const) {
      await server.advance(10 * SECOND);
      await send(server, device, { speed_knots });
      expect(await briefOf(server, device.id)).toEqual([...expected]);
    }
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({
      ...{ value: 7.4, latitude: fix().latitude, message: "Van 3 makes 7.4 knots", event: null },
    });
  });

  test("says each minute that it still holds", async () => {
    const device = await server.device();
    await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
    await send(server, device, { speed_knots: 8 });
    const start = await nowOf(server);
    for (let count = 0; count < 13; count++) {
      await server.advance(10 * SECOND);
      await send(server, device, { speed_knots: 8 + count });
    }
    const updates = await changesSince(server, start, { types: "alertUpdated" });
    expect(updates).toHaveLength(2);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert.count).toBe(1);
    expect(Date.parse(alert.last_seen_at) - Date.parse(alert.raised_at)).toBeGreaterThanOrEqual(2 * MINUTE);
  });

  test("that has to hold for a while tells the newest speed and place by then", async () => {
    const device = await server.device("Van 4");
    const fields = { device_ids: [device.id], hold_seconds: 600 };
    await newRule(server, { type: "speed", above_knots: 7 }, fields);
    for (const [speed_knots, latitude] of [
      [8, 54.1],
      [30, 54.2],
    ] as const) {
      await send(server, device, { speed_knots, latitude });
      await server.advance(5 * MINUTE);
    }
    await server.runJobs();
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ value: 30, latitude: 54.2, message: "Van 4 makes 30 knots" });
  });

  test("watches devices that are made later, where it names none", async () => {
    await newRule(server, { type: "speed", above_knots: 7 });
    const device = await server.device();
    await send(server, device, { speed_knots: 8 });
    expect(await briefOf(server, device.id)).toEqual(["open speed"]);
  });

  test("raises nothing for late and old positions", async () => {
    const device = await server.device();
    await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
    await send(server, device, { speed_knots: 9 }, 700);
    await send(server, device, { speed_knots: 5 });
    await send(server, device, { speed_knots: 9 }, 100);
    expect(await briefOf(server, device.id)).toEqual([]);
  });
});

test("a rule on batteries raises below its limit, and clears at it", async () => {
  const device = await server.device();
  await newRule(server, { type: "battery", below_percent: 20 }, { device_ids: [device.id] });
  for (const [battery_percent, expected] of [
    [20, []],
    [19, ["open battery"]],
    [20, ["cleared battery"]],
  ] as const) {
    await server.advance(10 * SECOND);
    const timestamp = Math.floor(server.time / 1_000);
    const position = { latitude: 54, longitude: 13, timestamp, battery_percent };
    done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: [position] } }));
    expect(await briefOf(server, device.id)).toEqual([...expected]);
  }
});

describe("a rule on silence", () => {
  test("is armed by the first position, raises by the clock, and ends with the next position, a late one too", async () => {
    const device = await server.device();
    await newRule(server, { type: "silence", seconds: 600 }, { device_ids: [device.id] });
    await server.advance(HOUR);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual([]);
    await send(server, device);
    await server.advance(585 * SECOND);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual([]);
    await server.advance(15 * SECOND);
    await eventually(async () => (await briefOf(server, device.id)).length > 0);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ status: "open", condition: "silence", latitude: fix().latitude });
    expect(alert.value).toBeGreaterThanOrEqual(600);
    await send(server, device, {}, 800);
    expect(await briefOf(server, device.id)).toEqual(["cleared silence"]);
  });

  test("survives a restart: a silence that ended is cleared, and one that began is raised, once", async () => {
    const [lost, found] = [await server.device(), await server.device()];
    await newRule(server, { type: "silence", seconds: 600 }, { device_ids: [lost.id, found.id] });
    for (const device of [lost, found]) await send(server, device);
    await server.advance(11 * MINUTE);
    await eventually(async () => (await briefOf(server, found.id)).length > 0);
    await send(server, lost);
    await eventually(async () => (await briefOf(server, lost.id)).join() === "cleared silence");
    const { dataDir, ahead } = server;
    await server.stop("SIGKILL");
    server = await TestServer.start({ clock: "movable", settings, dataDir, ahead: ahead + 20 * MINUTE });
    token = await server.admin();
    // Devices get a minute to tell that they live.
    await server.runJobs();
    expect(await briefOf(server, lost.id)).toEqual(["cleared silence"]);
    await server.advance(MINUTE);
    await eventually(async () => (await briefOf(server, lost.id)).length > 1);
    await server.runJobs();
    expect(await briefOf(server, lost.id)).toEqual(["cleared silence", "open silence"]);
    expect(await briefOf(server, found.id)).toEqual(["open silence"]);
    await send(server, found);
    expect(await briefOf(server, found.id)).toEqual(["cleared silence"]);
  });
});

test("a condition that is held back when the server ends is raised by the next one", async () => {
  const device = await server.device();
  await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id], hold_seconds: 60 });
  await send(server, device, { speed_knots: 8 });
  const { dataDir, ahead } = server;
  await server.stop("SIGKILL");
  server = await TestServer.start({ clock: "movable", settings, dataDir, ahead: ahead + 2 * MINUTE });
  token = await server.admin();
  await eventually(async () => (await briefOf(server, device.id)).length > 0);
  expect(await briefOf(server, device.id)).toEqual(["open speed"]);
});

test("a rule on a water level raises above or below its limit", async () => {
  const [{ station_id, level_cm }] = done(await server.get("/v1/pegel/stations", { token }));
  const station = station_id.toUpperCase();
  await newRule(server, { type: "water_level", station, above_cm: level_cm - 1 }, { name: "high" });
  await newRule(server, { type: "water_level", station, above_cm: level_cm }, { name: "higher" });
  await newRule(server, { type: "water_level", station, below_cm: level_cm + 1 }, { name: "low" });
  const ofLevels = async () =>
    (await alertsOf(server)).filter(
      ({ condition, status }) => condition === "water_level" && status === "open",
    );
  await server.advance(MINUTE);
  await eventually(async () => (await ofLevels()).length === 2);
  const raised = await ofLevels();
  expect(raised.map(({ rule_name }) => rule_name).toSorted()).toEqual(["high", "low"]);
  expect(raised[0]).toMatchObject({ subject: station_id, value: level_cm, device_id: null, latitude: null });
});

test("a rule on the installation raises out of bounds", async () => {
  await newRule(server, { type: "system", what: "disk_free", below: 1e12 }, { name: "full" });
  await newRule(server, { type: "system", what: "email_queue", above: 0 }, { name: "emails" });
  await newRule(server, { type: "system", what: "position_source", above: 0 }, { name: "no receiver" });
  const ofSystem = async () => (await alertsOf(server)).filter(({ condition }) => condition === "system");
  await eventually(async () => (await ofSystem()).length > 0);
  const [alert, ...others] = await ofSystem();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ rule_name: "full", subject: "disk_free", status: "open" });
  expect(alert.message).toMatch(/^[\d.]+ MB are free on the disk$/);
});

describe("an alert", () => {
  test("is told to its targets when it is raised, acknowledged and cleared", async () => {
    const device = await server.device("Van 3");
    const target = await newWebhook(server, hook.url);
    await newRule(
      server,
      { type: "speed", above_knots: 7 },
      { device_ids: [device.id], target_ids: [target.id] },
    );
    hook.received.length = 0;
    await send(server, device, { speed_knots: 8 });
    await eventually(() => hook.received.length === 1);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    done(await server.post(`${ALERTS}/${alert.id}/acknowledge`, { token, body: { note: "On my way" } }));
    await eventually(() => hook.received.length === 2);
    await server.advance(MINUTE);
    await send(server, device, { speed_knots: 5 });
    await eventually(() => hook.received.length === 3);
    expect(hook.bodies.map(({ type }) => type)).toEqual([
      "alert.raised",
      "alert.acknowledged",
      "alert.cleared",
    ]);
    const [raised, , cleared] = hook.bodies;
    expect(raised.data).toMatchObject({
      alert: { id: alert.id, status: "open", message: "Van 3 makes 8 knots" },
      device: { id: device.id, name: "Van 3" },
      position: { latitude: fix().latitude },
      zone: null,
    });
    expect(cleared.data.alert).toMatchObject({ raised_at: alert.raised_at, status: "cleared" });
    await eventually(async () =>
      (await deliveriesTo(server, target.id)).data.every(
        ({ status }: { status: string }) => status === "delivered",
      ),
    );
    const { deliveries } = done(await server.get(`${ALERTS}/${alert.id}`, { token })).data;
    expect(deliveries.map(({ type, status }: { type: string; status: string }) => [type, status])).toEqual([
      ["alert.raised", "delivered"],
      ["alert.acknowledged", "delivered"],
      ["alert.cleared", "delivered"],
    ]);
  });

  test("that flickers is told once", async () => {
    const device = await server.device();
    const target = await newWebhook(server, hook.url);
    await newRule(
      server,
      { type: "speed", above_knots: 7 },
      { device_ids: [device.id], target_ids: [target.id] },
    );
    hook.received.length = 0;
    for (const speed_knots of [8, 5, 8, 5, 8, 5]) {
      await server.advance(30 * SECOND);
      await send(server, device, { speed_knots });
    }
    await eventually(() => hook.received.length > 0);
    await eventually(
      () => rows(server, "SELECT 1 FROM outbox WHERE lane <> 'email' AND status = 'waiting'").length === 0,
    );
    expect(await briefOf(server, device.id)).toEqual(["cleared speed ×3"]);
    const types = hook.bodies.map(({ type }) => type);
    expect(types.at(-1)).toBe("alert.cleared");
    expect(types.length).toBeLessThanOrEqual(2);
  });

  test("that opens again before its end went out is told as open, and its end once it is over", async () => {
    hook.answer(() => new Response(null, { status: 503 }));
    const device = await server.device();
    const target = await newWebhook(server, hook.url);
    const fields = { device_ids: [device.id], target_ids: [target.id] };
    await newRule(server, { type: "speed", above_knots: 7 }, fields);
    // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
    const told = async (): Promise<any[]> => (await deliveriesTo(server, target.id)).data.toReversed();
    const tried = (at: number) => eventually(async () => ((await told())[at]?.attempts ?? 0) > 0);
    for (const [at, speed_knots] of [8, 5].entries()) {
      await send(server, device, { speed_knots });
      await tried(at);
      await server.advance(SECOND);
    }
    await send(server, device, { speed_knots: 8 });
    await tried(2);
    hook.answer();
    hook.received.length = 0;
    await server.advance(MINUTE);
    await eventually(async () => (await told())[2]?.status === "delivered");
    expect(hook.bodies.map(({ type, data }) => [type, data.alert.status, data.alert.count])).toEqual([
      ["alert.raised", "open", 2],
    ]);
    await server.advance(SECOND);
    await send(server, device, { speed_knots: 5 });
    await eventually(async () => (await told())[3]?.status === "delivered");
    expect((await told()).map(({ type, status }) => `${type} ${status}`)).toEqual([
      "alert.raised superseded",
      "alert.cleared superseded",
      "alert.raised delivered",
      "alert.cleared delivered",
    ]);
  });

  test("that nobody acknowledges is told further targets, and one that somebody does is not", async () => {
    const further = await newWebhook(server, hook.url);
    const fields = {
      ...{ target_ids: [], escalate_after_seconds: 600, escalate_target_ids: [further.id] },
    };
    const [ignored, seen] = [await server.device("ignored"), await server.device("seen")];
    for (const { id } of [ignored, seen])
      await newRule(server, { type: "speed", above_knots: 7 }, { ...fields, device_ids: [id] });
    hook.received.length = 0;
    for (const device of [ignored, seen]) await send(server, device, { speed_knots: 8 });
    const [alert] = await alertsOf(server, `&device_id=${seen.id}`);
    done(await server.post(`${ALERTS}/${alert.id}/acknowledge`, { token }));
    await server.advance(9 * MINUTE);
    await server.runJobs();
    expect(hook.received).toEqual([]);
    await server.advance(MINUTE);
    await eventually(() => hook.received.length > 0);
    await server.runJobs();
    expect(hook.bodies.map(({ type, data }) => [type, data.device.name])).toEqual([
      ["alert.raised", "ignored"],
    ]);
    const [escalated] = await alertsOf(server, `&device_id=${ignored.id}`);
    expect(escalated.escalated_at).not.toBeNull();
  });

  test("is acknowledged by one of those who do so at once", async () => {
    const device = await server.device();
    await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
    await send(server, device, { speed_knots: 8 });
    const [{ id }] = await alertsOf(server, `&device_id=${device.id}`);
    const people = await Promise.all([1, 2, 3, 4].map(() => staff(server, "alerts:read", "alerts:write")));
    const answers = await Promise.all(
      people.map((person) =>
        server.post(`${ALERTS}/${id}/acknowledge`, { token: person.token, body: { note: person.username } }),
      ),
    );
    const [first] = answers.map((answer) => done(answer).data);
    for (const answer of answers) expect(answer.body.data).toEqual(first);
    const events = rows(
      server,
      "SELECT 1 FROM audit_events WHERE event_type = 'alert_acknowledged' AND resource_id = ?",
      id,
    );
    expect(events).toHaveLength(1);
    expectRefused(await server.post(`${ALERTS}/${UNKNOWN}/acknowledge`, { token }), 404, "NotFound");
  });

  test("is found by its status, its device and its severity", async () => {
    const device = await server.device();
    const ofDevice = { device_ids: [device.id] };
    await newRule(server, { type: "speed", above_knots: 7 }, { ...ofDevice, severity: "info" });
    await newRule(server, { type: "speed", above_knots: 6 }, { ...ofDevice, severity: "warning" });
    await send(server, device, { speed_knots: 8 });
    await server.advance(MINUTE);
    await send(server, device, { speed_knots: 6.5 });
    const found = async (query: string) =>
      (await alertsOf(server, `&device_id=${device.id}${query}`)).map(brief);
    expect(await found("")).toEqual(["open speed", "cleared speed"].toSorted().toReversed());
    expect(await found("&status=open")).toEqual(["open speed"]);
    expect(await found("&status=cleared&severity=info")).toEqual(["cleared speed"]);
    expect(await found("&severity=alarm")).toEqual([]);
    const { pagination } = done(await server.get(`${ALERTS}?device_id=${device.id}&limit=1`, { token }));
    expect(pagination).toMatchObject({ total: 2, total_pages: 2 });
  });

  test("is deleted a year after, once it was cleared", async () => {
    const [open, over] = [await server.device(), await server.device()];
    for (const device of [open, over]) {
      await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
      await send(server, device, { speed_knots: 8 });
    }
    await send(server, over, { speed_knots: 5 });
    const { dataDir, ahead } = server;
    await server.stop();
    server = await TestServer.start({ clock: "movable", settings, dataDir, ahead: ahead + 366 * DAY });
    token = await server.admin();
    await eventually(async () => (await briefOf(server, over.id)).length === 0);
    expect(await briefOf(server, open.id)).toEqual(["open speed"]);
  });
});

describe("the channel alerts", () => {
  test("tells each change once and in order, live and on from a cursor, to those who may read alerts", async () => {
    const device = await server.device();
    await newRule(server, { type: "speed", above_knots: 7 }, { device_ids: [device.id] });
    const start = await nowOf(server);
    const live = await (await Client.open(server, { bearer: token })).subscribe("alerts");
    await send(server, device, { speed_knots: 8 });
    const [{ id }] = await alertsOf(server, `&device_id=${device.id}`);
    done(await server.post(`${ALERTS}/${id}/acknowledge`, { token }));
    await server.advance(10 * SECOND);
    await send(server, device, { speed_knots: 5 });
    await server.advance(10 * SECOND);
    await send(server, device, { speed_knots: 8 });
    const types = ["alertRaised", "alertAcknowledged", "alertCleared", "alertUpdated"];
    expect((await take(live, types.length)).map(({ type, data }) => [type, data.id])).toEqual(
      types.map((type) => [type, id]),
    );
    const again = await resumed(server, { token }, "alerts", start);
    expect((await take(again, types.length)).map(({ type }) => type)).toEqual(types);
    const changes = await changesSince(server, start, { device_id: device.id, types: types.join() });
    expect(changes.map(({ type }) => type)).toEqual(types);
    expect(changes[0]?.data).toMatchObject({ id, status: "acknowledged", count: 2 });
    const { token: narrow } = await staff(server, "gps:read");
    expect((await getChanges(server, { since: start, types: "alertRaised" }, narrow)).status).toBe(403);
    const stranger = await Client.open(server, { bearer: narrow });
    expect((await stranger.ask({ type: "subscribe", channel: "alerts" })).type).toBe("error");
    await Promise.all([live.close(), again.close(), stranger.close()]);
  });
});
