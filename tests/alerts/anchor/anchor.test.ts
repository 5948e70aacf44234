import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { WebhookStandIn } from "../../stand-ins/webhook";
import {
  done,
  eventually,
  expectInvalid,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { MINUTE, SECOND } from "../../support/time";
import { fix, northOf } from "../../tracking/support";
import { alertsOf, briefOf, type Sender, send } from "../support";
import { newWebhook } from "../targets/support";

const ANCHOR = { latitude: fix().latitude, longitude: fix().longitude };

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "notifications.allowed_hosts": "127.0.0.1" },
  });
  token = await server.admin();
});
afterAll(() => server.stop());

const pathOf = (id: string) => `/v1/devices/${id}/anchor`;
const drop = (id: string, body: object) => server.put(pathOf(id), { token, body });
const watch = async (id: string) => done(await server.get(pathOf(id), { token })).data;

/** Sends a position at a distance north of the anchor, some seconds after the one before. */
async function swing(device: Sender, metres: number, seconds = 10) {
  await server.advance(seconds * SECOND);
  await send(server, device, northOf(ANCHOR, metres / 1_000));
}

/** A boat at anchor within 50 m, which lies 20 m north of it. */
async function anchored(fields: object = {}): Promise<Sender> {
  const device = await server.device("Vilm");
  await swing(device, 20);
  done(await drop(device.id, { ...ANCHOR, radius_m: 50, target_ids: [], ...fields }));
  return device;
}

