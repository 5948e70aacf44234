import { iso } from "../../kernel/time/clock";
import type { Fix } from "./fixes";
import type { Writer } from "./format";
import { decimal } from "./written";

/**
 * GeoJSON (RFC 7946): a FeatureCollection with a LineString for each piece, cut at the 180th meridian (section 3.1.9). Times stand
 * in `coordinateProperties`, as other programs have them. A piece of one position has no line.
 */

export const writeGeojson: Writer = async function* ({ name }, parts) {
  yield `{"type":"FeatureCollection","features":[`;
  let isFirst = true;
  let line: Vertex[] = [];
  const flush = function* (): Generator<string> {
    if (line.length > 1) {
      yield `${isFirst ? "\n" : ",\n"}${featureOf(name, line)}`;
      isFirst = false;
    }
    line = [];
  };
  for await (const part of parts)
    for (const [fix, begins] of part) {
      if (begins) yield* flush();
      const vertex = vertexOf(fix);
      const last = line.at(-1);
      if (last && Math.abs(vertex.longitude - last.longitude) > 180) {
        const [end, begin] = cutBetween(last, vertex);
        line.push(end);
        yield* flush();
        line.push(begin);
      } else if (line.length >= MOST && last) {
        yield* flush();
        line.push(last);
      }
      line.push(vertex);
    }
  yield* flush();
  yield "\n]}\n";
};

/** Positions of one line: a longer piece goes on in another one, which begins where this one ends. */
const MOST = 100_000;

interface Vertex {
  longitude: number;
  latitude: number;
  altitude: number | null;
  /** Epoch milliseconds. */
  time: number;
}

const vertexOf = ([, time, latitude, longitude, altitude]: Fix): Vertex => ({
  longitude,
  latitude,
  altitude,
  time,
});

/** The end before the 180th meridian and the beginning behind it, of a way that crosses it. */
export function cutBetween(from: Vertex, to: Vertex): [end: Vertex, begin: Vertex] {
  const side = from.longitude > 0 ? 180 : -180;
  const beyond = to.longitude + 2 * side;
  const share = beyond === from.longitude ? 0 : (side - from.longitude) / (beyond - from.longitude);
  const between = (a: number, b: number) => a + share * (b - a);
  const isHigh = from.altitude !== null && to.altitude !== null;
  const at = {
    latitude: between(from.latitude, to.latitude),
    altitude: isHigh ? between(from.altitude as number, to.altitude as number) : null,
    time: Math.round(between(from.time, to.time)),
  };
  return [
    { ...at, longitude: side },
    { ...at, longitude: -side },
  ];
}

function featureOf(name: string, line: readonly Vertex[]): string {
  const places = line.map(({ longitude, latitude, altitude }) =>
    [decimal(longitude, 7), decimal(latitude, 7), ...(altitude === null ? [] : [decimal(altitude, 2)])].join(
      ",",
    ),
  );
  const times = line.map(({ time }) => `"${iso(time)}"`);
  const properties = `{"name":${JSON.stringify(name)},"coordinateProperties":{"times":[${times.join(",")}]}}`;
  return `{"type":"Feature","properties":${properties},"geometry":{"type":"LineString","coordinates":[[${places.join("],[")}]]}}`;
}
