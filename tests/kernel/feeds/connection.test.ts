import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { keepConnection, LINK_TIMING, type Link, toldInLog } from "../../../src/kernel/feeds/connection";
import { configureLog } from "../../../src/kernel/logs/log";
import { alike } from "../../../src/kernel/values/bilingual";
import { captureLog } from "../../support/log";

/** Keeping up connections, in this process. */

describe("a connection that is kept", () => {
  beforeAll(() => configureLog("info", "json"));
  afterAll(() => configureLog("error", "json"));

  /** Keeps a connection on timers that run out at once when told to, and notes how long they would have taken. */
  function rehearse(patience = LINK_TIMING) {
    let due: (() => void) | null = null;
    const delays: number[] = [];
    const timers = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, delay: number) => {
      due = run;
      delays.push(delay);
      return { refresh: () => delays.push(delay) };
    }) as unknown as typeof setTimeout);
    const clock = spyOn(performance, "now");
    const log = captureLog();
    const links: Link[] = [];
    let closed = 0;
    const kept = keepConnection(
      toldInLog("vessel positions", "test"),
      (link) => {
        links.push(link);
        return () => closed++;
      },
      patience,
    );
    kept.connect();
    return {
      kept,
      links,
      delays,
      get link() {
        return links.at(-1) as Link;
      },
      get closed() {
        return closed;
      },
      /** Lets the timer run out that was set last. */
      runOut: () => due?.(),
      at: (milliseconds: number) => clock.mockReturnValue(milliseconds),
      end() {
        timers.mockRestore();
        clock.mockRestore();
        return log.end();
      },
    };
  }

  test("is opened again after pauses that double, up to the longest, each shortened at random", () => {
    const last = new Set<number>();
    for (let rehearsal = 0; rehearsal < 30; rehearsal++) {
      const run = rehearse();
      for (let failures = 0; failures < 12; failures++) {
        run.link.lost(alike("gone"));
        const pause = run.delays.at(-1) as number;
        const whole = Math.min(1_000 * 2 ** failures, 60_000);
        expect(pause).toBeGreaterThanOrEqual(whole / 2);
        expect(pause).toBeLessThanOrEqual(whole);
        run.runOut();
        if (failures === 11) last.add(pause);
      }
      run.end();
    }
    expect(last.size).toBeGreaterThan(1);
  });

  test("begins with the first pause again once it was good for a minute, and not before", () => {
    const pauseAfter = (good: number) => {
      const run = rehearse();
      for (let round = 0; round < 6; round++) {
        run.link.lost(alike("gone"));
        run.runOut();
      }
      run.at(1_000);
      run.link.opened();
      run.link.heard();
      run.at(1_000 + good);
      run.link.lost(alike("gone"));
      run.end();
      return run.delays.at(-1) as number;
    };
    expect(pauseAfter(60_000)).toBeLessThanOrEqual(1_000);
    expect(pauseAfter(59_999)).toBeGreaterThan(20_000);
  });

  test("is opened again when it doesn't open within 15 seconds", () => {
    const run = rehearse();
    expect(run.delays).toEqual([15_000]);
    run.runOut();
    expect([run.closed, run.kept.isOpen()]).toEqual([1, false]);
    run.runOut();
    expect(run.links.length).toBe(2);
    run.end();
  });

  test("is opened again, soon, when nothing is heard for 4 minutes; what is heard puts that off", () => {
    const run = rehearse();
    run.link.lost(alike("gone"));
    run.runOut();
    run.link.opened();
    expect(run.delays.at(-1)).toBe(240_000);
    run.link.heard();
    run.link.heard();
    expect(run.delays.slice(-3)).toEqual([240_000, 240_000, 240_000]);
    run.runOut();
    expect([run.closed, run.kept.isOpen()]).toEqual([2, false]);
    expect(run.delays.at(-1)).toBeLessThanOrEqual(1_000);
    run.runOut();
    expect(run.links.length).toBe(3);
    run.end();
  });

  test("isn't listened to any more once it is lost, renewed or ended", () => {
    const run = rehearse();
    const [first] = run.links as [Link];
    first.opened();
    run.kept.renew();
    const { length } = run.delays;
    first.opened();
    first.heard();
    first.lost(alike("late"));
    expect([run.kept.isOpen(), run.delays.length, run.closed]).toEqual([false, length, 1]);
    run.runOut();
    run.link.opened();
    expect(run.kept.isOpen()).toBe(true);
    run.kept.disconnect();
    run.link.lost(alike("late"));
    expect([run.kept.isOpen(), run.delays.length, run.closed]).toEqual([false, length + 2, 2]);
    expect(run.end()).toEqual([]);
  });

  test("writes one line when it speaks and one when it is lost, not one for each attempt", () => {
    const run = rehearse();
    const lose = (why: string, times = 1) => {
      for (let time = 0; time < times; time++) {
        run.link.lost(alike(why));
        run.runOut();
      }
    };
    const speak = () => {
      run.link.opened();
      run.link.heard();
      run.link.heard();
    };
    lose("ECONNREFUSED", 50);
    lose("ENOTFOUND", 50);
    speak();
    lose("it closed the connection", 50);
    speak();
    lose("it closed the connection", 2);
    const lost = (why: string) => ["warn", "no vessel positions arrive", "test", why];
    const speaks = ["info", "vessel positions arrive", "test", undefined];
    expect(run.end()).toEqual([
      lost("ECONNREFUSED"),
      lost("ENOTFOUND"),
      speaks,
      lost("it closed the connection"),
      speaks,
      lost("it closed the connection"),
    ]);
  });

  test("that can't even be tried is tried again", () => {
    const log = captureLog();
    const patience = { ...LINK_TIMING, firstPause: 60_000 };
    const kept = keepConnection(
      toldInLog("vessel positions", "test"),
      () => new URL("no address") as unknown as () => void,
      patience,
    );
    kept.connect();
    kept.disconnect();
    expect(log.end()).toEqual([["warn", "no vessel positions arrive", "test", "TypeError"]]);
  });
});
