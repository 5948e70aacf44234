import { describe, expect, test } from "bun:test";
import { GpxReader } from "../../../src/tracking/import/gpx";
import { BEGINNING, gpx, gpxTrack, isoSecond, readAll, refusalOf, trkpt, utf16 } from "./support";

const reader = () => new GpxReader(null);
const read = (file: string | Uint8Array, size?: number) => readAll(reader(), file, size);
const readings = (points: string) => read(gpxTrack(points)).map(({ reading }) => reading);
/** One point with this content. */
const point = (content: string, attributes = 'lat="54.5" lon="13.5"') =>
  readings(`<trkpt ${attributes}>${content}</trkpt>`)[0];
const TIME = `<time>${isoSecond(BEGINNING)}</time>`;
const FIX = { latitude: 54.5, longitude: 13.5, time: BEGINNING };

describe("a point of a track", () => {
  test("has place, time, height and dilutions", () => {
    const content = `<ele>-3.25</ele>${TIME}<hdop>0.9</hdop><vdop>1.3</vdop><pdop>1.6</pdop>`;
    expect(point(content)).toEqual({ ...FIX, altitude: -3.25, hdop: 0.9, vdop: 1.3, pdop: 1.6 });
  });

  test("has course and speed (m/s) of GPX 1.0", () => {
    const file = `<?xml version="1.0"?><gpx version="1.0" creator="x" xmlns="http://www.topografix.com/GPX/1/0"><trk><trkseg><trkpt lat="54.5" lon="13.5"><ele>1</ele>${TIME}<course>212.4</course><speed>3.81</speed></trkpt></trkseg></trk></gpx>`;
    expect(read(file)).toEqual([
      { line: 1, begins: true, reading: { ...FIX, altitude: 1, heading: 212.4, speed_mps: 3.81 } },
    ]);
  });

  test.each([
    ["http://www.garmin.com/xmlschemas/TrackPointExtension/v2", { speed_mps: 3.81, heading: 212.4 }],
    ["http://www.garmin.com/xmlschemas/TrackPointExtension/v1", { speed_mps: 3.81, heading: 212.4 }],
    ["http://www.cluetrust.com/XML/GPXDATA/1/0", { speed_mps: 3.81, heading: 212.4 }],
    ["https://osmand.net", { speed_mps: 3.81, heading: 212.4 }],
    // Its speeds may be in any unit.
    ["https://unknown.example/schema", {}],
  ])("has speed and course of the extensions of %s", (space, expected) => {
    const content = `${TIME}<extensions><x:TrackPointExtension><x:hr>90</x:hr><x:speed>3.81</x:speed><x:course>212.4</x:course></x:TrackPointExtension></extensions>`;
    const file = gpx(
      `<trk><trkseg><trkpt lat="54.5" lon="13.5">${content}</trkpt></trkseg></trk>`,
      `xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="${space}"`,
    );
    expect(read(file)[0]?.reading).toEqual({ ...FIX, ...expected });
  });

  test("takes its own value before that of an extension, and the first of two", () => {
    const extended = "<extensions><speed>9</speed></extensions>";
    expect(point(`${TIME}<speed>3</speed><speed>4</speed>${extended}`)).toEqual({ ...FIX, speed_mps: 3 });
    expect(point(`${TIME}${extended}`)).toEqual({ ...FIX, speed_mps: 9 });
  });

  test("of OsmAnd and Locus has a radius in metres as hdop", () => {
    for (const creator of ["OsmAnd 4.2.7", "Locus Map, Android"]) {
      const file = `<gpx creator="${creator}"><trk><trkseg><trkpt lat="54.5" lon="13.5">${TIME}<hdop>12.5</hdop></trkpt></trkseg></trk></gpx>`;
      expect(read(file)[0]?.reading).toEqual({ ...FIX, accuracy_m: 12.5 });
    }
  });

  test("without a time is rejected, and one with an unreadable time or no place", () => {
    expect(point("<ele>1</ele>")).toEqual({ rejected: "no_time" });
    expect(point("<time/>")).toEqual({ rejected: "no_time" });
    expect(point("<time> </time>")).toEqual({ rejected: "no_time" });
    for (const time of [
      "yesterday",
      "2013-02-30T00:00:00Z",
      "2013-06-30T25:00:00Z",
      "&unknown;",
      "9".repeat(500),
    ])
      expect(point(`<time>${time}</time>`)).toEqual({ rejected: "malformed" });
    for (const place of [
      'lon="13"',
      'lat="54"',
      'lat="" lon="13"',
      'lat="91" lon="0"',
      'lat="0" lon="-180.1"',
      'lat="NaN" lon="0"',
      'lat="0x10" lon="0"',
      'lat="1e400" lon="0"',
      'lat="54,5" lon="0"',
    ])
      expect(point(TIME, place)).toEqual({ rejected: "no_fix" });
  });

  test("loses a broken or impossible number, not itself", () => {
    const content = `<ele>nan</ele><course>-1</course><speed>-3</speed><hdop>high</hdop>${TIME}`;
    expect(point(content)).toEqual({ ...FIX, altitude: null, heading: null, speed_mps: null, hdop: null });
  });

  test.each([
    ["2013-06-30T07:41:09Z", BEGINNING],
    ["2013-06-30T07:41:09.75Z", BEGINNING + 0.75],
    ["2013-06-30T09:41:09+02:00", BEGINNING],
    ["2013-06-30T03:11:09-0430", BEGINNING],
    ["2013-06-30T07:41:09", BEGINNING],
    ["\n 2013-06-30 07:41:09Z\t", BEGINNING],
    ["2013&#45;06-30T07:41:09Z", BEGINNING],
    ["<![CDATA[2013-06-30T07:41:09Z]]>", BEGINNING],
    ["2013-06-30<!-- - -->T07:41:09Z", BEGINNING],
  ])("has its time: %s", (written, time) => {
    expect(point(`<time>${written}</time>`)).toEqual({ ...FIX, time });
  });
});

