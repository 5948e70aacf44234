import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { staff } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { createZone, fix, northOf } from "../../tracking/support";
import { alertsOf, briefOf, clockWatched, newRule, newZoneWatch, RULES, send } from "../support";
import { newWebhook } from "../targets/support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());
/** Rules of one test must not see the devices of another. */
afterEach(async () => {
  for (const { id } of rows<{ id: string }>(server, "SELECT id FROM alert_rules"))
    await server.delete(`${RULES}/${id}`, { token });
});

const SPEED = { type: "speed", above_knots: 5 };
const rule = (fields: object) => ({ name: "rule", severity: "alarm", condition: SPEED, ...fields });
const create = (fields: object) => server.post(RULES, { token, body: rule(fields) });
const change = (id: string, body: object, by = token) => server.patch(`${RULES}/${id}`, { token: by, body });
/** A time as texts have it. */
const minute = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
const read = async (id: string) => done(await server.get(`${RULES}/${id}`, { token })).data;

describe("a rule", () => {
  test("is created with its defaults, read, changed and deleted", async () => {
    const answer = await create({});
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(answer.headers.get("location")).toBe(`${RULES}/${data.id}`);
    expect(data).toMatchObject({
      ...{ name: "rule", is_active: true, is_silent: false, severity: "alarm", device_ids: [] },
      ...{ condition: SPEED, hold_seconds: 0, cooldown_seconds: 300, schedule: null, target_ids: null },
      ...{ escalate_after_seconds: null, escalate_target_ids: null, message: null },
    });
    expect(await read(data.id)).toEqual(data);
    const changed = done(await change(data.id, { name: "fast", hold_seconds: 30 })).data;
    expect(changed).toMatchObject({
      ...data,
      name: "fast",
      hold_seconds: 30,
      updated_at: changed.updated_at,
    });
    expect((await server.delete(`${RULES}/${data.id}`, { token })).status).toBe(204);
    expectRefused(await server.get(`${RULES}/${data.id}`, { token }), 404, "NotFound");
    expectRefused(await change(data.id, { name: "gone" }), 404, "NotFound");
  });

  test("is one of a list, newest first, in pages", async () => {
    const made = [];
    for (const name of ["one", "two", "three"]) made.unshift((await newRule(server, SPEED, { name })).id);
    const { data, pagination } = done(await server.get(`${RULES}?limit=2`, { token }));
    expect(data.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
    expect(pagination).toMatchObject({ limit: 2, total: rows(server, "SELECT 1 FROM alert_rules").length });
  });

  test.each([
    ["no condition", { condition: null }, "/condition"],
    ["a condition of no type", { condition: { type: "wind" } }, "/condition/type"],
    ["a condition without its field", { condition: { type: "speed" } }, "/condition/above_knots"],
    [
      "another type's field alone",
      { condition: { type: "battery", above_knots: 4 } },
      "/condition/below_percent",
    ],
    [
      "no limit of a water level",
      { condition: { type: "water_level", station: UNKNOWN } },
      "/condition/above_cm",
    ],
    [
      "both limits of a measure",
      { condition: { type: "system", what: "disk_free", above: 1, below: 2 } },
      "/condition/below",
    ],
    [
      "a measure that there is not",
      { condition: { type: "system", what: "weather", above: 1 } },
      "/condition/what",
    ],
    ["silence that is too short", { condition: { type: "silence", seconds: 9 } }, "/condition/seconds"],
    [
      "a zone that there is not",
      { condition: { type: "zone", event: "exit", geofence_ids: [UNKNOWN] } },
      "/condition/geofence_ids/0",
    ],
    [
      "a zone's event that there is not",
      { condition: { type: "zone", event: "near", geofence_ids: [] } },
      "/condition/event",
    ],
    ["a device that there is not", { device_ids: [UNKNOWN] }, "/device_ids/0"],
    [
      "devices where there are none",
      { condition: { type: "system", what: "disk_free", below: 2 }, device_ids: [UNKNOWN] },
      "/device_ids/0",
    ],
    ["a target that there is not", { target_ids: [UNKNOWN] }, "/target_ids/0"],
    ["an escalation to nobody", { escalate_after_seconds: 60 }, "/escalate_target_ids"],
    ["unknown braces", { message: "{device} in {harbour}" }, "/message"],
    ["a severity that there is not", { severity: "panic" }, "/severity"],
    [
      "a time zone that there is not",
      { schedule: { timezone: "Mars/Olympus", windows: [{ days: ["mon"], from: "00:00", to: "01:00" }] } },
      "/schedule/timezone",
    ],
    ["a hold of years", { hold_seconds: 86_401 }, "/hold_seconds"],
  ])("is refused with %s", async (_, fields, path) => {
    const before = rows(server, "SELECT * FROM alert_rules").length;
    expectInvalid(await create(fields), path);
    expect(rows(server, "SELECT * FROM alert_rules")).toHaveLength(before);
  });

  test("has its text filled in", async () => {
    const device = await server.device("Van 3");
    const message = "{device} makes {value} kn at {place}, {time}{zone}";
    await newRule(server, SPEED, { device_ids: [device.id], message });
    await send(server, device, { speed_knots: 7.42 });
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert.message).toMatch(
      /^Van 3 makes 7\.4 kn at 54\.09670, 13\.45530, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/,
    );
  });

  test("has the time of the crossing in its text, however long the alert was held back", async () => {
    const message = "{device} left {zone} at {time}";
    const { device } = await newZoneWatch(server, "exit", { message, hold_seconds: 600 });
    await send(server, device);
    await server.advance(2 * MINUTE);
    const left = server.time;
    await send(server, device, northOf(fix(), 5));
    await server.advance(10 * MINUTE);
    await clockWatched(server);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({
      message: `device left Depot at ${minute(left)}`,
      ...{ has_own_message: true, subject_name: "Depot" },
    });
    expect(minute(Date.parse(alert.raised_at))).not.toBe(minute(left));
  });

  test("ends its alerts when it is switched off, gets another condition, loses the device or is deleted", async () => {
    for (const end of [
      (id: string) => change(id, { is_active: false }),
      (id: string) => change(id, { condition: { type: "speed", above_knots: 6 } }),
      async (id: string) => change(id, { device_ids: [(await server.device()).id] }),
      (id: string) => server.delete(`${RULES}/${id}`, { token }),
    ]) {
      const device = await server.device();
      const { id } = await newRule(server, SPEED, { device_ids: [device.id] });
      await send(server, device);
      expect(await briefOf(server, device.id)).toEqual(["open speed"]);
      expect((await end(id)).status).toBeLessThan(300);
      expect(await briefOf(server, device.id)).toEqual(["cleared speed"]);
    }
  });

  test("that loses its last device or zone is switched off: an empty list would mean all", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const zone = await createZone(server);
    const condition = { type: "zone", event: "enter", geofence_ids: [zone.id] };
    const ofZone = await newRule(server, condition, { device_ids: [other.id] });
    const ofDevice = await newRule(server, SPEED, { device_ids: [device.id] });
    const ofBoth = await newRule(server, SPEED, { device_ids: [device.id, other.id] });
    expect((await server.delete(`/v1/devices/${device.id}`, { token })).status).toBe(204);
    expect((await server.delete(`/v1/geofences/${zone.id}`, { token })).status).toBe(204);
    expect(await read(ofDevice.id)).toMatchObject({ device_ids: [], is_active: false });
    expect(await read(ofBoth.id)).toMatchObject({ device_ids: [other.id], is_active: true });
    expect(await read(ofZone.id)).toMatchObject({ is_active: false, condition: { geofence_ids: [] } });
  });
});

