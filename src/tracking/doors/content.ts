import { holdsMore } from "../../kernel/values/json";
import type { Rejection } from "../ingest/fix";

/** The content of a message: JSON, or the parameters of a query or a form. Its type is often missing or wrong. */

/**
 * Members, items, arrays and objects of a message: a batch of 1,000 fixes with all their fields has half of them, one fix
 * some fifty.
 */
export const MOST_VALUES = { batch: 100_000, single: 10_000 };

/** Parameters of a form; apps send some twenty. */
const MAX_PARAMS = 1_000;
const AMPERSAND = 0x26;

function hasTooManyParams(bytes: Uint8Array): boolean {
  let params = 0;
  if (bytes.length > MAX_PARAMS) for (const byte of bytes) if (byte === AMPERSAND) params++;
  return params > MAX_PARAMS;
}

/** Lenient: the name of a network in another encoding must not lose a fix. */
const UTF8 = new TextDecoder("utf-8");

/** A value, or the reason why there is none. */
export type Content<T> = { value: T } | { reason: Rejection };

/** The JSON value of a body of at most so many values; undefined for an empty one. */
export function jsonOf(bytes: Uint8Array, most: number): Content<unknown> {
  const text = UTF8.decode(bytes).trim();
  if (holdsMore(text, most)) return { reason: "too_large" };
  if (text === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: "malformed" };
  }
}

/** A body in the form of a query (application/x-www-form-urlencoded). */
export const formOf = (bytes: Uint8Array): Content<URLSearchParams> =>
  hasTooManyParams(bytes)
    ? { reason: "too_large" }
    : { value: new URLSearchParams(UTF8.decode(bytes).trim()) };

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
