import { AppError } from "../errors/errors";
import { Lines } from "./lines";

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
 * between two of them. Addresses take turns: one that sends many waits for itself. The returned function returns null for a
 * piece that may begin at once, else a promise for its turn. Where the line is bounded, it throws 503 beyond it.
 */
export function inTurns({
  line: bounds,
  ofTurn = 1,
}: Turns = {}): (address?: Address, weight?: number) => Promise<void> | null {
  const lines = new Lines<Piece>();
  let left = ofTurn;
  let isTurning = false;

  function next(): void {
    left = ofTurn;
    while (left > 0) {
      const piece = lines.shift();
      if (!piece) break;
      left -= piece.weight;
      piece.go();
    }
    isTurning = left < ofTurn;
    if (isTurning) setImmediate(next);
  }

  return (address = "", weight = 1) => {
    if (lines.size === 0 && left > 0) {
      left -= weight;
      if (!isTurning) setImmediate(next);
      isTurning = true;
      return null;
    }
    const block = typeof address === "string" ? address : address();
    if (bounds && (lines.lengthOf(block) >= bounds.ofAddress || lines.size >= bounds.inAll))
      throw new AppError("ServiceUnavailable", bounds.refusal, {
        headers: { "retry-after": String(RETRY_SECONDS) },
      });
    return new Promise<void>((go) => lines.push(block, { weight, go }));
  };
}
