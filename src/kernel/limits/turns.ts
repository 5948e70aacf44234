import { AppError } from "../errors/errors";

/** Work that takes milliseconds at a time: many pieces of it together would block everything else. */

export interface LineBounds {
  /** Pieces that wait of one address, as limits count addresses. */
  ofAddress: number;
  /** Pieces that wait in all. */
  inAll: number;
  /** Message to one more. */
  refusal: string;
}

const RETRY_SECONDS = 1;

/**
 * Lets one piece of work begin in each turn of the event loop, so that whatever else has arrived goes between
 * two of them. Addresses take turns: one that sends many waits for itself. Where a bound is given, the
 * returned function throws 503 beyond it.
 */
export function inTurns(bounds?: LineBounds): (address?: string) => Promise<void> {
  /** By address; the first is next. */
  const lines = new Map<string, (() => void)[]>();
  let waiting = 0;
  let isTaken = false;

  function next(): void {
    const [first] = lines;
    if (!first) {
      isTaken = false;
      return;
    }
    const [address, line] = first;
    const go = line.shift();
    lines.delete(address);
    if (line.length > 0) lines.set(address, line);
    waiting--;
    setImmediate(next);
    go?.();
  }

  return async (address = "") => {
    if (!isTaken) {
      isTaken = true;
      setImmediate(next);
      return;
    }
    const line = lines.get(address) ?? [];
    if (bounds && (line.length >= bounds.ofAddress || waiting >= bounds.inAll))
      throw new AppError("ServiceUnavailable", bounds.refusal, {
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    lines.set(address, line);
    waiting++;
    await new Promise<void>((go) => line.push(go));
  };
}
