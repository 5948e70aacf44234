import { expect, test } from "bun:test";
import { PegelonlineStandIn, station } from "../../stand-ins/pegelonline";
import { expectRefused } from "../../support/expectations";
import { TestServer } from "../../support/server";

/** Takes as long as the source's time-outs: 10 s, in which this process idles. */
test("a silent source costs neither a request, nor a list of levels or of their past, more than its time", async () => {
  const [silent, half] = await Promise.all([PegelonlineStandIn.start(), PegelonlineStandIn.start()]);
  const start = (source: PegelonlineStandIn) => TestServer.start({ settings: source.settings() });
  const [without, withLevels] = await Promise.all([start(silent), start(half)]);
  const ask = (server: TestServer, what = "stations") =>
    server.get(`/v1/pegel/${what}`, { token: server.systemKey });
  silent.answer(() => {});
  const ids = Array.from({ length: 25 }, (_, at) => `silent-${at}`);
  half.stations = ids.map((uuid) => station({ uuid }));
  half.answerMeasurements(() => {});

  const refused = ask(without);
  const past = ask(withLevels, `history?station_ids=${ids}`);
  const { status, body, headers } = await ask(withLevels);
  const levels = body.map(({ level_cm, trend }: Record<string, unknown>) => [level_cm, trend]);
  expect([status, levels]).toEqual([200, Array(25).fill([100, null])]);
  expect(headers.get("warning")).toBeNull();
  // It doesn't wait for all, five at a time.
  const askedFor = (days: string) =>
    half.measurementRequests.filter(({ query }) => query.endsWith(days)).length;
  expect(askedFor("P1D")).toBeLessThan(25);
  const { data } = (await past).body;
  expect(data.map((each: { is_complete: boolean }) => each.is_complete)).toEqual(Array(25).fill(false));
  expect(askedFor("P3D")).toBeLessThan(25);
  expectRefused(await refused, 503, "ServiceUnavailable");

  await Promise.all([without.stop(), withLevels.stop(), silent.stop(), half.stop()]);
});
