import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import {
  DOORS,
  expectPrivate,
  feature,
  forwarded,
  type Made,
  newDevice,
  newTracker,
  nextTime,
  ownTracks,
  positionsOf,
  readTracker,
  WAYS,
} from "./support";

/** The doors of apps: addresses, answers, and what becomes of a message. Credentials: credentials.test.ts. */

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const send = (path: string, { token }: { token: Token }, body: unknown) => server.post(path, { token, body });

describe.each(DOORS)("$path", ({ path, format, source, send, done }) => {
  test.each(WAYS)("takes the token by %s, and stores the position", async (_, by) => {
    const tracker = await newTracker(server, format);
    const time = nextTime();
    const { query = "", options } = send(time);
    const { path: address, headers } = by(path, tracker.token);
    const answer = await server.post(address + query, {
      ...options,
      headers: { ...options.headers, ...headers },
    });
    expect([answer.status, answer.body]).toEqual([200, done]);
    expectPrivate(answer);
    const [position, ...others] = await positionsOf(server, tracker.deviceId);
    expect(others).toEqual([]);
    expect(position).toMatchObject({
      latitude: 54.0967,
      longitude: 13.4553,
      timestamp: new Date(time * 1000).toISOString(),
      source,
    });
  });

  test("answers a duplicate like the first one, and moves the last use on", async () => {
    const tracker = await newTracker(server, format);
    const { query = "", options } = send(nextTime());
    const request = { ...options, token: tracker.token };
    const first = await server.post(path + query, request);
    const again = await server.post(path + query, request);
    expect(again.status).toBe(200);
    if (format !== "generic") expect(again.body).toEqual(first.body);
    else expect(again.body).toEqual({ stored: 0, duplicates: 1, rejected: 0 });
    expect(await positionsOf(server, tracker.deviceId)).toHaveLength(1);
    expect((await readTracker(server, tracker)).last_used_at).not.toBeNull();
  });

  test("redirects no form of its address", async () => {
    const tracker = await newTracker(server, format);
    for (const address of [path, `${path}/`, `${path}/${tracker.token}`, `${path}/${tracker.token}/`]) {
      const { query = "", options } = send(nextTime());
      const answer = await server.post(address + query, { ...options, token: tracker.token });
      expect([address, answer.status]).toEqual([address, 200]);
    }
    const escaped = await fetch(`${server.url}/v1/%69ngest/generic/${tracker.token}`, {
      method: "POST",
      redirect: "manual",
    });
    expect([escaped.status, escaped.headers.get("location")]).toEqual([404, null]);
  });
});

describe("units", () => {
  const speedsOf = async (tracker: Made) => {
    const [position] = await positionsOf(server, tracker.deviceId);
    return position;
  };

  test("of OwnTracks are km/h, and unknown speeds null", async () => {
    const tracker = await newTracker(server, "owntracks");
    await send("/v1/ingest/owntracks", tracker, ownTracks(nextTime()));
    expect(await speedsOf(tracker)).toMatchObject({
      speed_kmh: 36,
      speed_mps: expect.closeTo(10, 6),
      accuracy_m: 8,
      battery_percent: 82,
      heading: 212,
    });
    await send("/v1/ingest/owntracks", tracker, ownTracks(nextTime(), { vel: undefined }));
    expect(await speedsOf(tracker)).toMatchObject({ speed_kmh: null, speed_mps: null, speed_knots: null });
  });

  test.each([
    ["osmand", { speed_mps: 10 }],
    ["traccar_client", { speed_knots: 10 }],
    ["generic", { speed_knots: 10 }],
  ])("of the OsmAnd protocol follow the tracker's format: %s", async (format, expected) => {
    const tracker = await newTracker(server, format);
    const query = `?lat=54&lon=13&timestamp=${nextTime()}&speed=10`;
    expectStatus(await server.get(`/v1/ingest/osmand/${tracker.token}${query}`), 200);
    expect(await speedsOf(tracker)).toMatchObject(expected);
  });

  test("of a device's API key are knots", async () => {
    const device = await server.device();
    const query = `?lat=54&lon=13&timestamp=${nextTime()}&speed=10`;
    expectStatus(await server.get(`/v1/ingest/osmand${query}`, { token: device.key }), 200);
    const [position] = await positionsOf(server, device.id);
    expect(position).toMatchObject({ speed_knots: 10 });
  });

  test("of Traccar Client 9, which sends JSON to the same door, are m/s", async () => {
    const tracker = await newTracker(server, "traccar_client");
    const timestamp = new Date(nextTime() * 1000).toISOString();
    const coords = { latitude: 54, longitude: 13, speed: 10, heading: -1, accuracy: 5, altitude: 3 };
    await send(`/v1/ingest/osmand/${tracker.token}`, tracker, {
      location: { timestamp, coords, battery: { level: 0.82 } },
      device_id: "x",
    });
    expect(await speedsOf(tracker)).toMatchObject({ speed_mps: 10, heading: null, battery_percent: 82 });
  });
});

