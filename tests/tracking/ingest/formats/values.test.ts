import { describe, expect, test } from "bun:test";
import { isoTime } from "../../../../src/tracking/ingest/formats/iso-time";
import {
  MALFORMED,
  NO_FIX,
  NO_TIME,
  percentOfShare,
  toAccuracy,
  toAltitude,
  toDilution,
  toHeading,
  toNumber,
  toPercent,
  toPlace,
  toReading,
  toSpeed,
  toTime,
  unlessInvalid,
  unlessZero,
} from "../../../../src/tracking/ingest/formats/values";
import { fc } from "./support";

describe("a number", () => {
  test.each([
    [7.25, 7.25],
    [-0, 0],
    ["7.25", 7.25],
    [" 7.25 ", 7.25],
    ["-0.0", 0],
    ["+3", 3],
    [".5", 0.5],
    ["5.", 5],
    ["1.5e3", 1_500],
    ["2E-1", 0.2],
  ])("is read of %p", (value, number) => {
    expect(toNumber(value)).toBe(number);
  });

  test.each(
    [
      ...["", " ", ".", "e5", "1e400", "NaN", "Infinity", "0x10", "1_000", "54,1", "54.1N", "1.2.3", "--1"],
      ...[Number.NaN, Number.POSITIVE_INFINITY, null, undefined, true, [7], { value: 7 }, "1".repeat(41)],
    ].map((value) => ({ value })),
  )("is not read of $value", ({ value }) => {
    expect(toNumber(value)).toBeNull();
  });

  test("of megabytes of digits costs nothing", () => {
    const before = process.cpuUsage();
    expect(toNumber(`${"1".repeat(2_000_000)}x`)).toBeNull();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(100);
  });
});

describe("an optional value", () => {
  test.each([
    ["altitude", toAltitude, [-12_000, 0, 100_000], [-12_001, 100_001]],
    ["heading", toHeading, [0, 359.9, 360], [-1, 360.1]],
    ["speed", toSpeed, [0, 7.3, 100_000], [-1, -0.1, 1e308]],
    ["dilution", toDilution, [0, 0.9, 100], [-1, 101]],
    ["accuracy", toAccuracy, [0, 4.5, 20_040_000], [-1, 1e9]],
    ["percentage", toPercent, [0, 46.5, 100], [-1, -100, 100.5]],
  ])("that is a possible %s stays, another becomes null", (_, read, possible, impossible) => {
    expect(possible.map(read)).toEqual(possible);
    expect(impossible.map(read)).toEqual(impossible.map(() => null));
  });

  test("that is a share of one becomes a percentage without noise", () => {
    expect([0, 0.57, 0.79, 0.8700000047683716, 1, "0.5"].map(percentOfShare)).toEqual([
      0, 57, 79, 87, 100, 50,
    ]);
    expect([-1, 1.01, 57, "", null].map(percentOfShare)).toEqual([null, null, null, null, null]);
  });

  test("is null where 0 stands for unknown, and where its own accuracy is negative", () => {
    expect([0, 3, null].map(unlessZero)).toEqual([null, 3, null]);
    expect(unlessInvalid(-1, 12)).toBeNull();
    expect(unlessInvalid("-1", 12)).toBeNull();
    for (const accuracy of [0, 4, undefined, null, "?"]) expect(unlessInvalid(accuracy, 12)).toBe(12);
  });
});

test("a place needs both coordinates on Earth", () => {
  expect(toPlace(-90, "180")).toEqual({ latitude: -90, longitude: 180 });
  for (const [latitude, longitude] of [
    ...[
      [90.1, 13],
      [54, -180.1],
      [undefined, 13],
      [54, null],
      ["", "13"],
      [Number.NaN, 13],
      ["54N", 13],
    ],
  ])
    expect(toPlace(latitude, longitude)).toBeNull();
});

