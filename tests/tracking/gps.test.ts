import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const fix = (overrides: object = {}) => ({
  latitude: 54.0967,
  longitude: 13.4553,
  altitude: 3.2,
  heading: 212.4,
  timestamp: 1_372_578_069,
  speed_kmh: 13.7,
  speed_mps: 3.81,
  speed_mph: 8.51,
  speed_knots: 7.4,
  ...overrides,
});

describe("POST /v1/gps", () => {
  test("stores a point and answers it with the time in ISO 8601", async () => {
    const device = await server.device();
    const { status, body } = await server.post("/v1/gps", { token: device.key, body: fix({ hdop: 0.9 }) });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      device_id: device.id,
      trip_id: null,
      latitude: 54.0967,
      timestamp: "2013-06-30T07:41:09.000Z",
      hdop: 0.9,
      pdop: null,
    });
    expect(body._links.self).toBe(`/v1/gps/${body.data.id}`);
    expect((await server.get(body._links.self, { token: device.key })).body.data).toEqual(body.data);
  });
});
