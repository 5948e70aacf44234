import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectInvalid, expectPermission, expectRefused, totalOf, UNKNOWN } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, createZone, fix, moveTrip, postPoint } from "../support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const post = (overrides: object = {}) => server.post("/v1/gps", { token, body: fix(overrides) });
const postText = (raw: string, type = "application/json") =>
  server.post("/v1/gps", { token, raw, headers: { "content-type": type } });
const total = () => totalOf(server, "/v1/gps");

describe("POST /v1/gps", () => {
  test("stores a point and answers it with the time in ISO 8601", async () => {
    const device = await server.device();
    const before = Date.now();
    const { status, headers, body } = await server.post("/v1/gps", {
      token: device.key,
      body: fix({ pdop: 1.6, hdop: 0.9, vdop: 1.3 }),
    });
    const { id, created_at, ...rest } = body.data;
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(rest).toEqual({
      device_id: device.id,
      trip_id: null,
      latitude: 54.0967,
      longitude: 13.4553,
      altitude: 3.2,
      heading: 212.4,
      timestamp: "2013-06-30T07:41:09.000Z",
      speed_kmh: 13.7,
      speed_mps: 3.81,
      speed_mph: 8.51,
      speed_knots: 7.4,
      pdop: 1.6,
      hdop: 0.9,
      vdop: 1.3,
      accuracy_m: null,
      battery_percent: null,
      source: "api",
      is_outlier: false,
      outlier_reason: null,
      box_id: null,
    });
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
    expect(body._links).toEqual({ self: `/v1/gps/${id}` });
    const read = await server.get(body._links.self, { token: device.key });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(body);
  });

  test.each([
    { latitude: 90 },
    { latitude: -90 },
    { longitude: 180 },
    { longitude: -180 },
    { heading: 0 },
    { heading: 360 },
    { speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 },
    { pdop: 0, hdop: 0, vdop: 0 },
    { altitude: -431.7 },
    { altitude: 12_000.5 },
    { latitude: 1e-15, longitude: -179.999999999 },
  ])("keeps values at their bounds as they are: %j", async (fields) => {
    const { status, body } = await post(fields);
    expect(status).toBe(201);
    expect(body.data).toMatchObject(fields);
  });

  test.each([
    { latitude: 90.000001 },
    { latitude: -90.000001 },
    { longitude: 180.000001 },
    { longitude: -180.000001 },
    { heading: -0.000001 },
    { heading: 360.000001 },
    { speed_kmh: -0.000001 },
    { speed_mps: -0.000001 },
    { speed_mph: -0.000001 },
    { speed_knots: -0.000001 },
    { pdop: -0.000001 },
    { hdop: -0.000001 },
    { vdop: -0.000001 },
    { timestamp: -1 },
    { timestamp: 1_372_578_069_000 },
    { timestamp: 1_372_578_069.5 },
  ])("refuses a value outside its bounds and stores nothing: %j", async (field) => {
    const before = await total();
    expectInvalid(await post(field), `/${Object.keys(field)[0]}`);
    expect(await total()).toBe(before);
  });

  test("takes 1970 and up to a day ahead, and refuses more", async () => {
    const DAY = 86_400;
    const now = Math.floor(Date.now() / 1_000);
    expect((await post({ timestamp: 0 })).body.data.timestamp).toBe("1970-01-01T00:00:00.000Z");
    const ahead = await post({ timestamp: now + DAY - 60 });
    expect(ahead.status).toBe(201);
    expect(ahead.body.data.timestamp).toBe(new Date((now + DAY - 60) * 1_000).toISOString());
    const before = await total();
    expectInvalid(await post({ timestamp: now + DAY + 60 }), "/timestamp");
    expect(await total()).toBe(before);
    // Otherwise this point would stay the newest of all for a day.
    await server.delete(`/v1/gps/${ahead.body.data.id}`, { token });
  });

  test.each(["altitude", "heading", "pdop", "hdop", "vdop"])(
    "keeps %s null when it is left out or null",
    async (field) => {
      const { [field]: _, ...without } = fix() as Record<string, unknown>;
      for (const body of [without, { ...without, [field]: null }]) {
        const answer = await server.post("/v1/gps", { token, body });
        expect(answer.status).toBe(201);
        expect(answer.body.data[field]).toBeNull();
      }
    },
  );

  test.each(["latitude", "longitude", "timestamp", "speed_kmh", "speed_mps", "speed_mph", "speed_knots"])(
    "refuses a point without %s, with null or text in its place, and stores nothing",
    async (field) => {
      const before = await total();
      const { [field]: value, ...without } = fix() as Record<string, unknown>;
      expectInvalid(await server.post("/v1/gps", { token, body: without }), `/${field}`);
      for (const wrong of [null, String(value), true, [value], {}])
        expectInvalid(await post({ [field]: wrong }), `/${field}`);
      expect(await total()).toBe(before);
    },
  );

  test.each(["altitude", "heading", "pdop", "hdop", "vdop"])("refuses %s as text", async (field) => {
    expectInvalid(await post({ [field]: "1" }), `/${field}`);
  });

  test("refuses a number that is none, and a time in words", async () => {
    const text = JSON.stringify(fix({ altitude: 12345 }));
    expectInvalid(await postText(text.replace("12345", "1e999")), "/altitude");
    expectInvalid(await post({ timestamp: "2013-06-30T07:41:09Z" }), "/timestamp");
  });

  test("names every invalid field at once", async () => {
    expectInvalid(
      await post({ latitude: 91, longitude: 181, heading: 361 }),
      "/latitude",
      "/longitude",
      "/heading",
    );
  });

  test("ignores fields that it doesn't know or that the server sets", async () => {
    const { id: deviceId } = await server.device();
    const sent = {
      id: UNKNOWN,
      device_id: deviceId,
      trip_id: UNKNOWN,
      created_at: "2001-01-01T00:00:00Z",
      colour: "red",
    };
    // `device_id` is known from holders of devices:write alone: filters.test.ts.
    const key = await server.key("gps:write");
    const { status, body } = await server.post("/v1/gps", { token: key, body: fix(sent) });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ device_id: null, trip_id: null });
    expect(body.data.id).not.toBe(UNKNOWN);
    expect(body.data.created_at).not.toStartWith("2001");
    expect(body.data).not.toHaveProperty("colour");
  });

  test("refuses what is no JSON object", async () => {
    const before = await total();
    expectRefused(await postText('{"latitude":'), 400, "BadRequest");
    expectRefused(await postText(JSON.stringify(fix()), "text/plain"), 415, "UnsupportedMediaType");
    for (const raw of ["", "null", "7", '"fix"', "[]", `[${JSON.stringify(fix())}]`])
      expectRefused(await postText(raw), 400, "ValidationError");
    expect(await total()).toBe(before);
  });
});

