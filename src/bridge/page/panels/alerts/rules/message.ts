/** The text of a rule's own, with words in braces that are filled in. */

export const PLACEHOLDERS = ["device", "zone", "value", "time", "place"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const isPlaceholder = (word: string): word is Placeholder =>
  (PLACEHOLDERS as readonly string[]).includes(word);

/** The first word in braces that is none of these; null if all are. */
export const unknownWord = (text: string): string | null =>
  [...text.matchAll(/\{([^{}]*)\}/g)].map(([, word = ""]) => word).find((word) => !isPlaceholder(word)) ??
  null;

/** The text with samples in the place of the words in braces. */
export const filled = (text: string, samples: Record<Placeholder, string>): string =>
  text.replace(/\{([a-z]+)\}/g, (whole, word: string) => (isPlaceholder(word) ? samples[word] : whole));
