import { describe, expect, test } from "bun:test";
import { NmeaReader } from "../../../src/tracking/receiver/nmea";
import { recorded } from "../../stand-ins/ais-receiver";
import { nmea, read, told } from "./support";

/** Sentences to fixes. The form of the sentences is that of IEC 61162-1. */

const readAll = (...lines: string[]) => read(new NmeaReader(), ...lines).map(told);
const TIME = Date.parse("2026-05-04T10:20:30Z") / 1_000;
const PLACE = { latitude: 54.125, longitude: -13.5 };
const RMC = nmea("GPRMC,102030,A,5407.5000,N,01330.0000,W,6.4,212.5,040526,3.1,E,A");

describe("a fix", () => {
  test("is joined from all sentences of its time of day, in any order and by any talker", () => {
    const sentences = [
      nmea("GNRMC,102030.00,A,5407.5000,N,01330.0000,W,6.4,212.5,040526,,,D,V"),
      nmea("GPGGA,102030,5407.5000,N,01330.0000,W,2,00,0.9,3.2,M,39.5,M,,"),
      nmea("INGLL,5407.5000,N,01330.0000,W,102030,A,A"),
      nmea("GPZDA,102030.00,04,05,2026,00,00"),
    ];
    const whole = { ...PLACE, time: TIME, speed_knots: 6.4, heading: 212.5, altitude: 3.2, hdop: 0.9 };
    expect(readAll(...sentences)).toEqual([whole]);
    expect(readAll(...sentences.toReversed())).toEqual([whole]);
  });

  test("takes the values of sentences without a time that come after it", () => {
    const vtg = nmea("GPVTG,212.4,T,209.3,M,6.3,N,11.7,K,A");
    const gsa = nmea("GNGSA,A,3,68,69,70,78,84,85,,,,,,,1.5,1.3,1.0,2");
    const gga = nmea("GPGGA,102030,5407.5000,N,01330.0000,W,1,09,1.2,3.2,M,,M,,");
    const zda = nmea("GPZDA,102030,04,05,2026,,");
    const fix = { ...PLACE, time: TIME, altitude: 3.2, heading: 212.4, speed_knots: 6.3 };
    expect(readAll(zda, gga, vtg, gsa)).toEqual([{ ...fix, pdop: 1.5, hdop: 1.2, vdop: 1 }]);
    // After a pause they belong to what follows.
    expect(readAll(vtg, gsa, zda, gga)).toEqual([{ ...fix, pdop: 1.5, hdop: 1.2, vdop: 1 }]);
  });

  test("keeps the speed of RMC where VTG differs, and has no value that none told", () => {
    expect(readAll(RMC, nmea("GPVTG,1.0,T,2.0,M,9.9,N,18.3,K,A"))).toEqual([
      { ...PLACE, time: TIME, speed_knots: 6.4, heading: 212.5 },
    ]);
    expect(readAll(nmea("GPRMC,102030,A,5407.5000,N,01330.0000,W,,,040526,,,A"))).toEqual([
      { ...PLACE, time: TIME },
    ]);
  });

  test.each([
    ["GPVTG,212.4,T,,M,6.3,N,11.7,K,A", { heading: 212.4, speed_knots: 6.3 }],
    ["GPVTG,212.4,209.3,6.3,11.7", { heading: 212.4, speed_knots: 6.3 }],
    ["GPVTG,,T,,M,0.01,N,0.02,K", { speed_knots: 0.01 }],
    ["GPVTG,212.4,T,,M,6.3,N,11.7,K,N", {}],
    ["GPVTG,512.4,T,,M,-6.3,N,11.7,K,A", {}],
    ["GPGSA,A,3,,,,,,,,,,,,,99.99,99.99,99.99", {}],
    ["GPGSA,A,1,,,,,,,,,,,,,0.00,0.0,", {}],
    ["GPGSA,A,2,,,,,,,,,,,,,2.5,1.1,89.99", { pdop: 2.5, hdop: 1.1, vdop: 89.99 }],
  ])("with %s", (body, values) => {
    const gll = nmea("GPGLL,5407.5000,N,01330.0000,W,102030,A,A");
    expect(readAll(gll, nmea(body))).toEqual([{ ...PLACE, ...values }]);
  });

  test("is told once the next time of day begins, or the source pauses", () => {
    const reader = new NmeaReader();
    expect(reader.take(RMC)).toEqual({ makesSense: true, readings: [] });
    expect(
      reader.take(nmea("GPGGA,102031,5407.5,N,01330.0,W,1,09,1.2,3.2,M,,M,,")).readings.map(told),
    ).toEqual([{ ...PLACE, time: TIME, speed_knots: 6.4, heading: 212.5 }]);
    expect(reader.flush().map(told)).toEqual([{ ...PLACE, time: TIME + 1, altitude: 3.2, hdop: 1.2 }]);
    expect(reader.flush()).toEqual([]);
  });

  test("comes ten times a second, with fractions of its own", () => {
    const lines = [0, 1, 2].map((tenth) =>
      nmea(`GNRMC,102030.${tenth}0,A,5407.5000,N,01330.0000,W,6.4,212.5,040526,,,R`),
    );
    expect(readAll(...lines).map((fix) => (fix as { time: number }).time)).toEqual([
      TIME,
      TIME + 0.1,
      TIME + 0.2,
    ]);
  });

  test.each(["GP", "GN", "GL", "GA", "GB", "BD", "GQ", "GI", "IN", "II"])(
    "by the talker %s is taken",
    (talker) => {
      expect(
        readAll(RMC.replace(/^.*$/, () => nmea(`${talker}${"RMC,102030,A,5407.5,N,01330.0,W,,,040526,,"}`))),
      ).toEqual([{ ...PLACE, time: TIME }]);
    },
  );

  test.each(["CDRMC,102030,A,5407.5,N,01330.0,W,,,040526,,", "PGRMC,102030,A,5407.5,N,01330.0,W,,,040526,,"])(
    "of %s is another station's, or the manufacturer's own",
    (body) => {
      expect(readAll(nmea(body))).toEqual([]);
    },
  );
});

