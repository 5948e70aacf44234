import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  answering,
  measured,
  PegelonlineStandIn,
  type PegelStation,
  station,
} from "../../stand-ins/pegelonline";
import type { Answer } from "../../support/api";
import { expectInvalid, expectPermission, expectRefused, expectStatus } from "../../support/expectations";
import { rows, write } from "../../support/rows";
import { type StartOptions, TestServer } from "../../support/server";
import { DAY, HOUR, MINUTE } from "../../support/time";

/** The past of water levels: what is kept of the source's answers, and what the source is asked for beside. */

const QUARTER = 15 * MINUTE;

let source: PegelonlineStandIn;
let server: TestServer;

beforeAll(async () => {
  source = await PegelonlineStandIn.start();
  server = await TestServer.start({ clock: "movable", settings: source.settings() });
});
afterAll(async () => {
  await server.stop();
  await source.stop();
});
beforeEach(async () => {
  // A test compares times of the same quarter of an hour.
  if (QUARTER - (server.time % QUARTER) < MINUTE) await server.advance(61_000);
  source.answer();
  source.answerMeasurements();
  source.measurements.clear();
  source.requests.length = 0;
});

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
/** The beginning of the quarter of an hour that it is. */
const quarterNow = () => Math.floor(server.time / QUARTER) * QUARTER;

/** Another server with the same source, whose clock shows the same time. */
const another = (options: StartOptions = {}) =>
  TestServer.start({ clock: "movable", ahead: server.ahead, settings: source.settings(), ...options });

/** A station that measured this just now. */
const now = (value: number, fields: object = {}, series: object = {}) =>
  station(fields, { current: { value, timestamp: time(quarterNow()), trend: 0 }, series });

/** Puts a station at the source that measured these values, one every quarter of an hour, the last one just now. */
function withPast(values: (number | null)[], fields: object = {}): PegelStation {
  const one = now(values.at(-1) ?? 0, fields);
  source.stations = [one];
  source.measurements.set(one.uuid, measured(values, time(quarterNow())));
  return one;
}

const get = (path: string, of = server) => of.get(`/v1/pegel/${path}`, { token: of.systemKey });
const historyOf = async (id: string, query = "", of = server) =>
  expectStatus(await get(`stations/${id}/history${query}`, of), 200).body.data;
const list = async (of = server) => expectStatus(await get("stations", of), 200);
/** The days for which measurements were asked for. */
const asked = () => source.measurementRequests.map(({ query }) => query.replace("?start=", ""));
const known = (levels: (number | null)[]) => levels.filter((level) => level !== null);

