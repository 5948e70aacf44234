import { describe, expect, test } from "bun:test";
import { fitting, type Way, withinTolerance } from "../../../src/tracking/tracks/simplify";
import { type Place, simplified, toArc } from "./reference";

/** Simplification against an independent one, over random walks in all places of the sphere. */

let seed = 11;
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

function walk(length: number, start: Place, step: number): Place[] {
  let [latitude, longitude] = [start.latitude, start.longitude];
  let course = random() * 6;
  return Array.from({ length }, () => {
    course += (random() - 0.5) * 1.5;
    latitude = Math.max(-89.9, Math.min(89.9, latitude + Math.cos(course) * step));
    longitude = ((longitude + Math.sin(course) * step + 540) % 360) - 180;
    return { latitude, longitude };
  });
}

function wayOf(places: readonly Place[]): Way {
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const column = (of: (place: Place) => number) => Float64Array.from(places, of);
  return {
    length: places.length,
    x: column(({ latitude, longitude }) => Math.cos(rad(latitude)) * Math.cos(rad(longitude))),
    y: column(({ latitude, longitude }) => Math.cos(rad(latitude)) * Math.sin(rad(longitude))),
    z: column(({ latitude }) => Math.sin(rad(latitude))),
  };
}

const PLACES: [where: string, start: Place, step: number][] = [
  ["off a coast", { latitude: 54.1, longitude: 13.4 }, 3e-5],
  ["across an ocean", { latitude: 40, longitude: -30 }, 0.2],
  ["at the 180th meridian", { latitude: -17, longitude: 179.99 }, 1e-3],
  ["near a pole", { latitude: 89.5, longitude: 20 }, 5e-3],
];

describe.each(PLACES)("a walk %s", (_, start, step) => {
  test("keeps the points that an independent algorithm keeps", async () => {
    for (let round = 0; round < 20; round++) {
      const places = walk(2 + Math.floor(random() * 300), start, step);
      const tolerance = step * 111_000 * random() * 5;
      const kept = await withinTolerance(wayOf(places), 0, places.length - 1, tolerance);
      expect(kept).toEqual(simplified(places, tolerance));
    }
  });

  test("that has to fit is that of the smallest tolerance at which it does", async () => {
    for (let round = 0; round < 10; round++) {
      const places = walk(300, start, step);
      const most = 2 + Math.floor(random() * 60);
      const { kept, tolerance } = await fitting(wayOf(places), [[0, places.length - 1]], most);
      expect(kept.length).toBeLessThanOrEqual(most);
      expect(kept).toEqual(simplified(places, tolerance * (1 + 1e-9)));
      expect(simplified(places, tolerance * (1 - 1e-6)).length).toBeGreaterThan(most);
    }
  });
});

test("all that is left out lies within the tolerance of the line that stays", async () => {
  const places = walk(5_000, { latitude: 54.1, longitude: 13.4 }, 3e-5);
  const kept = await withinTolerance(wayOf(places), 0, places.length - 1, 10);
  expect(kept.length).toBeLessThan(2_500);
  for (const [at, from] of kept.slice(0, -1).entries()) {
    const to = kept[at + 1] as number;
    for (let between = from + 1; between < to; between++)
      expect(toArc(places[between] as Place, places[from] as Place, places[to] as Place)).toBeLessThanOrEqual(
        10 + 1e-6,
      );
  }
});

test("all points stay where they fit, the ends of pieces always", async () => {
  const places = walk(30, { latitude: 54, longitude: 13 }, 1e-4);
  const all = await fitting(wayOf(places), [[0, 29]], 30);
  expect(all).toEqual({ kept: places.map((__, at) => at), tolerance: 0 });
  const pieces: [number, number][] = [
    [0, 9],
    [10, 19],
    [20, 20],
    [21, 29],
  ];
  const ends = await fitting(wayOf(places), pieces, 2);
  expect(ends.kept).toEqual([0, 9, 10, 19, 20, 21, 29]);
});

test("a boat that lies still is one line of two points", async () => {
  const places = Array.from({ length: 100 }, () => ({ latitude: 54, longitude: 13 }));
  expect(await withinTolerance(wayOf(places), 0, 99, 0)).toEqual([0, 99]);
});

test("a route that is run again and again is looked at as often as any other of that length", async () => {
  const [runs, ofRun] = [256, 50];
  const turn = (at: number) => (2 * Math.PI * (at % ofRun)) / ofRun;
  const way = wayOf(
    Array.from({ length: runs * ofRun + 1 }, (_, at) => ({
      latitude: 54 + Math.sin(turn(at)) / 10,
      longitude: 13 + Math.cos(turn(at)) / 10,
    })),
  );
  let looks = 0;
  const x = new Proxy(way.x, {
    get(column, at) {
      looks++;
      return Reflect.get(column, at);
    },
  });
  await fitting({ ...way, x }, [[0, way.length - 1]], way.length);
  // Split in halves, 12,801 points are looked at some 14 times each; a run at a time, 128 times.
  expect(looks / way.length).toBeLessThan(40);
});
