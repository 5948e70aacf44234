import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectInvalid } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip, postPoint } from "../support";

const START = 1_372_578_069;
/** Seconds after START at which points are posted: out of order, and most of them more than once. */
const SECONDS = [5, 3, 3, 9, 0, 3, 7, 9, 1, 3, 5, 2, 9, 3, 8, 0, 4, 3, 6, 3, 9, 1, 3];

interface Point {
  id: string;
  timestamp: string;
}

let server: TestServer;
let token: string;
let tripId: string;
/** The points as posted. */
const posted: Point[] = [];
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const get = (path: string) => server.get(path, { token });
const page = async (path: string) => (await get(path)).body;
const ids = (points: Point[]) => points.map((point) => point.id);

/** Ordered by the receiver's time; of equal times the first posted comes first. */
const oldestFirst = () => posted.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));

/** All pages of a list, by following a link from page to page. */
async function walk(path: string, link: "next" | "prev") {
  const pages: { data: Point[]; pagination: { page: number }; _links: Record<string, string> }[] = [];
  for (let at: string | undefined = path; at; ) {
    const body = await page(at);
    pages.push(body);
    at = body._links[link];
    if (pages.length > 100) throw new Error("the links run in circles");
  }
  return pages;
}

describe("an empty list", () => {
  test("has no pages, and its last page is page 1", async () => {
    const only = "/v1/gps?page=1&limit=10";
    expect(await page("/v1/gps")).toEqual({
      data: [],
      pagination: { page: 1, limit: 10, total: 0, total_pages: 0 },
      _links: { self: only, first: only, last: only },
    });
  });

  test("stays empty on any page", async () => {
    expect(await page("/v1/gps?page=3&limit=7")).toMatchObject({
      data: [],
      pagination: { page: 3, limit: 7, total: 0, total_pages: 0 },
      _links: { first: "/v1/gps?page=1&limit=7", last: "/v1/gps?page=1&limit=7" },
    });
  });
});

describe("the list of points", () => {
  beforeAll(async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    tripId = trip.id;
    for (const second of SECONDS)
      posted.push(await postPoint(server, device.key, { timestamp: START + second }));
  });

  test("is ordered by the receiver's time, newest first, and shows ten a page", async () => {
    const { data, pagination, _links } = await page("/v1/gps");
    expect(ids(data)).toEqual(ids(oldestFirst().reverse().slice(0, 10)));
    expect(data[0]).toEqual(oldestFirst().at(-1));
    expect(pagination).toEqual({ page: 1, limit: 10, total: 23, total_pages: 3 });
    expect(_links).toEqual({
      self: "/v1/gps?page=1&limit=10",
      first: "/v1/gps?page=1&limit=10",
      last: "/v1/gps?page=3&limit=10",
      next: "/v1/gps?page=2&limit=10",
    });
  });

  test("links a page in the middle to both sides, and the last one only back", async () => {
    expect((await page("/v1/gps?page=2"))._links).toEqual({
      self: "/v1/gps?page=2&limit=10",
      first: "/v1/gps?page=1&limit=10",
      last: "/v1/gps?page=3&limit=10",
      prev: "/v1/gps?page=1&limit=10",
      next: "/v1/gps?page=3&limit=10",
    });
    const { data, _links } = await page("/v1/gps?page=3");
    expect(data).toHaveLength(3);
    expect(_links.prev).toBe("/v1/gps?page=2&limit=10");
    expect(_links).not.toHaveProperty("next");
  });

  test.each([1, 2, 4, 7, 10, 22, 23, 24, 100])(
    "shows each point once and in one order, by pages of %i from either end",
    async (limit) => {
      const lists = [
        { path: "/v1/gps", order: ids(oldestFirst().reverse()) },
        { path: `/v1/trips/${tripId}/gps`, order: ids(oldestFirst()) },
      ];
      for (const { path, order } of lists) {
        const pages = Math.ceil(SECONDS.length / limit);
        const forward = await walk(`${path}?limit=${limit}`, "next");
        expect(forward.flatMap(({ data }) => ids(data))).toEqual(order);
        expect(forward.map(({ pagination }) => pagination.page)).toEqual(
          Array.from({ length: pages }, (_, at) => at + 1),
        );
        const backward = await walk(`${path}?page=${pages}&limit=${limit}`, "prev");
        expect(backward.reverse()).toEqual(forward);
      }
    },
  );

  test("is an empty page past the end, which leads back to the last one", async () => {
    const { data, pagination, _links } = await page("/v1/gps?page=900&limit=5");
    expect(data).toEqual([]);
    expect(pagination).toEqual({ page: 900, limit: 5, total: 23, total_pages: 5 });
    expect(_links.prev).toBe("/v1/gps?page=5&limit=5");
    expect(_links).not.toHaveProperty("next");
    expect((await page("/v1/gps?page=6&limit=5")).data).toEqual([]);
  });

  test.each([101, 1_000_000, 999_999_999_999_999])("lowers the limit %i to 100", async (limit) => {
    const { data, pagination, _links } = await page(`/v1/gps?limit=${limit}`);
    expect(data).toHaveLength(23);
    expect(pagination).toEqual({ page: 1, limit: 100, total: 23, total_pages: 1 });
    expect(_links.self).toBe("/v1/gps?page=1&limit=100");
  });

  test.each(["0", "-1", "1.5", "1e3", "0x10", "", "%20", "ten", "+1", "1,5", "null", "NaN", "Infinity"])(
    "refuses %j as page and as limit",
    async (value) => {
      expectInvalid(await get(`/v1/gps?page=${value}`), "/page");
      expectInvalid(await get(`/v1/gps?limit=${value}`), "/limit");
      expectInvalid(await get(`/v1/gps?page=${value}&limit=${value}`), "/page", "/limit");
    },
  );

  test("counts what is posted and deleted from then on", async () => {
    const point = await postPoint(server, token, { timestamp: START + 100 });
    const { data, pagination } = await page("/v1/gps?limit=1");
    expect(ids(data)).toEqual([point.id]);
    expect(pagination.total).toBe(24);
    await server.delete(`/v1/gps/${point.id}`, { token });
    expect((await page("/v1/gps?limit=1")).pagination.total).toBe(23);
  });

  test("doesn't count what was refused", async () => {
    await server.post("/v1/gps", { token, body: {} });
    await server.delete(`/v1/gps/${posted[0]?.id}`, { token });
    expect((await page("/v1/gps")).pagination.total).toBe(23);
  });
});
