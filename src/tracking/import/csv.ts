import { BrokenOff, FileError } from "./file-error";
import type { Point, PointReader } from "./reader";
import { type CsvRecord, RecordReader } from "./records";
import { DETAILS, type Details, numberOf, possible, readingOf, timeOf } from "./values";

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
  readonly #records = new RecordReader();
  #header: Header | null = null;
  #begins = true;

  /** A file of this kind is one track, if anything is in it. */
  get tracks(): number {
    return this.#begins ? 0 : 1;
  }

  read(text: string): Point[] {
    return this.#pointsOf(this.#records.read(text, false));
  }

  end(): Point[] {
    const points = this.#pointsOf(this.#records.read("", true));
    if (!this.#header) throw new BrokenOff(this.#records.line, "the file has no line that names the columns");
    return points;
  }

  #pointsOf(records: CsvRecord[]): Point[] {
    const points: Point[] = [];
    for (const record of records) {
      if (!this.#header) this.#header = headerOf(record);
      else points.push(this.#pointOf(record, this.#header));
    }
    return points;
  }

  #pointOf({ line, fields, hasEnd }: CsvRecord, header: Header): Point {
    // Cut in the middle: a whole last line without its end has all fields.
    if (!hasEnd && fields.length < header.width) throw new BrokenOff(line, "the file ends in the middle of a line");
    const begins = this.#begins;
    this.#begins = false;
    if (fields.length !== header.width) return { line, begins, reading: { rejected: "malformed" } };
    const decimal = this.#records.separator === ";" ? withPoint : asItIs;
    const numberAt = (at: number) => numberOf(decimal(fields[at] as string));
    const details: Details = {};
    for (const { name, at } of header.details) details[name] = possible(name, numberAt(at));
    const { latitude, longitude, timestamp } = header.at;
    const seconds = numberAt(timestamp);
    const time = Number.isNaN(seconds) ? timeOf(fields[timestamp]) : seconds;
    return { line, begins, reading: readingOf(numberAt(latitude), numberAt(longitude), time, details) };
  }
}

/** Programs that separate by semicolons do so because their numbers have commas. */
const withPoint = (field: string): string => field.replace(/^([^,.]*),([^,.]*)$/, "$1.$2");
const asItIs = (field: string): string => field;

function headerOf({ fields, line }: CsvRecord): Header {
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new FileError(line, `the first line must name the columns, and lacks ${missing.join(", ")}`);
  const twice = COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new FileError(line, `the first line names ${twice} twice`);
  const at = Object.fromEntries(REQUIRED.map((name) => [name, names.indexOf(name)])) as Header["at"];
  const details = DETAILS.map((name) => ({ name, at: names.indexOf(name) })).filter((column) => column.at !== -1);
  return { width: fields.length, at, details };
}
