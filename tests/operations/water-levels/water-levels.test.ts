import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ALL, ALLER, answering, measured, PegelonlineStandIn, station } from "../../stand-ins/pegelonline";
import { expectInvalid, expectPermission, expectRefused, expectStatus } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { greatCircleKm, northOf, type Place, postPoint, randomPlace } from "../../tracking/support";

let source: PegelonlineStandIn;
let server: TestServer;
let token: string;

beforeAll(async () => {
  source = await PegelonlineStandIn.start();
  server = await TestServer.start({ settings: source.settings() });
  token = await server.admin();
});
afterAll(async () => {
  await server.stop();
  await source.stop();
});
beforeEach(() => {
  source.stations = ALLER;
  source.measurements.clear();
  source.answerMeasurements();
  source.requests.length = 0;
});

const get = (path: string) => server.get(`/v1/pegel/${path}`, { token });
const list = async (query = "") => expectStatus(await get(`stations${query}`), 200).body;
const nearest = async (query = "") => expectStatus(await get(`nearest${query}`), 200).body;

const nearby = async (query = "") => expectStatus(await get(`nearby${query}`), 200).body;

/** Posts a position that is newer than all before. */
let seconds = 1_700_000_000;
const goTo = ({ latitude, longitude }: Place, key = token) =>
  postPoint(server, key, { latitude, longitude, timestamp: ++seconds });

const CELLE = { latitude: 52.622706, longitude: 10.062164 };

describe("without any position", () => {
  test("there is no nearest station, but there is the list", async () => {
    expectRefused(await get("nearest?radius=20038"), 404, "NotFound");
    // With all the digits that a program writes.
    expectRefused(await get(`nearest?radius=${0.1 + 0.2}`), 404, "NotFound");
    expect((await list()).length).toBe(3);
  });

  test("whoever asks if there is a level near by learns why there is none", async () => {
    expect(await nearby()).toEqual({ station: null, reason: "no_position", is_stale: false });
  });
});

