import { expect, test } from "bun:test";
import { Lines } from "../../../src/kernel/limits/lines";

const linesOf = (...items: string[]) => {
  const lines = new Lines<string>();
  for (const item of items) lines.push(item.slice(0, 1), item);
  return lines;
};

function drain(lines: Lines<string>): string[] {
  const taken: string[] = [];
  for (let item = lines.shift(); item !== undefined; item = lines.shift()) taken.push(item);
  return taken;
}

test("lines take turns, each in its order", () => {
  const lines = linesOf("a1", "a2", "a3", "b1", "c1", "b2");
  expect([lines.size, lines.lengthOf("a"), lines.lengthOf("x")]).toEqual([6, 3, 0]);
  expect(drain(lines)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  expect([lines.size, lines.lengthOf("a")]).toEqual([0, 0]);
});

test("the longest line loses its newest, if it is longer than the newcomer's", () => {
  const lines = linesOf("a1", "a2", "a3", "b1", "b2");
  expect(lines.popLonger(3)).toBeUndefined();
  expect(lines.popLonger(1)).toBe("a3");
  expect(lines.popLonger(2)).toBeUndefined();
  expect([lines.popLonger(1), lines.popLonger(1), lines.popLonger(0)]).toEqual(["a2", "b2", "a1"]);
  expect(lines.size).toBe(1);
  expect(drain(lines)).toEqual(["b1"]);
});