describe("an anchor watch", () => {
  test("tells where the boat lies", async () => {
    const { id } = await anchored({ warning_radius_m: 40 });
    expect(await watch(id)).toMatchObject({
      ...{ device_id: id, state: "holding", radius_m: 50, warning_radius_m: 40, severity: "alarm" },
      ...{ silence_seconds: 120, confirm_fixes: 2, distance_m: 20, bearing_deg: 180, alert_id: null },
    });
  });

  test("alarms with the second position beyond the radius, and not with a stray one", async () => {
    const device = await anchored();
    for (const metres of [20, 300, 22, 70]) await swing(device, metres);
    expect(await briefOf(server, device.id)).toEqual([]);
    expect(await watch(device.id)).toMatchObject({ state: "holding", max_distance_m: 22 });
    await swing(device, 75);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert).toMatchObject({
      status: "open",
      subject: "dragging",
      severity: "alarm",
      rule_id: null,
      value: 75,
    });
    expect(await watch(device.id)).toMatchObject({ state: "dragging", alert_id: alert.id });
    for (const metres of [48, 46]) await swing(device, metres);
    expect((await watch(device.id)).state).toBe("dragging");
    for (const metres of [40, 38]) await swing(device, metres);
    expect((await watch(device.id)).state).toBe("holding");
    expect(await briefOf(server, device.id)).toEqual(["cleared anchor dragging"]);
  });

  test("warns between the radii, and the alarm takes the warning's place", async () => {
    const device = await anchored({ warning_radius_m: 40 });
    for (const metres of [45, 46]) await swing(device, metres);
    expect((await watch(device.id)).state).toBe("warning");
    for (const metres of [60, 61]) await swing(device, metres);
    expect(
      (await alertsOf(server, `&device_id=${device.id}`)).map(({ status, subject, severity }) => [
        status,
        subject,
        severity,
      ]),
    ).toEqual([
      ["cleared", "warning", "warning"],
      ["open", "dragging", "alarm"],
    ]);
  });

  test("alarms when no position arrives, and the next one ends that", async () => {
    const device = await anchored({ silence_seconds: 60 });
    await server.advance(45 * SECOND);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual([]);
    await server.advance(15 * SECOND);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual(["open anchor silent"]);
    expect((await watch(device.id)).state).toBe("silent");
    await swing(device, 25);
    expect(await briefOf(server, device.id)).toEqual(["cleared anchor silent"]);
    expect((await watch(device.id)).state).toBe("holding");
  });

  test("counts the silence on when it is resized, since the receiver may be dead already", async () => {
    const device = await anchored({ silence_seconds: 60 });
    await server.advance(40 * SECOND);
    done(await drop(device.id, { radius_m: 60, silence_seconds: 60, target_ids: [] }));
    await server.advance(20 * SECOND);
    await server.runJobs();
    expect(await briefOf(server, device.id)).toEqual(["open anchor silent"]);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(alert.value).toBeGreaterThanOrEqual(60);
    expect(alert.latitude).toBeCloseTo(northOf(ANCHOR, 0.02).latitude, 6);
  });

  test("tells of the newest position, be it old on arrival, and not of one that was deleted", async () => {
    const device = await anchored();
    await swing(device, 25);
    await server.advance(20 * MINUTE);
    await send(server, device, northOf(ANCHOR, 0.03), 900);
    const time = new Date((Math.floor(server.time / SECOND) - 900) * SECOND).toISOString();
    expect(await watch(device.id)).toMatchObject({ distance_m: 30, last_position_at: time });
    const stray = await send(server, device, northOf(ANCHOR, 4));
    expect((await watch(device.id)).distance_m).toBe(4_000);
    expect((await server.delete(`/v1/gps/${stray.id}`, { token })).status).toBe(204);
    expect(await watch(device.id)).toMatchObject({ distance_m: 30, last_position_at: time });
  });

  test("tells each alarm, however soon after the end of the one before", async () => {
    const hook = new WebhookStandIn();
    const { id } = await newWebhook(server, hook.url);
    const device = await anchored({ target_ids: [id], silence_seconds: 60 });
    const told = () => hook.bodies.map(({ type, data }) => [type, data.alert.subject]);
    for (const metres of [60, 61, 20, 21, 60, 61]) await swing(device, metres, 1);
    const begin = ["alert.raised", "dragging"];
    const drags = [begin, ["alert.cleared", "dragging"], begin];
    await eventually(() => told().length >= drags.length);
    expect(told()).toEqual(drags);
    for (const _ of ["a lone position ends the silence between them", "and it is silent again"]) {
      await swing(device, 61, 1);
      await server.advance(60 * SECOND);
      await server.runJobs();
    }
    const silence = ["alert.raised", "silent"];
    await eventually(() => told().length >= drags.length + 3);
    expect(told()).toEqual([...drags, silence, ["alert.cleared", "silent"], silence]);
    await hook.stop();
  });

  test("can be set from the newest position, moved and resized, and ends with its alerts", async () => {
    const device = await server.device("Vilm");
    expectRefused(await drop(device.id, { radius_m: 50 }), 409, "Conflict");
    await swing(device, 20);
    const { data } = done(
      await drop(device.id, { radius_m: 50, bearing_deg: 180, distance_m: 20, target_ids: [] }),
    );
    expect(data.latitude).toBeCloseTo(ANCHOR.latitude, 6);
    expect(data).toMatchObject({ distance_m: 20, bearing_deg: 180 });
    await server.advance(MINUTE);
    const resized = done(await drop(device.id, { radius_m: 30, target_ids: [] })).data;
    expect(resized).toMatchObject({ latitude: data.latitude, radius_m: 30, dropped_at: data.dropped_at });
    for (const metres of [40, 41]) await swing(device, metres);
    expect((await watch(device.id)).state).toBe("dragging");
    expect((await server.delete(pathOf(device.id), { token })).status).toBe(204);
    expect(await briefOf(server, device.id)).toEqual(["cleared anchor dragging"]);
    expectRefused(await server.get(pathOf(device.id), { token }), 404, "NotFound");
  });

  test("keeps its history when the anchor is moved, and measures on from the new place", async () => {
    const device = await anchored();
    for (const metres of [42, 43]) await swing(device, metres);
    const before = await watch(device.id);
    expect(before.max_distance_m).toBe(42);
    await server.advance(MINUTE);
    const moved = { ...northOf(ANCHOR, 0.04), radius_m: 30, target_ids: [] };
    const { data } = done(await drop(device.id, moved));
    expect(data).toMatchObject({ dropped_at: before.dropped_at, max_distance_m: 42 });
    // 21 and 22 m from where it lies now. A single position far away counts for nothing, as ever.
    for (const metres of [61, 62]) await swing(device, metres);
    expect((await watch(device.id)).max_distance_m).toBe(42);
    for (const metres of [90, 91]) await swing(device, metres);
    expect(await watch(device.id)).toMatchObject({ max_distance_m: 50, state: "dragging" });
    expect((await server.delete(pathOf(device.id), { token })).status).toBe(204);
    expect(done(await drop(device.id, moved)).data.max_distance_m).toBe(0);
  });

  test("is in the list of all, newest first, of which a user sees what is shared with them", async () => {
    const [older, newer, user] = [await anchored(), await anchored(), await newUser(server)];
    const list = async (as: string, query = "") =>
      done(await server.get(`/v1/anchor-watches${query}`, { token: as }));
    const { data, pagination } = await list(token, "?limit=2");
    expect(data.map(({ device_id }: { device_id: string }) => device_id)).toEqual([newer.id, older.id]);
    expect(data[1]).toEqual(await watch(older.id));
    expect(pagination.total).toBeGreaterThanOrEqual(2);
    expect((await list(token, "?page=1000")).data).toEqual([]);
    const refused = await server.get("/v1/anchor-watches", { token: user.token });
    expectRefused(refused, 403, "Forbidden");
    const share = `/v1/devices/${older.id}/shares/${user.id}`;
    expectStatus(await server.put(share, { token, body: { level: "manage" } }), 201);
    const own = await list(user.token);
    expect(own.data.map(({ device_id }: { device_id: string }) => device_id)).toEqual([older.id]);
  });

  test("refuses what makes no sense", async () => {
    const { id } = await anchored();
    expectInvalid(await drop(id, { radius_m: 50, latitude: 1 }), "/longitude");
    expectInvalid(await drop(id, { radius_m: 50, bearing_deg: 1 }), "/distance_m");
    expectInvalid(await drop(id, { ...ANCHOR, radius_m: 50, bearing_deg: 1, distance_m: 1 }), "/bearing_deg");
    expectInvalid(await drop(id, { radius_m: 50, warning_radius_m: 50 }), "/warning_radius_m");
    expectInvalid(await drop(id, { radius_m: 4 }), "/radius_m");
    expectInvalid(await drop(id, { radius_m: 50, target_ids: [UNKNOWN] }), "/target_ids/0");
    expectRefused(await drop(UNKNOWN, { radius_m: 50 }), 404, "NotFound");
  });

  test("is told on the socket, to extended subscriptions and those with since alone", async () => {
    const device = await anchored();
    const plain = await (await Client.open(server, { bearer: token })).subscribe(`gps:${device.id}`);
    const clients = await Promise.all(
      [{ extended: true }, { since: "now" }, { since: "now", extended: true }].map(async (wish) => {
        const client = await Client.open(server, { bearer: token });
        client.send({ type: "subscribe", channel: `gps:${device.id}`, ...wish });
        await client.heard();
        return client;
      }),
    );
    for (const metres of [60, 70]) await swing(device, metres, 1);
    for (const client of clients) {
      const updates = (await client.heard()).filter(({ type }) => type === "anchorUpdate");
      expect(updates.map(({ data }) => [data.state, data.distance_m])).toEqual([
        ["holding", 60],
        ["dragging", 70],
      ]);
      await client.ask({ type: "unsubscribe", channel: `gps:${device.id}` });
    }
    await swing(device, 90);
    for (const client of clients) expect(await client.heard()).toEqual([]);
    expect((await plain.heard()).map(({ type }) => type)).not.toContain("anchorUpdate");
  });
});
