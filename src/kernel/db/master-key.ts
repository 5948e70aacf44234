import type { Database } from "bun:sqlite";
import {
  encryptWith,
  fingerprintOf,
  hashKeyOf,
  keysInUse,
  openWith,
  useKeys,
  useMasterKey,
  watchKeys,
} from "../crypto/encryption";
import { type SealedColumn, sealedColumn } from "../crypto/sealed";
import { readMasterKeys } from "../process/data-dir";
import { db, sqlite, statement } from "./connection";
import { rows } from "./rows";
import { masterKey } from "./table";
import { inTransaction } from "./transactions";

/**
 * The keys of an open database. A rotation (server/keys/rotate.ts) may run in another process: it puts the new key into the
 * file, then notes that in the database, and only then encrypts everything anew. A process that encrypts looks at that note in
 * its own transaction, so that it never writes under the former key what the rotation has passed already. Raw SQL: the note
 * is read with each value.
 */

/** The keys of hashes, newest first, as JSON: what is hashed can't be hashed anew, so that former keys stay. */
export const hashKeys = sealedColumn({
  what: { en: "keys of backup codes", de: "Schlüssel der Ersatzcodes" },
  ifLost: {
    en: "backup codes of before are refused: call fairlead key rotate-master, which makes another key, and have users make new codes",
    de: "Ersatzcodes von vorher gelten nicht mehr: rufe fairlead key rotate-master auf, das einen anderen Schlüssel macht, und lass die Benutzer neue machen",
  },
  table: "master_key",
  id: "id",
  column: "hash_keys",
  boundTo: () => "keys of hashes",
});

const readNote = statement(() =>
  sqlite.prepare<{ fingerprint: string }, []>("SELECT fingerprint FROM master_key"),
);

/** The fingerprint of the key that the last rotation made; null if there was none. */
const notedKey = (): string | null => readNote().get()?.fingerprint ?? null;

/** The note that the keys in use were read with. */
let known: string | null = null;

/** Former keys that a process remembers beyond those in files: it may hold what it read before a rotation. */
const REMEMBERED = 3;

/** Reads the keys from their files and the database, and takes them into use. There must be one. */
export function takeKeys(): void {
  const former = keysInUse();
  const master = distinct([...readMasterKeys(), ...former.master]).slice(0, REMEMBERED);
  known = notedKey();
  useMasterKey(...master);
  useKeys({ master, hash: hashKeysIn(sqlite, master) ?? keysInUse().hash });
  watchKeys({ beforeUse: noticeRotation, afterFailure: haveKeysChanged });
}

const distinct = (keys: Buffer[]): Buffer[] =>
  keys.filter((key, at) => keys.findIndex((other) => other.equals(key)) === at);

/** True if a database has the column: an earlier version may lack it. */
export const hasColumn = (database: Database, { table, column }: SealedColumn): boolean =>
  rows(database, `SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`).length > 0;

/** The keys of hashes, newest first; null if no rotation has stored any, or none that these master keys decrypt. */
export function hashKeysIn(database: Database, master: Buffer[]): Buffer[] | null {
  if (!hasColumn(database, hashKeys)) return null;
  const [row] = rows(database, `SELECT ${hashKeys.id}, ${hashKeys.column} FROM ${hashKeys.table}`);
  if (!row) return null;
  const [id, sealed] = row.map(String);
  for (const key of master) {
    const stored = openWith(key, sealed ?? "", hashKeys.boundTo(id ?? ""));
    if (stored !== null) return parseKeys(stored);
  }
  return null;
}

const parseKeys = (stored: string): Buffer[] =>
  (JSON.parse(stored) as string[]).map((key) => Buffer.from(key, "base64"));

function noticeRotation(what: "encrypt" | "hash"): void {
  if (what === "encrypt" && !inTransaction()) throw new Error("a value is encrypted outside transact");
  if (notedKey() !== known) takeKeys();
}

function haveKeysChanged(): boolean {
  const before = keysInUse().master;
  const there = readMasterKeys();
  if (there.every((key) => before.some((other) => other.equals(key)))) return false;
  takeKeys();
  return true;
}

/** Notes a new master key in the current transaction: from its commit on, every process encrypts with it. */
export function noteKey(next: Buffer): void {
  const fingerprint = fingerprintOf(next);
  if (notedKey() === fingerprint) return;
  const keys = distinct([hashKeyOf(next), ...keysInUse().hash]).map((key) => key.toString("base64"));
  const row = {
    id: 1,
    fingerprint,
    hash_keys: encryptWith(next, JSON.stringify(keys), hashKeys.boundTo("1")),
  };
  db.insert(masterKey).values(row).onConflictDoUpdate({ target: masterKey.id, set: row }).run();
}
