import { describe, expect, test } from "bun:test";
import {
  centimetresPer,
  readMeasurements,
  readStations,
  readTime,
  trendOf,
} from "../../../src/operations/water-levels/stations";
import { ALL, ALLER, measured, station } from "../../stand-ins/pegelonline";

/** Values of types that no field may have. */
const WRONG: unknown[] = [null, true, "7", "", [], [1], {}, { other: 1 }];

/** For `test.each`, which would take the items of a list for arguments. */
const rows = (...values: unknown[]) => values.map((value): [unknown] => [value]);

const readOne = (one: unknown) => readStations([one])?.[0];
const trendIn = (answer: unknown, centimetres = 1) => trendOf(readMeasurements(answer, centimetres));
const levelOf = (value: unknown, unit: unknown = "cm") =>
  readOne(station({}, { current: { value }, series: { unit } }))?.level_cm;

describe("a unit", () => {
  test.each([
    ["cm", 1],
    ["m", 100],
    ["m+NN", 100],
    ["m+PNP", 100],
    ["m+NHN", 100],
    ["m. ü. NN", 100],
    ["m ü. NHN", 100],
    ["müNN", 100],
    ["mNN", 100],
    ["mm", 0.1],
    [" cm ", 1],
  ])("%j is a length", (unit, centimetres) => {
    expect(centimetresPer(unit)).toBe(centimetres);
  });

  const others = ["m³/s", "m3/s", "m/s", "m²", "mg/l", "mS/cm", "°C", "%", "km", "ft", "min", "", "1"];
  test.each(rows(...others, ...WRONG))("%j is none", (unit) => {
    expect(centimetresPer(unit)).toBeNull();
  });
});

describe("a level", () => {
  test.each([
    [113, "cm", 113],
    [-8, "cm", -8],
    [0, "cm", 0],
    [-0.5, "cm", -0.5],
    [0.56, "m", 56],
    [1.15, "m+NN", 115],
    [-1.005, "m", -100.5],
    [395.678, "m+NN", 39_567.8],
    [1_234, "mm", 123.4],
  ])("%d in %s is %d cm", (value, unit, centimetres) => {
    expect(levelOf(value, unit)).toBe(centimetres);
  });

  test.each([[12.5, "m³/s"], [7, "°C"], [1e308, "cm"], [1e308, "m"], ...WRONG.map((value) => [value, "cm"])])(
    "%j in %s is none",
    (value, unit) => {
      expect(levelOf(value, unit)).toBeNull();
    },
  );
});

describe("a time", () => {
  test.each([
    ["2026-09-27T21:00:00+02:00", "2026-09-27T19:00:00.000Z"],
    ["2026-01-01T00:15:00+01:00", "2025-12-31T23:15:00.000Z"],
    ["2026-09-27T19:00:00Z", "2026-09-27T19:00:00.000Z"],
    ["2026-09-27T19:00:00.123-03:30", "2026-09-27T22:30:00.123Z"],
    ["2026-09-27T21:00+02:00", "2026-09-27T19:00:00.000Z"],
  ])("%s is %s", (text, utc) => {
    expect(readTime(text)).toBe(utc);
  });

  const none = [
    "yesterday",
    "2026",
    "5",
    "2026-09-27",
    "2026-09-27T21:00:00",
    "27.09.2026 21:00",
    1_790_535_600_000,
  ];
  // Years that ISO 8601 writes with a sign.
  const beyond = ["0000-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00"];
  test.each(rows(...none, ...beyond, ...WRONG))("%j is none", (value) => {
    expect(readTime(value)).toBeNull();
  });
});

describe("the trend of what was measured", () => {
  test.each([
    ["rising", [100, 101, 102, 103, 104], 1],
    ["falling", [104, 103, 102, 101, 100], -1],
    ["steady", [100, 100, 100, 100, 100], 0],
    ["within a centimetre", [100, 110, 90, 110, 101], 0],
    ["just beyond a centimetre", [100, 100, 100, 100, 101.1], 1],
    ["falling below zero", [3, 2, 1, 0, -3], -1],
    ["from the hour before alone", [900, 900, 100, 100, 100, 100, 103], 1],
    ["from what there is of the hour", [100, 105], 1],
  ])("%s: %j is %d", (_, values, trend) => {
    expect(trendIn(measured(values))).toBe(trend);
  });

  test("is compared in centimetres, whatever the unit", () => {
    expect(trendIn(measured([1, 1.02]), 100)).toBe(1);
    expect(trendIn(measured([100, 109]), 0.1)).toBe(0);
    expect(trendIn(measured([109, 98]), 0.1)).toBe(-1);
    // A centimetre in metres has no exact binary form.
    expect(trendIn(measured([1.14, 1.15]), 100)).toBe(0);
    expect(trendIn(measured([1.15, 1.14]), 100)).toBe(0);
  });

  test("doesn't depend on the order", () => {
    const values = measured([100, 100, 102, 104, 106, 108]);
    expect(trendIn(values.toReversed())).toBe(1);
    expect(trendIn(measured([108, 106, 104, 102, 100]).toReversed())).toBe(-1);
  });

  test("goes by the time and not by its zone", () => {
    const values = [
      { timestamp: "2026-10-25T02:45:00+02:00", value: 100 },
      { timestamp: "2026-10-25T02:00:00+01:00", value: 120 },
    ];
    expect(trendIn(values)).toBe(1);
  });

  test("takes the value of an hour before where values are missing", () => {
    const values = measured([130, 120, 100, 100, 100, 100]).filter((_, at) => at !== 1);
    expect(trendIn(values)).toBe(-1);
  });

  test.each(rows([], [100], [100, null], [100, "101", true, [103], {}], [1e308, -1e308]))(
    "is none for %j",
    (values) => {
      expect(trendIn(measured(values as unknown[]))).toBeNull();
    },
  );

  test("passes over what is no measurement", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      { value: 900 },
      { timestamp: "soon", value: 900 },
      { timestamp: 1, value: 2 },
    ];
    expect(trendIn(odd)).toBeNull();
    expect(trendIn([...measured([100, 105]), ...odd])).toBe(1);
  });

  test.each(rows(...WRONG))("is none for %j in place of a list", (value) => {
    expect(trendIn(value)).toBeNull();
  });
});

