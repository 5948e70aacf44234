/** Makes the names of members comparable, and composes the queries of their index. Pure. */

/** Separates the names of a member; no folded text holds it. */
const SEPARATOR = "\u001f";

/**
 * A text without regard to case and to the composition of its accents, much as Unicode folds it (The Unicode
 * Standard, section 3.13): in capitals first, so that `ß` finds `SS`. NUL would end a text in the index.
 */
const fold = (text: string): string =>
  text
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFC")
    .replaceAll("\0", "\ufffd")
    .replaceAll(SEPARATOR, "\ufffd");

/** All names of a member in the form that is searched. */
export const foldNames = (names: (string | null)[]): string =>
  names.flatMap((name) => (name === null ? [] : [fold(name)])).join(SEPARATOR);

/** A search in two steps: the index finds candidates, which are then compared. */
export interface Wanted {
  /** The text that one of the names must hold. */
  text: string;
  /** A query of the trigram index that all names with this text match, and few others; null when it is too short. */
  query: string | null;
}

/**
 * The search for a text: its first, middle and last three characters make the query. More would cost more
 * than the names that they leave out, since `text` is compared anyway.
 */
export function wanted(search: string): Wanted {
  const text = fold(search);
  const characters = [...text];
  if (characters.length < 3) return { text, query: null };
  const last = characters.length - 3;
  const trigrams = new Set([0, last >> 1, last].map((start) => characters.slice(start, start + 3).join("")));
  return { text, query: [...trigrams].map(quoted).join(" AND ") };
}

/** Quotes any text as a term of an FTS5 query (sqlite.org/fts5.html, section 3.1). */
export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