describe("the past of a station", () => {
  test("comes from the source, in equal steps with the last level of each, with its bounds and change", async () => {
    // An hour before and after the values that are told differ from them.
    const one = withPast([90, 90, 90, 90, 100, 101, 102, 109, 103, 95, 105, 104]);
    const [from, to] = [quarterNow() - 7 * QUARTER, quarterNow()];
    const answer = await get(
      `stations/${one.uuid}/history?from=${time(from + 1)}&to=${time(to + 1)}&points=4`,
    );
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          station_id: one.uuid,
          from: time(from),
          to: time(to + QUARTER),
          step_seconds: 1_800,
          levels_cm: [101, 109, 95, 104],
          lowest_cm: 95,
          highest_cm: 109,
          change_cm: 4,
          is_complete: true,
        },
        _links: { self: `/v1/pegel/stations/${one.uuid}/history` },
      },
    ]);
    expect(asked()).toEqual(["P1D"]);
  });

  test("is that of three days by the hour, where nothing else is asked for, with gaps where nothing was measured", async () => {
    const values = Array.from({ length: 300 }, (_, at) => (at >= 100 && at < 140 ? null : at));
    const one = withPast(values);
    const history = await historyOf(one.uuid);
    expect(history).toMatchObject({ step_seconds: 3_600, is_complete: true });
    expect(history.levels_cm).toHaveLength(72);
    expect(Date.parse(history.to) - Date.parse(history.from)).toBe(3 * DAY);
    // 288 values, of which the first is the twelfth.
    const hours = Array.from({ length: 72 }, (_, at) => values[15 + 4 * at]);
    expect(history.levels_cm).toEqual(hours as number[]);
    expect(known(history.levels_cm)).toHaveLength(62);
    expect(history).toMatchObject({ lowest_cm: 12, highest_cm: 299, change_cm: 287 });
    expect(asked()).toEqual(["P3D"]);
  });

  test("is asked for once, again after an hour, and for the days since then", async () => {
    const one = withPast([1, 2, 3]);
    await historyOf(one.uuid);
    await historyOf(one.uuid);
    await historyOf(one.uuid, `?from=${time(server.time - DAY)}`);
    expect(asked()).toEqual(["P3D"]);
    // A span that ends before what is missing needs nothing.
    await server.advance(61 * MINUTE);
    await historyOf(one.uuid, `?from=${time(server.time - DAY)}&to=${time(server.time - 2 * HOUR)}`);
    expect(asked()).toEqual(["P3D"]);
    await historyOf(one.uuid);
    await historyOf(one.uuid);
    expect(asked()).toEqual(["P3D", "P1D"]);
    await server.advance(2 * DAY - HOUR);
    await historyOf(one.uuid);
    expect(asked()).toEqual(["P3D", "P1D", "P2D"]);
    // And for what is further back, as far as levels are kept.
    await historyOf(one.uuid, `?from=${time(server.time - 30 * DAY)}`);
    await historyOf(one.uuid, `?from=${time(server.time - 30 * DAY)}`);
    expect(asked()).toEqual(["P3D", "P1D", "P2D", "P7D"]);
  });

  test("is asked for anew when the clock was set back", async () => {
    const one = withPast([1, 2, 3]);
    await historyOf(one.uuid);
    await server.advance(-DAY);
    await historyOf(one.uuid);
    await server.advance(DAY);
    expect(asked()).toEqual(["P3D", "P3D"]);
  });

  test("is in centimetres, with the last value of each quarter of an hour", async () => {
    const one = now(1.5, {}, { unit: "m+NN" });
    source.stations = [one];
    const at = (minutes: number, value: unknown) => ({
      timestamp: time(quarterNow() - QUARTER + minutes * MINUTE),
      value,
    });
    source.measurements.set(one.uuid, [
      at(14, 1.13),
      at(1, 1.1),
      at(15, 1.5),
      at(29, null),
      null,
      { value: 7 },
    ]);
    const history = await historyOf(one.uuid, `?from=${time(server.time - HOUR)}`);
    expect(history).toMatchObject({ levels_cm: [null, null, 113, 150], change_cm: 37 });
  });

  test("is told for several at once, in the order asked for, each once, in either case", async () => {
    const stations = [3, 4, 5].map((value) => now(value));
    source.stations = stations;
    for (const { uuid } of stations) source.measurements.set(uuid, measured([1, 2], time(quarterNow())));
    const ids = stations.map(({ uuid }) => uuid).reverse();
    const [first = ""] = ids;
    const { body } = expectStatus(await get(`history?station_ids=${[...ids, first.toUpperCase()]}`), 200);
    expect(body._links).toEqual({ self: "/v1/pegel/history" });
    expect(body.data.map((each: { station_id: string }) => each.station_id)).toEqual(ids);
    expect(body.data[0]).toEqual(await historyOf(first.toUpperCase()));
    expect(known(body.data[0].levels_cm)).toEqual([2]);
    expect(asked()).toEqual(["P3D", "P3D", "P3D"]);
  });

  test("is one question for many who ask at once", async () => {
    const one = withPast([1, 2, 3]);
    await list();
    source.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => historyOf(one.uuid)));
    for (const { levels_cm } of answers) expect(known(levels_cm)).toEqual([3]);
    expect(asked()).toEqual(["P3D"]);
  });

  test("is told in whole to each who asks at once, for whatever span", async () => {
    const one = withPast(Array.from({ length: 6 * 96 }, (_, at) => at));
    await list();
    const days = [1, 6, 3, 6];
    const answers = await Promise.all(
      days.map((many) => historyOf(one.uuid, `?from=${time(server.time - many * DAY)}&points=1000`)),
    );
    for (const { is_complete } of answers) expect(is_complete).toBe(true);
    expect(answers.map(({ levels_cm }) => known(levels_cm).length)).toEqual(days.map((many) => many * 96));
    expect(asked().toSorted()).toEqual(["P1D", "P6D"]);
  });

  test("stays known when an older question is answered later than a newer one", async () => {
    const one = withPast(Array.from({ length: 3 * 96 }, (_, at) => at));
    // Without a trend, which is derived from the last day.
    one.timeseries?.splice(0, 1, {
      ...{ shortname: "W", unit: "cm" },
      currentMeasurement: { timestamp: time(quarterNow()), value: 1 },
    });
    const held: (() => void)[] = [];
    const told = answering(200, JSON.stringify(source.measurements.get(one.uuid)));
    source.answerMeasurements((request, response) => held.push(() => told(request, response)));
    const listed = list();
    await source.questions(2);
    source.answerMeasurements();
    await server.advance(MINUTE);
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: true });
    for (const release of held) release();
    await listed;
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: true });
    expect(asked()).toEqual(["P1D", "P3D"]);
  });

  test("is empty, and whole, where the series is no length or there is none; nobody is asked", async () => {
    source.stations = [
      now(3.4, { uuid: "flow" }, { unit: "m³/s" }),
      station({ uuid: "none", timeseries: [] }),
    ];
    for (const id of ["flow", "none"])
      expect(await historyOf(id)).toMatchObject({
        levels_cm: Array(72).fill(null),
        ...{ lowest_cm: null, highest_cm: null, change_cm: null, is_complete: true },
      });
    expect(asked()).toEqual([]);
    expect(rows(server, "SELECT 1 FROM water_level_stations WHERE station_id IN ('flow', 'none')")).toEqual(
      [],
    );
  });
});

