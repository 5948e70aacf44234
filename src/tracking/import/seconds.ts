/** Seconds that share their higher bits. */
const BITS = 16;
const SPAN = 1 << BITS;
/** Entries of a list from which on a set of bits is smaller: 2 bytes each against 8 KiB. */
const MOST_LISTED = SPAN / 16;

/**
 * A set of Unix seconds (integers from 0 to 2^48) that takes two bytes for each at most, once they are many: those
 * of a long file would fill the memory as a `Set`.
 */
export class Seconds {
  readonly #spans = new Map<number, List | Uint8Array>();

  /** Adds a second. False if it is in the set already. */
  add(second: number): boolean {
    const high = Math.floor(second / SPAN);
    const low = second % SPAN;
    const known = this.#spans.get(high);
    if (known instanceof Uint8Array) return addBit(known, low);
    const list = known ?? new List();
    if (!known) this.#spans.set(high, list);
    if (!list.add(low)) return false;
    if (list.length > MOST_LISTED) this.#spans.set(high, bitsOf(list));
    return true;
  }
}

/** A sorted list of numbers of 16 bits. */
class List {
  length = 0;
  #values = new Uint16Array(4);

  add(value: number): boolean {
    const at = this.#placeOf(value);
    if (at < this.length && this.#values[at] === value) return false;
    if (this.length === this.#values.length) {
      const larger = new Uint16Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values.copyWithin(at + 1, at, this.length);
    this.#values[at] = value;
    this.length++;
    return true;
  }

  *[Symbol.iterator](): Generator<number> {
    yield* this.#values.subarray(0, this.length);
  }

  /** The position of the first entry that isn't smaller; most files are in order, so the end comes first. */
  #placeOf(value: number): number {
    if (this.length === 0 || (this.#values[this.length - 1] as number) < value) return this.length;
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#values[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function bitsOf(list: List): Uint8Array {
  const bits = new Uint8Array(SPAN / 8);
  for (const value of list) addBit(bits, value);
  return bits;
}

function addBit(bits: Uint8Array, value: number): boolean {
  const mask = 1 << (value & 7);
  const byte = bits[value >> 3] as number;
  bits[value >> 3] = byte | mask;
  return (byte & mask) === 0;
}
