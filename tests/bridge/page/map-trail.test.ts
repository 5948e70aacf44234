import { describe, expect, test } from "bun:test";
import { GAP_SECONDS, type Point, partsOf, Trail } from "../../../src/bridge/page/map/trail";

/** Points along a parallel, each so many metres and seconds after the one before. */
const along = (count: number, metres: number, seconds = 1, from = 1_000_000): Point[] =>
  Array.from({ length: count }, (_, at) => [13 + (at * metres) / 65_000, 54.1, from + at * seconds]);

describe("a trail", () => {
  test("grows with each position, and keeps few of a device that hardly moves", () => {
    const trail = new Trail();
    for (const point of along(600, 0.5)) trail.add(point);
    const [piece = []] = trail.pieces;
    expect(trail.pieces.length).toBe(1);
    expect(piece.length).toBeLessThan(60);
    // The newest is always its end.
    expect(piece.at(-1)).toEqual(along(600, 0.5).at(-1) as Point);
    const moving = new Trail();
    for (const point of along(100, 40)) moving.add(point);
    expect(moving.pieces[0]?.length).toBe(100);
  });

  test("takes nothing that is older than its end, and begins a piece after a pause", () => {
    const trail = new Trail();
    trail.add([13, 54, 1_000]);
    trail.add([13.1, 54, 900]);
    trail.add([13.2, 54, 1_000]);
    expect(trail.pieces).toEqual([[[13, 54, 1_000]]]);
    trail.add([13.3, 54, 1_001 + GAP_SECONDS]);
    expect(trail.pieces.length).toBe(2);
  });

  test("keeps what came while its beginning was asked for", () => {
    const trail = new Trail();
    const [before, after] = [along(5, 50, 1, 1_000), along(3, 50, 1, 1_003)];
    for (const point of after) trail.add(point);
    trail.begin([before]);
    expect(trail.pieces[0]?.map(([, , time]) => time)).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, 1_005]);
  });

  test("says when it has grown so long that it is better asked for anew", () => {
    const trail = new Trail();
    for (const point of along(1_501, 40)) trail.add(point);
    expect(trail.isLong).toBe(true);
    trail.begin([along(300, 200, 5)]);
    expect(trail.isLong).toBe(false);
  });

  test("forgets yesterday", () => {
    const trail = new Trail();
    trail.begin([along(10, 50, 1, 1_000), along(10, 50, 1, 5_000)]);
    trail.dropBefore(5_004);
    expect(trail.pieces.map((piece) => piece.map(([, , time]) => time))).toEqual([
      [5_004, 5_005, 5_006, 5_007, 5_008, 5_009],
    ]);
  });
});

describe("the parts of a trail", () => {
  test("are cut where the age passes from one band to the next, and meet there", () => {
    const now = 1_000_000;
    const piece = along(50, 50, 600, now - 30_000);
    const parts = partsOf([piece], now);
    expect(parts.map(({ band }) => band)).toEqual([4, 3, 2, 1, 0]);
    for (const [at, part] of parts.slice(1).entries())
      expect(part.line[0]).toEqual(parts[at]?.line.at(-1) as [number, number]);
  });

  test("go on across the 180th meridian", () => {
    const [part] = partsOf(
      [
        [
          [179.9, -17, 10],
          [-179.9, -17, 20],
        ],
      ],
      20,
    );
    expect(part?.line).toEqual([
      [179.9, -17],
      [180.1, -17],
    ]);
  });

  test("are none for a single position", () => {
    expect(partsOf([[[13, 54, 10]]], 20)).toEqual([]);
  });
});
