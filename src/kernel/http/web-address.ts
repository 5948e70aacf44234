import { FormatRegistry } from "@sinclair/typebox";
import { t } from "./schema";

/** Web addresses from outside that are stored, to be shown as links and pictures. */

/** Characters, as sent and as stored: a stored address takes several for each non-ASCII one. */
const MAX_LENGTH = 2_048;

/**
 * Parsers drop control characters and surrounding blanks: a reader would see another address than the browser
 * opens.
 */
const DROPPED = /\p{Cc}|^\s|\s$/u;

/** An http or https address without user and password; null for anything else. */
export function parseWebAddress(text: string): URL | null {
  const url = DROPPED.test(text) ? null : URL.parse(text);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  return isWeb && url.username === "" && url.password === "" && url.href.length <= MAX_LENGTH ? url : null;
}

/** True for an address with a query or a fragment, also an empty one: a path that is put behind it would be a part of that. */
export const hasQueryOrFragment = ({ href }: URL): boolean => /[?#]/.test(href);

FormatRegistry.Set("uri", (value) => parseWebAddress(value) !== null);

const options = (description: string, example: string) => ({
  format: "uri",
  maxLength: MAX_LENGTH,
  "x-expected": "must be an absolute http or https URL without user and password",
  description,
  examples: [example],
});

/** A web address; store it by `hrefOf`. */
export const webAddress = (description: string, example: string) =>
  t.String({ ...options(description, example), pattern: "^https?://" });

/** A web address in any form that browsers accept: with backslashes, or the scheme in upper case. */
export const anyWebAddress = (description: string, example: string) =>
  t.String(options(description, example));

/** Characters that browsers leave in paths and queries, and that no URI holds (RFC 3986, appendix A). */
const NO_URI = /[[\]{}|^`\\]/g;

/**
 * The form in which a web address is stored: as parsed, and a URI, so that every later parser finds the same in
 * it. Undefined and null stay so.
 */
export function hrefOf<T extends string | null | undefined>(address: T): T {
  if (typeof address !== "string") return address;
  const { origin, href } = new URL(address);
  return `${origin}${href.slice(origin.length).replaceAll(NO_URI, encodeURIComponent)}` as T;
}
