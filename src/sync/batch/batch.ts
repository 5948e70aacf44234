import { holdsMore, isObject } from "../../kernel/values/json";
import { MalformedBatch, Reader, Writer } from "./bytes";
import { type Lane, laneOfNumber, numberOfLane } from "./lanes";
import { readPositions, type SentPosition, writePositions } from "./positions";

/**
 * The form of a batch, as docs/sync.md describes it: a header as it is, then one zstd frame with the rows, then the random bits of
 * identifiers, which don't compress. Pure, and in steps: whoever calls a generator lets other work go on in between.
 */

/** The version of the format that this program writes, and all that it reads. */
export const FORMAT = 1;
const MAGIC = [0x46, 0x4c, 0x53] as const;

/** Bytes of a body at most: of its rows, once they are compressed, and of its header. */
export const MOST_BYTES = 256 * 1024;
export const MOST_HEADER = 120;
/** Bytes of rows at most, before they are compressed. */
export const MOST_PLAIN = 8 * 1024 * 1024;

/** The kinds of records beside positions, by their names in batches. */
export const RECORD_KINDS = ["device", "trip", "entry", "crossing", "alert", "position"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** A record on its way. */
export interface SentRecord {
  /** Its number in its lane; null for one that others refer to, and that comes in its own lane too. */
  number: number | null;
  kind: RecordKind;
  id: string;
  /** Null for one that is deleted: then it is of any kind, and else no position. */
  row: Record<string, unknown> | null;
}

/** Numbers from the first to the last of a stretch, both included, of which so many rows of positions were given up. */
export interface Skipped {
  from: number;
  to: number;
  rows: number;
}

/** A stretch of a lane: once it is stored, everything up to a number is held. */
export interface Chunk {
  records: SentRecord[];
  positions: SentPosition[];
  skipped: Skipped[];
  upTo: number;
  /** Of the row of that number. */
  hash: string;
}

export interface SectionHead {
  lane: Lane;
  /** True until the shore has acknowledged something of this lane in this epoch. */
  begins: boolean;
  /** The last acknowledged number, and the hash of its row. */
  from: number;
  hash: string;
}

export interface Section extends SectionHead {
  chunks: Chunk[];
}

export interface BatchHead {
  /** Names the run of numbers: 16 hexadecimal digits. */
  epoch: string;
  /** The epoch from which this one goes on, where lanes begin; null for none. */
  parent: string | null;
  /** Rises with each request of the box. */
  sequence: number;
  /** The box's clock, epoch milliseconds. */
  clock: number;
  /** All that waits aboard. */
  backlog: { rows: number; bytes: number; ageSeconds: number };
  /** The version of the program. */
  version: string;
}

/** Words to the shore beside the rows. */
export interface Remarks {
  /** The zones and rules that were handed down: the version that is applied, and why a newer one isn't. */
  set?: { version: number | null; error: string | null };
}

export interface Batch extends BatchHead {
  sections: Section[];
  remarks: Remarks;
}

/** Bytes of a hash: so many of SHA-256. */
export const HASH_BYTES = 6;
/** The hash of the row before the first one. */
export const NO_HASH = "00".repeat(HASH_BYTES);
const EPOCH_BYTES = 8;
const MOST_VERSION = 16;

// --- The header -------------------------------------------------------------------------------------------

const HAS_PARENT = 1;
const BEGINS = 0x80;

function writeHeader(
  { sections, ...head }: Omit<Batch, "remarks">,
  frameLength: number,
  plainLength: number,
): Uint8Array {
  const to = new Writer(MOST_HEADER);
  for (const byte of MAGIC) to.byte(byte);
  to.byte(FORMAT);
  to.byte(head.parent === null ? 0 : HAS_PARENT);
  to.bytes(Uint8Array.fromHex(head.epoch));
  if (head.parent !== null) to.bytes(Uint8Array.fromHex(head.parent));
  to.number(head.sequence);
  to.number(Math.max(0, head.clock));
  to.number(head.backlog.rows);
  to.number(head.backlog.bytes);
  to.number(head.backlog.ageSeconds);
  to.text(head.version.slice(0, MOST_VERSION));
  to.number(sections.length);
  // Lanes of one feed are near to each other.
  let before = 0;
  for (const { lane, begins, from, hash } of sections) {
    to.byte(numberOfLane(lane) | (begins ? BEGINS : 0));
    to.signed(from - before);
    to.bytes(Uint8Array.fromHex(hash));
    before = from;
  }
  to.number(plainLength);
  to.number(frameLength);
  return to.done();
}

/** The header is of a version that this program doesn't know. */
export class UnknownFormat extends MalformedBatch {}

/** A section whose lane this version doesn't know is null: its rows are left out. */
export interface ReadHeader extends BatchHead {
  sections: (SectionHead | null)[];
}

/** A body taken apart: its header, the compressed rows with their length before that, and the random bits. */
export interface SplitBody {
  head: ReadHeader;
  frame: Uint8Array;
  plainLength: number;
  random: Uint8Array;
}

/** Takes a body apart. Throws MalformedBatch. */
export function splitBody(body: Uint8Array): SplitBody {
  const from = new Reader(body);
  if (!MAGIC.every((byte) => from.byte() === byte)) throw new MalformedBatch("it is no batch");
  if (from.byte() !== FORMAT) throw new UnknownFormat("its format is of another version");
  const flags = from.byte();
  const epoch = from.bytes(EPOCH_BYTES).toHex();
  const parent = flags & HAS_PARENT ? from.bytes(EPOCH_BYTES).toHex() : null;
  const [sequence, clock] = [from.number(), from.number()];
  const backlog = { rows: from.number(), bytes: from.number(), ageSeconds: from.number() };
  const version = from.text();
  if (version.length > MOST_VERSION) throw new MalformedBatch("its version is too long");
  const sections: ReadHeader["sections"] = [];
  let last = 0;
  for (let left = from.count(MOST_SECTIONS); left > 0; left--) {
    const byte = from.byte();
    const lane = laneOfNumber(byte & ~BEGINS);
    last += from.signed();
    if (last < 0 || !Number.isSafeInteger(last)) throw new MalformedBatch("a number is none of a lane");
    const hash = from.bytes(HASH_BYTES).toHex();
    if (lane && sections.some((other) => other?.lane === lane))
      throw new MalformedBatch("a lane comes twice");
    sections.push(lane && { lane, begins: (byte & BEGINS) !== 0, from: last, hash });
  }
  const plainLength = from.count(MOST_PLAIN);
  const frame = from.sized();
  const random = from.bytes(from.left);
  return { head: { epoch, parent, sequence, clock, backlog, version, sections }, frame, plainLength, random };
}

/** There are fewer lanes, and each has one section. */
const MOST_SECTIONS = 32;

// --- The rows ---------------------------------------------------------------------------------------------

const PART = { records: 1, positions: 2, skipped: 3, upTo: 4 } as const;

/** Records and positions of one part: a few milliseconds of work. */
export const MOST_OF_CHUNK = 2_048;

function* writeSection(to: Writer, random: Writer, { from, chunks }: Section): Generator<undefined, void> {
  const parts: [kind: number, content: Uint8Array][] = [];
  let last = from;
  for (const { records, positions, skipped, upTo, hash } of chunks) {
    const part = (kind: number, write: (content: Writer) => void) => {
      const content = new Writer();
      write(content);
      parts.push([kind, content.done()]);
    };
    for (const list of listsOf(records)) {
      part(PART.records, (content) => content.bytes(list));
      yield;
    }
    if (positions.length > 0) {
      const content = new Writer(32 * positions.length);
      yield* writePositions(content, random, positions, last);
      parts.push([PART.positions, content.done()]);
    }
    for (const range of skipped)
      part(PART.skipped, (content) => {
        content.number(range.from);
        content.number(range.to);
        content.number(range.rows);
      });
    part(PART.upTo, (content) => {
      content.number(upTo - last);
      content.bytes(Uint8Array.fromHex(hash));
    });
    last = upTo;
    yield;
  }
  to.number(parts.length);
  for (const [kind, content] of parts) {
    to.byte(kind);
    to.sized(content);
  }
}

/** Records as lists in JSON, each of which a part may hold; one that is larger by itself is alone. */
function listsOf(records: readonly SentRecord[]): Uint8Array[] {
  const lists: string[][] = [];
  let room = 0;
  for (const { number, kind, id, row } of records) {
    const text = JSON.stringify([number, kind, id, row]);
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > room) {
      lists.push([]);
      room = MOST_OF_PART - "[]".length;
    }
    lists.at(-1)?.push(text);
    room -= bytes;
  }
  return lists.map((list) => new TextEncoder().encode(`[${list.join(",")}]`));
}

