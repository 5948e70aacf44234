import { describe, expect, test } from "bun:test";
import { trackPicture } from "../../../src/tracking/log/sheet-map";
import { Thinning, type TrackPoint } from "../../../src/tracking/log/track";

/** The picture of a track: its points, and the chart that they are drawn on. */

const WORDS = { start: "Start", end: "End", north: "N", miles: "nm" };

function thinned(length: number, timeOf: (at: number) => number): TrackPoint[] {
  const thinning = new Thinning();
  for (let at = 0; at < length; at++)
    thinning.add({ latitude: at / 1e6, longitude: 1, timestamp: timeOf(at) });
  return thinning.points();
}
const eachSecond = (at: number) => at * 1_000;
const indexOf = ({ latitude }: TrackPoint) => Math.round(latitude * 1e6);

describe("points", () => {
  test.each([0, 1, 2, 7_999])("are all kept where they are %i", (length) => {
    expect(thinned(length, eachSecond).map(indexOf)).toEqual(Array.from({ length }, (_, at) => at));
  });

  test.each([8_000, 8_001, 100_000, 123_457])(
    "are thinned out evenly where they are %i, ends kept",
    (length) => {
      const kept = thinned(length, eachSecond).map(indexOf);
      expect(kept.length).toBeGreaterThanOrEqual(4_000);
      expect(kept.length).toBeLessThanOrEqual(8_001);
      expect([kept[0], kept.at(-1)]).toEqual([0, length - 1]);
      const steps = new Set(kept.slice(1, -1).map((point, at) => point - (kept[at] ?? 0)));
      expect(steps.size).toBe(1);
    },
  );

  test("keep each pause, whichever points go", () => {
    const pauses = [3, 5_000, 7_999, 8_000, 50_001, 99_999];
    const late = (at: number) => pauses.filter((pause) => pause <= at).length * 3_600_000;
    const kept = thinned(100_000, (at) => eachSecond(at) + late(at));
    const gaps = kept.filter(({ isAfterGap }) => isAfterGap).map(indexOf);
    const step = 16;
    for (const pause of pauses) expect(gaps.some((gap) => gap >= pause && gap < pause + step)).toBe(true);
    expect(kept.filter(({ isAfterGap }) => isAfterGap).length).toBeLessThanOrEqual(pauses.length);
  });
});

describe("the picture", () => {
  const way = (...places: [number, number][]): TrackPoint[] =>
    places.map(([latitude, longitude]) => ({ latitude, longitude, isAfterGap: false }));
  const svg = (track: TrackPoint[], marks: Parameters<typeof trackPicture>[1] = []) =>
    trackPicture(track, marks, WORDS) ?? "";
  /** The corners of the first line drawn. */
  const corners = (picture: string) =>
    [
      ...(/<path d="([^"]+)" fill="none" stroke="#0b4f8a"/.exec(picture)?.[1] ?? "").matchAll(
        /([\d.-]+) ([\d.-]+)/g,
      ),
    ].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));

  test("of nothing is none", () => {
    expect(trackPicture([], [], WORDS)).toBeNull();
  });

  test.each<[string, TrackPoint[]]>([
    ["one point", way([54, 13])],
    ["a boat at rest", way([54, 13], [54, 13], [54, 13])],
    ["a pole", way([89.9, 0], [90, 90], [-90, 0])],
    ["the whole globe", way([0, 0], [1, 100], [0, 200 - 360], [1, 300 - 360], [0, 20])],
  ])("of %s has only numbers, inside of its frame", (_, track) => {
    const picture = svg(track);
    expect(picture).not.toMatch(/NaN|Infinity|undefined/);
    for (const { x, y } of corners(picture)) {
      expect(x).toBeWithin(0, 500);
      expect(y).toBeWithin(0, 271);
    }
  });

  test("crosses the 180th meridian in one line, and names both sides of it", () => {
    const picture = svg(way([0, 179.5], [0, -179.5]), [{ latitude: 0, longitude: -179.75, label: "7" }]);
    const [from, to] = corners(picture);
    expect((to?.x ?? 0) - (from?.x ?? 0)).toBeGreaterThan(300);
    expect(picture).toContain("179°30′E");
    expect(picture).toContain("179°30′W");
    expect(picture).toContain(">180°00′</text>");
    const [, x] = />7<\/text>/.test(picture) ? (/<text x="([\d.]+)"[^>]*>7</.exec(picture) ?? []) : [];
    expect(Number(x)).toBeWithin(from?.x ?? 0, to?.x ?? 0);
  });

  test("has a scale that is true at the middle latitude", () => {
    // A minute of latitude is a nautical mile, to half a percent on a sphere.
    const picture = svg(way([59.5, 10], [60.5, 10]));
    const [from, to] = corners(picture);
    const unitsOfMile = ((from?.y ?? 0) - (to?.y ?? 0)) / 60;
    const [, start, end, miles] =
      /M(\d+) \d+L\d+ \d+L([\d.]+) [\d.]+L[^>]+><text[^>]*>([\d.]+) nm</.exec(picture) ?? [];
    expect((Number(end) - Number(start)) / Number(miles) / unitsOfMile).toBeCloseTo(1, 1);
  });

  test("dashes the way across a pause", () => {
    const [a, b] = way([54, 13], [54.1, 13]) as [TrackPoint, TrackPoint];
    expect(svg([a, b])).not.toContain("stroke-dasharray");
    expect(svg([a, { ...b, isAfterGap: true }])).toContain("stroke-dasharray");
  });
});