describe("what is fetched for other reasons", () => {
  test("is kept: the list's levels, as often as the list is asked for, and the measurements of trends", async () => {
    const one = station();
    const at = (value: number) =>
      station({ uuid: one.uuid }, { current: { value, timestamp: time(quarterNow()), trend: 0 } });
    for (const value of [10, 12, 11, 15]) {
      source.stations = [at(value)];
      await list();
      // The same again changes nothing.
      await list();
      await server.advance(QUARTER);
    }
    const history = await historyOf(one.uuid, `?points=1000&from=${time(server.time - 2 * HOUR)}`);
    expect(known(history.levels_cm)).toEqual([10, 12, 11, 15]);
    // The source has none of its past.
    expect(history).toMatchObject({ lowest_cm: 10, highest_cm: 15, change_cm: 5, is_complete: false });

    const { timeseries = [] } = at(15);
    const lacking = timeseries.map((series) => ({
      ...series,
      currentMeasurement: { timestamp: time(quarterNow()), value: 15 },
    }));
    source.stations = [station({ uuid: one.uuid, timeseries: lacking })];
    source.measurements.set(one.uuid, measured([7, 8, 9, 15], time(quarterNow())));
    expect((await list()).body[0].trend).toBe(1);
    source.requests.length = 0;
    const later = await historyOf(one.uuid, `?points=1000&from=${time(server.time - HOUR)}`);
    expect(known(later.levels_cm)).toEqual([7, 8, 9, 15]);
    expect(later.is_complete).toBe(true);
    expect(asked()).toEqual([]);
  });

  test("is not kept where it is too old, ahead of the clock, or of a station that can't be asked about", async () => {
    const at = (offset: number, uuid: string) =>
      station({ uuid }, { current: { timestamp: time(server.time + offset), trend: 0 } });
    source.stations = [
      ...[at(-8 * DAY, "too-old"), at(2 * DAY, "ahead"), at(0, "a/b"), at(0, "x".repeat(65))],
      ...[at(-6 * DAY, "old"), at(HOUR, "a-little-ahead")],
    ];
    await list();
    const kept = rows<{ station_id: string }>(server, "SELECT station_id FROM water_level_stations");
    const names = kept.map(({ station_id }) => station_id);
    expect(names).toContain("old");
    expect(names).toContain("a-little-ahead");
    for (const name of ["too-old", "ahead", "a/b", "x".repeat(65)]) expect(names).not.toContain(name);
    expect(await historyOf("a%2Fb")).toMatchObject({ is_complete: false, lowest_cm: null });
    expect(asked()).toEqual([]);
  });

  test("is bounded: levels of 5,000 stations are kept, and those that are there go on", async () => {
    const other = await another();
    const many = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => now(at, { uuid: `${prefix}-${at}` }));
    const count = () => rows<{ n: number }>(other, "SELECT count(*) AS n FROM water_level_stations")[0]?.n;
    source.stations = many("first", 4_990);
    await list(other);
    expect(count()).toBe(4_990);
    source.stations = [...many("second", 20), ...many("first", 10).map((one) => ({ ...one }))];
    await list(other);
    expect(count()).toBe(5_000);
    source.stations = [now(777, { uuid: "first-3" }), now(1, { uuid: "second-19" })];
    await list(other);
    const level =
      "SELECT level_cm FROM water_levels JOIN water_level_stations ON number = station WHERE station_id = ?";
    expect(rows(other, level, "first-3")).toContainEqual({ level_cm: 777 });
    expect(rows(other, level, "second-19")).toEqual([]);
    await other.stop();
  });
});