describe("a file", () => {
  test("has tracks and segments, of which each begins a stretch, and lines", () => {
    const gpxReader = reader();
    const segment = (second: number) => `<trkseg>\n${trkpt(second)}\n${trkpt(second + 1)}\n</trkseg>`;
    const points = readAll(
      gpxReader,
      gpx(
        `<trk><name>one</name>\n${segment(BEGINNING)}\n${segment(BEGINNING + 5)}</trk>\n<trk>${segment(BEGINNING + 9)}</trk>`,
      ),
    );
    expect(points.map(({ line, begins }) => [line, begins])).toEqual([
      ...[
        [5, true],
        [6, false],
      ],
      ...[
        [9, true],
        [10, false],
      ],
      ...[
        [13, true],
        [14, false],
      ],
    ]);
    expect(gpxReader.tracks).toBe(2);
  });

  test("has waypoints and routes, which are left alone", () => {
    const other = (name: string) => `<${name} lat="1" lon="2">${TIME}</${name}>`;
    const gpxReader = reader();
    const content = `<metadata>${TIME}</metadata>${other("wpt")}<rte>${other("rtept")}</rte><trk><trkseg>${trkpt(BEGINNING)}</trkseg></trk>`;
    expect(readAll(gpxReader, gpx(content))).toHaveLength(1);
    expect(gpxReader.tracks).toBe(1);
  });

  test("may have a prefix, single quotes, blanks in tags, comments and an empty point", () => {
    const file = `\ufeff<?xml version='1.0'?>\r\n<!-- a > b -->\r\n<g:gpx xmlns:g='http://www.topografix.com/GPX/1/1' note='a > b'\r\n><g:trk ><g:trkseg\n><g:trkpt  lat = '54.5'\tlon='13.5' ><g:time>${isoSecond(BEGINNING)}</g:time ></g:trkpt><g:trkpt lat="1" lon="2"/></g:trkseg></g:trk></g:gpx>\n<!-- end -->\n\0`;
    expect(read(file)).toEqual([
      { line: 5, begins: true, reading: FIX },
      { line: 5, begins: false, reading: { rejected: "no_time" } },
    ]);
  });

  test("reads the same in pieces of any size", () => {
    const file = gpx(
      `<!-- ä > --><trk><![CDATA[ ]] > ]]><trkseg>\n<trkpt lat="54.5" lon="13.5" x="a &gt; b"><ele>1.5</ele>${TIME}<extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>3</gpxtpx:speed></gpxtpx:TrackPointExtension></extensions></trkpt>\n${trkpt(BEGINNING + 1)}</trkseg></trk>`,
    );
    const whole = read(file);
    expect(whole).toHaveLength(2);
    for (const size of [1, 2, 3, 5, 7, 16, 64]) expect(read(file, size)).toEqual(whole);
    for (const order of ["le", "be"] as const)
      for (const size of [4, 7, 64]) expect(read(utf16(file, order), size)).toEqual(whole);
  });

  test("is read in the encoding that it names, that its mark tells, or its sender", () => {
    const text = `<gpx><trk><name>Rügen</name><trkseg>${trkpt(BEGINNING)}</trkseg></trk></gpx>`;
    const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${text}`;
    for (const encoding of ["ISO-8859-1", "windows-1252", "us-ascii"])
      expect(read(Buffer.from(declared(encoding), "latin1"))).toHaveLength(1);
    for (const order of ["le", "be"] as const) {
      expect(read(utf16(`\ufeff${declared("UTF-16")}`, order))).toHaveLength(1);
      expect(read(utf16(text, order))).toHaveLength(1);
    }
    expect(readAll(new GpxReader("iso-8859-1"), Buffer.from(text, "latin1"))).toHaveLength(1);
    expect(refusalOf(reader(), declared("EBCDIC-37")).message).toMatch(/^Line 1: the encoding/);
    expect(refusalOf(new GpxReader("nonsense"), text).message).toMatch(/^Line 1: the encoding/);
  });

  test("with bytes that are no UTF-8 loses no point", () => {
    const [before = "", after = ""] = gpx(
      `<trk><name>|</name><trkseg>${trkpt(BEGINNING)}</trkseg></trk>`,
    ).split("|");
    const file = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(after)]);
    expect(read(file)).toHaveLength(1);
  });
});

describe("a file that is refused tells the line, and gives the points before", () => {
  const two = `${trkpt(BEGINNING)}\n${trkpt(BEGINNING + 1)}\n`;
  const whole = gpxTrack(two);

  test("when it breaks off anywhere", () => {
    for (let at = 0; at < whole.trimEnd().length; at += 3) {
      const { points, message } = refusalOf(reader(), whole.slice(0, at));
      expect(points).toBe(whole.slice(0, at).split("</trkpt>").length - 1);
      expect(message).toMatch(/^Line \d: the file ends /);
    }
  });

  test.each<[what: string, file: string, message: RegExp]>([
    ["another document", "<kml><Document/></kml>", /Line 1: this is no GPX file: its first element is <kml>/],
    ["no XML", "latitude,longitude\n1,2\n", /Line 1: there is text outside/],
    ["a wrong end", gpxTrack(`${two}</trk>`), /Line 6: <\/trk> stands where <trkseg> is open/],
    [
      "an attribute without an end",
      gpxTrack(`${two}<trkpt lat="1 lon="2"><time/></trkpt>`),
      /Line 6: this is no/,
    ],
    ["a second root", `${whole}<gpx></gpx>`, /Line 9: something follows/],
    ["text behind it", `${whole}x`, /Line 9: there is text/],
    ["a name that is none", gpxTrack(`${two}<=>`), /Line 6: this is no well-formed XML/],
    ["a declaration", gpxTrack(`${two}<!ELEMENT a>`), /Line 6: this is no well-formed XML/],
  ])("for %s", (_, file, message) => {
    const refusal = refusalOf(reader(), file);
    expect(refusal.message).toMatch(message);
    expect(refusal.points).toBe(file.split("</trkpt>").length > 2 ? 2 : 0);
    expect(refusalOf(reader(), file, 3)).toEqual(refusal);
  });
});

