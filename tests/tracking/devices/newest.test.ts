import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { done, expectInvalid, expectRefused, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { newDevice, newTracker } from "../doors/support";
import { postPoint } from "../support";

/** A device as other systems know it, and as it was last seen. */

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const read = async (id: string) => done(await server.get(`/v1/devices/${id}`, { token })).data;
const change = (id: string, body: object) => server.patch(`/v1/devices/${id}`, { token, body });

describe("external_id and max_speed_kmh", () => {
  test("are kept, changed and cleared", async () => {
    const id = await newDevice(server, { external_id: "860123045678901", max_speed_kmh: 80.5 });
    expect(await read(id)).toMatchObject({ external_id: "860123045678901", max_speed_kmh: 80.5 });
    done(await change(id, { external_id: "x".repeat(128), max_speed_kmh: null }));
    expect(await read(id)).toMatchObject({ external_id: "x".repeat(128), max_speed_kmh: null });
    done(await change(id, { external_id: null }));
    expect(await read(id)).toMatchObject({ external_id: null });
    expect(await read(await newDevice(server))).toMatchObject({ external_id: null, max_speed_kmh: null });
  });

  test.each([
    ["/external_id", { external_id: "" }],
    ["/external_id", { external_id: "x".repeat(129) }],
    ["/external_id", { external_id: 5 }],
    ["/max_speed_kmh", { max_speed_kmh: 0 }],
    ["/max_speed_kmh", { max_speed_kmh: 100_001 }],
    ["/max_speed_kmh", { max_speed_kmh: "fast" }],
  ])("refuses a wrong %s (%#)", async (path, body) => {
    expectInvalid(await server.post("/v1/devices", { token, body: { name: "x", ...body } }), path);
    expectInvalid(await change(await newDevice(server), body), path);
  });

  test("names one device alone: a second one is 409, and nothing is changed", async () => {
    await newDevice(server, { external_id: "taken" });
    const id = await newDevice(server, { name: "other" });
    const body = { name: "x", external_id: "taken" };
    expectRefused(await server.post("/v1/devices", { token, body }), 409, "Conflict");
    expectRefused(await change(id, body), 409, "Conflict");
    expect(await read(id)).toMatchObject({ name: "other", external_id: null });
  });

  test("is free again once its device is deleted", async () => {
    const id = await newDevice(server, { external_id: "reused" });
    expectStatus(await server.delete(`/v1/devices/${id}`, { token }), 204);
    expect(await read(await newDevice(server, { external_id: "reused" }))).toMatchObject({
      external_id: "reused",
    });
  });
});

describe("last_position_at and battery_percent", () => {
  const say = (tracker: { token: Token }, timestamp: number, battery_percent?: number) =>
    server.post("/v1/ingest/generic", {
      token: tracker.token,
      body: { latitude: 54, longitude: 13, timestamp, battery_percent },
    });

  test("are those of the newest fix by its own time, in the record and in the list", async () => {
    const tracker = await newTracker(server, "generic");
    const start = Math.floor(Date.now() / 1000) - 500;
    expect(await read(tracker.deviceId)).toMatchObject({ last_position_at: null, battery_percent: null });
    const expected = { last_position_at: new Date((start + 100) * 1000).toISOString(), battery_percent: 80 };
    done(await say(tracker, start + 100, 80));
    expect(await read(tracker.deviceId)).toMatchObject(expected);
    done(await say(tracker, start, 90));
    expect(await read(tracker.deviceId)).toMatchObject(expected);
    const { data } = done(await server.get("/v1/devices?limit=100", { token }));
    expect(data.find(({ id }: { id: string }) => id === tracker.deviceId)).toMatchObject(expected);
    done(await say(tracker, start + 200));
    expect((await read(tracker.deviceId)).battery_percent).toBeNull();
  });

  test("follow POST /v1/gps, and the deletion of the newest position", async () => {
    const device = await server.device();
    const { id, timestamp } = await postPoint(server, device.key);
    expect(await read(device.id)).toMatchObject({ last_position_at: timestamp, battery_percent: null });
    expectStatus(await server.delete(`/v1/gps/${id}`, { token }), 204);
    expect((await read(device.id)).last_position_at).toBeNull();
  });
});
