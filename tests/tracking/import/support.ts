import { FileError } from "../../../src/tracking/import/file-error";
import type { Point, PointReader } from "../../../src/tracking/import/reader";

/** Files of tracks, made for the tests. */

const SPACES =
  'xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2"';

/** A GPX 1.1 document around the content of its root. */
export const gpx = (content: string, attributes = SPACES) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="test" ${attributes}>\n${content}\n</gpx>\n`;

/** A document with one track of one segment. */
export const gpxTrack = (points: string) => gpx(`<trk><trkseg>\n${points}\n</trkseg></trk>`);

/** 2013-06-30T07:41:09Z. */
export const BEGINNING = 1_372_578_069;

export const isoSecond = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;

/** A point of a track, on a line of its own. */
export const trkpt = (seconds: number, latitude = 54.0967, longitude = 13.4553) =>
  `<trkpt lat="${latitude}" lon="${longitude}"><time>${isoSecond(seconds)}</time></trkpt>`;

/** The beginning of a document, then points as receivers write them, one a second without end. */
export function* track(): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="test" ${SPACES}>\n<trk><trkseg>\n`;
  for (let n = 0; ; n++) {
    const latitude = (54 + Math.sin(n / 5_000) * 0.3).toFixed(6);
    const longitude = (13 + n / 1e6).toFixed(6);
    yield `  <trkpt lat="${latitude}" lon="${longitude}">
    <ele>${(n % 30) / 10}</ele>
    <time>${isoSecond(BEGINNING + n)}</time>
    <hdop>0.9</hdop>
    <extensions>
      <gpxtpx:TrackPointExtension>
        <gpxtpx:speed>3.81</gpxtpx:speed>
        <gpxtpx:course>212.4</gpxtpx:course>
      </gpxtpx:TrackPointExtension>
    </extensions>
  </trkpt>
`;
  }
}

const bytesOf = (file: string | Uint8Array) =>
  typeof file === "string" ? new TextEncoder().encode(file) : file;

/** Reads a whole file in pieces of so many bytes. */
export function readAll(
  reader: PointReader,
  file: string | Uint8Array,
  size = Number.POSITIVE_INFINITY,
): Point[] {
  const bytes = bytesOf(file);
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.slice(at, at + size));
  reader.end();
  return reader.points;
}

/** The message of a reader that refuses a file, and the number of points before. */
export function refusalOf(reader: PointReader, file: string | Uint8Array, size?: number) {
  try {
    readAll(reader, file, size);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { message: error.message, points: reader.points.length };
  }
  throw new Error("the file was read without a fault");
}

/** The file in UTF-16. */
export function utf16(text: string, order: "le" | "be"): Uint8Array {
  const bytes = Buffer.from(text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}
