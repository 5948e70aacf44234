import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  done,
  eventually,
  expectInvalid,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY, MINUTE } from "../../support/time";
import { fix, northOf } from "../../tracking/support";
import { ALERTS, alertsOf, briefOf, clockWatched, newRule, newZoneWatch, RULES, send } from "../support";
import { newWebhook } from "../targets/support";

const SPEED = { type: "speed", above_knots: 5 };

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

const create = (fields: object) =>
  server.post(RULES, { token, body: { name: "rule", severity: "alarm", condition: SPEED, ...fields } });
const ids = (count: number) => Array.from({ length: count }, () => UNKNOWN);
const days = ["mon"];

describe("a rule is refused with", () => {
  test.each([
    ["a condition that is a list", { condition: [] }, "/condition"],
    ["a condition that is a word", { condition: "speed" }, "/condition"],
    ["a condition whose type is a list", { condition: { type: ["speed"] } }, "/condition/type"],
    ["a condition of a type of every object", { condition: { type: "constructor" } }, "/condition/type"],
    ["a condition without a type", { condition: { above_knots: 5 } }, "/condition/type"],
    ["a speed below nothing", { condition: { type: "speed", above_knots: -1 } }, "/condition/above_knots"],
    [
      "a charge of more than all",
      { condition: { type: "battery", below_percent: 101 } },
      "/condition/below_percent",
    ],
    ["silence of part of a second", { condition: { type: "silence", seconds: 60.5 } }, "/condition/seconds"],
    ["a zone that is none", { condition: zone(["depot"]) }, "/condition/geofence_ids/0"],
    ["too many zones", { condition: zone(ids(201)) }, "/condition/geofence_ids"],
    [
      "a station that is none",
      { condition: { type: "water_level", station: "VITTE", above_cm: 1 } },
      "/condition/station",
    ],
    ["no limit of a measure", { condition: { type: "system", what: "disk_free" } }, "/condition/above"],
    [
      "both limits of a level",
      { condition: { type: "water_level", station: UNKNOWN, above_cm: 1, below_cm: 2 } },
      "/condition/below_cm",
    ],
    [
      "a limit that is null",
      { condition: { type: "system", what: "disk_free", below: null } },
      "/condition/below",
    ],
    ["too many devices", { device_ids: ids(2_001) }, "/device_ids"],
    ["too many targets", { target_ids: ids(101) }, "/target_ids"],
    ["no name", { name: undefined }, "/name"],
    ["no severity", { severity: undefined }, "/severity"],
    ["a cooldown of more than a day", { cooldown_seconds: 86_401 }, "/cooldown_seconds"],
    [
      "an escalation too soon",
      { escalate_after_seconds: 9, escalate_target_ids: [UNKNOWN] },
      "/escalate_after_seconds",
    ],
    ["further targets without a time", { escalate_target_ids: [UNKNOWN] }, "/escalate_target_ids/0"],
    ["a text that is too long", { message: "x".repeat(501) }, "/message"],
    ["an empty text", { message: "" }, "/message"],
    ["braces around a space", { message: "{ device }" }, "/message"],
    [
      "a schedule without a zone",
      { schedule: { windows: [{ days, from: "10:00", to: "11:00" }] } },
      "/schedule/timezone",
    ],
    [
      "a day that there is not",
      { schedule: windows({ days: ["lundi"], from: "10:00", to: "11:00" }) },
      "/schedule/windows/0/days/0",
    ],
    [
      "a window of no day",
      { schedule: windows({ days: [], from: "10:00", to: "11:00" }) },
      "/schedule/windows/0/days",
    ],
    [
      "a begin at the end of a day",
      { schedule: windows({ days, from: "24:00", to: "11:00" }) },
      "/schedule/windows/0/from",
    ],
    [
      "a time in seconds",
      { schedule: windows({ days, from: "10:00:00", to: "11:00" }) },
      "/schedule/windows/0/from",
    ],
  ])("%s", async (_, fields, path) => {
    const before = rows(server, "SELECT * FROM alert_rules").length;
    expectInvalid(await create(fields), path);
    expect(rows(server, "SELECT * FROM alert_rules")).toHaveLength(before);
  });

  test.each(["water_level", "system"])("devices, where its condition is of type %s", async (type) => {
    const { id } = await server.device();
    const conditions: Record<string, object> = {
      water_level: { type, station: UNKNOWN, above_cm: 600 },
      system: { type, what: "disk_free", below: 1 },
    };
    expectInvalid(await create({ condition: conditions[type], device_ids: [id] }), "/device_ids");
  });

  test("identifiers in either case, each once", async () => {
    const { id } = await server.device();
    const { data } = expectStatus(await create({ device_ids: [id.toUpperCase(), id] }), 201).body;
    expect(data.device_ids).toEqual([id]);
  });
});