describe("without a network", () => {
  test("after a start, stations and their past are those of the last answer, which is asked for by its ETag later", async () => {
    let other = await another();
    const one = withPast([1, 2, 3], { longname: "VITTE" });
    const before = (await list(other)).body;
    const past = await historyOf(one.uuid, "", other);
    await other.stop("SIGKILL");
    await source.stop();

    const { dataDir } = other;
    other = await another({ dataDir });
    const { body, headers } = await list(other);
    expect([body, headers.get("warning")]).toEqual([before, '110 fairlead "Response is Stale"']);
    expect((await get(`history?station_ids=${one.uuid}`, other)).body.data).toEqual([past]);
    // Nothing is known of the days before.
    const further = await historyOf(one.uuid, `?from=${time(server.time - 5 * DAY)}`, other);
    expect(further).toMatchObject({ is_complete: false, lowest_cm: 1 });

    await source.listen();
    source.requests.length = 0;
    const again = await list(other);
    expect([again.body, again.headers.get("warning")]).toEqual([before, null]);
    expect(source.stationRequests[0]?.headers["if-none-match"]).toMatch(/^"\w+"$/);
    await other.stop();

    // Another source's stations are not this one's.
    const elsewhere = { ...source.settings(), "pegel.base_url": "http://127.0.0.1:9" };
    other = await another({ dataDir, settings: elsewhere });
    expectRefused(await get("stations", other), 503, "ServiceUnavailable");
    expectRefused(await get(`stations/${one.uuid}/history`, other), 503, "ServiceUnavailable");
    await other.stop();
  });

  test("and without an answer ever, or switched off, it is 503", async () => {
    const off = await TestServer.start({ settings: { "pegel.base_url": source.url } });
    expectRefused(await get("history?station_ids=a", off), 503, "ServiceUnavailable");
    expectRefused(await get("stations/a/history", off), 503, "ServiceUnavailable");
    await off.stop();
    expect(source.requests).toEqual([]);
  });
});