describe("the recorded stations", () => {
  const common = { water_shortname: "ALLER", water_longname: "ALLER", agency: "VERDEN" };
  const moment = { measured_at: "2026-09-27T19:00:00.000Z", state: "low" };
  const celle = {
    ...common,
    ...moment,
    station_id: "b475386c-30cc-453a-b3b7-1d17ace13595",
    shortname: "CELLE",
    longname: "CELLE",
    ...CELLE,
    km: 1.74,
    level_cm: 113,
  };
  const stations = [
    { ...celle, trend: 1 },
    {
      ...common,
      ...moment,
      station_id: "8b4f9f7c-3376-4dd8-95c1-de55b1be4dfd",
      shortname: "MARKLENDORF",
      longname: "MARKLENDORF",
      latitude: 52.682757,
      longitude: 9.703456,
      km: 38.47,
      level_cm: 89,
      trend: null,
    },
    {
      ...common,
      ...moment,
      station_id: "522286e2-b2b3-4d0d-9a11-01b3ea418c76",
      shortname: "AHLDEN",
      longname: "AHLDEN",
      latitude: 52.762431,
      longitude: 9.570881,
      km: 58.71,
      level_cm: -8,
      trend: null,
    },
  ];

  test("come as a bare array with every field", async () => {
    source.measurements.set(celle.station_id, measured([108, 109, 110, 111, 113]));
    const answer = await get("stations");
    expect([answer.status, answer.body]).toEqual([200, stations]);
    expect(answer.headers.get("warning")).toBeNull();
  });

  test("come singly, bare and with the distance, as the nearest one", async () => {
    source.measurements.set(celle.station_id, measured([108, 109, 110, 111, 113]));
    await goTo(northOf(CELLE, 4.2));
    const answer = await get("nearest");
    expect([answer.status, answer.body]).toEqual([200, { ...celle, trend: 1, distance_km: 4.2 }]);
    expect(answer.headers.get("warning")).toBeNull();
  });

  test("are told to whoever asks if there is one near by, and else why not", async () => {
    await goTo(northOf(CELLE, 4.2));
    const found = await nearby();
    expect(found).toEqual({ station: await nearest(), reason: null, is_stale: false });
    expect(await nearby("?radius=4")).toEqual({ station: null, reason: "none_near", is_stale: false });
    expect((await nearby("?water=aller")).station.shortname).toBe("CELLE");
    source.stations = [];
    expect(await nearby()).toEqual({ ...found, is_stale: true });
    const [plain, silent] = await Promise.all([
      TestServer.start(),
      TestServer.start({ settings: { ...source.settings(), "pegel.base_url": "http://127.0.0.1:9" } }),
    ]);
    for (const [other, reason] of [
      [plain, "off"],
      [silent, "unreachable"],
    ] as const) {
      const key = await other.admin();
      await postPoint(other, key, { ...CELLE, timestamp: 1_700_000_000 });
      const { status, body } = await other.get("/v1/pegel/nearby", { token: key });
      expect([status, body]).toEqual([200, { station: null, reason, is_stale: false }]);
      await other.stop();
    }
  });

  test("of 2014 are there although they have no series, and none is the nearest", async () => {
    source.stations = ALL;
    const stations = await list();
    expect(stations.map((one: { station_id: string }) => one.station_id)).toEqual(
      ALL.map(({ uuid }) => uuid),
    );
    expect(stations[0]).toEqual({
      station_id: "47174d8f-1b8e-4599-8a59-b580dd55bc87",
      shortname: "EITZE",
      longname: "EITZE",
      water_shortname: "ALLER",
      water_longname: "ALLER",
      latitude: 52.90406541008721,
      longitude: 9.27676943537587,
      km: 9.56,
      agency: "WSA VERDEN",
      level_cm: null,
      trend: null,
      measured_at: null,
      state: null,
    });
    const without = stations.filter((one: { latitude: unknown }) => one.latitude === null);
    expect(without.length).toBe(15);
    expect(stations.filter(({ agency }: { agency: string }) => agency === "").length).toBe(5);
    await goTo(CELLE);
    expectRefused(await get("nearest?radius=20038"), 404, "NotFound");
    expect(source.measurementRequests).toEqual([]);
  });

  test("are asked for by the contract: all at once, with the current level", async () => {
    await list("?water=RHEIN");
    const [question] = source.stationRequests;
    expect(question?.headers.accept).toBe("application/json");
    expect(Object.fromEntries(new URLSearchParams(question?.query))).toMatchObject({
      includeTimeseries: "true",
      includeCurrentMeasurement: "true",
    });
    // The vessel's position is never sent to the source.
    expect(question?.query).not.toMatch(/latitude|longitude|radius/);
  });
});

