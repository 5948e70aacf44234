import type { Content, StyledText, TextStyle } from "pdfmake";

/** Texts in tables of PDF documents. */

/**
 * Widest run of characters without a possible line break, in a column of some 80 points; a letter of usual width counts
 * one.
 */
const WIDEST_RUN = 16;

const widthOf = (character: string): number =>
  /[MW@]/.test(character) ? 2 : /[A-Zmw]|[^\u0020-\u007e]/.test(character) ? 1.5 : 1;

/** Lets long words break: an address or a name without spaces would overflow its column. */
function breakable(text: string, widest = WIDEST_RUN): string {
  let broken = "";
  let run = 0;
  for (const character of text) {
    run = /\s/.test(character) ? 0 : run + widthOf(character);
    if (run > widest) {
      broken += "\u200b";
      run = widthOf(character);
    }
    broken += character;
  }
  return broken;
}

/** Font for characters that Roboto lacks: Greek with breathings, and other scripts as far as covered. */
export const FALLBACK_FONT = "DejaVu";

/** Characters that Roboto has glyphs for. */
const IN_ROBOTO =
  /^[\n -\u024f\u02b0-\u036f\u0370-\u03ff\u0400-\u0513\u1e00-\u1eff\u2000-\u206f\u20a0-\u20ac\u2100-\u2126]*$/;

/** A text that may hold anything, in a style, with the widest run of characters for its column. */
export const words = (text: string, style: TextStyle = {}, widest?: number): StyledText => ({
  text: breakable(text, widest),
  ...(IN_ROBOTO.test(text) ? {} : { font: FALLBACK_FONT }),
  ...style,
});

/** A value in a cell. */
export const cell = (text: string): Content => (IN_ROBOTO.test(text) ? breakable(text) : words(text));
