import { Transform, type TransformCallback } from "node:stream";
import { BilingualError } from "../../kernel/values/bilingual";

/**
 * The packets of a broker, on their way to the library that reads them. It keeps a packet in memory until all of it is there,
 * and a packet may have 256 MiB: a message that is too large is passed on without its payload, so that it is acknowledged and
 * never comes again, and a large packet of another kind ends the connection.
 */

/** Bytes of the largest packet that is passed on whole: a location with a picture in it may have two megabytes. */
export const LARGEST_PACKET = 2_097_152 + 65_536;

/** Bytes of the largest packet of another kind than a message. */
const LARGEST_OTHER = 65_536;

/** Packets that are passed on in one turn of the event loop: the library reads all that it is given at once. */
const OF_TURN = 100;

/** The type of a message among control packets (MQTT 5, section 2.1.2). */
const PUBLISH = 3;

/** The broker sent what no broker may send. It tells the operator, as what "it" does. */
export class BrokerFault extends BilingualError {
  /** Errors without a code are no errors of the stream to the library. */
  readonly code = "BROKER_FAULT";
}

export const NO_MQTT = { en: "it does not speak MQTT", de: "er spricht kein MQTT" };
export const TOO_LARGE = { en: "it sends packets that are too large", de: "er sendet zu große Pakete" };

/** The header of a packet (MQTT 5, section 2.1.1). */
interface Header {
  bytes: number[];
  /** Bytes that follow. */
  rest: number;
}

/** Reads a header; null while bytes are missing. Throws BrokerFault for a length of more than four bytes. */
function headerOf(bytes: number[]): Header | null {
  let rest = 0;
  for (let at = 1; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    rest += (byte & 0x7f) * 128 ** (at - 1);
    if (byte < 0x80) return { bytes, rest };
  }
  if (bytes.length > 4) throw new BrokerFault(NO_MQTT);
  return null;
}

/** A remaining length in the form of MQTT 5, section 1.5.5. */
function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  let left = length;
  do {
    const rest = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? rest | 0x80 : rest);
  } while (left > 0);
  return bytes;
}

export class Frames extends Transform {
  readonly #hasProperties: boolean;
  readonly #onCut: () => void;
  /** Bytes of the header that is being read. */
  #header: number[] = [];
  /** Bytes of the current packet that are still to be passed on, or left out. */
  #passing = 0;
  #skipping = 0;
  /** A message that is too large, until its topic and its identifier are there. */
  #cut: (Header & { head: number[] }) | null = null;

  /** `onCut` is called for each message whose payload was left out. */
  constructor(version: 4 | 5, onCut: () => void) {
    super();
    this.#hasProperties = version === 5;
    this.#onCut = onCut;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#pass(chunk, 0, done);
  }

  /** Passes a chunk on from a place, at most so many packets in a turn. */
  #pass(chunk: Buffer, from: number, done: TransformCallback): void {
    if (this.destroyed) return;
    let at: number;
    try {
      at = this.#advance(chunk, from);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (at < chunk.length) setImmediate(() => this.#pass(chunk, at, done));
    else done();
  }

  /** Passes on as many packets as one turn may have. Returns the place behind them. */
  #advance(chunk: Buffer, from: number): number {
    let at = from;
    /** Bytes from here on are passed on as they are. */
    let start = from;
    const flush = (end: number) => {
      if (end > start) this.push(chunk.subarray(start, end));
    };
    for (let packets = 0; at < chunk.length && packets < OF_TURN; ) {
      if (this.#skipping > 0) {
        const length = Math.min(this.#skipping, chunk.length - at);
        this.#skipping -= length;
        at += length;
        start = at;
      } else if (this.#passing > 0) {
        const length = Math.min(this.#passing, chunk.length - at);
        this.#passing -= length;
        at += length;
        if (this.#passing === 0) packets++;
      } else if (this.#cut) {
        this.#cut.head.push(chunk[at++] as number);
        start = at;
        this.#passHead(this.#cut);
      } else {
        const begin = at;
        const isCarried = this.#header.length > 0;
        let header: Header | null = null;
        while (at < chunk.length && !header) {
          this.#header.push(chunk[at++] as number);
          header = this.#header.length > 1 ? headerOf(this.#header) : null;
        }
        if (!header) {
          flush(begin);
          start = at;
          break;
        }
        this.#header = [];
        if (this.#isTooLarge(header)) {
          flush(begin);
          start = at;
          this.#cut = { ...header, head: [] };
        } else {
          if (isCarried) {
            this.push(Buffer.from(header.bytes));
            start = at;
          }
          this.#passing = header.rest;
          if (header.rest === 0) packets++;
        }
      }
    }
    flush(at);
    return at;
  }

  #isTooLarge({ bytes: [first = 0], rest }: Header): boolean {
    if (first >> 4 === PUBLISH) return rest > LARGEST_PACKET;
    if (rest > LARGEST_OTHER) throw new BrokerFault(TOO_LARGE);
    return false;
  }

  /** Passes on a message that is cut once its topic and, if it is to be acknowledged, its identifier are there. */
  #passHead({ bytes: [first = 0], rest, head }: Header & { head: number[] }): void {
    const [high, low] = head;
    if (high === undefined || low === undefined) return;
    const isAcknowledged = (first & 0x06) !== 0;
    if (head.length < 2 + high * 256 + low + (isAcknowledged ? 2 : 0)) return;
    const kept = this.#hasProperties ? [...head, 0] : head;
    this.push(Buffer.from([first, ...lengthBytes(kept.length), ...kept]));
    this.#skipping = rest - head.length;
    this.#cut = null;
    this.#onCut();
  }
}
