import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checked, startWith } from "../../mqtt/support";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { done, eventually, expectInvalid, expectStatus } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { newZoneWatch, send } from "../support";
import { change, deliveriesTo, newTarget, PATH, tried } from "../targets/support";

/** Notification targets that are topics of the operator's MQTT broker. */

let broker: MqttBroker;
let server: TestServer;
beforeAll(async () => {
  broker = await MqttBroker.start();
  server = await startWith(broker);
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});

const create = async (body: object, on = server) =>
  on.post(PATH, { token: await on.admin(), body: { name: "x", kind: "mqtt", ...body } });

describe("a target", () => {
  test("has a topic, and takes no other field", async () => {
    const { data } = expectStatus(await create({ topic: "boat/alarms" }), 201).body;
    expect(data).toMatchObject({
      kind: "mqtt",
      topic: "boat/alarms",
      url: null,
      has_token: false,
      secret: null,
    });
    expectInvalid(await create({}), "/topic");
    expectInvalid(await create({ topic: "a", token: "tk_1" }), "/token");
    expectInvalid(await change(server, data.id, { url: "https://1.1.1.1/" }), "/url");
    done(await change(server, data.id, { topic: "boat/other" }));
  });

  test.each([
    ["boat/+/alarms", "wildcards"],
    ["#", "wildcards"],
    ["$SYS/alarms", "the broker's own"],
    ["fairlead/devices/x", "must not be below fairlead/"],
    ["fairlead", "must not be below fairlead/"],
    ["homeassistant/status", "must not be below homeassistant/"],
    ["owntracks/anna/phone", "must not be below owntracks/"],
    ["a\u0000b", ""],
    ["", ""],
    ["x".repeat(513), ""],
  ])("has not the topic %j", async (topic, words) => {
    const answer = await create({ topic });
    expectInvalid(answer, "/topic");
    expect(JSON.stringify(answer.body)).toContain(words);
  });

  test("needs a broker in the configuration", async () => {
    const without = await TestServer.start();
    const answer = await create({ topic: "boat/alarms" }, without);
    expectInvalid(answer, "/kind");
    expect(JSON.stringify(answer.body)).toContain("mqtt.url");
    await without.stop();
  });
});

describe("a message", () => {
  test("tells of an alert as a webhook does, with its words, and is not retained", async () => {
    const target = await newTarget(server, { kind: "mqtt", topic: "boat/alarms" });
    const { device, zone } = await newZoneWatch(server, "enter", { target_ids: [target.id] });
    await send(server, device, { latitude: 10 }, 20);
    await send(server, device, zone, 10);
    const [payload = ""] = await broker.comes("boat/alarms");
    const message = checked("notification", payload);
    expect(message).toMatchObject({
      ...{ type: "alert.raised", severity: "alarm", message: expect.any(String), title: expect.any(String) },
      data: { alert: { device_id: device.id }, device: { id: device.id }, zone: { id: zone.id } },
    });
    expect(broker.retained.has("boat/alarms")).toBe(false);
    await eventually(async () => (await deliveriesTo(server, target.id)).data[0]?.status === "delivered");
    expect((await deliveriesTo(server, target.id)).data[0]).toMatchObject({
      ...{ id: message.id, response_status: null, error: null, attempts: 1 },
    });
  });

  test("leaves out what the maker of the target may not see", async () => {
    const role = await newRole(server, "alerts:read", "alerts:write");
    const { id, token } = await externalUser(server);
    await assign(server, id, role.id);
    const body = { name: "x", kind: "mqtt", topic: "boat/blind" };
    const target = expectStatus(await server.post(PATH, { token, body }), 201).body.data;
    const { device, zone } = await newZoneWatch(server, "enter", { target_ids: [target.id] });
    await send(server, device, { latitude: 10 }, 20);
    await send(server, device, zone, 10);
    const [payload = ""] = await broker.comes("boat/blind");
    expect(checked("notification", payload).data).toMatchObject({ device: null, position: null, zone: null });
  });

  test("waits while the broker is away, and goes out as soon as it is back", async () => {
    const target = await newTarget(server, { kind: "mqtt", topic: "boat/later" });
    await broker.die();
    await eventually(async () => (await server.get("/health")).body.services.mqtt.status === "down");
    expect(await tried(server, target.id)).toMatchObject({
      ...{
        status: "failed",
        response_status: null,
        error: expect.stringMatching(/^the MQTT broker is not connected: /),
      },
    });
    const { device, zone } = await newZoneWatch(server, "enter", { target_ids: [target.id] });
    await send(server, device, { latitude: 10 }, 20);
    await send(server, device, zone, 10);
    await eventually(async () => (await deliveriesTo(server, target.id)).data[0]?.attempts > 0);
    await broker.listen();
    const [payload = ""] = await broker.comes("boat/later");
    expect(checked("notification", payload).type).toBe("alert.raised");
    expect(await tried(server, target.id)).toMatchObject({ status: "delivered", error: null });
  });

  test("that the broker refuses is tried again, and says why", async () => {
    const target = await newTarget(server, { kind: "mqtt", topic: "boat/refused" });
    broker.refuses = (topic) => (topic === "boat/refused" ? 135 : null);
    expect(await tried(server, target.id)).toMatchObject({
      ...{ status: "failed", error: "the MQTT broker: it does not authorize this client" },
    });
    broker.refuses = () => null;
    expect(await tried(server, target.id)).toMatchObject({ status: "delivered" });
  });
});
