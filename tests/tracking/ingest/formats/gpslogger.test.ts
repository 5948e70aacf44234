import { describe, expect, test } from "bun:test";
import { readGpsLogger } from "../../../../src/tracking/ingest/formats/gpslogger";
import { expectSound, fc, jsonOr, objectOf, paramsOf } from "./support";

const PLACE = { latitude: 54.1802, longitude: 13.0731, time: 1_719_733_269 };
const UNKNOWN = {
  ...{ altitude: null, heading: null, speed_mps: null, pdop: null, hdop: null, vdop: null },
  ...{ accuracy_m: null, battery_percent: null },
};
const FIX = {
  ...{ ...PLACE, altitude: 4.5, heading: 251, speed_mps: 3.25, pdop: 1.7, hdop: 0.9, vdop: 1.4 },
  ...{ accuracy_m: 6.5, battery_percent: 64 },
};
const TEMPLATE =
  "lat=54.1802&lon=13.0731&timestamp=1719733269&altitude=4.5&heading=251.0&speed_mps=3.25&hdop=0.9&vdop=1.4&pdop=1.7&accuracy=6.5&battery=64.0";

const read = (query: string) => readGpsLogger(new URLSearchParams(query));

describe("a message of GPSLogger", () => {
  test("has the parameters of our template, in any case, as a query, a form or JSON", () => {
    expect(read(TEMPLATE)).toEqual([FIX]);
    expect(read(TEMPLATE.replaceAll(/(\w+)=/g, (name) => name.toUpperCase()))).toEqual([FIX]);
    const object = Object.fromEntries(new URLSearchParams(TEMPLATE));
    expect(readGpsLogger(object)).toEqual([FIX]);
    const numbers = Object.entries(object).map(([name, value]) => [name, Number(value)]);
    expect(readGpsLogger(Object.fromEntries(numbers))).toEqual([FIX]);
  });

  test("has the parameters of the app's own %ALL", () => {
    const all =
      "lat=54.1802&lon=13.0731&sat=11&desc=off+the+pier&alt=4.5&acc=6.5&dir=251.0&prov=gps&spd_kph=11.7&spd=3.25" +
      "&timestamp=1719733269&timeoffset=2024-06-30T09:41:09.400%2B02:00&time=2024-06-30T07:41:09.400Z" +
      "&starttimestamp=1719700000&date=2024-06-30&batt=64.0&ischarging=false&aid=22&ser=X1&act=&filename=20240630" +
      "&profile=Default+Profile&hdop=0.9&vdop=1.4&pdop=1.7&dist=812&";
    expect(read(all)).toEqual([FIX]);
  });

  test("has 0.0 and empty dilutions for what is unknown, but for a speed of 0 at rest", () => {
    const missing = "&altitude=0.0&heading=0.0&speed_mps=0.0&hdop=&vdop=&pdop=&accuracy=0.0&battery=0.0";
    expect(read(`lat=54.1802&lon=13.0731&timestamp=1719733269${missing}`)).toEqual([
      { ...PLACE, ...UNKNOWN, speed_mps: 0 },
    ]);
    expect(read("lat=54.1802&lon=13.0731&timestamp=1719733269&hdop=99.99&vdop=0.0&pdop=0.8")).toMatchObject([
      { hdop: null, vdop: null, pdop: 0.8 },
    ]);
  });

  test("has its speed in km/h where no other is told", () => {
    const [fix] = read("lat=54.1802&lon=13.0731&timestamp=1719733269&spd_kph=11.7");
    expect(fix).toMatchObject({ speed_kmh: 11.7 });
    expect(fix).not.toHaveProperty("speed_mps");
    const { speed_mps: _, ...rest } = UNKNOWN;
    expect(read("lat=54.1802&lon=13.0731&timestamp=1719733269")).toEqual([
      { ...PLACE, ...rest, speed_kmh: null },
    ]);
  });

  test.each([
    ["timestamp=1719733269", 1_719_733_269],
    ["timestamp=1719733269000", 1_719_733_269],
    ["time=2024-06-30T07:41:09.250Z", 1_719_733_269.25],
    ["time=2024-06-30T09:41:09.250%2B02:00", 1_719_733_269.25],
    ["time=2024-06-30T09:41:09.250+02:00", 1_719_733_269.25],
    ["timestamp=&time=1719733269", 1_719_733_269],
  ])("with %s is of that time", (parameters, time) => {
    expect(read(`lat=54.1802&lon=13.0731&${parameters}`)).toMatchObject([{ time }]);
  });

  test("in JSON has a time that the app encoded for a URL", () => {
    for (const time of ["2024-06-30T07%3A41%3A09.250Z", "2024-06-30T09%3a41%3a09.250%2b02%3a00"])
      expect(readGpsLogger({ lat: 54.1802, lon: 13.0731, time })).toMatchObject([{ time: 1_719_733_269.25 }]);
  });

  test.each([
    ["lat=54.1802&lon=13.0731", "no_time"],
    ["lat=54.1802&lon=13.0731&starttimestamp=1719733269&date=2024-06-30", "no_time"],
    ["lat=54.1802&lon=13.0731&timestamp=%25TIMESTAMP", "malformed"],
    ["lat=54.1802&timestamp=1719733269", "no_fix"],
    ["timeoff=2024-06-30T09:41:09.400%2B02:00", "no_fix"],
    ["lat=north&lon=east&timestamp=1719733269", "no_fix"],
  ] as const)("%s is rejected as %s", (query, rejected) => {
    expect(read(query)).toEqual([{ rejected }]);
  });

  test("leaves nothing if it has no parameter, and is malformed if it is neither a query nor an object", () => {
    expect(read("")).toEqual([]);
    expect(readGpsLogger({})).toEqual([]);
    for (const body of [undefined, null, [], "lat=1", 7])
      expect(readGpsLogger(body)).toEqual([{ rejected: "malformed" }]);
  });
});

test("of any message GPSLogger's translator makes sound readings", () => {
  const names = [
    ...["lat", "LON", "lon", "timestamp", "time", "altitude", "alt", "heading", "Dir", "speed_mps", "spd"],
    ...["speed_kmh", "spd_kph", "hdop", "VDOP", "pdop", "accuracy", "acc", "battery", "batt"],
  ];
  fc.assert(
    fc.property(jsonOr(objectOf(...names), paramsOf(...names)), (body) => expectSound(readGpsLogger(body))),
    { numRuns: 1_000 },
  );
});
