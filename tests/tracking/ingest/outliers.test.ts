import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { createTrip, createZone, moveTrip, northOf, type Place } from "../support";

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const HERE = { latitude: 54.1, longitude: 13.4 };
const START = Math.floor(Date.now() / 1_000) - 3_600;
const north = (km: number): Place => northOf(HERE, km);

/** A device that moves at 100 km/h at most, with an active trip. */
async function car() {
  const device = await server.device();
  expectStatus(
    await server.patch(`/v1/devices/${device.id}`, { token: admin, body: { max_speed_kmh: 100 } }),
    200,
  );
  const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
  await moveTrip(server, trip.id, "active");
  /** Sends fixes by POST /v1/gps, each some seconds after the beginning. */
  const send = async (...fixes: [seconds: number, km: number][]) => {
    const points = [];
    for (const [seconds, km] of fixes) {
      const body = {
        ...north(km),
        timestamp: START + seconds,
        speed_kmh: 0,
        speed_mps: 0,
        speed_mph: 0,
        speed_knots: 0,
      };
      points.push(expectStatus(await server.post("/v1/gps", { token: device.key, body }), 201).body.data);
    }
    return points;
  };
  const marks = async () =>
    (await server.get(`/v1/gps?device_id=${device.id}&limit=50`, { token: admin })).body.data
      .toReversed()
      .map((point: { is_outlier: boolean; outlier_reason: string | null }) => {
        expect(point.is_outlier).toBe(point.outlier_reason !== null);
        return point.outlier_reason;
      });
  const current = async () =>
    Date.parse(
      (await server.get(`/v1/gps/current?device_id=${device.id}`, { token: admin })).body.data.timestamp,
    ) /
      1_000 -
    START;
  const km = async () => (await server.get(`/v1/trips/${trip.id}`, { token: admin })).body.data.distance_km;
  return { ...device, trip, send, marks, current, km };
}

const mark = (id: string, is_outlier: boolean, token = admin) =>
  server.patch(`/v1/gps/${id}`, { token, body: { is_outlier } });

