import { jittered } from "../kernel/feeds/connection";
import { SECOND } from "../kernel/time/clock";

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

/** Milliseconds until what the broker has refused is tried again, the first time and at most. */
const FIRST = SECOND;
const LONGEST = 60 * SECOND;

/** Growing pauses with jitter. */
export class Pauses {
  #pause = FIRST;

  /** Begins with the shortest pause again. */
  begin(): void {
    this.#pause = FIRST;
  }

  /** Waits for the next pause, or until a signal. */
  async next(signal: AbortSignal): Promise<void> {
    const pause = jittered(this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, pause);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }
}
