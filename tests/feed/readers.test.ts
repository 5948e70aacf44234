import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { changesAfter, note, openFeed } from "../../src/feed/journal";
import { acknowledge, averageSize, beginReader, endReader, neededByNobody } from "../../src/feed/readers";
import { forgetOldChanges } from "../../src/feed/retention";
import { sqlite } from "../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";
import { setClock } from "../../src/kernel/time/clock";
import { configure } from "../support/in-process";
import { openTracking, reopen } from "../tracking/in-process";

/** Readers that keep their place, and what is kept for them. */

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 4);

beforeEach(async () => {
  setClock(() => NOW);
  configure();
  await openTracking();
  await transact(openFeed);
});
afterAll(() => {
  setClock(Date.now);
  closeDatabase();
});

const noteAt = (time: number, count: number, detail?: object) => {
  setClock(() => time);
  return transact(() => {
    for (let at = 0; at < count; at++) note("tripUpdate", `trip ${at}`, null, detail);
  });
};
const LONG_AGO = NOW - 1_000 * HOUR;
const kept = (): number[] => changesAfter(0, 1_000_000).map(({ number }) => number);
const begin = (name: string) => transact(() => beginReader(name));

/** Forgets as the job does, at the present. */
function forget(): Promise<void> {
  setClock(() => NOW);
  return forgetOldChanges();
}

describe("a reader", () => {
  test("begins at the newest change, and goes on from its place, also after a restart", async () => {
    await noteAt(NOW, 5);
    expect(await begin("a")).toEqual({ number: 5, how: "first" });
    await noteAt(NOW, 5);
    await transact(() => acknowledge("a", 7));
    reopen();
    await transact(openFeed);
    expect(await begin("a")).toEqual({ number: 7, how: "resumed" });
    await transact(() => endReader("a"));
    expect(await begin("a")).toEqual({ number: 10, how: "first" });
  });

  test("of another run of numbers begins anew, and so does one that is ahead of the feed", async () => {
    await noteAt(NOW, 5);
    await begin("a");
    sqlite.run("DELETE FROM feed_state");
    await transact(openFeed);
    expect(neededByNobody(() => 0)).toBeNull();
    await noteAt(NOW, 1);
    expect(await begin("a")).toEqual({ number: 6, how: "epoch" });
    await transact(() => acknowledge("a", 9));
    expect(await begin("a")).toEqual({ number: 6, how: "epoch" });
  });

  test("whose changes are gone begins anew", async () => {
    await noteAt(NOW, 10);
    await begin("a");
    await transact(() => acknowledge("a", 3));
    sqlite.run("DELETE FROM changes WHERE number <= 4");
    expect(await begin("a")).toEqual({ number: 10, how: "expired" });
  });
});

describe("the retention", () => {
  test("leaves what the slowest reader has not acknowledged", async () => {
    await noteAt(LONG_AGO, 1_200);
    for (const name of ["a", "b"]) await begin(name);
    await transact(() => {
      acknowledge("a", 1_100);
      acknowledge("b", 700);
    });
    await forget();
    expect(kept()[0]).toBe(701);
    await transact(() => acknowledge("b", 1_150));
    await forget();
    expect(kept()[0]).toBe(1_101);
    await transact(() => {
      endReader("a");
      endReader("b");
    });
    await forget();
    expect(kept()).toEqual([1_200]);
  });

  test("forgets all the same what is more than sync.max_backlog_mb holds, by the size of the changes", async () => {
    configure({ "sync.max_backlog_mb": "1" });
    await noteAt(LONG_AGO, 1);
    await begin("a");
    await noteAt(LONG_AGO, 2_000, { text: "x".repeat(1_000) });
    expect(averageSize()).toBeWithin(1_000, 1_100);
    await forget();
    expect(kept().length).toBeWithin(900, 1_000);
    expect(kept().at(-1)).toBe(2_001);
  });

  test("of a feed without changes has a size too", () => {
    expect(averageSize()).toBeGreaterThan(0);
  });
});
