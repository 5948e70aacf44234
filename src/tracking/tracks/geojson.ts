import { iso } from "../../kernel/time/clock";
import type { Fix } from "./fixes";
import type { Writer } from "./format";
import { decimal } from "./written";

/**
 * GeoJSON (RFC 7946): a FeatureCollection with a LineString for each piece, cut at the 180th meridian (section 3.1.9). Times stand
 * in `coordinateProperties`, as other programs have them. A piece of one position has no line.
 */
export const writeGeojson: Writer = async function* ({ name }, parts) {
  const lines = new Lines(name);
  yield `{"type":"FeatureCollection","features":[`;
  for await (const part of parts) {
    for (const [fix, begins] of part) {
      const vertex = vertexOf(fix);
      const last = lines.last;
      if (begins) lines.end();
      else if (last && Math.abs(vertex.longitude - last.longitude) > 180) {
        const [end, begin] = cutBetween(last, vertex);
        lines.add(end);
        lines.end();
        lines.add(begin);
      }
      lines.add(vertex);
    }
    yield lines.text();
  }
  lines.end();
  yield `${lines.text()}\n]}\n`;
};

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
function cutBetween(from: Vertex, to: Vertex): [end: Vertex, begin: Vertex] {
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

/** Vertices of one line, whose times wait for its end: a longer one goes on in another, which begins where it ends. */
const MOST = 100_000;

/** Writes lines as their vertices come. */
class Lines {
  readonly #properties: string;
  #text = "";
  #isFirst = true;
  #vertices = 0;
  /** Written as they come: a hundred thousand at once would keep others waiting. */
  #times = "";
  last: Vertex | null = null;

  constructor(name: string) {
    this.#properties = `"properties":{"name":${JSON.stringify(name)},"coordinateProperties":{"times":["`;
  }

  add(vertex: Vertex): void {
    const { last } = this;
    if (last && this.#vertices >= MOST) {
      this.end();
      this.add(last);
    }
    // The first vertex is written with the second one: alone it is no line.
    if (this.#vertices === 1 && last) this.#text += `${this.#isFirst ? "\n" : ",\n"}${HEAD}${placeOf(last)}`;
    if (this.#vertices > 0) this.#text += `,${placeOf(vertex)}`;
    this.#times += (this.#vertices > 0 ? '","' : "") + iso(vertex.time);
    this.#vertices++;
    this.last = vertex;
  }

  end(): void {
    if (this.#vertices > 1) {
      this.#text += `]},${this.#properties}${this.#times}"]}}}`;
      this.#isFirst = false;
    }
    this.#vertices = 0;
    this.#times = "";
    this.last = null;
  }

  /** The text so far, once. */
  text(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

const HEAD = `{"type":"Feature","geometry":{"type":"LineString","coordinates":[`;

const placeOf = ({ longitude, latitude, altitude }: Vertex): string => {
  const height = altitude === null ? "" : `,${decimal(altitude, 2)}`;
  return `[${decimal(longitude, 7)},${decimal(latitude, 7)}${height}]`;
};
