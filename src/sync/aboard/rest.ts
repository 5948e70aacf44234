/** A rest that ends after a time, or as soon as it is woken: a call that comes before ends the next one at once. */
export class Rest {
  #isDue = false;
  #end: (() => void) | null = null;

  readonly wake = (): void => {
    this.#isDue = true;
    this.#end?.();
  };

  /** Resolves after so many milliseconds, or when it is woken. One at a time. */
  async next(milliseconds: number): Promise<void> {
    if (!this.#isDue)
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, milliseconds);
        this.#end = () => {
          clearTimeout(timer);
          resume();
        };
      });
    this.#end = null;
    this.#isDue = false;
  }
}