function zone(geofence_ids: string[]) {
  return { type: "zone", event: "exit", geofence_ids };
}

function windows(window: object) {
  return { timezone: "UTC", windows: [window] };
}

describe("lists of alerts and acknowledgements", () => {
  test.each([
    ["status=gone", "/status"],
    ["severity=panic", "/severity"],
    ["device_id=van", "/device_id"],
    ["page=0", "/page"],
  ])("refuse %s", async (query, path) => {
    expectInvalid(await server.get(`${ALERTS}?${query}`, { token }), path);
  });

  test("refuse a note that is too long or no text, and take none", async () => {
    const device = await server.device();
    await newRule(server, SPEED, { device_ids: [device.id] });
    await send(server, device);
    const [{ id }] = await alertsOf(server, `&device_id=${device.id}`);
    const path = `${ALERTS}/${id}/acknowledge`;
    expectInvalid(await server.post(path, { token, body: { note: "x".repeat(1_001) } }), "/note");
    expectInvalid(await server.post(path, { token, body: { note: 7 } }), "/note");
    expect(await briefOf(server, device.id)).toEqual(["open speed"]);
    const { data } = done(await server.post(path, { token, body: { note: null } }));
    expect(data).toMatchObject({ status: "acknowledged", acknowledge_note: null });
    expectStatus(await server.post(`${ALERTS}/none/acknowledge`, { token }), 400);
    expectRefused(await server.get(`${ALERTS}/${UNKNOWN}`, { token }), 404, "NotFound");
  });

  test("of one that is over leaves it over, and who has acknowledged it stays as it returns", async () => {
    const device = await server.device();
    await newRule(server, SPEED, { device_ids: [device.id] });
    await send(server, device);
    await server.advance(MINUTE);
    await send(server, device, { speed_knots: 1 });
    const [{ id }] = await alertsOf(server, `&device_id=${device.id}`);
    const { data } = done(await server.post(`${ALERTS}/${id}/acknowledge`, { token }));
    expect(data).toMatchObject({ status: "cleared", acknowledged_by: expect.any(String) });
    await server.advance(MINUTE);
    await send(server, device);
    const [again] = await alertsOf(server, `&device_id=${device.id}`);
    expect(again).toMatchObject({ id, status: "acknowledged", count: 2, cleared_at: null });
  });
});

test("a clock that was set back lets an alert be raised, seen and cleared as ever", async () => {
  const silent = await server.device();
  await newRule(server, { type: "silence", seconds: 60 }, { device_ids: [silent.id], cooldown_seconds: 0 });
  const told = async (words: string[]) =>
    eventually(async () => (await briefOf(server, silent.id)).join() === words.join());
  await send(server, silent);
  await server.advance(MINUTE);
  await told(["open silence"]);
  await send(server, silent);
  await told(["cleared silence"]);
  await server.advance(-DAY);
  await send(server, silent);
  await server.advance(MINUTE);
  // By its identifier the new one is the older.
  await told(["open silence", "cleared silence"]);
  await server.advance(2 * MINUTE);
  await clockWatched(server);
  await send(server, silent);
  await told(["cleared silence", "cleared silence"]);
  expect(server.output).not.toContain("constraint");
  await server.advance(DAY);
});

test("what is held back, and what is to be told further targets, is due in its time by a clock that was set back", async () => {
  const further = await newWebhook(server);
  const { device } = await newZoneWatch(server, "exit", { hold_seconds: 600 });
  const fast = await server.device();
  const escalation = { escalate_after_seconds: 600, escalate_target_ids: [further.id] };
  await newRule(server, SPEED, { device_ids: [fast.id], ...escalation });
  await send(server, device);
  await server.advance(MINUTE);
  await send(server, device, northOf(fix(), 5));
  await send(server, fast);
  await clockWatched(server);
  await server.advance(-DAY);
  await clockWatched(server);
  await server.advance(9 * MINUTE);
  await clockWatched(server);
  expect(await briefOf(server, device.id)).toEqual([]);
  expect((await alertsOf(server, `&device_id=${fast.id}`))[0]?.escalated_at).toBeNull();
  await server.advance(MINUTE);
  await eventually(async () => (await briefOf(server, device.id)).join() === "open exit Depot");
  await eventually(async () => (await alertsOf(server, `&device_id=${fast.id}`))[0]?.escalated_at !== null);
  await server.advance(DAY);
});
