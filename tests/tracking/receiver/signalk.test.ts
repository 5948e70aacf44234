import { describe, expect, test } from "bun:test";
import { SIGNALK_SUBSCRIPTION, SignalkReader, signalkStream } from "../../../src/tracking/receiver/signalk";
import { read, told } from "./support";

/** The stream of a Signal K server to fixes. Its form is that of the Signal K specification, Delta Format. */

const SELF = "vessels.urn:mrn:signalk:uuid:0a5d3c52-6b1e-4f0b-9c55-2f1f6f3f7a01";
const TIME = "2026-05-04T10:20:30.000Z";
const AT = Date.parse(TIME) / 1_000;
const PLACE = { latitude: 54.125, longitude: -13.5 };

const after = (seconds: number) => new Date((AT + seconds) * 1_000).toISOString();
const hello = { name: "server", version: "2.0.0", self: SELF, roles: ["master", "main"] };

/** A delta with values of one source, some seconds after TIME. */
const delta = (
  values: Record<string, unknown>,
  seconds = 0,
  $source = "gps.GP",
  context: unknown = SELF,
) => ({
  context,
  updates: [
    {
      $source,
      timestamp: after(seconds),
      values: Object.entries(values).map(([path, value]) => ({ path: `navigation.${path}`, value })),
    },
  ],
});
const position = (seconds = 0, $source = "gps.GP", place: object | null = PLACE) =>
  delta({ position: place }, seconds, $source);
const readAll = (...messages: object[]) =>
  read(new SignalkReader(), ...[hello, ...messages].map((message) => JSON.stringify(message))).map(told);

describe("a fix", () => {
  test("joins the speed and the course that came within seconds", () => {
    const motion = delta({ speedOverGround: 3.85, courseOverGroundTrue: 2.971 }, 0.4);
    const fix = { ...PLACE, time: AT, speed_mps: 3.85, heading: 170.225761 };
    expect(readAll(motion, position())).toEqual([fix]);
    expect(readAll(position(), motion)).toEqual([fix]);
  });

  test.each([
    [0, 0],
    [Math.PI, 180],
    [2 * Math.PI, 0],
    [-Math.PI / 2, 270],
    [7, 41.070457],
  ])("has the course %f rad as %f degrees", (radians, degrees) => {
    expect(readAll(position(), delta({ courseOverGroundTrue: radians }))).toEqual([
      { ...PLACE, time: AT, heading: degrees },
    ]);
  });

  test("leaves out a speed that is old, lost or none", () => {
    const bare = [{ ...PLACE, time: AT }];
    expect(readAll(delta({ speedOverGround: 3.85 }, -6), position())).toEqual(bare);
    expect(readAll(delta({ speedOverGround: 3.85 }), delta({ speedOverGround: null }), position())).toEqual(
      bare,
    );
    expect(readAll(delta({ speedOverGround: -1, courseOverGroundTrue: "north" }), position())).toEqual(bare);
  });

  test("takes height and dilutions where they are told", () => {
    const gnss = delta({
      "gnss.horizontalDilution": 0.9,
      "gnss.positionDilution": 1.6,
      "gnss.antennaAltitude": 3.5,
    });
    const fix = { ...PLACE, time: AT, hdop: 0.9, pdop: 1.6 };
    expect(readAll(gnss, position())).toEqual([{ ...fix, altitude: 3.5 }]);
    expect(readAll(gnss, position(0, "gps.GP", { ...PLACE, altitude: 2.5 }))).toEqual([
      { ...fix, altitude: 2.5 },
    ]);
    expect(readAll(delta({ "gnss.horizontalDilution": 99.99 }), position())).toEqual([
      { ...PLACE, time: AT },
    ]);
  });

  test("is told once the next one comes, and the last of a pause", () => {
    const reader = new SignalkReader();
    const take = (message: object) => reader.take(JSON.stringify(message)).readings.map(told);
    expect(take(position())).toEqual([]);
    expect(take(position(1))).toEqual([{ ...PLACE, time: AT }]);
    expect(reader.flush().map(told)).toEqual([{ ...PLACE, time: AT + 1 }]);
  });

  test("of another source counts only while the first one has none, and takes its own speed first", () => {
    const other = { latitude: 54.13, longitude: -13.51 };
    expect(readAll(position(), position(1, "n2k.115", other), position(2)).length).toBe(2);
    expect(readAll(position(), position(11, "n2k.115", other)).at(-1)).toMatchObject(other);
    expect(
      readAll(position(), position(1, "gps.GP", null), position(1, "n2k.115", other)).at(-1),
    ).toMatchObject(other);
    expect(
      readAll(delta({ speedOverGround: 1 }), delta({ speedOverGround: 2 }, 0, "n2k.115"), position()),
    ).toMatchObject([{ speed_mps: 1 }]);
    expect(readAll(delta({ speedOverGround: 2 }, 0, "n2k.115"), position())).toMatchObject([
      { speed_mps: 2 },
    ]);
  });

  test("knows its source in the long form, its vessel without a context, and no time without a timestamp", () => {
    const source = { label: "N2000-01", type: "NMEA2000", src: "115", pgn: 129025 };
    const values = [{ path: "navigation.position", value: PLACE }];
    expect(readAll({ updates: [{ source, timestamp: TIME, values }] })).toEqual([{ ...PLACE, time: AT }]);
    expect(readAll({ context: "vessels.self", updates: [{ source, values }] })).toEqual([PLACE]);
  });
});

