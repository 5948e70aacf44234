import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip, postPoint } from "../support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());

const get = (path: string) => server.get(path, { token });
const current = async (deviceId: string) => (await get(`/v1/gps/current?device_id=${deviceId}`)).body.data;
const newest = async () => (await get("/v1/gps/current")).body.data;
const currentOfEach = async () => (await get("/v1/gps/current/devices")).body;
const remove = (id: string) => server.delete(`/v1/gps/${id}`, { token });

/** A time later than that of any point so far. */
let last = 1_372_578_069;
const later = () => {
  last += 100;
  return last;
};

test("there is no current position before the first point", async () => {
  expectRefused(await get("/v1/gps/current"), 404, "NotFound");
  expect(await currentOfEach()).toEqual([]);
  const point = await postPoint(server, token);
  expect(await newest()).toEqual(point);
});

describe("the current position of all", () => {
  test("is the newest by the receiver's time, whatever the order of arrival and the device", async () => {
    const { key } = await server.device();
    const time = later();
    const point = await postPoint(server, key, { timestamp: time });
    expect(await newest()).toEqual(point);
    await postPoint(server, key, { timestamp: time - 50 });
    await postPoint(server, token, { timestamp: time - 1 });
    expect(await newest()).toEqual(point);
    const next = await postPoint(server, token, { timestamp: later() });
    expect(await newest()).toEqual(next);
    expect((await get("/v1/gps?limit=1")).body.data).toEqual([next]);
  });

  test("comes in the single-record envelope", async () => {
    const { body } = await get("/v1/gps/current");
    expect(body._links).toEqual({ self: "/v1/gps/current" });
  });

  test("goes back when the newest point is deleted", async () => {
    const before = await postPoint(server, token, { timestamp: later() });
    const point = await postPoint(server, token, { timestamp: later() });
    expect(await newest()).toEqual(point);
    await remove(point.id);
    expect(await newest()).toEqual(before);
  });

  test("is the same after the five minutes for which it is kept", async () => {
    const { id, key } = await server.device();
    const point = await postPoint(server, key, { timestamp: later() });
    expect([await newest(), await current(id)]).toEqual([point, point]);
    await server.advance(6 * 60_000);
    expect([await newest(), await current(id)]).toEqual([point, point]);
    const next = await postPoint(server, key, { timestamp: later() });
    expect([await newest(), await current(id)]).toEqual([next, next]);
  });
});

test("the current position is the one that came last, of several with one time", async () => {
  const { id, key } = await server.device();
  const timestamp = later();
  for (let number = 0; number < 3; number++) {
    const point = await postPoint(server, key, { timestamp });
    expect(await newest()).toEqual(point);
    expect(await current(id)).toEqual(point);
    expect((await currentOfEach())[0]).toEqual(point);
  }
});

describe("the current position of a device", () => {
  test("is the device's newest point, and no other's", async () => {
    const [one, two] = [await server.device(), await server.device()];
    const time = later();
    const ofOne = await postPoint(server, one.key, { timestamp: time });
    const ofTwo = await postPoint(server, two.key, { timestamp: time - 50 });
    await postPoint(server, token, { timestamp: later() });
    expect(await current(one.id)).toEqual(ofOne);
    expect(await current(two.id)).toEqual(ofTwo);

    await postPoint(server, two.key, { timestamp: time - 60 });
    expect(await current(two.id)).toEqual(ofTwo);
    const next = await postPoint(server, two.key, { timestamp: time - 40 });
    expect(await current(two.id)).toEqual(next);
    expect(await current(one.id)).toEqual(ofOne);
  });

  test("keeps the device in its link", async () => {
    const { id, key } = await server.device();
    await postPoint(server, key);
    const { body } = await get(`/v1/gps/current?device_id=${id}`);
    expect(body._links).toEqual({ self: `/v1/gps/current?device_id=${id}` });
  });

  test("appears with the first point, and is gone with the only one", async () => {
    const { id, key } = await server.device();
    const path = `/v1/gps/current?device_id=${id}`;
    expectRefused(await get(path), 404, "NotFound");
    const first = await postPoint(server, key, { timestamp: later() });
    const second = await postPoint(server, key, { timestamp: later() });
    expect(await current(id)).toEqual(second);
    await remove(second.id);
    expect(await current(id)).toEqual(first);
    await remove(first.id);
    expectRefused(await get(path), 404, "NotFound");
  });

  test("is gone with the device, whose point stays the newest of all without it", async () => {
    const { id, key } = await server.device();
    const point = await postPoint(server, key, { timestamp: later() });
    expect([await newest(), await current(id)]).toEqual([point, point]);
    expect((await server.delete(`/v1/devices/${id}`, { token })).status).toBe(204);
    expectRefused(await get(`/v1/gps/current?device_id=${id}`), 404, "NotFound");
    expect(await newest()).toEqual({ ...point, device_id: null });
    expect((await currentOfEach()).map((row: { id: string }) => row.id)).not.toContain(point.id);
  });

  test("names the trip, and no longer once it is deleted", async () => {
    const { id, key } = await server.device();
    const trip = await createTrip(server, { device_id: id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    const point = await postPoint(server, key, { timestamp: later() });
    expect([await newest(), await current(id)]).toEqual([point, point]);
    expect(point.trip_id).toBe(trip.id);
    await moveTrip(server, trip.id, "completed");
    await server.delete(`/v1/trips/${trip.id}`, { token });
    const detached = { ...point, trip_id: null };
    expect([await newest(), await current(id)]).toEqual([detached, detached]);
  });

  test("gives 404 for an unknown device and 400 for a malformed identifier", async () => {
    expectRefused(await get(`/v1/gps/current?device_id=${UNKNOWN}`), 404, "NotFound");
    for (const malformed of ["x", "", "null", `${UNKNOWN}0`, "1"])
      expectInvalid(await get(`/v1/gps/current?device_id=${malformed}`), "/device_id");
  });
});

describe("the current positions of the devices", () => {
  test("are a bare array with the newest point of each device, newest first", async () => {
    const own = await TestServer.start();
    const [one, two] = [await own.device(), await own.device()];
    await own.device("silent");
    const admin = await own.admin();
    const each = async () => (await own.get("/v1/gps/current/devices", { token: admin })).body;

    const ofOne = await postPoint(own, one.key, { timestamp: last });
    const ofTwo = await postPoint(own, two.key, { timestamp: last + 1 });
    await postPoint(own, admin, { timestamp: last + 2 });
    expect(await each()).toEqual([ofTwo, ofOne]);

    await postPoint(own, one.key, { timestamp: last - 1 });
    expect(await each()).toEqual([ofTwo, ofOne]);
    const next = await postPoint(own, one.key, { timestamp: last + 3 });
    expect(await each()).toEqual([next, ofTwo]);

    await own.delete(`/v1/gps/${next.id}`, { token: admin });
    expect(await each()).toEqual([ofTwo, ofOne]);
    await own.delete(`/v1/gps/${ofTwo.id}`, { token: admin });
    expect(await each()).toEqual([ofOne]);
    await own.stop();
  });
});
