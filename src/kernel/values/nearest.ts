/** Words that were probably meant by a misspelled one. */

/** The number of letters to insert, drop, exchange or swap with their neighbour to make one word of the other. */
export function distance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const steps = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        ...(isSwapped ? [(beforeLast[column - 2] ?? 0) + 1] : []),
      ];
      current.push(Math.min(...steps));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}

/** A third of the letters may be wrong: beyond that, a suggestion misleads. */
const MAX_SHARE = 3;

/** Longer words are nobody's misspelling, and would take long to compare. */
const MAX_LENGTH = 80;

/** The known word that is nearest to this one; null if none is near. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  let found: { word: string; off: number } | null = null;
  for (const candidate of known) {
    const off = distance(word.toLowerCase(), candidate.toLowerCase());
    if (off <= Math.max(1, Math.floor(word.length / MAX_SHARE)) && (!found || off < found.off))
      found = { word: candidate, off };
  }
  return found?.word ?? null;
}

/** The suggestion as the end of a message; empty without one. */
export const didYouMean = (suggestion: string | null): string =>
  suggestion === null ? "" : `; did you mean ${suggestion}?`;
