/** A connection that lasted for so many of the shortest pauses was a good one. */
const LASTING = 10;

/** Pauses that grow from one failure to the next, drawn by chance so that many clients don't return in the same second. */
export class Pauses {
  readonly #shortest: number;
  readonly #longest: number;
  #next: number;

  /** The shortest and the longest pause, in milliseconds. */
  constructor(shortest: number, longest: number) {
    this.#shortest = shortest;
    this.#longest = longest;
    this.#next = shortest;
  }

  /** The next pause in milliseconds: between half of what it has grown to, and all of it. */
  next(): number {
    const pause = this.#next * (0.5 + Math.random() / 2);
    this.#next = Math.min(this.#next * 2, this.#longest);
    return pause;
  }

  startOver(): void {
    this.#next = this.#shortest;
  }

  /** Starts over after a connection that lasted some milliseconds, unless it failed nearly at once. */
  startOverAfter(lasted: number): void {
    if (lasted >= this.#shortest * LASTING) this.startOver();
  }
}

/** Timers take no more: they would fire at once. */
const LONGEST_WAIT = 86_400_000;

/** The wait in milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3); 0 without one. */
export function retryAfter(headers: Headers): number {
  const text = headers.get("retry-after") ?? "";
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return wait > 0 ? Math.min(wait, LONGEST_WAIT) : 0;
}

/** Resolves after some milliseconds, or when the signal ends. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
