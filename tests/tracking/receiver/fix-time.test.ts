import { expect, test } from "bun:test";
import { meantTime } from "../../../src/tracking/receiver/fix-time";

const at = (iso: string) => Date.parse(iso) / 1_000;
const NOW = at("2026-05-04T10:20:30Z");
const ROLL_OVER = 1_024 * 7 * 86_400;

test("a time that is behind or ahead by whole 1,024 weeks is mended", () => {
  for (const times of [1, 2, -1])
    for (const off of [0, 0.25, 3_600, -86_400, 86_400])
      expect(meantTime(NOW + off - times * ROLL_OVER, NOW)).toBe(NOW + off);
  expect(meantTime(at("1980-05-04T10:20:30Z"), at("1980-05-04T10:20:30Z") + 2 * ROLL_OVER)).toBe(
    at("1980-05-04T10:20:30Z") + 2 * ROLL_OVER,
  );
});

test("one that wouldn't land within a day of the server's clock stays as it is", () => {
  for (const off of [-86_401, 86_401, 30 * 86_400])
    expect(meantTime(NOW + off - ROLL_OVER, NOW)).toBe(NOW + off - ROLL_OVER);
});

test("the server's clock doesn't count otherwise: it may be in 1970", () => {
  for (const server of [0, 3_600, at("2019-01-01T00:00:00Z"), NOW - 5, NOW + 86_400 * 400])
    expect(meantTime(NOW, server)).toBe(NOW);
});

test("a server that starts in 1970 takes nobody back to it, though that is whole 1,024 weeks ago", () => {
  for (const times of [2, 3])
    expect(meantTime(3_600 + times * ROLL_OVER, 3_600)).toBe(3_600 + times * ROLL_OVER);
});

test("a time before 1990 that can't be mended is none", () => {
  expect(meantTime(at("1989-12-31T23:59:59Z"), NOW)).toBeNull();
  expect(meantTime(at("1980-01-06T00:00:00Z"), 0)).toBeNull();
  expect(meantTime(at("1990-01-01T00:00:00Z"), NOW)).toBe(at("1990-01-01T00:00:00Z"));
});
