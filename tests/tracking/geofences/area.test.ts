import { describe, expect, test } from "bun:test";
import { areaOf } from "../../../src/tracking/geofences/area";
import type { Coordinate } from "../../../src/tracking/geofences/kinds";
import { checkCorridor, checkPolygon } from "../../../src/tracking/geofences/shape-check";
import { arcBetween, capAround, toPosition, vectorOf } from "../../../src/tracking/geofences/sphere";
import { randomFrom } from "../../support/random";
import { greatCircleKm, type Place, randomPlace } from "../support";

/**
 * Areas held against computations of another kind: the winding of directions around a point for polygons, the nearest of
 * many samples of a line for distances. None of them projects anything.
 */

const RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

const place = ([longitude = 0, latitude = 0]: Coordinate): Place => ({ latitude, longitude });

/** The initial bearing from one place to another, in radians from north to the east. */
function bearing(from: Place, to: Place): number {
  const [f, t] = [from.latitude * RADIANS, to.latitude * RADIANS];
  const by = (to.longitude - from.longitude) * RADIANS;
  return Math.atan2(
    Math.sin(by) * Math.cos(t),
    Math.cos(f) * Math.sin(t) - Math.sin(f) * Math.cos(t) * Math.cos(by),
  );
}

/** The place at a distance (km) and a bearing (radians) from another. */
function away(from: Place, km: number, direction: number): Place {
  const [d, f] = [km / RADIUS_KM, from.latitude * RADIANS];
  const latitude = Math.asin(Math.sin(f) * Math.cos(d) + Math.cos(f) * Math.sin(d) * Math.cos(direction));
  const longitude =
    from.longitude * RADIANS +
    Math.atan2(
      Math.sin(direction) * Math.sin(d) * Math.cos(f),
      Math.cos(d) - Math.sin(f) * Math.sin(latitude),
    );
  const degrees = longitude / RADIANS;
  return { latitude: latitude / RADIANS, longitude: ((degrees + 540) % 360) - 180 };
}

const coordinate = ({ latitude, longitude }: Place): [number, number] => [longitude, latitude];

/** The number of times that a ring turns around a place, by the bearings of its corners. Edges are short of half a circle. */
function winding(ring: readonly Coordinate[], at: Place): number {
  let turned = 0;
  for (let n = 0; n + 1 < ring.length; n++) {
    const by = bearing(at, place(ring[n + 1] as Coordinate)) - bearing(at, place(ring[n] as Coordinate));
    turned += by > Math.PI ? by - 2 * Math.PI : by < -Math.PI ? by + 2 * Math.PI : by;
  }
  return Math.round(turned / (2 * Math.PI));
}

/** Places along the great circle between two, both ends among them. */
function along(from: Place, to: Place, steps: number): Place[] {
  const [km, direction] = [greatCircleKm(from, to), bearing(from, to)];
  return Array.from({ length: steps + 1 }, (_, n) => away(from, (km * n) / steps, direction));
}

/** The distance to a line, by a search that narrows in around the nearest of its samples. */
function distanceTo(line: readonly Coordinate[], at: Place): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n + 1 < line.length; n++) {
    let [from, to] = [place(line[n] as Coordinate), place(line[n + 1] as Coordinate)];
    for (let round = 0; round < 6; round++) {
      const samples = along(from, to, 16);
      const distances = samples.map((sample) => greatCircleKm(sample, at));
      const nearest = distances.indexOf(Math.min(...distances));
      least = Math.min(least, distances[nearest] as number);
      [from, to] = [samples[Math.max(0, nearest - 1)] as Place, samples[Math.min(16, nearest + 1)] as Place];
    }
  }
  return least;
}

/** A star around a centre: it crosses itself nowhere. */
function star(random: () => number, centre: Place, km: number, corners: number): [number, number][] {
  const ring = Array.from({ length: corners }, (_, n) =>
    coordinate(away(centre, km * (0.3 + 0.7 * random()), (2 * Math.PI * (n + random() * 0.8)) / corners)),
  );
  return [...ring, ring[0] as [number, number]];
}

/** Centres of zones: anywhere, on the 180th meridian, near a pole. */
function centres(random: () => number): Place {
  const special = random();
  const any = randomPlace(random);
  if (special < 0.25)
    return {
      latitude: any.latitude,
      longitude: 179.9 + 0.2 * random() - (random() < 0.5 ? 360 : 0) < -180 ? -179.95 : 179.95,
    };
  if (special < 0.35) return { latitude: 80, longitude: any.longitude };
  return any;
}

const ROUNDS = 150;