/** The rows of a batch as bytes, and the random bits. */
export function* writeRows({
  sections,
  remarks,
}: Batch): Generator<undefined, { plain: Uint8Array; random: Uint8Array }> {
  const [plain, random] = [new Writer(4_096), new Writer(4_096)];
  plain.text(Object.keys(remarks).length === 0 ? "" : JSON.stringify(remarks));
  for (const section of sections) yield* writeSection(plain, random, section);
  return { plain: plain.done(), random: random.done() };
}

/** The body of a batch whose rows, so many bytes, were compressed to a frame. */
export function joinBody(
  batch: Batch,
  frame: Uint8Array,
  plainLength: number,
  random: Uint8Array,
): { body: Uint8Array; header: number } {
  const header = writeHeader(batch, frame.length, plainLength);
  const body = new Uint8Array(header.length + frame.length + random.length);
  body.set(header);
  body.set(frame, header.length);
  body.set(random, header.length + frame.length);
  return { body, header: header.length };
}

/** Bytes of the records of one part at most, and the values (members, items, lists, objects) that they hold: some milliseconds. */
export const MOST_OF_PART = 1024 * 1024;
const MOST_VALUES = 200_000;
const MOST_PARTS = 65_536;

function readRecords(content: Uint8Array): SentRecord[] {
  if (content.length > MOST_OF_PART) throw new MalformedBatch("too many records are in one part");
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    if (holdsMore(text, MOST_VALUES)) throw new MalformedBatch("too many records are in one part");
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof MalformedBatch) throw error;
    throw new MalformedBatch("records are not JSON");
  }
  if (!Array.isArray(value)) throw new MalformedBatch("records are no list");
  return value.flatMap((each: unknown): SentRecord[] => {
    if (!Array.isArray(each)) throw new MalformedBatch("a record is no list");
    const [number, kind, id, row] = each as unknown[];
    const isNumbered = number === null || (Number.isSafeInteger(number) && (number as number) > 0);
    const isRow = row === null || (typeof row === "object" && !Array.isArray(row));
    if (!isNumbered || typeof kind !== "string" || typeof id !== "string" || !isRow)
      throw new MalformedBatch("a record is not in its form");
    // A newer box may have more kinds.
    if (!RECORD_KINDS.includes(kind as RecordKind)) return [];
    return [{ number: number as number | null, kind: kind as RecordKind, id, row: row as SentRecord["row"] }];
  });
}