describe("no fix", () => {
  const NONE = [{ rejected: "no_fix" }];

  test.each([
    "GPRMC,102030,V,5407.5,N,01330.0,W,,,040526,,,A",
    "GPRMC,102030,A,5407.5,N,01330.0,W,,,040526,,,N",
    "GPRMC,102030,A,5407.5,N,01330.0,W,,,040526,,,S",
    "GPRMC,102030,A,5407.5,N,01330.0,W,,,040526,,,E",
    "GPRMC,102030,A,5407.5,N,01330.0,W,,,040526,,,M",
    "GPRMC,102030,A,,,,,,,040526,,,A",
    "GPRMC,102030,A,9107.5,N,01330.0,W,,,040526,,,A",
    "GPRMC,102030,A,5460.0,N,01330.0,W,,,040526,,,A",
    "GPRMC,102030,A,5407.5,X,01330.0,W,,,040526,,,A",
    "GPRMC,102030,A,5407.5,N,18030.0,W,,,040526,,,A",
    "GPRMC,,V,,,,,,,,,,N",
    "GPGGA,102030,5407.5,N,01330.0,W,0,00,,,M,,M,,",
    "GPGGA,102030,5407.5,N,01330.0,W,6,00,,,M,,M,,",
    "GPGGA,102030,5407.5,N,01330.0,W,7,00,,,M,,M,,",
    "GPGGA,102030,5407.5,N,01330.0,W,8,00,,,M,,M,,",
    "GPGLL,5407.5,N,01330.0,W,102030,V,N",
    "GPGLL,5407.5,N,01330.0,W,102030,A,N",
    "GNGNS,102030,5407.5,N,01330.0,W,NNNN,00,,,,,",
    "GNGNS,102030,5407.5,N,01330.0,W,SS,00,,,,,",
  ])("is %s", (body) => {
    expect(readAll(nmea(body))).toEqual(NONE);
  });

  test.each([
    "GGA,102030,5407.5,N,01330.0,W,4,00,,,M,,M,,",
    "GLL,5407.5,N,01330.0,W,102030,A",
    "GNS,102030,5407.5,N,01330.0,W,NA,00,,,,,",
    "RMC,102030,A,5407.5,N,01330.0,W,,,040526,,,D,V",
  ])("isn't %s", (body) => {
    expect(readAll(nmea("GPZDA,102030,04,05,2026,,"), nmea(`GP${body}`))).toEqual([{ ...PLACE, time: TIME }]);
  });

  test("is a simulator's, though one of its sentences looks like a fix", () => {
    expect(
      readAll(
        nmea("GPRMC,102030,V,5407.5,N,01330.0,W,0.0,0.0,040526,,,S"),
        nmea("GPGGA,102030,5407.5,N,01330.0,W,1,10,2.0,268.8,M,-33.9,M,,"),
        nmea("GPGSA,A,3,03,07,08,11,13,16,19,23,24,28,,,3.6,2.0,3.0"),
      ),
    ).toEqual(NONE);
  });

  test("of one talker leaves the fix of another as it is", () => {
    expect(readAll(nmea("IIRMC,102030,V,,,,,,,040526,,,N"), RMC)).toEqual([
      { ...PLACE, time: TIME, speed_knots: 6.4, heading: 212.5 },
    ]);
  });
});

