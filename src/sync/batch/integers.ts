import { MalformedBatch, type Reader, type Writer } from "./bytes";

/**
 * Columns of whole numbers. Each is told by its difference from a prediction, which knows the values of the same group before it
 * (the same device's): nothing (order 0), the last one (1), or the last one and the step to it (2). The differences are zigzag
 * numbers in groups of 7 bits, in planes: the first groups of all, then the second groups of those that go on, and so on. What
 * resembles lies together then.
 */

const ORDERS = 3;

/** Zigzag numbers stay exact below this. */
const LARGEST = 2 ** 51;

/** True for a number that a column can hold. */
export const isHeld = (value: number): boolean => value <= LARGEST && value >= -LARGEST;

/** The prediction of the next value of a group, from the values of that group so far. */
class Predictor {
  readonly #order: number;
  readonly #last: number[] = [];
  readonly #step: number[] = [];

  constructor(order: number) {
    this.#order = order;
  }

  next(group: number): number {
    if (this.#order === 0) return 0;
    const last = this.#last[group];
    if (last === undefined) return 0;
    return this.#order === 1 ? last : last + (this.#step[group] ?? 0);
  }

  note(group: number, value: number): void {
    if (this.#order === 0) return;
    const last = this.#last[group];
    if (last !== undefined) this.#step[group] = value - last;
    this.#last[group] = value;
  }
}

/** Calls `take` with each difference; false as soon as one is too large for a column. */
function differences(
  values: readonly number[],
  groups: readonly number[],
  order: number,
  take: (difference: number) => void,
  count = values.length,
): boolean {
  const predictor = new Predictor(order);
  for (let at = 0; at < count; at++) {
    const value = values[at] as number;
    const group = groups[at] as number;
    const difference = value - predictor.next(group);
    if (!isHeld(difference)) return false;
    predictor.note(group, value);
    take(difference);
  }
  return true;
}

/** Values by which the order is chosen: the first ones resemble the rest. */
const SAMPLE = 500;

/** The order by which a column is shortest, and about the bits that its first values take. */
function shortest(values: readonly number[], groups: readonly number[]): { order: number; bits: number } {
  let best = { order: 0, bits: Number.POSITIVE_INFINITY };
  for (let order = ORDERS - 1; order >= 0; order--) {
    let bits = 0;
    const count = Math.min(SAMPLE, values.length);
    const isPossible = differences(
      values,
      groups,
      order,
      (difference) => {
        bits += Math.log2(1 + Math.abs(difference));
      },
      count,
    );
    if (isPossible && bits <= best.bits) best = { order, bits };
  }
  return best;
}

/** About the bits that the first values of a column would take. */
export const bitsOf = (values: readonly number[], groups: readonly number[]): number =>
  shortest(values, groups).bits;

/** Writes numbers of which `isHeld` is true. `groups` names the group of each. */
export function writeIntegers(to: Writer, values: readonly number[], groups: readonly number[]): void {
  const zigzag: number[] = [];
  const collect = (difference: number) => zigzag.push(difference < 0 ? -2 * difference - 1 : 2 * difference);
  let { order } = shortest(values, groups);
  if (!differences(values, groups, order, collect)) {
    zigzag.length = 0;
    order = 0;
    if (!differences(values, groups, order, collect)) throw new Error("a number is too large for a column");
  }
  to.byte(order);
  for (let going = zigzag; going.length > 0; ) {
    const next: number[] = [];
    for (const number of going) {
      if (number < 0x80) to.byte(number);
      else {
        to.byte((number % 0x80) | 0x80);
        next.push(Math.floor(number / 0x80));
      }
    }
    going = next;
  }
}

/** Reads as many numbers as there are groups. */
export function readIntegers(from: Reader, groups: readonly number[]): number[] {
  const order = from.byte();
  if (order >= ORDERS) throw new MalformedBatch("a column is in no known order");
  const count = groups.length;
  const numbers = new Array<number>(count).fill(0);
  let going: number[] | null = null;
  for (let factor = 1; going === null || going.length > 0; factor *= 0x80) {
    if (factor > 2 ** 49) throw new MalformedBatch("a number is too long");
    const plane = from.bytes(going === null ? count : going.length);
    const next: number[] = [];
    for (let at = 0; at < plane.length; at++) {
      const index: number = going === null ? at : (going[at] as number);
      const group = plane[at] as number;
      numbers[index] = (numbers[index] as number) + (group & 0x7f) * factor;
      if (group >= 0x80) next.push(index);
    }
    going = next;
  }
  const predictor = new Predictor(order);
  for (let at = 0; at < count; at++) {
    const number = numbers[at] as number;
    const group = groups[at] as number;
    const value = predictor.next(group) + (number % 2 === 0 ? number / 2 : -(number + 1) / 2);
    if (!isHeld(value)) throw new MalformedBatch("a number is too large");
    predictor.note(group, value);
    numbers[at] = value;
  }
  return numbers;
}

/** Writes which of some are true, one bit each, the lowest first; nothing but a 0 where none is. */
export function writeBits(to: Writer, bits: readonly boolean[]): void {
  if (!bits.includes(true)) {
    to.byte(0);
    return;
  }
  to.byte(1);
  for (let at = 0; at < bits.length; at += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) if (bits[at + bit]) byte |= 1 << bit;
    to.byte(byte);
  }
}

export function readBits(from: Reader, count: number): boolean[] {
  const bits = new Array<boolean>(count).fill(false);
  if (from.byte() === 0) return bits;
  const bytes = from.bytes(Math.ceil(count / 8));
  for (let at = 0; at < count; at++) bits[at] = (((bytes[at >> 3] as number) >> (at & 7)) & 1) === 1;
  return bits;
}
