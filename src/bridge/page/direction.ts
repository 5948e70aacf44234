/**
 * The direction of text. Names are given by anybody: characters that turn what stands around them are left out of all that the page
 * shows, and names that run from right to left are kept apart from the words around them.
 */

/** Marks, embeddings, overrides and isolates (Unicode Standard Annex 9, section 2). */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text without characters that turn the direction; also the text of a JSON document, in whose syntax there are none. */
export const straight = (text: string): string => text.replace(TURNING, "");

/** The same data with straight texts; the data itself where they are already. */
export function straightened<T>(data: T): T {
  const text = JSON.stringify(data);
  const found = straight(text);
  return found === text ? data : (JSON.parse(found) as T);
}

/** Letters of Hebrew, Arabic and the other scripts that run from right to left. */
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name for use within a sentence: one that runs from right to left between an isolate's two ends. */
export const isolated = (name: string): string => (LEFTWARD.test(name) ? `\u2068${name}\u2069` : name);