describe("the device of a point", () => {
  const deviceOf = async (key: string) => (await postPoint(server, key)).device_id;

  test("is the one that the posting key is linked to", async () => {
    const [one, two] = [await server.device(), await server.device()];
    expect(await deviceOf(one.key)).toBe(one.id);
    expect(await deviceOf(two.key)).toBe(two.id);
  });

  test("is none for a session, a key without a device and a system key", async () => {
    expect(await deviceOf(token)).toBeNull();
    expect(await deviceOf(await server.key("gps:write"))).toBeNull();
    expect(await deviceOf(server.systemKey)).toBeNull();
  });

  test("follows the key when it is linked to another device or to none", async () => {
    const [one, two] = [await server.device(), await server.device()];
    expect(await deviceOf(one.key)).toBe(one.id);
    const link = (id: string, api_key_id: string | null) =>
      server.patch(`/v1/devices/${id}`, { token, body: { api_key_id } });
    await link(two.id, one.keyId);
    expect(await deviceOf(one.key)).toBe(two.id);
    expect(await deviceOf(two.key)).toBeNull();
    await link(two.id, null);
    expect(await deviceOf(one.key)).toBeNull();
  });

  test("is none when the device is deleted at the same moment, inside a zone too", async () => {
    const device = await server.device();
    await createZone(server);
    const posts = () => Array.from({ length: 10 }, () => postPoint(server, device.key));
    const before = posts();
    const deleted = server.delete(`/v1/devices/${device.id}`, { token });
    const after = posts();
    expect((await deleted).status).toBe(204);
    for (const { id } of await Promise.all([...before, ...after]))
      expect((await server.get(`/v1/gps/${id}`, { token })).body.data.device_id).toBeNull();
  });
});

