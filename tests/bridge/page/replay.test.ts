import { describe, expect, test } from "bun:test";
import {
  addressOf,
  between,
  type Choice,
  choiceOf,
  inKind,
  lastDate,
  moved,
  onDate,
} from "../../../src/bridge/page/panels/day/choice";
import { advance, extentOf, ratesFor, stepFor, timeByKey } from "../../../src/bridge/page/panels/day/clock";
import {
  gapsOf,
  indexAt,
  momentAt,
  nearestTime,
  type Point,
  speedsOf,
  wayOf,
  withStops,
} from "../../../src/bridge/page/panels/day/way";

const point = (time: number, longitude: number, speed: number | null = null): Point => ({
  ...{ time, longitude, latitude: 0, speed, begins: false },
});

/** Two pieces along the equator, with ten minutes of which nothing is known. */
const TWO_PIECES = wayOf([
  [
    [10, 0, 1_000, 2, null],
    [10.1, 0, 1_100, 4, null],
  ],
  [
    [10.3, 0, 1_700, null, null],
    [10.4, 0, 1_800, null, null],
  ],
]);

describe("the number of a point by its time", () => {
  test("is that of the last one which isn't later", () => {
    const way = [10, 20, 20, 30].map((time) => point(time, time));
    expect([9, 10, 15, 20, 29, 30, 99].map((time) => indexAt(way, time))).toEqual([-1, 0, 0, 2, 2, 3, 3]);
    expect(indexAt([], 5)).toBe(-1);
  });

  test("is the same as by looking at each, for long ways", () => {
    const way = Array.from({ length: 1_000 }, (_, at) => point(at * 3, at));
    for (let time = -5; time < 3_010; time += 7)
      expect(indexAt(way, time)).toBe(way.findLastIndex((each) => each.time <= time));
  });
});

describe("a device at a moment", () => {
  test("is between its points in proportion to the time", () => {
    expect(momentAt(TWO_PIECES, 999)).toBeNull();
    const { longitude, latitude, heading, speed, isWaiting } = momentAt(TWO_PIECES, 1_025) ?? {};
    expect(longitude).toBeCloseTo(10.025, 9);
    expect([latitude, speed, isWaiting]).toEqual([0, 2.5, false]);
    expect(heading).toBeCloseTo(90, 6);
  });

  test("waits where it was last known, and goes on where it is known again", () => {
    const { heading, ...waiting } = momentAt(TWO_PIECES, 1_400) ?? { heading: null };
    expect(waiting).toEqual({ longitude: 10.1, latitude: 0, speed: null, isWaiting: true });
    expect(heading).toBeCloseTo(90, 6);
    // At the last second before the gap nothing is waited for yet.
    expect(momentAt(TWO_PIECES, 1_100)).toMatchObject({ speed: 4, isWaiting: false });
    const again = momentAt(TWO_PIECES, 1_700);
    expect(again?.longitude).toBeCloseTo(10.3, 9);
    expect(again?.isWaiting).toBe(false);
    expect(momentAt(TWO_PIECES, 1_801)).toMatchObject({ longitude: 10.4, isWaiting: true });
  });

  test("takes the short way over the 180th meridian, in both directions", () => {
    const east = [point(0, 179.9), point(100, -179.9)];
    const west = [point(0, -179.9), point(100, 179.9)];
    expect(momentAt(east, 25)?.longitude).toBeCloseTo(179.95, 9);
    expect(momentAt(east, 75)?.longitude).toBeCloseTo(-179.95, 9);
    expect(momentAt(east, 75)?.heading).toBeCloseTo(90, 6);
    expect(momentAt(west, 75)?.longitude).toBeCloseTo(179.95, 9);
    expect(momentAt(west, 25)?.heading).toBeCloseTo(270, 6);
  });

  test("has the speed of its way where none was reported", () => {
    // A tenth of a degree of the equator in 100 seconds.
    expect(momentAt(TWO_PIECES, 1_750)?.speed).toBeCloseTo(111.195, 1);
  });

  test("keeps its heading while it lies still, and has none before it moves", () => {
    const way = [point(0, 10), point(10, 10), point(20, 9.9), point(30, 9.9), point(40, 9.9)];
    expect(momentAt(way, 5)?.heading).toBeNull();
    expect(momentAt(way, 35)?.heading).toBeCloseTo(270, 6);
  });
});

