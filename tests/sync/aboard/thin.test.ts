import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { cursorOf, newestNumber, oldestStart, startOf } from "../../../src/feed/journal";
import { beginReader } from "../../../src/feed/readers";
import { forgetOldChanges } from "../../../src/feed/retention";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { now, setClock } from "../../../src/kernel/time/clock";
import { thinBacklog } from "../../../src/sync/aboard/thin";
import { Transfer } from "../../../src/sync/aboard/transfer";
import type { SentPosition } from "../../../src/sync/batch/positions";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { logged } from "../../support/log";
import { DAY, HOUR } from "../../support/time";
import { record, SERVICE } from "../../tracking/in-process";
import { alarm, EVERYTHING, newBoatDevice, openBoat, pass, START, tellAll } from "./boat";
import { ModelShore } from "./shore";

/** The backlog for the shore is bounded: positions are given up, and nothing else. */

let shore: ModelShore;
let devices: string[];
let transfer: Transfer;

beforeEach(async () => {
  await openBoat({ "sync.max_backlog_mb": "1" });
  shore = new ModelShore();
  devices = [await newBoatDevice("one"), await newBoatDevice("other")];
  transfer = await Transfer.open(EVERYTHING);
  await tellAll(transfer, shore);
});
afterAll(() => {
  closeDatabase();
  setClock();
});

/** Fixes of both devices, ten seconds apart. */
async function sailFor(fixes: number): Promise<void> {
  for (let at = 0; at < fixes; at += 100) {
    const begun = now() / 1_000;
    const some = Array.from({ length: Math.min(100, fixes - at) }, (_, step) => begun + step * 10);
    pass(1_000);
    await Promise.all(some.flatMap((time) => devices.map((device) => record(device, time))));
    pass(some.length * 10_000 - 1_000);
  }
}

/** Runs the job; its line in the log is not for whoever reads the tests'. */
const thin = () => logged(thinBacklog);

const count = (what: string): number =>
  sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${what}`).get()?.n ?? 0;
const kinds = (kind: string) => `changes WHERE kind IN (${kind})`;
const POSITIONS = "0, 5";
/** About the changes that a megabyte holds. */
const ROOM = 9_000;
/** Enough fixes of each device for a megabyte to be too little. */
const MANY = 8_000;

const told = (): SentPosition[] =>
  [...shore.rows("position").values()].filter((row): row is SentPosition => row !== null);

describe("a backlog that is larger than sync.max_backlog_mb", () => {
  test("loses positions, the oldest first, but one a minute; what is recent and all else is told", async () => {
    const before = await alarm(devices[0] as string);
    await sailFor(MANY);
    const after = await alarm(devices[0] as string);
    expect(count("changes")).toBeGreaterThan(ROOM);
    const rare = count("changes WHERE kind NOT IN (0, 1, 5, 6)");
    expect(await thin()).toContain("too much waits for the shore");
    expect(count("changes")).toBeWithin(0.7 * ROOM, ROOM);
    expect(count("changes WHERE kind NOT IN (0, 1, 5, 6)")).toBe(rare);
    expect(count("gps_points")).toBe(2 * MANY);
    const [first] = transfer.backlog().filter(({ lane }) => lane === "backlog");
    expect(first?.rows).toBe(count(kinds(POSITIONS)));
    await tellAll(transfer, shore);
    expect([...shore.rows("alert").keys()].sort()).toEqual([before, after].sort());
    const positions = told();
    const given = shore.skipped.reduce((sum, { rows }) => sum + rows, 0);
    expect(given).toBeGreaterThan(2 * MANY - ROOM);
    expect(positions.length + given).toBe(2 * MANY);
    for (const device of devices) {
      const times = positions
        .filter(({ device_id }) => device_id === device)
        .map(({ timestamp }) => (timestamp - START) / 1_000)
        .sort((a, b) => a - b);
      // No minute is empty, and the last hours are whole.
      const gaps = times.slice(1).map((time, at) => time - (times[at] as number));
      expect(Math.max(...gaps)).toBeLessThan(120);
      expect(gaps.slice(-1_000)).toEqual(Array(1_000).fill(10));
      expect(gaps.slice(0, 100).every((gap) => gap >= 50)).toBe(true);
    }
    for (const { from, to } of shore.skipped) expect(from).toBeLessThanOrEqual(to);
  });

  test("is thinned further while it grows, and all that was given up is told", async () => {
    await openBoat({ "sync.max_backlog_mb": "1", "sync.thin_seconds": "1" });
    shore = new ModelShore();
    devices = [await newBoatDevice("one")];
    transfer = await Transfer.open(EVERYTHING);
    await tellAll(transfer, shore);
    for (let round = 0; round < 3; round++) {
      await sailFor(MANY);
      await thin();
      expect(count("changes")).toBeLessThan(1.05 * ROOM);
    }
    const { coarsest } = sqlite
      .query<{ coarsest: number }, []>("SELECT max(seconds) AS coarsest FROM feed_thinned")
      .get() as { coarsest: number };
    expect(coarsest).toBeGreaterThan(10);
    await tellAll(transfer, shore);
    const given = shore.skipped.reduce((sum, { rows }) => sum + rows, 0);
    expect(told().length + given).toBe(3 * MANY);
    const days = new Set(told().map(({ timestamp }) => Math.floor(timestamp / DAY)));
    expect(days.size).toBeGreaterThanOrEqual(2);
  });

  test("keeps what became of positions that the shore has", async () => {
    await sailFor(100);
    await tellAll(transfer, shore);
    const [gone, marked] = [...shore.rows("position").keys()];
    pass(1_000);
    await deletePoint(SERVICE, gone as string);
    await markPoint(SERVICE, marked as string, true);
    await sailFor(MANY);
    await thin();
    expect(count("feed_thinned")).toBeGreaterThan(0);
    await tellAll(transfer, shore);
    expect(shore.rows("position").has(gone as string)).toBe(false);
    expect(shore.rows("position").get(marked as string)).toMatchObject({ judgement: "hand" });
  });

  test("leaves no cursor of others within it, and no trace once it is told", async () => {
    await transact(() => beginReader("mqtt"));
    const number = newestNumber();
    await sailFor(MANY);
    await thin();
    const thinned = oldestStart();
    expect(thinned).toBeGreaterThan(number);
    expect(startOf(cursorOf(number + 10))).toEqual({ gone: "expired" });
    expect(startOf(cursorOf(thinned))).toEqual({ number: thinned });
    expect(await transact(() => beginReader("mqtt"))).toMatchObject({ how: "expired" });
    await tellAll(transfer, shore);
    pass(100 * HOUR);
    await forgetOldChanges();
    expect(count("feed_thinned")).toBe(0);
    expect(oldestStart()).toBe(newestNumber() - 1);
  });

  test("is left alone while it is small enough", async () => {
    await sailFor(1_000);
    await thin();
    expect(count("feed_thinned")).toBe(0);
    await tellAll(transfer, shore);
    expect(told()).toHaveLength(2_000);
  });
});

test("the retention leaves everything that waits for the shore, however old and however much it is", async () => {
  await sailFor(MANY);
  pass(1_000 * HOUR);
  await forgetOldChanges();
  await tellAll(transfer, shore);
  expect(told()).toHaveLength(2 * MANY);
  pass(1_000 * HOUR);
  await forgetOldChanges();
  expect(count("changes")).toBe(1);
});
