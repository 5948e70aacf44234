import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { finishDetachments, isDetached, loadDetachments } from "../../../src/tracking/ingest/detach";
import type { Token } from "../../support/api";
import { TestServer } from "../../support/server";
import { createTrip, fix, moveTrip, postPoint } from "../support";

const T0 = 1_372_578_069;

interface Point {
  id: string;
  trip_id: string | null;
}

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

/** A device and its active logging trip. */
async function voyage() {
  const device = await server.device();
  const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
  await moveTrip(server, trip.id, "active");
  return { device, trip: trip.id as string };
}
const pointsOf = async (trip: string, query = "") =>
  (await server.get(`/v1/trips/${trip}/gps${query}`, { token })).body;

describe("GET /v1/trips/{id}/gps", () => {
  test("is an empty page for a trip without points", async () => {
    const { id } = await createTrip(server);
    const link = `/v1/trips/${id}/gps?page=1&limit=10`;
    expect(await pointsOf(id)).toEqual({
      data: [],
      pagination: { page: 1, limit: 10, total: 0, total_pages: 0 },
      _links: { self: link, first: link, last: link },
    });
  });

  test("lists the trip's own points by their timestamp, the oldest first, ten a page", async () => {
    const [{ device, trip }, other] = [await voyage(), await voyage()];
    await postPoint(server, other.device.key);
    const shuffled = [5, 0, 11, 3, 8, 1, 10, 4, 7, 2, 9, 6];
    const posted = new Map<number, Point>();
    for (const offset of shuffled)
      posted.set(
        offset,
        await postPoint(server, device.key, { timestamp: T0 + offset, pdop: 1.6, hdop: 0.9, vdop: 1.3 }),
      );
    const inOrder = Array.from({ length: 12 }, (_, at) => posted.get(at));
    const first = await pointsOf(trip);
    expect(first.data).toEqual(inOrder.slice(0, 10));
    expect(first.data[0]).toMatchObject({
      trip_id: trip,
      device_id: device.id,
      pdop: 1.6,
      hdop: 0.9,
      vdop: 1.3,
    });
    expect(first.pagination).toEqual({ page: 1, limit: 10, total: 12, total_pages: 2 });
    expect(first._links.next).toBe(`/v1/trips/${trip}/gps?page=2&limit=10`);
    expect((await pointsOf(trip, "?page=2")).data).toEqual(inOrder.slice(10));
    expect((await pointsOf(trip, "?page=4&limit=3")).data).toEqual(inOrder.slice(9));
    expect((await pointsOf(trip, "?limit=1000")).pagination.limit).toBe(100);
  });

  test.each(["page=0", "limit=0", "limit=x"])("refuses %s", async (query) => {
    const { id } = await createTrip(server);
    expect((await server.get(`/v1/trips/${id}/gps?${query}`, { token })).status).toBe(400);
  });
});

describe("a point joins the active logging trip of its device", () => {
  test("and no trip while it is a draft, paused, completed or doesn't log", async () => {
    const device = await server.device();
    const { id } = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    const joined = async () => (await postPoint(server, device.key)).trip_id;
    expect(await joined()).toBeNull();
    await moveTrip(server, id, "active");
    expect(await joined()).toBe(id);
    await moveTrip(server, id, "paused");
    expect(await joined()).toBeNull();
    await moveTrip(server, id, "active");
    expect(await joined()).toBe(id);
    await server.patch(`/v1/trips/${id}`, { token, body: { gps_logging_enabled: false } });
    expect(await joined()).toBeNull();
    await server.patch(`/v1/trips/${id}`, { token, body: { gps_logging_enabled: true } });
    await moveTrip(server, id, "completed");
    expect(await joined()).toBeNull();
    expect((await pointsOf(id)).pagination.total).toBe(2);
  });

  test("and stays in it when the trip changes its device", async () => {
    const { device, trip } = await voyage();
    const point = await postPoint(server, device.key);
    await server.patch(`/v1/trips/${trip}`, { token, body: { device_id: null } });
    expect((await pointsOf(trip)).data).toEqual([point]);
  });
});

