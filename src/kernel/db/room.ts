import { conflict } from "../errors/errors";
import { sqlite } from "./connection";

/**
 * Bounds for tables whose lists come whole, since the API gives them no pages, or hold values of any size:
 * most rows, and most bytes of text in all, so that a list is read and sent in some milliseconds.
 */
const MAX_ROWS = 1_000;
const MAX_BYTES = 4_194_304;

export interface Store {
  table: string;
  /** The columns that hold the caller's text. */
  texts: string[];
  /** The word for its records in the message. */
  records: string;
}

/** Sizes are read without reading the texts. */
const sizeOf = ({ table, texts }: Store): { n: number; bytes: number } =>
  sqlite
    .query<{ n: number; bytes: number }, []>(
      `SELECT count(*) AS n, coalesce(sum(${texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ")}), 0) AS bytes FROM ${table}`,
    )
    .get() ?? { n: 0, bytes: 0 };

/**
 * Stores a record by `work`, in the current transaction. Throws 409, which undoes it, if the table would
 * overflow.
 */
export function keepRoom<T>(store: Store, work: () => T): T {
  const before = sizeOf(store);
  const result = work();
  const { n, bytes } = sizeOf(store);
  if (n > MAX_ROWS && n > before.n)
    throw conflict(`There can be at most ${MAX_ROWS} ${store.records}; delete one first`);
  // A table over the bound already may stay so, and shrink.
  if (bytes > MAX_BYTES && bytes > before.bytes)
    throw conflict(
      `The ${store.records} can hold at most 4 MiB of text in all; shorten or delete some first`,
    );
  return result;
}
