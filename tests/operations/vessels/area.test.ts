import { describe, expect, test } from "bun:test";
import { boxesOf, type Corners, isLeft } from "../../../src/operations/vessels/area";
import { greatCircleKm, northOf } from "../../tracking/support";

const at = (latitude: number, longitude: number) => ({ latitude, longitude });

const holds = (boxes: Corners[], { latitude, longitude }: { latitude: number; longitude: number }) =>
  boxes.some(
    ([[south, west], [north, east]]) =>
      latitude >= south && latitude <= north && longitude >= west && longitude <= east,
  );

describe("the area that a feed is asked for", () => {
  test("is a box of latitude and longitude around the centre, a little larger than the radius", () => {
    const [box, ...others] = boxesOf({ centre: at(54.2, 13.5), radiusKm: 20 });
    expect(others).toEqual([]);
    const [[south, west], [north, east]] = box as Corners;
    const [dLatitude, dLongitude] = [20 / 111.32, 20 / (111.32 * Math.cos((54.2 * Math.PI) / 180))];
    for (const [side, least] of [
      [54.2 - south, dLatitude],
      [north - 54.2, dLatitude],
      [13.5 - west, dLongitude],
      [east - 13.5, dLongitude],
    ] as const) {
      expect(side).toBeGreaterThan(least);
      expect(side).toBeLessThan(1.25 * least);
    }
  });

  test("is split at the 180th meridian, on both sides of it", () => {
    for (const [centre, side] of [
      [at(-17, 179.95), 1],
      [at(-17, -179.95), -1],
    ] as const) {
      const boxes = boxesOf({ centre, radiusKm: 20 });
      expect(boxes.length).toBe(2);
      for (const [[south, west], [north, east]] of boxes) {
        expect(south).toBeLessThan(north);
        expect(west).toBeLessThan(east);
      }
      expect(boxes.flatMap(([[, west], [, east]]) => [west, east])).toContain(180 * side);
      expect(holds(boxes, at(-17, 179.9)) && holds(boxes, at(-17, -179.9))).toBe(true);
      expect(holds(boxes, at(-17, 0))).toBe(false);
    }
  });

  test("has all longitudes when it holds a pole, and ends there", () => {
    expect(boxesOf({ centre: at(89.9, 10), radiusKm: 20 })[0]?.[1]).toEqual([90, 180]);
    expect(boxesOf({ centre: at(89.9, 10), radiusKm: 20 })[0]?.[0][1]).toBe(-180);
    expect(boxesOf({ centre: at(-90, 0), radiusKm: 1 })[0]?.[0]).toEqual([-90, -180]);
    expect(boxesOf({ centre: at(-88, 170), radiusKm: 500 }).length).toBe(1);
  });

  test("holds all that is near, wherever the ship is until the area is moved: 2,000 places all over the globe", () => {
    for (let round = 0; round < 2_000; round++) {
      const centre = at(Math.random() * 180 - 90, Math.random() * 360 - 180);
      const radiusKm = [1, 5, 20, 120, 500][round % 5] as number;
      const area = { centre, radiusKm };
      const boxes = boxesOf(area);
      const here = somewhere(centre, radiusKm * 0.3);
      if (isLeft(area, here, radiusKm)) continue;
      const near = somewhere(here, radiusKm);
      expect(greatCircleKm(here, near)).toBeLessThan(radiusKm + 0.001);
      expect(holds(boxes, near)).toBe(true);
      for (const [[south, west], [north, east]] of boxes)
        expect(south >= -90 && north <= 90 && west >= -180 && east <= 180).toBe(true);
    }
  });

  /** A place within `km` kilometres along a great circle. */
  function somewhere(from: { latitude: number; longitude: number }, km: number) {
    const [angle, bearing] = [(Math.random() * km) / 6371.0088, Math.random() * 2 * Math.PI];
    const radians = Math.PI / 180;
    const phi = from.latitude * radians;
    const sin = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
    const east = Math.atan2(
      Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
      Math.cos(angle) - Math.sin(phi) * sin,
    );
    const longitude = from.longitude + east / radians;
    return at(Math.asin(Math.max(-1, Math.min(1, sin))) / radians, ((longitude + 540) % 360) - 180);
  }

  test("is left when the ship has gone a fifth of the radius, 2 km at least, or the radius changes", () => {
    const centre = at(54.2, 13.5);
    const left = (radiusKm: number, km: number) =>
      isLeft({ centre, radiusKm }, northOf(centre, km), radiusKm);
    expect([left(20, 0), left(20, 3.9), left(20, 4.1)]).toEqual([false, false, true]);
    expect([left(1, 1.9), left(1, 2.1)]).toEqual([false, true]);
    expect([left(500, 99), left(500, 101)]).toEqual([false, true]);
    expect(isLeft({ centre, radiusKm: 20 }, centre, 21)).toBe(true);
    const [east, west] = [at(0, 179.99), at(0, -179.99)];
    expect(isLeft({ centre: east, radiusKm: 20 }, west, 20)).toBe(false);
  });
});
