import { describe, expect, test } from "bun:test";
import { onGrid } from "../../../src/tracking/shared/grid";
import { randomFrom } from "../../support/random";
import { greatCircleKm, randomPlace } from "../support";

/** Rounding to a grid, held against distances that are computed in another way. */

const random = randomFrom(7);
const PLACES = Array.from({ length: 2_000 }, () => randomPlace(random));

describe.each([1, 50, 500, 20_000, 100_000])("a grid of %p metres", (metres) => {
  test("is near every place, and keeps its own points", () => {
    for (const place of PLACES) {
      const point = onGrid(place, metres);
      // Half of the diagonal of a cell; rows near the poles have fewer points, further apart by less than one cell.
      expect(greatCircleKm(place, point) * 1_000).toBeLessThan(metres * 1.1 + 0.2);
      expect(Math.abs(point.latitude)).toBeLessThanOrEqual(90);
      expect(point.longitude).toBeGreaterThanOrEqual(-180);
      expect(point.longitude).toBeLessThan(180);
      const again = onGrid(point, metres);
      expect(greatCircleKm(again, point)).toBeLessThan(0.001);
    }
  });

  test("puts many places on one point, so that none is told from another", () => {
    for (const { latitude } of PLACES.slice(0, 100)) {
      const points = new Set<string>();
      const width = metres / 111_195 / 10;
      for (let at = 0; at < 100; at++)
        points.add(JSON.stringify(onGrid({ latitude: latitude * 0.9, longitude: 10 + at * width }, metres)));
      expect(points.size).toBeLessThanOrEqual(12);
    }
  });
});

test("has one point on either side of the 180th meridian, and one at a pole", () => {
  const near = (longitude: number) => onGrid({ latitude: 0, longitude }, 10_000);
  expect(near(179.999)).toEqual(near(-179.999));
  expect(near(180)).toEqual(near(-180));
  for (const longitude of [-180, -77, 0, 99.5, 180])
    expect(onGrid({ latitude: 90, longitude }, 500).latitude).toBeCloseTo(90, 1);
});
