import { FileError } from "./file-error";
import type { Format } from "./reader";

/** Bytes at the beginning of a file that tell its encoding: more than an XML declaration has. */
export const TELLING_BYTES = 1024;

const DECLARED = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * The decoder of a file by its first bytes: as its byte order mark says, else as `charset` does, else as its XML
 * declaration does (RFC 7303, section 3), else UTF-8. Bytes that the encoding doesn't have become U+FFFD: they stand in
 * names of places, of which nothing is kept, and in a number they make it malformed. Throws FileError for an unknown
 * encoding.
 */
export function decoderOf(beginning: Uint8Array, format: Format, charset: string | null): TextDecoder {
  return new TextDecoder(markedAs(beginning) ?? known(charset ?? declared(beginning, format) ?? "utf-8"));
}

/** The encoding that a byte order mark names, or the zeros of a `<` in UTF-16. */
function markedAs([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? "utf-16be" : null;
}

function declared(beginning: Uint8Array, format: Format): string | null {
  if (format !== "gpx") return null;
  const [, name = null] =
    DECLARED.exec(new TextDecoder("latin1").decode(beginning.subarray(0, TELLING_BYTES))) ?? [];
  // It was read as single bytes, so it can't be in units of two.
  return name !== null && /^utf-?16|^ucs-?2/i.test(name) ? null : name;
}

function known(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new FileError(1, "the encoding that the file names is not known; send it as UTF-8");
  }
}
