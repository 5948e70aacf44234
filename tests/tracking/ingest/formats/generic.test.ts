import { describe, expect, test } from "bun:test";
import { readGeneric } from "../../../../src/tracking/ingest/formats/generic";
import { expectSound, fc, jsonOr, objectOf } from "./support";

const UNKNOWN = {
  ...{ altitude: null, heading: null, speed_kmh: null, speed_mps: null, speed_mph: null, speed_knots: null },
  ...{ pdop: null, hdop: null, vdop: null, accuracy_m: null, battery_percent: null },
};
const MINIMAL = { latitude: 54.1802, longitude: 13.0731, timestamp: 1_719_733_269 };
const FIX = { latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269, ...UNKNOWN };
const DETAILS = {
  ...{ altitude: 3.2, heading: 212.4, pdop: 1.6, hdop: 0.9, vdop: 1.3, accuracy_m: 4, battery_percent: 71 },
};

const feature = (properties: unknown, coordinates: unknown[] = [13.0731, 54.1802]) => ({
  ...{ type: "Feature", geometry: { type: "Point", coordinates }, properties },
});
const PROPERTIES = { timestamp: MINIMAL.timestamp };

describe("the generic format", () => {
  test("takes one object, or an array of them", () => {
    expect(readGeneric(MINIMAL)).toEqual([FIX]);
    expect(readGeneric([MINIMAL, { ...MINIMAL, timestamp: 1_719_733_270.5 }])).toEqual([
      FIX,
      { ...FIX, time: 1_719_733_270.5 },
    ]);
    expect(readGeneric([])).toEqual([]);
  });

  test("takes our fields by their names, and any speed in its own unit", () => {
    expect(readGeneric({ ...MINIMAL, ...DETAILS })).toEqual([{ ...FIX, ...DETAILS }]);
    for (const unit of ["speed_kmh", "speed_mps", "speed_mph", "speed_knots"])
      expect(readGeneric({ ...MINIMAL, [unit]: 10 })).toEqual([{ ...FIX, [unit]: 10 }]);
    expect(readGeneric({ ...MINIMAL, crew: 3, note: "off the pier" })).toEqual([FIX]);
  });

  test("takes Unix seconds or ISO 8601; milliseconds would lie in the far future", () => {
    for (const timestamp of ["1719733269", "2024-06-30T07:41:09Z", "2024-06-30T09:41:09+02:00"])
      expect(readGeneric({ ...MINIMAL, timestamp })).toEqual([FIX]);
    expect(readGeneric({ ...MINIMAL, timestamp: 1_719_733_269_000 })).toEqual([
      { ...FIX, time: 1_719_733_269_000 },
    ]);
  });

  test("takes Points of GeoJSON, alone, collected or in an array", () => {
    expect(readGeneric(feature(PROPERTIES))).toEqual([FIX]);
    expect(readGeneric(feature({ ...PROPERTIES, ...DETAILS, speed_knots: 7 }))).toEqual([
      { ...FIX, ...DETAILS, speed_knots: 7 },
    ]);
    const collection = { type: "FeatureCollection", features: [feature(PROPERTIES), feature(PROPERTIES)] };
    expect(readGeneric(collection)).toEqual([FIX, FIX]);
    expect(readGeneric([MINIMAL, feature(PROPERTIES)])).toEqual([FIX, FIX]);
  });

  test("takes altitude from the coordinates and the time from beside the properties, if nowhere else", () => {
    const coordinates = [13.0731, 54.1802, 2.5];
    expect(readGeneric(feature(PROPERTIES, coordinates))).toEqual([{ ...FIX, altitude: 2.5 }]);
    expect(readGeneric(feature({ ...PROPERTIES, altitude: 9 }, coordinates))).toEqual([
      { ...FIX, altitude: 9 },
    ]);
    expect(readGeneric({ ...feature(null), timestamp: "2024-06-30T07:41:09Z" })).toEqual([FIX]);
  });

  test("loses no fix for a value that can't be", () => {
    const absurd = {
      ...{ altitude: "high", heading: -1, speed_kmh: -1, speed_mps: null, pdop: -1, hdop: "", vdop: 1e9 },
      ...{ accuracy_m: -1, battery_percent: 101 },
    };
    expect(readGeneric({ ...MINIMAL, ...absurd })).toEqual([FIX]);
  });

  test("rejects each bad element alone", () => {
    const bad: [unknown, string][] = [
      [null, "malformed"],
      [7, "malformed"],
      [[MINIMAL], "malformed"],
      [{}, "no_fix"],
      [{ ...MINIMAL, latitude: 90.1 }, "no_fix"],
      [{ ...MINIMAL, longitude: undefined }, "no_fix"],
      [{ ...MINIMAL, timestamp: undefined }, "no_time"],
      [{ ...MINIMAL, timestamp: "noon" }, "malformed"],
      [feature({}), "no_time"],
      [feature(PROPERTIES, []), "no_fix"],
      [{ ...feature(PROPERTIES), geometry: null }, "no_fix"],
      [{ ...feature(PROPERTIES), geometry: { type: "LineString", coordinates: [[13, 54]] } }, "malformed"],
      [{ ...feature(PROPERTIES), geometry: { type: "Point" } }, "malformed"],
    ];
    expect(readGeneric([...bad.map(([element]) => element), MINIMAL])).toEqual([
      ...(bad.map(([, rejected]) => ({ rejected })) as ReturnType<typeof readGeneric>),
      FIX,
    ]);
  });

  test.each([[undefined], [null], ["54.1802,13.0731"], [{ type: "FeatureCollection" }]])(
    "rejects %p as malformed",
    (body) => {
      expect(readGeneric(body)).toEqual([{ rejected: "malformed" }]);
    },
  );
});

test("of any body the generic translator makes sound readings", () => {
  const fields = [
    ...["altitude", "heading", "speed_kmh", "speed_mps", "speed_mph", "speed_knots", "timestamp"],
    ...["pdop", "hdop", "vdop", "accuracy_m", "battery_percent"],
  ];
  const object = objectOf("latitude", "longitude", ...fields);
  const coordinates = fc.array(fc.oneof(fc.double(), fc.double({ min: -80, max: 80 })), { maxLength: 4 });
  const geometry = jsonOr(fc.record({ type: fc.constantFrom("Point", "Polygon"), coordinates }));
  const point = fc.record({
    type: fc.constant("Feature"),
    geometry,
    properties: jsonOr(objectOf(...fields)),
  });
  const features = jsonOr(fc.array(point));
  const collection = fc.record({ type: fc.constant("FeatureCollection"), features });
  fc.assert(
    fc.property(jsonOr(object, point, collection, fc.array(fc.oneof(object, point))), (body) =>
      expectSound(readGeneric(body)),
    ),
    { numRuns: 1_000 },
  );
});
