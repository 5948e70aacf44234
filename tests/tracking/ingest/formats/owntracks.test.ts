import { describe, expect, test } from "bun:test";
import { secretbox } from "@noble/ciphers/salsa.js";
import { readOwnTracks } from "../../../../src/tracking/ingest/formats/owntracks";
import { secretBoxKey } from "../../../../src/tracking/ingest/formats/secret-box";
import { expectSound, fc, jsonOr, objectOf } from "./support";

const UNKNOWN = {
  ...{ altitude: null, heading: null, speed_kmh: null, accuracy_m: null, battery_percent: null },
};
const MINIMAL = { _type: "location", lat: 54.0929, lon: 13.393, tst: 1_719_733_269 };
const PLACE = { latitude: 54.0929, longitude: 13.393, time: 1_719_733_269 };

const read = (message: unknown) => readOwnTracks(message, null);

describe("a location of OwnTracks", () => {
  test.each([
    ["with the least that it can have", MINIMAL, { ...PLACE, ...UNKNOWN }],
    [
      "of an Android under way",
      {
        ...{ _type: "location", _id: "7c1e09ab", acc: 6, alt: 31, batt: 58, bs: 1, cog: 212, conn: "m" },
        ...{ created_at: 1_719_733_270, lat: 54.1802, lon: 13.0731, m: 2, t: "t", tid: "sd" },
        ...{ topic: "owntracks/crew/phone", tst: 1_719_733_269, vac: 3, vel: 23, source: "gps", qos: 1 },
      },
      {
        ...{ latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269, altitude: 31, heading: 212 },
        ...{ speed_kmh: 23, accuracy_m: 6, battery_percent: 58 },
      },
    ],
    [
      "of an iPhone with pressure, regions and a network",
      {
        ...{ _type: "location", acc: 12, alt: 0, batt: 100, bs: 3, cog: 0, conn: "w", lat: -33.5, lon: 151 },
        ...{ p: 101.325, inregions: ["Harbour"], inrids: ["6a3f"], ssid: "Quay", bssid: "02:00:00:00:00:00" },
        ...{ m: 1, t: "u", tid: "IP", tst: 1_719_733_269, vac: 8, vel: 0, topic: "owntracks/crew/ABCD" },
      },
      {
        ...{ latitude: -33.5, longitude: 151, time: 1_719_733_269, altitude: 0, heading: 0 },
        ...{ speed_kmh: 0, accuracy_m: 12, battery_percent: 100 },
      },
    ],
    [
      "of a gateway with keys of its own",
      {
        ...{ ...MINIMAL, cog: 113, vel: 7, acc: 10, alt: 913, t: "I" },
        ...{ mcc: 262, mnc: 1, lac: "3A2F", cid: "55C1", don: 77, tid: "GW" },
      },
      { ...PLACE, ...UNKNOWN, altitude: 913, heading: 113, speed_kmh: 7, accuracy_m: 10 },
    ],
    ["at 0, 0, told so", { ...MINIMAL, lat: 0, lon: 0 }, { ...PLACE, latitude: 0, longitude: 0, ...UNKNOWN }],
    ["of numbers as texts", { ...MINIMAL, lat: "54.0929", tst: "1719733269" }, { ...PLACE, ...UNKNOWN }],
  ])("%s is a fix", (_, message, fix) => {
    expect(read(message)).toEqual([fix]);
  });

  test("on the equator or the prime meridian lacks a coordinate on Android; without both there is no place", () => {
    const { lat, lon, ...rest } = MINIMAL;
    expect(read({ ...rest, lon })).toEqual([{ ...PLACE, latitude: 0, ...UNKNOWN }]);
    expect(read({ ...rest, lat })).toEqual([{ ...PLACE, longitude: 0, ...UNKNOWN }]);
    expect(read(rest)).toEqual([{ rejected: "no_fix" }]);
    expect(read({ _type: "location" })).toEqual([{ rejected: "no_fix" }]);
    expect(read({ ...rest, lat: null, lon })).toEqual([{ rejected: "no_fix" }]);
    expect(read({ ...rest, lat: 91, lon })).toEqual([{ rejected: "no_fix" }]);
  });

  test("without a readable time is none", () => {
    const { tst: _, ...rest } = MINIMAL;
    expect(read(rest)).toEqual([{ rejected: "no_time" }]);
    expect(read({ ...rest, created_at: 1_719_733_269 })).toEqual([{ rejected: "no_time" }]);
    expect(read({ ...rest, tst: "soon" })).toEqual([{ rejected: "malformed" }]);
  });

  test("with values that can't be is a fix without them", () => {
    const absurd = { alt: 1e9, cog: -1, vel: -1, acc: -1, batt: -100 };
    expect(read({ ...MINIMAL, ...absurd })).toEqual([{ ...PLACE, ...UNKNOWN }]);
    expect(read({ ...MINIMAL, alt: 12, vac: -1, acc: 0 })).toEqual([{ ...PLACE, ...UNKNOWN }]);
    expect(read({ ...MINIMAL, alt: 12, vac: 0 })).toEqual([{ ...PLACE, ...UNKNOWN, altitude: 12 }]);
  });

  test("of Overland in its mode for OwnTracks counts from 2001", () => {
    const fromOverland = {
      ...{ _type: "location", lat: 54.0929, lon: 13.393, tst: 1_719_733_269 - 978_307_200 },
      ...{ acc: 5, batt: 87, topic: "owntracks/boat" },
    };
    expect(read(fromOverland)).toEqual([{ ...PLACE, ...UNKNOWN, accuracy_m: 5, battery_percent: 87 }]);
    // A clock that begins in 1970 or 1980 is wrong, not Apple's.
    for (const tst of [0, 315_964_800, 1_262_304_000])
      expect(read({ ...MINIMAL, tst })).toEqual([{ ...PLACE, time: tst, ...UNKNOWN }]);
  });
});

