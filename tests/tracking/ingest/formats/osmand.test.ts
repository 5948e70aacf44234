import { describe, expect, test } from "bun:test";
import {
  type OsmAndDialect,
  readOsmAnd,
  readTraccarJson,
} from "../../../../src/tracking/ingest/formats/osmand";
import { expectSound, fc, jsonOr, objectOf, paramsOf } from "./support";

const UNKNOWN = {
  ...{ altitude: null, heading: null, speed_knots: null, pdop: null, hdop: null, vdop: null },
  ...{ accuracy_m: null, battery_percent: null },
};
const PLACE = { latitude: 54.0929, longitude: 13.393, time: 1_719_733_269 };
const MINIMAL = "id=700123&lat=54.0929&lon=13.393&timestamp=1719733269";

const read = (query: string, dialect: OsmAndDialect = "traccar_client") =>
  readOsmAnd(new URLSearchParams(query), dialect);

describe("a query of Traccar Client", () => {
  test.each([
    ["with the least that it can have", MINIMAL, {}],
    ["with a label of the other name", MINIMAL.replace("id=", "deviceid="), {}],
    ["with both coordinates in one", "id=1&timestamp=1719733269&location=54.0929,13.393", {}],
    [
      "of version 10",
      `${MINIMAL}&accuracy=3.5&altitude=12.4&speed=10.00&bearing=301.5&batt=64&charge=true&alarm=sos`,
      { accuracy_m: 3.5, altitude: 12.4, speed_knots: 10, heading: 301.5, battery_percent: 64 },
    ],
    [
      "of version 8, which writes 0.0 for what it doesn't know",
      `${MINIMAL}&speed=0.0&bearing=0.0&altitude=0.0&accuracy=0.0&batt=38.0`,
      { speed_knots: 0, heading: 0, altitude: 0, battery_percent: 38 },
    ],
    [
      "with heading, dilutions and things of its own",
      `${MINIMAL}&heading=7.2&hdop=1.1&pdop=1.9&vdop=1.5&ignition=true&rpm=1400&fuel=31&driverUniqueId=3`,
      { heading: 7.2, hdop: 1.1, pdop: 1.9, vdop: 1.5 },
    ],
    [
      "with cells and networks",
      `${MINIMAL}&cell=262,01,31,4711,-81&cell=262,01,31,4712&wifi=02-00-00-00-00-01,-70`,
      {},
    ],
    ["that is valid", `${MINIMAL}&valid=1`, {}],
    ["that is valid in letters", `${MINIMAL}&valid=True`, {}],
    ["with the place of its address in front", `lat=1&lon=2&${MINIMAL}`, {}],
    [
      "with values that can't be",
      `${MINIMAL}&speed=-1&bearing=361&altitude=high&accuracy=-1&batt=101&hdop=`,
      {},
    ],
  ])("%s is a fix", (_, query, details) => {
    expect(read(query)).toEqual([{ ...PLACE, ...UNKNOWN, ...details }]);
  });

  test.each([
    ["1719733269", 1_719_733_269],
    ["1719733269123", 1_719_733_269.123],
    ["2147483648", 2_147_483_648],
    ["2024-06-30T07:41:09Z", 1_719_733_269],
    ["2024-06-30T07%3A41%3A09.500%2B00%3A00", 1_719_733_269.5],
    ["2024-06-30T09:41:09+02:00", 1_719_733_269],
    ["2024-06-30+07%3A41%3A09", 1_719_733_269],
    ["619315200", 619_315_200],
  ])("with the timestamp %s is of that time", (timestamp, time) => {
    expect(read(`lat=54.0929&lon=13.393&timestamp=${timestamp}`)).toEqual([{ ...PLACE, ...UNKNOWN, time }]);
  });

  test.each([
    ["lat=54.0929&lon=13.393", "no_time"],
    ["lat=54.0929&lon=13.393&timestamp=", "no_time"],
    ["lat=54.0929&lon=13.393&timestamp=now", "malformed"],
    ["lat=54.0929&timestamp=1719733269", "no_fix"],
    ["lat=&lon=&timestamp=1719733269", "no_fix"],
    ["lat={0}&lon={1}&timestamp={2}", "no_fix"],
    ["lat=154.0929&lon=13.393&timestamp=1719733269", "no_fix"],
    ["location=54.0929&timestamp=1719733269", "no_fix"],
    ["location=&timestamp=1719733269", "no_fix"],
    [`${MINIMAL}&valid=0`, "no_fix"],
    [`${MINIMAL}&valid=false`, "no_fix"],
  ] as const)("%s is rejected as %s", (query, rejected) => {
    expect(read(query)).toEqual([{ rejected }]);
  });

  test.each([
    "id=700123&timestamp=1719733269&batt=64&charge=true",
    "id=700123&timestamp=1719733269&cell=262,01,31,4711",
    "id=700123&notificationToken=secret-of-the-push-service",
    "",
  ])("without a place leaves nothing: %s", (query) => {
    expect(read(query)).toEqual([]);
  });
});

