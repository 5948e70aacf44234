import { FileError } from "./file-error";

/** The lines of a CSV file as fields (RFC 4180), of which quoted ones may hold separators and line ends. */

export interface CsvRecord {
  /** The line on which it begins, counted from 1. */
  line: number;
  fields: string[];
  /** False for the last line of a file whose line end is missing. */
  hasEnd: boolean;
}

/** Characters of a record. */
const MAX_RECORD = 64 * 1024;

const QUOTE = '"';

interface Found {
  fields: string[];
  /** The position behind the record and its line end. */
  end: number;
  hasEnd: boolean;
}

export class RecordReader {
  #rest = "";
  #line = 1;
  /** Comma or semicolon, as the first line has it. */
  #separator: string | null = null;

  /** The line that is being read, counted from 1. */
  get line(): number {
    return this.#line;
  }

  get separator(): string {
    return this.#separator ?? ",";
  }

  /** The records that a further piece completes, blank lines left out. Throws FileError. */
  *read(text: string): Generator<CsvRecord> {
    this.#rest += text;
    yield* this.#records(false);
  }

  /** The last record, if its line end is missing. Throws FileError if it isn't whole. */
  *end(): Generator<CsvRecord> {
    yield* this.#records(true);
  }

  *#records(isEnd: boolean): Generator<CsvRecord> {
    let at = 0;
    while (at < this.#rest.length) {
      const found = this.#next(at, isEnd);
      if ((found?.end ?? this.#rest.length) - at > MAX_RECORD)
        throw new FileError(this.#line, `a line is longer than ${MAX_RECORD} characters`);
      if (!found) {
        if (isEnd) throw new FileError(this.#line, "the file ends inside of a quoted field");
        break;
      }
      const { fields, end, hasEnd } = found;
      if (fields.length > 1 || fields[0]?.trim()) yield { line: this.#line, fields, hasEnd };
      this.#countLines(at, end);
      at = end;
    }
    this.#rest = this.#rest.slice(at);
  }

  #countLines(from: number, to: number): void {
    for (let at = from; ; this.#line++) {
      at = this.#rest.indexOf("\n", at) + 1;
      if (at === 0 || at > to) return;
    }
  }

  /** The record that begins at a position; null if its end has not come. */
  #next(from: number, isEnd: boolean): Found | null {
    const text = this.#rest;
    const lineEnd = text.indexOf("\n", from);
    if (lineEnd === -1 && !isEnd) return null;
    const line = text.slice(from, lineEnd === -1 ? undefined : lineEnd);
    this.#separator ??= line.trim() === "" ? null : separatorOf(line);
    if (line.includes(QUOTE)) return quoted(text, from, this.separator, isEnd);
    const end = lineEnd === -1 ? text.length : lineEnd + 1;
    return { fields: line.replace(/\r$/, "").split(this.separator), end, hasEnd: lineEnd !== -1 };
  }
}

/** The separator that makes more fields of the first line. */
const separatorOf = (line: string): string => (line.split(";").length > line.split(",").length ? ";" : ",");

/** A record with a quoted field; null if its end has not come. A quote within an unquoted field is a character. */
function quoted(text: string, from: number, separator: string, isEnd: boolean): Found | null {
  const fields: string[] = [];
  let at = from;
  for (;;) {
    let field = "";
    if (text[at] === QUOTE) {
      const end = closing(text, at);
      if (end === -1 || (end + 1 === text.length && !isEnd)) return null;
      field = text.slice(at + 1, end).replaceAll('""', QUOTE);
      at = end + 1;
    }
    // After a closing quote there should be nothing; whatever is there belongs to the field.
    const next = nextOf(text, at, separator);
    if (next === text.length && !isEnd) return null;
    fields.push(field + text.slice(at, next).replace(/\r$/, ""));
    if (text[next] !== separator)
      return { fields, end: Math.min(next + 1, text.length), hasEnd: text[next] === "\n" };
    at = next + 1;
  }
}

/** The position of the quote that ends a field; -1 if it has not come. */
function closing(text: string, opening: number): number {
  let at = text.indexOf(QUOTE, opening + 1);
  while (at !== -1 && text[at + 1] === QUOTE) at = text.indexOf(QUOTE, at + 2);
  return at;
}

/** The position of the separator or line end that comes next, or the end of the text. */
function nextOf(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at++) if (text[at] === separator || text[at] === "\n") return at;
  return text.length;
}
