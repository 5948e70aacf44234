import { describe, expect, test } from "bun:test";
import {
  alongGround,
  boundsOf,
  circle,
  corridor,
  destination,
  distanceKm,
  unwrapped,
} from "../../../src/bridge/page/map/geometry";

/** The shapes that the map draws lie where they should on the ground. */

type Place = [number, number];

const WIECK: Place = [13.4553, 54.0967];

/** True if a place lies in an odd number of rings. */
const isIn = ([x, y]: Place, rings: number[][][]): boolean =>
  rings
    .flatMap((ring) => ring.slice(1).map((to, at) => [ring[at], to] as [number[], number[]]))
    .filter(
      ([[ax = 0, ay = 0], [bx = 0, by = 0]]) =>
        ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax,
    ).length %
    2 ===
  1;

describe("a circle", () => {
  test.each([
    [WIECK, 0.8],
    [[0, 0], 500],
    [[179.9, -17], 100],
    [[20, 78], 300],
  ] as [Place, number][])("around %p has every point at its radius of %p km", (centre, km) => {
    const [ring = []] = circle(centre, km);
    expect(ring.at(0)).toEqual(ring.at(-1) as number[]);
    for (const [longitude = 0, latitude = 0] of ring)
      expect(distanceKm(centre, [longitude, latitude])).toBeCloseTo(km, 6);
  });

  test("across the 180th meridian runs on past it, in one piece", () => {
    const [ring = []] = circle([179.9, -17], 100);
    const longitudes = ring.map(([longitude = 0]) => longitude);
    expect(Math.max(...longitudes)).toBeGreaterThan(180.5);
    expect(Math.max(...longitudes) - Math.min(...longitudes)).toBeLessThan(4);
  });

  test.each([
    ["north", 88, 60, 40],
    ["south", -88, -60, -40],
  ])("over the %s pole covers all longitudes up to the edge of the map", (_, centre, inside, outside) => {
    const rings = circle([10, centre], 4_000);
    for (const longitude of [-160, -60, 0, 60, 160]) {
      const isCovered = (latitude: number) =>
        [-360, 0, 360].some((turn) => isIn([longitude + turn, latitude], rings));
      expect([isCovered(inside), isCovered(outside)]).toEqual([true, false]);
    }
  });

  test("of more than half of the Earth leaves out what lies on the other side", () => {
    const rings = circle([10, 54], 18_000);
    const isCovered = ([longitude, latitude]: Place) =>
      [-360, 0, 360].some((turn) => isIn([longitude + turn, latitude], rings));
    expect(isCovered([10, 54])).toBe(true);
    expect(isCovered([100, 0])).toBe(true);
    expect(isCovered([-170, -54])).toBe(false);
  });
});

describe("a line on the ground", () => {
  test("follows the great circle between far places", () => {
    const line = alongGround([
      [-70, 42],
      [0, 50],
    ]);
    expect(line.length).toBeGreaterThan(100);
    expect(Math.max(...line.map(([, latitude]) => latitude))).toBeGreaterThan(52);
    const sum = line.slice(1).reduce((km, at, before) => km + distanceKm(line[before] as Place, at), 0);
    expect(sum).toBeCloseTo(distanceKm([-70, 42], [0, 50]), 3);
    expect(line.at(-1)).toEqual([0, 50]);
  });

  test("goes on across the 180th meridian, either way", () => {
    expect(
      unwrapped([
        [179, 0],
        [-179, 0],
        [178, 1],
      ]),
    ).toEqual([
      [179, 0],
      [181, 0],
      [178, 1],
    ]);
    expect(
      unwrapped([
        [-179, 0],
        [179, 0],
      ]),
    ).toEqual([
      [-179, 0],
      [-181, 0],
    ]);
  });
});

describe("a corridor", () => {
  const bend: Place[] = [WIECK, destination(WIECK, 90, 3), destination(destination(WIECK, 90, 3), 180, 2)];

  test("has its border at its width on either side of the line, and round ends", () => {
    const { edge } = corridor(bend, 0.15);
    expect(edge.length).toBe(1);
    const spine = alongGround(
      bend.flatMap((at, index) => (index === 0 ? [at] : between(bend[index - 1] as Place, at))),
    );
    for (const [longitude = 0, latitude = 0] of edge.flat()) {
      const nearest = Math.min(...spine.map((at) => distanceKm(at, [longitude, latitude])));
      expect(Math.abs(nearest - 0.15)).toBeLessThan(0.004);
    }
  });

  test("is covered by its pieces: inside of a bend, beside the line, around its ends, and nothing else", () => {
    const { area } = corridor(bend, 0.15);
    const isCovered = (at: Place) => area.coordinates.some((rings) => isIn(at, rings));
    const [first, corner, last] = bend as [Place, Place, Place];
    for (const side of [-90, 90]) {
      expect(isCovered(destination(destination(first, 90, 1.5), 90 + side, 0.14))).toBe(true);
      expect(isCovered(destination(destination(first, 90, 1.5), 90 + side, 0.16))).toBe(false);
    }
    expect(isCovered(destination(first, 270, 0.14))).toBe(true);
    expect(isCovered(destination(first, 270, 0.16))).toBe(false);
    expect(isCovered(destination(last, 180, 0.14))).toBe(true);
    for (let bearing = 0; bearing < 360; bearing += 30)
      expect(isCovered(destination(corner, bearing, 0.13))).toBe(true);
    expect(isCovered(destination(corner, 45, 0.16))).toBe(false);
  });

  test("of a line that turns back, or of one place, is still one", () => {
    const back = corridor([WIECK, destination(WIECK, 90, 1), WIECK], 0.1);
    expect(back.area.coordinates.length).toBeGreaterThan(1);
    expect(back.edge.flat().every(([x = 0, y = 0]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
    expect(corridor([WIECK], 0.1).edge[0]?.length).toBeGreaterThan(20);
    expect(corridor([WIECK, WIECK], 0.1).edge[0]?.length).toBeGreaterThan(20);
    expect(corridor([], 0.1).area.coordinates).toEqual([]);
  });

  test("across the 180th meridian stays in one piece", () => {
    const { edge } = corridor(
      [
        [179.95, -17],
        [-179.95, -17],
      ],
      1,
    );
    const longitudes = edge.flat().map(([longitude = 0]) => longitude);
    expect(Math.max(...longitudes) - Math.min(...longitudes)).toBeLessThan(0.2);
  });
});

/** Places on the way from one to another, every 10 m or so. */
function between(from: Place, to: Place): Place[] {
  const steps = Math.ceil(distanceKm(from, to) * 100);
  return Array.from({ length: steps }, (_, at) => {
    const part = (at + 1) / steps;
    return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
  });
}

test("bounds take the narrower way around", () => {
  expect(boundsOf([])).toBeNull();
  expect(
    boundsOf([
      [13, 54],
      [14, 53],
    ]),
  ).toEqual([13, 53, 14, 54]);
  expect(
    boundsOf([
      [179, -17],
      [-179, -18],
    ]),
  ).toEqual([179, -18, 181, -17]);
});
