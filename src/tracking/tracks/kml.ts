import { iso } from "../../kernel/time/clock";
import type { Fix } from "./fixes";
import type { Writer } from "./format";
import type { Point } from "./thin";
import { decimal, escaped } from "./written";

/** KML 2.2 with gx:MultiTrack: a gx:Track for each piece. */

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
`;

/** Positions of one gx:Track, which has all times before all places: a longer piece goes on in another one. */
const MOST = 5_000;

export const writeKml: Writer = async function* ({ name }, parts) {
  const title = escaped(name);
  yield `${HEAD}<Document><name>${title}</name>\n<Placemark><name>${title}</name>\n<gx:MultiTrack>\n<altitudeMode>clampToGround</altitudeMode>\n<gx:interpolate>0</gx:interpolate>\n`;
  let fixes: Fix[] = [];
  const flush = function* (): Generator<string> {
    if (fixes.length > 0) yield trackOf(fixes);
    fixes = [];
  };
  for await (const part of parts)
    for (const [fix, begins] of part as Point[]) {
      if (begins) yield* flush();
      else if (fixes.length >= MOST) {
        const last = fixes.at(-1) as Fix;
        yield* flush();
        // Tracks that touch look like one.
        fixes.push(last);
      }
      fixes.push(fix);
    }
  yield* flush();
  yield "</gx:MultiTrack>\n</Placemark>\n</Document>\n</kml>\n";
};

function trackOf(fixes: readonly Fix[]): string {
  const times = fixes.map(([, timestamp]) => `<when>${iso(timestamp)}</when>`).join("\n");
  const places = fixes.map(
    ([, , latitude, longitude, altitude]) =>
      `<gx:coord>${decimal(longitude, 7)} ${decimal(latitude, 7)} ${altitude === null ? 0 : decimal(altitude, 2)}</gx:coord>`,
  );
  return `<gx:Track>\n${times}\n${places.join("\n")}\n</gx:Track>\n`;
}
