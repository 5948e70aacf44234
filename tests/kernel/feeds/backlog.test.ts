import { describe, expect, spyOn, test } from "bun:test";
import { Backlog, MOST_UNREAD } from "../../../src/kernel/feeds/backlog";
import { captureLog } from "../../support/log";

/** Reading in turns of the event loop. */

const turn = () => new Promise((next) => setImmediate(next));

describe("a backlog", () => {
  test("is read in order, at once while there is little, and tells when it is empty", () => {
    const taken: string[] = [];
    let empties = 0;
    // No time passes, since it would leave the rest to a later turn on a machine that stops this process for a moment.
    const standing = spyOn(performance, "now").mockReturnValue(0);
    const backlog = new Backlog({ take: (line) => taken.push(line) }, () => empties++);
    backlog.push(["a", "", "b"]);
    backlog.push(["c"]);
    backlog.push([]);
    standing.mockRestore();
    expect([taken, empties, backlog.isEmpty]).toEqual([["a", "b", "c"], 2, true]);
  });

  test("leaves the event loop to others after a few milliseconds", async () => {
    const slow = () => {
      const until = performance.now() + 0.5;
      while (performance.now() < until);
    };
    let taken = 0;
    const backlog = new Backlog({
      take() {
        slow();
        taken++;
      },
    });
    backlog.push(Array.from({ length: 100 }, () => "line"));
    // By the number of lines, not by the time: another process may hold this one up.
    const inTurns = [taken];
    while (taken < 100) {
      const before = taken;
      await turn();
      inTurns.push(taken - before);
    }
    expect(Math.max(...inTurns)).toBeLessThan(25);
  });

  test("waits for the work that a line has caused", async () => {
    const taken: string[] = [];
    let work: Promise<void> | null = null;
    let finish = () => {};
    const backlog = new Backlog({
      take(line) {
        taken.push(line);
        work = new Promise<void>((done) => {
          finish = () => {
            work = null;
            done();
          };
        });
      },
      busy: () => work,
    });
    backlog.push(["a", "b"]);
    await turn();
    expect(taken).toEqual(["a"]);
    finish();
    await turn();
    expect(taken).toEqual(["a", "b"]);
    backlog.close();
    finish();
    backlog.push(["c"]);
    await turn();
    expect(taken).toEqual(["a", "b"]);
  });

  test("is full beyond a bound, and goes on after a line that nobody can read", async () => {
    const log = captureLog();
    let isWaiting = true;
    let finish = () => {};
    const work = new Promise<void>((done) => {
      finish = done;
    });
    let taken = 0;
    const backlog = new Backlog({
      take(line) {
        taken++;
        if (line === "0") throw new Error("unreadable");
      },
      busy: () => (isWaiting ? work : null),
    });
    backlog.push(Array.from({ length: MOST_UNREAD }, (_, at) => String(at)));
    expect(backlog.isFull).toBe(false);
    backlog.push(["one more"]);
    expect(backlog.isFull).toBe(true);
    isWaiting = false;
    finish();
    while (!backlog.isEmpty) await turn();
    expect([taken, backlog.isFull]).toEqual([MOST_UNREAD + 1, false]);
    expect(log.text()).toContain("cannot be read");
    log.end();
  });
});
