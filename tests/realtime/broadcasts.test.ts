import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { told } from "../support/told";
import { fix, postPoint } from "../tracking/support";

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const AT_SEA = { latitude: 54.2166, longitude: 13.5415 };

let clock = 1_372_578_069;
/** Posts a position that is newer than all before, without all that a receiver may leave out. */
const postFix = (token: string, overrides: object = {}) =>
  postPoint(server, token, {
    ...{ ...AT_SEA, altitude: undefined, heading: undefined, timestamp: ++clock },
    ...overrides,
  });

const listener = async (...channels: string[]) =>
  (await Client.open(server, { token: admin })).subscribe(...channels);

const ofType = (type: string, messages: Message[]) => messages.filter((message) => message.type === type);

describe("gpsUpdate", () => {
  test("carries exactly the point as REST answers it, without a channel", async () => {
    const device = await server.device();
    const client = await listener("gps");
    const point = await postFix(device.key, {
      altitude: 3.2,
      heading: 212.4,
      pdop: 1.6,
      hdop: 0.9,
      vdop: 1.3,
    });
    const heard = await client.heard();
    expect(heard).toEqual([{ type: "gpsUpdate", data: told(point) }]);
    expect(heard[0].data).toEqual({
      id: point.id,
      device_id: device.id,
      trip_id: null,
      ...AT_SEA,
      altitude: 3.2,
      heading: 212.4,
      timestamp: new Date(clock * 1_000).toISOString(),
      speed_kmh: 13.7,
      speed_mps: 3.81,
      speed_mph: 8.51,
      speed_knots: 7.4,
      pdop: 1.6,
      hdop: 0.9,
      vdop: 1.3,
      created_at: point.created_at,
    });
    await client.close();
  });

  test("carries null where the receiver said nothing, and for a point without a device", async () => {
    const client = await listener("gps");
    await postFix(admin);
    const [{ data }] = await client.heard();
    const { device_id, trip_id, altitude, heading, pdop, hdop, vdop } = data;
    expect({ device_id, trip_id, altitude, heading, pdop, hdop, vdop }).toEqual({
      device_id: null,
      trip_id: null,
      altitude: null,
      heading: null,
      pdop: null,
      hdop: null,
      vdop: null,
    });
    await client.close();
  });

  test("carries the trip that the point joined", async () => {
    const device = await server.device();
    const { body } = await server.post("/v1/trips", {
      token: admin,
      body: { name: "t", device_id: device.id, gps_logging_enabled: true },
    });
    await server.patch(`/v1/trips/${body.data.id}`, { token: admin, body: { status: "active" } });
    const client = await listener("gps");
    await postFix(device.key);
    expect((await client.heard())[0].data.trip_id).toBe(body.data.id);
    await client.close();
  });

  test("reaches gps:<device id> for that device alone", async () => {
    const [one, two] = [await server.device(), await server.device()];
    const client = await listener(`gps:${one.id}`);
    const point = await postFix(one.key);
    await postFix(two.key);
    await postFix(admin);
    expect(await client.heard()).toEqual([{ type: "gpsUpdate", data: told(point) }]);
    await client.close();
  });

  test("comes twice to a client on gps and gps:<device id>, once for each", async () => {
    const device = await server.device();
    const client = await listener("gps", `gps:${device.id}`);
    const message = { type: "gpsUpdate", data: told(await postFix(device.key)) };
    expect(await client.heard()).toEqual([message, message]);
    await client.close();
  });

  test("comes once to a client that subscribed twice, and to each of two connections of a user", async () => {
    const [one, two] = [await listener("gps", "gps"), await listener("gps")];
    const message = { type: "gpsUpdate", data: told(await postFix(admin)) };
    expect(await one.heard()).toEqual([message]);
    expect(await two.heard()).toEqual([message]);
    await Promise.all([one.close(), two.close()]);
  });

  test("comes no more after an unsubscribe, and again after another subscribe", async () => {
    const client = await listener("gps");
    await client.ask({ type: "unsubscribe", channel: "gps" });
    await postFix(admin);
    expect(await client.heard()).toEqual([]);
    await client.subscribe("gps");
    await postFix(admin);
    expect(await client.heard()).toHaveLength(1);
    await client.close();
  });

  test("leaves the other channels of a client when it unsubscribes from one", async () => {
    const device = await server.device();
    const client = await listener("gps", `gps:${device.id}`);
    await client.ask({ type: "unsubscribe", channel: "gps" });
    await postFix(device.key);
    expect(await client.heard()).toHaveLength(1);
    await client.close();
  });

  test("comes in the order in which the points were stored", async () => {
    const client = await listener("gps");
    const answers = await Promise.all(Array.from({ length: 20 }, () => postFix(admin)));
    const heard = (await client.heard()).map(({ data }) => data.id);
    expect(heard).toEqual(answers.map(({ id }) => id).sort());
    await client.close();
  });

  test("comes for a point that is older than the newest, and not for one that was refused or deleted", async () => {
    const device = await server.device();
    await postFix(device.key);
    const client = await listener("gps");
    await server.post("/v1/gps", { token: device.key, body: fix({ latitude: 91 }) });
    const old = await postFix(device.key, { timestamp: 1_000 });
    await server.delete(`/v1/gps/${old.id}`, { token: admin });
    expect(await client.heard()).toEqual([{ type: "gpsUpdate", data: told(old) }]);
    await client.close();
  });

  test("reaches nobody who isn't subscribed", async () => {
    const client = await listener("geofence", "vessels", "public", "admin:accounts");
    await postFix(admin);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("geofenceEvent", () => {
  let east = 0;
  /** A zone of 1 km far from those of all other tests, a fix in its middle and one outside. */
  async function zone(overrides: object = {}) {
    const centre = { latitude: 10, longitude: ++east };
    const { status, body } = await server.post("/v1/geofences", {
      token: admin,
      body: { name: "Harbour", ...centre, radius_km: 1, ...overrides },
    });
    expect(status).toBe(201);
    return { id: body.data.id as string, inside: centre, outside: { ...centre, latitude: 10.1 } };
  }

  test("has exactly the fields of the specification when a device enters and leaves", async () => {
    const metadata = { berth: "N4", depth: { metres: 3.5 }, tags: [1, null] };
    const [device, { id, inside, outside }] = [await server.device(), await zone({ metadata })];
    const client = await listener("geofence");
    await postFix(device.key, inside);
    await postFix(device.key, inside);
    await postFix(device.key, outside);
    const heard = await client.heard();
    const event = (name: string, distance: number) => ({
      type: "geofenceEvent",
      data: {
        geofence_id: id,
        geofence_name: "Harbour",
        event: name,
        device_id: device.id,
        distance_km: expect.closeTo(distance, 1),
        metadata,
      },
    });
    expect(heard).toEqual([event("enter", 0), event("exit", 11.1)]);
    await client.close();
  });

  test("has null for a zone without metadata, and comes after the update of the same point", async () => {
    const [device, { inside }] = [await server.device(), await zone()];
    const client = await listener("geofence", "gps");
    await postFix(device.key, inside);
    const heard = await client.heard();
    expect(heard.map(({ type }) => type)).toEqual(["gpsUpdate", "geofenceEvent"]);
    expect(heard[1].data.metadata).toBeNull();
    await client.close();
  });

  test("reaches geofence:<geofence id> for that zone alone, and a client on both channels twice", async () => {
    const [device, one, two] = [await server.device(), await zone(), await zone()];
    const [narrow, both] = [
      await listener(`geofence:${one.id}`),
      await listener("geofence", `geofence:${one.id}`),
    ];
    await postFix(device.key, one.inside);
    await postFix(device.key, two.inside);
    const summary = (messages: Message[]) =>
      ofType("geofenceEvent", messages).map(({ data }) => [data.event, data.geofence_id]);
    expect(summary(await narrow.heard())).toEqual([
      ["enter", one.id],
      ["exit", one.id],
    ]);
    expect(summary(await both.heard())).toEqual([
      ["enter", one.id],
      ["enter", one.id],
      ["exit", one.id],
      ["exit", one.id],
      ["enter", two.id],
    ]);
    await Promise.all([narrow.close(), both.close()]);
  });

  test("comes neither for a point without a device nor for one older than the device's newest", async () => {
    const [device, { inside, outside }] = [await server.device(), await zone()];
    await postFix(device.key, outside);
    const client = await listener("geofence");
    await postFix(admin, inside);
    await postFix(device.key, { ...inside, timestamp: 1_000 });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("comes neither when a zone is moved under a device, which is outside then, nor when it is deleted", async () => {
    const [device, { id, inside, outside }] = [await server.device(), await zone()];
    await postFix(device.key, inside);
    const client = await listener("geofence");
    await server.patch(`/v1/geofences/${id}`, { token: admin, body: outside });
    expect(await client.heard()).toEqual([]);
    await postFix(device.key, inside);
    expect(await client.heard()).toEqual([]);
    await postFix(device.key, outside);
    expect((await client.heard()).map(({ data }) => data.event)).toEqual(["enter"]);
    await server.delete(`/v1/geofences/${id}`, { token: admin });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});
