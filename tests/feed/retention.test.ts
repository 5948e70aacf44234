import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  changesAfter,
  cursorOf,
  newestNumber,
  note,
  oldestStart,
  openFeed,
  startOf,
} from "../../src/feed/journal";
import { forgetOldChanges } from "../../src/feed/retention";
import { sqlite } from "../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";
import { setClock } from "../../src/kernel/time/clock";
import { getChanges, nowOf, numberOf } from "../changes/support";
import { write } from "../support/rows";
import { TestServer } from "../support/server";
import { openTracking, reopen, setSystemConfig } from "../tracking/in-process";
import { createTrip, postPoint } from "../tracking/support";

/** The job that forgets old changes, and what the numbers are then. */

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 4);
const STEP = 500;

beforeEach(async () => {
  setClock(() => NOW);
  await openTracking();
  await transact(openFeed);
});
afterAll(() => {
  setClock(Date.now);
  closeDatabase();
});

const noteAt = (time: number, count: number) => {
  setClock(() => time);
  return transact(() => {
    for (let at = 0; at < count; at++) note("tripUpdate", `trip ${at}`, null);
  });
};
const kept = (): number[] => changesAfter(0, 1_000_000).map(({ number }) => number);
const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe("old changes", () => {
  test("are forgotten after changes.retention_hours, step by step", async () => {
    await noteAt(NOW - 72 * HOUR - 1, 2 * STEP + 3);
    await noteAt(NOW - 72 * HOUR + 1, 2);
    await noteAt(NOW, 5);
    await forgetOldChanges();
    expect(kept()).toEqual(span(2 * STEP + 4, 2 * STEP + 10));
    await setSystemConfig("changes.retention_hours", 1);
    await forgetOldChanges();
    expect(kept()).toEqual(span(2 * STEP + 6, 2 * STEP + 10));
  });

  test("that a wrong clock dates leave no gap among those that are kept", async () => {
    await noteAt(NOW - 100 * HOUR, 5);
    await noteAt(NOW, 5);
    await noteAt(NOW - 100 * HOUR, 5);
    await noteAt(NOW, 5);
    await forgetOldChanges();
    expect(kept()).toEqual(span(6, 20));
  });

  test("that a wrong clock dates far ahead don't keep all that follows", async () => {
    await noteAt(NOW + 1_000 * HOUR, 5);
    await noteAt(NOW - 100 * HOUR, 5);
    await noteAt(NOW, 5);
    await forgetOldChanges();
    expect(kept()).toEqual(span(11, 15));
  });

  test("are forgotten beyond changes.max_rows", async () => {
    await noteAt(NOW, 2_000 + STEP);
    await setSystemConfig("changes.max_rows", 1_000);
    await forgetOldChanges();
    expect(kept()).toEqual(span(1_501, 2_500));
    await forgetOldChanges();
    expect(kept()).toHaveLength(1_000);
  });

  test("stay as the newest one, however old, from which the numbers go on, also after a restart", async () => {
    await noteAt(NOW - 1_000 * HOUR, STEP);
    setClock(() => NOW);
    await forgetOldChanges();
    expect(kept()).toEqual([STEP]);
    const cursor = cursorOf(STEP);
    reopen();
    await transact(openFeed);
    await forgetOldChanges();
    expect(kept()).toEqual([STEP]);
    expect(startOf(cursor)).toEqual({ number: STEP });
    await noteAt(NOW, 1);
    expect(kept()).toEqual([STEP, STEP + 1]);
  });

  test("leave the cursors that miss nothing: the last forgotten one is the first of them", async () => {
    await noteAt(NOW - 100 * HOUR, 10);
    await noteAt(NOW, 10);
    expect([oldestStart(), startOf(cursorOf(0))]).toEqual([0, { number: 0 }]);
    await forgetOldChanges();
    expect(oldestStart()).toBe(10);
    expect(startOf(cursorOf(10))).toEqual({ number: 10 });
    expect(startOf(cursorOf(9))).toEqual({ gone: "expired" });
    expect(startOf(cursorOf(0))).toEqual({ gone: "expired" });
    expect(startOf(cursorOf(20))).toEqual({ number: 20 });
    expect(startOf(cursorOf(21))).toBeNull();
  });

  test("none at all is a beginning too", async () => {
    await forgetOldChanges();
    expect([newestNumber(), oldestStart(), startOf("now")]).toEqual([0, 0, { number: 0 }]);
    expect(startOf(cursorOf(0))).toEqual({ number: 0 });
    expect(startOf(cursorOf(1))).toBeNull();
  });
});

test("the number of a change that is rolled back is the next one's", async () => {
  await noteAt(NOW, 3);
  const refused = transact(() => {
    note("tripUpdate", "refused", null);
    throw new Error("refused by the test");
  });
  const [first, second] = [noteAt(NOW, 1), noteAt(NOW, 1)];
  expect(refused).rejects.toThrow("refused by the test");
  await Promise.all([first, second]);
  expect(kept()).toEqual([1, 2, 3, 4, 5]);
  expect(sqlite.query("SELECT record FROM changes WHERE record = 'refused'").all()).toEqual([]);
});

test("a server forgets at its start, answers 410 with where to go on, and goes on counting", async () => {
  setClock(Date.now);
  const first = await TestServer.start();
  const since = await nowOf(first);
  await createTrip(first);
  await postPoint(first, first.systemKey);
  const newest = await nowOf(first);
  write(first, "UPDATE changes SET made_at = 0");
  await first.stop("SIGKILL");
  const server = await TestServer.start({ dataDir: first.dataDir });
  let answer = await getChanges(server, { since });
  while (answer.status === 200) answer = await getChanges(server, { since });
  expect(answer).toMatchObject({ status: 410, body: { error: "CursorExpired", next: newest } });
  const { id } = await createTrip(server);
  const { body } = await getChanges(server, { since: newest });
  expect(body.changes).toMatchObject([{ type: "tripUpdate", data: { id } }]);
  expect(numberOf(body.next)).toBe(numberOf(newest) + 1);
  await server.stop();
});
