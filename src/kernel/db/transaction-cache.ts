import { profile } from "../../configuration/profile";
import { cacheEpoch } from "./transactions";

/**
 * An in-memory cache for the retryable use cases of `transact`, which read the same rows over and over: one
 * finds here the values that another read or, after changing them itself, noted. Nobody else may use it,
 * since only the writer knows the state of its transaction so far. Everything is forgotten as soon as any
 * other use case or process has written, or a use case was undone, so code that changes a trip or a zone
 * needs no call here.
 */
export class TransactionCache<Key, Value> {
  readonly #most: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #weight = 0;
  #since = 0;

  /** Keeps entries up to a total weight of `most`, or the part of it that the profile keeps; beyond that everything is dropped. */
  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  /** The value from memory, else from `read`. */
  get(key: Key, read: () => Value): Value {
    if (!this.#isOpen()) return read();
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const value = read();
    this.#keep(key, value);
    return value;
  }

  /** Notes the value that `read` will find once the current use case is done. */
  set(key: Key, value: Value): void {
    if (!this.#isOpen()) return;
    const old = this.#entries.get(key);
    if (old !== undefined) this.#weight -= this.#weigh(old);
    this.#keep(key, value);
  }

  #isOpen(): boolean {
    const since = cacheEpoch();
    if (since === null) return false;
    if (since !== this.#since) this.#forget();
    this.#since = since;
    return true;
  }

  #keep(key: Key, value: Value): void {
    this.#weight += this.#weigh(value);
    if (this.#weight > this.#most * profile.remembered) {
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
