import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { done, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { staff } from "../../support/people";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE, SECOND } from "../../support/time";
import { fix, northOf } from "../../tracking/support";
import {
  ALERTS,
  alertsOf,
  briefOf,
  changeRule,
  clockWatched,
  newRule,
  newZoneWatch,
  RULES,
  type Sender,
  send,
} from "../support";
import { newWebhook } from "../targets/support";

const AWAY = northOf(fix(), 5);
const SPEED = { type: "speed", above_knots: 5 };

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

const body = (fields: object) => ({ name: "rule", severity: "alarm", condition: SPEED, ...fields });
const read = async (id: string) => done(await server.get(`${RULES}/${id}`, { token })).data;
const deliveriesOf = async (id: string) =>
  done(await server.get(`${ALERTS}/${id}`, { token })).data.deliveries;

describe("unknown fields", () => {
  test("are ignored, also inside of a condition and of a schedule", async () => {
    const window = { days: ["mon"], from: "00:00", to: "24:00" };
    const made = await newRule(
      server,
      { ...SPEED, geofence_ids: [UNKNOWN], colour: "red" },
      {
        ...{ colour: "red" },
        schedule: { timezone: "UTC", windows: [{ ...window, colour: "red" }], colour: "red" },
      },
    );
    expect(made).not.toHaveProperty("colour");
    expect(made.condition).toEqual(SPEED);
    expect(made.schedule).toEqual({ timezone: "UTC", windows: [window] });
    const changed = await changeRule(server, made.id, { condition: { ...SPEED, colour: "blue" } });
    expect(changed).toEqual(made);
  });
});

describe("a change", () => {
  test.each([
    ["of the name alone to nothing", { name: "" }, "/name"],
    ["of the condition to another type's fields", { condition: { type: "silence" } }, "/condition/seconds"],
    ["of the condition to both limits", bothLimits(), "/condition/below_cm"],
    ["of the devices to an unknown one", { device_ids: [UNKNOWN] }, "/device_ids/0"],
    ["of the severity to null", { severity: null }, "/severity"],
    ["of the time to hold to part of a second", { hold_seconds: 1.5 }, "/hold_seconds"],
    ["of the cooldown to less than nothing", { cooldown_seconds: -1 }, "/cooldown_seconds"],
    ["of the schedule to no window", { schedule: { timezone: "UTC", windows: [] } }, "/schedule/windows"],
    ["of the schedule to an hour that there is not", windowTo("25:00"), "/schedule/windows/0/to"],
    ["of the targets to an unknown one", { target_ids: [UNKNOWN] }, "/target_ids/0"],
    ["of the escalation to nobody", { escalate_after_seconds: 60 }, "/escalate_target_ids"],
    ["of the text to unknown braces", { message: "{Device}" }, "/message"],
    ["of the text to braces with nothing in them", { message: "left {}" }, "/message"],
  ])("%s is refused, and changes nothing", async (_, change, path) => {
    const made = await newRule(server, SPEED);
    expectInvalid(await server.patch(`${RULES}/${made.id}`, { token, body: change }), path);
    expect(await read(made.id)).toEqual(made);
  });

  test("of nothing is refused, and one to the same writes nothing", async () => {
    const made = await newRule(server, SPEED);
    expectStatus(await server.patch(`${RULES}/${made.id}`, { token, body: {} }), 400);
    const { id, created_at: _, updated_at: __, is_silent: ___, ...same } = made;
    expect(await changeRule(server, id, same)).toEqual(made);
    const events = rows(
      server,
      "SELECT 1 FROM audit_events WHERE event_type = 'alert_rule_updated' AND resource_id = ?",
      id,
    );
    expect(events).toEqual([]);
  });

  test("of other things than the targets is made, also where a database of an older version names a lost one", async () => {
    const { id } = await newRule(server, SPEED);
    write(server, `UPDATE alert_rules SET target_ids = '["${UNKNOWN}"]' WHERE id = '${id}'`);
    expect(await changeRule(server, id, { name: "other" })).toMatchObject({ name: "other" });
    const other = { escalate_target_ids: [UNKNOWN], escalate_after_seconds: 60 };
    expectInvalid(await server.patch(`${RULES}/${id}`, { token, body: other }), "/escalate_target_ids/0");
  });

  test("of the time to hold counts for what is held back already", async () => {
    const [shorter, longer] = [
      await newZoneWatch(server, "exit", { hold_seconds: 7_200 }),
      await newZoneWatch(server, "exit", { hold_seconds: 60 }),
    ];
    for (const place of [fix(), AWAY]) {
      await server.advance(MINUTE);
      for (const { device } of [shorter, longer])
        await send(server, device, { latitude: place.latitude, longitude: place.longitude });
    }
    await changeRule(server, shorter.rule.id, { hold_seconds: 60 });
    await changeRule(server, longer.rule.id, { hold_seconds: 600 });
    await server.advance(2 * MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, shorter.device.id)).toEqual(["open exit Depot"]);
    expect(await briefOf(server, longer.device.id)).toEqual([]);
    await server.advance(8 * MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, longer.device.id)).toEqual(["open exit Depot"]);
  });

  test("that switches a rule off and on lets what still holds be raised anew", async () => {
    const device = await server.device();
    const { id } = await newRule(server, SPEED, { device_ids: [device.id], cooldown_seconds: 0 });
    await send(server, device);
    await changeRule(server, id, { is_active: false });
    await server.advance(SECOND);
    await send(server, device);
    expect(await briefOf(server, device.id)).toEqual(["cleared speed"]);
    await changeRule(server, id, { is_active: true });
    await server.advance(SECOND);
    await send(server, device);
    expect(await briefOf(server, device.id)).toEqual(["cleared speed", "open speed"]);
  });

  test("that switches a rule off forgets what it has held back", async () => {
    const device = await server.device();
    const { id } = await newRule(server, SPEED, { device_ids: [device.id], hold_seconds: 60 });
    await send(server, device);
    await changeRule(server, id, { is_active: false });
    await changeRule(server, id, { is_active: true });
    await server.advance(2 * MINUTE);
    await clockWatched(server);
    expect(await briefOf(server, device.id)).toEqual([]);
  });

  test("of other fields leaves what is open as it is", async () => {
    const device = await server.device();
    const { id } = await newRule(server, SPEED, { device_ids: [device.id] });
    await send(server, device);
    const before = await alertsOf(server, `&device_id=${device.id}`);
    await changeRule(server, id, { name: "renamed", severity: "info", message: "{value}", device_ids: [] });
    expect(await alertsOf(server, `&device_id=${device.id}`)).toEqual(before);
  });
});

