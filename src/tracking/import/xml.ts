import { FileError } from "./file-error";

/**
 * Reads XML 1.0 as a stream: a few times as fast as the general readers, and nothing of a file, however it is made, stays
 * in memory but one tag and the names of the open elements. There are no entities but those of XML itself, and nothing
 * outside of the file is looked at.
 */

export interface XmlHandler {
  /** An element begins. `attributes` holds names and values by turns, the values as written (see `plainText`). */
  open: (name: string, attributes: readonly string[]) => void;
  /** True while the text of the innermost open element is wanted: most of it is blank, or of no use. */
  readonly wantsText: boolean;
  /** A part of that text, as written. A long one comes in several parts. */
  text: (part: string) => void;
  /** The innermost open element ends. */
  close: () => void;
}

const MAX_DEPTH = 64;
/** Characters of a tag with its attributes. */
const MAX_TAG = 64 * 1024;
const MAX_DOCTYPE = 4 * 1024;

const ENDS = { "<!--": "-->", "<?": "?>", "<![CDATA[": "]]>" } as const;
type Skipped = keyof typeof ENDS;
const SKIPPED = Object.keys(ENDS) as Skipped[];
const DOCTYPE = "<!DOCTYPE";

const ATTRIBUTE = /([^\s/<>"'=&]+)\s*=\s*(["'])/y;
const GREATER = 0x3e;
const SLASH = 0x2f;
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
/** True for a character that ends a name: a blank, or one of `"`, `&`, `'`, `/`, `<`, `=` and `>`. */
const endsName = (code: number): boolean =>
  code <= GREATER &&
  (code === GREATER ||
    code === SLASH ||
    isBlank(code) ||
    code >= 0x3c ||
    code === 0x22 ||
    code === 0x26 ||
    code === 0x27);
const NOT_BLANK = /[^\s\0]/;

const NONE: readonly string[] = [];

/** In place of a position: the rest of the construct has not been read yet. */
const INCOMPLETE = -1;

export class XmlReader {
  readonly #handler: XmlHandler;
  #buffer = "";
  #at = 0;
  /** Line of `#counted`, up to which line ends were counted, and the next line end from there. */
  #line = 1;
  #counted = 0;
  #nextLine = -1;
  /** The comment, instruction or CDATA section that is being read. */
  #inside: Skipped | null = null;
  readonly #open: string[] = [];
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
    while (this.#nextLine !== -1 && this.#nextLine < this.#at) {
      this.#line++;
      this.#counted = this.#nextLine + 1;
      this.#nextLine = this.#buffer.indexOf("\n", this.#counted);
    }
    return this.#line;
  }

  /** Reads on. Throws FileError where the text is no well-formed XML, or exceeds a bound. */
  write(text: string): void {
    this.#buffer = this.#buffer.slice(this.#at) + text;
    this.#at = 0;
    this.#counted = 0;
    this.#nextLine = this.#buffer.indexOf("\n");
    while (this.#at < this.#buffer.length) {
      const next = this.#inside ? this.#skip(this.#inside) : this.#construct();
      if (next === INCOMPLETE) break;
      this.#at = next;
    }
    // Counts the lines of all that was read.
    void this.line;
  }

  /** Throws FileError if the document isn't whole. */
  end(): void {
    const innermost = this.#open.at(-1);
    if (innermost !== undefined) throw new FileError(this.line, `the file ends inside <${shown(innermost)}>`);
    if (!this.#hasRoot || this.#inside || this.#at < this.#buffer.length)
      throw new FileError(this.line, "the file ends before its first element is whole");
  }

  #fail(what: string): never {
    throw new FileError(this.line, what);
  }

  /** Reads text up to a tag, or the tag. Returns the position behind it. */
  #construct(): number {
    const buffer = this.#buffer;
    const tag = buffer.indexOf("<", this.#at);
    if (tag !== this.#at) return this.#text(tag === -1 ? buffer.length : tag);
    switch (buffer[tag + 1]) {
      case undefined:
        return INCOMPLETE;
      case "/":
        return this.#endTag();
      case "!":
      case "?":
        return this.#declaration();
      default:
        return this.#startTag();
    }
  }

  #text(end: number, isLiteral = false): number {
    if (this.#open.length === 0) {
      if (NOT_BLANK.test(this.#buffer.slice(this.#at, end)))
        this.#fail("there is text outside of the first element: this is no XML file");
    } else if (this.#handler.wantsText) {
      const part = this.#buffer.slice(this.#at, end);
      this.#handler.text(isLiteral ? part.replaceAll("&", "&amp;") : part);
    }
    return end;
  }

  /** Bounds what is kept while the rest of a construct has not come. */
  #wait(most: number, what: string): typeof INCOMPLETE {
    if (this.#buffer.length - this.#at > most) this.#fail(`${what} is longer than ${most} characters`);
    return INCOMPLETE;
  }

  #declaration(): number {
    const buffer = this.#buffer;
    const kind = SKIPPED.find((beginning) => buffer.startsWith(beginning, this.#at));
    if (kind) {
      this.#inside = kind;
      return this.#at + kind.length;
    }
    const beginning = buffer.slice(this.#at, this.#at + DOCTYPE.length);
    if (beginning.toUpperCase() === DOCTYPE) return this.#doctype();
    if ([DOCTYPE, ...SKIPPED].some((known) => known.startsWith(beginning.toUpperCase()))) return INCOMPLETE;
    return this.#fail("this is no well-formed XML");
  }

  /** A document type is taken if it only names one; definitions of its own, such as of entities, are refused. */
  #doctype(): number {
    const end = this.#buffer.indexOf(">", this.#at);
    const text = this.#buffer.slice(this.#at, end === -1 ? undefined : end);
    if (text.includes("[")) this.#fail("a document type with definitions is not taken");
    if (end === -1) return this.#wait(MAX_DOCTYPE, "the document type");
    if (this.#hasRoot) this.#fail("this is no well-formed XML");
    return end + 1;
  }

  #skip(kind: Skipped): number {
    const end = this.#buffer.indexOf(ENDS[kind], this.#at);
    const isSection = kind === "<![CDATA[";
    // The end may be divided between two pieces.
    const until = end === -1 ? Math.max(this.#at, this.#buffer.length - 2) : end;
    if (isSection) this.#text(until, true);
    if (end === -1) {
      this.#at = until;
      return INCOMPLETE;
    }
    this.#inside = null;
    return end + ENDS[kind].length;
  }

  #endTag(): number {
    const buffer = this.#buffer;
    const innermost = this.#open.at(-1);
    const from = this.#at + 2;
    let end = from + (innermost?.length ?? 0);
    const isExpected = innermost !== undefined && buffer.startsWith(innermost, from);
    if (!isExpected || buffer.charCodeAt(end) !== GREATER) {
      end = buffer.indexOf(">", from);
      if (end === -1) return this.#wait(MAX_TAG, "a tag");
      const name = buffer.slice(from, end).trimEnd();
      if (innermost === undefined) this.#fail("an element ends that did not begin");
      if (name !== innermost) this.#fail(`</${shown(name)}> stands where <${shown(innermost)}> is open`);
    }
    this.#close();
    return end + 1;
  }

  #close(): void {
    this.#handler.close();
    this.#open.pop();
  }

  #startTag(): number {
    const buffer = this.#buffer;
    let at = this.#at + 1;
    while (at < buffer.length && !endsName(buffer.charCodeAt(at))) at++;
    const name = buffer.slice(this.#at + 1, at);
    if (name === "") this.#fail("this is no well-formed XML");
    if (buffer.charCodeAt(at) === GREATER) {
      this.#begin(name, NONE);
      return at + 1;
    }
    let attributes: string[] | null = null;
    for (;;) {
      while (isBlank(buffer.charCodeAt(at))) at++;
      const code = buffer.charCodeAt(at);
      if (code === GREATER || (code === SLASH && buffer.charCodeAt(at + 1) === GREATER)) break;
      ATTRIBUTE.lastIndex = at;
      const match = ATTRIBUTE.exec(buffer);
      const from = ATTRIBUTE.lastIndex;
      const to = match ? buffer.indexOf(match[2] as string, from) : -1;
      if (to === -1) return match ? this.#unfinishedValue(from) : this.#unfinishedTag(at);
      const value = buffer.slice(from, to);
      if (value.includes("<")) this.#fail("an attribute has no end");
      attributes ??= [];
      attributes.push(match?.[1] as string, value);
      at = to + 1;
    }
    if (at - this.#at > MAX_TAG) this.#fail(`a tag is longer than ${MAX_TAG} characters`);
    this.#begin(name, attributes ?? NONE);
    if (buffer.charCodeAt(at) === GREATER) return at + 1;
    this.#close();
    return at + 2;
  }

  /** A tag that can't be read on from `at`: the rest has not come, or it is wrong. */
  #unfinishedTag(at: number): typeof INCOMPLETE {
    if (/[<>]/.test(this.#buffer.slice(at))) this.#fail("this is no well-formed XML");
    return this.#wait(MAX_TAG, "a tag");
  }

  #unfinishedValue(at: number): typeof INCOMPLETE {
    if (this.#buffer.includes("<", at)) this.#fail("an attribute has no end");
    return this.#wait(MAX_TAG, "a tag");
  }

  #begin(name: string, attributes: readonly string[]): void {
    if (this.#open.length === 0 && this.#hasRoot) this.#fail("something follows after the first element");
    if (this.#open.length === MAX_DEPTH) this.#fail(`elements are nested deeper than ${MAX_DEPTH} levels`);
    this.#hasRoot = true;
    this.#open.push(name);
    this.#handler.open(name, attributes);
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
