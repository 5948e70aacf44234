import { describe, expect, test } from "bun:test";
import { CsvReader } from "../../../src/tracking/import/csv";
import { isRejected } from "../../../src/tracking/ingest/fix";
import { BEGINNING, readAll, refusalOf, utf16 } from "./support";

const reader = () => new CsvReader(null);
const read = (file: string | Uint8Array, size?: number) => readAll(reader(), file, size);
const HEADER = "latitude,longitude,timestamp";
const ROW = `54.5,13.5,${BEGINNING}`;
const FIX = { latitude: 54.5, longitude: 13.5, time: BEGINNING };

describe("a row", () => {
  test("has all fields of a position, in any order, and others that are left alone", () => {
    const file = `name,timestamp,Longitude, latitude ,altitude,heading,speed_kmh,speed_mps,speed_mph,speed_knots,pdop,hdop,vdop,accuracy_m,battery_percent,trip_id
buoy,${BEGINNING},13.5,54.5,-3.2,212.4,13.7,3.81,8.51,7.4,1.6,0.9,1.3,4,82,x
`;
    expect(read(file)).toEqual([
      {
        line: 2,
        begins: true,
        reading: {
          ...FIX,
          ...{ altitude: -3.2, heading: 212.4, speed_kmh: 13.7, speed_mps: 3.81, speed_mph: 8.51 },
          ...{ speed_knots: 7.4, pdop: 1.6, hdop: 0.9, vdop: 1.3, accuracy_m: 4, battery_percent: 82 },
        },
      },
    ]);
  });

  test.each([
    [`${BEGINNING}.5`, BEGINNING + 0.5],
    ["2013-06-30T07:41:09Z", BEGINNING],
    ["2013-06-30T09:41:09+02:00", BEGINNING],
    ["2013-06-30 07:41:09", BEGINNING],
  ])("has its time: %s", (written, time) => {
    expect(read(`${HEADER}\n54.5,13.5,${written}\n`)[0]?.reading).toEqual({ ...FIX, time });
  });

  test("is rejected alone, with its line", () => {
    const rows = ["54.5,13.5,", "54.5,13.5,noon", ",13.5,1", "91,0,1", "x,0,1", "54.5,13.5", `${ROW},9`, ROW];
    const found: unknown[][] = read(`${HEADER}\n${rows.join("\n")}\n`).map(({ line, reading }) => [
      line,
      isRejected(reading) ? reading.rejected : reading,
    ]);
    const [noTime, malformed, noFix] = ["no_time", "malformed", "no_fix"];
    const expected = [noTime, malformed, noFix, noFix, noFix, malformed, malformed, FIX];
    expect(found).toEqual(expected.map((reading, at) => [at + 2, reading]));
  });

  test("loses a broken or impossible number, not itself", () => {
    const file = `${HEADER},altitude,heading,battery_percent\n${ROW},high,-1,101\n`;
    expect(read(file)[0]?.reading).toEqual({ ...FIX, altitude: null, heading: null, battery_percent: null });
  });
});

describe("a file", () => {
  const whole = read(`${HEADER}\n${ROW}\n54.6,13.6,${BEGINNING + 1}\n`);

  test.each([
    ["line ends of CR LF", `${HEADER}\r\n${ROW}\r\n54.6,13.6,${BEGINNING + 1}\r\n`],
    ["no last line end", `${HEADER}\n${ROW}\n54.6,13.6,${BEGINNING + 1}`],
    ["a byte order mark", `\ufeff${HEADER}\n${ROW}\n54.6,13.6,${BEGINNING + 1}\n`],
    [
      "quotes",
      `"latitude","longitude","timestamp"\n"54.5","13.5","${BEGINNING}"\n54.6,"13.6",${BEGINNING + 1}\n`,
    ],
    [
      "semicolons",
      `${HEADER.replaceAll(",", ";")}\n${ROW.replaceAll(",", ";")}\n54.6;13.6;${BEGINNING + 1}\n`,
    ],
    [
      "decimal commas",
      `latitude;longitude;timestamp\n54,5;13,5;${BEGINNING}\n54,6;"13,6";${BEGINNING + 1}\n`,
    ],
  ])("may have %s", (_, file) => {
    expect(whole).toHaveLength(2);
    expect(read(file)).toEqual(whole);
    for (const size of [1, 2, 3, 7, 50]) expect(read(file, size)).toEqual(whole);
  });

  test("may be in UTF-16, or in the encoding that its sender tells", () => {
    for (const order of ["le", "be"] as const)
      expect(read(utf16(`\ufeff${HEADER}\n${ROW}\n`, order), 6)).toHaveLength(1);
    const latin = Buffer.from(`${HEADER},Gewässer\n${ROW},Müritz\n`, "latin1");
    expect(readAll(new CsvReader("iso-8859-1"), latin)).toHaveLength(1);
    expect(read(latin)).toHaveLength(1);
  });

  test("may have blank lines, and quoted fields with separators, quotes and line ends", () => {
    const csvReader = reader();
    const file = `\n${HEADER},note\n\n${ROW},"a, ""b""\nc"\n${ROW},5" pipe\n \n${ROW},"x"\r\n`;
    expect(readAll(csvReader, file).map(({ line, reading }) => [line, reading])).toEqual([
      [4, FIX],
      [6, FIX],
      [8, FIX],
    ]);
    expect(csvReader.tracks).toBe(1);
    expect(read(file, 1)).toEqual(read(file));
  });

  test("without positions has no track", () => {
    const csvReader = reader();
    expect(readAll(csvReader, `${HEADER}\n`)).toEqual([]);
    expect(csvReader.tracks).toBe(0);
  });
});

describe("a file is refused", () => {
  test.each<[what: string, file: string, message: RegExp, points: number]>([
    ["without any line", "", /Line 1: the file has no line/, 0],
    ["without a column", "latitude,lon,timestamp\n1,2,3\n", /Line 1: .* lacks longitude/, 0],
    ["with a column twice", `${HEADER},latitude\n`, /Line 1: .* names latitude twice/, 0],
    [
      "that breaks off in a line",
      `${HEADER}\n${ROW}\n54.6,13`,
      /Line 3: the file ends in the middle of a line/,
      1,
    ],
    [
      "that breaks off in quotes",
      `${HEADER}\n${ROW}\n54.6,"13`,
      /Line 3: the file ends inside of a quoted/,
      1,
    ],
    [
      "with a quote that has no end",
      `${HEADER}\n${ROW}\n"${"x\n".repeat(40_000)}`,
      /Line 3: a line is longer/,
      1,
    ],
    ["with a long line", `${HEADER}\n${ROW}\n${"x".repeat(70_000)}`, /Line 3: a line is longer/, 1],
    ["that is XML", "<gpx></gpx>", /Line 1: the first line must name the columns/, 0],
  ])("%s", (_, file, message, points) => {
    for (const size of [1_000, 16_384]) {
      const refusal = refusalOf(reader(), file, size);
      expect(refusal.message).toMatch(message);
      expect(refusal.points).toBe(points);
    }
  });
});
