import { afterAll, expect, test } from "bun:test";
import { splitBody } from "../../src/sync/batch/batch";
import { randomFrom } from "../support/random";
import { NO_MISHAPS } from "../support/thin-line";
import { HOUR, MINUTE, SECOND } from "../support/time";
import { Pair } from "./pair";

/** The figures of `bun run line`, one phase after another. */

const QUICK = process.env.LINE_QUICK === "1";
const DAYS = QUICK ? 1 : 7;
const CUTS = QUICK ? 100 : 1_000;
const KILLS = QUICK ? 10 : 50;
const INTERVAL = 10;
const DEVICES = 3;

const random = randomFrom(Number(process.env.LINE_SEED ?? 1));
const say = (text: string) => process.stdout.write(`${text}\n`);
const number = (value: number, places = 0) => value.toLocaleString("en", { maximumFractionDigits: places });

let pair: Pair;
afterAll(() => pair?.stop());

function expectAlike(): void {
  for (const [table, { rows, lost, doubled }] of Object.entries(pair.compare())) {
    say(`  ${table}: ${number(rows)} rows, ${lost} lost, ${doubled} doubled`);
    expect([table, lost, doubled]).toEqual([table, 0, 0]);
  }
}

test("a week over a thin line", async () => {
  // 64 kbit/s, and 600 ms there and back, as by a satellite.
  pair = await Pair.start({ delay: 300, bytesPerSecond: 8_000, mishaps: NO_MISHAPS, random }, DEVICES);
  const { line } = pair;
  line.isUp = false;
  await pair.watch();
  await pair.voyage(0, ["Cast off", "Reefed", "Anchored"]);
  const now = Math.floor(pair.boat.time / SECOND);
  const fixes = (DAYS * 86_400) / INTERVAL;
  const times = Array.from({ length: fixes }, (_, at) => now - INTERVAL * (fixes - at));
  for (let device = 0; device < DEVICES; device++) await pair.sail(device, times);
  const alert = await pair.alarm(0);
  say(
    `${DAYS} days of ${DEVICES} devices at ${INTERVAL} s: ${number(pair.count("boat", "gps_points"))} positions wait aboard`,
  );
  const sent = { batches: 0, body: 0, overhead: 0, most: 0 };
  line.onBody = (body) => {
    if (body.length === 0) return;
    const { frame, random: bits } = splitBody(body);
    const overhead = body.length - frame.length - bits.length;
    sent.batches++;
    sent.body += body.length;
    sent.overhead += overhead;
    sent.most = Math.max(sent.most, overhead);
  };
  line.options.mishaps = { lost: 0.02, torn: 0.015, unanswered: 0.015, doubled: 0.05 };
  const [upBefore, downBefore] = [line.up.bytes, line.down.bytes];
  line.isUp = true;
  const since = performance.now();
  let alertAfter: number | null = null;
  let outages = 0;
  let nextOutage = since + 30 * SECOND;
  await pair.caughtUp(async () => {
    await Bun.sleep(100);
    if (alertAfter === null && pair.hasAshore("alerts", alert)) alertAfter = performance.now() - since;
    if (performance.now() < nextOutage) return;
    // Minutes to hours by the boat's clock.
    outages++;
    line.isUp = false;
    await pair.boat.advance(MINUTE * (1 + Math.floor(random() * 180)));
    await Bun.sleep(2 * SECOND);
    line.isUp = true;
    await pair.boat.advance(15 * MINUTE);
    nextOutage = performance.now() + 60 * SECOND;
  });
  const seconds = (performance.now() - since) / SECOND;
  line.options.mishaps = NO_MISHAPS;
  await line.settled();
  const positions = pair.count("shore", "gps_points");
  say(`  an alert was ashore after ${number((alertAfter ?? Number.NaN) / SECOND, 1)} s`);
  say(
    `  all was ashore after ${number(seconds)} s: ${number(line.counts.requests)} requests, ${number(line.counts.cuts)} cut, ${number(line.counts.doubled)} doubled, ${outages} outages`,
  );
  say(
    `  ${number(sent.body / positions, 2)} bytes of bodies a position, ${number((line.up.bytes - upBefore) / positions, 2)} with heads and what went in vain, ${number((line.down.bytes - downBefore) / positions, 2)} of answers`,
  );
  say(
    `  ${number(sent.overhead / sent.batches, 1)} bytes of a batch beside its rows in the mean, ${sent.most} at most`,
  );
  expectAlike();
  expect(alertAfter).toBeLessThan(15 * SECOND);
  expect(sent.most).toBeLessThanOrEqual(120);
});

test("cuts and kills", async () => {
  const { line } = pair;
  Object.assign(line.options, { delay: 2, bytesPerSecond: Number.POSITIVE_INFINITY });
  line.options.mishaps = { lost: 0.2, torn: 0.2, unanswered: 0.2, doubled: 0.1 };
  const before = { ...line.counts };
  const cuts = () => line.counts.cuts - before.cuts;
  let kills = 0;
  for (let round = 0; cuts() < CUTS || kills < KILLS; round++) {
    const now = Math.floor(pair.boat.time / SECOND);
    const times = [3, 2, 1].map((ago) => now - ago * INTERVAL);
    for (let device = 0; device < DEVICES; device++) await pair.sail(device, times);
    if (round % 10 === 0) await pair.alarm(round % DEVICES);
    await pair.boat.advance(31 * SECOND);
    await Bun.sleep(random() * 150);
    if (cuts() >= ((kills + 1) * CUTS) / KILLS && kills < KILLS)
      await pair.kill(kills++ % 2 === 0 ? "boat" : "shore");
  }
  line.options.mishaps = NO_MISHAPS;
  await line.settled();
  await pair.caughtUp(async () => {
    await pair.boat.advance(30 * SECOND);
    await Bun.sleep(100);
  });
  await line.settled();
  say(
    `${number(cuts())} cuts (${number(line.counts.lost - before.lost)} lost, ${number(line.counts.torn - before.torn)} torn, ${number(line.counts.unanswered - before.unanswered)} unanswered), ${number(line.counts.doubled - before.doubled)} doubled, ${pair.kills.boat} kills -9 of the boat, ${pair.kills.shore} of the shore`,
  );
  expectAlike();
});

test("a day without news", async () => {
  const { line, boat } = pair;
  const before = { up: line.up.bytes, down: line.down.bytes, requests: line.counts.requests };
  const day = boat.ahead + 24 * HOUR;
  for (let step = 30 * SECOND; boat.ahead < day; step = Math.min(2 * step, 15 * MINUTE)) {
    await boat.advance(Math.min(step, day - boat.ahead));
    await Bun.sleep(400);
  }
  const bytes = line.up.bytes - before.up + line.down.bytes - before.down;
  say(
    `a day without news: ${number(line.counts.requests - before.requests)} requests, ${number(bytes / 1e6, 3)} MB with all heads, and 40 bytes for each packet`,
  );
  expect(bytes).toBeLessThan(500_000);
});
