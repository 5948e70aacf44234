import { FileError } from "./file-error";
import { Attributes, BYTE, endsName, isAt, isBlank, type Name, Names } from "./tag";

/**
 * Reads XML 1.0 as a stream, from bytes of which those below 128 are ASCII, as in UTF-8. Nothing of a file, however it is
 * made, stays in memory but one tag and the names of the open elements, and no text is made but those that are asked for: a
 * file of 200 MB has ten million tags. There are no entities but those of XML itself, and nothing outside of the file is
 * looked at.
 */

export interface XmlHandler {
  /** An element begins. */
  open: (name: Name, attributes: Attributes) => void;
  /** True while the text of the innermost open element is wanted: most of it is blank, or of no use. */
  readonly wantsText: boolean;
  /** A part of that text, as written. A long one comes in several parts. */
  text: (part: string) => void;
  /** The innermost open element ends. */
  close: () => void;
}

const MAX_DEPTH = 64;
/** Bytes of a tag with its attributes, and of the name of an element or attribute. */
const MAX_TAG = 64 * 1024;
const MAX_NAME = 256;
const MAX_DOCTYPE = 4 * 1024;

const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Constructs that are passed over: their beginnings and ends. */
const SKIPPED = [
  { from: bytesOf("<!--"), to: bytesOf("-->"), isText: false },
  { from: bytesOf("<?"), to: bytesOf("?>"), isText: false },
  { from: bytesOf("<![CDATA["), to: bytesOf("]]>"), isText: true },
];
type Skipped = (typeof SKIPPED)[number];
const DOCTYPE = "<!DOCTYPE";

/** In place of a position: the rest of the construct has not been read yet. */
const INCOMPLETE = -1;

export class XmlReader {
  readonly #handler: XmlHandler;
  readonly #names = new Names();
  readonly #attributes = new Attributes();
  /** The bytes that are read; `#size` of them are there, and the next construct begins at `#at`. */
  #buffer = Buffer.alloc(0);
  #size = 0;
  #at = 0;
  /** The line of `#counted`, up to which line ends were counted. */
  #line = 1;
  #counted = 0;
  /** The comment, instruction or CDATA section that is being read. */
  #inside: Skipped | null = null;
  readonly #open: Name[] = [];
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Number of open elements. */
  get depth(): number {
    return this.#open.length;
  }

  /** The line of the construct that is being read, counted from 1. */
  get line(): number {
    const buffer = this.#buffer;
    const to = this.#at;
    let line = this.#line;
    for (let at = this.#counted; at < to; at++) if (buffer[at] === BYTE.lineEnd) line++;
    this.#counted = to;
    this.#line = line;
    return line;
  }

  /** Reads on. Throws FileError where the bytes are no well-formed XML, or exceed a bound. */
  write(bytes: Uint8Array): void {
    // Counts the lines of what was read, before it goes.
    void this.line;
    this.#append(bytes);
    while (this.#at < this.#size) {
      const next = this.#inside ? this.#skip(this.#inside) : this.#construct();
      if (next === INCOMPLETE) break;
      this.#at = next;
    }
  }

  /** Throws FileError if the document isn't whole. */
  end(): void {
    const innermost = this.#open.at(-1);
    if (innermost) this.#fail(`the file ends inside <${shown(innermost.text)}>`);
    if (!this.#hasRoot || this.#inside || this.#at < this.#size)
      this.#fail("the file ends before its first element is whole");
  }

  #append(bytes: Uint8Array): void {
    const left = this.#size - this.#at;
    if (left + bytes.length > this.#buffer.length) {
      const larger = Buffer.alloc(left + bytes.length);
      larger.set(this.#buffer.subarray(this.#at, this.#size));
      this.#buffer = larger;
    } else this.#buffer.copyWithin(0, this.#at, this.#size);
    this.#buffer.set(bytes, left);
    this.#size = left + bytes.length;
    this.#at = 0;
    this.#counted = 0;
  }

  #fail(what: string): never {
    throw new FileError(this.line, what);
  }

  /** The position of a byte, or the end of what is there. */
  #find(byte: number, from: number): number {
    const buffer = this.#buffer;
    const size = this.#size;
    let at = from;
    while (at < size && buffer[at] !== byte) at++;
    return at;
  }

