/** Wakes whoever waits; a call that comes before the wait ends the next one at once. */
export class Wakeup {
  #isDue = false;
  #go: (() => void) | null = null;

  readonly wake = (): void => {
    this.#isDue = true;
    this.#go?.();
  };

  /** Resolves at the next call of `wake`, or at once if there was one since the last wait. */
  async next(): Promise<void> {
    if (!this.#isDue)
      await new Promise<void>((go) => {
        this.#go = go;
      });
    this.#go = null;
    this.#isDue = false;
  }
}