describe("a message of OwnTracks that is no location", () => {
  test.each([
    { _type: "transition", event: "enter", desc: "Harbour", lat: 54.1, lon: 13.4, tst: 1_719_733_269 },
    { _type: "waypoint", desc: "Harbour", lat: 54.1, lon: 13.4, rad: 200, tst: 1_719_733_269 },
    { _type: "waypoints", waypoints: [] },
    { _type: "lwt", tst: 1_719_733_269 },
    { _type: "card", tid: "sd", name: "Sea Dog" },
    { _type: "cmd", action: "reportLocation" },
    { _type: "configuration", mode: 3 },
    { _type: "status", android: {} },
    { _type: "tomorrow's type", lat: 54.1, lon: 13.4, tst: 1_719_733_269 },
    { some: "thing" },
    ...[undefined, null, ""],
  ])("leaves nothing: %p", (message) => {
    expect(read(message)).toEqual([]);
  });

  test.each([[[MINIMAL]], [7], ["location"], [true]])("is malformed if it is no object: %p", (message) => {
    expect(read(message)).toEqual([{ rejected: "malformed" }]);
  });
});

describe("an encrypted message of OwnTracks", () => {
  const seal = (text: string, secret: string): string => {
    const nonce = Uint8Array.from({ length: 24 }, (_, at) => at);
    const sealed = secretbox(secretBoxKey(secret), nonce).seal(new TextEncoder().encode(text));
    return Buffer.concat([nonce, sealed]).toString("base64");
  };
  const encrypted = (data: unknown) => ({ _type: "encrypted", _id: "0c51aa9e", data });
  const NOT_DECRYPTED = [{ rejected: "not_decrypted" }] as ReturnType<typeof read>;

  // Made with libsodium's own crypto_secretbox_easy (1.0.18).
  test.each([
    [
      "shorter than a key",
      "Kurs Süd-Ost 7",
      "AAkSGyQtNj9IUVpjbHV+h5CZoqu0vcbP781LNSq2RbNX1K2mjQWGF0ao5IAiZYEWwZZ4HReqHyzH82fY/GyusJdwvuQRlDMK25bHaOFzUne4FwzurbRAhyJrSl9R+PQiWRv+dHcZ+6OzjOLsjbpn/nGyOhxdzqSJxoa6nArhnxwjDgUQy9nK9QhTAWv1McjZYcjnx6/B0FTBz4DUStjemCNP/hM6RPQc2QrDCqBsYhS2dMZ7LJbc+8hn5lDaY2e4YQ==",
    ],
    [
      "longer than a key",
      "Ein Schlüssel, der viel länger ist als 32 Bytes",
      "AAkSGyQtNj9IUVpjbHV+h5CZoqu0vcbPQJB/ZFkpawQCFI1EmO/u/t4GbtL7M1vNHRLYhJbYlB7LvSC7OSWIbzDXQ49OKTn6PDMFKPNrwXlJTmBn3CcOlm7NO+/1IFbXJ59ki0Z1nFmxbYOHCdWgvOxmAtQoEIbSPKL1DCFEZflEh7NyWq/9dJHAgAet0LqCmXcPoJgjCevPVkBZHYpizomDtt62v2hp4r1w4XHCiweTnUE+zgv1gCD/BoCczIjCAw==",
    ],
  ])("is opened with a secret %s", (_, secret, data) => {
    expect(readOwnTracks(encrypted(data), secret)).toEqual([
      {
        ...{ latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269, altitude: 4, heading: 212 },
        ...{ speed_kmh: 11, accuracy_m: 7, battery_percent: 81 },
      },
    ]);
    expect(readOwnTracks(encrypted(data), `X${secret}`)).toEqual(NOT_DECRYPTED);
    expect(readOwnTracks(encrypted(data), null)).toEqual(NOT_DECRYPTED);
    expect(readOwnTracks(encrypted(data.replace("QtNj9I", "QtNj9J")), secret)).toEqual(NOT_DECRYPTED);
  });

  test("leaves nothing if it holds another type, and is malformed if it holds no message", () => {
    const opened = (text: string) => readOwnTracks(encrypted(seal(text, "s")), "s");
    expect(opened(JSON.stringify(MINIMAL))).toEqual([{ ...PLACE, ...UNKNOWN }]);
    expect(opened('{"_type":"card","tid":"sd"}')).toEqual([]);
    expect(opened(JSON.stringify(encrypted(seal(JSON.stringify(MINIMAL), "s"))))).toEqual([]);
    for (const text of ["", "no JSON", "[]", "7", "null"])
      expect(opened(text)).toEqual([{ rejected: "malformed" }]);
  });

  test.each([[undefined], [null], [""], ["AAAA"], [7], [{}], ["A".repeat(53)], ["§§§"]])(
    "is not decrypted if its data is %p",
    (data) => {
      expect(readOwnTracks(encrypted(data), "s")).toEqual(NOT_DECRYPTED);
    },
  );
});

test("of any message OwnTracks' translator makes sound readings", () => {
  const fields = ["lat", "lon", "tst", "alt", "vac", "cog", "vel", "acc", "batt", "data"];
  const type = fc.constantFrom("location", "location", "location", "encrypted", "lwt");
  const message = fc.tuple(objectOf(...fields), type).map(([object, _type]) => ({ ...object, _type }));
  fc.assert(
    fc.property(jsonOr(message), fc.option(fc.string()), (body, key) =>
      expectSound(readOwnTracks(body, key)),
    ),
    { numRuns: 1_000 },
  );
});