function* readSection(from: Reader, random: Reader, after: number): Generator<undefined, Chunk[]> {
  const chunks: Chunk[] = [];
  let last = after;
  let chunk: Omit<Chunk, "upTo" | "hash"> = { records: [], positions: [], skipped: [] };
  for (let left = from.count(MOST_PARTS); left > 0; left--) {
    const kind = from.byte();
    const content = from.sized();
    if (kind === PART.records) chunk.records.push(...readRecords(content));
    else if (kind === PART.positions)
      chunk.positions.push(...(yield* readPositions(new Reader(content), random, last)));
    else if (kind === PART.skipped) {
      const reader = new Reader(content);
      chunk.skipped.push({ from: reader.number(), to: reader.number(), rows: reader.number() });
    } else if (kind === PART.upTo) {
      const reader = new Reader(content);
      const upTo = last + reader.number();
      if (!Number.isSafeInteger(upTo)) throw new MalformedBatch("a number is too large");
      if (!isWithin(chunk, last, upTo)) throw new MalformedBatch("a row is not of its stretch");
      chunks.push({ ...chunk, upTo, hash: reader.bytes(HASH_BYTES).toHex() });
      chunk = { records: [], positions: [], skipped: [] };
      last = upTo;
    }
    yield;
  }
  return chunks;
}

const isWithin = (
  { records, positions }: Pick<Chunk, "records" | "positions">,
  after: number,
  upTo: number,
): boolean =>
  records.every(({ number }) => number === null || (number > after && number <= upTo)) &&
  (positions.at(-1)?.number ?? after) <= upTo;

/** The sections of a batch, whose lanes this version knows. Throws MalformedBatch. */
export function* readRows(
  { sections }: ReadHeader,
  plain: Uint8Array,
  random: Uint8Array,
): Generator<undefined, { sections: Section[]; remarks: Record<string, unknown> }> {
  const [from, bits] = [new Reader(plain), new Reader(random)];
  const remarks = readRemarks(from.text());
  const read: Section[] = [];
  for (const head of sections) {
    const chunks = yield* readSection(from, bits, head?.from ?? 0);
    if (head) read.push({ ...head, chunks });
  }
  return { sections: read, remarks };
}

const MOST_REMARKS = 4_096;

function readRemarks(text: string): Record<string, unknown> {
  if (text === "") return {};
  if (text.length > MOST_REMARKS) throw new MalformedBatch("its remarks are too long");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!isObject(value)) throw new MalformedBatch("its remarks are no object");
  return value;
}