  /** True if these bytes stand at a position; null if the end of what is there leaves it open. */
  #has(bytes: Uint8Array, at: number): boolean | null {
    const end = Math.min(this.#size, at + bytes.length);
    const isSame = isAt(this.#buffer, at, end, bytes.subarray(0, end - at));
    return isSame && end - at < bytes.length ? null : isSame;
  }

  /** Reads text up to a tag, or the tag. Returns the position behind it. */
  #construct(): number {
    const tag = this.#find(BYTE.less, this.#at);
    if (tag !== this.#at) return this.#text(tag);
    if (tag + 1 === this.#size) return INCOMPLETE;
    const next = this.#buffer[tag + 1];
    if (next === BYTE.slash) return this.#endTag();
    return next === 0x21 || next === 0x3f ? this.#declaration() : this.#startTag();
  }

  #text(end: number, isLiteral = false): number {
    if (this.#open.length === 0) this.#requireBlank(end);
    else if (this.#handler.wantsText) {
      const part = this.#buffer.toString("latin1", this.#at, end);
      this.#handler.text(isLiteral ? part.replaceAll("&", "&amp;") : part);
    }
    return end;
  }

  #requireBlank(end: number): void {
    for (; this.#at < end; this.#at++)
      if (!isBlank(this.#buffer[this.#at]) && this.#buffer[this.#at] !== 0)
        this.#fail("there is text outside of the first element: this is no XML file");
  }

  /** Bounds what is kept while the rest of a construct has not come. */
  #wait(most: number, what: string): typeof INCOMPLETE {
    if (this.#size - this.#at > most) this.#fail(`${what} is longer than ${most} bytes`);
    return INCOMPLETE;
  }

  #declaration(): number {
    const beginnings = SKIPPED.map(({ from }) => this.#has(from, this.#at));
    const found = SKIPPED[beginnings.indexOf(true)];
    if (found) {
      this.#inside = found;
      return this.#at + found.from.length;
    }
    const beginning = this.#buffer.toString(
      "latin1",
      this.#at,
      Math.min(this.#size, this.#at + DOCTYPE.length),
    );
    if (beginning.toUpperCase() === DOCTYPE) return this.#doctype();
    if (beginnings.includes(null) || DOCTYPE.startsWith(beginning.toUpperCase())) return INCOMPLETE;
    return this.#malformed();
  }

  #malformed(): never {
    this.#fail("this is no well-formed XML");
  }

  /** A document type is taken if it only names one; definitions of its own, such as of entities, are refused. */
  #doctype(): number {
    const end = this.#find(BYTE.greater, this.#at);
    if (this.#buffer.subarray(this.#at, end).includes(0x5b))
      this.#fail("a document type with definitions is not taken");
    if (end === this.#size) return this.#wait(MAX_DOCTYPE, "the document type");
    if (this.#hasRoot) this.#malformed();
    return end + 1;
  }

  #skip({ to, isText }: Skipped): number {
    const [last] = to.slice(-1);
    const before = to.length - 1;
    for (let at = this.#at + before; at < this.#size; at++) {
      if (this.#buffer[at] !== last || !isAt(this.#buffer, at - before, at + 1, to)) continue;
      if (isText) this.#text(at - before, true);
      this.#inside = null;
      return at + 1;
    }
    // The end may be divided between two pieces.
    const until = Math.max(this.#at, this.#size - before);
    if (isText) this.#text(until, true);
    this.#at = until;
    return INCOMPLETE;
  }

  #endTag(): number {
    const innermost = this.#open.at(-1);
    const from = this.#at + 2;
    let end = from + (innermost?.bytes.length ?? 0);
    if (!innermost || end >= this.#size || this.#buffer[end] !== BYTE.greater) {
      end = this.#find(BYTE.greater, from);
      if (end === this.#size) return this.#wait(MAX_TAG, "a tag");
    }
    let to = end;
    while (isBlank(this.#buffer[to - 1])) to--;
    if (!innermost) this.#fail("an element ends that did not begin");
    if (!isAt(this.#buffer, from, to, innermost.bytes))
      this.#fail(
        `</${shown(this.#buffer.toString("latin1", from, Math.min(to, from + MAX_NAME)))}> stands where <${shown(innermost.text)}> is open`,
      );
    this.#close();
    return end + 1;
  }

  #close(): void {
    this.#handler.close();
    this.#open.pop();
  }

  /** The position behind a name. */
  #nameEnd(from: number): number {
    const buffer = this.#buffer;
    const size = this.#size;
    let at = from;
    while (at < size && !endsName(buffer[at])) at++;
    if (at - from > MAX_NAME) this.#fail(`a name is longer than ${MAX_NAME} bytes`);
    return at;
  }

  #blankEnd(from: number): number {
    const buffer = this.#buffer;
    const size = this.#size;
    let at = from;
    while (at < size && isBlank(buffer[at])) at++;
    return at;
  }

  #startTag(): number {
    const buffer = this.#buffer;
    const nameEnd = this.#nameEnd(this.#at + 1);
    this.#attributes.clear(buffer);
    let at = nameEnd;
    for (;;) {
      at = this.#blankEnd(at);
      const isEmpty = buffer[at] === BYTE.slash && at < this.#size;
      if (isEmpty) at++;
      if (at >= this.#size) return this.#wait(MAX_TAG, "a tag");
      if (buffer[at] === BYTE.greater) {
        this.#begin(nameEnd);
        if (isEmpty) this.#close();
        return at + 1;
      }
      if (isEmpty) this.#malformed();
      at = this.#attribute(at);
      if (at === INCOMPLETE) return this.#wait(MAX_TAG, "a tag");
    }
  }

  /** Reads an attribute. Returns the position behind it. */
  #attribute(from: number): number {
    const nameEnd = this.#nameEnd(from);
    const equals = this.#blankEnd(nameEnd);
    if (equals === this.#size) return INCOMPLETE;
    if (nameEnd === from || this.#buffer[equals] !== BYTE.equals) this.#malformed();
    const opening = this.#blankEnd(equals + 1);
    if (opening === this.#size) return INCOMPLETE;
    const quote = this.#buffer[opening] as number;
    if (quote !== BYTE.doubleQuote && quote !== BYTE.singleQuote) this.#malformed();
    const buffer = this.#buffer;
    let at = opening + 1;
    for (; at < this.#size && buffer[at] !== quote; at++)
      if (buffer[at] === BYTE.less) this.#fail("an attribute has no end");
    if (at === this.#size) return INCOMPLETE;
    this.#attributes.add(this.#names.get(this.#buffer, from, nameEnd).text, opening + 1, at);
    return at + 1;
  }

  #begin(nameEnd: number): void {
    const from = this.#at + 1;
    if (from === nameEnd) this.#malformed();
    if (this.#open.length === 0 && this.#hasRoot) this.#fail("something follows after the first element");
    if (this.#open.length === MAX_DEPTH) this.#fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    this.#hasRoot = true;
    const name = this.#names.get(this.#buffer, from, nameEnd);
    this.#open.push(name);
    this.#handler.open(name, this.#attributes);
  }
}

/** A name in a message: a stranger's file chose it. */
const shown = (name: string): string => name.slice(0, 40).replaceAll(/[^\w:.-]/g, "?");

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));|&/gi;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** A text or the value of an attribute without references to characters; null if it holds one that XML doesn't know. */
export function plainText(written: string): string | null {
  if (!written.includes("&")) return written;
  let isKnown = true;
  const text = written.replaceAll(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null;
    const character =
      code === null ? NAMED[name ?? ""] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    isKnown &&= character !== undefined;
    return character ?? "";
  });
  return isKnown ? text : null;
}
