import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { eventually, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, greatCircleKm, moveTrip, postPoint } from "../support";
import { type Entry, readLog, verify, write } from "./support";

/** Positions that go into the log of a trip by themselves. */
let server: TestServer;
let token: Token;
beforeEach(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterEach(() => server.stop());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = { latitude: 54.1, longitude: 13.4 };

/** A trip under way, with the key of its device. */
async function underWay(fields: object = {}) {
  const { id: device_id, key } = await server.device();
  const { id } = await createTrip(server, { device_id, gps_logging_enabled: true, ...fields });
  await moveTrip(server, id, "active");
  return { id: id as string, key };
}

/** Posts a position of now, some steps of 0.01° north of the start. */
const post = (key: Token, steps: number, overrides: object = {}) =>
  postPoint(server, key, {
    ...START,
    latitude: START.latitude + steps / 100,
    timestamp: Math.floor(server.time / 1_000),
    ...overrides,
  });
const km = (steps: number) =>
  Math.round(greatCircleKm(START, { ...START, latitude: START.latitude + steps / 100 }) * 1_000) / 1_000;

/** The log once it has so many entries. */
async function logOf(id: string, entries: number): Promise<Entry[]> {
  await server.runJobs();
  await eventually(async () => (await readLog(server, id)).length >= entries);
  return await readLog(server, id);
}

/** Lets all that is due be written. */
async function settle(): Promise<void> {
  await server.advance(MINUTE);
  await server.runJobs();
}

test("each interval has one, with the way since the last one and in all", async () => {
  const { id, key } = await underWay();
  await post(key, 0);
  const first = await post(key, 3, { timestamp: Math.floor(server.time / 1_000) + 1 });
  await server.advance(HOUR);
  const [entry] = await logOf(id, 1);
  expect(entry).toMatchObject({
    ...{ number: 1, kind: "position", is_automatic: true, user_id: null, api_key_id: null, text: null },
    occurred_at: first.timestamp,
    data: {
      latitude: first.latitude,
      longitude: START.longitude,
      heading: first.heading,
      speed_knots: first.speed_knots,
      speed_kmh: first.speed_kmh,
      distance_km: km(3),
      total_distance_km: km(3),
    },
  });
  await write(server, id, { text: "between" });
  await post(key, 5);
  await server.advance(HOUR);
  const { data } = (await logOf(id, 3))[2];
  expect(data.distance_km).toBeCloseTo(km(2), 2);
  expect(data.total_distance_km).toBe(km(5));
  expect((await verify(server, id)).is_intact).toBe(true);
});

describe("there is none", () => {
  test("in the first interval, and without a position", async () => {
    const { id, key } = await underWay();
    await settle();
    expect(await readLog(server, id)).toEqual([]);
    await server.advance(3 * HOUR);
    await settle();
    expect(await readLog(server, id)).toEqual([]);
    // The interval that waited for a position gets it as soon as it comes.
    await post(key, 1);
    await server.advance(MINUTE);
    expect(await logOf(id, 1)).toHaveLength(1);
  });

  test("without a new position since the last one", async () => {
    const { id, key } = await underWay();
    await post(key, 1);
    await server.advance(HOUR);
    await logOf(id, 1);
    await server.advance(5 * HOUR);
    await settle();
    expect(await readLog(server, id)).toHaveLength(1);
  });

  test("while a trip is paused, doesn't log, or wants none", async () => {
    const paused = await underWay();
    const quiet = await underWay();
    const never = await underWay({ log_interval_minutes: 0 });
    for (const { key } of [paused, quiet, never]) await post(key, 1);
    await moveTrip(server, paused.id, "paused");
    const body = { gps_logging_enabled: false };
    expectStatus(await server.patch(`/v1/trips/${quiet.id}`, { token, body }), 200);
    await server.advance(3 * HOUR);
    await settle();
    for (const { id } of [paused, quiet, never]) expect(await readLog(server, id)).toEqual([]);
  });
});

test("an outage leaves no backlog, and a restart makes none twice", async () => {
  const { id, key } = await underWay();
  await post(key, 1);
  await server.advance(HOUR);
  await logOf(id, 1);
  await post(key, 2);
  await server.stop();
  server = await TestServer.start({ dataDir: server.dataDir, clock: "movable", ahead: server.ahead });
  token = await server.admin();
  await settle();
  expect(await readLog(server, id)).toHaveLength(1);
  await server.stop();
  server = await TestServer.start({
    dataDir: server.dataDir,
    clock: "movable",
    ahead: server.ahead + 9 * HOUR,
  });
  expect(await logOf(id, 2)).toHaveLength(2);
  await settle();
  expect(await readLog(server, id)).toHaveLength(2);
  expect((await verify(server, id)).is_intact).toBe(true);
});

test("a clock that is set back a day goes on with entries", async () => {
  const { id, key } = await underWay();
  await post(key, 1);
  await server.advance(HOUR);
  await logOf(id, 1);
  await post(key, 2);
  await server.advance(-24 * HOUR);
  expect(await logOf(id, 2)).toHaveLength(2);
});

test("a position that is marked as an outlier is not written, nor its way counted", async () => {
  const { id, key } = await underWay();
  await post(key, 1);
  const stray = await post(key, 90, { timestamp: Math.floor(server.time / 1_000) + 1 });
  expectStatus(await server.patch(`/v1/gps/${stray.id}`, { token, body: { is_outlier: true } }), 200);
  await server.advance(HOUR);
  const [{ data }] = await logOf(id, 1);
  expect(data).toMatchObject({ latitude: START.latitude + 0.01, total_distance_km: 0 });
});