describe("a query of OsmAnd", () => {
  const { speed_knots: _, hdop: __, ...REST } = UNKNOWN;
  const OSMAND = { ...PLACE, ...REST, speed_mps: null };

  test("has m/s, milliseconds, and the accuracy in metres as hdop", () => {
    const query =
      "lat=54.0929&lon=13.393&timestamp=1719733269123&hdop=3.8&altitude=2.6&speed=5.25&bearing=98.5";
    expect(read(query, "osmand")).toEqual([
      {
        ...{ ...OSMAND, time: 1_719_733_269.123, accuracy_m: 3.8, altitude: 2.6 },
        ...{ speed_mps: 5.25, heading: 98.5 },
      },
    ]);
    expect(read(`${query}&accuracy=9&battery=71`, "osmand")).toMatchObject([
      { accuracy_m: 9, battery_percent: 71 },
    ]);
  });

  test("has 0.0 for what is unknown, but for a speed of 0 at rest", () => {
    expect(read(`${MINIMAL}&hdop=0.0&altitude=0.0&speed=0.0&bearing=0.0`, "osmand")).toEqual([
      { ...OSMAND, speed_mps: 0 },
    ]);
  });
});

describe("the JSON of Traccar Client 9", () => {
  const COORDS = { latitude: 54.0929, longitude: 13.393, accuracy: 4, speed: 2.5, heading: 187, altitude: 9 };
  const LOCATION = {
    ...{ timestamp: "2024-06-30T07:41:09.250Z", coords: COORDS, is_moving: true, odometer: 812.5 },
    ...{ event: "motionchange", battery: { level: 0.57, is_charging: false }, activity: { type: "unknown" } },
    ...{ extras: {}, _: "&id=700123&lat=1.5&lon=2.5&timestamp=2020-01-01T00:00:00.000Z&" },
  };
  const JSON_UNKNOWN = {
    ...{ altitude: null, heading: null, speed_mps: null, accuracy_m: null, battery_percent: null },
  };
  const message = (location: object) => ({ location, device_id: "700123" });

  test("has m/s and a battery from 0 to 1", () => {
    expect(readTraccarJson(message(LOCATION))).toEqual([
      {
        ...{ latitude: 54.0929, longitude: 13.393, time: 1_719_733_269.25, altitude: 9, heading: 187 },
        ...{ speed_mps: 2.5, accuracy_m: 4, battery_percent: 57 },
      },
    ]);
  });

  test("has the accuracies of the library's default template", () => {
    const coords = { ...COORDS, speed_accuracy: 0.4, heading_accuracy: 3, altitude_accuracy: 6, floor: null };
    const location = { ...LOCATION, coords, uuid: "5D0C", mock: false, age: 12 };
    expect(readTraccarJson(message(location))).toEqual(readTraccarJson(message(LOCATION)));
  });

  test("has −1 for what is unknown, as the value or as its accuracy", () => {
    const battery = { level: -1, is_charging: false };
    const unknown = { ...COORDS, speed: -1, heading: -1, altitude_accuracy: -1, accuracy: -1 };
    const invalid = {
      ...{ ...COORDS, speed_accuracy: -1, heading_accuracy: -1, altitude_accuracy: -1, accuracy: 0 },
    };
    for (const coords of [unknown, invalid])
      expect(readTraccarJson(message({ ...LOCATION, coords, battery }))).toEqual([
        { latitude: 54.0929, longitude: 13.393, time: 1_719_733_269.25, ...JSON_UNKNOWN },
      ]);
  });

  test("leaves nothing of a message without coordinates, or with the push service's token", () => {
    const { coords: _, ...heartbeat } = LOCATION;
    expect(readTraccarJson(message(heartbeat))).toEqual([]);
    expect(readTraccarJson(message({ ...heartbeat, coords: null }))).toEqual([]);
    expect(readTraccarJson({ device_id: "700123", notificationToken: "secret" })).toEqual([]);
  });

  test.each([
    ["without a time", message({ ...LOCATION, timestamp: undefined }), "no_time"],
    ["with a word as its time", message({ ...LOCATION, timestamp: "yesterday" }), "malformed"],
    ["with empty coordinates", message({ ...LOCATION, coords: {} }), "no_fix"],
    ["beyond the pole", message({ ...LOCATION, coords: { ...COORDS, latitude: 91 } }), "no_fix"],
    ["with an array of coordinates", message({ ...LOCATION, coords: [54, 13] }), "malformed"],
    ["with a word as its location", { location: "here" }, "malformed"],
    ["without a location", { device_id: "700123" }, "malformed"],
    ["that is an array", [LOCATION], "malformed"],
    ["that is nothing", undefined, "malformed"],
  ] as const)("%s is rejected", (_, body, rejected) => {
    expect(readTraccarJson(body)).toEqual([{ rejected }]);
  });
});

test("of any query and any JSON the translators make sound readings", () => {
  const names = ["lat", "lon", "location", "timestamp", "valid", "speed", "bearing", "heading", "altitude"];
  const query = paramsOf(...names, "hdop", "pdop", "vdop", "accuracy", "batt", "battery");
  const dialect = fc.constantFrom<OsmAndDialect>("traccar_client", "osmand");
  fc.assert(
    fc.property(query, dialect, (params, kind) => expectSound(readOsmAnd(params, kind))),
    { numRuns: 1_000 },
  );
  const accuracies = ["accuracy", "speed_accuracy", "heading_accuracy", "altitude_accuracy"];
  const coords = objectOf("latitude", "longitude", "speed", "heading", "altitude", ...accuracies);
  const location = fc.record({
    timestamp: fc.constantFrom<unknown>("2024-06-30T07:41:09Z", 1_719_733_269_000, null),
    coords: jsonOr(coords),
    battery: jsonOr(objectOf("level")),
  });
  fc.assert(
    fc.property(jsonOr(fc.record({ location: jsonOr(location) })), (body) =>
      expectSound(readTraccarJson(body)),
    ),
    { numRuns: 1_000 },
  );
});
