import { describe, expect, test } from "bun:test";
import { distanceKm } from "../../../src/kernel/values/great-circle";
import { boundingBox, toVector } from "../../../src/tracking/geofences/geometry";
import { randomFrom } from "../../support/random";
import { greatCircleKm, northOf, type Place, randomPlace } from "../support";

const RADIUS_KM = 6371.0088;
const HALF_WAY_ROUND = Math.PI * RADIUS_KM;
const MILLIMETRE = 1e-6;

const place = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const opposite = ({ latitude, longitude }: Place) =>
  place(-latitude, longitude > 0 ? longitude - 180 : longitude + 180);

const CENTRES = [
  place(0, 0),
  place(0, 180),
  place(0, -180),
  place(12.3, 179.9999),
  place(-12.3, -179.9999),
  place(90, 0),
  place(90, -77),
  place(-90, 123),
  place(89.9999, 45),
  place(-89.9999, -135),
  place(0, 90),
  place(0, -90),
  place(54.0967, 13.4553),
];

const RADII = [1e-6, 0.001, 0.5, 10, 500, 5_000, HALF_WAY_ROUND / 2, 10_100, 19_999, 20_015, 20_038];

describe("distanceKm", () => {
  test.each([
    ["a place and itself", place(54, 13), place(54, 13), 0],
    ["the poles", place(90, 0), place(-90, 55), HALF_WAY_ROUND],
    ["a pole and the equator", place(90, 0), place(0, 17), HALF_WAY_ROUND / 2],
    ["both names of the 180th meridian", place(20, 180), place(20, -180), 0],
    ["two names of a pole", place(90, 10), place(90, -99), 0],
    ["two degrees across the 180th meridian", place(0, 179), place(0, -179), (2 * Math.PI * RADIUS_KM) / 180],
    ["two places whose vectors are 60 degrees apart", place(45, 0), place(45, 90), HALF_WAY_ROUND / 3],
  ])("between %s is right", (_, a, b, km) => {
    expect(Math.abs(distanceKm(a, b) - km)).toBeLessThan(MILLIMETRE);
    expect(distanceKm(b, a)).toBe(distanceKm(a, b));
  });

  test("agrees with the angle between vectors to a millimetre, for near and far places", () => {
    const random = randomFrom(1);
    for (let round = 0; round < 20_000; round++) {
      const a = randomPlace(random);
      // Half of them anywhere, half of them from 1 cm to 1,000 km away.
      const near = northOf(a, 10 ** (8 * random() - 5));
      const b = round % 2 === 0 || near.latitude > 90 ? randomPlace(random) : near;
      expect(Math.abs(distanceKm(a, b) - greatCircleKm(a, b))).toBeLessThan(MILLIMETRE);
    }
  });

  test("is within half a metre for opposite places, and never more than half way round", () => {
    const random = randomFrom(2);
    for (const a of [...CENTRES, ...Array.from({ length: 1_000 }, () => randomPlace(random))]) {
      const distance = distanceKm(a, opposite(a));
      expect(HALF_WAY_ROUND - distance).toBeLessThan(0.0005);
      expect(distance).toBeLessThanOrEqual(HALF_WAY_ROUND);
    }
  });
});

type Vector = [x: number, y: number, z: number];

const cross = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
];
const unit = (vector: Vector): Vector => {
  const length = Math.hypot(...vector);
  return vector.map((part) => part / length) as Vector;
};

/** The place at an angle (radians) from a centre, in a direction (radians from an arbitrary one). */
function placeAt(centre: Place, angle: number, direction: number): Place {
  const c = toVector(centre);
  const side = unit(cross(c, Math.abs(c[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const other = cross(c, side);
  const [x, y, z] = c.map(
    (part, at) =>
      Math.cos(angle) * part +
      Math.sin(angle) * (Math.cos(direction) * (side[at] ?? 0) + Math.sin(direction) * (other[at] ?? 0)),
  ) as Vector;
  return place((Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI, (Math.atan2(y, x) * 180) / Math.PI);
}

/** Zones of all sizes in all places: the special ones with each other, then random ones. */
function* sampleZones(random: () => number): Generator<[centre: Place, radiusKm: number]> {
  for (const centre of CENTRES) for (const radius of RADII) yield [centre, radius];
  for (let round = 0; round < 2_000; round++) yield [randomPlace(random), 20_038 ** (2 * random() - 1)];
}

const isWithin = (at: Place, box: number[]) =>
  toVector(at).every((part, axis) => (box[2 * axis] ?? 1) <= part && part <= (box[2 * axis + 1] ?? -1));

describe("boundingBox", () => {
  test("holds every place of the zone: at the centre, inside, on the border, at poles and meridian", () => {
    const random = randomFrom(3);
    const special = CENTRES.flatMap((centre) => [centre, opposite(centre)]);
    for (const [centre, radius] of sampleZones(random)) {
      const box = boundingBox(centre, radius);
      const angle = Math.min(radius / RADIUS_KM, Math.PI);
      expect(isWithin(centre, box)).toBe(true);
      for (let round = 0; round < 24; round++) {
        // A third on the border itself.
        const share = round % 3 === 0 ? 1 : random();
        expect(isWithin(placeAt(centre, angle * share, 2 * Math.PI * random()), box)).toBe(true);
      }
      for (const at of special) if (greatCircleKm(centre, at) <= radius) expect(isWithin(at, box)).toBe(true);
    }
  });

  test("is no larger than the zone needs, by two centimetres at most", () => {
    const random = randomFrom(4);
    for (const [centre, radius] of sampleZones(random)) {
      const box = boundingBox(centre, radius);
      const angle = Math.min(radius / RADIUS_KM, Math.PI);
      toVector(centre).forEach((part, axis) => {
        // The zone's reach along an axis: to the axis's end if the zone contains it, else to the border.
        const reach = (towards: number) =>
          towards >= Math.cos(angle)
            ? 1
            : towards * Math.cos(angle) + Math.sqrt(1 - towards * towards) * Math.sin(angle);
        expect(Math.abs((box[2 * axis] ?? 0) + reach(-part))).toBeLessThan(3e-9);
        expect(Math.abs((box[2 * axis + 1] ?? 0) - reach(part))).toBeLessThan(3e-9);
      });
    }
  });
});
