import { FileError } from "./file-error";

/** Bytes at the beginning of a file that may hold an XML declaration. */
const DECLARATION_BYTES = 1024;

const DECLARED = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * The encoding of a file by its first bytes: as its byte order mark says, else as `charset` does, else as its XML
 * declaration does (RFC 7303, section 3), else UTF-8. Throws FileError for an unknown one.
 */
export function encodingOf(beginning: Uint8Array, charset: string | null): string {
  return markedAs(beginning) ?? known(charset ?? declared(beginning) ?? "utf-8");
}

const isMarked = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf;

/** The encoding that a byte order mark names, or the zeros beside a `<` in UTF-16. */
function markedAs(beginning: Uint8Array): string | null {
  const [first, second] = beginning;
  if (isMarked(beginning)) return "utf-8";
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? "utf-16be" : null;
}

function declared(beginning: Uint8Array): string | null {
  const text = new TextDecoder("latin1").decode(beginning.subarray(0, DECLARATION_BYTES));
  const name = DECLARED.exec(text)?.[1] ?? null;
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

/** Encodings in which each byte below 128 is the ASCII character, and the others tell of no character of XML. */
const ASCII = /^(?:utf-8|windows-125\d|iso-8859-\d+)$/;

/**
 * Makes the bytes of a file such that those below 128 are ASCII, piece by piece. Most files are so already: other bytes
 * stand in names, of which nothing is kept. `beginning` is the first piece. Throws FileError.
 */
export function asciiOf(beginning: Uint8Array, charset: string | null): (bytes: Uint8Array) => Uint8Array {
  const encoding = encodingOf(beginning, charset);
  if (ASCII.test(encoding)) {
    let mark = isMarked(beginning) ? 3 : 0;
    return (bytes) => {
      const rest = bytes.subarray(mark);
      mark = 0;
      return rest;
    };
  }
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  return (bytes) => encoder.encode(decoder.decode(bytes, { stream: true }));
}
