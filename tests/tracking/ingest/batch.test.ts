import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { told } from "../../support/told";
import { createTrip, fix, moveTrip, northOf, postPoint } from "../support";

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const HERE = { latitude: 54.1, longitude: 13.4 };
const DAY_IN_MAY = 1_777_887_000;

/** A position that tells nothing but place and time. */
const bare = (timestamp: number, fields: object = {}) => ({ ...HERE, timestamp, ...fields });

const post = async (token: string, positions: unknown[], fields: object = {}) =>
  expectStatus(await server.post("/v1/gps/batch", { token, body: { positions, ...fields } }), 200).body;

const listed = async (deviceId: string) =>
  (await server.get(`/v1/gps?device_id=${deviceId}&limit=100`, { token: admin })).body.data;

describe("a batch", () => {
  test("tells the fate of each position, and stores the good ones of a mixed one", async () => {
    const { id, key } = await server.device();
    const answer = await post(key, [
      bare(DAY_IN_MAY + 0.9),
      bare(DAY_IN_MAY),
      { ...bare(DAY_IN_MAY + 1), latitude: 91 },
      { ...bare(DAY_IN_MAY + 1), speed_kmh: -1 },
      HERE,
      bare(-1),
      bare(4_000_000_000),
      "nonsense",
      null,
      [bare(DAY_IN_MAY + 3)],
      bare(DAY_IN_MAY + 2),
    ]);
    expect(answer).toMatchObject({ stored: 2, duplicates: 1, rejected: 8 });
    expect(answer.results.map(({ status, reason }: Record<string, string>) => reason ?? status)).toEqual([
      ...["stored", "duplicate", "malformed", "malformed", "no_time", "malformed", "in_the_future"],
      ...["malformed", "malformed", "malformed", "stored"],
    ]);
    expect(answer.results.map(({ index }: { index: number }) => index)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(answer.results[1].id).toBe(answer.results[0].id);
    const points = await listed(id);
    expect(points.map((point: { id: string }) => point.id)).toEqual([
      answer.results[10].id,
      answer.results[0].id,
    ]);
    // The fraction of a second is cut off.
    expect(points[1].timestamp).toBe("2026-05-04T09:30:00.000Z");
  });

  test("takes positions from before 1990, as POST /v1/gps does", async () => {
    const { id, key } = await server.device();
    expect(await post(key, [bare(0), bare(600_000_000)])).toMatchObject({ stored: 2 });
    expect((await listed(id)).map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([
      "1989-01-05T10:40:00.000Z",
      "1970-01-01T00:00:00.000Z",
    ]);
  });

  test("has no speed that would be beyond all numbers in another unit", async () => {
    const { id, key } = await server.device();
    const fast = (at: number, speeds: object) => ({ ...bare(DAY_IN_MAY + at), ...speeds });
    const answer = await post(key, [
      fast(0, { speed_knots: Number.MAX_VALUE }),
      fast(1, { speed_mps: 1e303 }),
      fast(2, { speed_kmh: 100_001 }),
      fast(3, { speed_kmh: 100_000 }),
      fast(4, { altitude: Number.MAX_VALUE, pdop: Number.MAX_VALUE, accuracy_m: Number.MAX_VALUE }),
    ]);
    expect(answer.results.map(({ status }: Record<string, string>) => status)).toEqual([
      ...["rejected", "rejected", "rejected", "stored", "stored"],
    ]);
    expect(await listed(id)).toHaveLength(2);
  });

  test("gives each speed from one, and none from none", async () => {
    const { id, key } = await server.device();
    await post(key, [
      bare(DAY_IN_MAY, { speed_knots: 10 }),
      bare(DAY_IN_MAY + 1, { speed_mps: 0, speed_kmh: 7 }),
      bare(DAY_IN_MAY + 2, { accuracy_m: 4.5, battery_percent: 81, altitude: 2, heading: 360 }),
    ]);
    const [third, second, first] = await listed(id);
    expect(first).toMatchObject({
      speed_knots: 10,
      source: "batch",
      accuracy_m: null,
      battery_percent: null,
    });
    expect(first.speed_mps).toBe(5.144444);
    expect(first.speed_kmh).toBe(18.52);
    expect(first.speed_mph).toBe(11.507794);
    expect(second).toMatchObject({ speed_mps: 0, speed_kmh: 7, speed_knots: 0, speed_mph: 0 });
    const none = { speed_kmh: null, speed_mps: null, speed_mph: null, speed_knots: null };
    expect(third).toMatchObject({ ...none, accuracy_m: 4.5, battery_percent: 81, altitude: 2, heading: 360 });
  });

  test("finds a duplicate of a position by POST /v1/gps, which itself always stores", async () => {
    const { id, key } = await server.device();
    const point = await postPoint(server, key, { timestamp: DAY_IN_MAY });
    const answer = await post(key, [bare(DAY_IN_MAY)]);
    expect(answer.results).toEqual([{ index: 0, status: "duplicate", id: point.id, reason: null }]);
    await postPoint(server, key, { timestamp: DAY_IN_MAY });
    expect(await listed(id)).toHaveLength(2);
  });

  test.each([
    ["nothing", {}],
    ["no array", { positions: {} }],
    ["no position", { positions: [] }],
    ["too many", { positions: Array.from({ length: 1_001 }, () => 1) }],
  ])("of %s is 400", async (_, body) => {
    expectRefused(await server.post("/v1/gps/batch", { token: admin, body }), 400, "ValidationError");
  });

  test("needs the key of a device, or a device's name from a caller who may name one", async () => {
    const { id } = await server.device();
    const narrow = await server.key("gps:write");
    const positions = [bare(DAY_IN_MAY)];
    const ask = (token: string, fields: object = {}) =>
      server.post("/v1/gps/batch", { token, body: { positions, ...fields } });
    expectRefused(await ask(narrow), 400, "ValidationError");
    expectRefused(await ask(narrow, { device_id: id }), 403, "Forbidden");
    expectRefused(await ask(admin, { device_id: crypto.randomUUID() }), 400, "ValidationError");
    expectRefused(await ask(await server.key("gps:read")), 403, "Forbidden");
    expect(await post(admin, positions, { device_id: id })).toMatchObject({ stored: 1 });
  });

  test.each(["gzip", "deflate", "zstd"])("may come compressed by %s", async (coding) => {
    const { key } = await server.device();
    const text = Buffer.from(
      JSON.stringify({ positions: Array.from({ length: 500 }, (_, n) => bare(DAY_IN_MAY + n)) }),
    );
    const raw = {
      gzip: () => Bun.gzipSync(text),
      deflate: () => new Uint8Array(require("node:zlib").deflateSync(text)),
      zstd: () => new Uint8Array(Bun.zstdCompressSync(text)),
    }[coding]?.() as Uint8Array<ArrayBuffer>;
    const headers = { "content-type": "application/json", "content-encoding": coding };
    const { body } = expectStatus(await server.post("/v1/gps/batch", { token: key, raw, headers }), 200);
    expect(body.stored).toBe(500);
  });

  test("counts against the limit of positions, and stores nothing beyond it", async () => {
    const server = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
    const admin = await server.admin();
    const { id, key } = await server.device();
    const limit = "/v1/system-config/ingest.positions_per_minute";
    await server.patch(limit, { token: admin, body: { value: 10 } });
    const many = (from: number, length: number) =>
      Array.from({ length }, (_, n) => bare(DAY_IN_MAY + from + n));
    const send = async (token: string, positions: object[]) =>
      expectStatus(await server.post("/v1/gps/batch", { token, body: { positions } }), 200).body;
    expect((await send(key, many(0, 8))).stored).toBe(8);
    const refused = await server.post("/v1/gps/batch", { token: key, body: { positions: many(8, 3) } });
    expectRefused(refused, 429, "TooManyRequests");
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    expect((await send(key, many(8, 2))).stored).toBe(2);
    expect((await server.get(`/v1/gps?device_id=${id}`, { token: admin })).body.pagination.total).toBe(10);
    // More than the whole limit pass while the window is fresh.
    const other = await server.device();
    expect((await send(other.key, many(0, 50))).stored).toBe(50);
    await server.stop();
  });
});

describe("late positions", () => {
  test("join the trips of their time, completed ones too, and lengthen them", async () => {
    const timed = await TestServer.start({ clock: "movable" });
    const token = await timed.admin();
    const { id, key } = await timed.device();
    const start = Math.floor(Date.now() / 1_000);
    const trip = await createTrip(timed, { device_id: id, gps_logging_enabled: true });
    await moveTrip(timed, trip.id, "active");
    await timed.advance(600_000);
    await moveTrip(timed, trip.id, "paused");
    await timed.advance(600_000);
    await moveTrip(timed, trip.id, "active");
    await timed.advance(600_000);
    await moveTrip(timed, trip.id, "completed");
    await timed.advance(600_000);
    const total = async () => (await timed.get("/v1/stats/public")).body.distance_km_total;
    const before = await total();
    // One each five minutes, and a kilometre further north: two before the pause, two in it, two after it, two after the end.
    const positions = Array.from({ length: 8 }, (_, n) => ({
      ...northOf(HERE, n),
      timestamp: start + 150 + n * 300,
    })).toReversed();
    const answer = await timed.post("/v1/gps/batch", {
      token: key,
      body: { positions: [...positions, bare(start - 60)] },
    });
    expect(answer.body.stored).toBe(9);
    const { body } = await timed.get(`/v1/trips/${trip.id}/gps?limit=100`, { token });
    expect(
      body.data.map(
        ({ timestamp }: { timestamp: string }) => (Date.parse(timestamp) / 1_000 - start - 150) / 300,
      ),
    ).toEqual([0, 1, 4, 5]);
    const done = (await timed.get(`/v1/trips/${trip.id}`, { token })).body.data;
    expect(done.distance_km).toBeCloseTo(5, 3);
    // Statistics are counted once a minute.
    await timed.advance(120_000);
    expect((await total()) - before).toBeCloseTo(5, 3);
    await timed.stop();
  });

  test("are told of together to extended subscriptions alone, and newer ones one by one", async () => {
    const { id, key } = await server.device();
    const newest = await postPoint(server, key, { timestamp: DAY_IN_MAY });
    const plain = await (await Client.open(server, { token: admin })).subscribe("gps", `gps:${id}`);
    const extended = await Client.open(server, { token: admin });
    for (const channel of ["gps", `gps:${id}`]) {
      const answer = await extended.ask({ type: "subscribe", channel, extended: true });
      expect(answer.type).toBe("message");
    }
    await post(key, [bare(DAY_IN_MAY - 5), bare(DAY_IN_MAY + 2), bare(DAY_IN_MAY - 9), bare(DAY_IN_MAY + 1)]);
    const updates = (await listed(id)).slice(0, 2).toReversed().map(told);
    const twice = (messages: object[]) => messages.flatMap((message) => [message, message]);
    expect(await plain.heard()).toEqual(twice(updates.map((data: object) => ({ type: "gpsUpdate", data }))));
    const heard = await extended.heard();
    expect(heard.filter(({ type }) => type === "gpsUpdate")).toHaveLength(4);
    // Once where they were stored in one transaction; a busy machine takes several, each of which is told.
    const late = heard.filter(({ type }) => type === "gpsLate").map(({ data }) => data);
    expect(late).toEqual(twice(late.filter((_, at) => at % 2 === 0)));
    for (const data of late) expect(data).toMatchObject({ device_id: id, trip_ids: [] });
    expect(late.reduce((count, data) => count + data.count, 0)).toBe(2 * 2);
    expect(late.at(0).from).toBe(new Date((DAY_IN_MAY - 9) * 1_000).toISOString());
    expect(late.at(-1).to).toBe(new Date((DAY_IN_MAY - 5) * 1_000).toISOString());
    // The current position went forward only.
    expect(newest.id).not.toBe(
      (await server.get(`/v1/gps/current?device_id=${id}`, { token: admin })).body.data.id,
    );
    await post(key, [bare(DAY_IN_MAY - 1)]);
    const current = (await server.get(`/v1/gps/current?device_id=${id}`, { token: admin })).body.data;
    expect(Date.parse(current.timestamp) / 1_000).toBe(DAY_IN_MAY + 2);
    // Subscribed again without it, nothing is told of late ones.
    await extended.heard();
    await extended.subscribe("gps", `gps:${id}`);
    await post(key, [bare(DAY_IN_MAY - 2)]);
    expect(await extended.heard()).toEqual([]);
    await Promise.all([plain.close(), extended.close()]);
  });

  test("of a large batch, at most the newest 100 are told of one by one", async () => {
    const { id, key } = await server.device();
    const client = await (await Client.open(server, { token: admin })).subscribe(`gps:${id}`);
    await post(
      key,
      Array.from({ length: 400 }, (_, n) => bare(DAY_IN_MAY + n)),
    );
    const times = (await client.heard()).map(({ data }) => Date.parse(data.timestamp) / 1_000 - DAY_IN_MAY);
    expect(times).toEqual(Array.from({ length: 100 }, (_, n) => 300 + n));
    await client.close();
  });
});

describe("zones", () => {
  test("are crossed by a batch in order of fix time, and by late positions not at all", async () => {
    const { id, key } = await server.device();
    const harbour = expectStatus(
      await server.post("/v1/geofences", { token: admin, body: { name: "harbour", ...HERE, radius_km: 1 } }),
      201,
    ).body.data;
    const client = await (await Client.open(server, { token: admin })).subscribe(`geofence:${harbour.id}`);
    const away = northOf(HERE, 5);
    await post(key, [
      { ...away, timestamp: DAY_IN_MAY + 20 },
      bare(DAY_IN_MAY + 10),
      { ...away, timestamp: DAY_IN_MAY },
    ]);
    const events = async () => (await client.heard()).map(({ data }) => `${data.event} ${data.device_id}`);
    expect(await events()).toEqual([`enter ${id}`, `exit ${id}`]);
    await post(key, [bare(DAY_IN_MAY + 15)]);
    expect(await events()).toEqual([]);
    await client.close();
  });
});

describe("Idempotency-Key", () => {
  const ask = (key: string, name: string, overrides: object = {}) =>
    server.post("/v1/gps", { token: key, body: fix(overrides), headers: { "idempotency-key": name } });

  test("gives the first answer again, to requests at the same time too, and stores once", async () => {
    const { id, key } = await server.device();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(key, "voyage 118/1")));
    answers.push(await ask(key, "voyage 118/1"));
    for (const { status, body, headers } of answers) {
      expect(status).toBe(201);
      expect(body).toEqual(answers[0]?.body);
      expect(headers.get("location")).toBe(`/v1/gps/${answers[0]?.body.data.id}`);
    }
    expect(await listed(id)).toHaveLength(1);
  });

  test("gives the first answer also once the device is gone", async () => {
    const { id } = await server.device();
    const send = () =>
      server.post("/v1/gps", {
        token: admin,
        body: fix({ device_id: id }),
        headers: { "idempotency-key": "of a device" },
      });
    const first = expectStatus(await send(), 201);
    await server.delete(`/v1/devices/${id}`, { token: admin });
    expect((await send()).body).toEqual(first.body);
    expectRefused(
      await server.post("/v1/gps", {
        token: admin,
        body: fix({ device_id: id }),
        headers: { "idempotency-key": "another" },
      }),
      400,
      "ValidationError",
    );
  });

  test("with another body is 422; with another key of the API it is another request", async () => {
    const [one, two] = [await server.device(), await server.device()];
    expectStatus(await ask(one.key, "a"), 201);
    expectRefused(await ask(one.key, "a", { latitude: 1 }), 422, "IdempotencyKeyReused");
    expectStatus(await ask(two.key, "a", { latitude: 1 }), 201);
    expect(await listed(one.id)).toHaveLength(1);
  });

  test("knows a body by its fields, in whatever order they come, with whatever else", async () => {
    const { key } = await server.device("reordered");
    const ask = (body: object) =>
      server.post("/v1/gps", { token: key, body, headers: { "idempotency-key": "reordered" } });
    const body = fix();
    const first = expectStatus(await ask(body), 201);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    for (const again of [reversed, { ...body, sent_at: 1 }, { attempt: { number: 2 }, ...reversed }])
      expect(expectStatus(await ask(again), 201).body).toEqual(first.body);
    expectRefused(await ask({ ...reversed, altitude: 4 }), 422, "IdempotencyKeyReused");
  });

  test.each(["x".repeat(256), "grün", ""])("of the form %j is 400", async (name) => {
    const { key } = await server.device();
    const answer = await fetch(`${server.url}/v1/gps`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": name,
      },
      body: JSON.stringify(fix()),
    });
    expect(answer.status).toBe(400);
  });

  test("is forgotten after a day", async () => {
    const timed = await TestServer.start({ clock: "movable" });
    const { key } = await timed.device();
    const send = () =>
      timed.post("/v1/gps", { token: key, body: fix(), headers: { "idempotency-key": "a" } });
    const first = await send();
    await timed.advance(86_395_000);
    expect((await send()).body.data.id).toBe(first.body.data.id);
    await timed.advance(10_000);
    expect((await send()).body.data.id).not.toBe(first.body.data.id);
    await timed.stop();
  });
});
