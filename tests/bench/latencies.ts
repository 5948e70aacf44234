/** Latencies in buckets of 5 µs up to 5 s. */
export class Latencies {
  readonly #buckets = new Uint32Array(1_000_000);
  #count = 0;

  add(milliseconds: number): void {
    const at = Math.min(this.#buckets.length - 1, (milliseconds * 200) | 0);
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
    this.#count++;
  }

  /** The latency below which this share of all requests stayed. */
  quantile(part: number): number {
    let left = part * this.#count;
    const at = this.#buckets.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return at / 200;
  }
}
