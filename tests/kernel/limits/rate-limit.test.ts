import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { sweepRateLimits, takeToken } from "../../../src/kernel/limits/rate-limit";
import { setClock } from "../../../src/kernel/time/clock";

let time = 1_800_000_000_000;
let key = "";
let keys = 0;
beforeEach(() => {
  setClock(() => time);
  key = `key ${++keys}`;
});
afterAll(() => setClock());

const RATE = { requests: 3, seconds: 60 };
const take = (rate = RATE) => takeToken(key, rate);
const taken = (times: number) => Array.from({ length: times }, () => take().allowed);

describe("a limit", () => {
  test("allows so many requests in a window, and tells what remains and for how long", () => {
    expect(take()).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
    time += 10_500;
    expect(take()).toEqual({ allowed: true, limit: 3, remaining: 1, resetSeconds: 50 });
    expect(take()).toEqual({ allowed: true, limit: 3, remaining: 0, resetSeconds: 50 });
    expect(take()).toEqual({ allowed: false, limit: 3, remaining: 0, resetSeconds: 50 });
  });

  test("starts anew when the window of the first request ends, not a moment before", () => {
    expect(taken(4)).toEqual([true, true, true, false]);
    time += 59_999;
    expect(take()).toEqual({ allowed: false, limit: 3, remaining: 0, resetSeconds: 1 });
    time += 1;
    expect(take()).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
  });

  test("isn't prolonged by requests that it refused", () => {
    taken(3);
    time += 30_000;
    expect(taken(50).includes(true)).toBe(false);
    time += 30_000;
    expect(take().allowed).toBe(true);
  });

  test("counts each key by itself", () => {
    taken(3);
    expect(take().allowed).toBe(false);
    expect(takeToken(`${key} other`, RATE).allowed).toBe(true);
  });

  test("that is raised or lowered counts at once", () => {
    taken(3);
    expect(take({ requests: 5, seconds: 60 })).toMatchObject({ allowed: true, remaining: 1 });
    expect(take({ requests: 2, seconds: 60 })).toMatchObject({ allowed: false, limit: 2, remaining: 0 });
  });

  test("whose window is shortened locks nobody out for the old length", () => {
    expect(takeToken(key, { requests: 1, seconds: 3_600 }).allowed).toBe(true);
    expect(takeToken(key, { requests: 1, seconds: 10 }).allowed).toBe(true);
    expect(takeToken(key, { requests: 1, seconds: 10 })).toMatchObject({ allowed: false, resetSeconds: 10 });
  });

  test("locks nobody out when the clock is set back", () => {
    taken(3);
    time -= 3_600_000;
    expect(take()).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
  });

  test("is not forgotten by the sweep before its window has ended", () => {
    taken(3);
    sweepRateLimits();
    expect(take().allowed).toBe(false);
    time += 60_000;
    sweepRateLimits();
    expect(take().remaining).toBe(2);
  });

  test("stays in force for a key while 50,000 others come", () => {
    taken(3);
    for (let other = 0; other < 50_000; other++) takeToken(`${key} flood ${other}`, RATE);
    expect(take().allowed).toBe(false);
  });
});
