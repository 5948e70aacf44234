import { AppError } from "./errors";

/** Work that takes milliseconds at a time: many pieces of it together would block everything else. */

export interface LineBounds {
  /** Pieces that wait of one address, as limits count addresses. */
  ofAddress: number;
  /** Pieces that wait in all. */
  inAll: number;
  /** Message to one more. */
  refusal: string;
}

export interface Turns {
  /** Without it any number may wait. */
  line?: LineBounds;
  /** Weight of the pieces that begin in one turn; the last of them may exceed it. One piece by default. */
  ofTurn?: number;
}

/** An address, or what finds it: that takes time, and is needed only where a piece has to wait. */
type Address = string | (() => string);

interface Piece {
  weight: number;
  go: () => void;
}

const RETRY_SECONDS = 1;

/**
 * Lets a bounded amount of work begin in each turn of the event loop, so that whatever else has arrived goes
 * between two of them. Addresses take turns: one that sends many waits for itself. Where the line is bounded,
 * the returned function throws 503 beyond it.
 */
export function inTurns({
  line: bounds,
  ofTurn = 1,
}: Turns = {}): (address?: Address, weight?: number) => Promise<void> {
  /** By address; the first is next. */
  const lines = new Map<string, Piece[]>();
  let waiting = 0;
  let left = ofTurn;
  let isTurning = false;

  function next(): void {
    left = ofTurn;
    for (const [address, line] of lines) {
      if (left <= 0) break;
      const piece = line.shift();
      lines.delete(address);
      // Visited again in this turn, if something is left of it.
      if (line.length > 0) lines.set(address, line);
      if (!piece) continue;
      waiting--;
      left -= piece.weight;
      piece.go();
    }
    isTurning = left < ofTurn;
    if (isTurning) setImmediate(next);
  }

  return async (address = "", weight = 1) => {
    if (waiting === 0 && left > 0) {
      left -= weight;
      if (!isTurning) setImmediate(next);
      isTurning = true;
      return;
    }
    const block = typeof address === "string" ? address : address();
    const line = lines.get(block) ?? [];
    if (bounds && (line.length >= bounds.ofAddress || waiting >= bounds.inAll))
      throw new AppError("ServiceUnavailable", bounds.refusal, {
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    lines.set(block, line);
    waiting++;
    await new Promise<void>((go) => line.push({ weight, go }));
  };
}
