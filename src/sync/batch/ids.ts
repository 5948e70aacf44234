import { bytesOfUuid, type Reader, uuidAt, type Writer } from "./bytes";
import { readBits, readIntegers, writeBits, writeIntegers } from "./integers";

/**
 * Identifiers of version 7 (RFC 9562, section 5.7): their time resembles that of the record, and 74 random bits don't resemble
 * anything, so they stand by themselves: 64 of them in one column, the others in groups of ten.
 */

const TIME_FACTOR = 2 ** 40;

/** The first 48 bits. */
const timeOf = (bytes: Uint8Array): number =>
  (bytes[0] as number) * TIME_FACTOR +
  (((bytes[1] as number) << 24) >>> 0) * 0x100 +
  ((((bytes[2] as number) << 24) |
    ((bytes[3] as number) << 16) |
    ((bytes[4] as number) << 8) |
    (bytes[5] as number)) >>>
    0);

function setTime(bytes: Uint8Array, time: number): void {
  let rest = time;
  for (let at = 5; at >= 0; at--) {
    bytes[at] = rest % 0x100;
    rest = Math.floor(rest / 0x100);
  }
}

/** The ten bits between the time and the 64 last ones that are random. */
const middleOf = (bytes: Uint8Array): number =>
  (((bytes[6] as number) & 0x0f) << 6) | ((bytes[8] as number) & 0x3f);

const isVersion7 = (bytes: Uint8Array): boolean =>
  (bytes[6] as number) >> 4 === 7 && (bytes[8] as number) >> 6 === 2;

const MIDDLE_BITS = 10;

function writeMiddles(to: Writer, middles: readonly number[]): void {
  let [pending, bits] = [0, 0];
  for (const middle of middles) {
    pending |= middle << bits;
    bits += MIDDLE_BITS;
    for (; bits >= 8; bits -= 8) {
      to.byte(pending & 0xff);
      pending >>>= 8;
    }
  }
  if (bits > 0) to.byte(pending);
}

function readMiddles(from: Reader, count: number): number[] {
  const bytes = from.bytes(Math.ceil((count * MIDDLE_BITS) / 8));
  let [pending, bits, next] = [0, 0, 0];
  return Array.from({ length: count }, () => {
    for (; bits < MIDDLE_BITS; bits += 8) pending |= (bytes[next++] as number) << bits;
    const middle = pending & 0x3ff;
    pending >>>= MIDDLE_BITS;
    bits -= MIDDLE_BITS;
    return middle;
  });
}

/** Writes identifiers of records that were made at some times (epoch milliseconds); random bits go to `random`. */
export function writeIds(
  to: Writer,
  random: Writer,
  ids: readonly string[],
  madeAt: readonly number[],
): void {
  const all = ids.map(bytesOfUuid);
  const isOther = all.map((bytes) => !isVersion7(bytes));
  writeBits(to, isOther);
  const [known, times]: [Uint8Array[], number[]] = [[], []];
  for (const [at, bytes] of all.entries())
    if (isOther[at]) random.bytes(bytes);
    else {
      known.push(bytes);
      times.push(timeOf(bytes) - (madeAt[at] as number));
      random.byte(bytes[7] as number);
      random.bytes(bytes.subarray(9));
    }
  writeIntegers(
    to,
    times,
    times.map(() => 0),
  );
  writeMiddles(random, known.map(middleOf));
}

export function readIds(from: Reader, random: Reader, madeAt: readonly number[]): string[] {
  const isOther = readBits(from, madeAt.length);
  const all = isOther.map((other) => {
    const bytes = new Uint8Array(16);
    if (other) bytes.set(random.bytes(16));
    else {
      bytes[7] = random.byte();
      bytes.set(random.bytes(7), 9);
    }
    return bytes;
  });
  const known = all.flatMap((bytes, at) => (isOther[at] ? [] : [{ bytes, madeAt: madeAt[at] as number }]));
  const times = readIntegers(
    from,
    known.map(() => 0),
  );
  const middles = readMiddles(random, known.length);
  for (const [at, { bytes, madeAt: made }] of known.entries()) {
    setTime(bytes, Math.max(0, (times[at] as number) + made));
    const middle = middles[at] as number;
    bytes[6] = 0x70 | (middle >> 6);
    bytes[8] = 0x80 | (middle & 0x3f);
  }
  return all.map((bytes) => uuidAt(bytes));
}
