import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  ALLER,
  answering,
  FAILURES,
  measured,
  type PegelAnswer,
  PegelonlineStandIn,
  SECRET,
  station,
} from "../../stand-ins/pegelonline";
import type { Answer } from "../../support/api";
import { expectRefused, expectStatus } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { TestServer } from "../../support/server";
import { postPoint } from "../../tracking/support";

let source: PegelonlineStandIn;

const start = (cacheSeconds = 0) =>
  TestServer.start({ clock: "movable", settings: { "log.level": "info", ...source.settings(cacheSeconds) } });
const ask = (server: TestServer, what = "stations") =>
  server.get(`/v1/pegel/${what}`, { token: server.systemKey });

beforeAll(async () => {
  source = await PegelonlineStandIn.start();
});
beforeEach(() => {
  source.answer();
  source.answerMeasurements();
  source.stations = [station({ uuid: "kept" }, { current: { trend: 0 } })];
  source.requests.length = 0;
});
afterAll(() => source.stop());

const expectStale = (answer: Answer, body: unknown) =>
  expect([answer.status, answer.body, answer.headers.get("warning")]).toEqual([
    200,
    body,
    '110 fairlead "Response is Stale"',
  ]);
const expectFresh = (answer: Answer, body: unknown) =>
  expect([answer.status, answer.body, answer.headers.get("warning")]).toEqual([200, body, null]);

test("without being configured: 503, and nobody is asked", async () => {
  const server = await TestServer.start({ settings: { "pegel.base_url": source.url } });
  await postPoint(server, server.systemKey);
  for (const path of ["stations", "stations?water=ALLER", "nearest"])
    expectRefused(await ask(server, path), 503, "ServiceUnavailable");
  expect(source.requests).toEqual([]);
  await server.stop();
});

describe("the kept answer", () => {
  test("is one question for many requests at once, and so is a trend", async () => {
    const server = await start(300);
    source.stations = [station({ uuid: "asked-once" })];
    source.measurements.set("asked-once", measured([100, 110]));
    const release = source.holdAnswers();
    const answers = Array.from({ length: 20 }, () => ask(server));
    await source.questions(1);
    // All others are there by now: the server answers in the order of arrival.
    for (let round = 0; round < 3; round++) await server.get("/v1/health");
    release();
    for (const { status, body } of await Promise.all(answers))
      expect([status, body[0].trend]).toEqual([200, 1]);
    expect([source.stationRequests.length, source.measurementRequests.length]).toEqual([1, 1]);
    await server.stop();
  });

  test("is not asked for again within cache_seconds, and by its ETag later", async () => {
    const server = await start(300);
    const first = (await ask(server)).body;
    const changed = [...(source.stations as object[]), station({ uuid: "new" }, { current: { trend: 1 } })];
    await server.advance(200_000);
    expectFresh(await ask(server), first);
    expect(source.requests.length).toBe(1);
    expect(source.requests[0]?.headers["if-none-match"]).toBeUndefined();

    // Unchanged: 304 keeps the present answer for as long again.
    await server.advance(101_000);
    expectFresh(await ask(server), first);
    expect(source.requests.length).toBe(2);
    const etag = source.requests[1]?.headers["if-none-match"];
    expect(etag).toMatch(/^"\w+"$/);
    await server.advance(200_000);
    source.stations = changed;
    expectFresh(await ask(server), first);
    expect(source.requests.length).toBe(2);

    await server.advance(101_000);
    const second = await ask(server);
    expect(second.body.length).toBe(2);
    expect(source.requests[2]?.headers["if-none-match"]).toBe(etag);
    await server.advance(301_000);
    expectFresh(await ask(server), second.body);
    expect(source.requests[3]?.headers["if-none-match"]).not.toBe(etag);
    await server.stop();
  });

  test("is asked for each time with cache_seconds 0, by its ETag", async () => {
    const server = await start();
    const { body } = await ask(server);
    expectFresh(await ask(server), body);
    const none = await ask(server);
    source.stations = [station({ uuid: "other" })];
    expect((await ask(server)).body).not.toEqual(none.body);
    const etags = source.requests.map(({ headers }) => headers["if-none-match"]);
    expect(etags).toEqual([undefined, expect.any(String), etags[1], etags[1]]);

    // A source without an ETag works as well.
    source.requests.length = 0;
    source.answer(answering(200, JSON.stringify(ALLER)));
    expect((await ask(server)).body.length).toBe(3);
    source.answer(answering(200, JSON.stringify([station()])));
    expect((await ask(server)).body.length).toBe(1);
    expect(source.requests[1]?.headers["if-none-match"]).toBeUndefined();
    await server.stop();
  });
});

