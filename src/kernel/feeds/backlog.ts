import { mayLog } from "../errors/trouble";
import { describeError, log } from "../logs/log";

/**
 * Lines or messages that a source sent and nobody has read yet. A receiver that plays a whole log at once must not
 * keep the event loop from everybody else.
 */

/** Milliseconds of reading in one turn of the event loop. */
const OF_TURN = 4;

/** Lines above which a source is to wait. */
export const MOST_UNREAD = 5_000;

export interface LineReading {
  take: (line: string) => void;
  /** The end of work that a line has caused and that the next one must wait for; null if there is none. */
  busy?: (() => Promise<unknown> | null) | undefined;
}

export class Backlog {
  readonly #reading: LineReading;
  readonly #onEmpty: () => void;
  #lines: string[] = [];
  #at = 0;
  #isReading = false;
  #isClosed = false;

  /** `onEmpty` is called whenever all that came is read. */
  constructor(reading: LineReading, onEmpty: () => void = () => {}) {
    this.#reading = reading;
    this.#onEmpty = onEmpty;
  }

  get isFull(): boolean {
    return this.#lines.length - this.#at > MOST_UNREAD;
  }

  get isEmpty(): boolean {
    return this.#at === this.#lines.length;
  }

  /** Reads the lines, in this turn as far as there is time. */
  push(lines: readonly string[]): void {
    if (this.#isClosed) return;
    for (const line of lines) if (line !== "") this.#lines.push(line);
    if (!this.#isReading && !this.isEmpty) this.#readAll();
  }

  /** Leaves out whatever is unread, and all that comes. */
  close(): void {
    this.#isClosed = true;
    this.#lines = [];
    this.#at = 0;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (;;) {
      const busy = this.#readTurn();
      if (this.isEmpty) break;
      await (busy ?? new Promise((turn) => setImmediate(turn)));
    }
    this.#lines = [];
    this.#at = 0;
    this.#isReading = false;
    if (!this.#isClosed) this.#onEmpty();
  }

  /** Reads for the time of a turn, or until a line has to wait. A promise only where there is one to wait for. */
  #readTurn(): Promise<unknown> | undefined {
    const until = performance.now() + OF_TURN;
    while (!this.isEmpty && performance.now() < until) {
      const busy = this.#reading.busy?.();
      if (busy) return busy;
      this.#take(this.#lines[this.#at++] as string);
    }
    return undefined;
  }

  #take(line: string): void {
    try {
      this.#reading.take(line);
    } catch (error) {
      const message = "a message of a source cannot be read";
      if (mayLog(message)) log.error(message, describeError(error));
    }
  }
}
