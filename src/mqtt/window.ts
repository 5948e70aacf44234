/**
 * The messages of changes that are under way to the broker, and the number up to which all are acknowledged: a cursor that
 * never passes one which is not.
 */

/** Changes of which messages are under way. */
const MOST = 200;

interface Entry {
  /** The number that is reached when its messages and all before are acknowledged. */
  upTo: number;
  /** Messages that are not acknowledged yet. */
  open: number;
}

/** Sends a message; resolves when it is acknowledged. */
export type Send = () => Promise<void>;

export class Window {
  #acknowledged: number;
  readonly #onChange: () => void;
  readonly #entries: Entry[] = [];
  #failure: { error: unknown; number: number } | null = null;
  #wake: () => void = () => {};

  /** `onChange` is called when the cursor moves on, and at the first failure. */
  constructor(from: number, onChange: () => void) {
    this.#acknowledged = from;
    this.#onChange = onChange;
  }

  /** Everything up to it is acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The lowest number of which a message failed; null if none did. */
  get failedAt(): number | null {
    return this.#failure?.number ?? null;
  }

  /** Throws the error of a message that failed: what follows the cursor is to be sent anew then. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Sends the messages of the next change. Resolves when there is room for one more; rejects as `check` throws. */
  async add(number: number, messages: readonly Send[]): Promise<void> {
    this.check();
    if (messages.length === 0) {
      const last = this.#entries.at(-1);
      if (last) last.upTo = number;
      else this.#moveTo(number);
      return;
    }
    const entry = { upTo: number, open: messages.length };
    this.#entries.push(entry);
    for (const send of messages)
      send().then(
        () => {
          entry.open--;
          this.#advance();
        },
        (error) => {
          if (!this.#failure || number < this.#failure.number) this.#failure = { error, number };
          this.#wake();
          this.#onChange();
        },
      );
    while (this.#entries.length >= MOST) await this.#progress();
  }

  /** Resolves once everything is acknowledged. Rejects as `check` throws. */
  async settled(): Promise<void> {
    while (this.#entries.length > 0) await this.#progress();
  }

  #advance(): void {
    for (let first = this.#entries[0]; first?.open === 0; first = this.#entries[0]) {
      this.#entries.shift();
      this.#moveTo(first.upTo);
    }
    this.#wake();
  }

  #moveTo(number: number): void {
    this.#acknowledged = number;
    this.#onChange();
  }

  async #progress(): Promise<void> {
    this.check();
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
    this.check();
  }
}
