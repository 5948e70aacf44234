import type { Rejection } from "../ingest/fix";

/** The content of a message: JSON, or the parameters of a query or a form. Its type is often missing or wrong. */

/** Members and items of a message: a batch of 1,000 fixes with all their fields has a third of them. */
const MAX_VALUES = 100_000;
const COMMA = 0x2c;

/** True for more members and items than any batch has, counted as commas; those in texts count too. */
function holdsTooMuch(bytes: Uint8Array): boolean {
  let commas = 0;
  if (bytes.length > MAX_VALUES) for (const byte of bytes) if (byte === COMMA) commas++;
  return commas > MAX_VALUES;
}

/** Lenient: the name of a network in another encoding must not lose a fix. */
const UTF8 = new TextDecoder("utf-8");

/** A value, or the reason why there is none. */
export type Content<T> = { value: T } | { reason: Rejection };

/** The JSON value of a body; undefined for an empty one. */
export function jsonOf(bytes: Uint8Array): Content<unknown> {
  if (holdsTooMuch(bytes)) return { reason: "too_large" };
  const text = UTF8.decode(bytes).trim();
  if (text === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: "malformed" };
  }
}

/** A body in the form of a query (application/x-www-form-urlencoded). */
export const formOf = (bytes: Uint8Array): URLSearchParams => new URLSearchParams(UTF8.decode(bytes).trim());

/** The parameters of an address. */
export function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}

const JSON_TYPE = /\bjson\b/i;
const OPENS_JSON = /^\s*[[{]/;

/** True for JSON, by its type or by how it begins. */
export const isJson = ({ headers }: Request, bytes: Uint8Array): boolean =>
  bytes.length > 0 &&
  (JSON_TYPE.test(headers.get("content-type") ?? "") || OPENS_JSON.test(UTF8.decode(bytes.subarray(0, 16))));