describe("deleting a completed trip", () => {
  test("keeps its points, without the trip, and they can then be deleted", async () => {
    const { device, trip } = await voyage();
    const point = await postPoint(server, device.key, { timestamp: T0 + 3_600 });
    await moveTrip(server, trip, "completed");
    expect((await server.delete(`/v1/gps/${point.id}`, { token })).status).toBe(409);
    // Read once, so that an answer from memory would show the trip.
    expect((await server.get("/v1/gps/current", { token })).body.data.trip_id).toBe(trip);

    expect((await server.delete(`/v1/trips/${trip}`, { token })).status).toBe(204);

    const freed = { ...point, trip_id: null };
    expect((await server.get(`/v1/gps/${point.id}`, { token })).body.data).toEqual(freed);
    expect((await server.get("/v1/gps/current", { token })).body.data).toEqual(freed);
    expect((await server.get(`/v1/gps/current?device_id=${device.id}`, { token })).body.data).toEqual(freed);
    expect((await server.delete(`/v1/gps/${point.id}`, { token })).status).toBe(204);
  });

  test("leaves the points of other trips alone", async () => {
    const [gone, kept] = [await voyage(), await voyage()];
    await postPoint(server, gone.device.key);
    const point = await postPoint(server, kept.device.key);
    await moveTrip(server, gone.trip, "completed");
    await server.delete(`/v1/trips/${gone.trip}`, { token });
    expect((await pointsOf(kept.trip)).data).toEqual([point]);
  });
});

describe("deleting a trip with more points than one step takes", () => {
  const POINTS = 600;
  let own: TestServer;
  let admin: Token;
  let trip: { id: string };
  afterAll(() => own.stop());

  beforeAll(async () => {
    own = await TestServer.start();
    admin = await own.admin();
    const device = await own.device();
    trip = await createTrip(own, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(own, trip.id, "active");
    await Promise.all(
      Array.from({ length: POINTS }, (_, at) => postPoint(own, device.key, { timestamp: T0 + at })),
    );
    expect((await own.get(`/v1/trips/${trip.id}/gps`, { token: admin })).body.pagination.total).toBe(POINTS);
    await moveTrip(own, trip.id, "completed");
    expect((await own.delete(`/v1/trips/${trip.id}`, { token: admin })).status).toBe(204);
  });

  const all = async (): Promise<Point[]> => {
    const seen = [];
    for (let path: string | undefined = "/v1/gps?limit=100"; path; ) {
      const { body } = await own.get(path, { token: admin });
      seen.push(...body.data);
      path = body._links.next;
    }
    return seen;
  };

  test.each(["at once", "after a restart before the rest is done"])("shows trip_id null %s", async (when) => {
    if (when !== "at once") {
      expect(await own.stop()).toBe(0);
      own = await TestServer.start({ dataDir: own.dataDir });
    }
    const points = await all();
    expect(points).toHaveLength(POINTS);
    expect(points.filter((point) => point.trip_id !== null)).toEqual([]);
    expect((await own.get("/v1/gps/current", { token: admin })).body.data.trip_id).toBeNull();
    const [newest, oldest] = [points[0] as Point, points.at(-1) as Point];
    for (const { id } of [newest, oldest]) {
      expect((await own.get(`/v1/gps/${id}`, { token: admin })).body.data.trip_id).toBeNull();
      expect((await own.delete(`/v1/gps/${id}`, { token: admin })).status).toBe(204);
    }
    // The next round finds as many as this one.
    await Promise.all(
      [0, 1].map(() => own.post("/v1/gps", { token: admin, body: { ...fix(), timestamp: T0 } })),
    );
  });

  test("is finished by the background job, which leaves nothing in the rows", async () => {
    await own.stop();
    const file = join(own.dataDir, "fairlead.db");
    const left = () => {
      const database = new Database(file, { readonly: true });
      const count = (sql: string) => database.query<{ n: number }, []>(sql).get()?.n;
      const counts = {
        points: count("SELECT COUNT(*) AS n FROM gps_points WHERE trip_id IS NOT NULL"),
        marks: count("SELECT COUNT(*) AS n FROM gps_detachments"),
      };
      database.close();
      return counts;
    };
    expect(left()).toMatchObject({ marks: 1 });
    expect(left().points).toBeGreaterThan(0);
    openDatabase(file, "normal");
    try {
      loadDetachments();
      expect(isDetached(trip.id)).toBe(true);
      await finishDetachments();
      expect(isDetached(trip.id)).toBe(false);
    } finally {
      closeDatabase();
    }
    expect(left()).toEqual({ points: 0, marks: 0 });
    own = await TestServer.start({ dataDir: own.dataDir });
    expect((await all()).filter((point) => point.trip_id !== null)).toEqual([]);
  });
});