describe("the date", () => {
  const gll = (time: string) => nmea(`GPGLL,5407.5,N,01330.0,W,${time},A,A`);
  const timesOf = (...lines: string[]) => readAll(...lines).map((fix) => (fix as { time?: number }).time);

  test("of RMC serves the sentences after it, over midnight too", () => {
    const before = nmea("GPRMC,235959,A,5407.5,N,01330.0,W,,,311226,,,A");
    const midnight = Date.parse("2027-01-01T00:00:00Z") / 1_000;
    expect(timesOf(before, gll("000000"), gll("000001.5"))).toEqual([midnight - 1, midnight, midnight + 1.5]);
    const after = nmea("GPRMC,000002,A,5407.5,N,01330.0,W,,,010127,,,A");
    expect(timesOf(after, gll("235959"))).toEqual([midnight + 2, midnight - 1]);
  });

  test("serves for a minute, after which a fix without one has no time", () => {
    expect(timesOf(RMC, gll("102130"), gll("102131"))).toEqual([TIME, TIME + 60, undefined]);
  });

  test("is missing where nobody told it, or told one that doesn't exist", () => {
    expect(timesOf(gll("102030"))).toEqual([undefined]);
    for (const date of ["2208-1", "310226", "", "4526", "000000"])
      expect([date, timesOf(nmea(`GPRMC,102030,A,5407.5,N,01330.0,W,,,${date},,,A`))]).toEqual([
        date,
        [undefined],
      ]);
    expect(timesOf(nmea("GPZDA,102030,31,02,2026,,"), gll("102030"))).toEqual([undefined]);
  });

  test("of a receiver that counts weeks from 1980 again is told as it is", () => {
    expect(timesOf(nmea("GPRMC,000231.42,A,4829.0005,N,00022.0016,E,0.16,212.28,220899,,,A"))).toEqual([
      Date.parse("1999-08-22T00:02:31.42Z") / 1_000,
    ]);
  });

  test("goes back where the receiver's time does", () => {
    expect(timesOf(RMC, nmea("GPRMC,102017,A,5407.5,N,01330.0,W,,,040526,,,A"))).toEqual([TIME, TIME - 13]);
  });
});

describe("a line", () => {
  const CUT = { count: 1, makesSense: [false] };

  function broken(...lines: string[]): { count: number; makesSense: boolean[] } {
    let count = 0;
    const reader = new NmeaReader((more) => {
      count += more;
    });
    const makesSense = lines.map((line) => reader.take(line).makesSense);
    return { count, makesSense };
  }

  test("with a wrong checksum, or cut short, is left out and counted", () => {
    expect(broken(RMC.replace("6.4", "6.5"))).toEqual(CUT);
    expect(broken(RMC.slice(0, 40))).toEqual(CUT);
    expect(broken(RMC.slice(0, -3))).toEqual(CUT);
    expect(broken("07.5000,N,01330.0000,W,6.4*11", "", "hello", "!AIVDM,1,1,,A,rubbish,0*00")).toEqual({
      count: 0,
      makesSense: [false, false, false, false],
    });
  });

  test("may hold a TAG block, small letters in the checksum, and more than one sentence", () => {
    expect(readAll(`\\s:gps,c:1777890030*1A\\${RMC}`).length).toBe(1);
    expect(readAll(RMC.replace(/..$/, (sum) => sum.toLowerCase())).length).toBe(1);
    expect(readAll(`$GPRMC,1020${RMC}${nmea("GPGLL,5407.5,N,01330.0,W,102031,A,A")}`).length).toBe(2);
  });

  test("of any other kind makes sense and is no fix", () => {
    const others = [
      "GPGSV,3,1,10,85,85,247,32",
      "INDPT,2.2,0.0",
      "PGRME,15.0,M,45.0,M,25.0,M",
      "GPRMB,V,,,,,,,,,,,,A,S",
    ];
    expect(broken(...others.map(nmea))).toEqual({ count: 0, makesSense: [true, true, true, true] });
    expect(readAll(...others.map(nmea))).toEqual([]);
  });

  test("of random bytes never throws, and harms no fix that follows", () => {
    const reader = new NmeaReader();
    const pieces = [
      "$GP",
      "RMC,",
      "GGA,",
      ",,,",
      "102030",
      "A,",
      "*00",
      "\\",
      "5407.5,N,",
      "$$",
      "9".repeat(400),
    ];
    for (let round = 0; round < 3_000; round++) {
      const line = Array.from({ length: 12 }, () => pieces[Math.floor(Math.random() * pieces.length)]).join(
        "",
      );
      reader.take(line);
      reader.take(nmea(line.replace(/[$*]/g, "")));
    }
    reader.flush();
    expect(read(reader, RMC).map(told).at(-1)).toMatchObject({ ...PLACE, time: TIME });
  });
});

test("a recorded voyage has one fix a second, as in its sentences", () => {
  const lines = recorded("lauterbach-greifswald-2013-06-30").toString("latin1").split("\r\n");
  const sentences = lines.filter((line) => line.startsWith("$GPRMC"));
  const fixes = read(new NmeaReader(), ...lines).map(told) as { time: number; speed_knots: number }[];
  expect(fixes.length).toBe(sentences.length);
  expect(fixes.every(({ time }, at) => at === 0 || time === (fixes[at - 1]?.time ?? 0) + 1)).toBe(true);
  expect(fixes[0]).toEqual({
    ...{ latitude: 54.341151667, longitude: 13.506533333, time: Date.parse("2013-06-30T08:57:43Z") / 1_000 },
    ...{ speed_knots: 0.51, heading: 212.22 },
  });
});