describe("a GET", () => {
  test.each(["osmand", "gpslogger"])("of /v1/ingest/%s with a place is stored", async (door) => {
    const tracker = await newTracker(server, door);
    const answer = await server.get(
      `/v1/ingest/${door}/${tracker.token}/?lat=54.1&lon=13.2&timestamp=${nextTime()}`,
    );
    expect([answer.status, answer.body]).toEqual([200, null]);
    expect(await positionsOf(server, tracker.deviceId)).toHaveLength(1);
  });

  test("of GPSLogger is stored with names in any case", async () => {
    const tracker = await newTracker(server, "gpslogger");
    await server.get(`/v1/ingest/gpslogger/${tracker.token}?LAT=54.1&Lon=13.2&TIMESTAMP=${nextTime()}`);
    expect(await positionsOf(server, tracker.deviceId)).toHaveLength(1);
  });

  test.each(["osmand", "gpslogger"])(
    "of /v1/ingest/%s by a browser answers help, and stores nothing",
    async (door) => {
      const tracker = await newTracker(server, door);
      const answer = await server.get(`/v1/ingest/${door}/${tracker.token}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toContain("the address of a tracker");
      expect(answer.body).not.toContain(tracker.token);
      expectPrivate(answer);
      expect(await positionsOf(server, tracker.deviceId)).toEqual([]);
      expect((await readTracker(server, tracker)).rejected_total).toBe(0);
    },
  );

  test.each(["osmand", "gpslogger"])(
    "of the address for %s as it is to be entered, placeholders and all, answers help too",
    async (format) => {
      const tracker = await newTracker(server, format);
      const { pathname, search } = new URL(tracker.answer.url);
      const answer = await server.get(pathname + search, { token: tracker.token });
      expect(answer.body).toContain("the address of a tracker");
      expect((await readTracker(server, tracker)).rejected_total).toBe(0);
    },
  );

  test("of another door is 405", async () => {
    const tracker = await newTracker(server, "owntracks");
    const address = `/v1/ingest/owntracks/${tracker.token}`;
    const refused = await server.get(address);
    expect(refused.status).toBe(405);
    // Whoever opened it holds the token in the address bar all the same.
    for (const answer of [
      refused,
      await server.get(`${address}/x`),
      await server.request("OPTIONS", address),
    ])
      expectPrivate(answer);
  });
});

describe("OwnTracks", () => {
  test.each(["waypoint", "transition", "lwt", "card", "status", "steps", "nothing known"])(
    "may send a %s, which is left alone",
    async (_type) => {
      const tracker = await newTracker(server, "owntracks");
      const message = { ...ownTracks(nextTime()), _type };
      const answer = await send("/v1/ingest/owntracks", tracker, message);
      expect([answer.status, answer.body]).toEqual([200, []]);
      expect(await positionsOf(server, tracker.deviceId)).toEqual([]);
      expect((await readTracker(server, tracker)).rejected_total).toBe(0);
    },
  );

  test("may send an empty body", async () => {
    const tracker = await newTracker(server, "owntracks");
    const answer = await server.post("/v1/ingest/owntracks", { token: tracker.token });
    expect([answer.status, answer.body]).toEqual([200, []]);
    expect((await readTracker(server, tracker)).rejected_total).toBe(0);
  });
});

describe("Overland", () => {
  test("gets the good elements of a batch stored, whatever the others are", async () => {
    const tracker = await newTracker(server, "overland");
    const [first, second] = [nextTime(), nextTime()];
    const answer = await send("/v1/ingest/overland", tracker, {
      locations: [
        feature(first),
        "nonsense",
        { type: "Feature", properties: { action: "paused", timestamp: "2026-05-04T09:30:00Z" } },
        feature(second),
        feature(Date.now() / 1000 + 4_000),
      ],
      current: feature(second),
    });
    expect(answer.body).toEqual({ result: "ok" });
    expect(await positionsOf(server, tracker.deviceId)).toHaveLength(2);
    const { rejected_total, last_rejection } = await readTracker(server, tracker);
    expect(rejected_total).toBe(2);
    expect(last_rejection).toEqual({ at: expect.any(String), reason: "in_the_future" });
  });
});

describe("a Traccar server", () => {
  const path = "/v1/ingest/traccar";

  test("brings many devices by their external_id, with one tracker", async () => {
    const tracker = await newTracker(server, "traccar_server");
    const ids = await Promise.all(
      ["imei-1", "imei-2"].map((external_id) => newDevice(server, { external_id })),
    );
    for (const name of ["imei-1", "imei-2", "imei-1"]) {
      const answer = await send(path, tracker, forwarded(name, nextTime()));
      expect([answer.status, answer.body]).toEqual([200, null]);
    }
    expect(await positionsOf(server, ids[0] ?? "")).toHaveLength(2);
    const [position] = await positionsOf(server, ids[1] ?? "");
    expect(position).toMatchObject({ speed_knots: 10, battery_percent: 82, source: "traccar" });
    expect(await positionsOf(server, tracker.deviceId)).toEqual([]);
  });

  test("may forward unknown and inactive devices, which are counted and left alone", async () => {
    const tracker = await newTracker(server, "traccar_server");
    const id = await newDevice(server, { external_id: "retired" });
    await server.patch(`/v1/devices/${id}`, { token: admin, body: { is_active: false } });
    for (const name of ["nobody", "retired"])
      expectStatus(await send(path, tracker, forwarded(name, nextTime())), 200);
    expect(await readTracker(server, tracker)).toMatchObject({
      rejected_total: 2,
      last_rejection: { reason: "unknown_device" },
    });
    expect(await positionsOf(server, id)).toEqual([]);
  });

  test("brings its own device alone with another credential", async () => {
    const own = await newDevice(server, { external_id: "own-1" });
    await newDevice(server, { external_id: "foreign-1" });
    const tracker = await newTracker(server, "generic", { deviceId: own });
    for (const name of ["own-1", "foreign-1"])
      expectStatus(await send(path, tracker, forwarded(name, nextTime())), 200);
    expect(await positionsOf(server, own)).toHaveLength(1);
    expect((await readTracker(server, tracker)).last_rejection.reason).toBe("unknown_device");
  });

  test("does not bring a fix that is none", async () => {
    const tracker = await newTracker(server, "traccar_server");
    await newDevice(server, { external_id: "no-fix" });
    expectStatus(await send(path, tracker, forwarded("no-fix", nextTime(), { valid: false })), 200);
    expect((await readTracker(server, tracker)).last_rejection.reason).toBe("no_fix");
  });
});

describe("what can never be stored counts as done, and is counted", () => {
  const cases: [what: string, options: object, reason: string][] = [
    ["broken JSON", { raw: '{"latitude": 54,' }, "malformed"],
    ["no JSON at all", { raw: new Uint8Array([0xff, 0xfe, 0]) }, "malformed"],
    ["a number", { body: 5 }, "malformed"],
    ["no place", { body: { timestamp: 1_777_887_000 } }, "no_fix"],
    ["a place beyond the pole", { body: { latitude: 91, longitude: 0, timestamp: 1_777_887_000 } }, "no_fix"],
    ["no time", { body: { latitude: 54, longitude: 13 } }, "no_time"],
    ["a time before 1990", { body: { latitude: 54, longitude: 13, timestamp: 1 } }, "implausible_time"],
    [
      "a time far ahead",
      { body: { latitude: 54, longitude: 13, timestamp: Math.floor(Date.now() / 1000) + 4_000 } },
      "in_the_future",
    ],
    ["an unknown coding", { raw: "{}", headers: { "content-encoding": "compress" } }, "malformed"],
    [
      "bytes that are not in their coding",
      { raw: "{}", headers: { "content-encoding": "gzip" } },
      "malformed",
    ],
  ];
  test.each(cases)("%s", async (_, options, reason) => {
    const tracker = await newTracker(server, "generic");
    const answer = await server.post("/v1/ingest/generic", { token: tracker.token, ...options });
    expect([answer.status, answer.body]).toEqual([200, { stored: 0, duplicates: 0, rejected: 1 }]);
    expect(await readTracker(server, tracker)).toMatchObject({
      rejected_total: 1,
      last_rejection: { reason },
    });
    expect(await positionsOf(server, tracker.deviceId)).toEqual([]);
  });

  test.each(DOORS)("broken content at $path", async ({ path, format }) => {
    const tracker = await newTracker(server, format);
    const headers = { "content-type": "application/json" };
    const answer = await server.post(path, { token: tracker.token, raw: "{broken", headers });
    expect(answer.status).toBe(200);
    expect(await readTracker(server, tracker)).toMatchObject({
      rejected_total: 1,
      last_rejection: { reason: "malformed" },
    });
  });
});

describe("a body", () => {
  const position = () => JSON.stringify({ latitude: 54, longitude: 13, timestamp: nextTime() });

  test.each([
    ["gzip", Bun.gzipSync],
    ["deflate", (text: Buffer) => require("node:zlib").deflateSync(text)],
    ["zstd", Bun.zstdCompressSync],
  ] as [string, (text: Buffer) => Uint8Array<ArrayBuffer>][])("may come in %s", async (coding, compress) => {
    const tracker = await newTracker(server, "generic");
    const raw = new Uint8Array(compress(Buffer.from(position())));
    const answer = await server.post("/v1/ingest/generic", {
      token: tracker.token,
      raw,
      headers: { "content-encoding": coding },
    });
    expect(answer.body).toEqual({ stored: 1, duplicates: 0, rejected: 0 });
  });

  test.each(["text/plain", "application/octet-stream", "application/json", "nonsense"])(
    "may be of any type: %s",
    async (type) => {
      const tracker = await newTracker(server, "generic");
      const answer = await server.post("/v1/ingest/generic", {
        token: tracker.token,
        raw: position(),
        headers: { "content-type": type },
      });
      expect(answer.body).toEqual({ stored: 1, duplicates: 0, rejected: 0 });
    },
  );

  test("of several thousand positions is stored", async () => {
    const tracker = await newTracker(server, "generic");
    const start = Math.floor(Date.now() / 1000) - 10_000;
    const body = Array.from({ length: 5_000 }, (_, at) => ({
      latitude: 54,
      longitude: 13,
      timestamp: start + at,
    }));
    const answer = await send("/v1/ingest/generic", tracker, body);
    expect(answer.body).toEqual({ stored: 5_000, duplicates: 0, rejected: 0 });
  });
});
