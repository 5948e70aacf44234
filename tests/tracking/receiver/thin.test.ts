import { describe, expect, test } from "bun:test";
import { NmeaReader } from "../../../src/tracking/receiver/nmea";
import { Thinner, type TimedFix } from "../../../src/tracking/receiver/thin";
import { recorded } from "../../stand-ins/ais-receiver";
import { greatCircleKm } from "../support";
import { read } from "./support";

/** The choice of the fixes that are stored. */

const PACE = { moving: 10, still: 300 };
const HERE = { latitude: 54.0967, longitude: 13.4553 };
const METRE = 1 / 111_195;

const fix = (time: number, values: Partial<TimedFix> = {}): TimedFix => ({
  ...HERE,
  time,
  speed_mps: 0,
  ...values,
});
/** The times of the fixes that are kept. */
const kept = (fixes: TimedFix[], pace = PACE): number[] => {
  const thinner = new Thinner(pace);
  return fixes.filter((each) => thinner.keeps(each)).map(({ time }) => time);
};
/** One fix a second, `of` it from 0 on. */
const seconds = (count: number, of: (second: number) => Partial<TimedFix>): TimedFix[] =>
  Array.from({ length: count }, (_, second) => fix(second, of(second)));
/** Straight north at a speed, metres a second. */
const north =
  (speed: number, heading: number | null = 0) =>
  (second: number) => ({
    latitude: HERE.latitude + second * speed * METRE,
    speed_mps: speed,
    heading,
  });

