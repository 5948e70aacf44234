import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually, expectStatus } from "../support/expectations";
import { randomFrom } from "../support/random";
import { write } from "../support/rows";
import { NO_MISHAPS } from "../support/thin-line";
import { MINUTE, SECOND } from "../support/time";
import { Pair } from "./pair";

/** A boat and its shore as two real servers, with a bad line between them. `bun run bench -- --sync` does this at length. */

const NOTHING_LOST = { lost: 0, doubled: 0 };

let pair: Pair;
const random = randomFrom(11);
beforeAll(async () => {
  pair = await Pair.start({
    delay: 5,
    bytesPerSecond: Number.POSITIVE_INFINITY,
    mishaps: NO_MISHAPS,
    random,
  });
  await pair.watch();
});
afterAll(() => pair.stop());

const expectAlike = () => {
  for (const [table, { rows: _, ...difference }] of Object.entries(pair.compare()))
    expect([table, difference]).toEqual([table, NOTHING_LOST]);
};

/** Lets pauses of the boat go by until all is ashore. */
const catchUp = () =>
  pair.caughtUp(async () => {
    await pair.boat.advance(30 * SECOND);
    await Bun.sleep(50);
  });

/** Fixes up to now, ten seconds apart. */
const times = (count: number) => {
  const now = Math.floor(pair.boat.time / 1_000);
  return Array.from({ length: count }, (_, at) => now - 10 * (count - at));
};

describe("a boat and its shore", () => {
  test("hold the same, after days without a link", async () => {
    pair.line.isUp = false;
    await pair.voyage(0, ["Cast off", "Reefed"]);
    for (const device of pair.devices.keys()) await pair.sail(device, times(1_500));
    pair.line.isUp = true;
    await catchUp();
    expectAlike();
    expect(pair.count("shore", "gps_points")).toBe(4_500);
  });

  test("hold the same over a line that cuts, tears and doubles, and kills of either side", async () => {
    pair.line.options.mishaps = { lost: 0.1, torn: 0.1, unanswered: 0.15, doubled: 0.15 };
    const { counts } = pair.line;
    const isShown = () => counts.lost > 0 && counts.torn > 0 && counts.unanswered > 0 && counts.doubled > 0;
    for (let round = 0; round < 4 || (round < 40 && !isShown()); round++) {
      for (const device of pair.devices.keys()) await pair.sail(device, times(200));
      await pair.alarm(0);
      await pair.boat.advance(31 * SECOND);
      await Bun.sleep(50);
      if (round < 4) await pair.kill(round % 2 === 0 ? "boat" : "shore");
    }
    expect(isShown()).toBe(true);
    await catchUp();
    pair.line.options.mishaps = NO_MISHAPS;
    await pair.line.settled();
    await pair.boat.advance(MINUTE);
    await catchUp();
    expectAlike();
    for (const table of ["trips", "log_entries", "alerts", "geofence_events"] as const)
      expect([table, pair.count("shore", table) > 0]).toEqual([table, true]);
  });

  test("tell an alert first, though much waits", async () => {
    pair.line.isUp = false;
    const until = times(1)[0] as number;
    await pair.sail(
      1,
      Array.from({ length: 5_000 }, (_, at) => until - 400_000 - at * 10),
    );
    const id = await pair.alarm(1);
    Object.assign(pair.line.options, { delay: 300, bytesPerSecond: 8_000 });
    await Bun.sleep(500);
    const first = Promise.withResolvers<number>();
    pair.line.onBody = () => first.resolve(performance.now());
    pair.line.isUp = true;
    // The pause after the last attempt is over.
    await pair.boat.advance(10 * SECOND);
    await eventually(() => pair.hasAshore("alerts", id));
    expect(performance.now() - (await first.promise)).toBeLessThan(15 * SECOND);
    expect(pair.count("shore", "gps_points")).toBeLessThan(pair.count("boat", "gps_points"));
    Object.assign(pair.line.options, { delay: 0, bytesPerSecond: Number.POSITIVE_INFINITY });
    await catchUp();
    expectAlike();
  });

  test("hold the same again, where the shore lost rows and has the boat send everything again", async () => {
    const { shore, boxId } = pair;
    write(
      shore,
      "DELETE FROM gps_points WHERE rowid % 3 = 0",
      "DELETE FROM log_entries",
      "DELETE FROM alerts",
      "UPDATE devices SET name = 'stolen'",
    );
    const token = await shore.admin();
    expectStatus(await shore.post(`/v1/sync/boxes/${boxId}/resync`, { token }), 200);
    while (pair.count("shore", "gps_points") < pair.count("boat", "gps_points")) {
      await pair.boat.advance(30 * SECOND);
      await Bun.sleep(50);
    }
    await catchUp();
    expectAlike();
  });
});
