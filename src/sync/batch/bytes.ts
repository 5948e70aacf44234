/** Reading and writing of bytes, as batches are made of them. Pure. */

/** A batch, or a part of one, is not what its format asks for. The message quotes nothing of it. */
export class MalformedBatch extends Error {}

const GROUP = 0x80;

/** Bytes that grow. */
export class Writer {
  #bytes: Uint8Array;
  length = 0;

  constructor(room = 256) {
    this.#bytes = new Uint8Array(room);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + more));
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.length);
    this.length += value.length;
  }

  /** A whole number from 0 to 2^53 − 1 in groups of 7 bits, the lowest first (LEB128). */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    // Beyond 31 bits the operators on bits would lose some.
    for (; rest >= 0x4000_0000; rest = Math.floor(rest / GROUP))
      this.#bytes[this.length++] = (rest % GROUP) | GROUP;
    for (; rest >= GROUP; rest >>>= 7) this.#bytes[this.length++] = (rest & 0x7f) | GROUP;
    this.#bytes[this.length++] = rest;
  }

  /** A whole number of either sign below 2^52, zigzag: 0, -1, 1, -2, … */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** IEEE 754, the lowest byte first. */
  double(value: number): void {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value, true);
    this.bytes(eight);
  }

  /** Bytes with their number before them. */
  sized(value: Uint8Array): void {
    this.number(value.length);
    this.bytes(value);
  }

  text(value: string): void {
    this.sized(new TextEncoder().encode(value));
  }

  /** All that was written; a view that later writing may change. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Bytes that are read from the beginning to the end. Everything throws MalformedBatch beyond the end. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  #take(count: number): number {
    if (count > this.left) throw new MalformedBatch("it ends too early");
    const at = this.#at;
    this.#at += count;
    return at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  /** A view of the next bytes. */
  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** See `Writer.number`. */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= GROUP) {
      const group = this.byte();
      value += (group & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new MalformedBatch("a number is too large");
      if (group < GROUP) return value;
      if (factor > Number.MAX_SAFE_INTEGER / GROUP) throw new MalformedBatch("a number is too long");
    }
  }

  /** A number that is a count of things of which each takes `least` bytes and more, or some may take none: then at most `most`. */
  count(most: number): number {
    const value = this.number();
    if (value > most) throw new MalformedBatch("it holds too much");
    return value;
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** See `Writer.sized`. */
  sized(): Uint8Array {
    return this.bytes(this.number());
  }

  text(): string {
    try {
      return UTF8.decode(this.sized());
    } catch (error) {
      if (error instanceof MalformedBatch) throw error;
      throw new MalformedBatch("a text is not UTF-8");
    }
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The 16 bytes of a UUID in its usual form. */
export function bytesOfUuid(uuid: string): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let at = 0, digit = 0; at < 16; at++, digit += 2) {
    if (uuid.charCodeAt(digit) === 0x2d) digit++;
    bytes[at] = Number.parseInt(uuid.slice(digit, digit + 2), 16);
  }
  return bytes;
}

/** The UUID of 16 bytes from an offset on, in lower case. */
export function uuidAt(bytes: Uint8Array, at = 0): string {
  const hex = (index: number) => HEX[bytes[at + index] as number] as string;
  const part = (from: number, to: number) => {
    let text = "";
    for (let index = from; index < to; index++) text += hex(index);
    return text;
  };
  return `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}-${part(8, 10)}-${part(10, 16)}`;
}