describe("a source that fails to tell the past", () => {
  test.each([
    ["status 500", answering(500, "[]")],
    ["status 404", answering(404, JSON.stringify({ status: 404, message: "station not found" }))],
    ["a page", answering(200, "<html></html>")],
    ["an object", answering(200, "{}")],
    ["a redirect", answering(307, "", { location: "/elsewhere" })],
    ["a connection that is cut", (request: { socket: { destroy: () => void } }) => request.socket.destroy()],
    ["more than four mebibytes", answering(200, " ".repeat(4_194_305))],
  ])("is told as not complete, left alone for a minute, and asked again then: %s", async (_, failure) => {
    const one = withPast([1, 2, 3]);
    source.answerMeasurements(failure);
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: false, change_cm: 0, lowest_cm: 3 });
    source.answerMeasurements();
    // A request whose connection was cut may have been sent twice by the runtime.
    const before = asked();
    expect(new Set(before)).toEqual(new Set(["P3D"]));
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: false });
    expect(asked()).toEqual(before);
    await server.advance(MINUTE);
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: true, lowest_cm: 1 });
    expect(source.requests.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  test("is not asked for the past either while it asks for a pause", async () => {
    const one = withPast([1, 2, 3]);
    await list();
    source.answer(answering(429, "", { "retry-after": "300" }));
    expect(await historyOf(one.uuid)).toMatchObject({ is_complete: false });
    expect(asked()).toEqual([]);
    await server.advance(301_000);
  });

  test("is asked by five at a time, however many stations are shown", async () => {
    const stations = Array.from({ length: 50 }, (_, at) => now(at));
    source.stations = stations;
    await list();
    source.requests.length = 0;
    const held: (() => void)[] = [];
    const told = answering(200, JSON.stringify(measured([4, 2], time(quarterNow()))));
    source.answerMeasurements((request, response) => held.push(() => told(request, response)));
    const ids = stations.map(({ uuid }) => uuid);
    const answers = [ids, ids.toReversed()].map((some) => get(`history?station_ids=${some}`));
    for (let done = 0; done < 50; done += 5) {
      await source.questions(source.stationRequests.length + done + 5);
      // A sixth would have come by then.
      for (let round = 0; round < 3; round++) await server.get("/v1/health");
      expect(asked()).toHaveLength(done + 5);
      for (const release of held.splice(0)) release();
    }
    for (const { body } of await Promise.all(answers))
      for (const each of body.data) expect(each).toMatchObject({ change_cm: -2, is_complete: true });
    expect(asked()).toHaveLength(50);
  });

  test("or a database that takes nothing, keeps nobody from the present levels", async () => {
    const other = await another();
    write(
      other,
      "CREATE TRIGGER full BEFORE INSERT ON water_levels BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    const one = withPast([1, 2, 3]);
    expect((await list(other)).body[0]).toMatchObject({ level_cm: 3 });
    expect(await historyOf(one.uuid, "", other)).toMatchObject({ is_complete: false, lowest_cm: null });
    await other.stop();
    expect(other.output).toContain("water levels could not be kept");
  });
});

