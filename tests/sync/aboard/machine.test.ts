import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  ALERT_PAUSE,
  answered,
  asks,
  failed,
  gaveUp,
  LEAST_LIMIT,
  LONGEST_PAUSE,
  type Machine,
  MOST_LIMIT,
  NOTHING,
  next,
  patienceWith,
  START,
  sizeOf,
  type Timing,
  type Waiting,
} from "../../../src/sync/aboard/machine";
import { randomFrom } from "../../support/random";
import { HOUR, MINUTE, SECOND } from "../../support/time";

/** The times at which a box asks: a pure machine. */

const TIMING: Timing = { interval: 30 * SECOND, isSparing: false };
const SPARING: Timing = { ...TIMING, isSparing: true };
const SOME: Waiting = { alert: false, some: true, much: false };
const MUCH: Waiting = { alert: false, some: true, much: true };
const ALERT: Waiting = { alert: true, some: true, much: false };

/** The moment from which the machine asks, after a time; Infinity for never. */
function asksAt(machine: Machine, waiting: Waiting, time: number, timing = TIMING): number {
  const step = next(machine, waiting, timing, time);
  return step.do === "ask" ? time : step.do === "wait" ? step.until : Number.NaN;
}

const round = (machine: Machine, hadRows: boolean, time: number): Machine =>
  answered(asks(machine, 500, false, time), hadRows, time + 100);
const broken = (machine: Machine, time: number, random = 1): Machine =>
  failed(asks(machine, 500, false, time), { wait: null, isRefused: false }, time, random);