describe("while the vessel moves", () => {
  test("a fix is stored every ten seconds", () => {
    expect(kept(seconds(31, north(5)))).toEqual([0, 10, 20, 30]);
    expect(kept(seconds(31, north(5)), { moving: 3, still: 300 })).toEqual([
      ...[0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30],
    ]);
  });

  test("one is stored at once when its course has changed by 15 degrees since the last one stored", () => {
    const course = (second: number) => ({
      ...north(5)(second),
      heading: second < 4 ? 350 : second < 7 ? 4.9 : 5,
    });
    expect(kept(seconds(12, course))).toEqual([0, 7]);
    // Little by little counts too.
    expect(
      kept(seconds(9, (second) => ({ ...north(5)(second), heading: (359 + 4 * second) % 360 }))),
    ).toEqual([...[0, 4, 8]]);
  });

  test("the course of a vessel slower than a knot is noise", () => {
    const turning = (speed: number) =>
      seconds(10, (second) => ({ ...north(speed)(second), heading: 90 * (second % 4) }));
    expect(kept(turning(0.5))).toEqual([0]);
    expect(kept(turning(0.52))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("the first course above a knot is the one that changes", () => {
    const start = [fix(0), fix(1, { speed_mps: 2, heading: 90 }), fix(2, { speed_mps: 2, heading: 104 })];
    expect(kept([...start, fix(3, { speed_mps: 2, heading: 105 })])).toEqual([0, 3]);
  });

  test("any unit of speed counts, and the speed before where a fix has none", () => {
    const turn = (unit: Partial<TimedFix>) => [
      fix(0, { speed_mps: null, ...unit, heading: 0 }),
      fix(1, { speed_mps: null, ...unit, heading: 20 }),
    ];
    for (const unit of [{ speed_knots: 1.01 }, { speed_kmh: 1.87 }, { speed_mph: 1.16 }])
      expect(kept(turn(unit))).toEqual([0, 1]);
    for (const unit of [{ speed_knots: 0.99 }, { speed_kmh: 1.83 }, { speed_mph: 1.13 }])
      expect(kept(turn(unit))).toEqual([0]);
    const everyOther = (second: number) => (second % 2 === 0 ? { speed_mps: 3 } : { speed_mps: null });
    expect(kept(seconds(31, everyOther))).toEqual([0, 10, 20, 30]);
  });

  test("one is stored when it lies in other zones, and one a second at most", () => {
    const thinner = new Thinner(PACE);
    expect(thinner.keeps(fix(0), false)).toBe(true);
    expect(thinner.keeps(fix(0.5), true)).toBe(false);
    expect(thinner.keeps(fix(1), true)).toBe(true);
    expect(thinner.keeps(fix(2), false)).toBe(false);
  });
});

describe("while it lies still", () => {
  test("a fix is stored every five minutes", () => {
    expect(kept(seconds(901, () => ({ speed_mps: 0.29, heading: 77 })))).toEqual([0, 300, 600, 900]);
  });

  test("it moves at 0.3 m/s, and beyond 25 m from the fix that was stored", () => {
    expect(kept(seconds(21, () => ({ speed_mps: 0.3 })))).toEqual([0, 10, 20]);
    const away = (metres: number) => [fix(0), fix(60, { latitude: HERE.latitude + metres * METRE })];
    expect(kept(away(24.9))).toEqual([0]);
    expect(kept(away(25.1))).toEqual([0, 60]);
  });

  test("it is told by its places where the receiver tells no speed", () => {
    expect(kept(seconds(301, () => ({ speed_mps: null })))).toEqual([0, 300]);
    expect(kept(seconds(31, (second) => ({ ...north(2)(second), speed_mps: null })))).toEqual([
      0, 10, 20, 30,
    ]);
  });

  test("its departure is stored as soon as it moves", () => {
    const fixes = seconds(100, (second) => (second < 60 ? {} : north(3, 0)(second - 60)));
    expect(kept(fixes)).toEqual([0, 60, 70, 80, 90]);
  });
});

test("a time that goes back, or ahead by mistake, stops nothing for longer than the pace", () => {
  const fixes = [
    ...seconds(20, north(5)),
    ...seconds(30, north(5)).map((each) => ({ ...each, time: each.time + 6 })),
  ];
  expect(kept(fixes)).toEqual([0, 10, 20, 30]);
  const future = fix(4_000_000_000, { speed_mps: 5 });
  expect(
    kept([...seconds(3, north(5)), future, fix(3, { speed_mps: 5 }), fix(13, { speed_mps: 5 })]),
  ).toEqual([...[0, 4_000_000_000, 3, 13]]);
});

test("a fix that couldn't be stored is made up for by the next one", () => {
  const thinner = new Thinner(PACE);
  expect(thinner.keeps(fix(0))).toBe(true);
  thinner.forget();
  expect([thinner.keeps(fix(1)), thinner.keeps(fix(2))]).toEqual([true, false]);
});

describe("of a random voyage", () => {
  /** Speeds, courses and gaps that change now and then, ten fixes a second at times. */
  function voyage(): TimedFix[] {
    const fixes: TimedFix[] = [];
    let [time, speed, heading] = [1_777_890_000, 3, 200];
    let place = HERE;
    const step = Math.random() < 0.3 ? 0.1 : 1;
    for (let at = 0; at < 2_000; at++) {
      if (Math.random() < 0.01) speed = Math.random() < 0.5 ? 0 : Math.random() * 8;
      if (Math.random() < 0.05) heading = (heading + (Math.random() - 0.5) * 60 + 360) % 360;
      time += Math.random() < 0.002 ? 100 : step;
      const metres = speed * step;
      place = {
        latitude: place.latitude + metres * METRE * Math.cos((heading * Math.PI) / 180),
        longitude: place.longitude + metres * METRE * Math.sin((heading * Math.PI) / 180),
      };
      const hasSpeed = Math.random() < 0.9;
      fixes.push({ ...place, time, ...(hasSpeed && { speed_mps: speed, heading }) });
    }
    return fixes;
  }

  test("no second is stored twice, none in order is skipped, and no rest or stretch lasts too long", () => {
    for (let round = 0; round < 40; round++) {
      const fixes = voyage();
      const stored = new Thinner(PACE);
      const isKept = fixes.map((each) => stored.keeps(each));
      const whole = fixes.filter((_, at) => isKept[at]).map(({ time }) => Math.floor(time));
      expect(new Set(whole).size).toBe(whole.length);
      let last = fixes[0] as TimedFix;
      for (const [at, each] of fixes.entries()) {
        const since = Math.floor(each.time) - Math.floor(last.time);
        if (!isKept[at]) {
          // Everything that is passed over is near enough to what is stored.
          expect(since).toBeLessThan(PACE.still);
          if ((each.speed_mps ?? 0) >= 0.3) expect(since).toBeLessThan(PACE.moving);
          if (since >= PACE.moving) expect(1_000 * greatCircleKm(last, each)).toBeLessThanOrEqual(25.01);
        } else last = each;
      }
    }
  });
});

test("a recorded voyage keeps its shape with a tenth of its fixes", () => {
  const lines = recorded("lauterbach-greifswald-2013-06-30").toString("latin1").split("\r\n");
  const fixes = read(new NmeaReader(), ...lines) as TimedFix[];
  const thinner = new Thinner(PACE);
  const track = fixes.filter((each) => thinner.keeps(each));
  expect(track.length / fixes.length).toBeLessThan(0.2);
  const lengthOf = (places: TimedFix[]) =>
    places.slice(1).reduce((sum, place, at) => sum + greatCircleKm(places[at] as TimedFix, place), 0);
  expect(lengthOf(track) / lengthOf(fixes)).toBeGreaterThan(0.97);
});
