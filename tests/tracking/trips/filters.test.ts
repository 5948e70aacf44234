import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { createCategory, deleteCategory } from "../../../src/tracking/categories/service";
import { deleteDevice } from "../../../src/tracking/devices/service";
import { finishDetachments } from "../../../src/tracking/ingest/detach";
import type { TripFilter } from "../../../src/tracking/trips/schema";
import { createTrip, deleteTrip, listTrips, updateTrip } from "../../../src/tracking/trips/service";
import { expectInvalid, UNKNOWN } from "../../support/expectations";
import { planOf, preparedBy } from "../../support/in-process";
import { TestServer } from "../../support/server";
import { move, newDevice, openTracking, reopen, SERVICE } from "../in-process";
import * as http from "../support";

/** Lists of trips by device, category, status and time equal those of a plain scan, whatever happens to the trips. */

const HOUR = 3_600_000;
/** A day, a little before its end. */
const START = Date.parse("2026-06-01T20:00:00Z");
const OLD = { from: "1970-01-01" };

let devices: string[] = [];
const categories: string[] = [];
const all: string[] = [];
let time = START;

beforeAll(async () => {
  setClock(() => time);
  await openTracking();
  devices = [newDevice(), newDevice()];
  for (const name of ["ferry", "supply"]) categories.push((await createCategory(SERVICE, { name })).id);
  for (let n = 0; n < 1_300; n++) {
    time += (n % 7) * 90_000;
    const trip = await createTrip(SERVICE, {
      name: `trip ${n}`,
      device_id: [...devices, null][n % 3] ?? null,
      category_id: [...categories, null][n % 5] ?? null,
    });
    all.push(trip.id);
  }
  // Trips begin in another order than they were made.
  for (let n = 0; n < 1_300; n += 2) {
    time += 70_000;
    const id = all[(n * 7) % 1_300] ?? "";
    await move(id, "active");
    if (n % 3 === 0) await move(id, "completed");
  }
});
afterAll(() => {
  setClock();
  closeDatabase();
});

function scan({ device_id, category_id, status, from, to }: TripFilter): string[] {
  const isTimed = device_id || category_id || from || to;
  return sqlite
    .query<{ id: string }, (string | number | null)[]>(
      `SELECT id FROM (SELECT *, rowid AS nth, coalesce(started_at, created_at) AS began FROM trips)
       WHERE (?1 IS NULL OR device_id = ?1) AND (?2 IS NULL OR category_id = ?2) AND (?3 IS NULL OR status = ?3)
         AND began BETWEEN ?4 AND ?5 ORDER BY ${isTimed ? "began DESC, nth DESC" : "id DESC"}`,
    )
    .all(
      ...[device_id ?? null, category_id ?? null, status ?? null],
      ...[from ? Date.parse(from) : 0, to ? Date.parse(to) + 24 * HOUR - 1 : Number.MAX_SAFE_INTEGER],
    )
    .map(({ id }) => id);
}

/** Every combination of the filters. */
function combinations(): TripFilter[] {
  const choices = <K extends keyof TripFilter>(key: K, values: (TripFilter[K] | undefined)[]) =>
    values.map((value) => (value === undefined ? {} : { [key]: value })) as TripFilter[];
  const cross = (some: TripFilter[], more: TripFilter[]) =>
    some.flatMap((one) => more.map((other) => ({ ...one, ...other })));
  return [
    choices("category_id", [undefined, ...categories, UNKNOWN]),
    choices("status", [undefined, "draft", "active", "completed", "paused"]),
    [
      {},
      OLD,
      { from: "2026-06-02T09:10:11Z" },
      { from: "2026-06-02", to: "2026-06-02" },
      { to: "2026-06-03" },
    ],
  ].reduce(cross, choices("device_id", [undefined, ...devices]));
}

function expectRight(): void {
  for (const filter of combinations()) {
    const expected = scan(filter);
    const pages = Math.ceil(expected.length / 100);
    const read = Array.from({ length: pages + 1 }, (_, page) =>
      listTrips({ page: page + 1, limit: 100 }, filter),
    );
    expect({ filter, totals: [...new Set(read.map(({ total }) => total))] }).toEqual({
      filter,
      totals: [expected.length],
    });
    expect({ filter, ids: read.flatMap(({ rows }) => rows.map(({ id }) => id)) }).toEqual({
      filter,
      ids: expected,
    });
  }
}

const PATIENCE = 60_000;

test("each combination of filters gives its trips, those first that began last", expectRight, PATIENCE);

test("lists are read and counted along indexes", async () => {
  reopen();
  const statements = await preparedBy(() => {
    for (const filter of combinations()) listTrips({ page: 2, limit: 100 }, filter);
  });
  const ofTrips = statements.filter((sql) => /from "trips"/.test(sql));
  expect(ofTrips.length).toBeGreaterThan(16);
  expect(ofTrips.filter((sql) => sql.includes("count(*)")).length).toBeGreaterThan(7);
  for (const sql of ofTrips)
    for (const step of planOf(sql)) expect(step).toMatch(/^(SEARCH|SCAN) trips( USING (COVERING )?INDEX|$)/);
  const sorted = ofTrips.filter((sql) => planOf(sql).some((step) => step.includes("TEMP B-TREE")));
  expect(sorted).toEqual([]);
});

