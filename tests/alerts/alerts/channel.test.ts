import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { changesSince, getChanges, nowOf } from "../../changes/support";
import { resumed, take } from "../../realtime/feed-support";
import { done, eventually, expectStatus } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { subscribeInBinary } from "../../support/protobuf";
import { newRole, revoke } from "../../support/roles";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { DAY, MINUTE } from "../../support/time";
import { ALERTS, alertsOf, newRule, newZoneWatch, RULES, type Sender, send } from "../support";

/** Alerts on the socket, in the list of changes and in the stream. */

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

const FAST = { type: "speed", above_knots: 5 };

/** A device with a rule on its speed. */
async function watched(fields: object = {}): Promise<Sender> {
  const device = await server.device();
  await newRule(server, FAST, { device_ids: [device.id], ...fields });
  return device;
}

/** Lets an alert of a device be raised, acknowledged and cleared; returns its identifier. */
async function live(device: Sender): Promise<string> {
  await send(server, device);
  const [alert] = await alertsOf(server, `&device_id=${device.id}`);
  done(await server.post(`${ALERTS}/${alert.id}/acknowledge`, { token }));
  await server.advance(MINUTE);
  await send(server, device, { speed_knots: 1 });
  return alert.id;
}

const LIFE = ["alertRaised", "alertAcknowledged", "alertCleared"];

describe("a message", () => {
  test("comes as JSON text also to a client that has subscribed in Protobuf, as all data does", async () => {
    const device = await watched();
    const client = await subscribeInBinary(await Client.open(server, { bearer: token }), "alerts");
    const id = await live(device);
    const messages = [await client.next(), await client.next(), await client.next()];
    expect(messages.map(({ type, data }) => [type, data.id])).toEqual(LIFE.map((type) => [type, id]));
    await client.close();
  });

  test("holds the alert as the list shows it", async () => {
    const device = await watched({ message: "{device} is fast" });
    const client = await (await Client.open(server, { bearer: token })).subscribe("alerts");
    await send(server, device);
    const [message] = await take(client, 1);
    const [alert] = await alertsOf(server, `&device_id=${device.id}`);
    expect(message).toEqual({ type: "alertRaised", data: alert });
    await client.close();
  });

  test("is sent for each of a passing's ends: raised alone, as over", async () => {
    const { device } = await newZoneWatch(server, "passed");
    const client = await (await Client.open(server, { bearer: token })).subscribe("alerts");
    await send(server, device, { latitude: 54.05 });
    await server.advance(MINUTE);
    await send(server, device, { latitude: 54.15 });
    const messages = [...(await take(client, 1)), ...(await client.heard())];
    expect(messages.map(({ type, data }) => [type, data.status])).toEqual([["alertRaised", "cleared"]]);
    await client.close();
  });

  test("comes only after the commit, and none for what changes nothing", async () => {
    const device = await watched();
    const start = await nowOf(server);
    const id = await live(device);
    done(await server.post(`${ALERTS}/${id}/acknowledge`, { token }));
    const changes = await changesSince(server, start, { types: `${LIFE.join()},alertUpdated` });
    expect(changes.map(({ type }) => type)).toEqual(LIFE);
  });
});

