import { iso } from "../../kernel/time/clock";
import type { Fix } from "./fixes";
import type { Writer } from "./format";
import { decimal, escaped } from "./written";

/**
 * GPX 1.1: one track, with a segment for each piece. Speed and course are in the extension TrackPoint, version 2, of Garmin.
 */

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Fairlead" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">
`;

export const writeGpx: Writer = async function* ({ name }, parts) {
  yield `${HEAD}<trk><name>${escaped(name)}</name>\n`;
  let isOpen = false;
  for await (const part of parts) {
    let text = "";
    for (const [fix, begins] of part) {
      if (begins) text += isOpen ? "</trkseg>\n<trkseg>\n" : "<trkseg>\n";
      isOpen = true;
      text += pointOf(fix);
    }
    yield text;
  }
  yield `${isOpen ? "</trkseg>\n" : ""}</trk>\n</gpx>\n`;
};

/** Degrees below 360, also as they are written. */
const courseOf = (heading: number): number => (Math.round(heading * 100) / 100) % 360;

/** Degrees from -180 to below 180, also as they are written: GPX knows the 180th meridian by its western name alone. */
const longitudeOf = (longitude: number): string => decimal(longitude, 7).replace(/^180$/, "-180");

/** Numbers from here on are left out: a decimal of XML Schema has 18 digits for certain, and no exponent. */
const MOST = 1e15;

/** Elements stand in the order of the schema. */
function pointOf([
  ,
  timestamp,
  latitude,
  longitude,
  altitude,
  speedMps,
  heading,
  ,
  ,
  pdop,
  hdop,
  vdop,
]: Fix): string {
  const element = (name: string, value: number | null, digits: number) =>
    value === null || Math.abs(value) >= MOST ? "" : `<${name}>${decimal(value, digits)}</${name}>`;
  const extension =
    element("gpxtpx:speed", speedMps, 3) +
    element("gpxtpx:course", heading === null ? null : courseOf(heading), 2);
  return `<trkpt lat="${decimal(latitude, 7)}" lon="${longitudeOf(longitude)}">${
    element("ele", altitude, 2) +
    `<time>${iso(timestamp)}</time>` +
    element("hdop", hdop, 2) +
    element("vdop", vdop, 2) +
    element("pdop", pdop, 2) +
    (extension &&
      `<extensions><gpxtpx:TrackPointExtension>${extension}</gpxtpx:TrackPointExtension></extensions>`)
  }</trkpt>\n`;
}
