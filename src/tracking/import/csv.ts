import { MALFORMED, toPlace, toReading, toTime } from "../ingest/formats/values";
import { DETAILS, type Details, readDetail } from "./details";
import { encodingOf } from "./encoding";
import { FileError } from "./file-error";
import type { Point, PointReader } from "./reader";
import { type CsvRecord, RecordReader } from "./records";

/**
 * Reads CSV whose first line names its columns. Those with the names of a position's fields count, in any order; others
 * are left alone.
 */

const REQUIRED = ["latitude", "longitude", "timestamp"] as const;
type Required = (typeof REQUIRED)[number];
const COLUMNS: readonly string[] = [...REQUIRED, ...DETAILS];

interface Header {
  /** Number of columns. */
  width: number;
  at: Record<Required, number>;
  details: { name: keyof Details; at: number }[];
}

export class CsvReader implements PointReader {
  readonly points: Point[] = [];
  readonly #records = new RecordReader();
  readonly #charset: string | null;
  #decoder: TextDecoder | null = null;
  #header: Header | null = null;
  #begins = true;

  /** `charset` is the encoding that the sender tells; null leaves it to the file. */
  constructor(charset: string | null) {
    this.#charset = charset;
  }

  /** A file of this kind is one track, if anything is in it. */
  get tracks(): number {
    return this.#begins ? 0 : 1;
  }

  read(bytes: Uint8Array): void {
    // Bytes that the encoding doesn't have become U+FFFD, which makes a number malformed and a name no worse.
    this.#decoder ??= new TextDecoder(encodingOf(bytes, this.#charset));
    for (const record of this.#records.read(this.#decoder.decode(bytes, { stream: true })))
      this.#take(record);
  }

  end(): void {
    for (const record of this.#records.end()) this.#take(record);
    if (!this.#header) throw new FileError(this.#records.line, "the file has no line that names the columns");
  }

  #take(record: CsvRecord): void {
    if (this.#header) this.points.push(this.#pointOf(record, this.#header));
    else this.#header = headerOf(record);
  }

  #pointOf({ line, fields, hasEnd }: CsvRecord, header: Header): Point {
    // Cut in the middle: a whole last line without its end has all fields.
    if (!hasEnd && fields.length < header.width)
      throw new FileError(line, "the file ends in the middle of a line");
    const begins = this.#begins;
    this.#begins = false;
    if (fields.length !== header.width) return { line, begins, reading: MALFORMED };
    const decimal = this.#records.separator === ";" ? withPoint : asItIs;
    const read = (at: number) => decimal(fields[at] as string);
    const details: Details = {};
    for (const { name, at } of header.details) details[name] = readDetail[name](read(at));
    const { latitude, longitude, timestamp } = header.at;
    const place = toPlace(read(latitude), read(longitude));
    return { line, begins, reading: toReading(place, toTime(read(timestamp), "seconds"), details) };
  }
}

/** Programs that separate by semicolons do so because their numbers have commas. */
const withPoint = (field: string): string => field.replace(/^([^,.:]*),([^,.:]*)$/, "$1.$2");
const asItIs = (field: string): string => field;

function headerOf({ fields, line }: CsvRecord): Header {
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new FileError(line, `the first line must name the columns, and lacks ${missing.join(", ")}`);
  const twice = COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new FileError(line, `the first line names ${twice} twice`);
  const at = Object.fromEntries(REQUIRED.map((name) => [name, names.indexOf(name)])) as Header["at"];
  const details = DETAILS.map((name) => ({ name, at: names.indexOf(name) })).filter(
    (column) => column.at !== -1,
  );
  return { width: fields.length, at, details };
}
