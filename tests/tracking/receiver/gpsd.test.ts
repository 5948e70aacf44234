import { describe, expect, test } from "bun:test";
import { GpsdReader } from "../../../src/tracking/receiver/gpsd";
import { read, told } from "./support";

/** Reports of gpsd to fixes. Their form is that of gpsd_json(5). */

const TIME = "2026-05-04T10:20:30.000Z";
const AT = Date.parse(TIME) / 1_000;
const PLACE = { lat: 54.125, lon: -13.5 };
const THERE = { latitude: 54.125, longitude: -13.5, time: AT };

const tpv = (fields: object = {}) => ({ class: "TPV", mode: 3, time: TIME, ...PLACE, ...fields });
const readAll = (...reports: (object | string)[]) =>
  read(
    new GpsdReader(),
    ...reports.map((report) => (typeof report === "string" ? report : JSON.stringify(report))),
  ).map(told);

describe("a fix", () => {
  test("has place, time, speed, course, height and error", () => {
    expect(
      readAll(
        tpv({ speed: 2.675, track: 77.3, altMSL: 3.2, altHAE: 41.7, alt: 3.1, eph: 4.275, climb: 0.1 }),
      ),
    ).toEqual([{ ...THERE, speed_mps: 2.675, heading: 77.3, altitude: 3.2, accuracy_m: 4.275 }]);
  });

  test.each([
    [{ alt: 3.1, altHAE: 41.7 }, { altitude: 3.1 }],
    [{ altHAE: 41.7 }, { altitude: 41.7 }],
    [{ speed: -1, track: 400, eph: -1 }, {}],
    [{ speed: "2", track: null }, {}],
    [{ mode: 2, status: 2 }, {}],
    [{ time: AT }, {}],
  ])("with %j", (fields, values) => {
    expect(readAll(tpv(fields))).toEqual([{ ...THERE, ...values }]);
  });

  test("is put together from all reports of its time: a later one is fuller", () => {
    expect(
      readAll(
        tpv({ mode: 2, speed: 2.249 }),
        { class: "TPV", mode: 1, time: TIME },
        tpv({ track: 76.3, speed: 2.727 }),
        tpv({ altMSL: 3.2 }),
        tpv({ time: "2026-05-04T10:20:31.000Z", lat: 54.25 }),
      ),
    ).toEqual([
      { ...THERE, speed_mps: 2.727, heading: 76.3, altitude: 3.2 },
      { ...THERE, latitude: 54.25, time: AT + 1 },
    ]);
  });

  test("takes the dilutions that were told last, each by itself", () => {
    const sky = (fields: object) => ({ class: "SKY", ...fields });
    expect(
      readAll(
        sky({ hdop: 0.9, pdop: 1.6, vdop: 1.3 }),
        sky({ uSat: 10 }),
        sky({ hdop: 1.1, vdop: 99.99 }),
        tpv(),
      ),
    ).toEqual([{ ...THERE, hdop: 1.1, pdop: 1.6, vdop: 1.3 }]);
  });

  test("has no time where gpsd tells none", () => {
    expect(readAll(tpv({ time: undefined }))).toEqual([{ latitude: 54.125, longitude: -13.5 }]);
    expect(readAll(tpv({ time: "yesterday" }))).toEqual([{ latitude: 54.125, longitude: -13.5 }]);
  });

  test("of a second receiver counts only after the first one has been without for ten seconds", () => {
    const by = (device: string, second: number, fields: object = {}) =>
      tpv({ device, time: `2026-05-04T10:20:${second}.000Z`, ...fields });
    const timesOf = (...reports: object[]) =>
      readAll(...reports).map((fix) => (fix as { time: number }).time - AT);
    expect(timesOf(by("/dev/a", 30), by("/dev/b", 31), by("/dev/a", 32), by("/dev/b", 42))).toEqual([0, 2]);
    expect(timesOf(by("/dev/a", 30), by("/dev/b", 41), by("/dev/a", 42))).toEqual([0, 11]);
    // One that says that it has lost its fix makes room at once.
    expect(readAll(by("/dev/a", 30), by("/dev/a", 31, { mode: 1 }), by("/dev/b", 31)).length).toBe(3);
    expect(readAll(by("/dev/a", 30), by("/dev/b", 31, { mode: 1 }), by("/dev/a", 32)).length).toBe(2);
  });
});

describe("no fix", () => {
  test.each([
    { mode: 0 },
    { mode: 1 },
    { mode: undefined },
    { status: 8 },
    { lat: undefined },
    { lon: null },
    { lat: 90.01 },
    { lon: -180.5 },
  ])("is %j", (fields) => {
    expect(readAll(tpv(fields))).toEqual([{ rejected: "no_fix" }]);
  });
});

test("other lines make sense if gpsd sends them, and broken ones don't", () => {
  const reader = new GpsdReader();
  const sense = (line: string) => reader.take(line).makesSense;
  expect(sense('{"class":"VERSION","release":"3.25","proto_major":3}')).toBe(true);
  expect(sense('{"class":"DEVICES","devices":[]}')).toBe(true);
  expect(sense('{"class":"ERROR","message":"Unrecognized request"}')).toBe(true);
  for (const line of [
    "",
    "{",
    "[]",
    "null",
    "7",
    '"TPV"',
    '{"classes":1}',
    '{"class":"TPV","mode":3,"lat":54.1',
  ])
    expect([line, sense(line)]).toEqual([line, false]);
  expect(reader.flush()).toEqual([]);
});