describe("the stations of an answer", () => {
  test("are all that were recorded, in their order", () => {
    for (const stations of [ALL, ALLER])
      expect(readStations(stations)?.map(({ station_id }) => station_id)).toEqual(
        stations.map(({ uuid }) => uuid),
      );
  });

  test("can't be none: a source without a station is one that fails", () => {
    expect(readStations([])).toBeNull();
  });

  const noLists = WRONG.filter((value) => !Array.isArray(value));
  test.each(rows(...noLists, [1], [{}], [[]], [{ uuid: "" }], [{ uuid: 1 }]))(
    "are not to be found in %j",
    (answer) => {
      expect(readStations(answer)).toBeNull();
    },
  );

  test("leave out what is no station", () => {
    const one = station();
    const read = readStations([null, one, 7, "x", [], {}, { uuid: 7 }]);
    expect(read?.map(({ station_id }) => station_id)).toEqual([one.uuid]);
  });

  test("have names where the source has them, and the short one for a long one that is missing", () => {
    const { uuid } = station();
    expect(readOne({ uuid })).toEqual({
      station_id: uuid,
      shortname: "",
      longname: "",
      water_shortname: "",
      water_longname: "",
      latitude: null,
      longitude: null,
      km: null,
      agency: "",
      level_cm: null,
      trend: null,
      measured_at: null,
      state: null,
      hasLevel: false,
      centimetres: null,
    });
    expect(readOne({ uuid, shortname: "S", water: { shortname: "W" } })).toMatchObject({
      longname: "S",
      water_longname: "W",
    });
  });

  const nowhere = { latitude: null, longitude: null };
  test.each([
    ["shortname", { shortname: "" }],
    ["longname", { longname: "SHORT" }],
    ["water", { water_shortname: "", water_longname: "" }],
    ["km", { km: null }],
    ["agency", { agency: "" }],
    ["latitude", nowhere],
    ["longitude", nowhere],
    ["timeseries", { level_cm: null, measured_at: null, hasLevel: false, centimetres: null }],
  ])("keep what else they have when %s is of another type", (field, unknown) => {
    const good = station({ shortname: "SHORT" });
    const isText = ["shortname", "longname", "agency"].includes(field);
    for (const value of WRONG.filter((wrong) => !isText || typeof wrong !== "string"))
      expect(readOne({ ...good, [field]: value })).toEqual({ ...readOne(good), ...unknown } as never);
  });

  test.each([
    { latitude: 90.1 },
    { latitude: -90.1 },
    { longitude: 180.1 },
    { longitude: -180.1 },
    { latitude: undefined },
    { longitude: undefined },
  ])("have no place with %j", (place) => {
    expect(readOne(station(place))).toMatchObject({ latitude: null, longitude: null });
  });

  test.each(rows(...WRONG))("have no level with %j for a series, a measurement or a part of one", (value) => {
    expect(readOne(station({ timeseries: [value] }))).toMatchObject({ hasLevel: false, level_cm: null });
    const measurement = readOne(station({}, { series: { currentMeasurement: value } }));
    expect(measurement).toMatchObject({ hasLevel: true, level_cm: null, measured_at: null, trend: null });
    const state = typeof value === "string" ? value : null;
    const parts = readOne(station({}, { current: { timestamp: value, trend: value, stateMnwMhw: value } }));
    expect(parts).toMatchObject({ level_cm: 100, measured_at: null, trend: null, state });
  });

  test("take the level from the series W, wherever it stands", () => {
    const { timeseries = [] } = station();
    const other = { shortname: "Q", unit: "m³/s", currentMeasurement: { value: 7 } };
    expect(readOne(station({ timeseries: [other, null, ...timeseries] }))?.level_cm).toBe(100);
    expect(readOne(station({ timeseries: [other] }))).toMatchObject({ hasLevel: false, level_cm: null });
  });

  test.each([
    [-1, -1],
    [0, 0],
    [1, 1],
    [2, null],
    [-2, null],
    [0.5, null],
    ["1", null],
    [null, null],
    [true, null],
  ])("have the source's trend %j as %j", (trend, read) => {
    expect(readOne(station({}, { current: { trend } }))?.trend).toBe(read);
  });

  test.each(["low", "normal", "high", "unknown", "commented", ""])("have the state %j as it is", (state) => {
    expect(readOne(station({}, { current: { stateMnwMhw: state } }))?.state).toBe(state);
  });
});
