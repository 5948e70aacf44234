/**
 * The canonical form of JSON: the JSON Canonicalization Scheme (RFC 8785). Two programs write the same value in the same
 * bytes, so that a hash of them proves the value.
 */

/** A value that has no canonical form. Its message is the end of a sentence that begins with the value's name. */
export class NotCanonical extends Error {}

/** Levels of arrays and objects, one in another. */
const DEEPEST = 64;

/**
 * The canonical text of a JSON value (RFC 8785, section 3.2): no white space, members ordered by the UTF-16 code units of
 * their names, strings and numbers as ECMAScript writes them. Throws NotCanonical for a number that isn't finite, a lone
 * surrogate, a value that isn't JSON, and for nesting deeper than `levels`.
 */
export function canonicalJson(value: unknown, levels = DEEPEST): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NotCanonical("must not hold a number beyond 1.8e308");
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new NotCanonical("must be JSON");
  if (levels === 0) throw new NotCanonical("is nested too deeply");
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, levels - 1)).join(",")}]`;
  // Operators compare strings by UTF-16 code units, as the standard asks (section 3.2.3).
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalString(name)}:${canonicalJson(member, levels - 1)}`).join(",")}}`;
}

function canonicalString(text: string): string {
  // JSON.stringify would escape it, and no encoder of UTF-8 has a form for it.
  if (!text.isWellFormed()) throw new NotCanonical("must not hold half of a surrogate pair");
  return JSON.stringify(text);
}