describe("a rule tells no more than its maker may see", () => {
  test("when it is made, and when it is changed", async () => {
    const { token: narrow } = await staff(server, "alerts:write");
    const body = rule({});
    expectRefused(await server.post(RULES, { token: narrow, body }), 403, "Forbidden");
    const { token: reader } = await staff(server, "alerts:write", "alerts:read", "gps:read");
    const { data } = done(await server.post(RULES, { token: reader, body }));
    const zone = { type: "zone", event: "exit", geofence_ids: [] };
    expectRefused(await change(data.id, { condition: zone }, reader), 403, "Forbidden");
    expect((await change(data.id, { name: "renamed" }, narrow)).status).toBe(200);
    expectRefused(await change(data.id, { device_ids: [] }, narrow), 403, "Forbidden");
  });

  test("and whenever it acts: the rule of one who has lost the right falls silent", async () => {
    const device = await server.device();
    const maker = await staff(server, "alerts:write", "alerts:read", "gps:read");
    const body = rule({ device_ids: [device.id] });
    const { id } = done(await server.post(RULES, { token: maker.token, body })).data;
    done(await server.post(`/v1/users/${maker.id}/ban`, { token, body: { reason: "gone" } }));
    expect(await read(id)).toMatchObject({ is_silent: true });
    await send(server, device);
    expect(await briefOf(server, device.id)).toEqual([]);
    // Somebody who may lets it speak again.
    done(await change(id, { device_ids: [device.id] }));
    expect(await read(id)).toMatchObject({ is_silent: false });
  });
});

