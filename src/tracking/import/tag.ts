/** The bytes of a tag, and what is in it; they hold until the next tag is read. */

/** Bytes that mean something in XML. */
export const BYTE = {
  lineEnd: 0x0a,
  doubleQuote: 0x22,
  ampersand: 0x26,
  singleQuote: 0x27,
  slash: 0x2f,
  less: 0x3c,
  equals: 0x3d,
  greater: 0x3e,
} as const;

export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);

/** True for a byte that can't be in a name. */
export const endsName = (byte: number | undefined): boolean =>
  byte === undefined ||
  (byte <= BYTE.greater &&
    (byte >= BYTE.less ||
      byte === BYTE.slash ||
      isBlank(byte) ||
      byte === BYTE.doubleQuote ||
      byte === BYTE.ampersand ||
      byte === BYTE.singleQuote));

/** Names that are kept as texts. A file has a few dozen; a hostile one any number. */
const MAX_NAMES = 1_000;

export interface Name {
  bytes: Buffer;
  text: string;
  /** The prefix of its name space, empty without one, and what follows it. */
  prefix: string;
  local: string;
}

/** The names of a file, so that no text is made for each of its tags. */
export class Names {
  readonly #known = new Map<number, Name>();

  /** The name in these bytes. */
  get(buffer: Buffer, from: number, to: number): Name {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (buffer[at] as number)) | 0;
    const known = this.#known.get(hash);
    if (known && isAt(buffer, from, to, known.bytes)) return known;
    const bytes = Buffer.from(buffer.subarray(from, to));
    const text = bytes.toString("latin1");
    const colon = text.indexOf(":");
    const name = { bytes, text, prefix: text.slice(0, Math.max(0, colon)), local: text.slice(colon + 1) };
    if (!known && this.#known.size < MAX_NAMES) this.#known.set(hash, name);
    return name;
  }
}

/** True if exactly these bytes stand there. */
export function isAt(buffer: Uint8Array, from: number, to: number, bytes: Uint8Array): boolean {
  if (bytes.length !== to - from) return false;
  for (let at = 0; at < bytes.length; at++) if (buffer[from + at] !== bytes[at]) return false;
  return true;
}

/** The attributes of a tag. Their values are texts only once they are asked for. */
export class Attributes {
  readonly #names: string[] = [];
  readonly #spans: number[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#count = 0;
  }

  add(name: string, from: number, to: number): void {
    this.#names[this.#count] = name;
    this.#spans[this.#count * 2] = from;
    this.#spans[this.#count * 2 + 1] = to;
    this.#count++;
  }

  nameAt(at: number): string {
    return this.#names[at] as string;
  }

  /** The value as written, cut to so many bytes. */
  valueAt(at: number, most: number): string {
    const from = this.#spans[at * 2] as number;
    return this.#buffer.toString("latin1", from, Math.min(this.#spans[at * 2 + 1] as number, from + most));
  }

  /** The value of the first attribute of a name; null without one. */
  value(name: string, most: number): string | null {
    for (let at = 0; at < this.#count; at++) if (this.#names[at] === name) return this.valueAt(at, most);
    return null;
  }
}
