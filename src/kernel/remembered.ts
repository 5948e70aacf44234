import { rememberedSince } from "./db";

/**
 * What use cases that run over and over read again and again, in memory: the repeatable ones of `transact`, one of which
 * finds here what another has read or, where it changed that itself, noted. It is theirs alone, since only the writer knows
 * what its transaction has done so far. All of it is forgotten as soon as any other use case has written, something was undone
 * or another process wrote, so nobody who changes a trip or a zone needs to know of it.
 */
export class Remembered<Key, Value> {
  readonly #most: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #weight = 0;
  #since = 0;

  /** At most so much is kept, each entry by its weight; then all of it goes. */
  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  /** From memory, or by `read`. */
  get(key: Key, read: () => Value): Value {
    if (!this.#isOpen()) return read();
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const value = read();
    this.#keep(key, value);
    return value;
  }

  /** Notes what `read` would find once the current use case is done. */
  set(key: Key, value: Value): void {
    if (!this.#isOpen()) return;
    const old = this.#entries.get(key);
    if (old !== undefined) this.#weight -= this.#weigh(old);
    this.#keep(key, value);
  }

  #isOpen(): boolean {
    const since = rememberedSince();
    if (since === null) return false;
    if (since !== this.#since) this.#forget();
    this.#since = since;
    return true;
  }

  #keep(key: Key, value: Value): void {
    this.#weight += this.#weigh(value);
    if (this.#weight > this.#most) {
      this.#forget();
      this.#weight = this.#weigh(value);
    }
    this.#entries.set(key, value);
  }

  #forget(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