describe("the right to read alerts", () => {
  test("that is lost ends the subscription, and hides alerts in the list of changes", async () => {
    const role = await newRole(server, "alerts:read", "gps:read");
    const user = await newUser(server, role.id);
    const device = await watched();
    const start = await nowOf(server);
    const client = await (await Client.open(server, { bearer: user.token })).subscribe("alerts");
    await live(device);
    expect((await take(client, LIFE.length)).map(({ type }) => type)).toEqual(LIFE);
    const seen = await changesSince(server, start, {}, user.token);
    expect(seen.map(({ type }) => type)).toEqual(expect.arrayContaining(LIFE));
    done(await revoke(server, role.id, "alerts:read"));
    await live(await watched());
    // Messages of the feed come a moment after the change.
    await Bun.sleep(300);
    const told = (await client.heard()).map(({ type }) => type);
    expect(told.filter((type) => String(type).startsWith("alert"))).toEqual([]);
    const left = await changesSince(server, start, {}, user.token);
    expect(left.map(({ type }) => type).filter((type) => type.startsWith("alert"))).toEqual([]);
    expect(left.some(({ type }) => type === "gpsUpdate")).toBe(true);
    expectStatus(await getChanges(server, { since: start, types: "alertRaised" }, user.token), 403);
    await client.close();
  });

  test("is needed to acknowledge none, and to see all", async () => {
    const device = await watched();
    await send(server, device);
    const [{ id }] = await alertsOf(server, `&device_id=${device.id}`);
    const writer = await staff(server, "alerts:write");
    expectStatus(await server.get(`${ALERTS}/${id}`, { token: writer.token }), 403);
    expectStatus(await server.get(ALERTS, { token: writer.token }), 403);
    const reader = await staff(server, "alerts:read");
    expectStatus(await server.post(`${ALERTS}/${id}/acknowledge`, { token: reader.token }), 403);
    expect(done(await server.get(`${ALERTS}/${id}`, { token: reader.token })).data.status).toBe("open");
  });
});

test("a stream tells of alerts, each with its cursor", async () => {
  const device = await watched();
  const since = await nowOf(server);
  const leaving = new AbortController();
  const answer = await fetch(`${server.url}/v1/changes/stream?types=${LIFE.join()}&since=${since}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  });
  const id = await live(device);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("event: alertCleared")) {
    const { value, done: isOver } = await reader.read();
    if (isOver) throw new Error("the stream is over");
    text += decoder.decode(value, { stream: true });
  }
  leaving.abort();
  expect(
    [...text.matchAll(/event: (\w+)\ndata: \{[^\n]*?"id":"([^"]+)"/g)].map(([, type, of]) => [type, of]),
  ).toEqual(LIFE.map((type) => [type, id]));
});

test("an alert that is gone is told as gone, on the socket too", async () => {
  const device = await watched();
  const start = await nowOf(server);
  const id = await live(device);
  const year = 366 * DAY;
  write(
    server,
    `UPDATE alerts SET raised_at = raised_at - ${year}, cleared_at = cleared_at - ${year} WHERE id = '${id}'`,
  );
  const { dataDir, ahead } = server;
  await server.stop();
  server = await TestServer.start({ clock: "movable", dataDir, ahead });
  token = await server.admin();
  await eventually(async () => (await server.get(`${ALERTS}/${id}`, { token })).status === 404);
  const gone = { id, device_id: device.id, is_deleted: true };
  const changes = await changesSince(server, start, { types: LIFE.join() });
  expect(changes.map(({ type, data }) => [type, data])).toEqual(LIFE.map((type) => [type, gone]));
  const client = await resumed(server, { bearer: token }, "alerts", start);
  expect((await take(client, LIFE.length)).map(({ type, data }) => [type, data])).toEqual(
    LIFE.map((type) => [type, gone]),
  );
  await client.close();
});

test("changes of one device leave out the alerts of others, and of none", async () => {
  const [one, other] = [await watched(), await watched()];
  const start = await nowOf(server);
  const id = await live(one);
  await live(other);
  const changes = await changesSince(server, start, { device_id: one.id, types: LIFE.join() });
  expect(changes.map(({ data }) => data.id)).toEqual([id, id, id]);
});

test("lists of alerts have pages, which hold each once", async () => {
  const device = await server.device();
  for (let count = 0; count < 5; count++) await newRule(server, FAST, { device_ids: [device.id] });
  await send(server, device);
  const found: string[] = [];
  let path = `${ALERTS}?limit=2&device_id=${device.id}&status=open`;
  while (path) {
    const { data, pagination, _links } = done(await server.get(path, { token }));
    expect(pagination).toMatchObject({ limit: 2, total: 5 });
    found.push(...data.map(({ id }: { id: string }) => id));
    path = _links.next?.href ?? _links.next ?? "";
  }
  expect(new Set(found).size).toBe(5);
  expect(found).toEqual(found.toSorted().reverse());
});
