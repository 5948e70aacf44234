import { toPlace, toReading, toTime } from "../ingest/formats/values";
import { type Details, readDetail } from "./details";
import { asciiOf } from "./encoding";
import { FileError } from "./file-error";
import type { Point, PointReader } from "./reader";
import type { Attributes, Name } from "./tag";
import { plainText, type XmlHandler, XmlReader } from "./xml";

/**
 * Reads GPX 1.0 and 1.1. Points of tracks are positions; waypoints and routes are left alone, since they tell of places
 * and plans, not of where something was.
 */

/** Elements of a point, and the fields that they fill. Course and speed (in m/s) are GPX 1.0's own. */
const ELEMENTS: Record<string, keyof Details> = {
  ele: "altitude",
  course: "heading",
  speed: "speed_mps",
  hdop: "hdop",
  vdop: "vdop",
  pdop: "pdop",
};

/** Elements inside of `extensions` at any depth: those of Garmin's TrackPointExtension 2 and others with its units. */
const EXTENDED: Record<string, keyof Details> = {
  course: "heading",
  speed: "speed_mps",
  accuracy_horizontal: "accuracy_m",
};

/** Name spaces whose extensions are in these units; those of other programs may be in km/h. */
const KNOWN_SPACES =
  /garmin\.com\/xmlschemas\/TrackPointExtension|cluetrust\.com\/XML\/GPXDATA|osmand\.net|opentracksapp\.com|topografix\.com\/GPX/i;

/** Programs that write the radius in metres as `hdop`. */
const RADIUS_AS_HDOP = /^(?:OsmAnd|Locus)\b/i;

/** Name spaces of a file that are remembered; a hostile one declares any number. */
const MAX_SPACES = 100;
/** Characters of a value; a longer one is no number and no time. */
const MAX_VALUE = 100;

const UNREADABLE = "?";

interface Draft {
  line: number;
  depth: number;
  begins: boolean;
  latitude: string | null;
  longitude: string | null;
  /** Undefined until there is such an element. */
  time: string | null | undefined;
  details: Details;
}

export class GpxReader implements PointReader, XmlHandler {
  readonly points: Point[] = [];
  tracks = 0;
  readonly #xml = new XmlReader(this);
  #point: Draft | null = null;
  readonly #charset: string | null;
  #decode: ((bytes: Uint8Array) => Uint8Array) | null = null;
  #begins = true;
  #isInExtensions = false;
  /** The field of the point whose text is being read, and the text so far. */
  #field: keyof Details | "time" | null = null;
  #value = "";
  /** The prefixes of name spaces, and if they are known ones. */
  readonly #spaces = new Map<string, boolean>();
  #hasRadiusAsHdop = false;

  /** `charset` is the encoding that the sender tells; null leaves it to the file. */
  constructor(charset: string | null) {
    this.#charset = charset;
  }

  read(bytes: Uint8Array): void {
    this.#decode ??= asciiOf(bytes, this.#charset);
    this.#xml.write(this.#decode(bytes));
  }

  end(): void {
    this.#xml.end();
  }

  open(name: Name, attributes: Attributes): void {
    if (attributes.count > 0) this.#noteSpaces(attributes);
    const { depth } = this.#xml;
    if (this.#point) this.#openInside(this.#point, name, depth);
    else if (depth === 1) this.#root(name.local, attributes);
    else if (depth >= 3) this.#openInTrack(name.local, depth, attributes);
    else if (name.local === "trk") this.tracks++;
  }

  #openInTrack(name: string, depth: number, attributes: Attributes): void {
    if (name === "trkseg") this.#begins = true;
    if (name !== "trkpt") return;
    this.#point = {
      line: this.#xml.line,
      depth,
      begins: this.#begins,
      latitude: valueIn(attributes, "lat"),
      longitude: valueIn(attributes, "lon"),
      time: undefined,
      details: {},
    };
  }

  #openInside(point: Draft, name: Name, depth: number): void {
    const { local } = name;
    this.#field = null;
    if (depth > point.depth + 1) {
      if (this.#isInExtensions && Object.hasOwn(EXTENDED, local) && this.#isKnown(name))
        this.#expect(point, EXTENDED[local] as keyof Details);
    } else if (local === "time") {
      if (point.time === undefined) this.#field = "time";
      this.#value = "";
    } else if (local === "extensions") this.#isInExtensions = true;
    else if (Object.hasOwn(ELEMENTS, local)) this.#expect(point, ELEMENTS[local] as keyof Details);
  }

  /** Expects the text of a field; the first one of a point counts. */
  #expect(point: Draft, field: keyof Details): void {
    const filled = field === "hdop" && this.#hasRadiusAsHdop ? "accuracy_m" : field;
    if (point.details[filled] !== undefined) return;
    this.#field = filled;
    this.#value = "";
  }

  get wantsText(): boolean {
    return this.#field !== null && this.#value.length <= MAX_VALUE;
  }

  text(part: string): void {
    this.#value += part.slice(0, MAX_VALUE + 1);
  }

  close(): void {
    const point = this.#point;
    if (!point) return;
    if (this.#field !== null) this.#fill(point, this.#field);
    this.#field = null;
    const { depth } = this.#xml;
    if (depth === point.depth + 1) this.#isInExtensions = false;
    if (depth !== point.depth) return;
    const { line, begins, latitude, longitude, time, details } = point;
    const reading = toReading(toPlace(latitude, longitude), toTime(time, "seconds"), details);
    this.points.push({ line, begins, reading });
    this.#begins = false;
    this.#point = null;
  }

  #fill(point: Draft, field: keyof Details | "time"): void {
    const value = this.#value.length > MAX_VALUE ? null : plainText(this.#value);
    // An unreadable time is a fault, an unreadable altitude is none.
    if (field === "time") point.time = value ?? UNREADABLE;
    else point.details[field] = readDetail[field](value);
  }

  #root(name: string, attributes: Attributes): void {
    if (name !== "gpx")
      throw new FileError(
        this.#xml.line,
        `this is no GPX file: its first element is <${name.slice(0, 40).replaceAll(/[^\w.-]/g, "?")}>`,
      );
    this.#hasRadiusAsHdop = RADIUS_AS_HDOP.test(valueIn(attributes, "creator") ?? "");
  }

  #noteSpaces(attributes: Attributes): void {
    for (let at = 0; at < attributes.count; at++) {
      const name = attributes.nameAt(at);
      if (!name.startsWith("xmlns")) continue;
      const prefix = name.slice("xmlns:".length);
      if (this.#spaces.size < MAX_SPACES || this.#spaces.has(prefix))
        this.#spaces.set(prefix, KNOWN_SPACES.test(attributes.valueAt(at, MAX_VALUE)));
    }
  }

  /** True if an extension is one of a known name space, or of none. */
  #isKnown({ prefix }: Name): boolean {
    return this.#spaces.get(prefix) ?? prefix === "";
  }
}

/** The value of an attribute; null if it is missing, or no text that XML knows. */
function valueIn(attributes: Attributes, name: string): string | null {
  const written = attributes.value(name, MAX_VALUE);
  return written === null ? null : plainText(written);
}