describe("a date and time", () => {
  const SECOND = Date.parse("2024-06-30T07:41:09Z") / 1_000;

  test.each([
    ["2024-06-30T07:41:09Z", SECOND],
    ["2024-06-30t07:41:09z", SECOND],
    ["2024-06-30T09:41:09+02:00", SECOND],
    ["2024-06-30T09:41:09+0200", SECOND],
    ["2024-06-30T09:41:09+02", SECOND],
    ["2024-06-30T09:41:09 02:00", SECOND],
    ["2024-06-30T00:41:09-0700", SECOND],
    ["2024-06-30T13:11:09.000+05:30", SECOND],
    ["2024-06-30T07:41:09.862Z", SECOND + 0.862],
    ["2024-06-30T07:41:09,5Z", SECOND + 0.5],
    ["2024-06-30T07:41:09.123456789Z", SECOND + 0.123456789],
    ["2024-06-30T07:41Z", SECOND - 9],
    ["2024-06-30 07:41:09", SECOND],
    ["2024-06-30T07:41:09", SECOND],
    ["2016-12-31T23:59:60Z", Date.parse("2017-01-01T00:00:00Z") / 1_000],
    ["2024-02-29T00:00:00Z", Date.parse("2024-02-29T00:00:00Z") / 1_000],
    ["1969-12-31T23:59:59.5Z", -0.5],
    ["0095-07-01T00:00:00Z", Date.parse("0095-07-01T00:00:00Z") / 1_000],
  ])("is read of %s", (text, seconds) => {
    expect(isoTime(text)).toBe(seconds);
  });

  test.each([
    ...["2024-06-30", "07:41:09", "2024-06-31T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z"],
    ...["2024-06-30T24:00:00Z", "2024-06-30T07:60:00Z", "2024-06-30T07:41:61Z", "2024-06-30T07:41:09CEST"],
    ...["2024-6-30T7:41:09Z", "30.06.2024 07:41:09", "", "now", " 2024-06-30T07:41:09Z"],
  ])("is not read of %p", (text) => {
    expect(isoTime(text)).toBeNull();
  });

  test("is read of each that JavaScript writes", () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z") }),
        (date) => {
          expect(isoTime(date.toISOString())).toBeCloseTo(date.getTime() / 1_000, 3);
        },
      ),
    );
  });
});

describe("a time", () => {
  const BOTH = "seconds or milliseconds";

  test("is a number, a text that is one, or a date", () => {
    for (const time of [1_719_733_269, "1719733269", "1719733269.0", " 2024-06-30T07:41:09Z "])
      expect(toTime(time, "seconds")).toBe(1_719_733_269);
    expect(toTime(1_719_733_269.862, "seconds")).toBe(1_719_733_269.862);
  });

  test("may be in milliseconds where the format allows it, and stays in seconds beyond 2038", () => {
    expect(toTime(1_719_733_269_862, BOTH)).toBe(1_719_733_269.862);
    expect(toTime("1719733269862", BOTH)).toBe(1_719_733_269.862);
    for (const seconds of [1_719_733_269, 2_147_483_647, 4_102_444_800])
      expect(toTime(seconds, BOTH)).toBe(seconds);
    expect(toTime(1_719_733_269_862, "seconds")).toBe(1_719_733_269_862);
  });

  test("that is missing is no_time, one that can't be read is malformed", () => {
    for (const missing of [undefined, null, "", "  "]) expect(toTime(missing, BOTH)).toBe(NO_TIME);
    for (const broken of ["soon", "%TIMESTAMP", true, {}, [1_719_733_269], Number.NaN, 1e300, "9".repeat(50)])
      expect(toTime(broken, BOTH)).toBe(MALFORMED);
  });
});

test("a reading without a place is no_fix, whatever its time", () => {
  expect(toReading(null, NO_TIME, {})).toBe(NO_FIX);
  expect(toReading(null, 7, {})).toBe(NO_FIX);
  expect(toReading({ latitude: 1, longitude: 2 }, NO_TIME, {})).toBe(NO_TIME);
  expect(toReading({ latitude: 1, longitude: 2 }, 7, { heading: 3 })).toEqual({
    ...{ latitude: 1, longitude: 2, time: 7, heading: 3 },
  });
});
