/**
 * The time that long requests may take in one turn of the event loop, all together. Whatever else has arrived goes between
 * two turns.
 */

/** Milliseconds. */
const OF_TURN = 5;

let left = OF_TURN;
let isTurning = false;

/** True if the time of this turn is used up: whoever asks for some would get none. */
export const isTurnSpent = (): boolean => isTurning && left <= 0;

/** Calls `step` until it returns false, or the time of this turn is used up. Calls it not at all if it is already. */
export function whileTurnLasts(step: () => boolean): void {
  if (!isTurning) {
    isTurning = true;
    setImmediate(() => {
      isTurning = false;
      left = OF_TURN;
    });
  }
  const began = performance.now();
  const until = began + left;
  let at = began;
  while (at < until && step()) at = performance.now();
  left -= performance.now() - began;
}
