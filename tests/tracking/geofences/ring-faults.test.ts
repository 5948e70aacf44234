import { describe, expect, test } from "bun:test";
import { findFault } from "../../../src/tracking/geofences/ring-faults";
import { randomFrom } from "../../support/random";

/** Rings that cross themselves or each other, on the plane. */

type Corner = [number, number];
const flat = (ring: Corner[]) => new Float64Array(ring.flat());

/** True if two segments meet inside of both: the two equations of their common point, solved. */
function meet([ax, ay]: Corner, [bx, by]: Corner, [cx, cy]: Corner, [dx, dy]: Corner): boolean {
  const [rx, ry, sx, sy] = [bx - ax, by - ay, dx - cx, dy - cy];
  const by_ = rx * sy - ry * sx;
  const t = ((cx - ax) * sy - (cy - ay) * sx) / by_;
  const u = ((cx - ax) * ry - (cy - ay) * rx) / by_;
  return t > 0 && t < 1 && u > 0 && u < 1;
}

test("corners anywhere: a fault is found exactly if two edges meet", () => {
  const random = randomFrom(31);
  const seen = { fault: 0, none: 0 };
  for (let round = 0; round < 3_000; round++) {
    const rings = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, ring) =>
      Array.from(
        { length: 3 + Math.floor(random() * 3) },
        (): Corner => [random() / (1 + 3 * ring), random() / (1 + 3 * ring)],
      ),
    );
    const edges = rings.flatMap((ring) =>
      ring.map((corner, at): [Corner, Corner] => [corner, ring[(at + 1) % ring.length] as Corner]),
    );
    const expected = edges.some(([a, b], at) => edges.slice(at + 1).some(([c, d]) => meet(a, b, c, d)));
    expect({ round, isFound: findFault(rings.map(flat)) !== null }).toEqual({ round, isFound: expected });
    seen[expected ? "fault" : "none"]++;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(500);
});

const SQUARE: Corner[] = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
];
const inner = (...corners: Corner[]): Corner[][] => [SQUARE, corners];

describe("rings may touch:", () => {
  test.each<[string, Corner[][]]>([
    // biome-ignore format: one ring a line
    ["a ring itself, in a corner", [[[0, 0], [1, 1], [2, 0], [2, 2], [1, 1], [0, 2]]]],
    // biome-ignore format: one ring a line
    ["a ring itself, with a corner inside of an edge", [[[0, 0], [4, 0], [4, 4], [2, 0], [0, 4]]]],
    ["a hole and the ring, in a corner of both", inner([0, 0], [2, 1], [1, 2])],
    ["a hole and the ring, in a corner of the hole", inner([2, 0], [3, 2], [1, 2])],
    [
      "two holes, in a corner",
      [...inner([1, 1], [2, 1], [2, 2]), [...(inner([2, 2], [3, 2], [3, 3])[1] as Corner[])]],
    ],
    [
      "a corner and the next one, at the same place",
      [
        [
          [0, 0],
          [0, 0],
          [1, 0],
          [1, 1],
          [1, 1],
        ],
      ],
    ],
  ])("%s", (_, rings) => {
    for (const each of [rings, rings.map((ring) => ring.toReversed())])
      expect(findFault(each.map(flat))).toBeNull();
  });
});

describe("a fault is", () => {
  test.each<[string, Corner[][], string]>([
    // biome-ignore format: one ring a line
    ["a crossing in a corner of both ways", [[[0, 0], [1, 1], [2, 2], [2, 0], [1, 1], [0, 2]]], "crosses"],
    // biome-ignore format: one ring a line
    ["a crossing in a corner of one way", [[[0, 0], [2, 2], [2, 0], [1, 1], [0, 2]]], "crosses"],
    ["a hole that leaves the ring in its corners", inner([2, 0], [5, 2], [4, 2], [3, 2], [1, 2]), "crosses"],
    // biome-ignore format: one ring a line
    ["a way out and back", [[[0, 0], [1, 0], [2, 0], [1, 0], [1, 1]]], "twice"],
    // biome-ignore format: one ring a line
    ["a ring that goes round twice", [[[0, 0], [1, 0], [1, 1], [0, 0], [1, 0], [1, 1]]], "twice"],
    ["a hole as large as the ring", [SQUARE, SQUARE.toReversed()], "twice"],
    // biome-ignore format: one ring a line
    ["a ring on a line", [[[0, 0], [1, 2], [3, 6], [2, 4]]], "no area"],
    ["a hole on a line", inner([1, 1], [2, 2], [3, 3]), "no area"],
  ])("%s", (_, rings, message) => {
    for (const each of [rings, rings.map((ring) => ring.toReversed())])
      expect(findFault(each.map(flat))?.message).toContain(message);
  });
});