describe("the nearest station", () => {
  /** The recorded stations, as if each had a level and a trend. */
  const levels = ALL.map((one) =>
    station({ ...one, timeseries: station({}, { current: { trend: 0 } }).timeseries }),
  );

  test("is the one at the least great-circle distance", async () => {
    source.stations = levels;
    const random = randomFrom(6);
    const placed = levels.filter((one): one is typeof one & Place => typeof one.latitude === "number");
    for (let round = 0; round < 25; round++) {
      const anywhere = randomPlace(random);
      const here =
        round % 2 ? anywhere : { latitude: 47 + (anywhere.latitude + 90) / 22, longitude: 6 + random() * 9 };
      await goTo(here);
      const distances = placed.map((one) => greatCircleKm(here, one));
      const least = Math.min(...distances);
      const found = await nearest("?radius=20038");
      const same = placed.filter((_, at) => (distances[at] ?? 0) - least < 1e-6);
      expect(same.map(({ uuid }) => uuid)).toContain(found.station_id);
      expect(found.distance_km).toBeCloseTo(least, 2);
    }
  });

  test("is found across the 180th meridian and over a pole", async () => {
    const current = { trend: 0 };
    source.stations = [
      station({ uuid: "west", latitude: -17, longitude: 179.9 }, { current }),
      station({ uuid: "east", latitude: -17, longitude: -179 }, { current }),
      station({ uuid: "north", latitude: 89.9, longitude: 0 }, { current }),
    ];
    await goTo({ latitude: -17, longitude: -179.95 });
    expect(await nearest()).toMatchObject({ station_id: "west", distance_km: expect.closeTo(15.95, 1) });
    await goTo({ latitude: 89.9, longitude: 180 });
    expect(await nearest()).toMatchObject({ station_id: "north", distance_km: expect.closeTo(22.24, 1) });
  });

  test("needs coordinates and a series of levels", async () => {
    const there = { ...CELLE };
    const { timeseries = [] } = station();
    const discharge = timeseries.map((series) => ({ ...series, shortname: "Q", unit: "m³/s" }));
    source.stations = [
      station({ uuid: "no-place", latitude: undefined, longitude: undefined }),
      station({ uuid: "half-a-place", ...there, longitude: undefined }),
      station({ uuid: "no-series", ...there, timeseries: undefined }),
      station({ uuid: "no-list", ...there, timeseries: {} }),
      station({ uuid: "no-level", ...there, timeseries: discharge }),
    ];
    await goTo(CELLE);
    expectRefused(await get("nearest?radius=20038"), 404, "NotFound");
    source.stations = [...(source.stations as object[]), station({ uuid: "level", ...northOf(CELLE, 20) })];
    expect(await nearest()).toMatchObject({ station_id: "level", distance_km: 20 });
  });

  test("may lack a current level", async () => {
    const { timeseries = [] } = station();
    const silent = timeseries.map((series) => ({ ...series, currentMeasurement: undefined }));
    source.stations = [station({ uuid: "silent", ...CELLE, timeseries: silent })];
    await goTo(CELLE);
    expect(await nearest()).toMatchObject({ station_id: "silent", level_cm: null, measured_at: null });
  });

  test("is nearest to the newest position by the receiver's time, whoever sent it", async () => {
    const [one, two] = [await server.device(), await server.device()];
    const [celle, marklendorf, ahlden] = ["CELLE", "MARKLENDORF", "AHLDEN"];
    const places = Object.fromEntries(ALLER.map((one) => [one.shortname, one as Place]));
    const at = async () => (await nearest("?radius=5")).shortname;
    const go = (name = "", key = one.key) => goTo(places[name] as Place, key);

    await go(celle);
    expect(await at()).toBe("CELLE");
    await go(marklendorf, two.key);
    expect(await at()).toBe("MARKLENDORF");
    const { id } = await go(ahlden, token);
    expect(await at()).toBe("AHLDEN");
    // Sent later, but older.
    await postPoint(server, one.key, { ...CELLE, timestamp: seconds - 2 });
    expect(await at()).toBe("AHLDEN");
    await server.delete(`/v1/gps/${id}`, { token });
    expect(await at()).toBe("MARKLENDORF");
  });
});

describe("radius", () => {
  const setDefault = async (value: number) =>
    expectStatus(
      await server.patch("/v1/system-config/pegel.default_radius_km", { token, body: { value } }),
      200,
    );

  beforeEach(async () => {
    source.stations = [station({ uuid: "south", ...CELLE }, { current: { trend: 0 } })];
  });

  test("is 30 km when left out", async () => {
    await goTo(northOf(CELLE, 29.9));
    expect(await nearest()).toMatchObject({ distance_km: 29.9 });
    await goTo(northOf(CELLE, 30.1));
    expectRefused(await get("nearest"), 404, "NotFound");
  });

  test("is what the system config says, at once, and what the query says before that", async () => {
    await goTo(northOf(CELLE, 20));
    await setDefault(19.9);
    expectRefused(await get("nearest"), 404, "NotFound");
    expect(await nearest("?radius=20.1")).toMatchObject({ station_id: "south" });
    await setDefault(20.1);
    expect(await nearest()).toMatchObject({ station_id: "south" });
    expectRefused(await get("nearest?radius=19.9"), 404, "NotFound");
    await setDefault(30);
  });

  test.each(["0.001", "20038", "12.5"])("may be %s", async (radius) => {
    await goTo(CELLE);
    expect(await nearest(`?radius=${radius}`)).toMatchObject({ distance_km: 0 });
  });

  test.each(["0", "-1", "1e2", "0.0009", "20038.1", "x", "", "1,5", "NaN", "Infinity", "1e999", "0x10"])(
    "can't be %j, which asks nobody",
    async (radius) => {
      expectInvalid(await get(`nearest?radius=${radius}`), "/radius");
      expect(source.requests).toEqual([]);
    },
  );
});