describe("a source that fails", () => {
  const redirects = [301, 302, 303, 307, 308].map((status): [string, PegelAnswer] => [
    `the redirect ${status}`,
    (request, response) => answering(status, "", { location: `${source.url}/elsewhere` })(request, response),
  ]);

  /** A server that never had an answer, and one that has one cached. */
  let never: TestServer;
  let kept: TestServer;
  beforeAll(async () => {
    [never, kept] = await Promise.all([start(), start()]);
    await postPoint(kept, kept.systemKey, { latitude: 52.6, longitude: 10 });
    await postPoint(never, never.systemKey);
  });
  beforeEach(async () => {
    await ask(kept);
    source.requests.length = 0;
  });
  afterAll(() => Promise.all([never.stop(), kept.stop()]));

  test.each([...Object.entries(FAILURES), ...redirects])(
    "gives 503 without an answer, an older one with a Warning, and its newest as soon as it has one: %s",
    async (why, failure) => {
      const { body } = await ask(kept);
      source.answer(failure);
      for (const path of ["stations", "nearest"]) {
        const refused = await ask(never, path);
        expectRefused(refused, 503, "ServiceUnavailable");
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(refused.body.message).not.toContain(SECRET);
        expect(refused.body.message).not.toContain("127.0.0.1");
      }
      expectStale(await ask(kept), body);
      expectStale(await ask(kept, "nearest"), { ...body[0], distance_km: 0 });

      source.answer();
      source.stations = [station({ uuid: "kept", longname: `after ${why}` }, { current: { trend: 0 } })];
      expectFresh(await ask(kept), [{ ...body[0], longname: `after ${why}` }]);
      // A redirect was not followed.
      expect(new Set(source.requests.map(({ path }) => path)).size).toBe(1);
    },
  );

  test("by not being there gives the same, and its newest once it is", async () => {
    const { body } = await ask(kept);
    await source.stop();
    expectRefused(await ask(never), 503, "ServiceUnavailable");
    expectStale(await ask(kept), body);
    await source.listen();
    expectFresh(await ask(kept), body);
  });

  test("by 304 where nothing is kept gives 503", async () => {
    source.answer(answering(304));
    expectRefused(await ask(never), 503, "ServiceUnavailable");
    expect(source.requests[0]?.headers["if-none-match"]).toBeUndefined();
  });

  test("makes many who ask at once wait for one question", async () => {
    source.answer(answering(500));
    const release = source.holdAnswers();
    const answers = Array.from({ length: 10 }, () => ask(never));
    await source.questions(1);
    for (let round = 0; round < 3; round++) await never.get("/v1/health");
    expect(source.requests.length).toBe(1);
    release();
    for (const answer of await Promise.all(answers)) expectRefused(answer, 503, "ServiceUnavailable");
  });

  test("by being slow doesn't hold other requests up", async () => {
    const release = source.holdAnswers();
    const slow = ask(kept);
    await source.questions(1);
    await postPoint(kept, kept.systemKey, { latitude: 52.6, longitude: 10 });
    expect((await kept.get("/v1/gps/current", { token: kept.systemKey })).status).toBe(200);
    expect((await kept.get("/v1/health")).status).toBe(200);
    release();
    expectStatus(await slow, 200);
  });

  test("leaves warnings in the log, which tell neither its address nor what it said", async () => {
    // Beside everything that the tests before this one left there.
    source.answer(answering(500, SECRET));
    await Promise.all([ask(never), ask(kept)]);
    for (const server of [never, kept]) {
      const output = await outputOfWholeRun(server);
      expect(output).toContain('"level":"warn"');
      expect(output).not.toContain('"level":"error"');
      for (const hidden of [SECRET, "webservices", new URL(source.url).host])
        expect(output).not.toContain(hidden);
    }
  });
});

describe("Retry-After", () => {
  const wait = (status: number, value: string) => answering(status, SECRET, { "retry-after": value });
  /** Milliseconds by which the server's clock is ahead; it is moved by hand alone. */
  let ahead = 0;
  let server: TestServer;
  let body: unknown;
  const advance = async (milliseconds: number) => {
    ahead += milliseconds;
    await server.advance(milliseconds);
  };

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    body = (await ask(server)).body;
    source.requests.length = 0;
  });

  test.each([429, 503])("of a %i is respected, in seconds and as a date, an hour at most", async (status) => {
    // The header's value, a time within its pause (with room for a slow machine), and one beyond.
    const date = () => new Date(Date.now() + ahead + 300_000).toUTCString();
    const cases: [() => string, within: number, beyond: number][] = [
      [() => "300", 200_000, 101_000],
      [date, 200_000, 101_000],
      [() => "86400", 3_500_000, 101_000],
    ];
    for (const [value, within, beyond] of cases) {
      source.requests.length = 0;
      source.answer(wait(status, value()));
      expectStale(await ask(server), body);
      source.answer();
      await advance(within);
      expectStale(await ask(server), body);
      expect(source.requests.length).toBe(1);
      await advance(beyond);
      expectFresh(await ask(server), body);
      expect(source.requests.length).toBe(2);
    }
  });

  test("ends when the clock is set back", async () => {
    source.answer(wait(503, "3600"));
    expectStale(await ask(server), body);
    source.answer();
    await advance(-24 * 3_600_000);
    expectFresh(await ask(server), body);
    await advance(26 * 3_600_000);
  });

  test.each(["0", "soon", "Sun, 27 Sep 2015 19:00:00 GMT"])(
    "that says %j asks for no pause",
    async (value) => {
      source.answer(wait(429, value));
      expectStale(await ask(server), body);
      source.answer();
      expectFresh(await ask(server), body);
    },
  );

  test("of measurements is respected by every question, and shortened by no other answer", async () => {
    const one = (uuid: string) => station({ uuid });
    source.stations = [one("first"), one("second")];
    source.answerMeasurements((request, response) => {
      if (request.url?.includes("first")) wait(429, "300")(request, response);
      // Usually some time after the first; in the other order the test proves nothing, and doesn't fail.
      else setTimeout(() => answering(429)(request, response), 50);
    });
    const { body } = await ask(server);
    expect(source.measurementRequests.length).toBe(2);
    source.answerMeasurements();
    await advance(200_000);
    expectStale(await ask(server), body);
    expect(source.requests.length).toBe(3);
    await advance(101_000);
    source.measurements.set("first", measured([100, 110]));
    const later = await ask(server);
    expectFresh(later, [{ ...body[0], trend: 1 }, body[1]]);
  });
});