describe("a machine that rests", () => {
  test("asks at once at the beginning, when an alert waits, and while much waits", () => {
    expect(asksAt(START, NOTHING, 5)).toBe(5);
    const rested = round(START, true, 0);
    expect(asksAt(rested, ALERT, 200)).toBe(200);
    expect(asksAt(rested, MUCH, 200)).toBe(200);
    expect(asksAt(rested, SOME, 200)).toBe(30 * SECOND);
    expect(asksAt(rested, NOTHING, 200)).toBe(30 * SECOND);
  });

  test("asks ever more rarely without news, down to each quarter of an hour", () => {
    let machine = round(START, true, 0);
    const pauses: number[] = [];
    for (let time = 0; pauses.length < 8; ) {
      const at = asksAt(machine, NOTHING, time + 100);
      pauses.push((at - time) / SECOND);
      time = at;
      machine = round(machine, false, time);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
    // News end that.
    expect(asksAt(machine, SOME, 2 * HOUR)).toBe(2 * HOUR);
  });

  test("asks rarely once the bytes of the day are used up, but for an alert", () => {
    const machine = round(START, true, 0);
    expect(asksAt(machine, MUCH, 200, SPARING)).toBe(LONGEST_PAUSE);
    expect(asksAt(machine, ALERT, 200, SPARING)).toBe(200);
  });
});

describe("a machine without a link", () => {
  test("pauses twice as long each time, at most a quarter of an hour, with jitter", () => {
    let machine = START;
    const pauses: number[] = [];
    for (let time = 0; pauses.length < 10; ) {
      machine = broken(machine, time);
      const at = asksAt(machine, SOME, time);
      pauses.push((at - time) / SECOND);
      time = at;
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
    expect(asksAt(broken(START, 0, 0), SOME, 0)).toBe(2_500);
    expect(asksAt(round(machine, true, 9_000_000), SOME, 9_000_100)).toBe(9_030_000);
  });

  test("tries an alert each ten seconds, unless the shore refuses the box", () => {
    let machine = START;
    for (let tries = 0; tries < 12; tries++) machine = broken(machine, HOUR);
    expect(asksAt(machine, ALERT, HOUR)).toBe(HOUR + ALERT_PAUSE);
    expect(asksAt(machine, ALERT, HOUR + MINUTE)).toBe(HOUR + MINUTE);
    const refused = failed(asks(START, 500, true, 0), { wait: null, isRefused: true }, 0, 0);
    expect(asksAt(refused, ALERT, 0)).toBe(LONGEST_PAUSE);
  });

  test("waits as long as the shore asks, at most a quarter of an hour", () => {
    const told = (wait: number) => failed(asks(START, 500, false, 0), { wait, isRefused: false }, 0, 1);
    expect(asksAt(told(2 * MINUTE), SOME, 0)).toBe(2 * MINUTE);
    expect(asksAt(told(HOUR), SOME, 0)).toBe(LONGEST_PAUSE);
  });
});

describe("a machine that asks", () => {
  test("gives a request up for an alert after some seconds, and asks for less", () => {
    const asking = asks(START, 8_192, false, 0);
    expect(next(asking, SOME, TIMING, HOUR)).toEqual({ do: "wait", until: Number.POSITIVE_INFINITY });
    expect(next(asking, ALERT, TIMING, 4_999)).toEqual({ do: "wait", until: 5_000 });
    expect(next(asking, ALERT, TIMING, 5_000)).toEqual({ do: "give up" });
    const after = gaveUp(asking);
    expect(asksAt(after, ALERT, 5_000)).toBe(5_000);
    expect(after.line.limit).toBe(2_048);
    const withAlert = asks(after, 900, true, 5_000);
    expect(next(withAlert, ALERT, TIMING, HOUR)).toEqual({ do: "wait", until: Number.POSITIVE_INFINITY });
  });

  test("finds the bytes that take about a second of a line, however much an answer takes by itself", () => {
    const random = randomFrom(26);
    for (const bytesASecond of [2_000, 8_000, 100_000, 10_000_000])
      for (const latency of [20, 600, 3_000]) {
        let machine = START;
        const sizes: number[] = [];
        for (let time = 0, requests = 0; requests < 200; requests++) {
          const bytes = sizeOf(machine);
          sizes.push(bytes);
          machine = asks(machine, bytes, false, time);
          time += latency * (1 + random() / 10) + (bytes / bytesASecond) * SECOND;
          machine = answered(machine, true, time);
        }
        const expected = Math.min(MOST_LIMIT, bytesASecond);
        const late = sizes.slice(40);
        const mean = late.reduce((sum, bytes) => sum + bytes, 0) / late.length;
        expect(mean).toBeWithin(0.4 * expected, 1.8 * expected);
      }
  });

  test("follows a line that becomes another one", () => {
    let machine = START;
    let time = 0;
    const drain = (bytesASecond: number, latency: number) => {
      for (let requests = 0; requests < 40; requests++) {
        const bytes = sizeOf(machine);
        machine = asks(machine, bytes, false, time);
        time += latency + (bytes / bytesASecond) * SECOND;
        machine = answered(machine, true, time);
      }
      return machine.line.limit;
    };
    expect(drain(500_000, 50)).toBe(MOST_LIMIT);
    expect(drain(4_000, 800)).toBeWithin(1_500, 8_001);
    expect(drain(500_000, 50)).toBe(MOST_LIMIT);
  });

  test("has patience with a slow line, and less with an alert at first", () => {
    expect(patienceWith(300, START, false)).toBe(21 * SECOND);
    expect(patienceWith(300, START, true)).toBe(ALERT_PAUSE);
    const worn = { ...START, failures: 20 };
    expect(patienceWith(300, worn, true)).toBe(21 * SECOND);
  });
});

test("whatever happens, bounds hold: pauses of at most a quarter of an hour, and sizes that a request may have", () => {
  const event = fc.record({
    kind: fc.constantFrom("answered", "failed", "refused", "gave up"),
    hadRows: fc.boolean(),
    took: fc.integer({ min: 0, max: HOUR }),
    wait: fc.option(fc.integer({ min: 0, max: 10 * HOUR }), { nil: null }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const waiting = fc.constantFrom(NOTHING, SOME, MUCH, ALERT);
  fc.assert(
    fc.property(fc.array(fc.tuple(event, waiting), { maxLength: 60 }), fc.boolean(), (events, isSparing) => {
      let machine = START;
      let time = 0;
      for (const [{ kind, hadRows, took, wait, random }, waits] of events) {
        const at = asksAt(machine, waits, time, { ...TIMING, isSparing });
        expect(at - time).toBeWithin(0, LONGEST_PAUSE + 1);
        if (waits.alert && !(machine.phase.name === "pausing" && machine.phase.isRefused))
          expect(at - time).toBeLessThanOrEqual(ALERT_PAUSE);
        const asking = asks(machine, machine.line.limit, false, at);
        time = at + took;
        if (kind === "answered") machine = answered(asking, hadRows, time);
        else if (kind === "gave up") machine = gaveUp(asking);
        else machine = failed(asking, { wait, isRefused: kind === "refused" }, time, random);
        expect(machine.line.limit).toBeWithin(LEAST_LIMIT, MOST_LIMIT + 1);
      }
    }),
    { numRuns: 300, seed: 26 },
  );
});