describe("a polygon", () => {
  test("contains the places around which its rings turn, holes apart, wherever on Earth it lies", () => {
    const random = randomFrom(11);
    const seen = { inside: 0, outside: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const centre = centres(random);
      const km = Math.min(10 ** (4 * random() - 1), 0.8 * 111 * (90 - Math.abs(centre.latitude)));
      const outer = star(random, centre, km, 3 + Math.floor(random() * 30));
      const hole = star(random, centre, km * 0.1, 5);
      const rings = random() < 0.5 ? [outer] : [outer, hole];
      if (random() < 0.5) outer.reverse();
      if (rings.length > 1 && !hole.every((corner) => winding(outer, place(corner)) !== 0)) continue;
      const { geometry, cap } = checkPolygon({ type: "Polygon", coordinates: rings });
      const area = areaOf(geometry, null, cap);
      for (let n = 0; n < 8; n++) {
        const at = away(centre, 1.2 * km * random(), 2 * Math.PI * random());
        const nearest = Math.min(...rings.map((ring) => distanceTo(ring, at)));
        if (nearest < 1e-6 * Math.max(1, km)) continue;
        const expected = rings.filter((ring) => winding(ring, at) !== 0).length % 2 === 1;
        const vector = vectorOf(at);
        expect({ round, n, is: area.contains(vector) }).toEqual({ round, n, is: expected });
        seen[expected ? "inside" : "outside"]++;
        expect(area.distanceKm(vector)).toBeCloseTo(expected ? 0 : nearest, 5);
      }
    }
    expect(Math.min(seen.inside, seen.outside)).toBeGreaterThan(250);
  });

  test("of several parts contains what one of them does", () => {
    const square = (west: number, south: number) => {
      const east = west + 1 > 180 ? west - 359 : west + 1;
      return [
        [west, south],
        [east, south],
        [east, south + 1],
        [west, south + 1],
        [west, south],
      ];
    };
    const { geometry, cap } = checkPolygon({
      type: "MultiPolygon",
      coordinates: [[square(179.5, 0)], [square(-170, 0)]],
    });
    const area = areaOf(geometry, null, cap);
    const isIn = (longitude: number, latitude: number) => area.contains(vectorOf({ latitude, longitude }));
    expect([isIn(179.9, 0.5), isIn(-179.6, 0.5), isIn(-169.5, 0.5)]).toEqual([true, true, true]);
    expect([isIn(-175, 0.5), isIn(178, 0.5), isIn(0, 0.5)]).toEqual([false, false, false]);
  });
});

describe("a corridor", () => {
  test("contains the places within its width of the line", () => {
    const random = randomFrom(12);
    const seen = { inside: 0, outside: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const step = 10 ** (3 * random() - 0.5);
      const line: Place[] = [centres(random)];
      for (let n = 0; n < 1 + random() * 12; n++)
        line.push(away(line.at(-1) as Place, step * random(), 7 * random()));
      const widthM = Math.max(1, Math.min(100_000, step * 1_000 * random()));
      const sent = { type: "LineString", coordinates: line.map(coordinate) };
      const { geometry, cap } = checkCorridor(sent, widthM);
      const area = areaOf(geometry, widthM, cap);
      for (let n = 0; n < 8; n++) {
        const from = line[Math.floor(random() * line.length)] as Place;
        const at = away(from, (2 * widthM * random()) / 1_000, 7 * random());
        const beyond = distanceTo(sent.coordinates, at) - widthM / 1_000;
        if (Math.abs(beyond) < 1e-6 * Math.max(1, step)) continue;
        const vector = vectorOf(at);
        expect({ round, n, is: area.contains(vector) }).toEqual({ round, n, is: beyond < 0 });
        seen[beyond < 0 ? "inside" : "outside"]++;
        expect(area.distanceKm(vector)).toBeCloseTo(Math.max(0, beyond), 5);
      }
    }
    expect(Math.min(seen.inside, seen.outside)).toBeGreaterThan(250);
  });
});

