import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { deleteDevice } from "../../../src/tracking/devices/service";
import { deleteOldPoints } from "../../../src/tracking/gps/retention";
import type { GpsFilter } from "../../../src/tracking/gps/schema";
import { deletePoint, listPoints } from "../../../src/tracking/gps/service";
import { finishDetachments, loadDetachments } from "../../../src/tracking/ingest/detach";
import { expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { planOf, preparedBy } from "../../support/in-process";
import { TestServer } from "../../support/server";
import { newDevice, openTracking, record, reopen, SERVICE, setSystemConfig } from "../in-process";
import { fix, postPoint } from "../support";

const DAY = 86_400;
/** The start of a day, so that the test's spans coincide with those of the counters. */
const START = 1_780_272_000;
const at = (seconds: number) => new Date(seconds * 1_000).toISOString();

describe("positions of a device between two times", () => {
  let boat = "";
  let other = "";
  /** Times of one day that share seconds, of a busy quarter of an hour, and of years. */
  const TIMES = [
    ...Array.from({ length: 900 }, (_, n) => START + ((n * 7_919) % DAY)),
    ...Array.from({ length: 700 }, (_, n) => START + DAY + 43_200 + (n % 350)),
    ...Array.from({ length: 200 }, (_, n) => START - n * 2 * DAY - 1),
  ];

  beforeAll(async () => {
    await openTracking();
    [boat, other] = [newDevice(), newDevice()];
    await Promise.all(TIMES.map((time, n) => record([boat, boat, other, null][n % 4] ?? null, time)));
  });
  afterAll(closeDatabase);

  /** The same by a plain scan. */
  function scan({ device_id, from, to }: GpsFilter): string[] {
    return sqlite
      .query<{ id: string }, [string | null, number, number]>(
        "SELECT id FROM gps_points WHERE (?1 IS NULL OR device_id = ?1) AND timestamp BETWEEN ?2 AND ?3 ORDER BY timestamp DESC, rowid DESC",
      )
      .all(
        device_id ?? null,
        from === undefined ? 0 : Date.parse(from),
        to === undefined
          ? Number.MAX_SAFE_INTEGER
          : Date.parse(to) + (to.length === 10 ? DAY * 1_000 - 1 : 0),
      )
      .map(({ id }) => id);
  }

  function expectRight(filter: GpsFilter, limit: number): void {
    const expected = scan(filter);
    const pages = Math.ceil(expected.length / limit);
    const read = Array.from({ length: pages + 1 }, (_, page) =>
      listPoints({ page: page + 1, limit }, filter),
    );
    expect(read.map(({ total }) => total)).toEqual(Array(pages + 1).fill(expected.length));
    expect(read.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(expected);
  }

  const SPANS: Record<string, { from?: string; to?: string }> = {
    always: {},
    "a day": { from: "2026-06-01", to: "2026-06-01" },
    "two days": { from: "2026-06-01", to: "2026-06-02" },
    "from within a second to within another": { from: at(START + 4_321.5), to: at(START + 80_000.25) },
    "a part of a quarter of an hour": { from: at(START + DAY + 43_250), to: at(START + DAY + 43_400) },
    "one second": { from: at(START + DAY + 43_200), to: at(START + DAY + 43_200) },
    "until then": { to: at(START) },
    "from then on": { from: at(START + 1) },
    "years without any": { from: "1971-01-01", to: "1980-12-31" },
    "the times of RFC 3339": { from: "0000-01-01T00:00:00Z", to: "9999-12-31T23:59:59Z" },
    "the wrong way round": { from: "2026-06-02", to: "2026-06-01" },
  };
  for (const [name, span] of Object.entries(SPANS))
    test(name, () => {
      for (const limit of [3, 100])
        for (const device_id of [undefined, boat, other, UNKNOWN])
          expectRight({ ...span, ...(device_id && { device_id }) }, limit);
    });

  test("are read and counted along indexes, and no list is walked through", async () => {
    reopen();
    const statements = await preparedBy(() => {
      for (const device_id of [undefined, boat])
        listPoints(
          { page: 2, limit: 10 },
          { ...SPANS["from within a second to within another"], ...(device_id && { device_id }) },
        );
    });
    for (const wanted of [
      "SELECT count(*) AS n FROM gps_points WHERE timestamp",
      "WHERE device_id = +? AND timestamp <",
    ])
      expect(statements.filter((sql) => sql.replaceAll(/\s+/g, " ").includes(wanted))).toHaveLength(1);
    for (const step of statements.flatMap(planOf)) expect(step).toMatch(/^SEARCH /);
  });

  test("stay right when positions go, by hand and by age", async () => {
    for (const id of scan({}).slice(0, 40)) await deletePoint(SERVICE, id);
    await setSystemConfig("gps.retention_days", 200);
    await deleteOldPoints();
    expect(scan({}).length).toBeLessThan(1_750);
    for (const device_id of [undefined, boat, other])
      for (const span of Object.values(SPANS)) expectRight({ ...span, ...(device_id && { device_id }) }, 100);
  });

  test("are none at once when the device goes, whose counters go in steps", async () => {
    const device = newDevice();
    await Promise.all(Array.from({ length: 1_200 }, (_, n) => record(device, START - n * DAY)));
    const parts = () =>
      sqlite
        .query<{ n: number }, [string]>("SELECT count(*) AS n FROM counters WHERE name LIKE ?")
        .get(`device_points ${device}%`)?.n ?? 0;
    expect(parts()).toBeGreaterThan(2_400);
    // Positions that are deleted by age in the same commit count for no device any more.
    await Promise.all([deleteDevice(SERVICE, device), deleteOldPoints()]);
    expect(parts()).toBeWithin(1, 2_400);
    for (const span of Object.values(SPANS))
      expect(listPoints({ page: 1, limit: 10 }, { device_id: device, ...span })).toEqual({
        rows: [],
        total: 0,
      });
    loadDetachments();
    await finishDetachments();
    expect(parts()).toBe(0);
    expect(sqlite.query("SELECT * FROM gps_detachments").all()).toEqual([]);
  });
});

describe("over HTTP", () => {
  let server: TestServer;
  let token = "";
  beforeAll(async () => {
    server = await TestServer.start();
    token = await server.admin();
  });
  afterAll(() => server.stop());
  const get = (query: string) => server.get(`/v1/gps?${query}`, { token });

  test("a day's track of a device is one list, whose links keep the filters", async () => {
    const [device, other] = [await server.device(), await server.device()];
    const today = await Promise.all(
      [5, 60, 3_600].map((s) => postPoint(server, device.key, { timestamp: START + s })),
    );
    await postPoint(server, device.key, { timestamp: START - 1 });
    await postPoint(server, device.key, { timestamp: START + DAY });
    await postPoint(server, other.key, { timestamp: START + 60 });
    const filter = `device_id=${device.id.toUpperCase()}&from=2026-06-01&to=2026-06-01`;
    const { status, body } = await get(`${filter}&limit=2`);
    expect(status).toBe(200);
    expect(body.data).toEqual([today[2], today[1]]);
    expect(body.pagination).toEqual({ page: 1, limit: 2, total: 3, total_pages: 2 });
    expect(body._links.next).toBe(`/v1/gps?page=2&limit=2&${filter}`);
    expect((await server.get(body._links.next, { token })).body.data).toEqual([today[0]]);
    expect((await get("from=2026-06-01&to=2026-06-01")).body.pagination.total).toBe(4);
    expect((await get(`device_id=${device.id}&unknown=7`)).body.pagination.total).toBe(5);
  });

  test.each(["device_id=x", "device_id=", "from=yesterday", "to=2026-02-30", "from=1780272000", "to="])(
    "refuses %s",
    async (query) => expectInvalid(await get(query), `/${query.split("=")[0]}`),
  );

  describe("a position may name its device", () => {
    const post = (key: string, overrides: object) =>
      server.post("/v1/gps", { token: key, body: fix({ timestamp: START, ...overrides }) });

    test("if the caller holds devices:write, with a session or a key, also one that has a device", async () => {
      const [device, linked] = [await server.device(), await server.device()];
      const key = await server.key("gps:write", "devices:write");
      for (const credential of [token, key, server.systemKey]) {
        const { status, body } = await post(credential, { device_id: device.id.toUpperCase() });
        expect({ status, device: body.data.device_id }).toEqual({ status: 201, device: device.id });
        expect((await post(credential, { device_id: null })).body.data.device_id).toBeNull();
      }
      expect((await get(`device_id=${device.id}`)).body.pagination.total).toBe(3);
      expect((await post(linked.key, {})).body.data.device_id).toBe(linked.id);
    });

    test("which must exist", async () => {
      for (const device_id of [UNKNOWN, "x", 7, {}, []])
        expectInvalid(await post(token, { device_id }), "/device_id");
    });

    test("and from anybody else the name is an unknown field, whatever it holds", async () => {
      const [device, own] = [await server.device(), await server.device()];
      const key = await server.key("gps:write");
      for (const device_id of [device.id, UNKNOWN, "x", 7, null]) {
        expect((await post(key, { device_id })).body.data).toMatchObject({ device_id: null });
        expect((await post(own.key, { device_id })).body.data).toMatchObject({ device_id: own.id });
      }
      expectRefused(
        await post(await server.key("devices:write"), { device_id: device.id }),
        403,
        "Forbidden",
      );
    });
  });
});