describe("a fix that is too fast from both neighbours", () => {
  test("is marked, and counts for no distance and no current position", async () => {
    const { send, marks, current, km } = await car();
    await send([0, 0], [60, 1], [120, 50], [180, 2], [240, 3]);
    expect(await marks()).toEqual([null, null, "speed", null, null]);
    expect(await km()).toBeCloseTo(3, 3);
    expect(await current()).toBe(240);
  });

  test("moves nothing and raises nothing while it is the newest, and counts once the next one bears it out", async () => {
    const device = await car();
    const far = await createZone(server, { name: "far", ...north(50), radius_km: 1 });
    const client = await (await Client.open(server, { token: admin })).subscribe("geofence");
    await device.send([0, 0], [60, 50]);
    expect(await device.marks()).toEqual([null, null]);
    expect(await device.current()).toBe(0);
    expect(await device.km()).toBe(0);
    expect(await client.heard()).toEqual([]);
    await device.send([120, 50.2]);
    expect(await device.current()).toBe(120);
    expect(await device.km()).toBeCloseTo(50.2, 3);
    expect((await client.heard()).map(({ data }) => [data.event, data.geofence_id])).toEqual([
      ["enter", far.id],
    ]);
    await client.close();
  });

  test("raises nothing at all if the next one proves it wrong", async () => {
    const device = await car();
    await createZone(server, { name: "farther", ...north(80), radius_km: 1 });
    const client = await (await Client.open(server, { token: admin })).subscribe("geofence");
    await device.send([0, 0], [60, 80], [120, 0.5]);
    expect(await device.marks()).toEqual([null, "speed", null]);
    // The way back from the wrong place is as fast: it waits for the next one too.
    expect(await device.current()).toBe(0);
    await device.send([180, 0.6]);
    expect(await device.marks()).toEqual([null, "speed", null, null]);
    expect(await device.current()).toBe(180);
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("is found by a late one too, and let go by one", async () => {
    const device = await car();
    await device.send([0, 0], [600, 5], [1_200, 60], [1_800, 10]);
    expect(await device.marks()).toEqual([null, null, "speed", null]);
    const post = (positions: object[]) =>
      server.post("/v1/gps/batch", { token: device.key, body: { positions } });
    await post([
      { ...north(59), timestamp: START + 1_199 },
      { ...north(60.02), timestamp: START + 1_201 },
    ]);
    // Near to others of its kind, none of the three is too fast from both sides.
    expect((await device.marks()).filter((reason: string | null) => reason === "speed").length).toBeLessThan(
      3,
    );
  });
});

describe("a mark by hand", () => {
  test("takes a fix out of the trip's distance and of the current position, and puts it back", async () => {
    const { send, marks, current, km } = await car();
    const [, second, third] = await send([0, 0], [600, 1], [1_200, 2]);
    const marked = expectStatus(await mark(third.id, true), 200).body.data;
    expect(marked).toMatchObject({ id: third.id, is_outlier: true, outlier_reason: "hand" });
    expect([await km(), await current()]).toEqual([expect.closeTo(1, 3), 600]);
    await mark(second.id, true);
    expect([await km(), await current()]).toEqual([0, 0]);
    await mark(third.id, false);
    expect([await km(), await current()]).toEqual([expect.closeTo(2, 3), 1_200]);
    await mark(second.id, false);
    await mark(second.id, false);
    expect(await km()).toBeCloseTo(2, 3);
    expect(await marks()).toEqual([null, null, null]);
  });

  test("stays, whatever comes later", async () => {
    const { send, marks } = await car();
    const [, fast] = await send([0, 0], [600, 50], [1_200, 1]);
    expect(await marks()).toEqual([null, "speed", null]);
    await mark(fast.id, false);
    await send([610, 1]);
    expect((await marks())[1]).toBeNull();
    await mark(fast.id, true);
    await send([601, 50], [599, 50]);
    expect((await marks())[2]).toBe("hand");
  });

  test("stays where it only says what the server thought by itself", async () => {
    const { send, marks } = await car();
    const [, fast, third] = await send([0, 0], [600, 50], [1_200, 1]);
    expect(expectStatus(await mark(fast.id, true), 200).body.data.outlier_reason).toBe("hand");
    expectStatus(await mark(third.id, false), 200);
    // The first two excuse the second one, the last two accuse the third.
    await send([599, 50], [601, 50], [1_199, 50], [1_201, 50]);
    expect(await marks()).toEqual([null, null, "hand", null, null, null, null]);
  });

  test("needs gps:delete, a body, and a fix that is there", async () => {
    const { send } = await car();
    const [point] = await send([0, 0]);
    expectRefused(await mark(point.id, true, await server.key("gps:write", "gps:read")), 403, "Forbidden");
    expectRefused(await mark(crypto.randomUUID(), true), 404, "NotFound");
    expectRefused(
      await server.patch(`/v1/gps/${point.id}`, { token: admin, body: {} }),
      400,
      "ValidationError",
    );
  });
});

test("without a highest speed nothing is marked, and what waited counts once it is taken away", async () => {
  const device = await car();
  await device.send([0, 0], [60, 50]);
  expect(await device.current()).toBe(0);
  await server.patch(`/v1/devices/${device.id}`, { token: admin, body: { max_speed_kmh: null } });
  expect(await device.current()).toBe(60);
  await device.send([120, 0], [180, 90]);
  expect(await device.marks()).toEqual([null, null, null, null]);
  expect(await device.km()).toBeCloseTo(190, 2);
});

test("a fix that is deleted makes neighbours of those around it", async () => {
  const device = await server.device();
  await server.patch(`/v1/devices/${device.id}`, { token: admin, body: { max_speed_kmh: 100 } });
  const positions = [0, 50, 50.1, 1].map((km, n) => ({ ...north(km), timestamp: START + 60 * n }));
  const { body } = await server.post("/v1/gps/batch", { token: device.key, body: { positions } });
  const read = async (at: number) =>
    (await server.get(`/v1/gps/${body.results[at].id}`, { token: admin })).body.data.outlier_reason;
  expect([await read(1), await read(2)]).toEqual([null, null]);
  expectStatus(await server.delete(`/v1/gps/${body.results[2].id}`, { token: admin }), 204);
  expect(await read(1)).toBe("speed");
});