describe("the trip of a point", () => {
  test("is the device's trip while it is active and logs", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    const tripNow = async () => (await postPoint(server, device.key)).trip_id;

    expect(await tripNow()).toBeNull();
    await moveTrip(server, trip.id, "active");
    expect(await tripNow()).toBe(trip.id);
    await moveTrip(server, trip.id, "paused");
    expect(await tripNow()).toBeNull();
    await moveTrip(server, trip.id, "active");
    expect(await tripNow()).toBe(trip.id);
    await moveTrip(server, trip.id, "completed");
    expect(await tripNow()).toBeNull();

    const { body } = await server.get(`/v1/trips/${trip.id}/gps`, { token });
    expect(body.pagination.total).toBe(2);
  });

  test("is none while the trip doesn't log, and for other devices and none", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const trip = await createTrip(server, { device_id: device.id });
    await moveTrip(server, trip.id, "active");
    expect(await postPoint(server, device.key)).toMatchObject({ trip_id: null });
    await server.patch(`/v1/trips/${trip.id}`, { token, body: { gps_logging_enabled: true } });
    expect(await postPoint(server, device.key)).toMatchObject({ trip_id: trip.id });
    expect(await postPoint(server, other.key)).toMatchObject({ trip_id: null });
    expect(await postPoint(server, token)).toMatchObject({ trip_id: null });
  });

  test("is the logging one of several active trips of the device", async () => {
    const device = await server.device();
    const silent = await createTrip(server, { device_id: device.id });
    const logging = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    for (const trip of [silent, logging]) await moveTrip(server, trip.id, "active");
    expect(await postPoint(server, device.key)).toMatchObject({ trip_id: logging.id });
  });
});

describe("GET /v1/gps/{id}", () => {
  test.each([
    ["version 7", UNKNOWN],
    ["version 4", "9f3c1b3e-6d5e-4f0a-8c57-0b1f6f1d2c3e"],
    ["version 1", "c232ab00-9414-11ec-b3c8-9f6bdeced846"],
    ["nil", "00000000-0000-0000-0000-000000000000"],
  ])("gives 404 for an unknown UUID of %s", async (_, id) => {
    expectRefused(await server.get(`/v1/gps/${id}`, { token }), 404, "NotFound");
  });

  test.each(["1", "x", "0192f3a1", `${UNKNOWN}0`, UNKNOWN.replaceAll("-", ""), `{${UNKNOWN}}`, "%20"])(
    "gives 400 for the malformed identifier %j",
    async (id) => {
      expectInvalid(await server.get(`/v1/gps/${id}`, { token }), "/id");
      expectInvalid(await server.delete(`/v1/gps/${id}`, { token }), "/id");
    },
  );
});