function bothLimits() {
  return { condition: { type: "water_level", station: UNKNOWN, above_cm: 1, below_cm: 2 } };
}

function windowTo(to: string) {
  return { schedule: { timezone: "UTC", windows: [{ days: ["mon"], from: "10:00", to }] } };
}

describe("further targets", () => {
  const escalation = async () => ({
    target_ids: [],
    ...{ escalate_after_seconds: 60, escalate_target_ids: [(await newWebhook(server)).id] },
  });

  test("are told nothing by a rule whose maker has lost the right meanwhile", async () => {
    const device = await server.device();
    const maker = await staff(server, "alerts:write", "alerts:read", "gps:read");
    const fields = { device_ids: [device.id], ...(await escalation()) };
    expectStatus(await server.post(RULES, { token: maker.token, body: body(fields) }), 201);
    await send(server, device);
    done(await server.post(`/v1/users/${maker.id}/ban`, { token, body: { reason: "gone" } }));
    await server.advance(2 * MINUTE);
    await clockWatched(server);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ status: "open", escalated_at: null });
    expect(await deliveriesOf(alert.id)).toEqual([]);
  });

  test("that a rule has lost meanwhile count as not told", async () => {
    const device = await server.device();
    const { id } = await newRule(server, SPEED, { device_ids: [device.id], ...(await escalation()) });
    await send(server, device);
    await changeRule(server, id, { escalate_after_seconds: null, escalate_target_ids: null });
    await server.advance(2 * MINUTE);
    await clockWatched(server);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert.escalated_at).toBeNull();
  });

  test("are told nothing of an alert that is over", async () => {
    const device = await server.device();
    await newRule(server, SPEED, { device_ids: [device.id], ...(await escalation()) });
    await send(server, device);
    await server.advance(30 * SECOND);
    await send(server, device, { speed_knots: 1 });
    await server.advance(2 * MINUTE);
    await clockWatched(server);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({ status: "cleared", escalated_at: null });
    expect(await deliveriesOf(alert.id)).toEqual([]);
  });
});

describe("whoever was told of an alert", () => {
  /** The kinds of message that were put into the outbox for a rule's target, in order. */
  const toldOf = async (fields: (maker: string) => Promise<Sender>) => {
    const maker = await staff(server, "alerts:write", "alerts:read", "gps:read");
    const device = await fields(maker.token);
    done(await server.post(`/v1/users/${maker.id}/ban`, { token, body: { reason: "gone" } }));
    await server.advance(6 * SECOND);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    done(await server.post(`${ALERTS}/${alert.id}/acknowledge`, { token }));
    return { device, alert };
  };
  const kinds = async (id: string) => (await deliveriesOf(id)).map(({ type }: { type: string }) => type);

  test("hears no more of it where the rule's maker has lost the right to see it", async () => {
    const hook = await newWebhook(server);
    const { device, alert } = await toldOf(async (maker) => {
      const own = await server.device();
      const fields = { device_ids: [own.id], target_ids: [hook.id] };
      expectStatus(await server.post(RULES, { token: maker, body: body(fields) }), 201);
      await send(server, own);
      return own;
    });
    await send(server, device, { speed_knots: 1 });
    expect(await briefOf(server, device.id)).toEqual(["cleared speed"]);
    expect(await kinds(alert.id)).toEqual(["alert.raised"]);
  });

  test("hears no more of an anchor where that goes for the rule that added it", async () => {
    const [own, added] = [await newWebhook(server), await newWebhook(server)];
    const { device, alert } = await toldOf(async (maker) => {
      const boat = await server.device();
      const rule = body({ condition: { type: "anchor" }, device_ids: [boat.id], target_ids: [added.id] });
      expectStatus(await server.post(RULES, { token: maker, body: rule }), 201);
      await send(server, boat);
      const watch = { radius_m: 50, confirm_fixes: 1, target_ids: [own.id] };
      done(await server.put(`/v1/devices/${boat.id}/anchor`, { token, body: watch }));
      await server.advance(SECOND);
      await send(server, boat, AWAY);
      return boat;
    });
    expectStatus(await server.delete(`/v1/devices/${device.id}/anchor`, { token }), 204);
    const deliveries = await deliveriesOf(alert.id);
    const of = (hook: { id: string }) =>
      deliveries
        .filter(({ target_id }: { target_id: string }) => target_id === hook.id)
        .map(({ type }: { type: string }) => type);
    expect(of(added)).toEqual(["alert.raised"]);
    expect(of(own)).toEqual(["alert.raised", "alert.acknowledged", "alert.cleared"]);
  });
});