test("a device that is deleted leaves its alerts, cleared, with its name", async () => {
  const device = await server.device("Van 9");
  await newRule(server, SPEED, { device_ids: [device.id] });
  await send(server, device);
  await server.delete(`/v1/devices/${device.id}`, { token });
  const [alert] = await alertsOf(server, `&device_id=${device.id}`);
  expect(alert).toMatchObject({ status: "cleared", device_name: "Van 9" });
});

test("a zone that is reshaped or switched off ends its alerts", async () => {
  for (const body of [{ radius_km: 2 }, { is_active: false }]) {
    const [device, zone] = [await server.device(), await createZone(server)];
    const condition = { type: "zone", event: "enter", geofence_ids: [zone.id] };
    await newRule(server, condition, { device_ids: [device.id] });
    await send(server, device, northOf(fix(), 5), 2);
    await send(server, device);
    expect(await briefOf(server, device.id)).toEqual(["open enter zone"]);
    done(await server.patch(`/v1/geofences/${zone.id}`, { token, body }));
    expect(await briefOf(server, device.id)).toEqual(["cleared enter zone"]);
  }
});

test("the document has the conditions as a discriminated union", async () => {
  const { document } = await server.contract();
  const condition = document.components.schemas.AlertCondition as {
    oneOf: object[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  };
  expect(condition.oneOf).toHaveLength(7);
  expect(condition.discriminator.propertyName).toBe("type");
  expect(condition.discriminator.mapping.zone).toBe("#/components/schemas/ZoneCondition");
  expect(Object.keys(condition.discriminator.mapping)).toEqual([
    ...["zone", "silence", "speed", "anchor", "battery", "water_level", "system"],
  ]);
});

test("targets that are named last are told, and those used by default where none are", async () => {
  const device = await server.device();
  const hook = await newWebhook(server, undefined, { is_default: true });
  const other = await newWebhook(server);
  await newRule(server, SPEED, { device_ids: [device.id], target_ids: null });
  await newRule(
    server,
    { type: "speed", above_knots: 4 },
    { device_ids: [device.id], target_ids: [other.id] },
  );
  await newRule(server, { type: "speed", above_knots: 3 }, { device_ids: [device.id], target_ids: [] });
  await send(server, device);
  const told = rows<{ target_id: string }>(
    server,
    "SELECT lane AS target_id FROM outbox WHERE lane <> 'email' ORDER BY number",
  );
  expect(told.map(({ target_id }) => target_id).toSorted()).toEqual([hook.id, other.id].toSorted());
});