describe("a way from one place to another", () => {
  test("cuts an area if one of many places along it lies there", () => {
    const random = randomFrom(13);
    const seen = { cut: 0, missed: 0 };
    for (let round = 0; round < 8 * ROUNDS; round++) {
      const centre = centres(random);
      const km = Math.min(10 ** (3 * random() - 1), 0.5 * 111 * (90 - Math.abs(centre.latitude)));
      const ring = star(random, centre, km, 4 + Math.floor(random() * 8));
      const widthM = Math.min(100_000, 300 * km * (0.1 + random()));
      const checkedLine = () => checkCorridor({ type: "LineString", coordinates: ring.slice(0, 3) }, widthM);
      const checkedRing = () => checkPolygon({ type: "Polygon", coordinates: [ring] });
      const { geometry, cap } = round % 2 === 0 ? checkedLine() : checkedRing();
      const area = areaOf(geometry, widthM, cap);
      const [from, to] = [1, 2].map(() => away(centre, km * (0.2 + 1.2 * random()), 7 * random())) as [
        Place,
        Place,
      ];
      if (area.contains(vectorOf(from)) || area.contains(vectorOf(to))) continue;
      const distances = along(from, to, 400).map((at) => area.distanceKm(vectorOf(at)));
      const isCut = distances.includes(0);
      // Between two samples it may touch unseen.
      if (!isCut && Math.min(...distances) < greatCircleKm(from, to) / 300) continue;
      expect({ round, is: area.isCutBy(arcBetween(vectorOf(from), vectorOf(to))) }).toEqual({
        round,
        is: isCut,
      });
      seen[isCut ? "cut" : "missed"]++;
    }
    expect(Math.min(seen.cut, seen.missed)).toBeGreaterThan(100);
  });
});

describe("a zone larger than half of the Earth", () => {
  const samples = (random: () => number, count: number) =>
    Array.from({ length: count }, () => randomPlace(random));

  test("is a corridor, or polygons with an ocean between: with what lies in it, and a circle that holds it", () => {
    const random = randomFrom(15);
    const seen = { inside: 0, outside: 0, large: 0 };
    for (let round = 0; round < 40; round++) {
      const isLine = round % 2 === 0;
      const places = samples(random, 3 + Math.floor(random() * 5)).map((at) => ({
        ...at,
        latitude: at.latitude * 0.9,
      }));
      const line = places.map(coordinate);
      const rings = places.map((centre) => star(random, centre, 300, 6));
      const { geometry, cap } = isLine
        ? checkCorridor({ type: "LineString", coordinates: line }, 100_000)
        : checkPolygon({ type: "MultiPolygon", coordinates: rings.map((ring) => [ring]) });
      const area = areaOf(geometry, 100_000, cap);
      if (cap.radius > Math.PI / 2) seen.large++;
      const middle = toPosition(cap.centre);
      const near = Array.from({ length: 20 }, (_, n) =>
        away(places[n % places.length] as Place, 400 * random(), 7 * random()),
      );
      for (const at of [...near, ...samples(random, 10)]) {
        const edge = isLine
          ? distanceTo(line, at) - 100
          : Math.min(...rings.map((ring) => distanceTo(ring, at)));
        if (Math.abs(edge) < 0.001) continue;
        const expected = isLine
          ? edge < 0
          : rings.some(
              (ring) => greatCircleKm(place(ring[0] as Coordinate), at) < 700 && winding(ring, at) !== 0,
            );
        expect({ round, at, is: area.contains(vectorOf(at)) }).toEqual({ round, at, is: expected });
        seen[expected ? "inside" : "outside"]++;
        if (expected) expect(greatCircleKm(middle, at)).toBeLessThanOrEqual(cap.radius * RADIUS_KM);
      }
      if (!isLine) continue;
      // The smallest circle leaves out one around the place that is farthest from the zone.
      const farthest = Math.max(...samples(random, 50).map((at) => distanceTo(line, at)));
      expect(cap.radius * RADIUS_KM).toBeLessThanOrEqual(1.6 * (Math.PI * RADIUS_KM - farthest + 100));
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  });
});

describe("the circle around a zone", () => {
  test("holds all its corners, and is hardly larger than the smallest, be it as small as a bollard", () => {
    const random = randomFrom(14);
    for (let round = 0; round < ROUNDS; round++) {
      const centre = centres(random);
      const km = 10 ** (7 * random() - 4);
      const corners = Array.from({ length: 2 + Math.floor(random() * 12) }, () =>
        away(centre, km * random(), 7 * random()),
      );
      const cap = capAround(corners.map(vectorOf));
      const middle = toPosition(cap.centre);
      const radius = cap.radius * RADIUS_KM;
      for (const corner of corners) expect(greatCircleKm(middle, corner)).toBeLessThanOrEqual(radius + 1e-9);
      // The smallest is no smaller than half of the greatest distance between two corners.
      let least = 0;
      for (const one of corners)
        for (const two of corners) least = Math.max(least, greatCircleKm(one, two) / 2);
      // By Jung's theorem the smallest circle is at most 2/√3 times that.
      expect(radius).toBeLessThanOrEqual(1.2 * least + 1e-9);
    }
  });
});