describe("no fix", () => {
  const NONE = [{ rejected: "no_fix" }];

  test.each([null, {}, { latitude: 54 }, { latitude: 91, longitude: 0 }, { latitude: "54", longitude: 13 }])(
    "is the position %j",
    (place) => {
      expect(readAll(position(0, "gps.GP", place))).toEqual(NONE);
    },
  );

  test.each(["no GPS", "Simulator mode", "Estimated (DR) mode", "Manual input", "Error"])(
    "is a position by the method %p",
    (method) => {
      expect(readAll(delta({ "gnss.methodQuality": method }), position())).toEqual(NONE);
    },
  );

  test("isn't one by a receiver", () => {
    expect(readAll(delta({ "gnss.methodQuality": "DGNSS fix" }), position())).toEqual([
      { ...PLACE, time: AT },
    ]);
  });
});

test("other vessels, other values and descriptions of values are left alone", () => {
  const other = "vessels.urn:mrn:imo:mmsi:211000001";
  expect(
    readAll(
      delta({ position: PLACE }, 0, "ais", other),
      delta({ headingTrue: 1, speedThroughWater: 3 }),
      { context: SELF, updates: [{ $source: "gps.GP", meta: [{ path: "navigation.position", value: {} }] }] },
      { context: SELF, updates: [null, 7, { values: [null, { path: 3 }] }, { values: "none" }] },
      { context: SELF, updates: "none" },
      { requestId: "1", state: "COMPLETED" },
    ),
  ).toEqual([]);
});

test("anything but an object makes no sense", () => {
  const reader = new SignalkReader();
  for (const text of ["", "{", "null", "7", '"hello"'])
    expect([text, reader.take(text).makesSense]).toEqual([text, false]);
  expect(reader.take(JSON.stringify(hello)).makesSense).toBe(true);
});

test("the stream is asked for the own vessel's values alone, without those of before", () => {
  const query = "?subscribe=none&sendCachedValues=false";
  expect(signalkStream("ws://boat.local:3000")).toBe(`ws://boat.local:3000/signalk/v1/stream${query}`);
  expect(signalkStream("wss://proxy.example/boat/signalk/v1/stream")).toBe(
    `wss://proxy.example/boat/signalk/v1/stream${query}`,
  );
  const { context, subscribe } = JSON.parse(SIGNALK_SUBSCRIPTION);
  expect(context).toBe("vessels.self");
  expect(subscribe.map(({ path, policy }: { path: string; policy: string }) => [path, policy])).toEqual([
    ["navigation.position", "instant"],
    ["navigation.speedOverGround", "instant"],
    ["navigation.courseOverGroundTrue", "instant"],
    ["navigation.gnss.*", "instant"],
  ]);
});