describe("water", () => {
  const names = (stations: { shortname: string }[]) => stations.map(({ shortname }) => shortname);

  test.each(["ALLER", "aller", "Aller"])("chooses the stations on one water body: %s", async (water) => {
    source.stations = ALL;
    const expected = ALL.filter((one) => one.water.shortname === "ALLER").map(({ shortname }) => shortname);
    expect(names(await list(`?water=${water}`))).toEqual(expected);
  });

  test("is its whole short name, in whatever letters", async () => {
    const water = (shortname: string) => ({ water: { shortname, longname: "LONG" } });
    source.stations = [
      station({ shortname: "A", ...water("OBERE HAVEL-WASSERSTRASSE") }),
      station({ shortname: "B", ...water("MÜRITZ+ELDE") }),
    ];
    expect(names(await list("?water=obere%20havel-wasserstrasse"))).toEqual(["A"]);
    expect(names(await list("?water=M%C3%BCritz%2Belde"))).toEqual(["B"]);
    for (const none of ["OBERE", "LONG", "*", "%25", "M"]) expect(await list(`?water=${none}`)).toEqual([]);
  });

  test("leaves the nearest one on that water body", async () => {
    const current = { trend: 0 };
    const on = (shortname: string) => ({ water: { shortname, longname: shortname } });
    source.stations = [
      station({ uuid: "near", ...northOf(CELLE, 1), ...on("FUHSE") }, { current }),
      station({ uuid: "far", ...northOf(CELLE, 9), ...on("ALLER") }, { current }),
    ];
    await goTo(CELLE);
    expect(await nearest()).toMatchObject({ station_id: "near" });
    expect(await nearest("?water=aller")).toMatchObject({ station_id: "far", distance_km: 9 });
    expectRefused(await get("nearest?water=aller&radius=8"), 404, "NotFound");
    expectRefused(await get("nearest?water=ELBE"), 404, "NotFound");
  });

  test.each(["", "x".repeat(101)])("can't be %j, which asks nobody", async (water) => {
    expectInvalid(await get(`stations?water=${water}`), "/water");
    expectInvalid(await get(`nearest?water=${water}`), "/water");
    expect(source.requests).toEqual([]);
  });
});

describe("levels", () => {
  test("are centimetres, and null where the series is no length", async () => {
    const of = (value: unknown, unit: unknown) =>
      station({}, { current: { value, trend: 0 }, series: { unit } });
    source.stations = [
      of(-12, "cm"),
      of(1.15, "m"),
      of(31.82, "m+NN"),
      of(1_234, "mm"),
      of(3.4, "m³/s"),
      of(1e308, "m"),
      of("113", "cm"),
      of(113, undefined),
    ];
    const levels = (await list()).map((one: { level_cm: unknown }) => one.level_cm);
    expect(levels).toEqual([-12, 115, 3_182, 123.4, null, null, null, null]);
  });
});