describe("DELETE /v1/gps/{id}", () => {
  test("removes the point, once", async () => {
    const point = await postPoint(server, token);
    const before = await total();
    const answer = await server.delete(`/v1/gps/${point.id}`, { token });
    expect([answer.status, answer.body]).toEqual([204, null]);
    expectRefused(await server.get(`/v1/gps/${point.id}`, { token }), 404, "NotFound");
    expectRefused(await server.delete(`/v1/gps/${point.id}`, { token }), 404, "NotFound");
    expect(await total()).toBe(before - 1);
  });

  test("refuses a point of a trip, whatever the trip's status, and keeps it", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    const point = await postPoint(server, device.key);
    for (const status of ["paused", "completed"]) {
      expectRefused(await server.delete(`/v1/gps/${point.id}`, { token }), 409, "Conflict");
      await moveTrip(server, trip.id, status);
    }
    expectRefused(await server.delete(`/v1/gps/${point.id}`, { token }), 409, "Conflict");
    expect((await server.get(`/v1/gps/${point.id}`, { token })).body.data).toEqual(point);

    await server.delete(`/v1/trips/${trip.id}`, { token });
    expect((await server.get(`/v1/gps/${point.id}`, { token })).body.data).toEqual({
      ...point,
      trip_id: null,
    });
    expect((await server.delete(`/v1/gps/${point.id}`, { token })).status).toBe(204);
  });

  test("takes any point of a deleted trip, also of one with more points than one step takes", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    const points = await Promise.all(Array.from({ length: 620 }, () => postPoint(server, device.key)));
    await moveTrip(server, trip.id, "completed");
    await server.delete(`/v1/trips/${trip.id}`, { token });
    const before = await total();
    const statuses = await Promise.all(
      points.map(async ({ id }) => (await server.delete(`/v1/gps/${id}`, { token })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await total()).toBe(before - points.length);
  });

  test("of one point by many at once succeeds once", async () => {
    const point = await postPoint(server, token);
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.delete(`/v1/gps/${point.id}`, { token })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, ...Array(7).fill(404)]);
    expect(await total()).toBe(before - 1);
  });
});

describe("the permission", () => {
  let id: string;
  beforeAll(async () => {
    id = (await postPoint(server, token)).id;
  });

  test.each(["/v1/gps", "/v1/gps/current", "/v1/gps/current/devices"])(
    "gps:read is needed for GET %s",
    (path) =>
      expectPermission(server, "gps:read", 200, (token) => server.get(path, { ...(token && { token }) })),
  );

  test("gps:read is needed for GET /v1/gps/{id}", () =>
    expectPermission(server, "gps:read", 200, (token) =>
      server.get(`/v1/gps/${id}`, { ...(token && { token }) }),
    ));

  test("gps:write is needed for POST /v1/gps, and nothing is stored without", async () => {
    const before = await total();
    await expectPermission(server, "gps:write", 201, (token) =>
      server.post("/v1/gps", { ...(token && { token }), body: fix() }),
    );
    expect(await total()).toBe(before + 1);
  });

  test("gps:delete is needed for DELETE /v1/gps/{id}, and the point stays without", async () => {
    const before = await total();
    await expectPermission(server, "gps:delete", 204, (token) =>
      server.delete(`/v1/gps/${id}`, { ...(token && { token }) }),
    );
    expect(await total()).toBe(before - 1);
  });

  test("is looked at before the body and the identifier", async () => {
    const reader = await server.key("gps:read");
    expectRefused(await server.post("/v1/gps", { token: reader, body: { latitude: 91 } }), 403, "Forbidden");
    expectRefused(await server.post("/v1/gps", { body: {} }), 401, "Unauthorized");
    expectRefused(await server.delete("/v1/gps/x", { token: reader }), 403, "Forbidden");
    expectRefused(await server.get("/v1/gps?page=0"), 401, "Unauthorized");
  });

  test.each(["gps:*", "*:*"])("is also given by the wildcard %s", async (scope) => {
    const key = await server.key(scope);
    const point = await postPoint(server, key);
    expect((await server.get(`/v1/gps/${point.id}`, { token: key })).status).toBe(200);
    expect((await server.delete(`/v1/gps/${point.id}`, { token: key })).status).toBe(204);
  });
});

test.each([
  ["PUT", "/v1/gps"],
  ["DELETE", "/v1/gps"],
])("answers 405 with Allow to %s %s", async (method, path) => {
  const answer = await server.request(method, path, { token, body: {} });
  expectRefused(answer, 405, "MethodNotAllowed");
  expect(answer.headers.get("allow")).toContain("GET");
});
