import type { Bilingual } from "../values/bilingual";
import { decrypt, encrypt } from "./encryption";

/** A column whose values are encrypted under the master key, each for its own record. */
export interface SealedColumn {
  /** The values as words, in the plural. */
  what: Bilingual;
  table: string;
  /** The column that names the record. */
  id: string;
  column: string;
  /** The rows of a table that holds others too, as SQL. */
  where?: string;
  /** True for a column of JSON: an array of objects whose `secret` is such a value. */
  isList?: true;
  /** True for values that nobody misses if they can't be decrypted: others are made in their place. */
  isReplaceable?: true;
  /** The consequence if they can't be decrypted, or the remedy, as a clause. */
  ifLost: Bilingual;
  /** The record and purpose that a value is bound to. */
  boundTo: (id: string) => string;
}

/** Encrypts and decrypts the values of a column. */
export interface Sealing extends SealedColumn {
  /** The stored form of a value of a record. Call it in the transaction that stores it. */
  seal: (plain: string, id: string) => string;
  /** Reverses `seal`. Throws for a value of another record, of another key or that was changed. */
  open: (sealed: string, id: string) => string;
}

/**
 * Declares a column of encrypted values. Each is listed in src/server/keys/columns.ts, by which the key is checked and
 * rotated; a test looks that none is missing there.
 */
export const sealedColumn = (column: SealedColumn): Sealing => ({
  ...column,
  seal: (plain, id) => encrypt(plain, column.boundTo(id)),
  open: (sealed, id) => decrypt(sealed, column.boundTo(id)),
});
