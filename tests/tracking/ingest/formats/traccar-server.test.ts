import { describe, expect, test } from "bun:test";
import { readTraccarForward } from "../../../../src/tracking/ingest/formats/traccar-server";
import { expectSound, fc, jsonOr, objectOf } from "./support";

const POSITION = {
  ...{ id: 0, deviceId: 9, protocol: "h02", serverTime: "2024-06-30T07:41:12.006+00:00" },
  ...{ deviceTime: "2024-06-30T07:41:09.000+00:00", fixTime: "2024-06-30T07:41:09.000+00:00", valid: true },
  ...{ latitude: 54.1802, longitude: 13.0731, altitude: 2, speed: 10, course: 251, address: null },
  ...{ accuracy: 0, network: null, geofenceIds: null },
  attributes: { sat: 9, hdop: 1.2, pdop: 2.1, vdop: 1.6, batteryLevel: 88, motion: true, distance: 31.4 },
};
const DEVICE = {
  ...{ id: 9, name: "Tender", uniqueId: "860000000000017", status: "online", category: "boat" },
  ...{ attributes: {}, groupId: 0, disabled: false, phone: null },
};
const FIX = {
  ...{ latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269, altitude: 2, heading: 251 },
  ...{ speed_knots: 10, pdop: 2.1, hdop: 1.2, vdop: 1.6, accuracy_m: null, battery_percent: 88 },
};

const forwarded = (position: object, device: unknown = DEVICE) =>
  readTraccarForward({ position: { ...POSITION, ...position }, device });
const named = (reading: unknown) =>
  ({ uniqueId: "860000000000017", reading }) as ReturnType<typeof forwarded>;

describe("a position that Traccar forwards", () => {
  test("has knots, and battery and dilutions among its attributes", () => {
    expect(forwarded({})).toEqual(named(FIX));
    expect(forwarded({ accuracy: 7.5 })).toEqual(named({ ...FIX, accuracy_m: 7.5 }));
    expect(forwarded({ fixTime: "2024-06-30T07:41:09.000+0000" })).toEqual(named(FIX));
  });

  test("may lack its attributes, and has 0.0 where the device told nothing", () => {
    const without = { pdop: null, hdop: null, vdop: null, battery_percent: null };
    for (const attributes of [{}, null, "none", { batteryLevel: 300, hdop: -1 }])
      expect(forwarded({ attributes })).toEqual(named({ ...FIX, ...without }));
    expect(forwarded({ altitude: 0, speed: 0, course: 0 })).toEqual(
      named({ ...FIX, altitude: 0, speed_knots: 0, heading: 0 }),
    );
  });

  test("without a fix of its own has the time of the last one, so that it is a duplicate", () => {
    const repeated = { deviceTime: "2024-06-30T07:51:09.000+00:00", attributes: { motion: false } };
    expect(forwarded(repeated)).toMatchObject({ reading: { time: 1_719_733_269 } });
  });

  test("is no fix if it isn't valid", () => {
    const never = { fixTime: "1980-01-06T00:00:00.000+00:00", latitude: 0, longitude: 0, valid: false };
    for (const position of [never, { valid: false }, { valid: null }, { latitude: 91 }, { longitude: null }])
      expect(forwarded(position)).toEqual(named({ rejected: "no_fix" }));
  });

  test("is rejected without a readable time", () => {
    expect(forwarded({ fixTime: null })).toEqual(named({ rejected: "no_time" }));
    expect(forwarded({ fixTime: "Sunday" })).toEqual(named({ rejected: "malformed" }));
  });

  test("names its device, or nobody", () => {
    for (const device of [undefined, null, {}, { uniqueId: "" }, { uniqueId: 7 }, "860000000000017"])
      expect(readTraccarForward({ position: POSITION, device })).toEqual({ uniqueId: null, reading: FIX });
    expect(readTraccarForward({ device: DEVICE })).toEqual(named({ rejected: "malformed" }));
    for (const body of [undefined, null, [], 7, "position"])
      expect(readTraccarForward(body)).toEqual({ uniqueId: null, reading: { rejected: "malformed" } });
  });
});

test("of any message the translator of forwarding makes sound readings", () => {
  const position = fc
    .tuple(
      objectOf(
        ...["latitude", "longitude", "fixTime", "altitude", "speed", "course", "accuracy", "attributes"],
      ),
      objectOf("hdop", "pdop", "vdop", "batteryLevel"),
    )
    .map(([object, attributes]) => ({ attributes, ...object, valid: true }));
  const message = fc.record({ position: jsonOr(position), device: jsonOr(objectOf("uniqueId")) });
  fc.assert(
    fc.property(jsonOr(message), (body) => {
      const { uniqueId, reading } = readTraccarForward(body);
      expect(uniqueId === null || typeof uniqueId === "string").toBe(true);
      expectSound([reading]);
    }),
    { numRuns: 1_000 },
  );
});