describe("a stop on a straight line", () => {
  test("is a stop in the replay, though the track has no point there", () => {
    const way = [{ ...point(0, 10), begins: true }, point(1_000, 11)];
    const at = (longitude: number) => ({ longitude, latitude: 0 });
    const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
    const stop = { from: iso(100), to: iso(900), start: at(10.5), end: at(10.5) };
    const stopped = withStops(way, [stop]);
    expect(stopped.map(({ time }) => time)).toEqual([0, 100, 900, 1_000]);
    expect(momentAt(stopped, 500)).toMatchObject({ longitude: 10.5, speed: 0 });
  });

  test("adds nothing outside of the way, nor into its gaps", () => {
    const at = { longitude: 10.2, latitude: 0 };
    const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
    const stops = [
      { from: iso(500), to: iso(2_000), start: at, end: at },
      { from: iso(1_200), to: iso(1_600), start: at, end: at },
      { from: iso(1_000), to: iso(1_100), start: at, end: at },
    ];
    expect(withStops(TWO_PIECES, stops)).toEqual(TWO_PIECES);
  });
});

test("gaps are between the pieces", () => {
  expect(gapsOf(TWO_PIECES).map(([from, to]) => [from.time, to.time])).toEqual([[1_100, 1_700]]);
});

describe("the speeds of a graph", () => {
  test("are the highest of each step, and none across a gap", () => {
    const speeds = speedsOf(TWO_PIECES, 1_000, 1_800, 8);
    expect(speeds.length).toBe(8);
    expect(speeds[0]).toBe(4);
    expect(speeds.slice(1, 6)).toEqual([null, null, null, null, null]);
    expect(speeds[7]).toBeCloseTo(111.195, 1);
  });

  test("lose no peak, however many points a step has", () => {
    const way = Array.from({ length: 10_000 }, (_, at) => point(at, at / 1e5, at === 4_321 ? 30 : 5));
    expect(Math.max(...speedsOf(way, 0, 9_999, 300).map((value) => value ?? 0))).toBe(30);
  });
});

describe("the time nearest to a place", () => {
  test("is that at which the way passes it", () => {
    expect(nearestTime(TWO_PIECES, [10.05, 0.01])).toBeCloseTo(1_050, 6);
    expect(nearestTime(TWO_PIECES, [9, 0])).toBe(1_000);
    expect(nearestTime(TWO_PIECES, [10.22, 0])).toBe(1_700);
    expect(nearestTime([], [10, 0])).toBeNull();
  });
});

describe("the clock", () => {
  const other = [{ ...point(1_300, 0), begins: true }, point(1_500, 1)];

  test("spans all devices", () => {
    expect(extentOf([TWO_PIECES, other])).toEqual({ from: 1_000, to: 1_800 });
    expect(extentOf([[], []])).toBeNull();
  });

  test("runs on, over what nobody knows anything of, to the end", () => {
    expect(advance([TWO_PIECES], 1_010, 60)).toBe(1_070);
    expect(advance([TWO_PIECES], 1_090, 60)).toBe(1_700);
    expect(advance([TWO_PIECES, other], 1_090, 60)).toBe(1_300);
    expect(advance([TWO_PIECES, other], 1_490, 60)).toBe(1_700);
    expect(advance([TWO_PIECES], 1_790, 60)).toBe(1_800);
    expect(advance([], 5, 60)).toBe(5);
  });

  test("goes faster where a span is long", () => {
    expect(ratesFor(86_400)).toEqual([1, 10, 60]);
    expect(ratesFor(30 * 86_400)).toEqual([1, 10, 60, 600, 3_600]);
  });

  test("is moved by keys, within the span", () => {
    const extent = { from: 0, to: 50_000 };
    expect(stepFor(50_000)).toBe(100);
    expect(timeByKey("ArrowRight", 500, extent)).toBe(600);
    expect(timeByKey("ArrowLeft", 50, extent)).toBe(0);
    expect(timeByKey("PageUp", 49_500, extent)).toBe(50_000);
    expect(["Home", "End", "a"].map((key) => timeByKey(key, 7, extent))).toEqual([0, 50_000, null]);
  });
});