describe("a rule that has lost its last device", () => {
  test.each([
    ["device", { device_ids: [] }],
    ["device", { condition: { ...SPEED, above_knots: 6 } }],
    ["zone", { condition: { type: "zone", event: "exit", geofence_ids: [] } }],
  ])("or zone stays off until it is told what to watch: %s", async (what, aim) => {
    const { device, zone, rule } = await newZoneWatch(server, "exit");
    const id = what === "zone" ? rule.id : (await newRule(server, SPEED, { device_ids: [device.id] })).id;
    const gone = what === "zone" ? `/v1/geofences/${zone.id}` : `/v1/devices/${device.id}`;
    expect(await read(id)).toMatchObject({ is_active: true, is_orphaned: false });
    expectStatus(await server.delete(gone, { token }), 204);
    expect(await read(id)).toMatchObject({ is_active: false, is_orphaned: true });
    const on = { is_active: true };
    expectInvalid(await server.patch(`${RULES}/${id}`, { token, body: on }), "/is_active");
    expect(await changeRule(server, id, { name: "renamed" })).toMatchObject({ is_orphaned: true });
    expect(await changeRule(server, id, { ...on, ...aim })).toMatchObject({ ...on, is_orphaned: false });
  });
});

test.each([
  ["zone", { type: "zone", event: "exit", geofence_ids: [] }, "geofences:read"],
  ["silence", { type: "silence", seconds: 60 }, "gps:read"],
  ["speed", SPEED, "gps:read"],
  ["battery", { type: "battery", below_percent: 20 }, "gps:read"],
  ["anchor", { type: "anchor" }, "gps:read"],
  ["water_level", { type: "water_level", station: UNKNOWN, above_cm: 1 }, "pegel:read"],
  ["system", { type: "system", what: "disk_free", below: 1 }, "settings:read"],
])("a rule of type %s needs the right to see what it tells", async (_, condition, permission) => {
  const others = ["geofences:read", "gps:read", "pegel:read", "settings:read"];
  const without = others.filter((each) => each !== permission);
  const narrow = await server.key("alerts:read", "alerts:write", ...without);
  expectRefused(await server.post(RULES, { token: narrow, body: body({ condition }) }), 403, "Forbidden");
  const blind = await server.key("alerts:write", permission);
  expectRefused(await server.post(RULES, { token: blind, body: body({ condition }) }), 403, "Forbidden");
  const able = await server.key("alerts:read", "alerts:write", permission);
  expectStatus(await server.post(RULES, { token: able, body: body({ condition }) }), 201);
});

test("changes are written into the audit log, with the names of the fields and no more", async () => {
  const { id } = await newRule(server, SPEED);
  await changeRule(server, id, { name: "a secret name", hold_seconds: 5 });
  expectStatus(await server.delete(`${RULES}/${id}`, { token }), 204);
  const events = rows<{ event_type: string; metadata: string }>(
    server,
    "SELECT event_type, metadata FROM audit_events WHERE resource_id = ? ORDER BY id",
    id,
  );
  expect(events.map(({ event_type }) => event_type)).toEqual([
    ...["alert_rule_created", "alert_rule_updated", "alert_rule_deleted"],
  ]);
  expect(JSON.parse(events[1]?.metadata ?? "{}")).toMatchObject({
    condition: "speed",
    changed: ["name", "hold_seconds"],
  });
  expect(JSON.stringify(events)).not.toContain("a secret name");
});

test("a rule of a key of the installation falls silent as the key has ended", async () => {
  const device = await server.device();
  const fields = body({ device_ids: [device.id] });
  const { data } = expectStatus(
    await server.post(RULES, { token: server.systemKey, body: fields }),
    201,
  ).body;
  expect(await read(data.id)).toMatchObject({ is_silent: false });
  // No request may end such a key.
  write(server, "UPDATE api_keys SET expires_at = 1 WHERE owner_id IS NULL");
  expect(await read(data.id)).toMatchObject({ is_silent: true });
  await send(server, device);
  expect(await briefOf(server, device.id)).toEqual([]);
});