describe("trend", () => {
  const one = (uuid: string, current: object = {}, series: object = {}) =>
    station({ uuid }, { current, series });
  const trends = async () => (await list()).map(({ trend }: { trend: unknown }) => trend);

  test("is the source's where it has one, and nothing else is asked", async () => {
    source.stations = [-1, 0, 1].map((trend) => one(`has-${trend}`, { trend }));
    expect(await trends()).toEqual([-1, 0, 1]);
    expect(source.measurementRequests).toEqual([]);
  });

  test("is derived from the last day's measurements where the source has none", async () => {
    source.stations = ["rises", "falls", "stays", "odd", "short", "none"].map((uuid) => one(uuid));
    (source.stations as unknown[]).push(one("rises-in-metres", { value: 1, trend: 2 }, { unit: "m+NN" }));
    source.measurements.set("rises", measured([100, 101, 102, 103, 104]));
    source.measurements.set("falls", measured([104, 103, 102, 101, 100]).toReversed());
    source.measurements.set("stays", measured([100, 103, 98, 99, 101]));
    source.measurements.set("odd", { value: 7 });
    source.measurements.set("short", measured([100]));
    source.measurements.set("rises-in-metres", measured([1, 1.01, 1.02]));
    expect(await trends()).toEqual([1, -1, 0, null, null, null, 1]);
    const asked = source.measurementRequests.map(({ path, query }) => path.split("/").at(-3) + query);
    const uuids = (source.stations as { uuid: string }[]).map(({ uuid }) => uuid);
    expect(asked.toSorted()).toEqual(uuids.map((uuid) => `${uuid}?start=P1D`).toSorted());
  });

  test("is derived once for a measurement, and again for the next one", async () => {
    source.stations = [one("again")];
    source.measurements.set("again", measured([100, 102]));
    expect([await trends(), await trends()]).toEqual([[1], [1]]);
    expect(source.measurementRequests.length).toBe(1);
    source.stations = [one("again", { timestamp: "2026-09-27T21:15:00+02:00" })];
    source.measurements.set("again", measured([102, 90], "2026-09-27T21:15:00+02:00"));
    expect(await trends()).toEqual([-1]);
    expect(source.measurementRequests.length).toBe(2);
  });

  test("is null without a level or its time, and nobody is asked", async () => {
    source.stations = [
      one("no-value", { value: null }),
      one("no-time", { timestamp: null }),
      one("no-length", {}, { unit: "m³/s" }),
    ];
    expect(await trends()).toEqual([null, null, null]);
    expect(source.measurementRequests).toEqual([]);
  });

  test.each([
    ["status 500", answering(500, "[]")],
    ["a page", answering(200, "<html></html>")],
    ["a redirect", answering(307, "", { location: "/elsewhere" })],
    ["more than a mebibyte", answering(200, JSON.stringify(measured(Array(40_000).fill(1))))],
    ["a connection that is cut", (request: { socket: { destroy: () => void } }) => request.socket.destroy()],
  ])("is null, and the answer there, when measurements can't be had: %s", async (why, failure) => {
    source.stations = [one(`fails-${why.replaceAll(/\W/g, "-")}`)];
    source.answerMeasurements(failure);
    const answer = await get("stations");
    expect([answer.status, answer.body[0].level_cm, answer.body[0].trend]).toEqual([200, 100, null]);
    expect(answer.headers.get("warning")).toBeNull();
    expect(source.requests.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  test("is derived for 25 stations, and not for a list of more", async () => {
    const stations = Array.from({ length: 26 }, (_, at) => one(`many-${at}`));
    for (const { uuid } of stations) source.measurements.set(uuid, measured([100, 102]));
    source.stations = stations;
    expect(await trends()).toEqual(Array(26).fill(null));
    expect(source.measurementRequests).toEqual([]);
    source.stations = stations.slice(0, 25);
    expect(await trends()).toEqual(Array(25).fill(1));
    expect(source.measurementRequests.length).toBe(25);
    // Known trends are told in a list of any length.
    source.measurements.clear();
    source.stations = [...stations, ...ALL.map((other) => one(other.uuid))];
    expect((await trends()).slice(0, 25)).toEqual(Array(25).fill(1));
    expect(source.measurementRequests.length).toBe(25);
  });

  test.each(["../../v1/secrets", "a/b", "a?b", "a b", "%2e%2e", "x".repeat(65), "ä"])(
    "asks for nothing in the name of the station %j",
    async (uuid) => {
      source.stations = [one(uuid)];
      expect((await list())[0]).toMatchObject({ station_id: uuid, trend: null });
      expect(source.requests.length).toBe(1);
    },
  );
});

test("an empty list of the source is a failure: what was there before stays", async () => {
  const before = await list();
  source.stations = [];
  const { status, headers, body } = await get("stations");
  expect([status, body.length]).toEqual([200, before.length]);
  expect(headers.get("warning")).toStartWith("110 ");
});

test.each(["stations", "nearest", "nearby"])(
  "pegel:read is needed for GET /v1/pegel/%s, before anybody is asked",
  async (path) => {
    await goTo(CELLE);
    await expectPermission(server, "pegel:read", 200, (token) =>
      server.get(`/v1/pegel/${path}`, { ...(token && { token }) }),
    );
    expect(source.stationRequests.length).toBe(1);
  },
);