describe("the chosen span", () => {
  const read = (path: string[], query = ""): Choice =>
    choiceOf({ path: ["day", ...path], query: new URLSearchParams(query) }, "2026-11-26");
  const span = ({ from, to }: { from: number; to: number }) => [from, to].map((time) => new Date(time));

  test("is the day of the address, or the one that is meant without it", () => {
    const choice = read(["ID", "2026-02-28"]);
    expect(choice).toMatchObject({ devices: ["ID"], trip: null, kind: "day", date: "2026-02-28" });
    expect(span(choice)).toEqual([new Date(2026, 1, 28), new Date(2026, 2, 1)]);
    expect(read(["ID"]).date).toBe("2026-11-26");
    expect(read(["ID", "2026-02-30"]).date).toBe("2026-11-26");
    expect(read([]).devices).toEqual([]);
  });

  test("may have further devices, each once, and a trip", () => {
    const choice = read(["A", "2026-02-28"], "also=B,A,C,B,&trip=T");
    expect(choice).toMatchObject({ devices: ["A", "B", "C"], trip: "T" });
  });

  test("may be the week, the month or the year around the day", () => {
    const [week, month, year] = ["week", "month", "year"].map((kind) =>
      read(["ID", "2026-11-26"], `span=${kind}`),
    ) as [Choice, Choice, Choice];
    expect(span(week)).toEqual([new Date(2026, 10, 23), new Date(2026, 10, 30)]);
    expect(span(month)).toEqual([new Date(2026, 10, 1), new Date(2026, 11, 1)]);
    expect(span(year)).toEqual([new Date(2026, 0, 1), new Date(2027, 0, 1)]);
    // A Sunday belongs to the week before it.
    expect(span(read(["ID", "2026-11-29"], "span=week"))).toEqual(span(week));
  });

  test("may be one from a date to another", () => {
    const own = read(["ID"], "from=2026-11-01&to=2026-11-10");
    expect(own.kind).toBe("own");
    expect(span(own)).toEqual([new Date(2026, 10, 1), new Date(2026, 10, 11)]);
    expect(lastDate(own)).toBe("2026-11-10");
    expect(read(["ID"], "from=2026-11-10&to=2026-11-01").kind).toBe("day");
    const exact = read(["ID"], "from=2026-11-01T10:00:00Z&to=2026-11-01T11:30:00Z");
    expect(exact.to - exact.from).toBe(5_400_000);
    expect(between(own, "2026-12-01", "2026-12-01")).toMatchObject({ kind: "own", date: "2026-12-01" });
    expect(between(own, "2026-12-02", "2026-12-01")).toBeNull();
  });

  test("goes back and forth by its own length", () => {
    const step = (query: string, by: -1 | 1) => moved(read(["ID", "2026-03-31"], query), by);
    expect(step("", 1).date).toBe("2026-04-01");
    expect(step("", -1).date).toBe("2026-03-30");
    expect(span(step("span=month", -1))).toEqual([new Date(2026, 1, 1), new Date(2026, 2, 1)]);
    expect(span(step("span=year", 1))).toEqual([new Date(2027, 0, 1), new Date(2028, 0, 1)]);
    expect(span(step("from=2026-03-01&to=2026-03-10", 1))).toEqual([
      new Date(2026, 2, 11),
      new Date(2026, 2, 21),
    ]);
  });

  test("comes back from its address", () => {
    for (const query of ["", "span=week", "also=B", "from=2026-03-01&to=2026-03-10", "trip=T"]) {
      const choice = read(["ID", "2026-03-01"], query);
      const [path, made] = addressOf(choice);
      expect(choiceOf({ path, query: new URLSearchParams(made as Record<string, string>) }, "x")).toEqual(
        choice,
      );
    }
  });

  test("changes with the date that is typed, once it is one", () => {
    const choice = read(["ID", "2026-03-31"], "span=month");
    expect(onDate(choice, "2026-02-10")).toMatchObject({ kind: "month", date: "2026-02-10" });
    expect(onDate(choice, "0002-02-10")).toBeNull();
    expect(onDate(choice, "")).toBeNull();
    expect(inKind(choice, "own")).toMatchObject({ kind: "own", from: choice.from, to: choice.to });
  });
});