describe("a question", () => {
  const path = (id: string, query = "") => `stations/${id}/history${query}`;
  const expectNobodyAsked = async (answer: Promise<Answer>, ...paths: string[]) => {
    expectInvalid(await answer, ...paths);
    expect(source.requests).toEqual([]);
  };

  test.each(["0", "-1", "1001", "1.5", "x", "", "1e2"])("can't be for %j points", (points) =>
    expectNobodyAsked(get(path("a", `?points=${points}`)), "/points"),
  );

  test.each(["yesterday", "2026-13-01", "5"])("can't be from %j", (from) =>
    expectNobodyAsked(get(path("a", `?from=${from}`)), "/from"),
  );

  test("can't begin after its end, nor have more than 31 days; it may be of one moment", async () => {
    await expectNobodyAsked(get(path("a", "?from=2026-05-02&to=2026-05-01")), "/from");
    await expectNobodyAsked(get(path("a", "?from=2026-05-01&to=2026-06-01")), "/to");
    await expectNobodyAsked(get("history?station_ids=a&from=2026-05-01&to=2026-06-01"), "/to");
    // Years that an answer could not write.
    for (const to of ["9999-12-31", "9999-01-01T00:00:00Z", "0000-01-01", "1899-12-31"])
      await expectNobodyAsked(get(path("a", `?to=${to}`)), "/to");
    const one = withPast([1, 2, 3]);
    expect((await historyOf(one.uuid, "?from=2026-05-01&to=2026-05-31&points=1000")).step_seconds).toBe(
      2_700,
    );
    const moment = time(quarterNow());
    expect(await historyOf(one.uuid, `?from=${moment}&to=${moment}`)).toMatchObject({ levels_cm: [3] });
  });

  test.each(["", ",", "a,", ",a", "a,,b", "x".repeat(201), Array(51).fill("a").join(",")])(
    "can't be for the stations %j",
    (ids) => expectNobodyAsked(get(`history?station_ids=${ids}`), "/station_ids"),
  );

  test("is 404 for a station that the source doesn't have, alone or among others", async () => {
    const one = withPast([1, 2, 3]);
    expectRefused(await get(path("unknown")), 404, "NotFound");
    expectRefused(await get(path("x".repeat(200))), 404, "NotFound");
    expectRefused(await get(`history?station_ids=${one.uuid},unknown`), 404, "NotFound");
    expectInvalid(await get("history"), "/station_ids");
    expect(asked()).toEqual([]);
  });

  test("needs pegel:read, before anybody is asked", async () => {
    const one = withPast([1, 2, 3]);
    for (const which of [path(one.uuid), `history?station_ids=${one.uuid}`])
      await expectPermission(server, "pegel:read", 200, (token) =>
        server.get(`/v1/pegel/${which}`, { ...(token && { token }) }),
      );
    expect(source.stationRequests.length).toBe(2);
  });
});

describe("old levels", () => {
  const count = (table: string) => rows<{ n: number }>(server, `SELECT count(*) AS n FROM ${table}`)[0]?.n;
  const keep = async (days: number) =>
    expectStatus(
      await server.patch("/v1/system-config/pegel.history_days", {
        token: server.systemKey,
        body: { value: days },
      }),
      200,
    );

  test("go after the days of retention, and so do stations without any; 0 keeps all", async () => {
    await server.advance(40 * DAY);
    await server.runJobs(HOUR);
    expect([count("water_levels"), count("water_level_stations")]).toEqual([0, 0]);

    // More than one batch.
    const one = withPast(Array.from({ length: 7 * 96 }, (_, at) => at));
    const week = `?from=${time(server.time - 7 * DAY)}&points=1000`;
    await historyOf(one.uuid, week);
    expect(count("water_levels")).toBeWithin(7 * 96 - 1, 7 * 96 + 1);
    await keep(1);
    await server.runJobs(HOUR);
    expect(count("water_levels")).toBeWithin(95, 98);
    expect(await historyOf(one.uuid, week)).toMatchObject({ is_complete: true, highest_cm: 671 });
    // Levels that went are asked for again once they may stay.
    source.requests.length = 0;
    await keep(7);
    expect(await historyOf(one.uuid, week)).toMatchObject({ is_complete: true, lowest_cm: 0 });
    expect(asked()).toEqual(["P7D"]);

    await keep(0);
    await server.advance(100 * DAY);
    await server.runJobs(HOUR);
    expect(count("water_levels")).toBeWithin(7 * 96 - 1, 7 * 96 + 1);
    const then = server.time - 100 * DAY;
    const kept = await historyOf(one.uuid, `?from=${time(then - DAY)}&to=${time(then)}`);
    expect(kept).toMatchObject({ is_complete: true, highest_cm: 671 });
    await keep(7);
    await server.runJobs(HOUR);
    expect([count("water_levels"), count("water_level_stations")]).toEqual([0, 0]);
  });
});
