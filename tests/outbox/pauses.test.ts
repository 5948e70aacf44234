import { describe, expect, test } from "bun:test";
import { isOver, pauseAt, withJitter } from "../../src/outbox/pauses";
import { DAY, HOUR, MINUTE, SECOND } from "../support/time";

/** The pauses between attempts that fail. */

const BEGIN = Date.UTC(2026, 4, 4);

/**
 * The pauses of a delivery that fails until it is given up, by a clock that follows them. Each is `times` as long as
 * without jitter.
 */
function pausesOf(isAlarm: boolean, firstAt = BEGIN, times = 1): number[] {
  const pauses: number[] = [];
  let time = firstAt;
  for (let step = 0; !isOver(step, isAlarm, firstAt, time); step++) {
    const pause = times * pauseAt(step, isAlarm);
    pauses.push(pause);
    time += pause;
  }
  return pauses;
}
const sum = (pauses: number[]) => pauses.reduce((total, pause) => total + pause, 0);
const FIRST = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

describe("a delivery that fails is tried", () => {
  test("after growing pauses, then each 3 hours for 3 days", () => {
    expect(pausesOf(false)).toEqual([...FIRST, ...new Array(24).fill(3 * HOUR)]);
  });

  test("every two minutes for a day if it is an alarm's, before its pauses grow", () => {
    const pauses = pausesOf(true);
    const frequent = pauses.slice(0, -26);
    expect(frequent.slice(0, 3)).toEqual([5 * SECOND, 30 * SECOND, 2 * MINUTE]);
    expect(new Set(frequent.slice(2))).toEqual(new Set([2 * MINUTE]));
    expect(sum(frequent)).toBeGreaterThanOrEqual(DAY);
    expect(sum(frequent)).toBeLessThan(DAY + 2 * MINUTE);
    expect(pauses.slice(-26)).toEqual([10 * MINUTE, HOUR, ...new Array(24).fill(3 * HOUR)]);
  });

  test("for three days also where the jitter makes each pause shorter or longer", () => {
    for (const times of [0.9, 1, 1.1])
      expect(sum(pausesOf(false, BEGIN, times))).toBeWithin(3 * DAY + sum(FIRST), 3 * DAY + 5 * HOUR);
    // Hundreds of pauses of an alarm come close to their mean.
    for (const times of [0.99, 1, 1.01])
      expect(sum(pausesOf(true, BEGIN, times))).toBeWithin(4 * DAY + HOUR, 4 * DAY + 5 * HOUR);
  });

  test("for about as long where the clock was set back since the first attempt", () => {
    let step = 0;
    while (!isOver(step, false, BEGIN, BEGIN - 400 * DAY)) step++;
    expect(step).toBeWithin(FIRST.length + 24, FIRST.length + 28);
  });

  test("as often where the clock was set only later, and not for the years in between", () => {
    expect(pausesOf(false, 1_000)).toEqual(pausesOf(false));
    expect(isOver(1, true, 1_000, BEGIN)).toBe(false);
  });

  test("no longer than that, however few attempts there were", () => {
    expect(isOver(1, false, BEGIN, BEGIN + 3 * DAY)).toBe(false);
    expect(isOver(1, false, BEGIN, BEGIN + 3 * DAY + 2 * HOUR)).toBe(true);
    expect(isOver(1, true, BEGIN, BEGIN + 4 * DAY)).toBe(false);
    expect(isOver(1, true, BEGIN, BEGIN + 4 * DAY + 2 * HOUR)).toBe(true);
  });
});

test("the jitter is a tenth, to both sides", () => {
  const pauses = Array.from({ length: 1_000 }, () => withJitter(10_000));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(9_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(11_000);
  expect(Math.min(...pauses)).toBeLessThan(9_500);
  expect(Math.max(...pauses)).toBeGreaterThan(10_500);
});
