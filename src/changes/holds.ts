import { watchChanges } from "../feed/journal";
import { type Caller, hasExpired, noteUse, reloadCaller } from "../identity/access/caller";
import { subscribe } from "../kernel/db/events";
import { AppError, unauthorized } from "../kernel/errors/errors";
import { HOUR } from "../kernel/time/clock";

/** Requests that wait for changes, or read them as they come: each keeps a connection and some memory. */

const OF_CREDENTIAL = 100;
const IN_ALL = 2_000;

const holds = new Set<Hold>();
const held = new Map<string, number>();

/** A request that is held. Whoever makes one ends it. */
export class Hold {
  readonly #credentialId: string;
  #caller: Caller;
  #isStale = false;
  #isEnded = false;
  #wake = () => {};

  /** Throws 503 where too many are held. */
  constructor(caller: Caller, signal: AbortSignal) {
    this.#credentialId = caller.id;
    this.#caller = caller;
    const own = held.get(caller.id) ?? 0;
    if (own >= OF_CREDENTIAL || holds.size >= IN_ALL)
      throw new AppError(
        "ServiceUnavailable",
        "Too many requests wait for changes; end some, or try again later",
        { headers: { "retry-after": "5" } },
      );
    held.set(caller.id, own + 1);
    holds.add(this);
    if (signal.aborted) this.end();
    else signal.addEventListener("abort", () => this.end(), { once: true });
  }

  /** True once the client has left, or the server stops. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Gives the place back. It may be called again. */
  end(): void {
    if (!holds.delete(this)) return;
    this.#isEnded = true;
    const left = (held.get(this.#credentialId) ?? 1) - 1;
    if (left === 0) held.delete(this.#credentialId);
    else held.set(this.#credentialId, left);
    this.#wake();
  }

  /** The caller with the rights of now. Waiting counts as use of the credential. Throws 401 if that has ended. */
  caller(): Caller {
    if (this.#isStale || hasExpired(this.#caller)) {
      const fresh = reloadCaller(this.#caller);
      if (!fresh) throw unauthorized("The credential has ended");
      this.#caller = fresh;
      this.#isStale = false;
    }
    noteUse(this.#caller, HOUR);
    return this.#caller;
  }

  /**
   * Resolves after the next commit that holds changes, after so many milliseconds, when rights of the caller change, or at
   * the end of the hold.
   */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        this.#wake = () => {};
        resolve();
      };
      const unwatch = watchChanges(done);
      const timer = setTimeout(done, milliseconds);
      this.#wake = done;
      if (this.#isEnded || this.#isStale) done();
    });
  }

  /** Makes the request look at its rights anew. */
  recheck(which: (caller: Caller) => boolean): void {
    if (!which(this.#caller)) return;
    this.#isStale = true;
    this.#wake();
  }
}

export function startHolds(): void {
  subscribe("access.changed", ({ which }) => {
    for (const hold of [...holds]) hold.recheck(which);
  });
}

/** Ends all that is held: the server stops. */
export function endHolds(): void {
  for (const hold of [...holds]) hold.end();
}
