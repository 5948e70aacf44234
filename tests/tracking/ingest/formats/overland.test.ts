import { describe, expect, test } from "bun:test";
import { type OverlandDialect, readOverland } from "../../../../src/tracking/ingest/formats/overland";
import { expectSound, fc, jsonOr, objectOf } from "./support";

const point = (longitude: unknown, latitude: unknown) => ({
  type: "Point",
  coordinates: [longitude, latitude],
});
const PROPERTIES = {
  ...{ timestamp: "2024-06-30T07:41:09Z", altitude: 4, speed: 3, course: 251, horizontal_accuracy: 6 },
  ...{ vertical_accuracy: 5, speed_accuracy: 0.35, course_accuracy: 7.4, motion: ["stationary"] },
  ...{ device_id: "boat", battery_state: "unplugged", battery_level: 0.64, wifi: "" },
};
const feature = (properties: object, geometry: unknown = point(13.0731, 54.1802)) => ({
  ...{ type: "Feature", geometry, properties: { ...PROPERTIES, ...properties } },
});
const FIX = {
  ...{ latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269, altitude: 4, heading: 251 },
  ...{ speed_mps: 3, accuracy_m: 6, battery_percent: 64 },
};

const read = (locations: unknown[], dialect: OverlandDialect = "overland") =>
  readOverland({ locations }, dialect);

describe("a batch of Overland", () => {
  test("has whole m/s, whole degrees, and a battery from 0 to 1", () => {
    expect(read([feature({})])).toEqual([FIX]);
    expect(read([feature({ trip_id: "2024-06-30T07:30:00Z", unique_id: "C0FFEE" })])).toEqual([FIX]);
  });

  test("has times with a zone too, and a course that may be missing", () => {
    const { course: _, ...rest } = PROPERTIES;
    const older = {
      ...{ type: "Feature", geometry: point(13.0731, 54.1802) },
      properties: { ...rest, timestamp: "2024-06-30T00:41:09-0700" },
    };
    expect(read([older])).toEqual([{ ...FIX, heading: null }]);
  });

  test("has −1 for what is unknown, as the value or as its accuracy", () => {
    const unknown = {
      speed: -1,
      course: -1,
      vertical_accuracy: -1,
      battery_level: -1,
      horizontal_accuracy: -1,
    };
    const invalid = { speed_accuracy: -1, course_accuracy: -1, vertical_accuracy: -1 };
    const nothing = { altitude: null, heading: null, speed_mps: null };
    expect(read([feature(unknown)])).toEqual([
      { ...FIX, ...nothing, battery_percent: null, accuracy_m: null },
    ]);
    expect(read([feature(invalid)])).toEqual([{ ...FIX, ...nothing }]);
  });

  test("has 0 for what is 0", () => {
    expect(read([feature({ altitude: 0, speed: 0, course: 0 })])).toEqual([
      { ...FIX, altitude: 0, speed_mps: 0, heading: 0 },
    ]);
  });

  test("brings its fixes in order, the current one behind them", () => {
    const later = (seconds: number) => `2024-06-30T07:41:${seconds}Z`;
    const body = {
      locations: [feature({ timestamp: later(11) }), feature({ timestamp: later(10) })],
      current: feature({ timestamp: later(50) }),
      trip: { distance: 1_520.4, mode: "boat", start: "2024-06-30T07:30:00Z" },
    };
    const times = [1_719_733_271, 1_719_733_270, 1_719_733_310];
    expect(readOverland(body, "overland")).toEqual(times.map((time) => ({ ...FIX, time })));
    expect(readOverland({ current: feature({}) }, "overland")).toEqual([FIX]);
    expect(readOverland({ locations: [], current: null }, "overland")).toEqual([]);
  });

  test("leaves nothing of events, visits and summaries of trips", () => {
    const event = {
      ...{ type: "Feature", properties: { timestamp: "2024-06-30T07:41:09Z", action: "will_terminate" } },
    };
    const elements = [
      ...[event, feature({}, null), feature({ action: "visit", arrival_date: "2024-06-30T07:00:00Z" })],
      ...[feature({ type: "trip", mode: "boat", duration: 3_600, start_location: null })],
    ];
    expect(read(elements)).toEqual([]);
    expect(readOverland({ locations: [], current: event }, "overland")).toEqual([]);
    expect(read([feature({ action: null, type: null })])).toEqual([FIX]);
  });

  test("loses no fix for a bad one beside it", () => {
    const bad: [unknown, string][] = [
      [7, "malformed"],
      [null, "malformed"],
      [feature({}, "here"), "malformed"],
      [feature({}, { type: "Point" }), "malformed"],
      [feature({}, point(undefined, undefined)), "no_fix"],
      [feature({}, point(13, 91)), "no_fix"],
      [feature({ timestamp: null }), "no_time"],
      [feature({ timestamp: "yesterday" }), "malformed"],
    ];
    expect(read([...bad.map(([element]) => element), feature({})])).toEqual([
      ...(bad.map(([, rejected]) => ({ rejected })) as ReturnType<typeof read>),
      FIX,
    ]);
  });

  test.each([[undefined], [[]], [{}], [{ locations: {} }], [{ locations: null }], ["batch"]])(
    "%p is malformed",
    (body) => {
      expect(readOverland(body, "overland")).toEqual([{ rejected: "malformed" }]);
    },
  );
});

describe("a batch of GPSLogger's Dawarich mode", () => {
  const OWN = {
    ...{ timestamp: "2024-06-30T09:41:09.500+02:00", altitude: 3.25, speed: 2.75, course: undefined },
    ...{ vertical_accuracy: 0, horizontal_accuracy: 8.5, battery_level: 91, battery_state: "charging" },
    ...{ speed_accuracy: undefined, course_accuracy: undefined, deffered: 0, desired_accuracy: 40 },
  };
  const OWN_FIX = {
    ...{ latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269.5, altitude: 3.25, heading: null },
    ...{ speed_mps: 2.75, accuracy_m: 8.5, battery_percent: 91 },
  };

  test("has the battery in percent", () => {
    expect(read([feature(OWN)], "dawarich")).toEqual([OWN_FIX]);
    expect(read([feature({ ...OWN, battery_level: 1 })], "dawarich")).toEqual([
      { ...OWN_FIX, battery_percent: 1 },
    ]);
  });

  test("has 0.0 for what is unknown, but for a speed of 0 at rest", () => {
    const zeros = { altitude: 0, speed: 0, course: 0, horizontal_accuracy: 0, battery_level: 0 };
    expect(read([feature({ ...OWN, ...zeros })], "dawarich")).toEqual([
      { ...OWN_FIX, altitude: null, speed_mps: 0, accuracy_m: null, battery_percent: null },
    ]);
  });
});

test("of any batch Overland's translator makes sound readings", () => {
  const properties = objectOf(
    ...["timestamp", "altitude", "speed", "course", "horizontal_accuracy", "vertical_accuracy"],
    ...["speed_accuracy", "course_accuracy", "battery_level", "action", "type"],
  );
  const coordinates = fc.array(fc.oneof(fc.double(), fc.double({ min: -80, max: 80 })), { maxLength: 3 });
  const element = fc.record({ geometry: jsonOr(fc.record({ coordinates })), properties: jsonOr(properties) });
  const batch = fc.record({ locations: jsonOr(fc.array(element)), current: jsonOr(element) });
  const dialect = fc.constantFrom<OverlandDialect>("overland", "dawarich");
  fc.assert(
    fc.property(jsonOr(batch), dialect, (body, kind) => expectSound(readOverland(body, kind))),
    { numRuns: 1_000 },
  );
});
