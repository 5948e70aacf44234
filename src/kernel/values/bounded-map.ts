/** A map of bounded size, for what strangers can make entries in: one more drops the oldest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number | (() => number);

  /** Keeps at most so many entries, by a number that may change. */
  constructor(most: number | (() => number)) {
    super();
    this.#most = most;
  }

  /** Sets an entry; a present one keeps its age. */
  override set(key: Key, value: Value): this {
    const most = typeof this.#most === "number" ? this.#most : this.#most();
    if (this.size >= most && !this.has(key)) {
      const oldest = this.keys().next();
      if (!oldest.done) this.delete(oldest.value);
    }
    return super.set(key, value);
  }

  /** Sets an entry and makes it the newest. */
  renew(key: Key, value: Value): void {
    this.delete(key);
    this.set(key, value);
  }
}