test(
  "they stay right when trips change, move and go",
  async () => {
    await Promise.all([
      ...all
        .slice(0, 30)
        .map((id) => updateTrip(SERVICE, id, { device_id: devices[1] ?? null, category_id: null })),
      ...all.slice(30, 60).map((id) => updateTrip(SERVICE, id, { category_id: categories[1] ?? null })),
      ...all.slice(30, 40).map((id) => updateTrip(SERVICE, id, { name: "other" })),
    ]);
    for (const id of scan({ status: "completed" }).slice(0, 40)) await deleteTrip(SERVICE, id);
    expectRight();
  },
  PATIENCE,
);

test(
  "they are empty at once when the device or the category goes, and none of its counters stays",
  async () => {
    const [device = ""] = devices;
    const [category = ""] = categories;
    const parts = (id: string) =>
      sqlite
        .query<{ n: number }, [string]>("SELECT count(*) AS n FROM counters WHERE name LIKE ?")
        .get(`%${id}%`)?.n ?? 0;
    expect(parts(device)).toBeGreaterThan(500);
    await deleteDevice(SERVICE, device);
    expectRight();
    await deleteCategory(SERVICE, category);
    expectRight();
    for (const gone of [{ device_id: device }, { category_id: category }])
      for (const status of [undefined, "draft", "active", "completed"] as const)
        for (const span of [{}, OLD])
          expect(listTrips({ page: 1, limit: 1 }, { ...gone, ...span, ...(status && { status }) })).toEqual({
            rows: [],
            total: 0,
          });
    await finishDetachments();
    expect([parts(device), parts(category)]).toEqual([0, 0]);
    expectRight();
  },
  PATIENCE,
);

describe("over HTTP", () => {
  let server: TestServer;
  let token = "";
  beforeAll(async () => {
    server = await TestServer.start();
    token = await server.admin();
  });
  afterAll(() => server.stop());
  const get = (query: string) => server.get(`/v1/trips?${query}`, { token });

  test("filters combine, and the links keep them", async () => {
    const device = await server.device();
    const trips = [];
    for (const name of ["a", "b", "c"])
      trips.push(await http.createTrip(server, { name, device_id: device.id }));
    await http.createTrip(server);
    await http.moveTrip(server, trips[0].id, "active");
    const { body } = await get(`device_id=${device.id}&status=draft&from=2026-01-01&limit=1`);
    expect(body.pagination).toMatchObject({ total: 2, total_pages: 2 });
    expect(body.data).toEqual([trips[2]]);
    expect(body._links.next).toContain(`&device_id=${device.id}&status=draft&from=2026-01-01`);
    expect((await get(`device_id=${device.id}&to=2026-01-01`)).body.pagination.total).toBe(0);
    expect((await get("unknown=1")).body.pagination.total).toBe(4);
  });

  test.each(["device_id=x", "category_id=x", "from=x", "to=x", "status=x"])("refuses %s", async (query) =>
    expectInvalid(await get(query), `/${query.split("=")[0]}`),
  );

  test("a trip shows its way: its ends, where nobody set them, and its distance", async () => {
    const device = await server.device();
    const fields = { device_id: device.id, gps_logging_enabled: true };
    const { id } = await http.createTrip(server, fields);
    const read = async () => (await server.get(`/v1/trips/${id}`, { token })).body.data;
    await http.moveTrip(server, id, "active");
    expect(await read()).toMatchObject({ start_latitude: null, end_longitude: null, distance_km: 0 });
    const places = [0, 3, 1].map((km, n) => ({
      ...http.northOf(http.fix(), km),
      timestamp: 1_780_272_000 + n,
    }));
    for (const place of places) await http.postPoint(server, device.key, place);
    const way = {
      start_latitude: places[0]?.latitude,
      start_longitude: places[0]?.longitude,
      end_latitude: places[2]?.latitude,
      end_longitude: places[2]?.longitude,
    };
    expect(await read()).toMatchObject({ ...way, distance_km: expect.closeTo(5, 6) });
    // One that comes late goes to its place.
    await http.postPoint(server, device.key, { ...http.northOf(http.fix(), -1), timestamp: 1_780_271_000 });
    expect(await read()).toMatchObject({ end_latitude: way.end_latitude, distance_km: expect.closeTo(6, 6) });
    const patched = await server.patch(`/v1/trips/${id}`, {
      token,
      body: { start_latitude: 1, start_longitude: 2, status: "completed" },
    });
    const set = { start_latitude: 1, start_longitude: 2, end_latitude: way.end_latitude };
    expect(patched.body.data).toMatchObject({ ...set, distance_km: expect.closeTo(6, 6) });
    expect((await get("status=completed")).body.data).toEqual([await read()]);
    await server.patch(`/v1/trips/${id}`, { token, body: { start_latitude: null, start_longitude: null } });
    expect((await read()).start_latitude).toBe(http.northOf(http.fix(), -1).latitude);
  });
});