describe("a hostile file", () => {
  const LAUGHS = `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&b${n - 1};`.repeat(10)}">`).join("")}]><gpx>&b8;</gpx>`;

  test("with entities of its own is refused, also in pieces; a document type that names one is taken", () => {
    for (const size of [1, 10, 100_000])
      expect(refusalOf(reader(), LAUGHS, size).message).toContain(
        "a document type with definitions is not taken",
      );
    const external = '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><trk>&x;</trk></gpx>';
    expect(refusalOf(reader(), external).message).toContain("not taken");
    expect(read(`<!DOCTYPE gpx SYSTEM "http://x.example/gpx.dtd"><gpx><trk/></gpx>`)).toEqual([]);
    expect(refusalOf(reader(), `<!DOCTYPE gpx "${"x".repeat(10_000)}`).message).toContain("longer than 4096");
  });

  test("nests no deeper than 64 levels", () => {
    expect(read(`<gpx>${"<a>".repeat(63)}${"</a>".repeat(63)}</gpx>`)).toEqual([]);
    expect(refusalOf(reader(), `<gpx>${"<a>".repeat(1e6)}`, 16_384).message).toContain(
      "deeper than 64 levels",
    );
  });

  test("has no longer tag than 64 KiB, however it comes", () => {
    for (const tag of [
      `<trkpt lat="${"1".repeat(1e6)}`,
      `<trkpt ${"a='1' ".repeat(1e5)}`,
      `<a ${" ".repeat(1e6)}`,
      `</${" ".repeat(1e6)}`,
    ])
      expect(refusalOf(reader(), `<gpx>${tag}`, 16_384).message).toContain("longer than 65536 bytes");
    expect(refusalOf(reader(), `<gpx><${"n".repeat(1e5)}>`).message).toContain(
      "a name is longer than 256 bytes",
    );
  });

  test("has texts, comments and sections of any length, of which nothing is kept", () => {
    const long = "x".repeat(300_000);
    const file = gpxTrack(
      `<!--${long}--><![CDATA[${long}]]><trkpt lat="54.5" lon="13.5">${TIME}<ele>${long}</ele><desc>${long}</desc></trkpt>`,
    );
    for (const size of [1_000, 1e7]) expect(read(file, size)[0]?.reading).toEqual({ ...FIX, altitude: null });
  });

  test("declares any number of name spaces and names", () => {
    const spaces = Array.from({ length: 3_000 }, (_, n) => `xmlns:p${n}="u${n}"`).join(" ");
    const names = Array.from({ length: 3_000 }, (_, n) => `<n${n}/>`).join("");
    expect(read(gpx(`<trk>${names}<trkseg>${trkpt(BEGINNING)}</trkseg></trk>`, spaces))).toHaveLength(1);
  });

  test("of random bytes is refused, and throws nothing else", () => {
    let seed = 1;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647);
    const pieces = [
      "<",
      ">",
      "/",
      "gpx",
      "trk",
      "trkseg",
      "trkpt",
      '"',
      "'",
      "=",
      " lat",
      " ",
      "&",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<?",
      "?>",
      "\0",
      "é",
      "\n",
    ];
    for (let round = 0; round < 2_000; round++) {
      const file = `<gpx>${Array.from({ length: random() % 40 }, () => pieces[random() % pieces.length]).join("")}`;
      expect(refusalOf(reader(), file, 1 + (random() % 9)).message).toMatch(/^Line \d+: /);
    }
  });
});
